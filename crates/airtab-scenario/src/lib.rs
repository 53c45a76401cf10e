// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Scenario files, and what a run of a scenario says in figures.
//!
//! - [`ScenarioFile`]: TOML to a [`Scenario`](airtab_sim::Scenario) and the
//!   disciplines' parameters; [`Problem`]: one thing that is wrong in a file
//! - [`QueueSpec`]: a discipline as asked for, such as `chap:limit=70`; [`QueueList`]: several; [`tcp_settings`]: settings
//!   of TCP, such as `prr=false`
//! - [`measure`]: the trace of a run to [`Measured`], figures by [`Metric`]
//! - [`digits`]: numbers in words, as exact as their intervals
//! - [`quick`]: the same scenario with its times divided
//! - [`reader`]: a TOML document read key by key, for files that look like scenarios
//!
//! `docs/scenarios.md` describes the files. What this crate does not do: it
//! runs nothing, compares nothing and starts no thread (`airtab-lab`). Without
//! its feature `files` it touches no file system.

mod access;
mod apps;
mod bottleneck;
mod changes;
mod contention;
mod copies;
pub mod digits;
mod dnb;
mod evenness;
mod frames;
mod gaps;
mod kinds;
mod latencies;
mod links;
mod mac;
mod measure;
mod mesh;
mod metric;
mod outcome;
mod phy_rates;
mod queues;
pub mod reader;
mod requirements;
mod scenario_file;
mod schedule;
mod scores;
mod speed;
mod station;
mod tcp;
#[cfg(feature = "files")]
mod text_file;
mod video_trace;
mod volumes;
mod wifi;
mod wired;

pub use apps::ACCESS_POINT;
pub use kinds::{About, Score, greedy, note, video_frames, words};
pub use links::Errors;
pub use measure::{Figures, Measured, Second, measure};
pub use metric::{Direction, Metric, Of, OfPath, OutcomeFigure, column_unit};
pub use outcome::outcome_words;
pub use phy_rates::{phy_rate, profile};
pub use queues::{QueueList, QueueSettings, QueueSpec, USUAL_QUEUES};
pub use reader::Problem;
pub use requirements::shipped_requirement;
pub use scenario_file::{FileError, HOME, LONGEST_NS, ReadText, ScenarioFile, read_queues};
pub use schedule::{QUICK_DIVISOR, quick};
pub use scores::{QueueScores, Scores, Summary};
pub use station::station_change;
pub use tcp::tcp_settings;
#[cfg(feature = "files")]
pub use text_file::read_text;
pub use volumes::volume_jain;

/// A number for the sources of this crate: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");
