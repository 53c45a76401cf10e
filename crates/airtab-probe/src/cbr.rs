// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! CBR: UDP at a constant rate, measured where it arrives (Starzetz 6.3.1).
//!
//! | module | what |
//! |---|---|
//! | [`payload`] | the header in each packet |
//! | [`sender`] | when to send what; steps of a sweep; what echoes say |
//! | [`rtt`] | PINGs that wait for their echo |
//! | [`receiver`] | what arrives, and the echoes |
//! | [`listener`] | the loop that takes in what arrives, with the kernel's time stamps if asked for |
//! | [`socket`] | the loop that sends |
//!
//! What it does not do: no congestion control. It sends what it is told to, whatever that does to the network.

pub mod listener;
pub mod payload;
pub mod receiver;
pub mod rtt;
pub mod sender;
pub mod socket;

use std::net::SocketAddr;

/// Bytes of IP and UDP header of a packet to or from `address`.
pub const fn header_bytes(address: &SocketAddr) -> u64 {
    match address {
        SocketAddr::V4(_) => 28,
        SocketAddr::V6(_) => 48,
    }
}

/// The largest UDP payload to or from `address`, bytes.
pub const fn max_payload_bytes(address: &SocketAddr) -> usize {
    match address {
        SocketAddr::V4(_) => 65_507,
        SocketAddr::V6(_) => 65_527,
    }
}

/// Rate of `bytes` in `elapsed_ns`, b/s; 0 in no time.
pub(crate) fn rate_bps(bytes: u64, elapsed_ns: u64) -> u64 {
    let bits = u128::from(bytes) * 8_000_000_000;
    bits.checked_div(elapsed_ns.into()).map_or(0, |rate| rate.try_into().unwrap_or(u64::MAX))
}

/// The sequence number below or at `newest` whose lower half is `wire`, if that many were sent.
pub(crate) fn unwrap_seq(wire: u32, newest: u64) -> Option<u64> {
    newest.checked_sub((newest as u32).wrapping_sub(wire).into())
}
