//! airtab-lab
