// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! 802.11 exchange times: the core's named profiles, safely.

use crate::ffi;
use crate::params::text;

/// A named profile of 802.11 constants; all times come from it. See
/// `docs/airtime.md` for formulas and published vectors.
#[derive(Clone, Copy)]
pub struct Phy(pub(crate) ffi::Phy);

/// What is to differ from a profile; None: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhyChange {
    /// Slot time, ns.
    pub slot_ns: Option<u32>,
    /// SIFS, ns. DIFS is SIFS and two slots where either is given.
    pub sifs_ns: Option<u32>,
    /// Before every frame that is not a DSSS frame of an OFDM profile, ns.
    pub preamble_ns: Option<u32>,
    /// Largest draw of the first backoff, slots, of every station; one less than a power of two.
    pub cw_min: Option<u16>,
    /// Largest draw of any backoff, slots; one less than a power of two, not below `cw_min`.
    pub cw_max: Option<u16>,
    /// Rate of every ACK and, where rates are by MCS, of every control frame, kb/s, not 0.
    pub ack_kbps: Option<u32>,
    /// Rate of the ACK in EIFS, kb/s, not 0.
    pub eifs_kbps: Option<u32>,
    /// Whether frames are encrypted: CCMP adds 16 bytes to each MPDU.
    pub ccmp: bool,
}

/// With all that [`Phy::with`] changes: who tells scenarios apart by their text has to see it.
impl std::fmt::Debug for Phy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let &ffi::Phy { slot, sifs, difs, preamble, mac_bytes, cw_min, cw_max, .. } = &self.0;
        let &ffi::Phy { dsss_cw_min, ack_only_kbps, eifs_kbps, .. } = &self.0;
        write!(f, "Phy({}, {slot} {sifs} {difs} {preamble} ns, {mac_bytes} bytes, ", self.name())?;
        write!(f, "{cw_min} {cw_max} {dsss_cw_min} slots, {ack_only_kbps} {eifs_kbps} kb/s)")
    }
}

impl Phy {
    /// Every profile, in table order.
    pub fn all() -> impl Iterator<Item = Phy> {
        let first = (&raw const ffi::at_phys).cast::<ffi::Phy>();
        (0..)
            // SAFETY: at_phys ends with an entry without a name; take_while stops there.
            .map(move |i| unsafe { *first.add(i) })
            .take_while(|phy| !phy.name.is_null())
            .map(Phy)
    }

    /// The profile of that name.
    pub fn named(name: &str) -> Option<Phy> {
        Phy::all().find(|phy| phy.name() == name)
    }

    /// The same with other constants. It keeps its name and number: what a discipline is told of
    /// its links is the profile.
    pub fn with(mut self, change: &PhyChange) -> Phy {
        let phy = &mut self.0;
        phy.slot = change.slot_ns.unwrap_or(phy.slot);
        phy.sifs = change.sifs_ns.unwrap_or(phy.sifs);
        if change.slot_ns.or(change.sifs_ns).is_some() {
            phy.difs = phy.sifs + 2 * phy.slot;
        }
        phy.preamble = change.preamble_ns.unwrap_or(phy.preamble);
        if let Some(cw_min) = change.cw_min {
            (phy.cw_min, phy.dsss_cw_min) = (cw_min, 0);
        }
        phy.cw_max = change.cw_max.unwrap_or(phy.cw_max);
        phy.dsss_cw_min = phy.dsss_cw_min.min(phy.cw_max);
        phy.ack_only_kbps = change.ack_kbps.unwrap_or(phy.ack_only_kbps);
        phy.eifs_kbps = change.eifs_kbps.unwrap_or(phy.eifs_kbps);
        phy.mac_bytes += if change.ccmp { ffi::CCMP_BYTES } else { 0 };
        self
    }

    /// Its place in the table, from 1: what [`Link::phy`](crate::Link) says.
    pub fn number(&self) -> u8 {
        let place = Phy::all().position(|phy| phy.name() == self.name());
        place.and_then(|i| u8::try_from(i + 1).ok()).expect("it is one of a short table")
    }

    /// Its name, such as `phy-a`.
    pub fn name(&self) -> &'static str {
        text(self.0.name)
    }

    /// One line about it.
    pub fn about(&self) -> &'static str {
        text(self.0.about)
    }

    /// Slot time, ns.
    pub fn slot_ns(&self) -> u64 {
        self.0.slot.into()
    }

    /// SIFS, ns.
    pub fn sifs_ns(&self) -> u64 {
        self.0.sifs.into()
    }

    /// DIFS, ns.
    pub fn difs_ns(&self) -> u64 {
        self.0.difs.into()
    }

    /// Largest draw of the first backoff, slots.
    pub fn cw_min(&self) -> u32 {
        self.0.cw_min.into()
    }

    /// The same of a station whose rate is that: one of DSSS alone may have another.
    pub fn cw_min_at(&self, kbps: u32) -> u32 {
        match self.0.dsss_cw_min {
            dsss @ 1.. if self.is_dsss(kbps) => dsss.into(),
            _ => self.cw_min(),
        }
    }

    /// Whether a frame at that rate is a DSSS frame of an OFDM profile.
    pub fn is_dsss(&self, kbps: u32) -> bool {
        // SAFETY: the profile is valid for the call.
        unsafe { ffi::at_is_dsss(&self.0, kbps) }
    }

    /// Largest draw of any backoff, slots.
    pub fn cw_max(&self) -> u32 {
        self.0.cw_max.into()
    }

    /// Lowest rate of the profile, kb/s: beacons and multicast use it.
    pub fn base_kbps(&self) -> u32 {
        self.0.base_kbps
    }

    /// Bytes that MAC, LLC and FCS add to an IP packet.
    pub fn mac_bytes(&self) -> u32 {
        self.0.mac_bytes.into()
    }

    /// One DATA frame carrying `ip_bytes` at `kbps`, ns. `kbps` must not be 0.
    pub fn data_ns(&self, kbps: u32, ip_bytes: u32) -> u64 {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        // SAFETY: the profile is valid for the call and kbps is not 0.
        unsafe { ffi::at_data_ns(&self.0, kbps, ip_bytes, 1) }
    }

    /// The ACK that answers data sent at `kbps`, ns. `kbps` must not be 0.
    pub fn ack_ns(&self, kbps: u32) -> u64 {
        assert!(kbps > 0, "a PHY rate of 0 sends nothing");
        // SAFETY: the profile is valid for the call and kbps is not 0.
        unsafe { ffi::at_ack_ns(&self.0, kbps) }
    }

    /// The wait after a frame received in error, ns.
    pub fn eifs_ns(&self) -> u64 {
        // SAFETY: the profile is valid for the call.
        unsafe { ffi::at_eifs_ns(&self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_cost_of_a_full_packet() {
        let phy = Phy::named("phy-a").unwrap();
        let cost = phy.data_ns(54_000, 1500) + phy.sifs_ns() + phy.ack_ns(54_000);
        assert_eq!((cost + 5) / 10, 28_193, "281.93 us");
        assert!(Phy::named("nonesuch").is_none());
    }

    /// What `docs/airtime.md` says of each profile: slot, SIFS, DIFS, us; largest draws, slots;
    /// lowest rate, kb/s; MAC bytes.
    #[test]
    fn every_profile_is_the_pages() {
        let page = [
            ("phy-a", [9, 10, 28], [15, 1023], 6_000, 34),
            ("std-11g", [9, 10, 28], [15, 1023], 6_000, 36),
            ("std-11a", [9, 16, 34], [15, 1023], 6_000, 36),
            ("std-11b", [20, 10, 50], [31, 1023], 1_000, 36),
            ("d6.3", [20, 10, 50], [15, 1023], 6_000, 34),
            ("d7.1", [20, 10, 50], [31, 1023], 1_000, 34),
            ("starzetz-11b", [20, 10, 50], [31, 1023], 1_000, 36),
            ("dnb-11b", [20, 10, 50], [31, 1023], 1_000, 36),
            ("wqm-11n", [9, 16, 34], [15, 1023], 6_000, 38),
            ("std-11bg", [20, 10, 50], [15, 1023], 1_000, 36),
            ("std-11n", [9, 16, 34], [15, 1023], 6_000, 38),
            ("std-11n-2g4", [9, 10, 28], [15, 1023], 6_000, 38),
            ("std-11ac", [9, 16, 34], [15, 1023], 6_000, 38),
            ("std-11ax", [9, 16, 34], [15, 1023], 6_000, 38),
            ("std-11ax-2g4", [9, 10, 28], [15, 1023], 6_000, 38),
        ];
        assert!(Phy::all().map(|phy| phy.name()).eq(page.iter().map(|row| row.0)));
        for (name, times, draws, base, mac) in page {
            let phy = Phy::named(name).unwrap();
            let ns = [phy.slot_ns(), phy.sifs_ns(), phy.difs_ns()];
            assert_eq!(ns, times.map(|us| us * 1000), "{name}");
            assert_eq!(([phy.cw_min(), phy.cw_max()], phy.base_kbps()), (draws, base), "{name}");
            assert_eq!(phy.mac_bytes(), mac);
            assert!(format!("{phy:?}").starts_with(&format!("Phy({name}, ")), "{phy:?}");
        }
        assert_eq!(Phy::named("std-11a").unwrap().about(), "802.11a: 5 GHz, 4 us symbols");
    }

    /// Finished runs are known by a scenario's text.
    #[test]
    fn every_change_is_in_the_text() {
        let none = PhyChange::default();
        let changes = [
            none,
            PhyChange { slot_ns: Some(13_000), ..none },
            PhyChange { sifs_ns: Some(17_000), ..none },
            PhyChange { preamble_ns: Some(20_001), ..none },
            PhyChange { cw_min: Some(7), ..none },
            PhyChange { cw_max: Some(63), ..none },
            PhyChange { ack_kbps: Some(2_000), ..none },
            PhyChange { eifs_kbps: Some(2_000), ..none },
            PhyChange { ccmp: true, ..none },
        ];
        let phy = Phy::named("starzetz-11b").unwrap();
        let mut texts = changes.map(|change| format!("{:?}", phy.with(&change))).to_vec();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), changes.len());
    }

    /// Frames by hand, ns: 1500 bytes at the profile's usual rate, its ACK, EIFS.
    #[test]
    fn frames_last_as_long_as_the_formulas_say() {
        let by_hand = [
            // 20 us + 1534 * 8 / 54; 20 + 112 / 24; 10 + 20 + 112 / 6 + 28
            ("phy-a", 54_000, 247_259, 24_667, 76_667),
            // 26 us + 57 symbols (12288 + 22 bits, 216 each); 26 + 2 (134 bits, 96 each); 10 + 192 + 112 + 28: an ACK at 1 Mb/s
            ("std-11g", 54_000, 254_000, 34_000, 342_000),
            ("std-11a", 54_000, 248_000, 28_000, 94_000),
            // 192 us + 1536 * 8 / 11; 192 + 112 / 2; 10 + 192 + 112 + 50
            ("std-11b", 11_000, 1_309_091, 248_000, 364_000),
            // No preamble: 1534 * 8 / 54; 112 / 6; 10 + 112 / 6 + 50
            ("d6.3", 54_000, 227_259, 18_667, 78_667),
            ("d7.1", 54_000, 227_259, 112_000, 172_000),
            ("starzetz-11b", 11_000, 1_309_091, 304_000, 364_000),
            // The ACK at the data rate: 192 + 112 / 11
            ("dnb-11b", 11_000, 1_309_091, 202_182, 364_000),
            // 33 us + 1538 * 8 / 54; a block ACK of 30 bytes: 33 + 240 / 6; 16 + 73 + 34
            ("wqm-11n", 54_000, 260_852, 73_000, 123_000),
            // SIFS + 192 + 112 / 11 before the frame of std-11g; an ACK at 1 Mb/s and a long DIFS.
            ("std-11bg", 54_000, 212_182 + 254_000, 34_000, 364_000),
            // The frame of std-11b; 192 + 112 / 11.
            ("std-11bg", 11_000, 1_309_091, 202_182, 364_000),
        ];
        for (name, kbps, data, ack, eifs) in by_hand {
            let phy = Phy::named(name).unwrap();
            assert_eq!(
                (phy.data_ns(kbps, 1500), phy.ack_ns(kbps), phy.eifs_ns()),
                (data, ack, eifs),
                "{name}"
            );
        }
        // Highest ACK rate that is not above the data rate: 6, 12, 24 Mb/s.
        let phy = Phy::named("phy-a").unwrap();
        let acks = [(6_000, 38_667), (9_000, 38_667), (11_999, 38_667), (12_000, 29_333), (18_000, 29_333)];
        for (kbps, ns) in acks.into_iter().chain([(23_999, 29_333), (24_000, 24_667), (54_000, 24_667)]) {
            assert_eq!(phy.ack_ns(kbps), ns, "{kbps}");
        }
    }

    /// Every constant arrives where it is used, and nothing else changes.
    #[test]
    fn a_profile_can_be_changed() {
        let of = |phy: Phy| {
            let times = [phy.slot_ns(), phy.sifs_ns(), phy.difs_ns(), phy.eifs_ns()];
            let frames = [phy.data_ns(54_000, 1500), phy.ack_ns(54_000), phy.ack_ns(6_000)];
            (times, frames, [phy.cw_min(), phy.cw_max()])
        };
        let phy = Phy::named("phy-a").unwrap();
        let (times, frames, windows) = of(phy);
        assert_eq!(of(phy.with(&PhyChange::default())), (times, frames, windows));
        let changed =
            phy.with(&PhyChange { slot_ns: Some(20_000), sifs_ns: Some(16_000), ..PhyChange::default() });
        // 16 + 40; 16 + 38.667 + 56.
        assert_eq!(of(changed), ([20_000, 16_000, 56_000, 110_667], frames, windows));
        let changed = phy.with(&PhyChange { preamble_ns: Some(120_000), ..PhyChange::default() });
        let [slot, sifs, difs, eifs] = times;
        assert_eq!(of(changed), ([slot, sifs, difs, eifs + 100_000], frames.map(|ns| ns + 100_000), windows));
        let changed = phy.with(&PhyChange { cw_min: Some(7), cw_max: Some(63), ..PhyChange::default() });
        assert_eq!(of(changed), (times, frames, [7, 63]));
        let changed = phy.with(&PhyChange { ack_kbps: Some(6_000), ..PhyChange::default() });
        assert_eq!(of(changed), (times, [frames[0], 38_667, 38_667], windows));
        let changed = phy.with(&PhyChange { eifs_kbps: Some(24_000), ..PhyChange::default() });
        assert_eq!(of(changed), ([slot, sifs, difs, 10_000 + 24_667 + 28_000], frames, windows));
        assert_eq!(phy.with(&PhyChange { ccmp: true, ..PhyChange::default() }).mac_bytes(), 34 + 16);
        let mixed = Phy::named("std-11bg").unwrap();
        let windows = |phy: Phy| [1_000, 5_500, 6_000, 11_000, 54_000].map(|kbps| phy.cw_min_at(kbps));
        assert_eq!(windows(mixed), [31, 31, 15, 31, 15]);
        assert_eq!(windows(mixed.with(&PhyChange { cw_min: Some(7), ..PhyChange::default() })), [7; 5]);
        assert_eq!(windows(Phy::named("std-11b").unwrap()), [31; 5]);
        // ACKs of the mixed cell: each at the highest rate of its own modulation.
        let acks = [(1_000, 304_000), (2_000, 248_000), (5_500, 212_364), (6_000, 50_000), (9_000, 50_000)];
        for (kbps, ns) in acks.into_iter().chain([(11_000, 202_182), (12_000, 38_000), (48_000, 34_000)]) {
            assert_eq!(mixed.ack_ns(kbps), ns, "{kbps}");
        }
    }

    #[test]
    fn a_rate_of_0_is_refused() {
        let phy = Phy::named("phy-a").unwrap();
        assert!(std::panic::catch_unwind(|| phy.data_ns(0, 1500)).is_err());
        assert!(std::panic::catch_unwind(|| phy.ack_ns(0)).is_err());
    }
}
