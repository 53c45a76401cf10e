// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What an application's packets met on their way, as a snapshot shows it.
//!
//! What it does not do: nothing is measured here (`access_point`), nor judged (`blame`).

use serde::{Deserialize, Serialize};

/// Something for each part of a packet's way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts<T> {
    /// Wired links, their queues included.
    pub wires: T,
    /// The queue before the air: down the access point's, up the station's own.
    pub queue: T,
    /// Contention, attempts and backoffs.
    pub channel: T,
}

/// What packets of an application met one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PathView {
    /// Packets that arrived.
    pub arrived: u64,
    /// Their mean times, s; 0 where none arrived.
    pub mean_s: Parts<f64>,
    /// Times of the quickest of them, s.
    pub least_s: Parts<f64>,
    /// Mean time in the driver's ring, s, a part of the channel's; 0 where the cell has none.
    #[serde(default)]
    pub ring_s: f64,
    /// Packets that were lost.
    pub lost: Parts<u64>,
}

impl PathView {
    /// Of its time between the queue and reception, the driver's ring.
    pub fn ring_share(&self) -> f64 {
        if self.mean_s.channel > 0.0 { (self.ring_s / self.mean_s.channel).min(1.0) } else { 0.0 }
    }

    /// Packets that were lost anywhere.
    pub fn lost(&self) -> u64 {
        self.lost.wires + self.lost.queue + self.lost.channel
    }
}
