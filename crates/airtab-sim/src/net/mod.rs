//! Wired links.

mod link;

pub use link::Link;
