// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Radiotap headers, read: time, rate, channel, place in an aggregate (radiotap.org).
//!
//! The `radiotap` crate knows no HE and panics on a vendor's namespace that is cut; the tests hold this
//! against it.
//!
//! What it does not do: fields of further namespaces, signal, antennas; the first user of a VHT PPDU stands for all.

use airtab_core::{Format, RateSpec};

/// A rate as a radio tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speed {
    /// kb/s.
    Legacy(u32),
    /// By MCS.
    Mcs(RateSpec),
}

/// What is used of a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Radio {
    /// Bytes of the header.
    pub(super) length: usize,
    /// When the frame began, by the radio's clock, us.
    pub(super) tsft_us: Option<u64>,
    /// Whether an FCS is at the end of the frame.
    pub(super) fcs: bool,
    /// Whether that was wrong.
    pub(super) damaged: bool,
    pub(super) speed: Option<Speed>,
    /// Whether the channel is at 5 GHz or above.
    pub(super) high: bool,
    /// The same for all of an aggregate.
    pub(super) aggregate: Option<u32>,
}

/// Size and alignment of the fields by their bits, as far as they are of use.
const FIELDS: [(usize, usize); 24] = [
    (8, 8),  // TSFT
    (1, 1),  // flags
    (1, 1),  // rate
    (4, 2),  // channel
    (2, 2),  // FHSS
    (1, 1),  // signal, dBm
    (1, 1),  // noise, dBm
    (2, 2),  // lock quality
    (2, 2),  // TX attenuation
    (2, 2),  // the same, dB
    (1, 1),  // TX power
    (1, 1),  // antenna
    (1, 1),  // signal, dB
    (1, 1),  // noise, dB
    (2, 2),  // RX flags
    (2, 2),  // TX flags
    (1, 1),  // RTS retries
    (1, 1),  // data retries
    (8, 4),  // XChannel
    (3, 1),  // MCS
    (8, 4),  // A-MPDU status
    (12, 2), // VHT
    (12, 8), // time stamp
    (12, 2), // HE
];

const FLAG_FCS: u8 = 0x10;
const FLAG_BAD_FCS: u8 = 0x40;
/// A `present` word follows.
const MORE: u32 = 1 << 31;

/// Reads a header.
///
/// # Errors
/// What is wrong with it.
pub(super) fn read(bytes: &[u8]) -> Result<Radio, &'static str> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).ok_or("it is cut")?;
        Ok::<u32, &'static str>(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let first = word(0)?;
    if first & 0xff != 0 {
        return Err("its version is not 0");
    }
    let length = (first >> 16) as usize;
    let header = bytes.get(..length).filter(|h| h.len() >= 8).ok_or("it is longer than the frame, or cut")?;
    let present = word(4)?;
    let mut at = 8;
    let mut more = present;
    while more & MORE != 0 {
        more = word(at)?;
        at += 4;
    }
    let mut radio = Radio { length, ..Radio::default() };
    for (bit, (size, alignment)) in FIELDS.into_iter().enumerate() {
        if present & 1 << bit != 0 {
            at = at.next_multiple_of(alignment);
            radio.field(bit, header.get(at..at + size).ok_or("a field is beyond its end")?);
            at += size;
        }
    }
    Ok(radio)
}

impl Radio {
    fn field(&mut self, bit: usize, value: &[u8]) {
        match bit {
            0 => self.tsft_us = value.try_into().ok().map(u64::from_le_bytes),
            1 => (self.fcs, self.damaged) = (value[0] & FLAG_FCS != 0, value[0] & FLAG_BAD_FCS != 0),
            2 if value[0] != 0 => self.speed = Some(Speed::Legacy(u32::from(value[0]) * 500)),
            3 => self.high = u16::from_le_bytes([value[0], value[1]]) >= 4900,
            19 => self.speed = Some(ht(value)),
            20 => self.aggregate = value[..4].try_into().ok().map(u32::from_le_bytes),
            21 => self.speed = Some(vht(value)),
            23 => self.speed = Some(he(value)),
            _ => {}
        }
    }
}

fn mcs(format: Format, mcs: u8, streams: u8, width: u16, gi: u16) -> Speed {
    let (streams, width, gi) = (Some(streams.max(1)), Some(width), Some(gi));
    Speed::Mcs(RateSpec { format: Some(format), mcs, streams, width, gi, ru: None })
}

fn ht(value: &[u8]) -> Speed {
    let width = if value[1] & 0x03 == 1 { 40 } else { 20 };
    let gi = if value[1] & 0x04 != 0 { 400 } else { 800 };
    mcs(Format::Ht, value[2] % 8, value[2] / 8 + 1, width, gi)
}

fn vht(value: &[u8]) -> Speed {
    let gi = if value[2] & 0x04 != 0 { 400 } else { 800 };
    let width = match value[3] & 0x1f {
        0 => 20,
        1..=3 => 40,
        4..=10 => 80,
        _ => 160,
    };
    mcs(Format::Vht, value[4] >> 4, value[4] & 0x0f, width, gi)
}

fn he(value: &[u8]) -> Speed {
    let word = |i: usize| u16::from_le_bytes([value[2 * i], value[2 * i + 1]]);
    let (data3, data5, data6) = (word(2), word(4), word(5));
    let gi = [800, 1600, 3200, 800][usize::from(data5 >> 4 & 0x03)];
    let (width, ru) = match data5 & 0x0f {
        0 => (20, None),
        1 => (40, None),
        2 => (80, None),
        3 => (160, None),
        n @ 4..=9 => (0, Some([26, 52, 106, 242, 484, 996][usize::from(n) - 4])),
        _ => (160, None),
    };
    let Speed::Mcs(spec) = mcs(Format::He, (data3 >> 8 & 0x0f) as u8, (data6 & 0x0f) as u8, width, gi) else {
        unreachable!("a rate by MCS")
    };
    Speed::Mcs(RateSpec { ru, width: spec.width.filter(|width| *width > 0), ..spec })
}

#[cfg(test)]
mod tests {
    use airtab_core::{Phy, Rate};
    use proptest::prelude::*;

    use super::*;
    use crate::capture;

    #[test]
    fn what_is_written_is_read() {
        let phy = Phy::named("std-11ax").unwrap();
        let spec = |format, mcs, streams, width| RateSpec {
            format: Some(format),
            mcs,
            streams: Some(streams),
            width: Some(width),
            gi: Some(800),
            ru: None,
        };
        for spec in [spec(Format::Ht, 7, 2, 40), spec(Format::Vht, 8, 2, 80), spec(Format::He, 11, 2, 160)] {
            let header = capture::radiotap_header(&phy, 7_000_000, &phy.rate(&spec).unwrap());
            let radio = read(&header).unwrap();
            assert_eq!(radio.speed, Some(Speed::Mcs(spec)));
            assert_eq!((radio.length, radio.tsft_us, radio.high), (header.len(), Some(7000), true));
        }
        let phy = Phy::named("std-11b").unwrap();
        let radio = read(&capture::radiotap_header(&phy, 0, &Rate::legacy(5_500))).unwrap();
        assert_eq!((radio.speed, radio.high), (Some(Speed::Legacy(5_500)), false));
    }

    proptest! {
        /// Whatever comes, nothing panics; and where the other reader is not lost, both agree.
        #[test]
        fn as_the_crate_reads_it(mut bytes in proptest::collection::vec(any::<u8>(), 8..80), present in 0u32..1 << 22) {
            let length = bytes.len() as u16;
            (bytes[0], bytes[1]) = (0, 0);
            bytes[2..4].copy_from_slice(&length.to_le_bytes());
            bytes[4..8].copy_from_slice(&present.to_le_bytes());
            let (ours, theirs) = (read(&bytes), ::radiotap::Radiotap::from_bytes(&bytes));
            if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
                prop_assert_eq!(ours.tsft_us, theirs.tsft.map(|t| t.value));
                prop_assert_eq!(ours.fcs, theirs.flags.is_some_and(|f| f.fcs));
                prop_assert_eq!(ours.aggregate, theirs.ampdu_status.map(|a| a.reference));
            }
        }

        #[test]
        fn anything_is_survived(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
            let _ = read(&bytes);
        }
    }
}
