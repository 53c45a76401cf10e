// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What becomes of packets: counted by flow, station and application, handed out
//! or forgotten.
//!
//! What it does not do: where they go is the world's to say (`airtab_sim::world`).

use std::convert::Infallible;

use airtab_core::{Handle, Reason};
use airtab_sim::Leg;
use airtab_sim::world::{Carried, HomeHost, Place, Report};

use super::admission::NO_APP;
use super::{AccessPoint, Arrival};
use crate::flows::Tally;
use crate::house::Port;
use crate::packet::{mark_ce, parse};

impl AccessPoint {
    /// Looks at all that happened.
    pub(super) fn look(&mut self) {
        while let Some(report) = self.world.poll() {
            self.see(report);
        }
    }

    pub(super) fn see(&mut self, report: Report<Infallible>) {
        let now = self.world.now();
        match report {
            Report::Timer(never) => match never {},
            Report::Arrived { node, packet } => {
                match self.home.host(node).expect("nothing ends at a switch") {
                    HomeHost::AccessPoint => self.deliver(packet, Port::AccessPoint),
                    HomeHost::Server(_) => self.deliver(packet, Port::Internet),
                    HomeHost::Station(station) => {
                        let carried = self.world.pool().body(packet);
                        let bytes = u64::from(carried.bytes);
                        if !self.driven {
                            self.spreads.air.record(now - carried.dequeued_ns);
                        }
                        let flow = carried.body.flow;
                        self.tally(flow, station, |tally| tally.totals.down_bytes += bytes);
                        self.deliver(packet, Port::Station(station));
                    }
                }
            }
            Report::Crossed { station, packet, queue_ns, channel_ns } => {
                let carried = self.world.pool().body(packet);
                let bytes = u64::from(carried.bytes);
                self.spreads.uplink_queue.record(queue_ns);
                self.spreads.uplink_air.record(channel_ns);
                let flow = carried.body.flow;
                self.tally(flow, station, |tally| tally.totals.up_bytes += bytes);
            }
            Report::Queued { at: Place::AccessPoint(_), packet } => {
                let &Carried { body, peer, sent_ns, .. } = self.world.pool().body(packet);
                if body.app != NO_APP {
                    // All others were on no wire.
                    self.spreads.wired.record(now - sent_ns);
                }
                self.tally(body.flow, peer, |tally| tally.backlog += 1);
                if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                    meter.arrived(now);
                }
            }
            Report::Dequeued { at: Place::AccessPoint(_), packet } => {
                let &Carried { body, peer, queued_ns, .. } = self.world.pool().body(packet);
                if body.made {
                    // From now on one more is under way; the one in whose place it goes still waits.
                    self.flows.join(body.flow);
                    return;
                }
                let waited = now - queued_ns;
                self.spreads.queue.record(waited);
                self.tally(body.flow, peer, |tally| {
                    tally.waited(waited);
                    tally.backlog -= 1;
                });
                if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                    meter.dequeued(queued_ns, now);
                }
            }
            Report::Lost { packet } => {
                let &Carried { body, peer, .. } = self.world.pool().body(packet);
                self.tally(body.flow, peer, |tally| tally.totals.lost += 1);
                self.lost_at(packet, Leg::Channel);
                self.discard(packet);
            }
            Report::Dropped { at: Place::AccessPoint(_), packet, why: Reason::Merged } => {
                let &Carried { body, peer, queued_ns, sent_ns, .. } = self.world.pool().body(packet);
                self.tally(body.flow, peer, |tally| tally.backlog -= 1);
                if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                    // What it said goes on with another packet.
                    meter.dequeued(queued_ns, now);
                    meter.merged(false, sent_ns);
                }
                self.discard(packet);
            }
            Report::Dropped { at, packet, .. } => {
                let &Carried { body, peer, .. } = self.world.pool().body(packet);
                match at {
                    Place::AccessPoint(_) => {
                        self.tally(body.flow, peer, |tally| {
                            tally.totals.dropped += 1;
                            tally.backlog -= 1;
                        });
                        if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
                            meter.dropped(now);
                        }
                    }
                    Place::Uplink(_) => {
                        self.tally(body.flow, peer, |tally| tally.totals.uplink_dropped += 1);
                    }
                    Place::Wire(_) | Place::Node(_) | Place::Hop(..) => {}
                }
                self.lost_at(packet, at.leg());
                self.discard(packet);
            }
            Report::Sent { at: at @ (Place::AccessPoint(_) | Place::Uplink(_)), tag, tx, way } => {
                let (station, flow) = ((tag >> 16) as usize, tag & 0xffff);
                let down = matches!(at, Place::AccessPoint(_));
                let app = self.flows.app(flow);
                for tally in [self.flows.tally_if_known(flow), self.stations.get_mut(station)] {
                    let Some(tally) = tally else { continue };
                    let totals = &mut tally.totals;
                    if down {
                        totals.down_air_ns += tx.air;
                        totals.frames += 1;
                        totals.attempts += u64::from(tx.attempts);
                    } else {
                        totals.up_air_ns += tx.air;
                    }
                }
                if down && self.driven {
                    self.spreads.ring.record(way.below_ns);
                    self.spreads.air.record(tx.span);
                    if let Some(paths) = app.and_then(|app| self.paths.get_mut(usize::from(app))) {
                        paths.below(!down, way.below_ns);
                    }
                }
                if let Some(meter) = app.and_then(|app| self.meters.get_mut(usize::from(app))) {
                    meter.transmitted(!down, tx, now);
                    meter.went_out(!down, way, now);
                }
            }
            // On wires: neither in the access point's queue nor on the air.
            Report::Queued { .. } | Report::Dequeued { .. } | Report::Sent { .. } => {}
        }
    }

    /// Counts something of a packet: for its flow and for the station at the other end of the air.
    fn tally(&mut self, flow: u32, station: u16, what: impl Fn(&mut Tally)) {
        what(self.flows.tally(flow));
        what(&mut self.stations[usize::from(station)]);
    }

    fn deliver(&mut self, packet: Handle, port: Port) {
        let (pool, now) = (self.world.pool(), self.world.now());
        if pool.marked_ce(packet) {
            mark_ce(self.buffers.lock().get_mut(pool.body(packet).body.buffer));
        }
        let carried = self.world.take(packet);
        let Carried { body, bytes, sent_ns, .. } = carried;
        let up = port == Port::Internet;
        if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
            meter.received(up, (bytes, body.payload.into()), sent_ns, now);
            let legs = carried.legs(now);
            meter.passed(up, sent_ns, legs);
            self.paths[usize::from(body.app)].passed(up, legs);
            self.outcomes.passed(body.app, up, legs.sum_ns(), bytes);
            if up {
                self.spreads.uplink_wired.record(now - carried.crossed_ns);
            }
        }
        if up && let Ok(parsed) = parse(&self.buffers.lock().get(body.buffer)[..bytes as usize]) {
            self.flows.asked(body.flow, &parsed, now);
        }
        self.flows.leave(body.flow, now);
        self.out.push_back(Arrival { port, at: now, buffer: body.buffer, bytes });
    }

    /// A packet ends on its way.
    fn lost_at(&mut self, packet: Handle, at: Leg) {
        let &Carried { body, to, sent_ns, .. } = self.world.pool().body(packet);
        let up = matches!(self.home.host(to), Some(HomeHost::Server(_)));
        if let Some(meter) = self.meters.get_mut(usize::from(body.app)) {
            meter.lost(up, sent_ns, at);
            self.paths[usize::from(body.app)].lost(up, at);
            self.outcomes.lost(body.app, up);
        }
    }

    fn discard(&mut self, packet: Handle) {
        let body = self.world.take(packet).body;
        self.flows.leave(body.flow, self.world.now());
        self.buffers.lock().give_back(body.buffer);
    }
}
