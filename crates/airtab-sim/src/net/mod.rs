//! The wired side: links and addresses.

pub mod address;
mod link;

pub use link::Link;
