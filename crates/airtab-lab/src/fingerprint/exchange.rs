// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frames as exchanges: what follows each other by SIFS, or overlaps, is one busy period of the channel.
//!
//! IEEE 802.11-2020 10.3.2.3.3: nobody who contends begins within SIFS and half a slot; who does goes on with an
//! exchange: behind a CTS, with a fragment, or within the TXOP of an access category. Who does so otherwise has an
//! exchange of its own, and waits too little. Frames that overlap have collided.
//!
//! What it does not do: a monitor that receives one frame of a collision, or none, shows no collision; the
//! exchange then is one without an answer, or an idle channel.

use std::fmt;

use airtab_core::{Phy, ampdu_add};
use airtab_sim::wifi::Category;

use super::frame::{Frame, Kind, Mac};

/// Which of a transmitter's queues contends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// Data without QoS.
    Plain,
    /// An access category of EDCA.
    Category(Category),
    /// Beacons and other management.
    Management,
}

/// Who contends: each category of a transmitter does so by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sender {
    /// Its address.
    pub mac: [u8; 6],
    /// Its queue.
    pub queue: Queue,
}

/// `02:61:74:01:00:00`, and behind it the category, if there is one: `(be)`.
impl fmt::Display for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let octets: Vec<String> = self.mac.iter().map(|octet| format!("{octet:02x}")).collect();
        write!(f, "{}", octets.join(":"))?;
        match self.queue {
            Queue::Plain => Ok(()),
            Queue::Category(category) => write!(f, " ({})", Category::NAMES[category as usize]),
            Queue::Management => write!(f, " (management)"),
        }
    }
}

/// A sender's access to the channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) sender: Sender,
    pub(super) from_ap: bool,
    /// End of its own frames.
    pub(super) end_ns: u64,
    /// What the answer to the last of them takes, SIFS included; 0: none is due.
    pub(super) answer_ns: u64,
    /// Of its first frame with data.
    pub(super) retry: bool,
    pub(super) sequence: u16,
    pub(super) aggregate: bool,
}

/// A busy period.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    /// Who had access, in the order of the file; two or more have collided.
    pub(super) accesses: Vec<Access>,
    /// Whether the last frame was an answer.
    pub(super) answered: bool,
    /// Whether frames overlapped.
    pub(super) collided: bool,
}

/// Puts frames together.
pub(super) struct Assembler {
    /// From the end of one frame to the start of another that goes on with it, ns at most.
    follows_ns: u64,
    phy: Phy,
    open: Exchange,
    /// The last frame, and the length of its aggregate so far.
    last: Option<(Frame, u32)>,
}

impl Assembler {
    pub(super) fn new(phy: &Phy) -> Assembler {
        let follows_ns = phy.sifs_ns() + phy.slot_ns() / 2;
        Assembler { follows_ns, phy: *phy, open: Exchange::default(), last: None }
    }

    /// The next frame; hands on the exchange before, if it is over.
    pub(super) fn push(&mut self, frame: &Frame, done: &mut dyn FnMut(&Exchange)) {
        if self.last.is_some() && self.joins(frame) {
            return;
        }
        self.end(done);
        self.open.start_ns = frame.start_ns;
        self.open.end_ns = frame.end_ns;
        self.open.accesses.clear();
        self.open.answered = matches!(frame.kind, Kind::Answers | Kind::Clears);
        self.open.collided = false;
        self.add(frame);
        self.last = Some((*frame, self.aggregate(frame)));
    }

    /// Hands on the last exchange.
    pub(super) fn end(&mut self, done: &mut dyn FnMut(&Exchange)) {
        if self.last.take().is_some() {
            done(&self.open);
        }
    }

    fn aggregate(&self, frame: &Frame) -> u32 {
        frame.aggregate.map_or(0, |(_, mpdu, _)| ampdu_add(0, mpdu))
    }

    /// Whether a frame is of the open exchange; it is added then.
    fn joins(&mut self, frame: &Frame) -> bool {
        let Some((last, psdu)) = self.last else { return false };
        if let (Some((number, ..)), Some((before, ..))) = (frame.aggregate, last.aggregate)
            && number == before
            && frame.from == last.from
            && frame.start_ns < self.open.end_ns
        {
            self.lengthen(frame, psdu);
            return true;
        }
        let overlaps = frame.start_ns < self.open.end_ns;
        if !overlaps && frame.start_ns > self.open.end_ns + self.follows_ns {
            return false;
        }
        match frame.kind {
            Kind::Answers | Kind::Clears => self.open.answered = true,
            Kind::Unknown => (self.open.answered, self.open.collided) = (false, overlaps),
            Kind::Sends | Kind::Asks if overlaps => {
                (self.open.answered, self.open.collided) = (false, true);
                self.add(frame);
            }
            Kind::Sends | Kind::Asks => {
                if !self.goes_on(last.kind, frame) {
                    return false;
                }
            }
        }
        self.open.end_ns = self.open.end_ns.max(frame.end_ns);
        self.last = Some((*frame, self.aggregate(frame)));
        true
    }

    /// One more MPDU of the aggregate that the last frame is of.
    fn lengthen(&mut self, frame: &Frame, psdu: u32) {
        let Some((_, mpdu, rate)) = frame.aggregate else { return };
        let psdu = ampdu_add(psdu, mpdu);
        let end_ns = frame.start_ns.saturating_add(self.phy.ppdu_ns(&rate, psdu));
        if let Some(access) = self.open.accesses.last_mut() {
            access.end_ns = access.end_ns.max(end_ns);
        }
        self.open.end_ns = self.open.end_ns.max(end_ns);
        self.last = Some((*frame, psdu));
    }

    /// Who has the channel sends once more, behind a frame of that kind.
    fn goes_on(&mut self, behind: Kind, frame: &Frame) -> bool {
        if self.open.accesses.is_empty() && behind == Kind::Clears {
            // Its CTS was to itself.
            self.open.answered = false;
            self.add(frame);
            return true;
        }
        let [access] = self.open.accesses.as_mut_slice() else { return false };
        let fragment = frame.sequence == access.sequence && !frame.retry;
        let txop = frame.queue != Queue::Plain || fragment || behind == Kind::Clears;
        if access.sender.mac != frame.from || !txop {
            return false;
        }
        self.open.answered = false;
        let next = access_of(frame);
        // The attempt is that of the first frame with data.
        let asked = access.sender.queue == Queue::Plain && next.sender.queue != Queue::Plain;
        *access =
            if asked { next } else { Access { end_ns: next.end_ns, answer_ns: next.answer_ns, ..*access } };
        true
    }

    fn add(&mut self, frame: &Frame) {
        if matches!(frame.kind, Kind::Sends | Kind::Asks) {
            self.open.accesses.push(access_of(frame));
        }
    }
}

fn access_of(frame: &Frame) -> Access {
    Access {
        sender: Sender { mac: frame.from, queue: frame.queue },
        from_ap: frame.from_ap,
        end_ns: frame.end_ns,
        answer_ns: frame.answer_ns,
        retry: frame.retry,
        sequence: frame.sequence,
        aggregate: frame.aggregate.is_some(),
    }
}

/// An address as text, `02:61:74:01:00:00`.
///
/// # Errors
/// It is none.
pub fn address(text: &str) -> Result<Mac, String> {
    let octets: Vec<u8> =
        text.split([':', '-']).map_while(|octet| u8::from_str_radix(octet, 16).ok()).collect();
    let whole = text.split([':', '-']).count() == 6 && text.len() == 17;
    <Mac>::try_from(octets.as_slice())
        .ok()
        .filter(|_| whole)
        .ok_or_else(|| format!("{text}: give a MAC address, such as 02:61:74:01:00:00"))
}
