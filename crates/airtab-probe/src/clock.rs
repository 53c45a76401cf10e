// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The two clocks of a measurement, and waiting on sockets.
//!
//! Durations come from the monotonic clock; stamps that travel to another machine come from the system
//! clock, which is the only one that two machines can share.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, Timespec, poll};
use rustix::time::{ClockId, clock_gettime};

/// The longest that a loop sleeps before it looks at its stop flag again, ns.
pub(crate) const LOOK_NS: u64 = 100_000_000;

/// Monotonic time since an arbitrary origin, ns; all processes of a machine share the origin.
pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// System time since 1970, ns.
pub fn system_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64)
}

/// Waits until one of `fds` is ready, `timeout_ns` have passed, or a signal came.
pub(crate) fn wait(fds: &mut [PollFd<'_>], timeout_ns: u64) -> std::io::Result<()> {
    let timeout =
        Timespec { tv_sec: (timeout_ns / 1_000_000_000) as i64, tv_nsec: (timeout_ns % 1_000_000_000) as _ };
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}
