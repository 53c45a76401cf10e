//! airtab-model
