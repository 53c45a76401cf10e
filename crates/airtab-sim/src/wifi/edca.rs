// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Access categories (EDCA): parameter sets, changes of single constants, and the category of a DSCP.
//!
//! Source: IEEE 802.11-2012 table 8-105 and IEEE 802.11-2020 table 9-155 (default parameters, OFDM), IEEE 802.11-2020
//! 10.23.2 (access); RFC 8325 4.3 (category of a DSCP); hostapd's sample configuration (`tx_queue`, `wmm_ac`).
//!
//! Limits: no admission control, no TSPEC; one TID for each category.

use airtab_core::time::MS;

use super::config::CellConfig;

/// Set of EDCA parameters of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edca {
    /// DCF: one contender for each sender.
    #[default]
    Off,
    /// Defaults of IEEE 802.11-2012 and of WMM, equal for access point and stations: TXOP of 1.504 ms for voice, 3.008 ms
    /// for video, one exchange for the others.
    Ieee2012,
    /// Defaults of IEEE 802.11-2016 and 2020: TXOP of 2.080 ms for voice, 4.096 ms for video, 2.528 ms for the others.
    Ieee2016,
    /// hostapd's defaults: those of WMM, and at the access point AIFSN 1 for voice and video and a largest window of 63
    /// for best effort.
    Hostapd,
}

impl Edca {
    /// The parameter sets, each by its name in files.
    pub const NAMES: [(&'static str, Edca); 4] = [
        ("off", Edca::Off),
        ("ieee2012", Edca::Ieee2012),
        ("ieee2016", Edca::Ieee2016),
        ("hostapd", Edca::Hostapd),
    ];
}

/// Constants of one access category that replace those of its parameter set; None: the set's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryChange {
    /// Slots from SIFS to the first one that the backoff counts, 1 to 15.
    pub aifsn: Option<u8>,
    /// Largest draw of the first backoff, slots; one less than a power of two.
    pub cw_min: Option<u16>,
    /// Largest draw of any backoff, slots; one less than a power of two, not below `cw_min`.
    pub cw_max: Option<u16>,
    /// Duration of a TXOP, ns; 0: one exchange.
    pub txop_ns: Option<u64>,
}

impl CategoryChange {
    /// Merges the constants with `other`, which has those that are missing.
    fn or(self, other: CategoryChange) -> CategoryChange {
        CategoryChange {
            aifsn: self.aifsn.or(other.aifsn),
            cw_min: self.cw_min.or(other.cw_min),
            cw_max: self.cw_max.or(other.cw_max),
            txop_ns: self.txop_ns.or(other.txop_ns),
        }
    }
}

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

    /// Category of a user priority that a discipline gives to a light flow; None: the packet's own.
    pub(super) fn of_light(up: u16) -> Option<Category> {
        match up {
            6 | 7 => Some(Category::Voice),
            4 | 5 => Some(Category::Video),
            _ => None,
        }
    }

    /// A DSCP that has it: EF, AF41, CS0, CS1.
    pub fn dscp(self) -> u8 {
        [8, 0, 34, 46][self as usize]
    }

    /// Constants of the category in a cell; `down`: at the access point.
    pub(super) fn access(self, cell: &CellConfig, down: bool) -> Access {
        let (edca, mut change) = (cell.edca, cell.categories[self as usize]);
        if !down {
            change = cell.announced[self as usize].or(change);
        }
        let (aifsn, least, most) = match self {
            Category::Background => (7, 15, 1023),
            Category::BestEffort if edca == Edca::Hostapd && down => (3, 15, 63),
            Category::BestEffort => (3, 15, 1023),
            Category::Video => (2, 7, 15),
            Category::Voice => (2, 3, 7),
        };
        // A station counts from DIFS at the earliest.
        let early = edca == Edca::Hostapd && down && self >= Category::Video;
        let txop_ns = match (self, edca) {
            (Category::Voice, Edca::Ieee2016) => 2_080 * MS / 1000,
            (Category::Voice, _) => 1_504 * MS / 1000,
            (Category::Video, Edca::Ieee2016) => 4_096 * MS / 1000,
            (Category::Video, _) => 3_008 * MS / 1000,
            (_, Edca::Ieee2016) => 2_528 * MS / 1000,
            _ => 0,
        };
        Access {
            aifsn: change.aifsn.map_or(if early { 1 } else { aifsn }, u64::from),
            least: change.cw_min.map_or(least, u32::from),
            most: change.cw_max.map_or(most, u32::from),
            txop_ns: if cell.txop { change.txop_ns.unwrap_or(txop_ns) } else { 0 },
        }
    }
}

impl CellConfig {
    /// Checks the changed constants of one category, those that are announced to stations included.
    ///
    /// # Errors
    /// A constant is outside its range, or needs a key that is missing.
    pub fn check_category(&self, category: Category) -> Result<(), String> {
        let all = [self.categories, self.announced].map(|of| of[category as usize]);
        all.iter().try_for_each(|change| self.check_change(category, change))
    }

    fn check_change(&self, category: Category, change: &CategoryChange) -> Result<(), String> {
        if *change == CategoryChange::default() {
            return Ok(());
        }
        if self.edca == Edca::Off {
            return Err(
                "only with access categories: edca = \"ieee2012\", \"ieee2016\" or \"hostapd\"".into()
            );
        }
        if change.txop_ns.is_some() && !self.txop {
            return Err("txop: each category has one exchange at a time with txop = false".into());
        }
        if change.aifsn.is_some_and(|aifsn| !(1..=15).contains(&aifsn)) {
            return Err("aifsn: 1 to 15 slots".into());
        }
        for (key, window) in [("cw_min", change.cw_min), ("cw_max", change.cw_max)] {
            if window.is_some_and(|w| w == 0 || !(u32::from(w) + 1).is_power_of_two()) {
                return Err(format!("{key}: one less than a power of two, 1 to 32767 slots"));
            }
        }
        let (down, up) = (category.access(self, true), category.access(self, false));
        match [down, up].into_iter().find(|own| own.least > own.most) {
            Some(own) => Err(format!("cw_min is {} and cw_max {}: give both", own.least, own.most)),
            None => Ok(()),
        }
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

    fn cell(edca: Edca) -> CellConfig {
        let phy = airtab_core::Phy::named("std-11n").expect("a profile of the core");
        CellConfig { edca, txop: true, ..CellConfig::new(phy) }
    }

    fn constants(cell: &CellConfig, category: Category, down: bool) -> (u64, u32, u32, u64) {
        let access = category.access(cell, down);
        (access.aifsn, access.least, access.most, access.txop_ns / 1000)
    }

    /// Tables 8-105 (2012) and 9-155 (2020) for OFDM, and hostapd.conf: AIFSN, CWmin, CWmax, TXOP in us of bk, be, vi, vo.
    #[test]
    fn parameter_sets_are_the_published_ones() {
        let old = [(7, 15, 1023, 0), (3, 15, 1023, 0), (2, 7, 15, 3008), (2, 3, 7, 1504)];
        let new = [(7, 15, 1023, 2528), (3, 15, 1023, 2528), (2, 7, 15, 4096), (2, 3, 7, 2080)];
        let hostapd = [(7, 15, 1023, 0), (3, 15, 63, 0), (1, 7, 15, 3008), (1, 3, 7, 1504)];
        for (edca, up, down) in
            [(Edca::Ieee2012, old, old), (Edca::Ieee2016, new, new), (Edca::Hostapd, old, hostapd)]
        {
            let cell = cell(edca);
            for (side, expected) in [(false, up), (true, down)] {
                assert_eq!(Category::ALL.map(|own| constants(&cell, own, side)), expected, "{edca:?} {side}");
            }
        }
        let single = CellConfig { txop: false, ..cell(Edca::Ieee2016) };
        assert_eq!(Category::ALL.map(|own| constants(&single, own, true).3), [0; 4]);
    }

    /// An announced constant is the stations' alone, and goes before a change of both sides.
    #[test]
    fn announced_constants_are_the_stations() {
        let mut config = cell(Edca::Hostapd);
        let best_effort = Category::BestEffort as usize;
        config.categories[best_effort] =
            CategoryChange { cw_min: Some(7), txop_ns: Some(2_000_000), ..CategoryChange::default() };
        config.announced[best_effort] =
            CategoryChange { aifsn: Some(5), txop_ns: Some(1_024_000), ..CategoryChange::default() };
        assert_eq!(constants(&config, Category::BestEffort, true), (3, 7, 63, 2000));
        assert_eq!(constants(&config, Category::BestEffort, false), (5, 7, 1023, 1024));
        assert_eq!(constants(&config, Category::Video, false), (2, 7, 15, 3008));
        assert_eq!(config.check(), Ok(()));
        config.announced[best_effort].cw_min = Some(31);
        config.categories[best_effort].cw_max = Some(15);
        assert_eq!(config.check().unwrap_err(), "category be: cw_min is 31 and cw_max 15: give both");
    }

    /// A change is of its category and constant alone, on both sides.
    #[test]
    fn one_constant_of_one_category_changes() {
        let plain = cell(Edca::Hostapd);
        let with = |change: CategoryChange| {
            let mut changed = plain.clone();
            changed.categories[Category::Voice as usize] = change;
            changed
        };
        let none = CategoryChange::default();
        for (change, up, down) in [
            (CategoryChange { aifsn: Some(9), ..none }, (9, 3, 7, 1504), (9, 3, 7, 1504)),
            (CategoryChange { cw_min: Some(1), ..none }, (2, 1, 7, 1504), (1, 1, 7, 1504)),
            (CategoryChange { cw_max: Some(63), ..none }, (2, 3, 63, 1504), (1, 3, 63, 1504)),
            (CategoryChange { txop_ns: Some(0), ..none }, (2, 3, 7, 0), (1, 3, 7, 0)),
        ] {
            let changed = with(change);
            assert_eq!(constants(&changed, Category::Voice, false), up);
            assert_eq!(constants(&changed, Category::Voice, true), down);
            let others = |cell: &CellConfig| [0, 1, 2].map(|i| constants(cell, Category::ALL[i], true));
            assert_eq!(others(&changed), others(&plain), "{change:?}");
            assert_eq!(changed.check(), Ok(()));
        }
        let wrong = |change| with(change).check().unwrap_err();
        let told = wrong(CategoryChange { cw_min: Some(15), ..none });
        assert_eq!(told, "category vo: cw_min is 15 and cw_max 7: give both");
        let told = wrong(CategoryChange { cw_max: Some(20), ..none });
        assert_eq!(told, "category vo: cw_max: one less than a power of two, 1 to 32767 slots");
        assert_eq!(wrong(CategoryChange { aifsn: Some(0), ..none }), "category vo: aifsn: 1 to 15 slots");
        let change = CategoryChange { txop_ns: Some(1), ..none };
        let single = CellConfig { txop: false, ..with(change) };
        assert!(single.check().unwrap_err().contains("txop = false"));
        let off =
            CellConfig { edca: Edca::Off, txop: false, ..with(CategoryChange { aifsn: Some(4), ..none }) };
        assert!(off.check().unwrap_err().starts_with("category vo: only with access categories"));
        let bianchi = CellConfig { backoff: crate::wifi::Backoff::Bianchi, ..plain.clone() };
        assert!(bianchi.check().unwrap_err().starts_with("backoff: "));
    }
}
