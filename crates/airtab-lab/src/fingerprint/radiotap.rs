// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Radiotap headers, read: time, rate, channel, place in an aggregate (radiotap.org).
//!
//! Fields are those of the first presence word. Further words, of other antennas and of vendors, are skipped up to the
//! TLVs behind their fields; those of EHT mark the frame. The `radiotap` crate does not read HE and panics on a vendor's
//! namespace that is cut; the tests hold this against it.
//!
//! Limits: no rates of EHT, no signal, no antennas; the first user of a VHT PPDU stands for all.

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
    /// True for a PPDU of 802.11be (EHT), whose rate is not read.
    pub(super) eht: bool,
    /// Whether the channel is at 5 GHz or above.
    pub(super) high: bool,
    /// The same for all of an aggregate.
    pub(super) aggregate: Option<u32>,
}

/// Size and alignment of the fields by their bits, as far as they are of use.
const FIELDS: [(usize, usize); 28] = [
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
    (12, 2), // HE-MU
    (6, 2),  // another user of HE-MU
    (1, 1),  // PSDU of no length
    (4, 2),  // L-SIG
];
/// Fields of which something is read.
const READ: usize = 24;

const FLAG_FCS: u8 = 0x10;
const FLAG_BAD_FCS: u8 = 0x40;
/// TLVs are behind the fields.
const TLVS: u32 = 1 << 28;
/// The next presence word is of radiotap's fields from the first one on, or of a vendor's.
const AGAIN: u32 = 1 << 29;
const VENDOR: u32 = 1 << 30;
/// A presence word follows.
const MORE: u32 = 1 << 31;
/// Types of TLVs: the U-SIG field, which EHT has, and EHT itself.
const EHT: [u16; 2] = [33, 34];

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
    let (mut more, mut any) = (present, present);
    while more & MORE != 0 {
        more = word(at)?;
        any |= more;
        at += 4;
    }
    let mut radio = Radio { length, ..Radio::default() };
    for (bit, (size, alignment)) in FIELDS.into_iter().enumerate().take(READ) {
        if present & 1 << bit != 0 {
            at = at.next_multiple_of(alignment);
            radio.field(bit, header.get(at..at + size).ok_or("a field is beyond its end")?);
            at += size;
        }
    }
    radio.eht = any & TLVS != 0 && tlvs(header).is_some_and(|at| has_eht(header, at));
    Ok(radio)
}

/// Offset of the TLVs behind the fields of all presence words; none without TLVs, or if it is unknown.
fn tlvs(header: &[u8]) -> Option<usize> {
    let words = || {
        let mut last = false;
        header[4..]
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .take_while(move |word| !std::mem::replace(&mut last, word & MORE == 0))
    };
    let mut at = 4 + 4 * words().count();
    let mut found = false;
    // Fields are those of radiotap from bit 0 on, of its later bits, or a vendor's.
    let (mut first, mut vendor) = (true, false);
    for word in words() {
        let fields = word & (TLVS - 1);
        if first {
            for (bit, (size, alignment)) in FIELDS.into_iter().enumerate() {
                if fields & 1 << bit != 0 {
                    at = at.next_multiple_of(alignment) + size;
                }
            }
            found |= word & TLVS != 0;
        } else if !vendor && fields != 0 {
            return None;
        }
        if word & VENDOR != 0 {
            // An OUI, a number and how many bytes of the vendor's follow: its fields are among these.
            at = at.next_multiple_of(2);
            let skip = header.get(at + 4..at + 6)?;
            at += 6 + usize::from(u16::from_le_bytes([skip[0], skip[1]]));
        }
        first = word & AGAIN != 0;
        vendor = word & VENDOR != 0 || (vendor && !first);
    }
    found.then_some(at.next_multiple_of(4))
}

/// True if one of the TLVs from an offset on is of EHT.
fn has_eht(header: &[u8], mut at: usize) -> bool {
    while let Some(head) = header.get(at..at + 4) {
        let [kind, length] = [0, 2].map(|i| u16::from_le_bytes([head[i], head[i + 1]]));
        if EHT.contains(&kind) {
            return true;
        }
        at += 4 + usize::from(length).next_multiple_of(4);
    }
    false
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

    /// Every rate of every format is written and read, each part of it different from the others.
    #[test]
    fn rates_of_all_widths_guards_and_units() {
        let phys = ["std-11n", "std-11ac", "std-11ax"].map(|name| Phy::named(name).unwrap());
        let mut read_back = 0;
        for (format, phy) in [Format::Ht, Format::Vht, Format::He].into_iter().zip(&phys) {
            for width in [20, 40, 80, 160] {
                for gi in [400, 800, 1600, 3200] {
                    for (mcs, streams) in [(0, 1), (3, 2), (7, 1), (5, 4), (9, 3)] {
                        let (width, gi) = (Some(width), Some(gi));
                        let spec = RateSpec {
                            format: Some(format),
                            mcs,
                            streams: Some(streams),
                            width,
                            gi,
                            ru: None,
                        };
                        let Ok(rate) = phy.rate(&spec) else { continue };
                        let header = capture::radiotap_header(phy, 1_234_000, &rate);
                        let radio = read(&header).unwrap();
                        assert_eq!(radio.speed, Some(Speed::Mcs(spec)));
                        assert_eq!(
                            (radio.length, radio.tsft_us, radio.high),
                            (header.len(), Some(1234), true)
                        );
                        read_back += 1;
                    }
                }
            }
        }
        assert!(read_back > 40, "{read_back}");
        // Of a resource unit the width of the channel is not told.
        for ru in [26, 52, 106, 242, 484, 996] {
            let width = Some(if ru == 996 { 160 } else { 80 });
            let (format, streams, gi) = (Some(Format::He), Some(2), Some(1600));
            let spec = RateSpec { format, mcs: 4, streams, width, gi, ru: Some(ru) };
            let rate = phys[2].rate(&spec).unwrap_or_else(|e| panic!("{ru}: {e:?}"));
            let radio = read(&capture::radiotap_header(&phys[2], 0, &rate)).unwrap();
            assert_eq!(radio.speed, Some(Speed::Mcs(RateSpec { width: None, ..spec })), "{ru}");
        }
    }

    /// Fields as radiotap.org has them, also those that only others write.
    #[test]
    fn fields_by_hand() {
        let with = |present: u32, fields: &[u8]| {
            let mut bytes = vec![0, 0, 0, 0];
            bytes.extend(present.to_le_bytes());
            bytes.extend(fields);
            bytes[2] = bytes.len() as u8;
            read(&bytes)
        };
        let spec = |radio: Radio| match radio.speed {
            Some(Speed::Mcs(spec)) => {
                (spec.mcs, spec.streams.unwrap(), spec.width, spec.gi.unwrap(), spec.ru)
            }
            other => panic!("{other:?}"),
        };
        // Of 40 MHz, and of its lower and upper half.
        for (flags, width, gi) in
            [(0, 20, 800), (1, 40, 800), (2, 20, 800), (3, 20, 800), (4, 20, 400), (5, 40, 400)]
        {
            let radio = with(1 << 19, &[0x07, flags, 21]).unwrap();
            assert_eq!(spec(radio), (5, 3, Some(width), gi, None), "{flags}");
        }
        for (code, width) in [(0, 20), (1, 40), (3, 40), (4, 80), (10, 80), (11, 160), (25, 160)] {
            let mut fields = [0; 12];
            (fields[2], fields[3], fields[4]) = (if code % 2 == 0 { 0x04 } else { 0xfb }, code, 0x92);
            let gi = if code % 2 == 0 { 400 } else { 800 };
            assert_eq!(spec(with(1 << 21, &fields).unwrap()), (9, 2, Some(width), gi, None), "{code}");
        }
        for (code, gi) in [(0, 800), (1, 1600), (2, 3200), (3, 800)] {
            let mut fields = [0; 12];
            (fields[5], fields[8], fields[10]) = (0x0b, code << 4 | 2, 0xf3);
            assert_eq!(spec(with(1 << 23, &fields).unwrap()), (11, 3, Some(80), gi, None), "{code}");
        }
        // Flags: an FCS, and a wrong one; rates of half a Mb/s; channels from 4.9 GHz on are high.
        for (flags, fcs, damaged) in
            [(0x00, false, false), (0x10, true, false), (0x40, false, true), (0xaf, false, false)]
        {
            let radio = with(2, &[flags]).unwrap();
            assert_eq!((radio.fcs, radio.damaged, radio.speed), (fcs, damaged, None), "{flags:02x}");
        }
        assert_eq!(with(4, &[11]).unwrap().speed, Some(Speed::Legacy(5_500)));
        assert_eq!(with(4, &[0]).unwrap().speed, None);
        let high = |mhz: u16| with(8, &[mhz.to_le_bytes(), [0; 2]].concat()).unwrap().high;
        assert_eq!([2412, 4899, 4900, 5955].map(high), [false, false, true, true]);
        // Each field at a multiple of its size: an aggregate's number behind one byte of flags.
        let radio = with(2 | 1 << 20, &[0x10, 0, 0, 0, 0x78, 0x56, 0x34, 0x12, 0, 0, 0, 0]).unwrap();
        assert_eq!((radio.fcs, radio.aggregate), (true, Some(0x1234_5678)));
        // A second word of fields, which are not read.
        let radio = with(1 << 31 | 2, &[0, 0, 0, 0, 0x10]).unwrap();
        assert_eq!((radio.fcs, radio.length), (true, 13));
        assert!(!radio.eht);
        assert_eq!(with(1, &[0; 7]), Err("a field is beyond its end"));
        assert_eq!(read(&[0, 0, 9, 0, 0, 0, 0, 0]), Err("it is longer than the frame, or cut"));
        assert_eq!(read(&[0, 0]), Err("it is cut"));
    }

    /// TLVs are behind the fields of all words: of further antennas, and of vendors with fields of their own.
    #[test]
    fn frames_of_802_11be_are_marked() {
        let le = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let with = |words: &[u32], fields: &[u8]| {
            let mut bytes = [&[0, 0, 0, 0][..], &le(words), fields].concat();
            bytes[2] = bytes.len() as u8;
            read(&bytes).expect("a header")
        };
        let tlv = |kind: u16, length: u16| {
            let value = vec![0xee; usize::from(length).next_multiple_of(4)];
            [&kind.to_le_bytes()[..], &length.to_le_bytes(), &value].concat()
        };
        // TSFT, flags, no rate, channel; 20 bytes from an offset of 8 on.
        let fields = [&500u64.to_le_bytes()[..], &[0x10, 0], &5955u16.to_le_bytes(), &[0, 0]].concat();
        let eht = |radio: Radio| (radio.eht, radio.speed, radio.tsft_us, radio.high, radio.fcs);
        let marked = (true, None, Some(500), true, true);
        let unmarked = (false, None, Some(500), true, true);
        let present = 0x0b | TLVS;
        let pad = vec![0; 2];
        for (kinds, expected) in [
            (&[(34, 40)][..], marked),
            (&[(33, 12), (34, 40)], marked),
            // Of a length that is padded; U-SIG alone.
            (&[(30, 9), (33, 12)], marked),
            (&[(30, 9), (32, 6)], unmarked),
            (&[], unmarked),
        ] {
            let tlvs: Vec<u8> = kinds.iter().flat_map(|(kind, length)| tlv(*kind, *length)).collect();
            assert_eq!(eht(with(&[present], &[&fields[..], &pad, &tlvs].concat())), expected, "{kinds:?}");
        }
        // Without its flag, what is behind the fields is nothing.
        assert_eq!(eht(with(&[0x0b], &[&fields[..], &pad, &tlv(34, 40)].concat())), unmarked);
        // Signal and number of two antennas, the flag in the last word. Words end at 16: TSFT begins there.
        let antennas = [0x0b | MORE | AGAIN, 1 << 5 | 1 << 11 | MORE | AGAIN, 1 << 5 | 1 << 11 | TLVS];
        let pair = [0xd0, 0];
        assert_eq!(eht(with(&antennas, &[&fields[..], &pair, &pair, &pad, &tlv(34, 8)].concat())), marked);
        // A vendor's word, all of whose bits are its own, and 5 bytes of it.
        let vendor = [0x0b | MORE | VENDOR, 0x1fff_ffff | MORE | AGAIN, TLVS];
        let skipped = [0, 0x11, 0x22, 3, 5, 0, 1, 2, 3, 4, 5, 0, 0, 0];
        let bytes = [&fields[..], &skipped[..11], &[0], &tlv(34, 8)].concat();
        assert_eq!(eht(with(&vendor, &[&fields[..], &skipped, &tlv(34, 8)].concat())), marked);
        assert_eq!(eht(with(&vendor, &bytes)), unmarked, "where the vendor's bytes end");
        // Bits from 32 on are not known, and neither is what is behind them.
        let later = [0x0b | MORE, 1 | MORE | AGAIN, TLVS];
        assert_eq!(eht(with(&later, &[&fields[..], &pad, &tlv(34, 8)].concat())), unmarked);
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
