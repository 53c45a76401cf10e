//! airtab-quality
