//! From scenarios to comparisons of queue disciplines.
//!
//! - [`run`]: one run to figures; [`compare()`]: disciplines x seeds, in parallel,
//!   to a [`Comparison`]
//! - [`table`]: a comparison as text; [`why()`]: what made each score
//! - [`html`]: the same as a page, with the [`story()`] of one run of each
//!   discipline; [`write_parquet`]: as data; [`capture()`]: a run for Wireshark
//! - [`experiment`]: what varies, and what a source says should come out
//!
//! What this crate does not do: no scenario is read and no figure defined here
//! (`airtab-scenario`), no simulation (`airtab-sim`), no scores
//! (`airtab-quality`), no command line.

mod capture;
mod compare;
mod credit;
pub mod experiment;
mod measure;
mod report;
mod results;
mod story;
pub mod table;
mod why;

pub use capture::{SNAP_BYTES, capture};
pub use compare::{Comparison, Options, SCHEMA, Stopped, compare, comparison};
pub use measure::run;
pub use report::{Report, chart, html};
pub use results::{Manifest, Origin, Queue, scenario_hash, write_parquet};
pub use story::{AppStory, Story, stories, story};
pub use why::why;
