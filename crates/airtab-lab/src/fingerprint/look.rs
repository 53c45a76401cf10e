// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Profile and time stamps of a capture, by its first frames.
//!
//! The profile is that which an interface's description names, else a guess by rates and band. The radio's time stamps
//! are used unless most frames have none, or they step back often.

use airtab_capture::Packet;
use airtab_core::Phy;

use super::FingerprintError;
use super::frame::{Stamps, header};
use super::radiotap::Speed;

/// Description of an interface by the profile of its PHY.
const PROFILE: &str = "PHY profile ";

/// Description of an interface whose frames are of a PHY.
pub(crate) fn description(phy: &Phy) -> String {
    format!("{PROFILE}{}", phy.name())
}

/// Frames for each step back, beyond the first, of a clock that is used.
const FRAMES_PER_STEP: u64 = 100;
/// SIFS of any profile: stamps of one moment may be as far apart, us.
const MOST_SIFS_US: u64 = 16;

/// Profile and time stamps of a capture, by its first frames.
#[derive(Debug)]
pub(super) struct Look {
    /// The standard's profile for the rates that occur.
    pub(super) guess: Phy,
    /// The profile that an interface's description names.
    pub(super) named: Option<Phy>,
    pub(super) stamps: Stamps,
    /// Sentence on time stamps of the radio that are not used.
    pub(super) note: Option<String>,
}

/// Properties of the first frames that tell their profile and clock.
#[derive(Debug, Default)]
pub(super) struct Guess {
    pub(super) frames: u64,
    /// Frames with a time stamp of the radio, and with one that is not 0; steps back, and the last of them.
    marked: u64,
    stamped: u64,
    steps: u64,
    last_us: u64,
    /// True if some stamp of the file is not 0.
    of_file: bool,
    named: Option<Phy>,
    high: bool,
    ofdm: bool,
    format: Option<airtab_core::Format>,
}

impl Guess {
    pub(super) fn add(&mut self, packet: &Packet<'_>) -> Result<(), FingerprintError> {
        let radio = header(packet)?;
        self.frames += 1;
        self.marked += u64::from(radio.tsft_us.is_some());
        if let Some(us) = radio.tsft_us.filter(|us| *us > 0) {
            self.stamped += 1;
            self.steps += u64::from(us < self.last_us.saturating_sub(MOST_SIFS_US));
            self.last_us = us;
        }
        self.of_file |= packet.at_ns.is_some_and(|ns| ns > 0);
        if self.named.is_none() {
            let description = packet.interface.and_then(|interface| interface.description.as_deref());
            self.named = description.and_then(|text| text.strip_prefix(PROFILE)).and_then(Phy::named);
        }
        self.high |= radio.high;
        // The constants of 802.11be are those of 802.11ax.
        self.format = self.format.max(radio.eht.then_some(airtab_core::Format::He));
        match radio.speed {
            Some(Speed::Legacy(kbps)) => self.ofdm |= ![1_000, 2_000, 5_500, 11_000].contains(&kbps),
            Some(Speed::Mcs(spec)) => self.format = self.format.max(spec.format),
            None => {}
        }
        Ok(())
    }

    /// The profile, and whose time stamps there are.
    pub(super) fn end(self) -> Result<Look, FingerprintError> {
        use airtab_core::Format::{He, Ht, Vht};
        let few = 2 * self.stamped < self.frames;
        let often = self.steps > 1 + self.frames / FRAMES_PER_STEP;
        let of_radio = self.stamped > 0 && !(self.of_file && (few || often));
        if !of_radio && !self.of_file {
            return Err(FingerprintError::NoStamps);
        }
        let (marked, stamped, frames) = (self.marked, self.stamped, self.frames);
        let note = match (of_radio, few, marked) {
            (true, ..) | (_, true, 0) => None,
            (_, true, _) if stamped == 0 => {
                Some("The radio's time stamps are all 0: the file's are used.".into())
            }
            (_, true, _) => Some(format!(
                "Of the first {frames} frames {stamped} have a time stamp of the radio: the file's are used."
            )),
            _ => Some(format!(
                "The radio's time stamps step back {} times in the first {frames} frames: the file's are used.",
                self.steps
            )),
        };
        let name = match (self.format, self.high, self.ofdm) {
            (Some(He), true, _) => "std-11ax",
            (Some(He), false, _) => "std-11ax-2g4",
            (Some(Vht), ..) => "std-11ac",
            (Some(Ht), true, _) => "std-11n",
            (Some(Ht), false, _) => "std-11n-2g4",
            (_, true, _) => "std-11a",
            (_, false, true) => "std-11g",
            (_, false, false) => "std-11b",
        };
        let guess = Phy::named(name).expect("a profile of the core");
        let stamps = if of_radio { Stamps::Radio } else { Stamps::File };
        Ok(Look { guess, named: self.named, stamps, note })
    }
}

#[cfg(test)]
mod tests {
    use airtab_capture::Interface;

    use super::super::frame::tests::{AP, mac_header, packet, radiotap};
    use super::*;

    /// The newest format and the highest band of all frames decide, not those of the last one.
    #[test]
    fn the_phy_is_guessed_by_rates_and_band() {
        let legacy = |half_mbps, mhz| radiotap(500, 0x10, half_mbps, mhz);
        // Time, flags, channel, and an MCS, VHT or HE.
        let by_mcs = |present: u32, mhz: u16, rest: &[u8]| {
            let mut bytes = vec![0, 0, 0, 0];
            bytes.extend((0x0b | present).to_le_bytes());
            bytes.extend(500u64.to_le_bytes());
            bytes.extend([0, 0]);
            bytes.extend(mhz.to_le_bytes());
            bytes.extend([0, 0]);
            bytes.extend(rest);
            bytes[2] = bytes.len() as u8;
            bytes
        };
        let ht = |mhz| by_mcs(1 << 19, mhz, &[0x0f, 0, 3]);
        let vht = |mhz| by_mcs(1 << 21, mhz, &[0; 12]);
        let he = |mhz| by_mcs(1 << 23, mhz, &[0; 12]);
        for (frames, name) in [
            (vec![legacy(22, 2412), legacy(2, 2412), legacy(4, 2412), legacy(11, 2412)], "std-11b"),
            (vec![legacy(12, 2412), legacy(22, 2412)], "std-11g"),
            (vec![legacy(108, 5180), legacy(12, 5180)], "std-11a"),
            (vec![ht(2412), legacy(2, 2412)], "std-11n-2g4"),
            (vec![ht(5180), legacy(12, 2412)], "std-11n"),
            (vec![vht(5180), ht(5180), legacy(12, 5180)], "std-11ac"),
            (vec![ht(5180), he(5180), vht(5180)], "std-11ax"),
            (vec![he(2412), legacy(2, 2412)], "std-11ax-2g4"),
        ] {
            let mut guess = Guess::default();
            frames.iter().for_each(|bytes| guess.add(&packet(1, bytes, 60)).unwrap());
            assert_eq!(guess.frames, frames.len() as u64);
            let look = guess.end().unwrap();
            assert_eq!((look.guess.name(), look.stamps, look.named.is_none()), (name, Stamps::Radio, true));
        }
    }

    /// The radio's time stamps are used if half of the first frames have one that is not 0, and few step back.
    #[test]
    fn first_frames_tell_whose_time_stamps_are_used() {
        let mac = mac_header(0x08, 1, AP, 0, &[]);
        let none = [vec![0, 0, 9, 0, 0x04, 0, 0, 0, 22], mac.clone()].concat();
        let at = |us: u64| [radiotap(us, 0x10, 22, 2412), mac.clone()].concat();
        let of = |frames: &[Vec<u8>], at_ns| {
            let mut guess = Guess::default();
            frames.iter().for_each(|bytes| guess.add(&Packet { at_ns, ..packet(1, bytes, 60) }).unwrap());
            guess.end().map(|look| (look.stamps, look.note.unwrap_or_default())).map_err(|e| e.to_string())
        };
        let (file, radio) = (Some(77_000), |note: &str| Ok((Stamps::Radio, note.to_string())));
        let of_file = |note: &str| Ok((Stamps::File, note.to_string()));
        assert_eq!(of(&[none.clone(), at(500)], file), radio(""));
        assert_eq!(of(&[at(500), none.clone()], file), radio(""));
        assert_eq!(of(&[none.clone(), none.clone()], file), of_file(""));
        let said = "Of the first 3 frames 1 have a time stamp of the radio: the file's are used.";
        assert_eq!(of(&[none.clone(), at(500), none.clone()], file), of_file(said));
        let said = "The radio's time stamps are all 0: the file's are used.";
        assert_eq!(of(&[at(0), at(0)], file), of_file(said));
        // Two steps back in 150 frames, and three.
        let steps = |at_frames: &[u64]| {
            let us = |i: u64| {
                1_000_000 + i * 1000 - at_frames.iter().filter(|at| **at <= i).count() as u64 * 50_000
            };
            (0..150).map(|i| at(us(i))).collect::<Vec<_>>()
        };
        assert_eq!(of(&steps(&[60, 70]), file), radio(""));
        let said = "The radio's time stamps step back 3 times in the first 150 frames: the file's are used.";
        assert_eq!(of(&steps(&[60, 70, 80]), file), of_file(said));
        assert_eq!(of(&steps(&[60, 70, 80]), Some(0)), radio(""), "the file has none");
        assert_eq!(of(&[at(0), none], None), Err(FingerprintError::NoStamps.to_string()));
    }

    /// The interface's description goes before the rates.
    #[test]
    fn a_description_names_the_phy() {
        let bytes = [radiotap(500, 0x10, 108, 2412), mac_header(0x08, 1, AP, 0, &[])].concat();
        for (text, name) in [
            (Some(description(&Phy::named("phy-a").unwrap())), Some("phy-a")),
            (Some("PHY profile std-11n".into()), Some("std-11n")),
            (Some("PHY profile std-11zz".into()), None),
            (Some("Wi-Fi 6 AX200".into()), None),
            (None, None),
        ] {
            let interface = Interface { description: text, ..Interface::default() };
            let mut guess = Guess::default();
            guess.add(&Packet { interface: Some(&interface), ..packet(1, &bytes, 60) }).unwrap();
            let look = guess.end().unwrap();
            assert_eq!((look.named.map(|phy| phy.name()), look.guess.name()), (name, "std-11g"));
        }
    }
}
