// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! From scenarios to comparisons of queue disciplines.
//!
//! - [`run`]: one run to figures; [`compare()`]: disciplines x seeds, in parallel,
//!   to a [`Comparison`]
//! - [`table`]: a comparison as text; [`Change`]: better, same or worse; [`why()`]: what made each score
//! - [`study()`]: the same with the [`story()`] and the [`capture()`] (for Wireshark) of
//!   one run of each discipline; [`html`]: as a page; [`write_parquet`]: as data
//! - [`plan`]: the loop over points, queues and seeds that all of these share; [`store`]: where finished runs are kept
//! - [`compare_elsewhere()`]: with runs that others make; [`make()`]: makes them, there
//! - [`draw`]: every figure, as a part of a page, as SVG and as CSV
//! - [`fingerprint`]: what a capture says of its cards; [`class_load`]: what it says of classes of packets
//! - [`catalogue`]: what there is, for programs; [`SoFar`]: a comparison before its end
//! - [`flent`]: one run as a data file of flent
//! - [`experiment`]: what varies, and what a source says should come out
//! - [`contest`]: one discipline against others over many scenarios and three drivers
//! - [`contention`]: the contention models by subject and parameters, for command line and experiments
//!
//! What this crate does not do: no scenario is read and no figure defined here
//! (`airtab-scenario`), no simulation (`airtab-sim`), no scores
//! (`airtab-quality`), no command line.

mod bulk;
mod capture;
pub mod catalogue;
mod change;
pub mod class_load;
mod classes;
mod command;
mod compare;
pub mod contention;
pub mod contest;
pub mod draw;
mod elsewhere;
pub mod experiment;
pub mod fingerprint;
pub mod flent;
pub mod frame;
#[cfg(test)]
mod made;
mod measure;
mod order;
pub mod plan;
mod report;
mod results;
mod so_far;
pub mod store;
mod story;
mod study;
pub mod table;
mod tie;
mod why;

pub use airtab_scenario::digits::{count, estimate};
pub use capture::{SNAP_BYTES, capture};
pub use change::{AppChange, Change, Changes, Verdict, results_schema};
pub use command::{compare_command, quoted};
pub use compare::{Comparison, Options, SCHEMA, compare, compare_kept, comparison};
pub use elsewhere::{Failure, compare_elsewhere};
pub use measure::run;
pub use order::make;
pub use plan::Stopped;
pub use report::{Report, figures, headline, html};
pub use results::{Build, Manifest, Origin, Queue, frame, scenario_hash, text_hash, write_parquet};
pub use so_far::{SoFar, Watch};
pub use story::{AppStory, Story, story};
pub use study::{Capture, Study, study};
pub use why::{why, why_short};
