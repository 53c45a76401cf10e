// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! From when on each counts idle slots after an exchange: IEEE 802.11-2020 10.3.2.3 and 10.3.4.3, by DIFS.
//!
//! Who waits longer or shorter than DIFS counts as many slots less or more: that is the sender's *offset*.
//!
//! What it does not do: a frame that some station received in error is not known to be one: those who did not
//! send wait EIFS after a collision that the capture shows, and else what the frame reserved.

use airtab_core::Phy;
use airtab_sim::wifi::Category;

use super::exchange::{Access, Exchange, Queue, Sender};

/// The waits of a PHY.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    pub(super) slot_ns: u64,
    difs_ns: u64,
    eifs_ns: u64,
    /// Whether those who heard a collision wait EIFS.
    pub(super) eifs: bool,
}

impl Waits {
    pub(super) fn new(phy: &Phy, eifs: bool) -> Waits {
        Waits { slot_ns: phy.slot_ns(), difs_ns: phy.difs_ns(), eifs_ns: phy.eifs_ns(), eifs }
    }

    /// Slots of EIFS beyond DIFS.
    pub(super) fn eifs_slots(&self) -> u64 {
        self.eifs_ns.saturating_sub(self.difs_ns) / self.slot_ns
    }

    /// When who did not send in it begins to count.
    pub(super) fn bystander_ns(&self, exchange: &Exchange) -> u64 {
        if exchange.collided {
            return exchange.end_ns + if self.eifs { self.eifs_ns } else { self.difs_ns };
        }
        let reserved = exchange.accesses.first().filter(|_| !exchange.answered).map_or(0, |a| a.answer_ns);
        exchange.end_ns + reserved + self.difs_ns
    }

    /// When one of those who sent in it does.
    pub(super) fn own_ns(&self, exchange: &Exchange, access: &Access) -> u64 {
        let waited = if exchange.answered { 0 } else { access.answer_ns };
        (access.end_ns + waited).max(exchange.end_ns) + self.difs_ns
    }

    /// Idle slots from then to `start_ns`, before the first one negative.
    pub(super) fn slots(&self, start_ns: u64, from_ns: u64, phase: i64) -> i64 {
        let ns = start_ns as i64 - from_ns as i64 - phase;
        (ns + self.slot_ns as i64 / 2).div_euclid(self.slot_ns as i64)
    }
}

/// What the standard gives a sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Due {
    /// Its interframe space less DIFS, slots.
    pub(super) offset: i64,
    /// Slots of the first and of the largest window.
    pub(super) window: u32,
    pub(super) most: u32,
}

impl Due {
    /// IEEE 802.11-2020 10.3.2.3 (DCF) and table 9-155 (EDCA); `from_ap`: an access point's voice and video
    /// may begin a slot earlier (10.23.2.4).
    pub(super) fn new(phy: &Phy, sender: &Sender, from_ap: bool) -> Due {
        let (least, most) = (phy.cw_min() + 1, phy.cw_max() + 1);
        let (offset, window, most) = match sender.queue {
            Queue::Plain | Queue::Management => (0, least, most),
            Queue::Category(Category::Background) => (5, least, most),
            Queue::Category(Category::BestEffort) => (1, least, most),
            Queue::Category(Category::Video) => (-i64::from(from_ap), least / 2, least),
            Queue::Category(Category::Voice) => (-i64::from(from_ap), least / 4, least / 2),
        };
        Due { offset, window: window.clamp(2, 256), most: most.max(2) }
    }
}
