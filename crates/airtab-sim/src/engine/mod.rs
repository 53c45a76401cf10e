// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Virtual time: an event queue and one random stream per entity.
//!
//! Times are integer nanoseconds since the start of the run.

mod events;
mod outbox;
mod random;

pub use events::EventQueue;
pub(crate) use outbox::Outbox;
pub(crate) use random::Chance;
pub use random::Stream;

/// Later than any event.
pub const NEVER: u64 = u64::MAX;
