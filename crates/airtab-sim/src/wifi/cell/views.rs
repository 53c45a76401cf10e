// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a host may look at in a cell: its disciplines, where its time went, what it holds.
//!
//! What it does not do: nothing changes by being looked at but what the tap takes.

use super::node::receiver_of;
use super::*;
use crate::wifi::tap::Seen;

impl Cell {
    /// Attempts in progress, for readers of the run.
    #[cold]
    pub(super) fn note(&mut self) {
        let senders = self.channel.senders();
        for &sender in senders {
            let contender = &self.contenders[sender];
            let Transmitter { side, driver, .. } = &self.transmitters[contender.transmitter];
            for exchange in contender.together() {
                let receiver = receiver_of(self.mesh.as_deref(), *side, exchange.link).zip(driver.as_ref());
                let seen = Seen {
                    exchange,
                    radio: contender.transmitter / self.categories,
                    category: match self.categories {
                        1 => Category::BestEffort,
                        _ => Category::ALL[sender % self.categories],
                    },
                    oldest: receiver.and_then(|(receiver, driver)| driver.oldest(receiver)),
                };
                let collided = senders.len() > 1 && self.survivor != Some(sender);
                self.tap.note(&seen, self.channel.busy_from(), collided);
            }
        }
    }

    /// The access point's discipline; of best effort, where there are access categories.
    pub fn queue(&self) -> &Qdisc {
        self.queues().nth(Category::BestEffort as usize % self.categories).expect("it has one")
    }

    /// The access point's disciplines: one, or one for each access category.
    pub fn queues(&self) -> impl Iterator<Item = &Qdisc> {
        let down = self.transmitters[..self.served()].iter();
        down.filter_map(|transmitter| transmitter.egress.managed().map(Managed::queue))
    }

    /// Where the channel's time went until `now`; the parts sum to it. And how often it was tried.
    pub fn air(&self, now: u64) -> AirTrace {
        if let Some(air) = self.mesh.as_ref().and_then(|mesh| mesh.air.as_ref()) {
            return air.trace(now);
        }
        let (attempts, collided) = self.channel.attempts();
        // Of a mesh, the first node's.
        let down =
            |number: usize| matches!(self.transmitters[number].side, Side::AccessPoint | Side::Node(0));
        let contention = self.channel.contention();
        AirTrace { attempts, collided, contention, ..self.channel.ledger().trace(now, down) }
    }

    /// Frame exchanges so far, collisions and beacons included.
    pub fn exchanges(&self) -> u64 {
        let apart = self.mesh.as_ref().and_then(|mesh| mesh.air.as_ref());
        apart.map_or(self.channel.exchanges(), |air| air.exchanges())
    }

    /// Switches reports of every attempt on or off.
    pub fn tap(&mut self, on: bool) {
        self.tap.switch(on && self.mesh.is_none());
    }

    /// Takes the attempts that ended since the last look; None while the tap
    /// is off. Look before [`Cell::poll`]: the packets are still there then.
    pub fn attempts(&mut self) -> Option<Vec<Attempt>> {
        self.tap.take()
    }

    /// Packets inside: held by the MACs and in uplink queues.
    pub fn held(&self) -> usize {
        let drivers = || self.transmitters.iter().filter_map(|t| t.driver.as_deref());
        let parts = self.contenders.iter().flat_map(|c| c.together().flat_map(|own| &own.parts));
        let parts = parts.chain(drivers().flat_map(|driver| driver.waiting()));
        let stations = self.transmitters.iter().filter(|t| matches!(t.side, Side::Station(_)));
        parts.filter(|part| !part.received).count()
            + drivers().map(|driver| driver.reordering()).sum::<usize>()
            + stations.map(|t| t.egress.len()).sum::<usize>()
    }

    /// How many transmitters, the first ones, have a discipline that is told of links: the access point's, or all nodes'.
    pub(super) fn served(&self) -> usize {
        if self.mesh.is_none() { self.categories } else { self.transmitters.len() }
    }
}
