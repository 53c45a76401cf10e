// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Closed forms compared with the disciplines of the core.

mod astar_core;
mod wqm_core;
