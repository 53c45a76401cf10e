// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Access categories: IEEE 802.11-2020 10.23.2 (EDCA), table 9-155 (its constants); RFC 8325 4.3 (which
//! category a DSCP has).
//!
//! What it does not do: no admission control, no lifetimes, no TSPEC; one TID for each category.

use airtab_core::time::MS;

use super::config::Edca;

/// An access category; the greater one goes first where two of one sender are due at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Background.
    Background,
    /// Best effort.
    #[default]
    BestEffort,
    /// Video.
    Video,
    /// Voice.
    Voice,
}

/// How a contender of a category gets at the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    /// Slots from SIFS to the first one that it counts.
    pub(super) aifsn: u64,
    /// Largest draws of the first and of any backoff, slots.
    pub(super) least: u32,
    pub(super) most: u32,
    /// How long it may go on once it has the channel, ns; 0: one exchange.
    pub(super) txop_ns: u64,
}

impl Category {
    /// All of them, by their numbers.
    pub const ALL: [Category; 4] =
        [Category::Background, Category::BestEffort, Category::Video, Category::Voice];

    /// Short names, by their numbers, as files have them.
    pub const NAMES: [&str; 4] = ["bk", "be", "vi", "vo"];

    /// That of a packet with this DSCP.
    pub fn of_dscp(dscp: u8) -> Category {
        match dscp {
            // CS7, CS6, EF, VOICE-ADMIT
            56 | 48 | 46 | 44 => Category::Voice,
            // CS5, AF4x and CS4, AF3x, CS3
            40 | 38 | 36 | 34 | 32 | 30 | 28 | 26 | 24 => Category::Video,
            // CS1, LE (RFC 8622)
            8 | 1 => Category::Background,
            _ => Category::BestEffort,
        }
    }

    /// A DSCP that has it: EF, AF41, CS0, CS1.
    pub fn dscp(self) -> u8 {
        [8, 0, 34, 46][self as usize]
    }

    /// Its constants; `down`: the access point's.
    pub(super) fn access(self, edca: Edca, txop: bool, down: bool) -> Access {
        let (aifsn, least, most, txop_ns) = match self {
            Category::Background => (7, 15, 1023, 0),
            Category::BestEffort if edca == Edca::Hostapd && down => (3, 15, 63, 0),
            Category::BestEffort => (3, 15, 1023, 0),
            Category::Video => (2, 7, 15, 3_008 * MS / 1000),
            Category::Voice => (2, 3, 7, 1_504 * MS / 1000),
        };
        // A station counts from DIFS at the earliest.
        let early = edca == Edca::Hostapd && down && self >= Category::Video;
        let aifsn = if early { 1 } else { aifsn };
        Access { aifsn, least, most, txop_ns: if txop { txop_ns } else { 0 } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_has_a_dscp_of_its_own() {
        for category in Category::ALL {
            assert_eq!(Category::of_dscp(category.dscp()), category);
        }
        let of = |category| (0..64).filter(|dscp| Category::of_dscp(*dscp) == category).count();
        assert_eq!(Category::ALL.map(of), [2, 49, 9, 4], "RFC 8325, table 1");
    }

    #[test]
    fn constants_are_the_standards() {
        let of = |category: Category, edca, down| {
            let access = category.access(edca, true, down);
            (access.aifsn, access.least, access.most, access.txop_ns / 1000)
        };
        let [bk, be, vi, vo] = Category::ALL;
        for down in [false, true] {
            assert_eq!(of(vo, Edca::Standard, down), (2, 3, 7, 1504));
            assert_eq!(of(vi, Edca::Standard, down), (2, 7, 15, 3008));
            assert_eq!(of(be, Edca::Standard, down), (3, 15, 1023, 0));
            assert_eq!(of(bk, Edca::Hostapd, down), (7, 15, 1023, 0));
        }
        assert_eq!(of(vo, Edca::Hostapd, true), (1, 3, 7, 1504));
        assert_eq!(of(vi, Edca::Hostapd, true), (1, 7, 15, 3008));
        assert_eq!(of(be, Edca::Hostapd, true), (3, 15, 63, 0));
        assert_eq!(of(be, Edca::Hostapd, false), (3, 15, 1023, 0));
        assert_eq!(of(vo, Edca::Hostapd, false), (2, 3, 7, 1504));
        assert_eq!(vo.access(Edca::Standard, false, true).txop_ns, 0);
    }
}
