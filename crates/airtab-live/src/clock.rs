// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The one clock of a house: the kernel's monotonic clock, from the start of
//! the access point. Every thread of the house reads the same, so delays
//! between two namespaces are exact.

use std::time::Instant;

/// Time since the start of a house.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts now.
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    /// Time since the start, ns.
    pub fn now(self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}
