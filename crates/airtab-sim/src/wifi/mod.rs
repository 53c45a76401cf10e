//! The Wi-Fi cell: infrastructure 802.11 with one access point on one channel.
//!
//! - [`Cell`]: access point, stations and channel, sans-IO
//! - [`EmulatedLink`]: one server in the place of the channel
//! - [`Medium`]: one of the two, by configuration
//! - [`MediumConfig`], [`CellConfig`], [`Loss`]: their parameters; [`Output`]: what they report
//!
//! Sources: IEEE 802.11 (DCF); Lee, CHAP dissertation (WPI 2010), 4.2-4.3 and
//! 6.3-6.5 (charges, link model); Starzetz, VFQ thesis, 8.2 (decrement rules).
//!
//! # What it does not do yet, and where that will plug in
//! - **Access categories (EDCA)**: each category becomes a contender of its own
//!   in `contention`; internal collisions are decided where senders are listed.
//! - **A-MPDU with block ACK**: `Frame` holds several packets, `Outcome` one
//!   result per subframe; the air of the exchange is split over their tickets.
//! - **Rate control**: `Radio` chooses the rate per attempt instead of once.
//! - **Other contention rules** (HASH1, 802.11-M, Idle Sense): a variant of
//!   `Rule` each, in `rule`.
//! - **Several collision domains**: several `Contention`s and a map of who
//!   hears whom; today everybody hears everybody.
//! - Power save, RTS/CTS, fragmentation, roaming, capture: not planned here.

mod cell;
mod config;
mod contention;
mod downlink;
mod emulator;
mod link;
mod links;
mod medium;
mod output;
mod rule;

pub use cell::Cell;
pub use config::{Backoff, Beacon, CellConfig, DeliverOn, Loss, MediumConfig};
pub use emulator::EmulatedLink;
pub use medium::Medium;
pub use output::{Attempt, Carried, End, Label, Output};
