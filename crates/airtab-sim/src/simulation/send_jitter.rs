// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Random time that a server takes before its TCP sends, so that packets of several flows come to a queue in random order.
//!
//! A server that sends at the instant of an acknowledgement keeps the phase of its packets to those of other flows. A drop-tail
//! queue then drops packets of the same flows for ever. A time uniform from 0 to the transmission time of a packet at
//! the bottleneck removes that. Segments that become due in the meantime leave at the same time, in order, as with ns-2's
//! `overhead_`.
//!
//! Limits: acknowledgements of a server that only receives take such a time, too, and those that are due within it merge.
//!
//! Source: Floyd, Jacobson, "On Traffic Phase Effects in Packet-Switched Gateways", CCR 21(2), 1991.

use super::{Event, Simulation};
use crate::engine::{NEVER, Stream};
use crate::scenario::Scenario;

/// A full packet, IP bytes.
const FULL_PACKET: u32 = 1500;

/// Random times before the transmissions of all servers of a run.
pub(super) struct SendJitter {
    /// Longest time, ns, and random stream of each application.
    apps: Vec<(u64, Stream)>,
}

impl SendJitter {
    /// Reads the longest time from the TCP of each application, by default that of a dumbbell; None: all servers send at
    /// once.
    pub(super) fn of(scenario: &Scenario, seed: u64) -> Option<SendJitter> {
        let of_wire = || scenario.medium.wire().map(|wire| wire.packet_ns(FULL_PACKET));
        let apps = scenario.apps.iter().map(|app| {
            let own = app.tcp.as_deref().unwrap_or(&scenario.tcp).send_jitter_ns;
            (own.or_else(of_wire).unwrap_or(0), Stream::new(seed, &format!("app/{}/sends", app.name)))
        });
        let apps: Vec<_> = apps.collect();
        apps.iter().any(|(most_ns, _)| *most_ns > 0).then_some(SendJitter { apps })
    }
}

impl Simulation {
    /// Delays the transmissions of a server's endpoint by a random time, or joins those that are delayed already. False:
    /// its application has no such time.
    pub(super) fn put_off(&mut self, flow: u16) -> bool {
        let own = &mut self.flows[usize::from(flow)];
        let (Some(jitter), Some(connection)) = (&mut self.send_jitter, &mut own.connection) else {
            return false;
        };
        let (most_ns, stream) = &mut jitter.apps[usize::from(own.app)];
        if *most_ns == 0 {
            return false;
        }
        let socket = &mut connection.server;
        if socket.send_at == NEVER {
            socket.send_at = self.now + stream.below(*most_ns + 1);
            self.world.timer(socket.send_at, Event::Send { flow });
        }
        true
    }

    /// Sends the segments that a server delayed.
    pub(super) fn send_after_jitter(&mut self, flow: u16) {
        let own = &mut self.flows[usize::from(flow)];
        // A connection that is over may have left the event.
        let Some(connection) = own.connection.as_mut().filter(|c| c.server.send_at == self.now) else {
            return;
        };
        connection.server.send_at = NEVER;
        self.transmit(flow, true);
    }
}
