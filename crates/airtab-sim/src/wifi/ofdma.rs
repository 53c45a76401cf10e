// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! OFDMA down: a channel in equal resource units, one for each of several stations, in one PPDU (HE MU); and
//! the BLOCK ACKs that they send at once, each on its unit (HE TB).
//!
//! Sources: IEEE Std 802.11ax-2021 27.3.2.2 (resource units), 27.3.4 (PPDU formats), 27.3.11.8 (HE-SIG-B:
//! common field, user blocks, content channels), 26.4.4.3 (answers that are triggered within the aggregates).
//!
//! What it does not do: no unequal units, no unit of two users (MU-MIMO), no puncturing, no packet extension; the bytes of
//! the trigger within an aggregate are not counted. Who goes together is the cell's (`cell/ofdma`).

use airtab_core::{Control, Format, Phy, Rate, RateSpec, ampdu_bytes};

use super::aggregate::Bounds;
use super::config::Aggregation;
use super::phy::answer_kbps;

/// Stations that may be in one PPDU, the most first.
pub(super) const USERS: [u8; 4] = [16, 8, 4, 2];

/// Of HE-SIG-B, at MCS 0: data bits of a symbol, and how long it lasts, ns.
const SIG_B_BITS: u64 = 26;
const SIG_B_NS: u64 = 4_000;
/// What HE-STF of an HE TB PPDU is longer than of others, ns.
const TRIGGERED_NS: u64 = 4_000;

/// A channel in equal resource units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Division {
    pub(super) users: u8,
    width: u16,
    gi: u16,
    tones: u16,
}

impl Division {
    /// Units for so many stations, as wide together as `rate` and of its guard interval; None: there are
    /// none, or it is no rate of a whole channel of HE.
    pub(super) fn new(rate: &Rate, users: u8) -> Option<Division> {
        if rate.format() != Format::He || rate.ru() > 0 {
            return None;
        }
        // 5 MHz have 52 tones.
        let tones = match 10 * rate.width_mhz() / u16::from(users) {
            800 => 996,
            400 => 484,
            200 => 242,
            100 => 106,
            50 => 52,
            25 => 26,
            _ => return None,
        };
        Some(Division { users, width: rate.width_mhz(), gi: rate.gi_ns(), tones })
    }

    /// Whether a station of this rate can be on one of them.
    pub(super) fn suits(&self, rate: &Rate) -> bool {
        let own = (rate.format(), rate.ru(), rate.width_mhz(), rate.gi_ns());
        own == (Format::He, 0, self.width, self.gi)
    }

    /// MCS and streams of a rate on one of them.
    pub(super) fn unit(&self, phy: &Phy, rate: &Rate) -> Rate {
        self.at(phy, rate.mcs(), rate.streams(), self.gi)
    }

    fn at(&self, phy: &Phy, mcs: u8, streams: u8, gi: u16) -> Rate {
        let spec = RateSpec {
            format: Some(Format::He),
            mcs,
            streams: Some(streams),
            width: Some(self.width),
            gi: Some(gi),
            ru: Some(self.tones),
        };
        phy.rate(&spec).expect("HE has every MCS with all streams on every unit of a width")
    }

    /// HE-SIG-B, ns. A user has 21 bits, two of them a block with 10 of check and tail; from 40 MHz on there are two
    /// content channels, and each has half of the users.
    fn sig_b_ns(&self) -> u64 {
        let (width, users) = (u64::from(self.width), u64::from(self.users));
        let units = 8 * (width / 40).max(1) + u64::from(width >= 80);
        let own = if width == 20 { users } else { users.div_ceil(2) };
        let bits = units + 10 + 21 * own + 10 * own.div_ceil(2);
        bits.div_ceil(SIG_B_BITS) * SIG_B_NS
    }

    /// What the PPDU takes beside its symbols if this unit has the most streams, ns.
    pub(super) fn preamble_ns(&self, phy: &Phy, unit: &Rate) -> u64 {
        phy.preamble_ns(unit) + self.sig_b_ns()
    }

    /// How long the PPDU takes for what is on one unit, ns. `preamble_ns`: of the PPDU.
    pub(super) fn ppdu_ns(&self, phy: &Phy, unit: &Rate, psdu: u32, preamble_ns: u64) -> u64 {
        phy.ppdu_ns(unit, psdu) + preamble_ns - phy.preamble_ns(unit)
    }

    /// What an aggregate on a unit may be. `preamble_ns`: of the PPDU; `answer_ns`: SIFS and BLOCK ACKs;
    /// `txop_ns`: how long all may take, 0: any time.
    pub(super) fn bounds(
        &self,
        phy: &Phy,
        aggregation: &Aggregation,
        unit: &Rate,
        [preamble_ns, answer_ns]: [u64; 2],
        txop_ns: u64,
    ) -> Bounds {
        let txop_ns = if txop_ns == 0 { u64::MAX } else { txop_ns.saturating_sub(answer_ns) };
        let longer_ns = preamble_ns - phy.preamble_ns(unit);
        let own_ns = txop_ns.min(aggregation.time_ns.into()).saturating_sub(longer_ns);
        Bounds {
            frames: aggregation.frames.into(),
            psdu: phy.psdu_within(unit, own_ns as u32).min(aggregation.bytes),
            amsdu: aggregation.amsdu_bytes,
            ..Bounds::single(phy.mac_bytes())
        }
    }

    /// The rate of a BLOCK ACK to what is on a unit: one stream, MCS 0, 1 or 3, which have modulation and code of 6, 12 and
    /// 24 Mb/s; of an HE TB PPDU a guard interval is 1.6 or 3.2 us.
    pub(super) fn answer(&self, phy: &Phy, unit: &Rate) -> Rate {
        let mcs = match answer_kbps(phy, unit) {
            6_000 => 0,
            12_000 => 1,
            _ => 3,
        };
        self.at(phy, mcs, 1, self.gi.max(1600))
    }

    /// SIFS and that BLOCK ACK, ns.
    pub(super) fn answer_ns(&self, phy: &Phy, unit: &Rate, window: u16) -> u64 {
        let bytes = ampdu_bytes(1, Control::BlockAck(window).bytes());
        phy.sifs_ns() + phy.ppdu_ns(&self.answer(phy, unit), bytes) + TRIGGERED_NS
    }
}

/// What one of several pays of what they take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// They pay alike.
    of: u32,
    /// It has the remainder.
    last: bool,
}

impl Share {
    /// Who is alone pays all.
    pub(super) const ALL: Share = Share { of: 1, last: true };

    /// That of the one with this number, from 0 on.
    pub(super) fn new(number: usize, of: usize) -> Share {
        Share { of: of as u32, last: number + 1 == of }
    }

    /// Of so many ns.
    #[inline]
    pub(super) fn ns(&self, all: u64) -> u64 {
        if self.of == 1 {
            return all;
        }
        let one = all / u64::from(self.of);
        if self.last { all - one * u64::from(self.of - 1) } else { one }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(phy: &Phy, mcs: u8, width: u16, gi: u16) -> Rate {
        let spec = RateSpec { mcs, width: Some(width), gi: Some(gi), ..RateSpec::default() };
        phy.rate(&spec).expect("a rate of the profile")
    }

    fn ax() -> Phy {
        Phy::named("std-11ax").expect("a profile of the core")
    }

    /// Tones of 27.3.2.2, and HE-SIG-B counted out: bits of the common field, of the users, and symbols.
    #[test]
    fn units_and_sig_b_by_width() {
        for (width, users, tones, us) in [
            (20, 2, 106, 12), // 18 + 52 = 70: 3
            (20, 4, 52, 20),  // 18 + 2 52 = 122: 5
            (20, 8, 26, 36),  // 18 + 4 52 = 226: 9
            (40, 2, 242, 8),  // 18 + 31 = 49: 2
            (40, 4, 106, 12),
            (40, 8, 52, 20),
            (40, 16, 26, 36),
            (80, 2, 484, 12),   // 27 + 31 = 58: 3
            (80, 4, 242, 16),   // 27 + 52 = 79: 4
            (80, 8, 106, 24),   // 27 + 2 52 = 131: 6
            (80, 16, 52, 40),   // 27 + 4 52 = 235: 10
            (160, 2, 996, 12),  // 43 + 31 = 74: 3
            (160, 4, 484, 16),  // 43 + 52 = 95: 4
            (160, 8, 242, 24),  // 43 + 2 52 = 147: 6
            (160, 16, 106, 40), // 43 + 4 52 = 251: 10
        ] {
            let division = Division::new(&rate(&ax(), 11, width, 800), users).expect("units");
            assert_eq!((division.tones, division.sig_b_ns()), (tones, us * 1000), "{width} MHz, {users}");
        }
        assert_eq!(Division::new(&rate(&ax(), 11, 20, 800), 16), None, "no units of 13 tones");
        assert_eq!(Division::new(&Rate::legacy(54_000), 2), None);
    }

    /// A BLOCK ACK of 60 bytes in an aggregate of its own, 496 bits: symbols of 14.4 or 16 us behind 48 or 56.
    #[test]
    fn answers_on_units() {
        let phy = ax();
        for (mcs, users, gi, answer_mcs, ns) in [
            (11, 2, 800, 3, 48_000 + 14_400),      // 936 bits a symbol
            (11, 4, 800, 3, 48_000 + 2 * 14_400),  // 468
            (11, 8, 800, 3, 48_000 + 3 * 14_400),  // 204
            (11, 16, 800, 3, 48_000 + 6 * 14_400), // 96
            (3, 16, 1600, 3, 48_000 + 6 * 14_400),
            (2, 16, 800, 1, 48_000 + 11 * 14_400), // 48
            (1, 16, 3200, 1, 56_000 + 11 * 16_000),
            (0, 16, 3200, 0, 56_000 + 21 * 16_000), // 24
        ] {
            let rate = rate(&phy, mcs, 80, gi);
            let division = Division::new(&rate, users).expect("units");
            let unit = division.unit(&phy, &rate);
            assert_eq!(division.answer(&phy, &unit).mcs(), answer_mcs);
            assert_eq!(division.answer_ns(&phy, &unit, 256), 16_000 + ns, "MCS {mcs}, {users}, {gi} ns");
        }
    }

    #[test]
    fn shares_sum_to_the_whole() {
        for of in 1..=16 {
            for ns in [0, 1, 15, 1_000_003, 5_499_999] {
                let shares: Vec<u64> = (0..of).map(|i| Share::new(i, of).ns(ns)).collect();
                assert_eq!(shares.iter().sum::<u64>(), ns);
                assert!(shares.iter().all(|share| share.abs_diff(ns / of as u64) < of as u64));
            }
        }
    }
}
