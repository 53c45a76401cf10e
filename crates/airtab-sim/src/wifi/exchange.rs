// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frame exchanges: what a contender sends at once, made of parts.
//!
//! A part is a packet with its discipline's ticket, attempts, airtime and fate of
//! its own. The parts of an exchange go out together and share one ACK or BLOCK ACK;
//! those that are not over stay in it. Its channel time is split over them by their
//! bytes, to the last nanosecond. A beacon is an exchange without parts, and so is a
//! BAR (block ACK request) but where it asks what became of the parts that it has.
//! IEEE 802.11-2020 10.3.4.4 (attempts), 10.25.6 (block ACK), 10.3.2.9 (RTS).
//!
//! A contender has one exchange and uses it again and again, so that it takes memory
//! only when it is to have more parts than ever before.
//!
//! What it does not do: nobody joins an exchange that has begun; which parts go together
//! is said elsewhere (`driver`); an RTS that is not answered counts as an attempt of all parts.

use airtab_core::{Handle, Ticket, Tx, View};

use super::aggregate::{Bounds, Length};
use super::config::{CellConfig, DeliverOn};
use super::egress::Left;
use super::ofdma::Share;
use super::output::{End, Label};
use super::phy::{Frame, Radios};
use super::reports::Report;

/// A packet on its way.
pub(super) struct Part {
    pub(super) packet: Handle,
    pub(super) flow: u32,
    pub(super) label: u32,
    pub(super) ticket: Ticket,
    /// Its record at the governor above the driver; 0: none.
    pub(super) record: u64,
    /// True if the packet left best effort's queue for a better category.
    pub(super) promoted: bool,
    pub(super) bytes: u32,
    /// Sequence number, once it has one; parts with the same one are one A-MSDU, lost or received as one.
    pub(super) sequence: Option<u64>,
    /// Length of the MPDU that it is in, once it has a number.
    pub(super) mpdu_bytes: u32,
    /// Its place among all that came to its driver.
    pub(super) place: u64,
    /// Number of the aggregate that it was in first, where they are counted; 0: none yet.
    pub(super) aggregate: u32,
    /// Attempts at it so far, and those of them in which it was on the air: no RTS failed.
    pub(super) attempts: u8,
    pub(super) sent: u8,
    /// Its receiver has it.
    pub(super) received: bool,
    /// How the attempt under way ends.
    pub(super) end: End,
    /// When it left its queue, and start of the first attempt, ns.
    taken: u64,
    since: u64,
    /// Channel time of its own attempts and backoffs so far, ns.
    air: u64,
    /// As much of it as its receiver's discipline has been told of.
    heard: u64,
}

/// What follows the DATA of an attempt.
/// The greater one is that of several that are sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    /// Nothing: it was for all.
    None,
    /// Nothing, though its sender waits for an ACK: it collided, or its receiver got errors alone.
    Missing,
    /// An ACK that its sender receives in error.
    Garbled,
    /// An ACK.
    Ack,
}

/// What an attempt meant for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    /// It was received.
    pub(super) arrived: bool,
    /// Its sender knows.
    pub(super) acked: bool,
    /// It is not sent again.
    pub(super) over: bool,
}

impl Part {
    #[inline]
    pub(super) fn new<T: Label>(view: &View<T>, left: Left, now: u64) -> Part {
        let Left { packet, ticket, record } = left;
        Part {
            packet,
            record,
            promoted: false,
            flow: view.flow,
            label: view.body.label(),
            ticket,
            bytes: view.bytes,
            sequence: None,
            mpdu_bytes: 0,
            place: 0,
            aggregate: 0,
            attempts: 0,
            sent: 0,
            received: false,
            end: End::Broadcast,
            taken: now,
            since: now,
            air: 0,
            heard: 0,
        }
    }

    /// Whether its sender learns that it arrived.
    #[inline]
    fn acked(&self) -> bool {
        matches!(self.end, End::Acked | End::Broadcast)
    }

    /// Whether its receiver passes it up, if it has not done so before.
    #[inline]
    fn arrives(&self, config: &CellConfig) -> bool {
        self.acked() || (self.end == End::AckLost && config.deliver_on == DeliverOn::Data)
    }

    /// The attempt is over. `unicast`: somebody acknowledges.
    #[inline]
    pub(super) fn settle(&self, unicast: bool, config: &CellConfig) -> Settled {
        let acked = self.acked();
        let over = acked || !unicast || self.attempts >= config.attempts;
        Settled { arrived: self.arrives(config), acked, over }
    }

    /// Channel time that its receiver's discipline has not been told of: it is told now.
    pub(super) fn hear(&mut self) -> u64 {
        let air = self.air - self.heard;
        self.heard = self.air;
        air
    }

    /// Report of the driver, once the packet is over. A promoted one is in no aggregate of its queue's driver.
    #[inline]
    pub(super) fn report(&self, tx: Tx) -> Report {
        let aggregate = if self.promoted { 0 } else { self.aggregate };
        Report { ticket: self.ticket, record: self.record, aggregate, tx: Some(tx) }
    }

    /// What it took, once it is over.
    #[inline]
    pub(super) fn tx(&self, acked: bool, now: u64) -> Tx {
        Tx { air: self.air, span: now - self.since, attempts: self.attempts, acked }
    }

    /// From leaving its queue to now, ns.
    pub(super) fn held_ns(&self, now: u64) -> u64 {
        now - self.taken
    }

    /// From leaving its queue to its first attempt, ns.
    #[inline]
    pub(super) fn below_ns(&self) -> u64 {
        self.since - self.taken
    }
}

/// What an exchange is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A beacon.
    Beacon,
    /// DATA: its parts.
    Data,
    /// A block ACK request: what became of its parts, or that there are none before the window.
    Bar,
}

/// A frame and the parts in it.
pub(super) struct Exchange {
    pub(super) kind: Kind,
    pub(super) frame: Frame,
    /// The station whose link it takes; None: to all, and nobody acknowledges.
    pub(super) link: Option<u16>,
    /// The transmitter that it is for; None: all.
    pub(super) to: Option<usize>,
    pub(super) parts: Vec<Part>,
    /// Sum of its parts, bytes.
    bytes: u32,
    /// Length of its parts, as long as they are those that it was filled with; None: unknown.
    length: Option<Length>,
    /// What it pays of the channel time that it takes, alone or with others.
    pub(super) share: Share,
    /// What follows the DATA of the attempt under way.
    pub(super) answer: Answer,
    /// How long its sender sends in the attempt under way, and how long until it knows, ns.
    on_air_ns: u64,
    known_ns: u64,
    /// How often a BAR was sent so far.
    asked: u8,
    /// Attempts in succession that were not answered.
    pub(super) failures: u32,
    under_way: bool,
}

impl Exchange {
    /// There is none yet.
    pub(super) fn none() -> Exchange {
        Exchange {
            kind: Kind::Beacon,
            frame: Frame::default(),
            link: None,
            to: None,
            parts: Vec::with_capacity(1),
            bytes: 0,
            length: None,
            share: Share::ALL,
            answer: Answer::None,
            on_air_ns: 0,
            known_ns: 0,
            asked: 0,
            failures: 0,
            under_way: false,
        }
    }

    /// There is one from now on, without parts yet, and its frame is to be set.
    #[inline]
    pub(super) fn open(&mut self, kind: Kind, link: Option<u16>, to: Option<usize>) {
        debug_assert!(!self.under_way && self.is_empty());
        (self.kind, self.link, self.to) = (kind, link, to);
        (self.asked, self.share, self.under_way) = (0, Share::ALL, true);
    }

    /// There is one from now on; its parts are there, or will be when its sender wins.
    pub(super) fn set_out(&mut self, kind: Kind, link: Option<u16>, to: Option<usize>) {
        debug_assert!(!self.under_way || self.link.is_none());
        (self.kind, self.link, self.to) = (kind, link, to);
        (self.asked, self.failures, self.share, self.under_way) = (0, 0, Share::ALL, true);
    }

    /// There is one from now on: its sender contends, and the exchange is built when that one wins.
    pub(super) fn await_win(&mut self) {
        self.set_out(Kind::Data, None, None);
    }

    /// True if its sender contends and it is not built yet.
    #[inline]
    pub(super) fn is_unbuilt(&self) -> bool {
        self.under_way && self.kind == Kind::Data && self.is_empty()
    }

    /// It is over.
    #[inline]
    pub(super) fn close(&mut self) {
        debug_assert!(self.under_way && self.is_empty());
        self.under_way = false;
    }

    /// Whether there is one.
    #[inline]
    pub(super) fn is_under_way(&self) -> bool {
        self.under_way
    }

    /// Its part, of one that never has more than that.
    #[inline]
    pub(super) fn single(&mut self) -> Option<&mut Part> {
        debug_assert!(self.parts.len() <= 1);
        self.parts.first_mut()
    }

    /// Lets that go.
    #[inline]
    pub(super) fn let_go(&mut self) {
        self.parts.clear();
        (self.bytes, self.length) = (0, None);
    }

    /// Puts a part behind the others.
    #[inline]
    pub(super) fn push(&mut self, part: Part) {
        self.bytes += part.bytes;
        self.length = None;
        self.parts.push(part);
    }

    /// Its parts are these from now on, of that length if it is known; gives back the empty vector in their place.
    pub(super) fn fill(&mut self, parts: Vec<Part>, length: Option<Length>) -> Vec<Part> {
        debug_assert!(self.is_empty());
        self.bytes = parts.iter().map(|part| part.bytes).sum();
        self.length = length;
        std::mem::replace(&mut self.parts, parts)
    }

    /// Length of its parts; `mac`: bytes around a packet.
    pub(super) fn length(&self, mac: u32) -> Length {
        let count = || Length::of(&self.parts, &Bounds::single(mac));
        debug_assert!(self.length.is_none_or(|length| length == count()));
        self.length.unwrap_or_else(count)
    }

    /// Takes its last part out.
    pub(super) fn pop(&mut self) -> Option<Part> {
        let part = self.parts.pop()?;
        self.bytes -= part.bytes;
        self.length = None;
        Some(part)
    }

    /// Takes all parts out, the last one first.
    pub(super) fn give_back(&mut self, mut take: impl FnMut(Part)) {
        while let Some(part) = self.pop() {
            take(part);
        }
    }

    /// Sum of its parts, bytes.
    pub(super) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Whether it is a BAR for nothing but the window.
    pub(super) fn is_lone_bar(&self) -> bool {
        self.kind == Kind::Bar && self.is_empty()
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// How long its sender sends in the attempt under way, ns.
    #[inline]
    pub(super) fn on_air_ns(&self) -> u64 {
        self.on_air_ns
    }

    /// How long it takes until its sender knows how the attempt under way ended, ns.
    #[inline]
    pub(super) fn known_ns(&self) -> u64 {
        self.known_ns
    }

    /// RTS or CTS fails in the attempt under way, and nothing else is sent. Whether the RTS did.
    pub(super) fn cut_short(&self) -> Option<bool> {
        (self.on_air_ns < self.frame.on_air_ns()).then_some(self.on_air_ns == self.frame.rts_ns)
    }

    /// How often it asked for a BLOCK ACK so far.
    pub(super) fn asked(&self) -> u8 {
        self.asked
    }

    /// DATA is over: `tell` which packets its receiver has now and had not before.
    #[inline]
    pub(super) fn land(&mut self, config: &CellConfig, mut tell: impl FnMut(Handle)) {
        for part in &mut self.parts {
            if part.arrives(config) && !part.received {
                part.received = true;
                tell(part.packet);
            }
        }
    }

    /// The same, all parts of a number at once: `tell` the number and those that its receiver had not before.
    pub(super) fn land_numbered(&mut self, config: &CellConfig, mut tell: impl FnMut(Option<u64>, &[Part])) {
        let numbers = |a: &Part, b: &Part| a.sequence.is_some() && a.sequence == b.sequence;
        for parts in self.parts.chunk_by_mut(numbers) {
            if parts[0].arrives(config) && !parts[0].received {
                parts.iter_mut().for_each(|part| part.received = true);
                tell(parts[0].sequence, parts);
            }
        }
    }

    /// MPDUs in the attempt that is over, and those of them that its sender knows to have been received.
    pub(super) fn mpdus(&self) -> (u32, u32) {
        let same = |a: &Part, b: &Part| a.sequence.is_some() && a.sequence == b.sequence;
        let count = |(all, acked), parts: &[Part]| (all + 1, acked + u32::from(parts[0].acked()));
        self.parts.chunk_by(same).fold((0, 0), count)
    }

    /// Sets the kind of the next attempt; another kind resets the count of BARs.
    pub(super) fn become_kind(&mut self, kind: Kind) {
        if std::mem::replace(&mut self.kind, kind) != kind {
            self.asked = 0;
        }
    }

    /// An internal collision: a failed attempt of its parts in which no frame is sent.
    pub(super) fn give_way(&mut self, now: u64) {
        (self.on_air_ns, self.known_ns, self.answer) = (0, 0, Answer::Missing);
        for part in &mut self.parts {
            if part.attempts == 0 {
                part.since = now;
            }
            part.attempts = part.attempts.saturating_add(u8::from(self.kind == Kind::Data));
            part.end = End::Collision;
        }
    }

    /// Charges channel time to its parts.
    #[inline]
    pub(super) fn charge(&mut self, ns: u64) {
        let mut split = self.split(ns);
        for part in &mut self.parts {
            part.air += split.share(part.bytes);
        }
    }

    /// Its share of channel time, to be split over all its parts, in their order.
    #[inline]
    fn split(&self, all_ns: u64) -> Split {
        let ns = self.share.ns(all_ns);
        Split { whole_ns: ns, whole_bytes: self.bytes, left_ns: ns, left_bytes: self.bytes, last: (0, 0) }
    }

    /// The attempt is over: `tell` what it meant for each part; those that are over
    /// leave. True if it failed: nothing was acknowledged, and something goes out again.
    #[inline]
    pub(super) fn settle(&mut self, config: &CellConfig, mut tell: impl FnMut(&mut Part, Settled)) -> bool {
        let (unicast, mut acked) = (self.link.is_some(), false);
        self.retain(|part| {
            let settled = part.settle(unicast, config);
            acked |= settled.acked;
            tell(part, settled);
            !settled.over
        });
        !acked && !self.is_empty()
    }

    /// Lets every part go for which `stays` is false.
    #[inline]
    fn retain(&mut self, mut stays: impl FnMut(&mut Part) -> bool) {
        let mut kept = 0;
        for i in 0..self.parts.len() {
            let part = &mut self.parts[i];
            if stays(part) {
                if kept < i {
                    self.parts.swap(kept, i);
                }
                kept += 1;
            } else {
                self.bytes -= part.bytes;
            }
        }
        if kept < self.parts.len() {
            self.parts.truncate(kept);
            self.length = None;
        }
    }
}

/// Time that is split by bytes; the last byte takes the remainder.
struct Split {
    whole_ns: u64,
    whole_bytes: u32,
    left_ns: u64,
    left_bytes: u32,
    /// Bytes of the part before, and its share, ns: most parts are equally long.
    last: (u32, u64),
}

impl Split {
    #[inline]
    fn share(&mut self, bytes: u32) -> u64 {
        self.left_bytes -= bytes;
        let share = match self.left_bytes {
            0 => self.left_ns,
            _ if bytes == self.last.0 => self.last.1,
            _ => self.whole_ns * u64::from(bytes) / u64::from(self.whole_bytes),
        };
        self.last = (bytes, share);
        self.left_ns -= share;
        share
    }
}

mod attempt;
#[cfg(test)]
mod tests;
