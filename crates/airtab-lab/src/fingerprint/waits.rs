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

#[cfg(test)]
mod tests {
    use super::*;

    const MAC: [u8; 6] = [2; 6];

    fn access(end_ns: u64, answer_ns: u64) -> Access {
        let sender = Sender { mac: MAC, queue: Queue::Plain };
        Access { sender, from_ap: false, end_ns, answer_ns, retry: false, sequence: 0, aggregate: false }
    }

    fn exchange(accesses: &[Access], end_ns: u64, answered: bool, collided: bool) -> Exchange {
        Exchange { start_ns: 0, end_ns, accesses: accesses.to_vec(), answered, collided }
    }

    /// IEEE 802.11-2020 table 9-155: AIFSN 7, 3, 2, 2 beside the two slots of DIFS, an access point's video and voice 1.
    #[test]
    fn each_category_has_its_wait_and_its_windows() {
        use Category::{Background, BestEffort, Video, Voice};
        for (profile, least) in [("std-11b", 32), ("std-11n", 16)] {
            let phy = Phy::named(profile).unwrap();
            for (queue, offset, of_ap, window, most) in [
                (Queue::Plain, 0, 0, least, 1024),
                (Queue::Management, 0, 0, least, 1024),
                (Queue::Category(Background), 5, 5, least, 1024),
                (Queue::Category(BestEffort), 1, 1, least, 1024),
                (Queue::Category(Video), 0, -1, least / 2, least),
                (Queue::Category(Voice), 0, -1, least / 4, least / 2),
            ] {
                for (from_ap, offset) in [(false, offset), (true, of_ap)] {
                    let due = Due::new(&phy, &Sender { mac: MAC, queue }, from_ap);
                    assert_eq!(due, Due { offset, window, most }, "{profile} {queue:?} {from_ap}");
                }
            }
        }
    }

    /// 802.11b: DIFS 50 us, slots of 20 us, EIFS 10 + 304 + 50 us.
    #[test]
    fn who_counts_from_when_on() {
        let phy = Phy::named("std-11b").unwrap();
        let [with, without] = [true, false].map(|eifs| Waits::new(&phy, eifs));
        assert_eq!((with.slot_ns, with.eifs_slots()), (20_000, 15), "314 us beyond DIFS");
        let two = [access(900_000, 258_000), access(1_000_000, 7_000)];
        let one = &two[..1];
        for (exchange, bystander, own) in [
            (exchange(one, 1_158_000, true, false), 1_208_000, 1_208_000),
            // No answer came: all wait for as long as it would have taken.
            (exchange(one, 900_000, false, false), 1_208_000, 1_208_000),
            (exchange(&[], 700_000, false, false), 750_000, 1_208_000),
            // The other one's frame is the longer; with EIFS for those who did not send.
            (exchange(&two, 1_500_000, false, true), 1_864_000, 1_550_000),
        ] {
            assert_eq!(with.bystander_ns(&exchange), bystander, "{exchange:?}");
            assert_eq!(with.own_ns(&exchange, &two[0]), own, "{exchange:?}");
        }
        let collision = exchange(&two, 1_000_000, false, true);
        assert_eq!((with.bystander_ns(&collision), without.bystander_ns(&collision)), (1_364_000, 1_050_000));
        assert_eq!([0, 1].map(|i| with.own_ns(&collision, &two[i])), [1_208_000, 1_057_000]);
    }

    #[test]
    fn slots_are_rounded_to_the_nearest() {
        let waits = Waits::new(&Phy::named("std-11b").unwrap(), true);
        let slots = |ns: i64, phase| waits.slots(1_000_000u64.saturating_add_signed(ns), 1_000_000, phase);
        for (ns, phase, expected) in [
            (0, 0, 0),
            (9_999, 0, 0),
            (10_000, 0, 1),
            (-10_000, 0, 0),
            (-10_001, 0, -1),
            (140_000, 0, 7),
            (149_000, 4_000, 7),
            (149_000, -4_000, 8),
        ] {
            assert_eq!(slots(ns, phase), expected, "{ns} ns, phase {phase}");
        }
    }
}
