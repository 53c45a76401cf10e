//! The radio link of one station: how long its frames take, which are lost.

use airtab_core::Phy;

use super::config::Loss;
use crate::engine::Stream;

/// Longest packet whose duration is looked up instead of computed.
const TABLE: u32 = 2304;

/// Durations at one PHY rate.
pub(super) struct Rate {
    phy: Phy,
    kbps: u32,
    data_ns: Vec<u32>,
    /// SIFS and ACK, ns: also how long a sender waits for the ACK.
    pub(super) ack_ns: u64,
}

impl Rate {
    pub(super) fn new(phy: Phy, kbps: u32) -> Rate {
        let data_ns = (0..=TABLE)
            .map(|bytes| u32::try_from(phy.data_ns(kbps, bytes)).expect("a frame lasts less than 4 s"))
            .collect();
        Rate { phy, kbps, data_ns, ack_ns: phy.sifs_ns() + phy.ack_ns(kbps) }
    }

    pub(super) fn kbps(&self) -> u32 {
        self.kbps
    }

    pub(super) fn data_ns(&self, ip_bytes: u32) -> u64 {
        match self.data_ns.get(ip_bytes as usize) {
            Some(&ns) => ns.into(),
            None => self.phy.data_ns(self.kbps, ip_bytes),
        }
    }
}

/// Losses between the access point and one station, both ways.
pub(super) struct Radio {
    /// Index of its rate.
    pub(super) rate: usize,
    error_rate: f64,
    draws: Stream,
}

impl Radio {
    pub(super) fn new(rate: usize, loss: Loss, draws: Stream) -> Radio {
        Radio { rate, error_rate: loss.frame_error_rate(), draws }
    }

    /// Draws whether one frame is lost.
    pub(super) fn loses(&mut self) -> bool {
        self.error_rate > 0.0 && self.draws.unit() < self.error_rate
    }
}
