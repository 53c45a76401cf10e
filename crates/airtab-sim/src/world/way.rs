// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How packets go on from a node: along wires, down to stations and up to access points.
//!
//! What it does not do: what comes of a packet on the air is told (`World::poll`).

use airtab_core::{Handle, NO_STATION, Reason};

use super::topology::Step;
use super::wire::{self, Fare};
use super::{Hop, NodeId, Place, Report, Tag, World};

impl<B: Tag, T: Copy> World<B, T> {
    /// A packet is at a node: at its end, or it goes on. `bytes`: its length, if it is at hand.
    #[inline(always)]
    pub(super) fn pass(&mut self, packet: Handle, node: NodeId, to: NodeId, bytes: Option<u32>) {
        if to == node {
            self.books.received += 1;
            self.reports.push(Report::Arrived { node, packet });
        } else {
            self.forward(packet, node, to, bytes);
        }
    }

    /// A packet goes on from a node to another one.
    #[inline(always)]
    pub(super) fn forward(&mut self, packet: Handle, node: NodeId, to: NodeId, bytes: Option<u32>) {
        match self.topology.step(node, to) {
            Step::Wire(wire) => {
                let bytes = bytes.unwrap_or_else(|| self.pool.body(packet).bytes);
                self.along(packet, wire, to, bytes);
            }
            Step::Down { channel, station, node } => self.down(packet, channel, station, node),
            Step::Across { channel, from, neighbour, node } => {
                self.cross(packet, (channel, from), (neighbour, node));
            }
            Step::Up { channel, station, node } => self.up(packet, channel, station, node),
        }
    }

    /// A packet of `bytes` for `to` comes to a wire.
    #[inline(never)]
    fn along(&mut self, packet: Handle, wire: u32, to: NodeId, bytes: u32) {
        let fare = wire::send(&mut self.wires, &self.topology, wire, (to, bytes), self.now);
        self.ride(packet, to, fare);
    }

    /// A packet comes to an access point, for a station of a channel, which is at `node`.
    #[inline(never)]
    fn down(&mut self, packet: Handle, channel: u16, station: u16, node: NodeId) {
        let carried = self.pool.body_mut(packet);
        let first = carried.peer == NO_STATION;
        carried.enter(node, station, self.now);
        // It has had its end's number from the start.
        if !first || node != carried.to {
            self.pool.set_sta(packet, station);
        }
        self.reports.push(Report::Queued { at: Place::AccessPoint(channel), packet });
        let own = &mut self.channels[usize::from(channel)];
        own.medium.send_down(&mut self.pool, packet, self.now);
        own.max_packets = own.max_packets.max(own.medium.queued());
        self.heed(channel);
    }

    /// A packet of a station comes to its queue for the access point at `node`.
    #[inline(never)]
    fn up(&mut self, packet: Handle, channel: u16, station: u16, node: NodeId) {
        self.pool.body_mut(packet).enter(node, station, self.now);
        let medium = &mut self.channels[usize::from(channel)].medium;
        medium.send_up(&mut self.pool, station.into(), packet, self.now);
        self.heed(channel);
    }

    /// A packet came to a channel.
    #[inline(always)]
    pub(super) fn heed(&mut self, channel: u16) {
        self.listen(channel.into());
        self.look_on_air();
    }

    /// A packet for `to` was handed to a wire.
    #[inline(always)]
    pub(super) fn ride(&mut self, packet: Handle, to: NodeId, fare: Fare) {
        match fare {
            Fare::Arrives { node, at, access_point } => self.expect((packet, node, to), at, access_point),
            Fare::Full(wire) => {
                self.books.dropped_wired += 1;
                self.reports.push(Report::Dropped { at: Place::Wire(wire), packet, why: Reason::Limit });
            }
            Fare::Queued(wire) => self.queue(packet, wire),
        }
    }

    /// A packet is on a wire and will be at a node behind it at `at`, where an access point may be.
    #[inline(always)]
    fn expect(&mut self, (packet, node, to): (Handle, NodeId, NodeId), at: u64, access_point: bool) {
        self.on_wires += 1;
        if !access_point {
            self.hops.push_in_turn(at, Hop::Arrive(packet, node, to));
            return;
        }
        self.next_arrival = self.next_arrival.min(at);
        if self.arriving.back().is_none_or(|last| last.0 <= at) {
            // Always so of one wire.
            self.arriving.push_back((at, packet, node, to));
        } else {
            self.expect_before((at, packet, node, to));
        }
    }

    /// One that reaches an access point before another that was expected earlier.
    #[cold]
    fn expect_before(&mut self, arrival: (u64, Handle, NodeId, NodeId)) {
        let place = self.arriving.partition_point(|other| other.0 <= arrival.0);
        self.arriving.insert(place, arrival);
    }
}
