// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The application half of a run: tells applications what happens, and carries
//! out what they want; their TCP.
//!
//! What it does not do: what an application does is its kind's (`traffic`), and
//! what becomes of packets under way is `simulation`'s.

use airtab_core::Handle;

use super::{Body, Event, Load, Simulation};
use crate::engine::NEVER;
use crate::meter::datagram_payload;
use crate::running::Connection;
use crate::tcp::{Config, Segment};
use crate::traffic::{Action, Application, Io, User};
use crate::world::{Carried, NodeId};

impl Simulation {
    #[cold]
    pub(super) fn start(&mut self, app: u16) {
        self.note(1, app.into());
        let running = &mut self.apps[usize::from(app)];
        running.active = true;
        self.world.timer(running.app.active_ns.end, Event::Stop { app });
        for user in running.users.clone() {
            match self.users[user as usize].after_ns {
                0 => self.begin(user),
                ns => self.world.timer(self.now + ns, Event::Begin { user }),
            }
        }
    }

    /// A user begins.
    pub(super) fn begin(&mut self, user: u32) {
        self.tell(user, |user, io| user.start(io));
    }

    #[cold]
    pub(super) fn stop(&mut self, app: u16) {
        self.note(2, app.into());
        let running = &mut self.apps[usize::from(app)];
        running.active = false;
        for flow in running.flows.clone() {
            self.flows[usize::from(flow)].connection = None;
        }
    }

    /// A timer of an application.
    #[inline(never)]
    pub(super) fn tick(&mut self, user: u32, key: u16) {
        let app = self.users[user as usize].app;
        if self.apps[usize::from(app)].active {
            self.tell(user, |user, io| user.timer(io.now(), key, io));
        }
    }

    /// A packet is at its end: station or server.
    #[inline(never)]
    pub(super) fn arrived(&mut self, packet: Handle) {
        let now = self.now;
        let carried = self.world.pool().body(packet);
        let &Carried { body: Body { flow, life, up, ref load, .. }, bytes, sent_ns, .. } = carried;
        self.fingerprint.note(now, 9, u64::from(flow) << 1 | u64::from(up));
        let own = &mut self.flows[usize::from(flow)];
        let running = &mut self.apps[usize::from(own.app)];
        let late = own.life != life;
        let counted = if !late || running.app.kind.counts_late() { bytes } else { 0 };
        running.meter.passed(up, sent_ns, carried.legs(now));
        let (user, number) = (own.user, own.number);
        let segment = match load {
            Load::Segment(segment) => segment,
            &Load::Datagram(tag) => {
                running.meter.received(up, (counted, datagram_payload(bytes)), sent_ns, now);
                self.world.take(packet);
                self.tell(user, |user, io| user.datagram(up, bytes, tag, io));
                return;
            }
        };
        let Some(connection) = own.connection.as_mut().filter(|_| !late) else {
            running.meter.received(up, (counted, 0), sent_ns, now);
            self.world.take(packet);
            return;
        };
        let before = running.follows.then(|| connection.progress());
        let endpoint = &mut connection.socket(up).endpoint;
        let (acked, received) = (endpoint.acked(), endpoint.received());
        if segment.ect && self.world.pool().marked_ce(packet) {
            endpoint.on_segment(now, &Segment { ce: true, ..*segment });
        } else {
            endpoint.on_segment(now, segment);
        }
        let newly = endpoint.acked() - acked;
        running.meter.received(up, (counted, endpoint.received() - received), sent_ns, now);
        running.volumes.add(usize::from(flow - running.flows.start), newly, now);
        let after = before.map(|_| connection.progress());
        self.world.take(packet);
        self.pump(flow, up);
        if let Some(progress) = after.filter(|_| after != before) {
            self.tell(user, |user, io| user.progress(number, &progress, io));
        }
    }

    /// A packet of a saturated source is over, or was dropped.
    #[inline(never)]
    pub(super) fn settled(&mut self, flow: u16, dropped: bool) {
        let user = self.flows[usize::from(flow)].user;
        self.tell(user, |user, io| user.over(dropped, io));
    }

    /// Tells a user's application something, and does what it wants while it runs.
    fn tell(&mut self, user: u32, what: impl FnOnce(&mut User, &mut Io)) {
        let member = &mut self.users[user as usize];
        let (app, first) = (usize::from(member.app), member.flow);
        what(&mut member.user, self.io.at(self.now));
        while let Some(action) = self.io.poll() {
            match action {
                _ if !self.apps[app].active => {}
                Action::Timer { at, key } => self.world.timer(at, Event::Tick { user, key }),
                Action::Send { up, bytes, tag } => self.send_datagram(first, up, bytes, tag),
                Action::Open { flow, down, up } => self.open(first + flow, down, up),
                Action::Write { flow, up, bytes } => {
                    if let Some(connection) = &mut self.flows[usize::from(first + flow)].connection {
                        connection.socket(!up).endpoint.write(bytes);
                        self.pump(first + flow, !up);
                    }
                }
            }
        }
    }

    #[inline(never)]
    fn send_datagram(&mut self, flow: u16, up: bool, bytes: u32, tag: u32) {
        self.send(flow, up, bytes, tag, None);
    }

    /// Opens a connection in the place of the flow's last one.
    fn open(&mut self, flow: u16, down: u64, up: u64) {
        let own = &mut self.flows[usize::from(flow)];
        let running = &self.apps[usize::from(own.app)];
        // Nobody answers a kind that speaks UDP.
        let Some(congestion) = running.app.congestion(&self.tcp) else { return };
        let mut config = running.app.tcp.as_deref().unwrap_or(&self.tcp).with_congestion(congestion);
        if let Some((hops, rate_bps)) = running.way {
            config.tcp_ap = config.tcp_ap.or_way(hops, rate_bps);
        }
        // Hosts were not switched on together: the coarse timers of one have nothing to do with another's.
        let of =
            |host: NodeId| Config { rto_phase_ns: host.phase(self.flow_key, config.rto_grid_ns), ..config };
        let connection = Connection::open([own.server, own.station].map(of), down, up);
        own.reopen(connection, self.flow_key);
        self.pump(flow, false);
    }

    /// A timer of TCP.
    #[inline(never)]
    pub(super) fn timer(&mut self, flow: u16, server: bool) {
        let own = &mut self.flows[usize::from(flow)];
        let Some(connection) = &mut own.connection else { return };
        let socket = connection.socket(server);
        if socket.timer_at != self.now {
            return; // an earlier one took its place
        }
        socket.timer_at = NEVER;
        // The deadline may have moved on since the event was made.
        if socket.endpoint.next_timeout().is_some_and(|at| at <= self.now) {
            socket.endpoint.on_timeout(self.now);
        }
        self.pump(flow, server);
    }

    /// An endpoint may have something to send: it does so now, or a server with send jitter later.
    #[inline(always)]
    fn pump(&mut self, flow: u16, server: bool) {
        let later = server && self.send_jitter.is_some() && self.put_off(flow);
        if !later {
            self.transmit(flow, server);
        }
    }

    /// Sends what an endpoint has to send, sees to its timer and counts what it did now.
    pub(super) fn transmit(&mut self, flow: u16, server: bool) {
        let now = self.now;
        loop {
            let own = &mut self.flows[usize::from(flow)];
            let Some(connection) = &mut own.connection else { return };
            // Not moved out of what holds it, which would copy it.
            let polled = connection.socket(server).endpoint.poll_transmit(now);
            let Some(segment) = &polled else { break };
            self.send(flow, !server, segment.ip_bytes(), 0, Some(segment));
            if segment.is_last() {
                break;
            }
        }
        let own = &mut self.flows[usize::from(flow)];
        let Some(connection) = &mut own.connection else { return };
        let socket = connection.socket(server);
        debug_assert!(socket.endpoint.poll_transmit(now).is_none());
        self.apps[usize::from(own.app)].count(server, socket, now);
        if let Some(at) = socket.endpoint.next_timeout()
            && at < socket.timer_at
        {
            socket.timer_at = at.max(now);
            self.world.timer(socket.timer_at, Event::Timer { flow, server });
        }
    }
}
