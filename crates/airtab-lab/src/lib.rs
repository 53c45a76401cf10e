//! From scenario files to comparisons of queue disciplines.
//!
//! - [`ScenarioFile`]: TOML to a scenario and the disciplines' parameters
//! - [`compare()`]: disciplines x seeds, in parallel, to a [`Comparison`]
//! - [`table`]: a comparison as text; [`why`]: what made each score
//! - [`report`]: the same as a page, with the [`story`] of one run of each
//!   discipline; [`results`]: as data; [`capture`]: a run for Wireshark
//! - [`experiment`]: what varies, and what a source says should come out
//!
//! `docs/scenarios.md` describes the files. What this crate does not do: no
//! simulation (`airtab-sim`), no scores (`airtab-quality`), no command line.

pub mod capture;
pub mod compare;
mod credit;
pub mod experiment;
pub mod measure;
pub mod metric;
mod phy_rates;
pub mod queues;
pub mod reader;
pub mod report;
pub mod results;
mod scenario_app;
pub mod scenario_file;
pub mod schedule;
pub mod story;
pub mod table;
mod text_file;
pub mod video_trace;
pub mod why;

pub use compare::{Comparison, Options, QueueScores, Scores, Stopped, Summary, compare};
pub use metric::Metric;
pub use queues::{QueueSettings, QueueSpec};
pub use reader::Problem;
pub use scenario_file::{FileError, HOME, ScenarioFile};
pub use schedule::quick;
