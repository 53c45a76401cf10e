// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Safe Rust over the C core in `core/`: the only crate with `unsafe`.
//!
//! - [`Discipline`], [`Params`]: the tables of every discipline, and values read
//!   from text (`"25ms"`) with errors that name the parameter and its range.
//! - [`Pool`]: packets at fixed addresses; [`Qdisc`]: one running discipline.
//! - [`Phy`]: 802.11 exchange times of the named profiles; [`Rate`]: rates by MCS;
//!   [`Emulator`]: an 802.11 link on any device.
//!
//! What this crate does not do: no algorithm lives here, and no clock or I/O.

mod acks;
mod airtime;
mod announce;
mod columns;
mod emulator;
mod ffi;
mod governor;
#[cfg(test)]
mod layout;
mod params;
mod pool;
mod qdisc;
mod rates;
mod rules;
pub mod time;
mod units;

pub use acks::{Acks, edit_ack, edit_merge};
pub use airtime::{Phy, PhyChange};
pub use announce::{
    ANNOUNCE_CW_MIN, ANNOUNCE_NS, ANNOUNCE_TXOP_NS, Received, announce_bounds, announce_recent,
};
pub use columns::{CLASS, Column, FLOW};
pub use emulator::{Emulator, EmulatorConfig};
pub use ffi::{GovernorParams, GovernorStation, GovernorStats};
pub use ffi::{Heard, Key, Link, PPDU_MAX_NS, Tcp, Ticket, Tx};
pub use governor::{Governor, GovernorNow};
pub use params::{Discipline, Param, ParamError, Params, Stat, disciplines};
pub use pool::{Handle, Meta, Pool, View};
pub use qdisc::{Counters, Dropped, Qdisc, Reason, Verdict};
pub use rates::{Control, Format, Rate, RateError, RatePart, RateSpec, ampdu_add, ampdu_bytes};
pub use rules::{Pattern, Rule, RuleError, TCP, UDP, unreached};
pub use units::{Unit, UnitError};

/// A number for the sources of this crate, C and Rust: part of what stored runs are known by.
pub const SOURCES: &str = env!("AIRTAB_SOURCES");

/// Station number of multicast packets.
pub const GROUP: u16 = 0xffff;
/// The station of a packet whose host does not know stations: sources take their place.
pub const NO_STATION: u16 = 0xfffe;
/// Class of link-control packets (EAPOL, ARP): never a victim.
pub const URGENT: u8 = 0xff;
