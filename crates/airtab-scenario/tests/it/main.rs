// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of scenario files: values, messages, and figures of short runs.

mod airsim_houses;
mod bad_scenarios;
mod bulk_throughput;
mod common;
mod dumbbell;
mod every_key;
mod good_scenarios;
mod homes;
mod links;
mod mac_keys;
mod meshes;
mod modern_cells;
mod outage;
mod outcome;
mod rate_chains;
mod replay;
mod saturated;
mod set;
mod slow_start;
mod starts;
mod windows;
