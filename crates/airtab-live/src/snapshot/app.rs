// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An application of the house as a snapshot shows it, and what its user feels.
//!
//! What it does not do: scores are the applications' own (`apps`).

use serde::{Deserialize, Serialize};

use super::PathView;

/// One application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AppView {
    /// Its name in the house.
    pub name: String,
    /// What it is, as in house files.
    pub kind: String,
    /// Its station's name.
    pub station: String,
    /// What its user feels, of late; None: nothing to say yet.
    pub score: Option<Score>,
    /// Its score is about the downlink alone.
    #[serde(default)]
    pub down_alone: bool,
    /// What its packets from the server met, of the last eleven intervals.
    #[serde(default)]
    pub down: PathView,
    /// The same of those to the server.
    #[serde(default)]
    pub up: PathView,
}

/// A figure that a user would feel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// What it is, as `airtab compare` names it: `game_mos`.
    pub metric: String,
    /// Its value in base units.
    pub value: f64,
    /// The same for people: `4.21 MOS`, `0.8 s page`.
    pub text: String,
    /// That of the downlink alone, where directions are scored apart: calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub down: Option<f64>,
    /// That of the uplink alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<f64>,
}
