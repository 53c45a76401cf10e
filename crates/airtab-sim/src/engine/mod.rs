//! Virtual time: an event queue and one random stream per entity.
//!
//! Times are integer nanoseconds since the start of the run.

mod events;
mod random;

pub use events::EventQueue;
pub use random::Stream;

/// Later than any event.
pub const NEVER: u64 = u64::MAX;
