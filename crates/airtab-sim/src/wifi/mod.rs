// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The Wi-Fi cell: infrastructure 802.11 with one access point on one channel.
//!
//! - [`Cell`]: access point, stations and channel, sans-IO
//! - [`EmulatedLink`]: one server in the place of the channel
//! - [`Wire`]: the narrow wire of a dumbbell in its place
//! - [`Medium`]: one of the three, by configuration
//! - [`MediumConfig`], [`CellConfig`], [`Loss`]: their parameters; [`Output`]: what they report
//!
//! Sources: IEEE 802.11 (DCF); Lee, CHAP dissertation (WPI 2010), 4.2-4.3 and
//! 6.3-6.5 (charges, link model); Starzetz, VFQ thesis, 8.2 (decrement rules).
//!
//! A cell is made of:
//!
//! | module | what it has |
//! |---|---|
//! | `cell`, `cell/busy` | the events, and what one part does to another |
//! | `transmitter` | access point and stations; their contenders: rule, random stream, exchange |
//! | `egress` | where packets wait: a discipline (told of links by `links`), or a FIFO |
//! | `driver` | what is below: a ring, lists for each receiver, aggregates (`aggregate`, `block_ack`, `reorder`) |
//! | `below` | what a discipline learns of its driver: `reports`, and the governor that gets them (`governed`) |
//! | `exchange` | frames made of parts: a packet, its ticket, attempts, airtime and fate each |
//! | `ofdma`, `cell/ofdma` | several stations in one PPDU: resource units and times; who goes together |
//! | `channel` | who sends, who must wait; `contention` counts slots, `rule` draws them as `access` says, `edca` has the categories, `txop` says what fits into theirs |
//! | `winners` | who sends after whom |
//! | `phy` | rates, times, losses of frames; by the signal: `snr`, `errors`; chosen by `rate` |
//! | `mesh`, `cell/node` | a cell whose transmitters are the nodes of a mesh, each with neighbours of its own |
//! | `reach`, `apart`, `cell/apart` | who senses, decodes and disturbs whom; the air where not all sense each other |
//! | `ways` | who is next on the way through a mesh |
//! | `walk`, `cell/walks` | how far a station is that walks |
//! | `capture` | whether a frame survives a collision |
//! | `overhearing` | who overhears a frame in error |
//! | `tap` | every attempt, for captures |
//! | `air` | where the channel's time goes, for each transmitter |
//!
//! # What it does not do
//! - Hidden stations of an access point: only a mesh knows who hears whom.
//! - Fragmentation, roaming: not planned here.

mod access;
mod aggregate;
mod air;
mod apart;
mod below;
mod block_ack;
mod capture;
mod cell;
mod channel;
mod config;
mod contention;
mod dnb;
mod driver;
mod duplex;
mod edca;
mod egress;
mod emulator;
mod errors;
mod exchange;
mod governed;
mod links;
mod medium;
mod mesh;
mod ofdma;
mod output;
mod overhearing;
mod phy;
mod rate;
mod reach;
mod reorder;
mod reports;
mod rule;
mod snr;
mod tap;
mod transmitter;
mod txop;
mod walk;
mod ways;
mod winners;
mod wire;

pub use access::{AccessMethod, AccessRule, IdleWindow, SlotLaw, Windows};
pub use air::{AirTrace, ContentionTrace};
pub use cell::Cell;
pub use config::{
    Aggregation, Backoff, Beacon, CellConfig, Completions, DeliverOn, DriverConfig, GovernorConfig, Loss,
    LostBar, Order, Shadowing, Speed,
};
pub use dnb::{DnbConfig, DnbPlan, Domain, Interference, Neighborhood};
pub use edca::{Category, CategoryChange, Edca};
pub use emulator::EmulatedLink;
pub use errors::{Coding, ErrorTable};
pub use medium::{Medium, MediumConfig};
pub use mesh::{Layout, MeshConfig, MeshLink, MeshNode};
pub use output::{Attempt, End, FrameBody, Label, NodeAir, Output, Way};
pub use rate::{Ask, Candidate, Choice, Outcome, RateAlgorithm, RateControl};
pub use reach::{MAX_NODES, NodeSet, Ranges, Reach};
pub use snr::{Mean, Signal, Snr};
pub use walk::Walk;
pub use ways::{WayError, Ways};
pub use winners::WinnersTrace;
pub use wire::{Wire, WireConfig};
