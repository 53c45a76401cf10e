// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Whether a frame fits into the TXOP of its access category: IEEE 802.11-2020 10.23.2.9.
//!
//! A single packet may exceed the TXOP in three cases: under a block ACK agreement, at a lower rate of its rate control,
//! and when it is retransmitted.
//!
//! Limits: `phy` and `cell` choose the frames of a TXOP.

use airtab_core::{Format, Rate};

use super::aggregate::Length;
use super::config::{CellConfig, Loss};
use super::edca::Category;
use super::phy::Radios;

impl CellConfig {
    /// Duration of a single packet of `ip_bytes` with its ACK at this rate, and the TXOP of its category, ns, if the packet
    /// exceeds the TXOP and must not. The shorter TXOP of access point and stations counts. Rates in Mb/s have no categories.
    pub fn beyond_txop(&self, category: Category, rate: Rate, ip_bytes: u32) -> Option<(u64, u64)> {
        let both = [true, false].map(|down| category.access(self, down).txop_ns);
        let txop_ns = both.into_iter().filter(|ns| *ns > 0).min().unwrap_or(0);
        let agreement = self.aggregation.is_some_and(|a| a.frames > 1 || a.amsdu_bytes > 0);
        if txop_ns == 0 || agreement || rate.format() == Format::Legacy {
            return None;
        }
        let radios = Radios::new(self, &[("", rate.into(), Loss::None)], 0);
        let length = Length::equal(1, ip_bytes + self.phy.mac_bytes());
        let frame_ns = radios.aggregate(0, &rate, &length, ip_bytes).known_ns();
        (frame_ns > txop_ns).then_some((frame_ns, txop_ns))
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::{Phy, RateSpec};

    use super::super::config::Aggregation;
    use super::super::edca::Edca;
    use super::*;

    fn cell(edca: Edca, txop: bool) -> CellConfig {
        let phy = Phy::named("std-11n").expect("a profile of the core");
        CellConfig { edca, txop, ..CellConfig::new(phy) }
    }

    fn rate(cell: &CellConfig, mcs: u8) -> Rate {
        cell.phy.rate(&RateSpec { mcs, ..RateSpec::default() }).expect("a rate of it")
    }

    /// HT20 MCS 0: 36 us of preamble, 26 bits a symbol of 4 us, 16 and 6 bits and 38 bytes around a packet; SIFS and an
    /// ACK of 14 bytes at 6 Mb/s: 16 + 44 us.
    #[test]
    fn a_frame_is_as_long_as_by_hand() {
        let cell = cell(Edca::Ieee2012, true);
        let ns = |bytes: u64| 1000 * (36 + 4 * (8 * (bytes + 38) + 22).div_ceil(26) + 60);
        let slow = rate(&cell, 0);
        assert_eq!(cell.beyond_txop(Category::Voice, slow, 1500), Some((ns(1500), 1_504_000)));
        assert_eq!(ns(1500), 1_996_000);
        // The longest that fits: 352 symbols.
        let longest = (352 * 26 - 22) / 8 - 38;
        assert_eq!((ns(u64::from(longest)), ns(u64::from(longest) + 1)), (1_504_000, 1_508_000));
        assert_eq!(cell.beyond_txop(Category::Voice, slow, longest), None);
        assert_eq!(cell.beyond_txop(Category::Voice, slow, longest + 1), Some((1_508_000, 1_504_000)));
        assert_eq!(cell.beyond_txop(Category::Video, slow, 1500), None, "its TXOP is 3008 us");
        assert_eq!(cell.beyond_txop(Category::BestEffort, slow, 2304), None, "it has no TXOP");
        assert_eq!(cell.beyond_txop(Category::Voice, rate(&cell, 1), 1500), None);
    }

    /// 10.23.2.9: the first transmission of an MSDU that is neither in an aggregate nor in an A-MSDU.
    #[test]
    fn a_lone_packet_of_an_agreement_may_be_longer() {
        let aggregation = |frames, amsdu_bytes| {
            let (bytes, time_ns, window, bar) = (65_535, 4_000_000, 64, false);
            Some(Aggregation { frames, bytes, time_ns, window, amsdu_bytes, bar })
        };
        for (frames, amsdu_bytes, refused) in [(64, 0, false), (1, 3839, false), (1, 0, true)] {
            let cell =
                CellConfig { aggregation: aggregation(frames, amsdu_bytes), ..cell(Edca::Ieee2012, true) };
            let beyond = cell.beyond_txop(Category::Voice, rate(&cell, 0), 1500);
            assert_eq!(beyond.is_some(), refused, "{frames} MPDUs, A-MSDUs of {amsdu_bytes}");
        }
    }

    /// RTS, SIFS, CTS and SIFS more: 52 + 16 + 44 + 16 us.
    #[test]
    fn an_rts_counts() {
        let cell = CellConfig { rts_bytes: Some(0), ..cell(Edca::Ieee2012, true) };
        let longest = ((352 - 32) * 26 - 22) / 8 - 38;
        let slow = rate(&cell, 0);
        assert_eq!(cell.beyond_txop(Category::Voice, slow, longest), None);
        assert_eq!(cell.beyond_txop(Category::Voice, slow, longest + 1), Some((1_508_000, 1_504_000)));
    }

    #[test]
    fn without_a_txop_all_fits() {
        for (edca, txop) in [(Edca::Ieee2012, false), (Edca::Off, false)] {
            let cell = cell(edca, txop);
            assert_eq!(cell.beyond_txop(Category::Voice, rate(&cell, 0), 2304), None);
        }
        let legacy = cell(Edca::Ieee2012, true).beyond_txop(Category::Voice, Rate::legacy(1_000), 2304);
        assert_eq!(legacy, None, "rates in Mb/s have no categories");
    }
}
