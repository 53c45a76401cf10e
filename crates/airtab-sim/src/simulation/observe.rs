// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Looks into a run under way: what arrived so far, the discipline's table,
//! TCP senders, and every frame on the air. For observers ([`crate::probe`]).
//!
//! Looking changes nothing: a run that is looked at has the same trace.
//!
//! What it does not do: no rates, no averages, no files (`airtab-lab`).

use std::collections::{BTreeMap, VecDeque};

use airtab_core::{Discipline, GROUP, Qdisc, Rate};

use super::{Load, Simulation};
use crate::net::address::FiveTuple;
use crate::tcp::{Endpoint, Segment};
use crate::wifi::{AirTrace, Attempt, Category, End, FrameBody};

/// One frame on the air: DATA (of an A-MSDU one for each packet), a beacon, an RTS, a block ACK request. The
/// MPDUs of an aggregate began at the same time; the packets of an A-MSDU have one sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirFrame {
    /// When its PPDU began, ns.
    pub start_ns: u64,
    /// How long its PPDU lasted, its ACK not included, ns.
    pub data_ns: u64,
    /// What its sender had reserved the channel for after it, ns: SIFS and ACK, or all that follows an RTS.
    pub rest_ns: u64,
    /// PHY rate, kb/s.
    pub kbps: u32,
    /// The same, with its MCS where it has one.
    pub rate: Rate,
    /// From the access point; else from `station`.
    pub down: bool,
    /// Index of the station at one of its ends; None: to all.
    pub station: Option<usize>,
    /// Access category; best effort where there is but one.
    pub category: Category,
    /// Sequence number under a block acknowledgement agreement, modulo 4096 on the air; of a block ACK
    /// request that of the window's first. None: there is no agreement.
    pub sequence: Option<u64>,
    /// 1 for the first time that it is on the air, more for its repetitions.
    pub attempt: u8,
    /// How it ended.
    pub end: End,
    /// What it carried.
    pub content: Content,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The access point's beacon.
    Beacon,
    /// An IP packet.
    Packet(AirPacket),
    /// Nothing: a request to send.
    Rts,
    /// Nothing: a block ACK request.
    BlockAckRequest,
}

/// An IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AirPacket {
    /// Where it comes from and goes to.
    pub tuple: FiveTuple,
    /// Length, bytes.
    pub bytes: u32,
    /// Its TCP segment; None for UDP.
    pub segment: Option<Segment>,
}

/// What the cell reported of the air since the last look.
#[derive(Default)]
pub(super) struct Tap {
    pub(super) on: bool,
    frames: Vec<AirFrame>,
    /// What has been received and may come again, for all that its sender knows.
    doubtful: BTreeMap<(u16, Category), Doubtful>,
}

/// Packets of one sender and category that were received and not acknowledged.
#[derive(Default)]
struct Doubtful {
    /// The last one without a number.
    last: Option<AirPacket>,
    /// Those of each receiver by number.
    numbered: BTreeMap<u16, BTreeMap<u64, VecDeque<AirPacket>>>,
}

/// The longest window of a block acknowledgement agreement: no older number comes again.
const WINDOW: u64 = 256;

impl Doubtful {
    /// This one may come again.
    fn keep(&mut self, attempt: &Attempt, packet: AirPacket) {
        let Some(number) = attempt.sequence else {
            self.last = Some(packet);
            return;
        };
        let packets = self.numbered.entry(attempt.station).or_default();
        packets.entry(number).or_default().push_back(packet);
        while packets.first_key_value().is_some_and(|(first, _)| first + WINDOW <= number) {
            packets.pop_first();
        }
    }

    /// One has come again. Those of one number do so together, in their order.
    fn again(&mut self, attempt: &Attempt) -> Option<AirPacket> {
        let Some(number) = attempt.sequence else { return self.last };
        let packets = self.numbered.get_mut(&attempt.station)?.get_mut(&number)?;
        packets.rotate_left(1);
        packets.back().copied()
    }
}

impl Simulation {
    /// How many applications there are.
    pub fn app_count(&self) -> usize {
        self.apps.len()
    }

    /// IP bytes that application `app` received so far: its station, or with `up` its server.
    ///
    /// # Panics
    /// If the scenario has no such application; so does [`Simulation::flows`].
    pub fn received_bytes(&self, app: usize, up: bool) -> u64 {
        self.apps[app].meter.received_bytes(up)
    }

    /// Bytes acknowledged so far of each TCP flow of application `app`, in the order of [`Simulation::flows`],
    /// both ways together; nothing of UDP.
    ///
    /// # Panics
    /// If the scenario has no such application.
    pub fn acked_bytes(&self, app: usize) -> impl Iterator<Item = u64> {
        self.apps[app].volumes.totals()
    }

    /// The smoothed round-trip time that the sender of the first flow of application `app` knows, ns: the server,
    /// or the station where that alone has sent data. None without a connection or a sample.
    ///
    /// # Panics
    /// If the scenario has no such application.
    pub fn srtt_ns(&self, app: usize) -> Option<u64> {
        let first = self.apps[app].flows.start;
        let connection = self.flows.get(usize::from(first))?.connection.as_ref()?;
        let (server, client) = (&connection.server.endpoint, &connection.client.endpoint);
        let alone = server.stats().segments == 0 && client.stats().segments > 0;
        if alone { client.srtt() } else { server.srtt() }
    }

    /// The hashes by which the discipline knows the flows of application `app`
    /// at this time.
    pub fn flows(&self, app: usize) -> impl Iterator<Item = u32> {
        self.apps[app].flows.clone().map(|flow| self.flows[usize::from(flow)].hash)
    }

    /// The sending ends of the TCP flows of application `app`, in the order of
    /// [`Simulation::flows`]: congestion window, round-trip time, counters. None
    /// where there is no connection at this time.
    ///
    /// # Panics
    /// If the scenario has no such application.
    pub fn senders(&self, app: usize) -> impl Iterator<Item = Option<&Endpoint>> {
        self.apps[app].flows.clone().map(|flow| {
            let connection = self.flows[usize::from(flow)].connection.as_ref();
            connection.map(|c| &c.server.endpoint)
        })
    }

    /// Packets in the access point's queue at this time.
    pub fn queue_packets(&self) -> u32 {
        self.world.medium(0).queued()
    }

    /// The discipline of the access point's queue.
    pub fn discipline(&self) -> Discipline {
        self.world.medium(0).queue().discipline()
    }

    /// A column of the discipline's table as it is at this time, by name: a value for each row, in the
    /// column's unit. None if the table has no such column.
    pub fn column(&self, name: &str) -> Option<Vec<i64>> {
        let column = self.discipline().column(name)?;
        let mut values = Vec::new();
        for queue in self.world.medium(0).queues() {
            queue.for_each_row(self.world.pool(), self.now, |row| values.push(column.value(row)));
        }
        Some(values)
    }

    /// A statistic of the access point's discipline at this time, by name, in its base unit; of each node's in a mesh. None
    /// where the discipline has no such statistic.
    pub fn stat(&self, name: &str) -> Vec<Option<f64>> {
        let of = |queue: &Qdisc| {
            let all = queue.discipline().stats();
            let place = all.iter().position(|stat| stat.name == name)?;
            Some(queue.stats(self.now)[place] as f64 * all[place].unit.scale())
        };
        self.world.medium(0).queues().map(of).collect()
    }

    /// Where the channel's time went so far.
    pub fn air(&self) -> AirTrace {
        self.world.medium(0).air(self.now)
    }

    /// Starts or ends the record of every frame on the air.
    pub fn watch_air(&mut self, on: bool) {
        self.world.tap(0, on);
        self.tap = Tap { on, ..Tap::default() };
    }

    /// Takes the frames that ended since the last look, in the order in which
    /// they began. A frame whose first attempt came before [`Simulation::watch_air`]
    /// may be missing: what it carried is known no more if it has been received.
    pub fn frames(&mut self) -> std::vec::Drain<'_, AirFrame> {
        self.tap.frames.drain(..)
    }

    /// Before packets are removed that the attempts refer to.
    #[cold]
    pub(super) fn look_at_attempts(&mut self) {
        for attempt in self.world.attempts(0).unwrap_or_default() {
            self.keep(&attempt);
        }
    }

    fn keep(&mut self, attempt: &Attempt) {
        let doubtful = self.tap.doubtful.entry((attempt.sender, attempt.category)).or_default();
        let content = match attempt.carried {
            FrameBody::Beacon => Some(Content::Beacon),
            FrameBody::Packet(handle) => {
                let body = &self.world.pool().body(handle).body;
                let down = self.flows[usize::from(body.flow)].tuple(body.life);
                let tuple = match body.up {
                    true => down.reversed(),
                    false => down,
                };
                let segment = match body.load {
                    Load::Segment(segment) => Some(segment),
                    Load::Datagram(_) => None,
                };
                let packet = AirPacket { tuple, bytes: self.world.pool().bytes(handle), segment };
                if attempt.end == End::AckLost {
                    doubtful.keep(attempt, packet);
                }
                Some(Content::Packet(packet))
            }
            FrameBody::Duplicate => doubtful.again(attempt).map(Content::Packet),
            FrameBody::Bar => Some(Content::BlockAckRequest),
            FrameBody::Rts => Some(Content::Rts),
        };
        let Some(content) = content else { return };
        self.tap.frames.push(AirFrame {
            start_ns: attempt.start_ns,
            data_ns: attempt.data_ns.into(),
            rest_ns: attempt.rest_ns.into(),
            kbps: attempt.kbps,
            rate: attempt.rate,
            down: attempt.sender == 0,
            station: (attempt.station != GROUP).then_some(attempt.station.into()),
            category: attempt.category,
            sequence: attempt.sequence,
            attempt: attempt.number,
            end: attempt.end,
            content,
        });
    }
}
