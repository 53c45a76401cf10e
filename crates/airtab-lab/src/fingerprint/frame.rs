// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets of a capture as frames: IEEE 802.11-2020 9.2 and 9.3 (headers), and how long each is on the air.
//!
//! A frame begins where its time stamp is; the radio's (TSFT) is taken if the first frame has one. That a radio
//! counts from the end of the preamble moves all alike.
//!
//! What it does not do: no addresses beyond the second; what is encrypted stays so.

use std::collections::BTreeMap;

use airtab_capture::Packet;
use airtab_core::{Phy, Rate, RateSpec, ampdu_add};
use airtab_sim::wifi::Category;

use super::exchange::Queue;
use super::radiotap::{self, Radio, Speed};
use super::{CaptureError, FingerprintError};

/// A MAC address.
pub(super) type Mac = [u8; 6];

/// What a frame is in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has a sender, and begins an exchange or goes on with it.
    Sends,
    /// It asks for the channel: RTS, PS-Poll, BLOCK ACK request.
    Asks,
    /// ACK or BLOCK ACK.
    Answers,
    /// CTS.
    Clears,
    /// Damaged, or of a kind unknown.
    Unknown,
}

/// A frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) kind: Kind,
    /// Who sent it, of those with a sender.
    pub(super) from: Mac,
    pub(super) queue: Queue,
    pub(super) from_ap: bool,
    pub(super) retry: bool,
    pub(super) sequence: u16,
    /// What the wait for its answer takes from its end, SIFS included, ns; 0: none is due.
    pub(super) answer_ns: u64,
    /// Of an aggregate: its number, what it is long so far, its rate.
    pub(super) aggregate: Option<(u32, u32, Rate)>,
}

/// Whose time stamps are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamps {
    Radio,
    File,
}

impl Stamps {
    fn ns(self, radio: &Radio, packet: &Packet<'_>) -> Option<u64> {
        match self {
            Stamps::Radio => radio.tsft_us.and_then(|us| us.checked_mul(1000)),
            Stamps::File => packet.at_ns,
        }
    }
}

fn header(packet: &Packet<'_>) -> Result<Radio, FingerprintError> {
    radiotap::read(packet.bytes).map_err(|what| FingerprintError::Radiotap { frame: packet.number, what })
}

/// What PHY a capture is of.
#[derive(Debug, Default)]
pub(super) struct Guess {
    pub(super) frames: u64,
    stamps: Option<Stamps>,
    /// Whether some stamp was not 0.
    stamped: bool,
    high: bool,
    ofdm: bool,
    format: Option<airtab_core::Format>,
}

impl Guess {
    pub(super) fn add(&mut self, packet: &Packet<'_>) -> Result<(), FingerprintError> {
        let radio = header(packet)?;
        self.frames += 1;
        let stamps = if radio.tsft_us.is_some() { Stamps::Radio } else { Stamps::File };
        let stamps = *self.stamps.get_or_insert(stamps);
        self.stamped |= stamps.ns(&radio, packet).is_some_and(|ns| ns > 0);
        self.high |= radio.high;
        match radio.speed {
            Some(Speed::Legacy(kbps)) => self.ofdm |= ![1_000, 2_000, 5_500, 11_000].contains(&kbps),
            Some(Speed::Mcs(spec)) => self.format = self.format.max(spec.format),
            None => {}
        }
        Ok(())
    }

    /// The standard's profile for these rates, and whose time stamps there are.
    pub(super) fn end(self) -> Result<(Phy, Stamps), FingerprintError> {
        use airtab_core::Format::{He, Ht, Vht};
        let Some(stamps) = self.stamps else { return Err(CaptureError::Empty.into()) };
        if !self.stamped {
            return Err(FingerprintError::NoStamps);
        }
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
        Ok((Phy::named(name).expect("a profile of the core"), stamps))
    }
}

/// Makes frames of packets.
pub(super) struct Frames {
    phy: Phy,
    stamps: Stamps,
    /// Frames so far, and those of them that are unknown.
    pub(super) count: u64,
    pub(super) unknown: u64,
    last_ns: u64,
    rates: Vec<(RateSpec, Option<Rate>)>,
    names: BTreeMap<Mac, String>,
}

/// Frame control, second byte.
const TO_DS: u8 = 0x01;
const FROM_DS: u8 = 0x02;
const RETRY: u8 = 0x08;
/// QoS control: two bits of the policy for answers, of which this alone is "none".
const ACK_POLICY: u8 = 0x60;
const NO_ACK: u8 = 0x20;
const FCS_BYTES: u32 = 4;
const ACK_BYTES: u32 = 14;
const BLOCK_ACK_BYTES: u32 = 32;

impl Frames {
    pub(super) fn new(phy: &Phy, stamps: Stamps) -> Frames {
        Frames {
            phy: *phy,
            stamps,
            count: 0,
            unknown: 0,
            last_ns: 0,
            rates: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    /// What the capture calls a sender.
    pub(super) fn name(&self, mac: Mac) -> Option<&str> {
        self.names.get(&mac).map(String::as_str)
    }

    /// The next frame; `None` if nothing can be made of it.
    pub(super) fn frame(&mut self, packet: &Packet<'_>) -> Result<Option<Frame>, FingerprintError> {
        let radio = header(packet)?;
        self.count += 1;
        if let Some((name, mac)) = packet.interface
            && !self.names.contains_key(mac)
        {
            self.names.insert(*mac, name.clone());
        }
        let Some(start_ns) = self.stamps.ns(&radio, packet) else {
            self.unknown += 1;
            return Ok(None);
        };
        // Two stamps of one moment may be a tick apart.
        if start_ns.saturating_add(self.phy.sifs_ns()) < self.last_ns {
            let back_us = (self.last_ns - start_ns) / 1000;
            return Err(CaptureError::Unordered { frame: packet.number, back_us }.into());
        }
        let start_ns = start_ns.max(self.last_ns);
        self.last_ns = start_ns;
        let Some(rate) = self.rate(&radio) else {
            self.unknown += 1;
            return Ok(None);
        };
        let fcs = if radio.fcs { 0 } else { FCS_BYTES };
        let bytes = packet.length.saturating_sub(radio.length as u32).saturating_add(fcs);
        let mpdu = packet.bytes.get(radio.length..).filter(|_| !radio.damaged).unwrap_or(&[]);
        let frame = self.read(mpdu, bytes, rate, start_ns, radio.aggregate);
        self.unknown += u64::from(frame.kind == Kind::Unknown);
        Ok(Some(frame))
    }

    /// The rate that a radio tells, if the profile has it.
    fn rate(&mut self, radio: &Radio) -> Option<Rate> {
        let spec = match radio.speed? {
            Speed::Legacy(kbps) => return Some(Rate::legacy(kbps)),
            Speed::Mcs(spec) => spec,
        };
        if let Some((_, rate)) = self.rates.iter().find(|(known, _)| *known == spec) {
            return *rate;
        }
        let rate = self.phy.rate(&spec).ok();
        self.rates.push((spec, rate));
        rate
    }

    fn read(&self, mpdu: &[u8], bytes: u32, rate: Rate, start_ns: u64, aggregate: Option<u32>) -> Frame {
        let address = |at: usize| mpdu.get(at..at + 6).and_then(|a| a.try_into().ok());
        let (control, flags) = (mpdu.first().copied().unwrap_or(0), mpdu.get(1).copied().unwrap_or(0));
        let (kind, subtype) = (control >> 2 & 3, control >> 4);
        let qos = kind == 2 && subtype & 8 != 0;
        // Where the four addresses are used the QoS field is behind the fourth.
        let qos_at = if flags & (TO_DS | FROM_DS) == TO_DS | FROM_DS { 30 } else { 24 };
        let qos_control = mpdu.get(qos_at).copied().filter(|_| qos);
        let (kind, has_sender) = match (kind, subtype) {
            (0 | 2, _) => (Kind::Sends, true),
            (1, 8 | 10 | 11) => (Kind::Asks, true),
            (1, 9 | 13) => (Kind::Answers, false),
            (1, 12) => (Kind::Clears, false),
            _ => (Kind::Unknown, false),
        };
        let (to, from): (Option<Mac>, Option<Mac>) = (address(4), address(10));
        let kind = if to.is_none() || (has_sender && from.is_none()) { Kind::Unknown } else { kind };
        let queue = match (control >> 2 & 3, qos_control) {
            (0, _) => Queue::Management,
            (_, Some(control)) => Queue::Category(category(control & 7)),
            _ => Queue::Plain,
        };
        let group = to.is_none_or(|to| to[0] & 1 != 0);
        let asked = qos_control.is_none_or(|control| control & ACK_POLICY != NO_ACK);
        let answered = matches!(kind, Kind::Sends | Kind::Asks) && !group && asked;
        let length = if kind == Kind::Sends { self.model_bytes(bytes) } else { bytes };
        let psdu = if aggregate.is_some() { ampdu_add(0, length) } else { length };
        Frame {
            start_ns,
            end_ns: start_ns.saturating_add(self.phy.ppdu_ns(&rate, psdu)),
            kind,
            from: from.unwrap_or_default(),
            queue,
            from_ap: flags & (TO_DS | FROM_DS) == FROM_DS,
            retry: flags & RETRY != 0,
            sequence: mpdu.get(22..24).map_or(0, |s| u16::from_le_bytes([s[0], s[1]]) >> 4),
            answer_ns: if answered { self.answer_ns(&rate, aggregate.is_some()) } else { 0 },
            aggregate: aggregate.map(|number| (number, length, rate)),
        }
    }

    /// Calibrated profiles count other bytes around a packet than the 36 that a frame has.
    fn model_bytes(&self, bytes: u32) -> u32 {
        if self.phy.has_mcs() { bytes } else { (bytes + self.phy.mac_bytes()).saturating_sub(36) }
    }

    fn answer_ns(&self, rate: &Rate, block: bool) -> u64 {
        let bytes = if block { BLOCK_ACK_BYTES } else { ACK_BYTES };
        let answer = match self.phy.has_mcs() {
            true => self.phy.ppdu_ns(&Rate::legacy(self.phy.control_kbps(rate)), bytes),
            false => self.phy.ack_ns(rate.kbps().max(1)),
        };
        self.phy.sifs_ns() + answer
    }
}

/// The access category of a TID (IEEE 802.11-2020, table 10-1).
fn category(tid: u8) -> Category {
    match tid {
        1 | 2 => Category::Background,
        0 | 3 => Category::BestEffort,
        4 | 5 => Category::Video,
        _ => Category::Voice,
    }
}

#[cfg(test)]
mod tests {
    use airtab_capture::DataLink;

    use super::*;

    const AP: Mac = [2, 0, 0, 0, 0, 0xaa];
    const STATION: Mac = [2, 0, 0, 0, 0, 7];

    /// A radiotap header: time, flags, rate and channel.
    fn radiotap(tsft_us: u64, flags: u8, half_mbps: u8, mhz: u16) -> Vec<u8> {
        let mut bytes = vec![0, 0, 22, 0, 0x0f, 0, 0, 0];
        bytes.extend(tsft_us.to_le_bytes());
        bytes.extend([flags, half_mbps]);
        bytes.extend(mhz.to_le_bytes());
        bytes.extend([0xa0, 0]);
        bytes
    }

    /// A MAC header of three addresses, then `rest`.
    fn mac_header(control: u8, flags: u8, to: Mac, sequence: u16, rest: &[u8]) -> Vec<u8> {
        let mut bytes = vec![control, flags, 0, 0];
        bytes.extend([to, STATION, AP].as_flattened());
        bytes.extend((sequence << 4 | 3).to_le_bytes());
        bytes.extend(rest);
        bytes
    }

    fn packet<'a>(number: u64, bytes: &'a [u8], length: usize) -> Packet<'a> {
        let link = DataLink::IEEE802_11_RADIOTAP;
        Packet { number, at_ns: Some(77_000), length: length as u32, bytes, link, interface: None }
    }

    /// One frame at 11 Mb/s, of as many bytes as there are.
    fn read(mac: &[u8]) -> Frame {
        let bytes = [radiotap(500, 0x10, 22, 2412), mac.to_vec()].concat();
        let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
        frames.frame(&packet(1, &bytes, bytes.len())).unwrap().unwrap()
    }

    #[test]
    fn kinds_of_frames_are_told_by_their_control_field() {
        for (control, kind, queue) in [
            (0x80, Kind::Sends, Queue::Management),
            (0x08, Kind::Sends, Queue::Plain),
            (0x48, Kind::Sends, Queue::Plain),
            (0xb4, Kind::Asks, Queue::Plain),
            (0xa4, Kind::Asks, Queue::Plain),
            (0x84, Kind::Asks, Queue::Plain),
            (0x94, Kind::Answers, Queue::Plain),
            (0xd4, Kind::Answers, Queue::Plain),
            (0xc4, Kind::Clears, Queue::Plain),
            (0xe4, Kind::Unknown, Queue::Plain),
        ] {
            let found = read(&mac_header(control, 0, AP, 0, &[]));
            assert_eq!((found.kind, found.queue), (kind, queue), "{control:02x}");
        }
        // Cut before its sender: an answer needs none.
        let cut = |control, length| read(&mac_header(control, 0, AP, 0, &[])[..length]).kind;
        assert_eq!([cut(0xd4, 10), cut(0xd4, 9), cut(0x08, 16), cut(0x08, 15)], {
            [Kind::Answers, Kind::Unknown, Kind::Sends, Kind::Unknown]
        });
    }

    /// IEEE 802.11-2020, table 10-1.
    #[test]
    fn a_tid_is_of_a_category() {
        use Category::{Background, BestEffort, Video, Voice};
        let of = [BestEffort, Background, Background, BestEffort, Video, Video, Voice, Voice];
        for (tid, category) in of.into_iter().enumerate() {
            let found = read(&mac_header(0x88, 0x01, AP, 0, &[tid as u8, 0]));
            assert_eq!(found.queue, Queue::Category(category), "TID {tid}");
            // Behind a fourth address.
            let rest = [&[9; 6][..], &[tid as u8, 0]].concat();
            let found = read(&mac_header(0x88, 0x03, AP, 0, &rest));
            assert_eq!((found.queue, found.from_ap), (Queue::Category(category), false), "TID {tid}");
        }
    }

    #[test]
    fn who_sent_it_and_whether_again() {
        for (flags, from_ap, retry) in [
            (0x00, false, false),
            (0x01, false, false),
            (0x02, true, false),
            (0x03, false, false),
            (0x0a, true, true),
            (0x49, false, true),
        ] {
            let found = read(&mac_header(0x08, flags, AP, 1234, &[]));
            assert_eq!((found.from_ap, found.retry, found.from), (from_ap, retry, STATION), "{flags:02x}");
            assert_eq!(found.sequence, 1234, "without its fragment");
        }
    }

    /// SIFS and an ACK of 14 bytes at 2 Mb/s behind 192 us.
    #[test]
    fn who_is_answered() {
        let ack_ns = 10_000 + 192_000 + 56_000;
        let group = [1, 0, 0x5e, 0, 0, 1];
        for (what, mac, answer_ns) in [
            ("data", mac_header(0x08, 1, AP, 0, &[]), ack_ns),
            ("to a group", mac_header(0x08, 2, group, 0, &[]), 0),
            ("an RTS", mac_header(0xb4, 0, AP, 0, &[]), ack_ns),
            ("QoS data", mac_header(0x88, 1, AP, 0, &[0x00, 0]), ack_ns),
            ("without an ACK", mac_header(0x88, 1, AP, 0, &[0x20, 0]), 0),
            ("by a block ACK", mac_header(0x88, 1, AP, 0, &[0x60, 0]), ack_ns),
            ("an ACK", mac_header(0xd4, 0, AP, 0, &[]), 0),
        ] {
            assert_eq!(read(&mac).answer_ns, answer_ns, "{what}");
        }
    }

    /// 192 us and all of its bytes at 11 Mb/s, whatever the capture keeps of it.
    #[test]
    fn a_frame_lasts_as_long_as_its_bytes() {
        let phy = Phy::named("std-11b").unwrap();
        let mac = mac_header(0x08, 1, AP, 0, &[]);
        let of = |flags, length: usize| {
            let bytes = [radiotap(500, flags, 22, 2412), mac.clone()].concat();
            let mut frames = Frames::new(&phy, Stamps::Radio);
            let frame = frames.frame(&packet(1, &bytes, 22 + length)).unwrap().unwrap();
            (frame.start_ns, frame.end_ns, frame.kind, frames.unknown)
        };
        let end_ns = 500_000 + 192_000 + (1088u64 * 8_000).div_ceil(11);
        assert_eq!(of(0x10, 1088), (500_000, end_ns, Kind::Sends, 0), "with its FCS");
        assert_eq!(of(0x00, 1084), (500_000, end_ns, Kind::Sends, 0), "without it");
        // Damaged: nobody knows what it was.
        assert_eq!(of(0x50, 1088), (500_000, end_ns, Kind::Unknown, 1));
    }

    #[test]
    fn time_stamps_of_one_moment_may_be_a_tick_apart() {
        let mac = mac_header(0x08, 1, AP, 0, &[]);
        let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
        let mut starts = |us, number| {
            let bytes = [radiotap(us, 0x10, 22, 2412), mac.clone()].concat();
            frames.frame(&packet(number, &bytes, bytes.len())).map(|frame| frame.unwrap().start_ns)
        };
        assert_eq!(starts(500, 1).ok(), Some(500_000));
        // SIFS is 10 us.
        assert_eq!(starts(490, 2).ok(), Some(500_000));
        let said = starts(487, 3).unwrap_err().to_string();
        assert!(said.starts_with("frame 3 is 13 us earlier than the one before"), "{said}");
        assert_eq!(starts(520, 4).ok(), Some(520_000));
        // By the file: the radio's clock says nothing.
        let mut of_file = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::File);
        let bytes = [radiotap(500, 0x10, 22, 2412), mac.clone()].concat();
        assert_eq!(of_file.frame(&packet(1, &bytes, bytes.len())).unwrap().unwrap().start_ns, 77_000);
    }

    #[test]
    fn frames_without_a_rate_or_a_time_are_counted() {
        let mac = mac_header(0x08, 1, AP, 0, &[]);
        let mut frames = Frames::new(&Phy::named("std-11b").unwrap(), Stamps::Radio);
        let without_rate = [radiotap(500, 0x10, 0, 2412), mac.clone()].concat();
        assert!(frames.frame(&packet(1, &without_rate, 60)).unwrap().is_none());
        let mut without_time = vec![0, 0, 9, 0, 0x04, 0, 0, 0, 22];
        without_time.extend(&mac);
        assert!(frames.frame(&packet(2, &without_time, 60)).unwrap().is_none());
        let good = [radiotap(600, 0x10, 22, 2412), mac.clone()].concat();
        assert!(frames.frame(&packet(3, &good, 60)).unwrap().is_some());
        assert_eq!((frames.count, frames.unknown), (3, 2));
        // The first name of an address stays.
        let mut named = |name: &str, mac| {
            let interface = (name.to_string(), mac);
            let packet = Packet { interface: Some(&interface), ..packet(4, &good, 60) };
            frames.frame(&packet).unwrap();
        };
        named("one", STATION);
        named("two", STATION);
        named("ap", AP);
        assert_eq!([STATION, AP, [1; 6]].map(|mac| frames.name(mac)), [Some("one"), Some("ap"), None]);
    }

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
            let (phy, stamps) = guess.end().unwrap();
            assert_eq!((phy.name(), stamps), (name, Stamps::Radio));
        }
        // The first frame says whose time stamps they are.
        let without = [vec![0, 0, 9, 0, 0x04, 0, 0, 0, 22], mac_header(0x08, 1, AP, 0, &[])].concat();
        for (frames, stamps) in
            [([&without, &legacy(22, 2412)], Stamps::File), ([&legacy(22, 2412), &without], Stamps::Radio)]
        {
            let mut guess = Guess::default();
            frames.iter().for_each(|bytes| guess.add(&packet(1, bytes, 60)).unwrap());
            assert_eq!(guess.end().map(|(_, stamps)| stamps).ok(), Some(stamps));
        }
    }
}
