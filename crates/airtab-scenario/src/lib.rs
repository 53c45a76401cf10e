// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenario files, and what a run of a scenario says in figures.
//!
//! - [`ScenarioFile`]: TOML to a [`Scenario`](airtab_sim::Scenario) and the
//!   disciplines' parameters; [`Problem`]: one thing that is wrong in a file
//! - [`QueueSpec`]: a discipline as asked for, such as `chap:limit=70`; [`QueueList`]: several; [`tcp_settings`]: settings
//!   of TCP, such as `prr=false`
//! - [`measure`]: the trace of a run to [`Measured`], figures by [`Metric`]
//! - [`digits`]: numbers in words, as exact as their intervals
//! - [`short`]: the same scenario with its times divided
//! - [`reader`]: a TOML document read key by key, for files that look like scenarios (`airtab-reader`)
//! - [`named_files`], [`rename_files`]: files that a scenario names
//! - [`set`], [`remove`]: one value of a scenario's text changed, and every other line as it was
//! - [`schema`]: what such files may hold, as JSON Schema
//!
//! `docs/scenarios.md` describes the files. What this crate does not do: it
//! runs nothing, compares nothing and starts no thread (`airtab-lab`). Without
//! its feature `files` it touches no file system.

mod access;
mod apps;
mod bottleneck;
#[cfg(all(feature = "files", target_os = "linux"))]
mod caller;
mod capture_file;
mod changes;
mod contention;
mod copies;
pub mod digits;
#[cfg(feature = "files")]
mod disk_file;
mod dnb;
mod evenness;
mod frames;
mod gaps;
mod inputs;
mod kinds;
mod latencies;
mod links;
mod mac;
mod measure;
mod mesh;
mod metric;
mod named_file;
mod outcome;
mod phy_rates;
mod queues;
mod requirements;
mod scenario_file;
mod schedule;
pub mod schema;
mod scores;
mod set;
mod speed;
mod station;
mod tcp;
mod video_trace;
mod volumes;
mod wifi;
mod wired;

pub use airtab_reader as reader;
pub use apps::ACCESS_POINT;
#[cfg(feature = "files")]
pub use disk_file::{open_file, read_text};
pub use inputs::{is_file, named_files, names_file, rename_files};
pub use kinds::{About, Score, greedy, note, video_frames, words};
pub use links::Errors;
pub use measure::{Figures, Measured, Second, measure};
pub use metric::{Direction, Metric, Of, OfPath, OutcomeFigure, Relevance, column_unit};
pub use named_file::{OpenFile, utf8_text};
pub use outcome::outcome_words;
pub use phy_rates::{phy_rate, profile};
pub use queues::{QueueList, QueueSettings, QueueSpec, USUAL_QUEUES, limited_twice, unread};
pub use reader::Problem;
pub use requirements::shipped_requirement;
#[cfg(feature = "files")]
pub use scenario_file::scenario_text;
pub use scenario_file::{FileError, HOME, LONGEST_NS, ScenarioFile, read_queues};
pub use schedule::{SHORT_DIVISOR, short};
pub use scores::{QueueScores, Scores, Summary};
pub use set::{SetError, assignment, path_words, remove, set};
pub use station::station_change;
pub use tcp::tcp_settings;
pub use volumes::volume_jain;

/// A number for the sources of this crate: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");
