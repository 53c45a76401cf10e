//! airtab-core
