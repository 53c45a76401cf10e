// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The radiotap header of a frame: when it began, its rate or MCS, its channel, its place in an aggregate.
//!
//! Fields as radiotap.org defines them, each aligned to its size: TSFT, flags, rate, channel, MCS (HT),
//! A-MPDU status, VHT, HE.
//!
//! A frame on a resource unit is of an HE MU PPDU, one user of it.
//!
//! What it does not do: no signal, no antenna; nothing is said of FEC, STBC, BSS colour and LTF symbols.

use airtab_core::{Format, Phy, Rate};

/// Channel number and frequency, MHz.
pub(super) const CHANNEL_2GHZ: (u8, u16) = (1, 2412);
const CHANNEL_5GHZ: (u8, u16) = (36, 5180);
/// SIFS of the profiles at 5 GHz, ns.
const SIFS_5GHZ: u64 = 16_000;

/// Bits of `present`.
const TSFT: u32 = 1 << 0;
const FLAGS: u32 = 1 << 1;
const RATE: u32 = 1 << 2;
const CHANNEL: u32 = 1 << 3;
const MCS: u32 = 1 << 19;
const AMPDU: u32 = 1 << 20;
const VHT: u32 = 1 << 21;
const HE: u32 = 1 << 23;

/// Where a frame is in an A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Subframe {
    /// The same for all of an aggregate.
    pub(super) reference: u32,
    pub(super) last: bool,
    /// It is the only one, and said to be by its delimiter: it is answered by an ACK.
    pub(super) alone: bool,
}

/// The header of what began at `start_ns`.
pub(super) fn radiotap(phy: &Phy, start_ns: u64, rate: &Rate, subframe: Option<Subframe>) -> Vec<u8> {
    let kbps = rate.kbps();
    let half = if rate.format() == Format::Legacy { half_mbps(kbps) } else { None };
    let mut present = TSFT | FLAGS | CHANNEL;
    present |= if half.is_some() { RATE } else { 0 };
    present |= if subframe.is_some() { AMPDU } else { 0 };
    present |= match rate.format() {
        Format::Legacy => 0,
        Format::Ht => MCS,
        Format::Vht => VHT,
        Format::He => HE,
    };
    let (band, (_, frequency)) = match phy.sifs_ns() {
        SIFS_5GHZ => (0x0100, CHANNEL_5GHZ),
        _ => (0x0080, CHANNEL_2GHZ),
    };
    let cck = rate.format() == Format::Legacy && [1_000, 2_000, 5_500, 11_000].contains(&kbps);
    let modulation: u16 = if cck { 0x0020 } else { 0x0040 };
    let mut bytes = vec![0, 0, 0, 0]; // version, padding, length
    bytes.extend(present.to_le_bytes());
    bytes.extend((start_ns / 1000).to_le_bytes());
    bytes.push(0);
    bytes.push(half.unwrap_or(0)); // padding where there is no rate
    bytes.extend(u16::to_le_bytes(frequency));
    bytes.extend((band | modulation).to_le_bytes());
    if rate.format() == Format::Ht {
        bytes.extend(ht(rate));
    }
    if let Some(subframe) = subframe {
        align(&mut bytes, 4);
        bytes.extend(ampdu(&subframe));
    }
    match rate.format() {
        Format::Vht => bytes.extend(vht(rate)),
        Format::He => bytes.extend(he(rate)),
        Format::Legacy | Format::Ht => {}
    }
    let length = bytes.len() as u16;
    bytes[2..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// That of what is in no aggregate.
#[cfg(test)]
pub(crate) fn plain(phy: &Phy, start_ns: u64, rate: &Rate) -> Vec<u8> {
    radiotap(phy, start_ns, rate, None)
}

/// A rate in radiotap's unit.
pub(super) fn half_mbps(kbps: u32) -> Option<u8> {
    kbps.is_multiple_of(500).then_some(kbps / 500)?.try_into().ok()
}

fn align(bytes: &mut Vec<u8>, size: usize) {
    bytes.resize(bytes.len().next_multiple_of(size), 0);
}

/// MCS: bandwidth, index and guard interval are known, and that it is no greenfield frame.
fn ht(rate: &Rate) -> [u8; 3] {
    let wide = u8::from(rate.width_mhz() == 40);
    let short = u8::from(rate.gi_ns() == 400) << 2;
    [0x01 | 0x02 | 0x04 | 0x08, wide | short, 8 * (rate.streams() - 1) + rate.mcs()]
}

/// A-MPDU status: which is the last one is known, and of a lone one its EOF bit.
fn ampdu(subframe: &Subframe) -> [u8; 8] {
    let last = if subframe.last { 0x0008 } else { 0 };
    let eof = if subframe.alone { 0x0040 | 0x0080 } else { 0 };
    let flags: u16 = 0x0004 | last | eof;
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&subframe.reference.to_le_bytes());
    bytes[4..6].copy_from_slice(&flags.to_le_bytes());
    bytes
}

/// VHT: guard interval and bandwidth are known; one user.
fn vht(rate: &Rate) -> [u8; 12] {
    let short = if rate.gi_ns() == 400 { 0x04 } else { 0 };
    let width = match rate.width_mhz() {
        20 => 0,
        40 => 1,
        80 => 4,
        _ => 11,
    };
    let mut bytes = [0; 12];
    (bytes[0], bytes[2], bytes[3]) = (0x04 | 0x40, short, width);
    bytes[4] = rate.mcs() << 4 | rate.streams();
    bytes
}

/// HE SU, or MU on a resource unit: MCS, bandwidth or RU, and guard interval are known.
fn he(rate: &Rate) -> [u8; 12] {
    let width: u16 = match (rate.ru(), rate.width_mhz()) {
        (26, _) => 4,
        (52, _) => 5,
        (106, _) => 6,
        (242, _) => 7,
        (484, _) => 8,
        (996, _) => 9,
        (_, 20) => 0,
        (_, 40) => 1,
        (_, 80) => 2,
        _ => 3,
    };
    let gi = match rate.gi_ns() {
        800 => 0,
        1600 => 1,
        _ => 2,
    };
    let format = if rate.ru() > 0 { 2 } else { 0 };
    let words: [u16; 6] = [
        format | 0x0020 | 0x4000,
        0x0002,
        u16::from(rate.mcs()) << 8,
        0,
        width | gi << 4,
        rate.streams().into(),
    ];
    let mut bytes = [0; 12];
    bytes.chunks_exact_mut(2).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channel_and_modulation_by_profile() {
        const BAND_2GHZ: u16 = 0x0080;
        const BAND_5GHZ: u16 = 0x0100;
        const CCK: u16 = 0x0020;
        const OFDM: u16 = 0x0040;
        for (profile, kbps, frequency, flags) in [
            ("std-11b", 11_000, 2412, BAND_2GHZ | CCK),
            ("std-11b", 1_000, 2412, BAND_2GHZ | CCK),
            ("std-11g", 54_000, 2412, BAND_2GHZ | OFDM),
            ("std-11g", 9_000, 2412, BAND_2GHZ | OFDM),
            ("std-11a", 54_000, 5180, BAND_5GHZ | OFDM),
            ("std-11a", 18_000, 5180, BAND_5GHZ | OFDM),
            ("phy-a", 54_000, 2412, BAND_2GHZ | OFDM),
            ("std-11n-2g4", 6_000, 2412, BAND_2GHZ | OFDM),
        ] {
            let phy = Phy::named(profile).unwrap();
            let header = radiotap(&phy, 7_000, &Rate::legacy(kbps), None);
            let word = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
            assert_eq!((header.len(), word(2)), (22, 22));
            assert_eq!(header[17], (kbps / 500) as u8, "{profile} {kbps}: rate");
            assert_eq!((word(18), word(20)), (frequency, flags), "{profile} {kbps}: channel");
        }
        assert_eq!(half_mbps(300_000), None);
    }
}
