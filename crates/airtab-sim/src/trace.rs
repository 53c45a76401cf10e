// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a run left behind, as plain numbers for `airtab-quality` and reports.

use std::ops::Range;

use airtab_core::Counters;
use airtab_core::time::SECOND;

use crate::histogram::Histogram;
use crate::scenario::Scored;
use crate::traffic::AppKind;
use crate::traffic::responsiveness::TestTrace;
use crate::traffic::streaming::SegmentTrace;
use crate::traffic::video::FrameTrace;
use crate::traffic::web::PageTrace;
use crate::wifi::{AirTrace, NodeAir, WinnersTrace};

/// Everything measured in one run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Measured part of the run, ns. All figures below are about it, except
    /// where they say "whole run"; those of an application are about its own
    /// [`AppTrace::measure_ns`].
    pub measure_ns: Range<u64>,
    /// One entry per application of the scenario, in its order.
    pub apps: Vec<AppTrace>,
    /// The access point's queue and the channel.
    pub ap: ApTrace,
    /// Hash of every event of the whole run, in order: equal runs, equal hash.
    pub fingerprint: u64,
    /// Frame exchanges of the whole run.
    pub exchanges: u64,
    /// The nodes of a mesh, in their order; nothing of others.
    pub nodes: Vec<NodeTrace>,
}

/// A node of a mesh: its queue in the measured part, its air in the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeTrace {
    /// Its name in the scenario.
    pub name: String,
    /// Mean number of packets in its queue.
    pub mean_packets: f64,
    /// Largest number of packets in it, whole run.
    pub max_packets: u64,
    /// Packets that came to it.
    pub arrived: u64,
    /// Packets that it dropped.
    pub dropped: u64,
    /// Packets that were in a frame at their last attempt.
    pub sent: u64,
    /// How many frames that was: of one of n MPDUs each has a part of 1/n.
    pub frames: f64,
    /// What it did on the air.
    pub air: NodeAir,
}

impl NodeTrace {
    /// Share of its exchanges that others overlapped; None: it began none.
    pub fn collision_ratio(&self) -> Option<f64> {
        (self.air.attempts > 0).then(|| self.air.collided as f64 / self.air.attempts as f64)
    }
}

/// One application.
#[derive(Clone, Debug)]
pub struct AppTrace {
    /// Its name in the scenario.
    pub name: String,
    /// What it is.
    pub kind: AppKind,
    /// Its own measured part of the run, ns; mostly the scenario's.
    pub measure_ns: Range<u64>,
    /// Which directions it is scored on.
    pub scored: Scored,
    /// From its server to its station.
    pub down: StreamTrace,
    /// From its station to its server.
    pub up: StreamTrace,
    /// Its packets in the access point's downlink queue.
    pub queue: QueueTrace,
    /// Its downlink packets between that queue and the air; None where next to nothing waits there: with a
    /// driver that takes one packet, and on the emulated link.
    pub below: Option<BelowTrace>,
    /// Where its packets spent their time and were lost: down, up.
    pub paths: [PathTrace; 2],
    /// Its TCP senders: the servers', the stations'. Nothing where TCP is not the simulator's.
    pub tcp: [SenderTrace; 2],
    /// The round-trip times that its TCP senders measured, of both ends, ns: of each acknowledgement of new data where
    /// timestamps tell or the congestion control asks, else one in a round trip. Nothing where TCP is not the simulator's.
    pub round_trips_ns: Histogram,
    /// Bytes that its TCP flows had acknowledged in each second, whole run, flow by flow, both ways together.
    /// Nothing where TCP is not the simulator's.
    pub acked: Vec<Vec<u32>>,
    /// Channel time of its downlink packets, ns: attempts and backoffs.
    pub air_ns: u64,
    /// The same of its uplink packets.
    pub up_air_ns: u64,
    /// How often its downlink frames had to be sent.
    pub attempts: AttemptTrace,
    /// Bytes of its downlink in each second, whole run.
    pub seconds: Vec<SecondTrace>,
    /// Video only: every frame sent, whole run, user by user.
    pub frames: Vec<FrameTrace>,
    /// Web only: every page completed, whole run.
    pub pages: Vec<PageTrace>,
    /// Streaming only: every segment completed, whole run, user by user.
    pub segments: Vec<SegmentTrace>,
    /// What it received step by step, of a window that keeps it ([`crate::MeasureWindow::step_ns`]).
    pub course: Option<CourseTrace>,
    /// Tests of responsiveness only: each direction's, whole run, user by user.
    pub tests: Vec<TestTrace>,
    /// The same in the scenario's other windows, one after the other, but for its TCP.
    pub windows: Vec<AppTrace>,
}

/// The TCP senders at one end of an application's connections. Handshakes are not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderTrace {
    /// Data segments sent, retransmissions included, of all connections together.
    pub segments: u64,
    /// Data segments retransmitted.
    pub retransmits: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Acknowledgements of new data that found a smoothed round-trip time.
    pub acks: u64,
    /// Sum of the smoothed round-trip time at each of them, ns.
    pub srtt_sum_ns: u64,
    /// Largest congestion window of one connection, bytes.
    pub most_window: u64,
    /// Most retransmissions of one connection.
    pub most_retransmits: u64,
    /// Most timeouts of one connection.
    pub most_timeouts: u64,
}

/// Packets of one application from leaving the queue on: downlink except for `up_packets` and `up_frames`.
#[derive(Clone, Debug)]
pub struct BelowTrace {
    /// From leaving the queue to the first attempt, ns.
    pub delay_ns: Histogram,
    /// Packets that were in a frame at their last attempt.
    pub packets: u64,
    /// How many frames that was: of one of n MPDUs each has a part of 1/n.
    pub frames: f64,
    /// Sum of the PHY rates of these packets' frames, kb/s.
    pub kbps: u64,
    /// Uplink packets that were in a frame at their last attempt, and how many frames that was.
    pub up_packets: u64,
    /// See `frames`.
    pub up_frames: f64,
}

impl Default for BelowTrace {
    fn default() -> BelowTrace {
        BelowTrace { delay_ns: delays(3), packets: 0, frames: 0.0, kbps: 0, up_packets: 0, up_frames: 0.0 }
    }
}

/// How often frames had to be sent, as their sender knows: a frame whose every
/// ACK was lost counts as given up though it was received.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptTrace {
    /// Frames acknowledged at attempt 1, 2 and so on, up to the limit of the medium.
    pub acked: Vec<u64>,
    /// Frames never acknowledged.
    pub given_up: u64,
}

impl AttemptTrace {
    /// Frames that ended.
    pub fn frames(&self) -> u64 {
        self.acked.iter().sum::<u64>() + self.given_up
    }

    /// None yet, of frames that are sent at most `most` times.
    pub(crate) fn up_to(most: u8) -> AttemptTrace {
        AttemptTrace { acked: vec![0; most.into()], given_up: 0 }
    }

    pub(crate) fn count(&mut self, attempts: u8, acked: bool) {
        if !acked {
            self.given_up += 1;
            return;
        }
        let n = usize::from(attempts);
        if n > self.acked.len() {
            self.acked.resize(n, 0); // a host that reports may count otherwise
        }
        self.acked[n - 1] += 1;
    }
}

/// One second of one application's downlink; the last of a run may be shorter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SecondTrace {
    /// IP bytes sent by its server.
    pub sent_bytes: u64,
    /// IP bytes received at its station.
    pub received_bytes: u64,
}

/// What an application received in equal steps of a part of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CourseTrace {
    /// Each step, ns.
    pub step_ns: u64,
    /// Payload bytes in each step, at its station and at its server, each counted once; the last step may be shorter.
    pub payload_bytes: [Vec<u64>; 2],
}

/// One direction of one application, end to end.
#[derive(Clone, Debug)]
pub struct StreamTrace {
    /// Packets sent.
    pub sent: u64,
    /// Their IP bytes.
    pub sent_bytes: u64,
    /// Of these, packets received (also after the measured part).
    pub received: u64,
    /// Of these, packets still on their way when the run ended: neither received nor lost.
    pub under_way: u64,
    /// IP bytes received within the measured part.
    pub bytes: u64,
    /// Payload bytes received within it. Bytes of TCP count once, except on a live access point; a packet of UDP or ICMP has 28
    /// bytes of headers.
    pub payload_bytes: u64,
    /// Packets that brought such payload.
    pub new_packets: u64,
    /// IP bytes of these packets.
    pub new_bytes: u64,
    /// Time from sending to reception, ns, of the packets of `received`, where there is no record of each.
    pub delay_ns: Histogram,
    /// Each packet of `received`, in order of reception. Of game, call, ping and the packets of a capture.
    pub deliveries: Vec<Delivery>,
}

/// A part of a packet's way. A packet of a home goes over wired links and once over the air. In a mesh it goes over the air
/// at each hop, and the time of a part is the sum over its hops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The wires, with what queues on them.
    Wires,
    /// The queue before the air: down the access point's, up its station's.
    Queue,
    /// The channel: from leaving that queue to reception, contention and every attempt included.
    Channel,
}

/// Times of a packet, or of several together, by [`Leg`], ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Legs {
    /// [`Leg::Wires`].
    pub wires_ns: u64,
    /// [`Leg::Queue`].
    pub queue_ns: u64,
    /// [`Leg::Channel`].
    pub channel_ns: u64,
}

impl Legs {
    /// All of them.
    pub fn sum_ns(&self) -> u64 {
        self.wires_ns + self.queue_ns + self.channel_ns
    }

    /// Returns the lesser time of two packets, leg by leg.
    pub(crate) fn least(&self, other: &Legs) -> Legs {
        Legs {
            wires_ns: self.wires_ns.min(other.wires_ns),
            queue_ns: self.queue_ns.min(other.queue_ns),
            channel_ns: self.channel_ns.min(other.channel_ns),
        }
    }
}

/// Where one direction's packets, of those sent in the measured part, spent their time and were lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathTrace {
    /// Packets that came through.
    pub arrived: u64,
    /// Their times, all together.
    pub total: Legs,
    /// Minimum time on each of them, of all packets.
    pub least: Legs,
    /// Packets lost, by [`Leg`]: dropped on wires, dropped by the queue, given up on the air.
    pub lost: [u64; 3],
    /// Frames that ended in the measured part.
    pub frames: u64,
    /// Attempts that they took.
    pub attempts: u64,
}

/// One packet that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// When its sender sent it, ns.
    pub sent_ns: u64,
    /// When its receiver had it, ns.
    pub received_ns: u64,
}

/// One application's share of a queue.
#[derive(Clone, Debug)]
pub struct QueueTrace {
    /// Time from arrival in the queue to the MAC, ns, of the packets sent.
    pub delay_ns: Histogram,
    /// Mean number of places that it held.
    pub mean_packets: f64,
    /// Packets that arrived.
    pub arrived: u64,
    /// Packets dropped, whatever the reason.
    pub dropped: u64,
}

/// The access point and the channel.
#[derive(Clone, Debug)]
pub struct ApTrace {
    /// Mean number of packets in the downlink queue.
    pub mean_packets: f64,
    /// Standard deviation of that number, by time. None of a live access point.
    pub deviation_packets: Option<f64>,
    /// Largest number of packets in it, whole run.
    pub max_packets: u32,
    /// The discipline's own counters, whole run.
    pub counters: Counters,
    /// Channel time of the whole run, ns; the parts sum to its duration.
    pub air: AirTrace,
    /// Who won the channel after whom, whole run; None where the cell keeps no account of it.
    pub winners: Option<WinnersTrace>,
    /// Packets that wired queues dropped, whole run.
    pub wired_dropped: u64,
    /// Packets that stations' uplink queues dropped, whole run.
    pub uplink_dropped: u64,
}

pub(crate) const fn delays(digits: u32) -> Histogram {
    Histogram::new(100 * SECOND, digits)
}

impl Default for StreamTrace {
    fn default() -> Self {
        StreamTrace {
            sent: 0,
            sent_bytes: 0,
            received: 0,
            under_way: 0,
            bytes: 0,
            payload_bytes: 0,
            new_packets: 0,
            new_bytes: 0,
            delay_ns: delays(2),
            deliveries: Vec::new(),
        }
    }
}

impl Default for QueueTrace {
    fn default() -> Self {
        QueueTrace { delay_ns: delays(3), mean_packets: 0.0, arrived: 0, dropped: 0 }
    }
}
