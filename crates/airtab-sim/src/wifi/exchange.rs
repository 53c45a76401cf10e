//! Frame exchanges: what a contender sends at once, made of parts.
//!
//! A part is a packet with its discipline's ticket, attempts, airtime and fate of
//! its own. The parts of an exchange go out together and share one ACK; those
//! that are not over stay in it and go out again. Its channel time is split over
//! them by their bytes, to the last nanosecond. A beacon is an exchange without
//! parts. IEEE 802.11-2020 10.3.4.4 (attempts).
//!
//! All parts of a cell live in one slab ([`Parts`]), linked in the order of their
//! exchange: exchanges grow and shrink without moving a part or taking memory.
//!
//! What it does not do: nobody joins an exchange that has begun, and an ACK says
//! all or nothing (no block ACK): the cell makes exchanges of one part.

use airtab_core::{Handle, Pool, Ticket, Tx};

use super::config::{CellConfig, DeliverOn};
use super::output::{End, Label};
use super::phy::{Frame, Radios};

/// No part.
const NONE: u32 = u32::MAX;

/// Places for the parts of a cell's exchanges. A place that is free is linked to
/// the next one as a part is, and taken first.
pub(super) struct Parts {
    places: Vec<Part>,
    free: u32,
}

impl Parts {
    pub(super) fn with_capacity(parts: usize) -> Parts {
        Parts { places: Vec::with_capacity(parts), free: NONE }
    }

    #[inline]
    fn insert(&mut self, part: Part) -> u32 {
        if self.free == NONE {
            self.places.push(part);
            return self.places.len() as u32 - 1;
        }
        let number = self.free;
        let place = self.at(number);
        let next = std::mem::replace(place, part).next;
        self.free = next;
        number
    }

    #[inline]
    fn remove(&mut self, number: u32) {
        self.at(number).next = self.free;
        self.free = number;
    }

    #[inline]
    fn at(&mut self, number: u32) -> &mut Part {
        &mut self.places[number as usize]
    }
}

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
    next: u32,
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
            next: NONE,
        }
    }

    /// The attempt is over. `unicast`: somebody acknowledges.
    #[inline]
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
    first: u32,
    last: u32,
    /// Sum of its parts, bytes.
    bytes: u32,
    /// The receiver of the attempt under way gets nothing but errors.
    pub(super) garbled: bool,
}

impl Exchange {
    /// Without parts.
    #[inline]
    pub(super) fn new(frame: Frame, link: Option<u16>, to: Option<usize>) -> Exchange {
        Exchange { frame, link, to, first: NONE, last: NONE, bytes: 0, garbled: false }
    }

    /// Puts a part behind the others.
    #[inline]
    pub(super) fn push(&mut self, parts: &mut Parts, part: Part) {
        self.bytes += part.bytes;
        let number = parts.insert(part);
        match self.last {
            NONE => self.first = number,
            last => parts.at(last).next = number,
        }
        self.last = number;
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.first == NONE
    }

    /// Its parts, in their order.
    pub(super) fn parts<'a>(&self, parts: &'a Parts) -> impl Iterator<Item = &'a Part> {
        let mut at = self.first;
        std::iter::from_fn(move || {
            let part = parts.places.get(at as usize)?;
            at = part.next;
            Some(part)
        })
    }

    #[inline]
    pub(super) fn for_each(&self, parts: &mut Parts, mut act: impl FnMut(&mut Part)) {
        let mut at = self.first;
        while at != NONE {
            let part = parts.at(at);
            act(part);
            at = part.next;
        }
    }

    /// An attempt begins: how it will end for each part. Every DATA is drawn on
    /// its own, and the ACK if there is one.
    #[inline]
    pub(super) fn begin(&mut self, parts: &mut Parts, radios: &mut Radios, collided: bool, now: u64) {
        let error_rate = self.frame.error_rate;
        let mut answered = false;
        let mut split = self.split(self.frame.air_ns());
        self.for_each(parts, |part| {
            if part.attempts == 0 {
                part.since = now;
            }
            part.attempts += 1;
            part.air += split.share(part);
            part.end = match self.link {
                _ if collided => End::Collision,
                None => End::Broadcast,
                Some(link) if radios.loses(link, error_rate) => End::DataLost,
                Some(_) => End::Acked,
            };
            answered |= part.end == End::Acked;
        });
        self.garbled = self.link.is_some() && !collided && !answered;
        if let (true, Some(link)) = (answered, self.link)
            && radios.loses(link, error_rate)
        {
            let unheard = |end| if end == End::Acked { End::AckLost } else { end };
            self.for_each(parts, |part| part.end = unheard(part.end));
        }
    }

    /// Charges channel time to its parts.
    #[inline]
    pub(super) fn charge(&self, parts: &mut Parts, ns: u64) {
        let mut split = self.split(ns);
        self.for_each(parts, |part| part.air += split.share(part));
    }

    /// Channel time to be split over all its parts, in their order.
    #[inline]
    fn split(&self, ns: u64) -> Split {
        Split { whole_ns: ns, whole_bytes: self.bytes, left_ns: ns, left_bytes: self.bytes }
    }

    /// The attempt is over: `tell` what it meant for each part; those that are over
    /// leave. True if it failed: nothing was acknowledged, and something goes out again.
    #[inline]
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
    #[inline]
    fn retain(&mut self, parts: &mut Parts, mut stays: impl FnMut(&mut Part) -> bool) {
        let (mut before, mut at) = (NONE, self.first);
        while at != NONE {
            let part = parts.at(at);
            let next = part.next;
            if stays(part) {
                before = at;
            } else {
                self.bytes -= part.bytes;
                parts.remove(at);
                match before {
                    NONE => self.first = next,
                    before => parts.at(before).next = next,
                }
                if self.last == at {
                    self.last = before;
                }
            }
            at = next;
        }
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
    fn share(&mut self, part: &Part) -> u64 {
        self.left_bytes -= part.bytes;
        let share = match self.left_bytes {
            0 => self.left_ns,
            _ => self.whole_ns * u64::from(part.bytes) / u64::from(self.whole_bytes),
        };
        self.left_ns -= share;
        share
    }
}

#[cfg(test)]
mod tests;
