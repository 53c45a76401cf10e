//! airtab-sim
