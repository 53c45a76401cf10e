// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! EDCA parameters of best effort that an access point announces, by the number of stations that upload:
//! `airtab/announce.h`.

use crate::ffi;

/// Interval at the end of which a host counts stations, ns.
pub const ANNOUNCE_NS: u64 = 1_000_000_000;
/// TXOP limit at most while several stations upload, ns.
pub const ANNOUNCE_TXOP_NS: u64 = 1_024_000;
/// CWmin at least while several stations upload, slots.
pub const ANNOUNCE_CW_MIN: u32 = 31;

/// Packets that an access point received from a station in one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Bytes of its IP packets.
    pub bytes: u64,
    /// Number of its packets.
    pub packets: u64,
    /// PHY rate of its last frame, kb/s.
    pub kbps: u32,
}

/// Intervals for which a station still counts as one that uploads; 0: it does not count. `recent`: the same one interval
/// ago.
pub fn announce_recent(recent: u32, received: Received) -> u32 {
    let Received { bytes, packets, kbps } = received;
    // SAFETY: numbers alone.
    unsafe { ffi::at_announce_recent(recent, bytes, packets, kbps) }
}

/// True if [`ANNOUNCE_TXOP_NS`] and [`ANNOUNCE_CW_MIN`] are announced while `uploads` stations upload.
pub fn announce_bounds(uploads: u32) -> bool {
    // SAFETY: a number alone.
    unsafe { ffi::at_announce_bounds(uploads) }
}
