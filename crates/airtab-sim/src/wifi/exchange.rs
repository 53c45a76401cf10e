// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Frame exchanges: what a contender sends at once, made of parts.
//!
//! A part is a packet with its discipline's ticket, attempts, airtime and fate of
//! its own. The parts of an exchange go out together and share one ACK; those
//! that are not over stay in it and go out again. Its channel time is split over
//! them by their bytes, to the last nanosecond. A beacon is an exchange without
//! parts. IEEE 802.11-2020 10.3.4.4 (attempts).
//!
//! A contender has one exchange and uses it again and again, so that it takes memory
//! only when it is to have more parts than ever before.
//!
//! What it does not do: nobody joins an exchange that has begun, and an ACK says
//! all or nothing (no block ACK): the cell makes exchanges of one part.

use airtab_core::{Handle, Pool, Ticket, Tx};

use super::config::{CellConfig, DeliverOn};
use super::output::{End, Label};
use super::phy::{Frame, Radios};

/// A packet on its way.
pub(super) struct Part {
    pub(super) packet: Handle,
    pub(super) flow: u32,
    pub(super) label: u32,
    pub(super) ticket: Ticket,
    pub(super) bytes: u32,
    /// How often it was sent so far.
    pub(super) attempts: u8,
    /// Its receiver has it.
    pub(super) received: bool,
    /// How the attempt under way ends.
    pub(super) end: End,
    /// Start of the first attempt, ns.
    since: u64,
    /// Channel time of its own attempts and backoffs so far, ns.
    air: u64,
    /// As much of it as its receiver's discipline has been told of.
    heard: u64,
}

/// What follows the DATA of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub(super) fn new<T: Label>(pool: &Pool<T>, packet: Handle, ticket: Ticket) -> Part {
        Part {
            packet,
            flow: pool.flow(packet),
            label: pool.body(packet).label(),
            ticket,
            bytes: pool.bytes(packet),
            attempts: 0,
            received: false,
            end: End::Broadcast,
            since: 0,
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
    fn settle(&self, unicast: bool, config: &CellConfig) -> Settled {
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

    /// What it took, once it is over.
    #[inline]
    pub(super) fn tx(&self, acked: bool, now: u64) -> Tx {
        Tx { air: self.air, span: now - self.since, attempts: self.attempts, acked }
    }
}

/// A frame and the parts in it.
pub(super) struct Exchange {
    pub(super) frame: Frame,
    /// The station whose link it takes; None: to all, and nobody acknowledges.
    pub(super) link: Option<u16>,
    /// The transmitter that it is for; None: all.
    pub(super) to: Option<usize>,
    pub(super) parts: Vec<Part>,
    /// Sum of its parts, bytes.
    bytes: u32,
    /// What follows the DATA of the attempt under way.
    pub(super) answer: Answer,
    under_way: bool,
}

impl Exchange {
    /// There is none yet.
    pub(super) fn none() -> Exchange {
        Exchange {
            frame: Frame::default(),
            link: None,
            to: None,
            parts: Vec::with_capacity(1),
            bytes: 0,
            answer: Answer::None,
            under_way: false,
        }
    }

    /// There is one from now on, without parts yet.
    #[inline]
    pub(super) fn open(&mut self, frame: Frame, link: Option<u16>, to: Option<usize>) {
        debug_assert!(!self.under_way && self.is_empty());
        (self.frame, self.link, self.to) = (frame, link, to);
        self.under_way = true;
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

    /// Puts a part behind the others.
    #[inline]
    pub(super) fn push(&mut self, part: Part) {
        self.bytes += part.bytes;
        self.parts.push(part);
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// An attempt begins: how it will end for each part. Every DATA is drawn on
    /// its own, and the ACK if there is one.
    #[inline]
    pub(super) fn begin(&mut self, radios: &mut Radios, collided: bool, now: u64) {
        let loss = self.frame.loss;
        let mut answered = false;
        let mut split = self.split(self.frame.air_ns());
        for part in &mut self.parts {
            if part.attempts == 0 {
                part.since = now;
            }
            part.attempts += 1;
            part.air += split.share(part.bytes);
            part.end = match self.link {
                _ if collided => End::Collision,
                None => End::Broadcast,
                Some(link) if radios.loses(link, loss) => End::DataLost,
                Some(_) => End::Acked,
            };
            answered |= part.end == End::Acked;
        }
        self.answer = match self.link {
            None => Answer::None,
            Some(_) if !answered => Answer::Missing,
            Some(link) if radios.loses(link, loss) => Answer::Garbled,
            Some(_) => Answer::Ack,
        };
        if self.answer == Answer::Garbled {
            for part in self.parts.iter_mut().filter(|part| part.end == End::Acked) {
                part.end = End::AckLost;
            }
        }
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

    /// Charges channel time to its parts.
    #[inline]
    pub(super) fn charge(&mut self, ns: u64) {
        let mut split = self.split(ns);
        for part in &mut self.parts {
            part.air += split.share(part.bytes);
        }
    }

    /// Channel time to be split over all its parts, in their order.
    #[inline]
    fn split(&self, ns: u64) -> Split {
        Split { whole_ns: ns, whole_bytes: self.bytes, left_ns: ns, left_bytes: self.bytes }
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
                self.parts.swap(kept, i);
                kept += 1;
            } else {
                self.bytes -= part.bytes;
            }
        }
        self.parts.truncate(kept);
    }
}

/// Time that is split by bytes; the last byte takes the remainder.
struct Split {
    whole_ns: u64,
    whole_bytes: u32,
    left_ns: u64,
    left_bytes: u32,
}

impl Split {
    #[inline]
    fn share(&mut self, bytes: u32) -> u64 {
        self.left_bytes -= bytes;
        let share = match self.left_bytes {
            0 => self.left_ns,
            _ => self.whole_ns * u64::from(bytes) / u64::from(self.whole_bytes),
        };
        self.left_ns -= share;
        share
    }
}

#[cfg(test)]
mod tests;
