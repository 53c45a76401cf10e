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
            true => self.phy.ppdu_ns(&Rate::legacy(self.phy.control_kbps(rate.kbps().max(1))), bytes),
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
