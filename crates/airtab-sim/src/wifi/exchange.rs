//! Frame exchanges: what a contender sends at once, made of parts.
//!
//! A part is a packet with its discipline's ticket, attempts, airtime and fate of
//! its own. The parts of an exchange go out together and share one ACK; those
//! that are not over stay in it and go out again. Its channel time is split over
//! them by their bytes, to the last nanosecond. A beacon is an exchange without
//! parts. IEEE 802.11-2020 10.3.4.4 (attempts).
//!
//! All parts of a cell live in one slab, linked in the order of their exchange:
//! exchanges grow and shrink without moving a part or taking memory.
//!
//! What it does not do: nobody joins an exchange that has begun, and an ACK says
//! all or nothing (no block ACK): the cell makes exchanges of one part.

use airtab_core::{Handle, Pool, Ticket, Tx};
use slab::Slab;

use super::config::{CellConfig, DeliverOn};
use super::output::{End, Label};
use super::phy::{Frame, Radios};

/// No part.
const NONE: usize = usize::MAX;

/// The parts of a cell's exchanges.
pub(super) type Parts = Slab<Part>;

/// A packet on its way.
pub(super) struct Part {
    pub(super) packet: Handle,
    pub(super) flow: u32,
    pub(super) label: u32,
    pub(super) ticket: Ticket,
    bytes: u32,
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
    /// The next one of its exchange.
    next: usize,
}

/// What an attempt meant for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settled {
    /// It was received.
    pub(super) arrived: bool,
    /// For the first time.
    pub(super) anew: bool,
    /// Its sender knows.
    pub(super) acked: bool,
    /// It is not sent again.
    pub(super) over: bool,
}

impl Part {
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
            next: NONE,
        }
    }

    /// The attempt is over. `unicast`: somebody acknowledges.
    fn settle(&mut self, unicast: bool, config: &CellConfig) -> Settled {
        let acked = matches!(self.end, End::Acked | End::Broadcast);
        let arrived = acked || (self.end == End::AckLost && config.deliver_on == DeliverOn::Data);
        let anew = arrived && !self.received;
        self.received |= arrived;
        let over = acked || !unicast || self.attempts >= config.attempts;
        Settled { arrived, anew, acked, over }
    }

    /// Channel time that its receiver's discipline has not been told of: it is told now.
    pub(super) fn hear(&mut self) -> u64 {
        let air = self.air - self.heard;
        self.heard = self.air;
        air
    }

    /// What it took, once it is over.
    pub(super) fn tx(&self, acked: bool, now: u64) -> Tx {
        Tx { air: self.air, span: now - self.since, attempts: self.attempts, acked }
    }
}

/// A frame and the parts in it.
pub(super) struct Exchange {
    pub(super) frame: Frame,
    /// The station whose link it takes; None: to all, and nobody acknowledges.
    pub(super) link: Option<usize>,
    /// The transmitter that it is for; None: all.
    pub(super) to: Option<usize>,
    first: usize,
    last: usize,
    /// Sum of its parts, bytes.
    bytes: u64,
}

impl Exchange {
    /// Without parts.
    pub(super) fn new(frame: Frame, link: Option<usize>, to: Option<usize>) -> Exchange {
        Exchange { frame, link, to, first: NONE, last: NONE, bytes: 0 }
    }

    /// Puts a part behind the others.
    pub(super) fn push(&mut self, parts: &mut Parts, part: Part) {
        self.bytes += u64::from(part.bytes);
        let number = parts.insert(part);
        match self.last {
            NONE => self.first = number,
            last => parts[last].next = number,
        }
        self.last = number;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Its parts, in their order.
    pub(super) fn parts<'a>(&self, parts: &'a Parts) -> impl Iterator<Item = &'a Part> {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let part = parts.get(at)?;
            at = part.next;
            Some(part)
        })
    }

    pub(super) fn for_each(&self, parts: &mut Parts, mut act: impl FnMut(&mut Part)) {
        let mut at = self.first;
        while at != NONE {
            let part = &mut parts[at];
            act(part);
            at = part.next;
        }
    }

    /// The attempt is over: `tell` what it meant for each part; those that are over
    /// leave. True if it failed: nothing was acknowledged, and something goes out again.
    pub(super) fn settle(
        &mut self,
        parts: &mut Parts,
        config: &CellConfig,
        mut tell: impl FnMut(&mut Part, Settled),
    ) -> bool {
        let (unicast, mut acked) = (self.link.is_some(), false);
        self.retain(parts, |part| {
            let settled = part.settle(unicast, config);
            acked |= settled.acked;
            tell(part, settled);
            !settled.over
        });
        !acked && !self.is_empty()
    }

    /// Lets every part go for which `stays` is false.
    fn retain(&mut self, parts: &mut Parts, mut stays: impl FnMut(&mut Part) -> bool) {
        let (mut before, mut at) = (NONE, self.first);
        while at != NONE {
            let part = &mut parts[at];
            let next = part.next;
            if stays(part) {
                before = at;
            } else {
                self.bytes -= u64::from(parts.remove(at).bytes);
                match before {
                    NONE => self.first = next,
                    before => parts[before].next = next,
                }
                if self.last == at {
                    self.last = before;
                }
            }
            at = next;
        }
    }

    /// An attempt begins: how it will end for each part. Every DATA is drawn on
    /// its own, and the ACK if there is one.
    pub(super) fn begin(&self, parts: &mut Parts, radios: &mut Radios, collided: bool, now: u64) {
        let error_rate = self.frame.error_rate;
        let mut answered = false;
        self.for_each(parts, |part| {
            if part.attempts == 0 {
                part.since = now;
            }
            part.attempts += 1;
            part.end = match self.link {
                _ if collided => End::Collision,
                None => End::Broadcast,
                Some(link) if radios.loses(link, error_rate) => End::DataLost,
                Some(_) => End::Acked,
            };
            answered |= part.end == End::Acked;
        });
        if let (true, Some(link)) = (answered, self.link)
            && radios.loses(link, error_rate)
        {
            let unheard = |end| if end == End::Acked { End::AckLost } else { end };
            self.for_each(parts, |part| part.end = unheard(part.end));
        }
        self.charge(parts, self.frame.air_ns());
    }

    /// Splits channel time over the parts by their bytes, the remainder to the last.
    pub(super) fn charge(&self, parts: &mut Parts, ns: u64) {
        let mut left = ns;
        let mut at = self.first;
        while at != NONE {
            let part = &mut parts[at];
            let share = if at == self.last { left } else { ns * u64::from(part.bytes) / self.bytes };
            part.air += share;
            left -= share;
            at = part.next;
        }
    }

    /// Whether its receiver got nothing but errors.
    pub(super) fn garbled(&self, parts: &Parts) -> bool {
        !self.is_empty() && self.parts(parts).all(|part| part.end == End::DataLost)
    }
}

#[cfg(test)]
mod tests;
