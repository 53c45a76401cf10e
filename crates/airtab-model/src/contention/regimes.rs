// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What many Reno flows of similar round-trip times do at a shared bottleneck that holds W packets, link and queue
//! together (Starzetz 2006, 7.1.1, after Qiu, Zhang and Keshav).
//!
//! What it does not do: no flow is simulated; borders are where the source draws them.

/// How N flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// W < N: some flows are shut off, new ones starve.
    Small,
    /// N <= W <= 3N: local synchronisation; fair in the long run, unfair in the short.
    Intermediate,
    /// W > 3N: windows move together, all recover by duplicate ACKs, the queue swings between full and half; fair.
    Large,
}

/// Windows that a flow needs to recover without a timeout.
const RECOVERY: u64 = 3;

/// Of `flows` flows in a pipe of `packets`.
pub fn regime(flows: u32, packets: u32) -> Regime {
    let (flows, packets) = (u64::from(flows), u64::from(packets));
    match packets {
        packets if packets < flows => Regime::Small,
        packets if packets > RECOVERY * flows => Regime::Large,
        _ => Regime::Intermediate,
    }
}
