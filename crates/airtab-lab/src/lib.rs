//! From scenarios to comparisons of queue disciplines.
//!
//! - [`compare()`]: disciplines x seeds, in parallel, to a [`Comparison`]
//! - [`table`]: a comparison as text; [`why`]: what made each score
//! - [`study`]: the same with the [`story`] and the [`capture`] (for Wireshark) of
//!   one run of each discipline; [`report`]: as a page; [`results`]: as data
//! - [`experiment`]: what varies, and what a source says should come out
//!
//! What this crate does not do: no scenario is read and no figure defined here
//! (`airtab-scenario`), no simulation (`airtab-sim`), no scores
//! (`airtab-quality`), no command line.

pub mod capture;
pub mod compare;
pub mod experiment;
pub mod measure;
pub mod report;
pub mod results;
pub mod story;
pub mod study;
pub mod table;
pub mod why;

pub use compare::{Comparison, Options, Stopped, compare};
