// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Transmitters that hold packets below their queue: from the queue to the driver, and from there into an exchange.
//!
//! What it does not do: which packets go together is the driver's business (`driver`).

use super::node::{receiver_at, receiver_of};
use super::*;
use crate::wifi::driver::Next;

impl Cell {
    /// Discards what is too old, fills a driver from its queue, and makes aggregates of what it has. A contender that
    /// has nothing left withdraws.
    #[inline(never)]
    pub(super) fn pull<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        let Transmitter { driver: Some(driver), contender, .. } = &self.transmitters[transmitter] else {
            return;
        };
        let sending = self.contenders[*contender].exchange.is_under_way();
        let ages = driver.ages();
        if !ages && !driver.has_room() && driver.is_prepared(sending) {
            return;
        }
        if ages {
            self.discard_old(transmitter, now);
        }
        self.fill(pool, transmitter, now);
        if ages {
            self.withdraw_empty(transmitter);
        }
    }

    /// Withdraws a contender whose exchange is not built yet and that has nothing to build it from.
    pub(super) fn withdraw_empty(&mut self, transmitter: usize) {
        let own = &mut self.transmitters[transmitter];
        let (contender, exchange) = (own.contender, &mut self.contenders[own.contender].exchange);
        let empty = own.driver.as_ref().is_some_and(|driver| driver.builds_late() && !driver.has_next());
        if !empty || !exchange.is_unbuilt() {
            return;
        }
        exchange.close();
        // A beacon that waits has the place of what was to be built.
        if let Some(beacon) = own.take_beacon() {
            exchange.open(Kind::Beacon, None, None);
            exchange.frame = beacon;
            return;
        }
        self.channel.withdraw(contender);
        if let Some((_, air)) = self.mesh.as_mut().and_then(|mesh| mesh.parts()) {
            air.withdraw(contender);
        }
    }

    /// Fills a driver from its queue, and makes aggregates of what it has.
    #[inline]
    fn fill<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        let mut into = transmitter;
        let has_room = |own: &Transmitter| own.driver.as_ref().is_some_and(|driver| driver.has_room());
        while has_room(&self.transmitters[transmitter]) && has_room(&self.transmitters[into]) {
            let Some(left) = self.dequeue(pool, transmitter, now) else { break };
            let side = self.transmitters[transmitter].side;
            let promoted = self.promotes(pool, transmitter, &left);
            let packet = pool.view(left.packet);
            let receiver = match side {
                Side::Station(_) => Some(0),
                Side::AccessPoint | Side::Node(_) => {
                    Some(packet.sta).filter(|sta| *sta != GROUP).map(usize::from)
                }
            };
            let mut part = Part::new(&packet, left, now);
            let mut to = transmitter;
            if let Some(category) = promoted {
                (part.promoted, to, into) = (true, category, category);
                self.stirred |= 1 << category;
            }
            self.transmitters[to].driver.as_mut().expect("it has room").take(part, receiver);
        }
        self.prepare(transmitter);
    }

    /// Transmitter that sends a packet of the access point's best effort instead, if its flow is light and the packet has no
    /// DSCP.
    #[inline]
    fn promotes<T: Label>(&self, pool: &Pool<T>, transmitter: usize, left: &Left) -> Option<usize> {
        if left.ticket.up == 0 || self.categories == 1 || transmitter != Category::BestEffort as usize {
            return None;
        }
        let category = Category::of_light(left.ticket.up).filter(|_| pool.dscp(left.packet) == 0);
        category.map(|category| category as usize)
    }

    /// Number of the transmitter whose queue a packet left that `transmitter` sends.
    #[inline]
    pub(super) fn queue_of(transmitter: usize, part: &Part) -> usize {
        if part.promoted { Category::BestEffort as usize } else { transmitter }
    }

    /// Discards packets that have waited in a driver for longer than its lifetime.
    #[inline(never)]
    fn discard_old(&mut self, transmitter: usize, now: u64) {
        let old = self.transmitters[transmitter].driver.as_mut().map(|driver| driver.take_old(now));
        let old = old.unwrap_or_default();
        let reports_later = !old.is_empty() && !self.tells_at_once;
        for (receiver, part) in old {
            let side = self.transmitters[transmitter].side;
            let (link, to) = self.way(side, receiver.map_or(GROUP, |receiver| receiver as u16));
            let tx = part.tx(false, now);
            let driver = self.transmitters[transmitter].driver.as_mut();
            let last = driver.is_none_or(|driver| driver.decided(receiver, &part, true)) || part.promoted;
            let queue = Cell::queue_of(transmitter, &part);
            if part.promoted {
                self.stirred |= 1 << queue;
            }
            let egress = &mut self.transmitters[queue].egress;
            egress.sent(receiver_at(side, link, receiver), part.bytes, part.report(tx), last, now);
            let below_ns = if part.attempts > 0 { part.below_ns() } else { part.held_ns(now) };
            let way = Way { below_ns, ..Way::default() };
            side.sent(&mut self.outputs, to, part.label, tx, way);
            if !part.received {
                self.outputs.push(Output::Lost(part.packet));
            }
        }
        if reports_later {
            self.set_alarm();
        }
    }

    /// Makes aggregates of what a driver has.
    pub(super) fn prepare(&mut self, transmitter: usize) {
        let Transmitter { side, driver: Some(driver), contender, .. } = &mut self.transmitters[transmitter]
        else {
            return;
        };
        let Contender { exchange, txop_ns, .. } = &self.contenders[*contender];
        let sending = exchange.is_under_way();
        if driver.is_prepared(sending) {
            return;
        }
        driver.prepare(sending, bounds(&self.config, &self.radios, self.mesh.as_deref(), *side, *txop_ns));
    }

    /// The next exchange of a driver; where it builds late, that there will be one. False: nothing is there.
    #[inline(never)]
    pub(super) fn load_next(&mut self, transmitter: usize, now: u64) -> bool {
        let Transmitter { driver: Some(driver), contender, .. } = &self.transmitters[transmitter] else {
            return false;
        };
        if !driver.builds_late() {
            return self.set_out_next(transmitter, now);
        }
        let is_there = driver.has_next();
        if is_there {
            self.contenders[*contender].exchange.await_win();
        }
        is_there
    }

    /// A contender has the channel: if its driver builds late, its exchange takes the packets that wait now. A repeated
    /// exchange keeps its packets and takes more behind them.
    #[inline(never)]
    pub(super) fn build<T: Label>(&mut self, pool: &mut Pool<T>, contender: usize, now: u64) {
        let transmitter = self.contenders[contender].transmitter;
        let is_late = self.transmitters[transmitter].driver.as_ref().is_some_and(|own| own.builds_late());
        if !is_late || self.contenders[contender].exchange.kind == Kind::Beacon {
            return;
        }
        // Nothing is discarded here: who has won sends something.
        self.fill(pool, transmitter, now);
        if self.contenders[contender].exchange.is_unbuilt() {
            let built = self.set_out_next(transmitter, now);
            assert!(built, "a contender has something to send");
            return;
        }
        let Transmitter { side, driver, .. } = &mut self.transmitters[transmitter];
        let Contender { exchange, txop_ns, .. } = &mut self.contenders[contender];
        let mesh = self.mesh.as_deref();
        let receiver = receiver_of(mesh, *side, exchange.link);
        let numbered = exchange.parts.last().is_some_and(|part| part.sequence.is_some());
        if let (Kind::Data, true, Some(driver)) = (exchange.kind, numbered, driver) {
            let bounds = bounds(&self.config, &self.radios, mesh, *side, *txop_ns)(receiver);
            driver.extend(receiver.expect("what is numbered is for one"), exchange, &bounds);
        }
        self.aim(transmitter, now);
    }

    /// Aims an exchange that is repeated, unless it is built when its sender wins, and fills the driver.
    pub(super) fn prepare_again<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        let Some(driver) = &self.transmitters[transmitter].driver else { return };
        if !driver.builds_late() {
            self.aim(transmitter, now);
        }
        self.pull(pool, transmitter, now);
    }

    /// Fills the exchange of a driver's contender with the next packets or a BAR. False: there are none.
    fn set_out_next(&mut self, transmitter: usize, now: u64) -> bool {
        let Transmitter { side, driver: Some(driver), contender, .. } = &mut self.transmitters[transmitter]
        else {
            return false;
        };
        let (side, number) = (*side, *contender);
        let Contender { exchange, txop_ns, .. } = &mut self.contenders[number];
        let bounds = bounds(&self.config, &self.radios, self.mesh.as_deref(), side, *txop_ns);
        let Some(next) = driver.next(exchange, bounds) else { return false };
        let (kind, receiver) = match next {
            Next::Data(receiver) => (Kind::Data, receiver),
            Next::Bar(receiver) => (Kind::Bar, Some(receiver)),
        };
        let (link, to) = self.way(side, receiver.map_or(GROUP, |receiver| receiver as u16));
        self.contenders[number].exchange.set_out(kind, link, to);
        if self.config.ofdma.is_some() && kind == Kind::Data {
            self.gather(transmitter);
        }
        self.aim(transmitter, now);
        self.prepare(transmitter);
        true
    }
}

/// Bounds of an aggregate of a side, by receiver; None: to a group.
fn bounds(
    config: &CellConfig,
    radios: &Radios,
    mesh: Option<&Mesh>,
    side: Side,
    txop_ns: u64,
) -> impl Fn(Option<usize>) -> Bounds {
    move |receiver| match (side, receiver) {
        (_, None) => Bounds::single(config.phy.mac_bytes()),
        (Side::Station(station), _) => radios.bounds(&radios.rate(station, false), txop_ns),
        (Side::AccessPoint, Some(station)) => radios.bounds(&radios.rate(station as u16, true), txop_ns),
        (Side::Node(node), Some(number)) => match mesh {
            Some(mesh) if mesh.aggregates(node) => {
                let (link, first) = mesh.link(node, number as u16);
                radios.bounds(&radios.rate(link, first), txop_ns)
            }
            _ => Bounds::single(config.phy.mac_bytes()),
        },
    }
}
