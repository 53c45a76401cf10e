// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a transmitter holds below its queue: a driver's ring, a list for each receiver, and aggregates made of
//! them (A-MPDU, A-MSDU: IEEE 802.11-2020 9.7, 9.3.2.2.2, 10.12).
//!
//! Packets that leave the queue are here until their fate is decided. An aggregate holds what waits for one
//! receiver, repetitions first. `aggregates` of them are prepared, the one on the air included, and do not change
//! any more. With 0, an aggregate is built when its sender wins the channel. Its bounds depend on the rate ([`Bounds`]).
//!
//! The receivers' ends are here too (`reorder`), one beside each window (`block_ack`).
//!
//! What it does not do: one TID for each category; a list is for ever; groups get their packets one by one,
//! unnumbered.

use std::collections::VecDeque;

use airtab_core::Handle;

use super::aggregate::{Bounds, Length, Mpdu};
use super::block_ack::Window;
use super::config::{Aggregation, Completions, DriverConfig, Order};
use super::exchange::{Exchange, Part};
use super::reorder::Reorder;
use super::reports::Undecided;
use crate::engine::NEVER;

/// Packets for which a list has room from the start, if the ring has.
const LIST: usize = 64;

/// The ring and what is made of it.
pub(super) struct Driver {
    ring: usize,
    aggregates: usize,
    order: Order,
    /// Longest wait in a list, ns.
    lifetime_ns: u64,
    /// One for each receiver, then that of the groups.
    lists: Vec<List>,
    /// Lists in whose turn it is next, of those that have something to send.
    turns: VecDeque<usize>,
    /// Made and not sent yet, the first to be sent in front.
    prepared: VecDeque<Aggregate>,
    /// Empty vectors for further ones.
    spare: Vec<Vec<Part>>,
    /// Receivers that have to be told where their window begins.
    bars: usize,
    /// Packets here, those on the air included.
    held: usize,
    /// Packets that came so far.
    came: u64,
    /// The first of the deadlines of all receivers.
    deadline: u64,
    /// None: nobody wants to know when an aggregate is over.
    undecided: Option<Undecided>,
}

/// What waits for one receiver, and the agreement with it.
struct List {
    waiting: VecDeque<Part>,
    /// None of the groups, and where nothing is aggregated.
    agreement: Option<Agreement>,
    /// It has a place in `turns`.
    has_turn: bool,
    /// Its receiver is asleep: nothing is sent to it.
    asleep: bool,
    /// Attempts in succession that it did not answer, of what is back here.
    failures: u32,
}

struct Agreement {
    window: Window,
    reorder: Reorder,
    /// A BAR has to be sent: now, and once the receiver answers again.
    bar: bool,
    bar_later: bool,
}

/// What is to be sent at once.
struct Aggregate {
    list: usize,
    parts: Vec<Part>,
    /// Length of its parts; None: unknown.
    length: Option<Length>,
}

/// What goes out next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The parts that the exchange has now, to a receiver; None: to a group.
    Data(Option<usize>),
    /// A BAR to a receiver.
    Bar(usize),
}

impl Driver {
    /// For so many receivers, nothing in it.
    pub(super) fn new(config: &DriverConfig, aggregation: Option<&Aggregation>, receivers: usize) -> Driver {
        let agreement = |a: &Aggregation| Agreement {
            window: Window::new(a.window),
            reorder: Reorder::new(a.window),
            bar: false,
            bar_later: false,
        };
        let waiting = || VecDeque::with_capacity(config.ring.min(LIST));
        let list =
            |agreement| List { waiting: waiting(), agreement, has_turn: false, asleep: false, failures: 0 };
        let lists = (0..receivers).map(|_| list(aggregation.map(agreement))).chain([list(None)]).collect();
        Driver {
            ring: if config.stop { config.ring } else { usize::MAX },
            aggregates: config.aggregates,
            order: config.order,
            lifetime_ns: config.lifetime_ns.unwrap_or(NEVER),
            lists,
            turns: VecDeque::with_capacity(receivers + 1),
            prepared: VecDeque::with_capacity(config.aggregates),
            spare: Vec::new(),
            bars: 0,
            held: 0,
            came: 0,
            deadline: NEVER,
            undecided: (config.completions == Completions::Aggregate).then(Undecided::new),
        }
    }

    /// A receiver falls asleep or wakes: while it sleeps nothing new is sent to it, and what is for it stays here.
    pub(super) fn sleep(&mut self, receiver: usize, asleep: bool) {
        self.lists[receiver].asleep = asleep;
        self.wants(receiver);
        let is_for_it = |aggregate: &Aggregate| aggregate.list == receiver;
        while let Some(place) = self.prepared.iter().rposition(is_for_it).filter(|_| asleep) {
            let Aggregate { mut parts, .. } = self.prepared.remove(place).expect("it is there");
            while let Some(part) = parts.pop() {
                self.take_back(receiver, part);
            }
            self.spare.push(parts);
        }
    }

    /// A receiver has no block acknowledgement agreement: each packet to it is an MPDU without a number.
    pub(super) fn forget_agreement(&mut self, receiver: usize) {
        self.lists[receiver].agreement = None;
    }

    /// Whether it takes another packet.
    pub(super) fn has_room(&self) -> bool {
        self.held < self.ring
    }

    /// True if enough aggregates are prepared; `sending`: one is on the air.
    #[inline]
    pub(super) fn is_prepared(&self, sending: bool) -> bool {
        self.prepared.len() + usize::from(sending) >= self.aggregates
    }

    /// Takes a packet for a receiver; None: for a group.
    pub(super) fn take(&mut self, mut part: Part, receiver: Option<usize>) {
        part.place = self.came;
        (self.came, self.held) = (self.came + 1, self.held + 1);
        let list = receiver.unwrap_or(self.lists.len() - 1);
        self.lists[list].waiting.push_back(part);
        self.wants(list);
    }

    /// True if its packets have a lifetime.
    #[inline]
    pub(super) fn ages(&self) -> bool {
        self.lifetime_ns != NEVER
    }

    /// Takes packets out of the lists that have waited for longer than their lifetime, each with its receiver; those of
    /// one number leave together.
    pub(super) fn take_old(&mut self, now: u64) -> Vec<(Option<usize>, Part)> {
        let mut old = Vec::new();
        for list in 0..self.lists.len() {
            let (receiver, waiting) = (self.receiver(list), &mut self.lists[list].waiting);
            while let Some(part) = waiting.pop_front_if(|part| part.held_ns(now) > self.lifetime_ns) {
                let number = part.sequence;
                old.push((receiver, part));
                while number.is_some()
                    && let Some(part) = waiting.pop_front_if(|part| part.sequence == number)
                {
                    old.push((receiver, part));
                }
            }
        }
        old
    }

    /// Makes aggregates of what waits, until enough are prepared; `sending`: one is on the air.
    pub(super) fn prepare(&mut self, sending: bool, bounds: impl Fn(Option<usize>) -> Bounds) {
        while !self.is_prepared(sending) {
            let Some(list) = self.choose(|_, _| true) else { return };
            let bounds = bounds(self.receiver(list));
            let aggregate = self.make(list, &bounds);
            self.prepared.push_back(aggregate);
        }
    }

    /// An aggregate of what waits in a list.
    fn make(&mut self, list: usize, bounds: &Bounds) -> Aggregate {
        let mut parts = self.spare.pop().unwrap_or_default();
        let length = self.lists[list].fill(Length::default(), bounds, &mut parts);
        if let Some(undecided) = &mut self.undecided {
            undecided.made(&mut parts);
        }
        self.wants(list);
        Aggregate { list, parts, length }
    }

    /// Length of the MPDU that would go out first to a receiver, bytes; `mac`: what is around a packet. None:
    /// nothing would.
    pub(super) fn first_mpdu(&self, receiver: usize, mac: u32) -> Option<u32> {
        let prepared = self.prepared.iter().find(|aggregate| aggregate.list == receiver);
        let waiting = || self.lists[receiver].waiting.front().filter(|_| self.lists[receiver].may_send());
        let first = prepared.and_then(|aggregate| aggregate.parts.first()).or_else(waiting)?;
        Some(if first.sequence.is_some() { first.mpdu_bytes } else { mac + first.bytes })
    }

    /// What goes out next to one of the receivers that suit, into an exchange; `bounds`: of what is not
    /// prepared yet. Says to whom.
    pub(super) fn next_of(
        &mut self,
        exchange: &mut Exchange,
        suits: impl Fn(&Driver, usize) -> bool,
        bounds: impl Fn(usize) -> Bounds,
    ) -> Option<usize> {
        let groups = self.receivers();
        let suits = |driver: &Driver, list: usize| list != groups && suits(driver, list);
        let aggregate = match self.prepared.iter().position(|aggregate| suits(self, aggregate.list)) {
            Some(place) => self.prepared.remove(place)?,
            None => {
                let list = self.choose(suits)?;
                self.make(list, &bounds(list))
            }
        };
        self.spare.push(exchange.fill(aggregate.parts, aggregate.length));
        Some(aggregate.list)
    }

    /// Attempts in succession that a receiver did not answer, of what came back here: they are forgotten.
    pub(super) fn take_failures(&mut self, receiver: usize) -> u32 {
        std::mem::take(&mut self.lists[receiver].failures)
    }

    /// What comes back here was not answered, so often in succession.
    pub(super) fn failed(&mut self, receiver: usize, failures: u32) {
        self.lists[receiver].failures = failures;
    }

    /// True if aggregates are built when their sender wins the channel.
    pub(super) fn builds_late(&self) -> bool {
        self.aggregates == 0
    }

    /// True if [`Driver::next`] has something, where aggregates are built late.
    pub(super) fn has_next(&self) -> bool {
        let asks = |list: &List| !list.asleep && list.agreement.as_ref().is_some_and(|a| a.bar);
        self.turns.iter().any(|list| self.lists[*list].may_send())
            || (self.bars > 0 && self.lists.iter().any(asks))
    }

    /// Takes the next aggregate, into the exchange, or BAR; `bounds`: of an aggregate that is built late. None: there is
    /// none.
    pub(super) fn next(
        &mut self,
        exchange: &mut Exchange,
        bounds: impl Fn(Option<usize>) -> Bounds,
    ) -> Option<Next> {
        if self.bars > 0 {
            let asks = |list: &List| !list.asleep && list.agreement.as_ref().is_some_and(|a| a.bar);
            if let Some(asks) = self.lists.iter().position(asks) {
                return Some(Next::Bar(asks));
            }
        }
        let Aggregate { list, parts, length } = match self.builds_late() {
            false => self.prepared.pop_front()?,
            true => {
                let list = self.choose(|_, _| true)?;
                self.make(list, &bounds(self.receiver(list)))
            }
        };
        self.spare.push(exchange.fill(parts, length));
        Some(Next::Data(self.receiver(list)))
    }

    /// Adds the packets that came for its receiver meanwhile to an exchange that is repeated, behind its parts.
    pub(super) fn extend(&mut self, receiver: usize, exchange: &mut Exchange, bounds: &Bounds) {
        let length = Length::of(&exchange.parts, bounds);
        let mut parts = self.spare.pop().unwrap_or_default();
        self.lists[receiver].fill(length, bounds, &mut parts);
        if let Some(undecided) = self.undecided.as_mut().filter(|_| !parts.is_empty()) {
            undecided.made(&mut parts);
        }
        parts.drain(..).for_each(|part| exchange.push(part));
        self.spare.push(parts);
    }

    /// The packets of one number arrived at a receiver, for the first time: tells what it passes up. False:
    /// they came too late.
    pub(super) fn receive(
        &mut self,
        receiver: usize,
        sequence: u64,
        packets: impl Iterator<Item = Handle>,
        now: u64,
        up: impl FnMut(Handle),
    ) -> bool {
        let reorder = &mut self.agreement(receiver).reorder;
        let before = reorder.deadline();
        let in_time = reorder.receive(sequence, packets, now, up);
        if reorder.deadline() != before {
            self.look_ahead();
        }
        in_time
    }

    /// Where a receiver's window begins; None: it has none.
    pub(super) fn oldest(&self, receiver: usize) -> Option<u64> {
        self.lists[receiver].agreement.as_ref().map(|agreement| agreement.window.oldest())
    }

    /// A receiver got a BAR: tells what it passes up.
    pub(super) fn asked(&mut self, receiver: usize, up: impl FnMut(Handle)) {
        let agreement = self.agreement(receiver);
        agreement.reorder.bar(agreement.window.oldest(), up);
        self.look_ahead();
    }

    /// The answer to a BAR came, or will not come.
    pub(super) fn bar_over(&mut self, receiver: usize) {
        self.bars -= usize::from(std::mem::take(&mut self.agreement(receiver).bar));
    }

    /// A BAR was not answered: it is repeated once its receiver answers another frame.
    pub(super) fn postpone_bar(&mut self, receiver: usize) {
        self.agreement(receiver).bar_later = true;
    }

    /// A receiver answered: a BAR that was postponed is next.
    pub(super) fn answered(&mut self, receiver: usize) {
        if let Some(agreement) = &mut self.lists[receiver].agreement
            && std::mem::take(&mut agreement.bar_later)
            && !std::mem::replace(&mut agreement.bar, true)
        {
            self.bars += 1;
        }
    }

    /// A packet's fate is decided; `lost`: it was given up. True: no other one of its aggregate is open, as far as
    /// that is known.
    #[inline(always)]
    pub(super) fn decided(&mut self, receiver: Option<usize>, part: &Part, lost: bool) -> bool {
        self.held -= 1;
        if let (Some(receiver), Some(sequence)) = (receiver, part.sequence) {
            let agreement = self.agreement(receiver);
            agreement.window.decide(sequence);
            let asks = lost && !agreement.bar;
            agreement.bar |= lost;
            self.bars += usize::from(asks);
            self.wants(receiver);
        }
        let counted = self.undecided.as_mut().filter(|_| part.aggregate > 0);
        counted.is_none_or(|undecided| undecided.decided(part.aggregate))
    }

    /// Takes back what is to be repeated: it comes first in the next aggregate.
    pub(super) fn take_back(&mut self, receiver: usize, part: Part) {
        let waiting = &mut self.lists[receiver].waiting;
        // Numbered ones come first, by number; `part` is the last of its number.
        let earlier = |other: &&Part| other.sequence.is_some_and(|number| Some(number) < part.sequence);
        let place = waiting.iter().take_while(earlier).count();
        waiting.insert(place, part);
        self.wants(receiver);
    }

    /// Takes back the last MPDUs of what is to be sent, of that length, until it is within its bounds or there is
    /// one left; its length then.
    pub(super) fn trim(
        &mut self,
        receiver: usize,
        exchange: &mut Exchange,
        mut length: Length,
        bounds: &Bounds,
    ) -> Length {
        while length.mpdus > 1 && !length.is_within(bounds) {
            let number = exchange.parts.last().and_then(|part| part.sequence);
            while exchange.parts.last().is_some_and(|part| part.sequence == number) {
                self.take_back(receiver, exchange.pop().expect("it has a last one"));
            }
            length = Length::of(&exchange.parts, bounds);
        }
        length
    }

    /// When a receiver has waited long enough for what is missing.
    pub(super) fn deadline(&self) -> u64 {
        self.deadline
    }

    /// It is time for that: tells what they pass up.
    pub(super) fn expire(&mut self, now: u64, mut up: impl FnMut(Handle)) {
        for agreement in self.lists.iter_mut().filter_map(|list| list.agreement.as_mut()) {
            if agreement.reorder.deadline() <= now {
                agreement.reorder.expire(now, &mut up);
            }
        }
        self.look_ahead();
    }

    /// All that is here and not on the air: those that wait below the queue.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &Part> {
        let prepared = self.prepared.iter().flat_map(|aggregate| &aggregate.parts);
        self.lists.iter().flat_map(|list| &list.waiting).chain(prepared)
    }

    /// [`Driver::waiting`], to change them.
    pub(super) fn waiting_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        let prepared = self.prepared.iter_mut().flat_map(|aggregate| &mut aggregate.parts);
        self.lists.iter_mut().flat_map(|list| &mut list.waiting).chain(prepared)
    }

    /// Packets at receivers that wait for others.
    pub(super) fn reordering(&self) -> usize {
        self.lists.iter().filter_map(|list| list.agreement.as_ref()).map(|a| a.reorder.len()).sum()
    }

    /// How many it sends to.
    pub(super) fn receivers(&self) -> usize {
        self.lists.len() - 1
    }

    fn receiver(&self, list: usize) -> Option<usize> {
        Some(list).filter(|list| *list < self.receivers())
    }

    fn agreement(&mut self, receiver: usize) -> &mut Agreement {
        self.lists[receiver].agreement.as_mut().expect("what is numbered has one")
    }

    /// A list has a turn if it has something to send and had none.
    #[inline]
    fn wants(&mut self, list: usize) {
        let own = &mut self.lists[list];
        if !own.has_turn && own.may_send() {
            own.has_turn = true;
            self.turns.push_back(list);
        }
    }

    /// Whose turn it is now, of those that suit; he has none any more.
    fn choose(&mut self, suits: impl Fn(&Driver, usize) -> bool) -> Option<usize> {
        let lists = &mut self.lists;
        self.turns.retain(|list| {
            let own = &mut lists[*list];
            own.has_turn = own.may_send();
            own.has_turn
        });
        let first = |list: usize| self.lists[list].waiting.front().map_or(NEVER, |part| part.place);
        let mut places = (0..self.turns.len()).filter(|place| suits(self, self.turns[*place]));
        let place = match self.order {
            Order::RoundRobin => places.next()?,
            Order::Fifo => places.min_by_key(|place| first(self.turns[*place]))?,
        };
        let list = self.turns.remove(place)?;
        self.lists[list].has_turn = false;
        Some(list)
    }

    fn look_ahead(&mut self) {
        let agreements = self.lists.iter().filter_map(|list| list.agreement.as_ref());
        self.deadline = agreements.map(|a| a.reorder.deadline()).min().unwrap_or(NEVER);
    }
}

impl List {
    /// Whether its first packet may be sent.
    fn may_send(&self) -> bool {
        let Some(first) = self.waiting.front().filter(|_| !self.asleep) else { return false };
        first.sequence.is_some() || self.agreement.as_ref().is_none_or(|a| a.window.is_open())
    }

    /// Moves what makes an aggregate into `parts`, behind what has that length already: one MPDU at least in all. Returns
    /// the length of all; None: packets without a number.
    fn fill(&mut self, mut length: Length, bounds: &Bounds, parts: &mut Vec<Part>) -> Option<Length> {
        while length.mpdus == 0 || (length.mpdus < bounds.frames && self.may_send()) {
            let mpdu = Mpdu::first_of(self.waiting.iter(), bounds);
            let longer = length.with(&mpdu);
            if length.mpdus > 0 && longer.psdu > bounds.psdu {
                break;
            }
            length = longer;
            let first = self.waiting.front().and_then(|first| first.sequence);
            let sequence = first.or_else(|| self.agreement.as_mut().map(|a| a.window.take()));
            for mut part in (0..mpdu.packets).map_while(|_| self.waiting.pop_front()) {
                (part.sequence, part.mpdu_bytes) = (sequence, mpdu.bytes);
                parts.push(part);
            }
            sequence?;
        }
        Some(length)
    }
}
