// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The link emulator: one server in the place of the channel, sans-IO like
//! [`Cell`](super::Cell) and with the same methods.
//!
//! Every packet from the access point's discipline occupies the server for what
//! [`airtab_core::Emulator`] draws: its attempts over a link that loses frames,
//! the backoffs between them, an extra delay. That is also its charge. CHAP
//! dissertation (Lee, WPI 2010) 7.1, equations 7.1-7.4: the link between access
//! point and stations of its Linux experiments.
//!
//! The server holds one packet, everything else waits in the discipline. Packets
//! from stations pass at once and take no airtime: the dissertation emulated the
//! way to the stations only. Multicast goes at the profile's lowest rate and is
//! never lost: the dissertation does not tell it apart.
//!
//! What it does not do: no contention, no beacons, no single attempts to look at.

use airtab_core::{Emulator, EmulatorConfig, GROUP, Handle, Heard, Params, Phy, Pool, Qdisc, Ticket, Tx};

use super::air::AirTrace;
use super::config::{Loss, Speed};
use super::egress::{Left, Managed};
use super::links::Links;
use super::output::{Label, Output, Way};
use super::reports::Report;
use crate::engine::{NEVER, Outbox, Stream};

/// The access point, one server, the stations.
pub struct EmulatedLink {
    link: Emulator,
    base_kbps: u32,
    /// PHY rate (kb/s) and frame error rate of each station.
    stations: Vec<(u32, f64)>,
    phy: Phy,
    down: Managed,
    serving: Option<Serving>,
    /// End of the service, NEVER when there is none.
    done: u64,
    /// Time of all services that are over, ns.
    busy_ns: u64,
    attempts: u64,
    outputs: Outbox<Output>,
}

/// The packet in service.
#[derive(Clone, Copy)]
struct Serving {
    packet: Handle,
    ticket: Ticket,
    tx: Tx,
    since: u64,
}

impl EmulatedLink {
    /// A link to stations with a PHY rate (kb/s) and losses each; their names
    /// do not matter here.
    ///
    /// # Panics
    /// If there is not one attempt.
    pub fn new(
        config: &EmulatorConfig,
        stations: &[(&str, Speed, Loss)],
        queue: Qdisc,
        seed: u64,
    ) -> EmulatedLink {
        let seed = Stream::new(seed, "emulator").below(u64::MAX);
        let links = stations.iter().enumerate().map(|(i, s)| Links::single(config.phy, i, s.1.kbps()));
        EmulatedLink {
            link: Emulator::new(config, seed),
            base_kbps: config.phy.base_kbps(),
            stations: stations
                .iter()
                .map(|(_, speed, loss)| (speed.kbps(), loss.data_error_rate()))
                .collect(),
            down: Managed::new(queue, Links::new(config.phy, links.collect())),
            phy: config.phy,
            serving: None,
            done: NEVER,
            busy_ns: 0,
            attempts: 0,
            outputs: Outbox::with_capacity(64),
        }
    }

    /// When [`EmulatedLink::advance`] has something to do, if nothing is sent before.
    #[inline]
    pub fn next_event(&self) -> u64 {
        self.done.min(self.down.next_event())
    }

    /// Lets everything happen that is due by `now`, ns. Call it before packets
    /// are sent at `now`.
    pub fn advance<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        loop {
            let at = self.next_event();
            if at > now {
                return;
            }
            if self.down.next_event() == at {
                let free_ns = self.air(at).idle_ns;
                self.down.tick(pool, free_ns, at, |p, why| self.outputs.push(Output::Dropped(p, why)));
            } else {
                self.finish(pool, at);
            }
            self.load(pool, at);
        }
    }

    /// Hands a packet to the access point's discipline.
    pub fn send_down<T: Label>(&mut self, pool: &mut Pool<T>, packet: Handle, now: u64) {
        self.down.enqueue(pool, packet, now, |p, why| self.outputs.push(Output::Dropped(p, why)));
        self.load(pool, now);
    }

    /// Passes a packet of a station on to the access point.
    pub fn send_up<T: Label>(&mut self, pool: &mut Pool<T>, station: usize, packet: Handle, now: u64) {
        self.down.heard(&Heard { flow: pool.flow(packet), sta: station as u16, air: 0 }, now);
        pool.body_mut(packet).dequeued(now);
        self.outputs.push(Output::Up(packet));
    }

    /// As [`Cell::set_station`](super::Cell::set_station), downlink only.
    ///
    /// # Panics
    /// If there is no such station, or a rate is 0.
    pub fn set_station(&mut self, station: usize, speed: Speed, loss: Loss, now: u64) {
        self.stations[station] = (speed.kbps(), loss.data_error_rate());
        self.down.set_station(&Links::single(self.phy, station, speed.kbps()), now);
    }

    /// As [`Cell::end_station`](super::Cell::end_station).
    ///
    /// # Panics
    /// If there is no such station.
    pub fn end_station(&mut self, station: usize, now: u64) {
        self.down.end_station(station, now);
    }

    /// As [`Cell::swap_queue`](super::Cell::swap_queue).
    ///
    /// # Panics
    /// If [`Params::check`] would fail.
    pub fn swap_queue<T: Label>(&mut self, pool: &mut Pool<T>, params: &Params, seed: u64, now: u64) {
        if let Some(serving) = &mut self.serving {
            serving.ticket = Ticket::default();
        }
        let free_ns = self.air(now).idle_ns;
        self.down.swap(pool, params, seed, free_ns, now, |p, why| self.outputs.push(Output::Dropped(p, why)));
        self.load(pool, now);
    }

    /// As [`Cell::speaks`](super::Cell::speaks).
    #[inline]
    pub fn speaks(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// What happened since the last look.
    #[inline]
    pub fn poll(&mut self) -> Option<Output> {
        self.outputs.pop()
    }

    /// What [`Medium::poll`](super::Medium::poll) takes.
    #[inline(always)]
    pub(super) fn outputs(&mut self) -> &mut Outbox<Output> {
        &mut self.outputs
    }

    /// The access point's discipline.
    pub fn queue(&self) -> &Qdisc {
        self.down.queue()
    }

    /// Where the server's time went until `now`: to the stations, or idle.
    pub fn air(&self, now: u64) -> AirTrace {
        let down_ns = self.busy_ns + self.serving.map_or(0, |s| now.min(self.done) - s.since);
        AirTrace { down_ns, idle_ns: now - down_ns, ..AirTrace::default() }
    }

    /// Attempts of all packets whose service is over.
    pub fn exchanges(&self) -> u64 {
        self.attempts
    }

    /// Packets in service: 0 or 1.
    pub fn held(&self) -> usize {
        self.serving.iter().len()
    }

    /// Gives the idle server its next packet, if there is one.
    fn load<T: Label>(&mut self, pool: &mut Pool<T>, now: u64) {
        if self.serving.is_some() {
            return;
        }
        let shed = |p, why| self.outputs.push(Output::Dropped(p, why));
        let Some(Left { packet, ticket, .. }) = self.down.dequeue(pool, now, shed) else { return };
        pool.body_mut(packet).dequeued(now);
        self.outputs.push(Output::Dequeued(packet));
        let (kbps, error_rate) = match pool.sta(packet) {
            GROUP => (self.base_kbps, 0.0),
            station => self.stations[usize::from(station)],
        };
        let tx = self.link.draw(kbps, error_rate, pool.bytes(packet));
        self.serving = Some(Serving { packet, ticket, tx, since: now });
        self.done = now + tx.air;
    }

    /// The service is over.
    fn finish<T: Label>(&mut self, pool: &Pool<T>, now: u64) {
        let Serving { packet, ticket, tx, .. } = self.serving.take().expect("somebody is served");
        self.done = NEVER;
        self.busy_ns += tx.air;
        self.attempts += u64::from(tx.attempts);
        if tx.acked {
            self.outputs.push(Output::Down(packet));
        }
        let report = Report { ticket, record: 0, aggregate: 0, tx: Some(tx) };
        self.down.sent(pool.sta(packet), pool.bytes(packet), report, true, now);
        self.outputs.push(Output::Sent {
            down: true,
            label: pool.body(packet).label(),
            tx,
            way: Way::default(),
        });
        if !tx.acked {
            self.outputs.push(Output::Lost(packet));
        }
    }
}
