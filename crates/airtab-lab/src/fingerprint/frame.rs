// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Packets of a capture as frames: IEEE 802.11-2020 9.2 and 9.3 (headers), and how long each is on the air.
//!
//! A frame begins where its time stamp is, the radio's (TSFT) or the file's (`look`). No gap is counted
//! across a step of the radio's clock. A radio that counts from the end of the preamble shifts all frames by one time.
//!
//! Limits: no addresses beyond the second; encrypted frames have no type beyond their header; EHT has no rates.

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

pub(super) fn header(packet: &Packet<'_>) -> Result<Radio, FingerprintError> {
    radiotap::read(packet.bytes).map_err(|what| FingerprintError::Radiotap { frame: packet.number, what })
}

/// Least advance of the radio's clock over the file's that is a step of the radio's, ns.
const AHEAD_NS: u64 = 1_000_000_000;
/// Names of interfaces that are kept, as many as senders are followed.
const MOST_NAMES: usize = super::survey::SENDERS;

/// Makes frames of packets.
pub(super) struct Frames {
    phy: Phy,
    stamps: Stamps,
    /// Frames so far, and those of them that are unknown.
    pub(super) count: u64,
    pub(super) unknown: u64,
    /// Frames of 802.11be among the unknown.
    pub(super) eht: u64,
    /// Steps of the radio's clock.
    pub(super) steps: u64,
    last_ns: u64,
    /// The file's time stamp of the last frame.
    last_at_ns: u64,
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
            eht: 0,
            steps: 0,
            last_ns: 0,
            last_at_ns: 0,
            rates: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    /// What the capture calls a sender.
    pub(super) fn name(&self, mac: Mac) -> Option<&str> {
        self.names.get(&mac).map(String::as_str)
    }

    /// Sentences on what was met in the frames so far.
    pub(super) fn notes(&self) -> Vec<String> {
        let steps = (self.steps > 0).then(|| match self.steps {
            1 => "The radio's clock was set once: no gap is counted across that.".into(),
            n => format!("The radio's clock was set {n} times: no gap is counted across that."),
        });
        let frames = if self.eht == 1 { "1 frame is".into() } else { format!("{} frames are", self.eht) };
        let eht = (self.eht > 0).then(|| format!("{frames} of 802.11be (EHT), whose rates are not read."));
        steps.into_iter().chain(eht).collect()
    }

    /// The next frame; `None` if nothing can be made of it.
    pub(super) fn frame(&mut self, packet: &Packet<'_>) -> Result<Option<Frame>, FingerprintError> {
        let radio = header(packet)?;
        self.count += 1;
        self.eht += u64::from(radio.eht);
        if let Some(interface) = packet.interface
            && let (Some(name), Some(mac)) = (&interface.name, interface.address)
            && self.names.len() < MOST_NAMES
            && !self.names.contains_key(&mac)
        {
            // One line, whose text cannot pass for other lines of the report.
            self.names.insert(mac, name.chars().filter(|c| !c.is_control()).take(64).collect());
        }
        // A 0 behind other stamps of a radio is not a time.
        let stamp = self.stamps.ns(&radio, packet).filter(|ns| *ns > 0 || self.last_ns == 0);
        let Some(start_ns) = stamp else {
            self.unknown += 1;
            return Ok(None);
        };
        let start_ns = self.follow(start_ns, packet)?;
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

    /// Time of a frame, not before the last one; counts a step of the radio's clock.
    fn follow(&mut self, start_ns: u64, packet: &Packet<'_>) -> Result<u64, FingerprintError> {
        // Two stamps of one moment may be a tick apart.
        let back = start_ns.saturating_add(self.phy.sifs_ns()) < self.last_ns;
        let at_ns = packet.at_ns.unwrap_or(0);
        let passed_ns = at_ns.saturating_sub(self.last_at_ns);
        let ahead = self.last_at_ns > 0
            && at_ns > 0
            && start_ns.saturating_sub(self.last_ns) > passed_ns.saturating_add(AHEAD_NS);
        self.last_at_ns = at_ns;
        match self.stamps {
            Stamps::Radio if back || ahead => {
                self.steps += 1;
                self.last_ns = start_ns;
            }
            Stamps::File if back => {
                let back_us = (self.last_ns - start_ns) / 1000;
                return Err(CaptureError::Unordered { frame: packet.number, back_us }.into());
            }
            _ => {}
        }
        self.last_ns = self.last_ns.max(start_ns);
        Ok(self.last_ns)
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
        if self.phy.has_mcs() { bytes } else { bytes.saturating_add(self.phy.mac_bytes()).saturating_sub(36) }
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
pub(super) mod tests;
