// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Transmitters that hold packets below their queue: from the queue to the driver, and from there into an exchange.
//!
//! What it does not do: which packets go together is the driver's business (`driver`).

use super::node::receiver_at;
use super::*;
use crate::wifi::driver::Next;

impl Cell {
    /// Fills a driver from its queue, and makes aggregates of what it has.
    #[inline(never)]
    pub(super) fn pull<T: Label>(&mut self, pool: &mut Pool<T>, transmitter: usize, now: u64) {
        self.discard_old(transmitter, now);
        while self.transmitters[transmitter].driver.as_ref().is_some_and(|driver| driver.has_room()) {
            let Some(left) = self.dequeue(pool, transmitter, now) else { break };
            let Transmitter { side, driver, .. } = &mut self.transmitters[transmitter];
            let packet = pool.view(left.packet);
            let receiver = match side {
                Side::Station(_) => Some(0),
                Side::AccessPoint | Side::Node(_) => {
                    Some(packet.sta).filter(|sta| *sta != GROUP).map(usize::from)
                }
            };
            driver.as_mut().expect("it has room").take(Part::new(&packet, left, now), receiver);
        }
        self.prepare(transmitter);
    }

    /// Discards packets that have waited in a driver for longer than its lifetime.
    fn discard_old(&mut self, transmitter: usize, now: u64) {
        let old = self.transmitters[transmitter].driver.as_mut().map(|driver| driver.take_old(now));
        for (receiver, part) in old.into_iter().flatten() {
            let side = self.transmitters[transmitter].side;
            let (link, to) = self.way(side, receiver.map_or(GROUP, |receiver| receiver as u16));
            let Transmitter { egress, driver, .. } = &mut self.transmitters[transmitter];
            let tx = part.tx(false, now);
            let last = driver.as_mut().is_none_or(|driver| driver.decided(receiver, &part, true));
            egress.sent(receiver_at(side, link, receiver), part.bytes, part.report(tx), last, now);
            let below_ns = if part.attempts > 0 { part.below_ns() } else { part.held_ns(now) };
            let way = Way { below_ns, ..Way::default() };
            self.outputs.push(side.sent(to, part.label, tx, way));
            if !part.received {
                self.outputs.push(Output::Lost(part.packet));
            }
        }
    }

    /// Makes aggregates of what a driver has.
    pub(super) fn prepare(&mut self, transmitter: usize) {
        let Transmitter { side, driver: Some(driver), contender, .. } = &mut self.transmitters[transmitter]
        else {
            return;
        };
        let Contender { exchange, txop_ns, .. } = &self.contenders[*contender];
        let (side, sending) = (*side, exchange.is_under_way());
        driver.prepare(sending, |receiver| match (side, receiver) {
            (_, None) => Bounds::single(self.config.phy.mac_bytes()),
            (Side::Station(station), _) => self.radios.bounds(&self.radios.rate(station, false), *txop_ns),
            (Side::AccessPoint, Some(station)) => {
                self.radios.bounds(&self.radios.rate(station as u16, true), *txop_ns)
            }
            (Side::Node(node), Some(number)) => match &self.mesh {
                Some(mesh) if mesh.aggregates(node) => {
                    let (link, first) = mesh.link(node, number as u16);
                    self.radios.bounds(&self.radios.rate(link, first), *txop_ns)
                }
                _ => Bounds::single(self.config.phy.mac_bytes()),
            },
        });
    }

    /// The next exchange of a driver.
    #[inline(never)]
    pub(super) fn load_next(&mut self, transmitter: usize, now: u64) -> bool {
        let Transmitter { side, driver, contender, .. } = &mut self.transmitters[transmitter];
        let (side, number) = (*side, *contender);
        let exchange = &mut self.contenders[number].exchange;
        let Some(next) = driver.as_mut().and_then(|driver| driver.next(exchange)) else { return false };
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
