// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The figures of a run: names, units, how they are shown, which way is better.
//!
//! What it does not do: it computes none of them (that is `measure`).

mod attempts;
mod column;
mod outcome;
mod path;
mod relevance;

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use column::{ColumnFigure, Of, shown as column_unit};
pub use outcome::OutcomeFigure;
pub(crate) use path::stream_columns;
pub use path::{Direction, OfPath, PathFigure};
pub use relevance::Relevance;

/// A figure of one application, or of the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// G-model score of a game in bins of 5 s, 1 to 4.37 (CHAP dissertation 2.5).
    GameMos,
    /// The same with the measured time taken as a single bin.
    GameMosWindow,
    /// Score of a call by the CHAP dissertation's E-model, 1 to 4.5: that of its worse direction, or of the
    /// downlink where the scenario asks for it.
    VoipMos,
    /// Rating R of a call by ITU-T G.107, at most 93.2, of the same directions.
    VoipRG107,
    /// Score of a call by ITU-T G.107, 1 to 4.5, of the same directions.
    VoipMosG107,
    /// Score of a call's downlink as [`Metric::VoipMos`], 1 to 4.5.
    VoipMosDownlink,
    /// Score of a call's uplink as [`Metric::VoipMos`], 1 to 4.5.
    VoipMosUplink,
    /// Frames of a video that can be shown, each second (CHAP dissertation 2.5).
    FrameRate,
    /// Frames of a video that arrived whole, each second, whether they can be shown or not (CBT study, A.7).
    WholeFrameRate,
    /// Frames of a video that arrived whole or were repaired, share of those sent.
    FramesWhole,
    /// The same of its I frames.
    IFramesWhole,
    /// The same of its P frames.
    PFramesWhole,
    /// The same of its B frames.
    BFramesWhole,
    /// From the request of a web page to its last byte, s: mean over the pages
    /// that all compared disciplines completed with that seed.
    PageTime,
    /// The same pages, from the start of the handshake, s.
    PageTimeWithHandshake,
    /// Mean size of the same pages, bytes.
    PageBytes,
    /// How many they are.
    PagesCompared,
    /// Web pages requested in the measured time and completed.
    Pages,
    /// Payload received at the station, each byte counted once, bit/s.
    Goodput,
    /// Payload received from the station, each byte counted once, bit/s; only of applications that upload.
    UplinkGoodput,
    /// IP packets received at the station, bit/s.
    IpThroughput,
    /// IP packets received from the station, bit/s; only of applications that upload.
    UplinkIpThroughput,
    /// Of a dumbbell: bytes of Ethernet frames a second that its servers send, as the CBT study counts them (A.7).
    Load,
    /// Of a dumbbell: how many such frames that are, each second.
    LoadPackets,
    /// Of a dumbbell: bytes of frames a second that arrive.
    Throughput,
    /// Rate of the frames that bring payload for the first time, of a dumbbell, byte/s (CBT study, A.7).
    FrameGoodput,
    /// Of a dumbbell: [`Metric::Throughput`], share of [`Metric::Load`]; of several applications the sum of the first by that
    /// of the second (CBT study, B.4).
    Efficiency,
    /// Of a dumbbell: packets of one user that never arrive, each second.
    LossRate,
    /// Of a dumbbell: mean one-way delay from end to end, s.
    Latency,
    /// Bit rate of a streamed video, mean over its playing time, bit/s.
    BitRate,
    /// Time that a streamed video stands still, share of its time after the start.
    Stalled,
    /// How often it stands still.
    Stalls,
    /// How often its bit rate changes.
    Switches,
    /// From its first request to its first picture, s.
    Startup,
    /// Round trips a minute while transfers fill the way, of the worse direction (draft-ietf-ippm-responsiveness).
    Rpm,
    /// The same while they go down.
    RpmDown,
    /// While they go up.
    RpmUp,
    /// Median TCP handshake before there was a load, s.
    IdleLatency,
    /// Median TCP handshake beside the load, of the worse direction, s.
    LoadedLatency,
    /// What the load down moved in its last intervals, bit/s.
    LoadedGoodput,
    /// What the load up moved.
    UplinkLoadedGoodput,
    /// How near it is to what the application needs, 0 to 100: the worst part of the worse direction (Quality of
    /// Outcome, draft-ietf-ippm-qoo-10).
    Qoo,
    /// Mean downlink plus mean uplink delay, s.
    Ping,
    /// Mean one-way delay of the downlink, s.
    Delay,
    /// Mean one-way delay of the uplink, s.
    UplinkDelay,
    /// Mean minus minimum delay of the downlink, s.
    Jitter,
    /// Mean minus minimum delay of the uplink, s.
    UplinkJitter,
    /// Standard deviation of the times between two arrivals of the downlink, s.
    ArrivalSpread,
    /// Packets of a capture that were TCP's, share of those that are sent again: nothing reacts to what becomes of them.
    ReplayedTcp,
    /// Downlink packets that never arrived, share of those sent.
    Loss,
    /// Uplink packets that never arrived, share of those sent.
    UplinkLoss,
    /// 99th percentile of the one-way delay of the worse direction, s.
    WorseDelayP99,
    /// Packets that never arrived, share of those sent, of the worse direction.
    WorseLoss,
    /// Mean time in the access point's queue, s.
    QueueDelay,
    /// Median time in the access point's queue, s.
    QueueDelayP50,
    /// 99th percentile of the time in the access point's queue, s.
    QueueDelayP99,
    /// Mean places held in the access point's queue, packets.
    QueuePackets,
    /// Of the access point: standard deviation of the packets in its queue, by time.
    QueueDeviation,
    /// Packets that the access point's queue dropped, share of those that came.
    QueueDropped,
    /// Of a node of a mesh: packets that its queue dropped, share of those that all nodes' queues did.
    DropShare,
    /// Mean of the limit that the discipline sets itself, as its statistics say, packets.
    LimitMean,
    /// Mean of the average queue that RED or FRED compares with its thresholds, packets.
    AverageMean,
    /// Packets that the discipline dropped at random, by its statistic `early_drops`.
    EarlyDrops,
    /// Packets that the discipline dropped above its highest average, by its statistic `forced_drops`.
    ForcedDrops,
    /// Mean time from leaving that queue to the first attempt, s.
    BelowDelay,
    /// 99th percentile of the time from leaving that queue to the first attempt, s.
    BelowDelayP99,
    /// Mean packets between that queue and their first attempt.
    BelowPackets,
    /// MPDUs of an aggregate that carries its downlink packets, mean over the aggregates.
    AmpduFrames,
    /// MPDUs of an aggregate that carries its uplink packets, mean over the aggregates.
    UplinkAmpduFrames,
    /// PHY rate of the frames that carry its downlink packets, mean over the packets, bit/s.
    PhyRate,
    /// Mean places held in its station's uplink queue, packets.
    UplinkPackets,
    /// Channel time of its downlink, share of the measured time.
    Air,
    /// Channel time of its uplink, share of the measured time.
    UplinkAir,
    /// Downlink frames acknowledged at that attempt, 1 for the first, share of all that ended.
    Attempts(u8),
    /// Downlink frames never acknowledged, share of all that ended.
    GivenUp,
    /// TCP segments with data that were sent again, of both ends together.
    Retransmits,
    /// The same, share of all that were sent.
    RetransmitRatio,
    /// Expiries of TCP's retransmission timer, of both ends together.
    Timeouts,
    /// TCP's smoothed round-trip time, mean over the acknowledgements of new data of both ends, s.
    SmoothedRtt,
    /// Round-trip times that its TCP senders measured, as they were, of both ends: their mean, s.
    Rtt,
    /// Their standard deviation, s.
    RttDeviation,
    /// Their 95th percentile, s.
    RttP95,
    /// The longest, s.
    RttMax,
    /// Largest congestion window of one of its TCP senders, bytes.
    CwndMax,
    /// What its packets met on their way in one direction.
    Path(PathFigure),
    /// A part of its Quality of Outcome.
    Outcome(OutcomeFigure),
    /// What the discipline's own table says of its flows, named after the column.
    Column(ColumnFigure),
    /// What a formula gives, in the unit that its name ends in.
    Value,
    /// Of the access point: largest backlog of the whole run, packets.
    QueueMax,
    /// Of the channel: share of the whole run in which nobody sent.
    Idle,
    /// Of the channel: share of the whole run spent in collisions.
    Collisions,
    /// Of the channel: attempts of all that collided, share of all attempts of the whole run.
    CollidedAttempts,
    /// Of the channel: bytes that were sent in pairs of exchanges, share of all; full duplex, whole run.
    FullDuplex,
    /// Of the channel: contentions that several won, for each one that one sender won (R), whole run.
    CollisionsPerSuccess,
    /// Of the channel: mean idle slots before one sender began (W_T), whole run.
    IdleBeforeSuccess,
    /// Of the channel: mean idle slots before several began (W_C), whole run.
    IdleBeforeCollision,
    /// Of the channel: share of wins after which the same contender won the next contention, p_s(1).
    SelfCorrelation1,
    /// The same within the next N / 2, N contenders.
    SelfCorrelationHalfN,
    /// Within the next N.
    SelfCorrelationN,
    /// Within the next 2 N.
    SelfCorrelation2N,
    /// Within the next 4 N.
    SelfCorrelation4N,
    /// Of the channel: Jain's index of the contenders' wins in windows of N wins, mean over all windows.
    WinnersJain1,
    /// Of 2 N wins.
    WinnersJain2,
    /// Of 5 N.
    WinnersJain5,
    /// Of 10 N.
    WinnersJain10,
    /// Of 20 N.
    WinnersJain20,
    /// Of 50 N.
    WinnersJain50,
    /// Of 100 N.
    WinnersJain100,
    /// Jain's fairness index of the downloads' goodputs, up to 1.
    Fairness,
    /// The same of the rates of all bulk flows, uploads too.
    FlowsRateJain,
    /// The same of the air that bulk flows use, down and up.
    FlowsAirJain,
    /// The same of the air of the stations that have bulk flows, down and up.
    StationsAirJain,
    /// Jain's index of what TCP's bulk flows had acknowledged in each second, up and down together: mean over the
    /// seconds (Starzetz 2006, equation 7.1, T = 1 s).
    SecondVolumeJain,
    /// The same of the most uneven second.
    SecondVolumeJainLeast,
    /// The same of all that they had acknowledged in these seconds.
    FlowsVolumeJain,
    /// Packets that wired queues dropped in the whole run.
    WiredDropped,
    /// Packets that the stations' queues dropped in the whole run.
    UplinkDropped,
    /// Median over the hosts that are pinged, s.
    PingMedian,
    /// Hosts whose mean ping is below [`Metric::PLAYABLE_PING_S`], share of those pinged.
    PingPlayable,
    /// Of a live access point: processor time, by packets that it handed over, s.
    CpuPerPacket,
    /// Of a live access point: packets handed over more than 2 ms late, share of all.
    Behind,
    /// Of a live access point: how late packets were handed over, 99th percentile of the worst second, s.
    LateP99,
}

/// Name, label in tables with its unit, factor to that unit, decimals, sense.
type Row = (Metric, &'static str, &'static str, f64, usize, Sense);

#[derive(Clone, Copy, PartialEq)]
enum Sense {
    Higher,
    Lower,
    Neither,
}

use Metric::*;
use Sense::*;

const TABLE: &[Row] = &[
    (GameMos, "game_mos", "MOS", 1.0, 2, Higher),
    (GameMosWindow, "game_mos_window", "MOS, one window", 1.0, 2, Higher),
    (VoipMos, "voip_mos", "MOS", 1.0, 2, Higher),
    (VoipRG107, "voip_r_g107", "R, G.107", 1.0, 1, Higher),
    (VoipMosG107, "voip_mos_g107", "MOS, G.107", 1.0, 2, Higher),
    (VoipMosDownlink, "voip_mos_downlink", "MOS, down", 1.0, 2, Higher),
    (VoipMosUplink, "voip_mos_uplink", "MOS, up", 1.0, 2, Higher),
    (FrameRate, "playable_frames_per_second", "playable frames/s", 1.0, 1, Higher),
    (WholeFrameRate, "frames_per_second", "frames/s", 1.0, 1, Higher),
    (FramesWhole, "whole_frames_ratio", "whole frames, %", 1e2, 1, Higher),
    (IFramesWhole, "whole_i_frames_ratio", "whole I frames, %", 1e2, 1, Higher),
    (PFramesWhole, "whole_p_frames_ratio", "whole P frames, %", 1e2, 1, Higher),
    (BFramesWhole, "whole_b_frames_ratio", "whole B frames, %", 1e2, 1, Higher),
    (PageTime, "page_seconds", "page, ms", 1e3, 0, Lower),
    (PageTimeWithHandshake, "page_with_handshake_seconds", "page with handshake, ms", 1e3, 0, Lower),
    (PageBytes, "page_bytes", "page, kB", 1e-3, 1, Neither),
    (PagesCompared, "pages_compared", "pages compared", 1.0, 1, Neither),
    (Pages, "pages_completed", "pages completed", 1.0, 1, Neither),
    (Goodput, "goodput_bits_per_second", "Mb/s", 1e-6, 2, Higher),
    (UplinkGoodput, "uplink_goodput_bits_per_second", "up, Mb/s", 1e-6, 2, Higher),
    (IpThroughput, "throughput_bits_per_second", "throughput, Mb/s", 1e-6, 2, Higher),
    (UplinkIpThroughput, "uplink_throughput_bits_per_second", "throughput up, Mb/s", 1e-6, 2, Higher),
    (Load, "load_bytes_per_second", "load, kB/s", 1e-3, 1, Neither),
    (LoadPackets, "load_packets_per_second", "load, packets/s", 1.0, 1, Neither),
    (Throughput, "throughput_bytes_per_second", "throughput, kB/s", 1e-3, 1, Higher),
    (FrameGoodput, "goodput_bytes_per_second", "goodput, kB/s", 1e-3, 1, Higher),
    (Efficiency, "efficiency_ratio", "efficiency, %", 1e2, 1, Higher),
    (LossRate, "loss_packets_per_second", "lost packets/s", 1.0, 2, Lower),
    (Latency, "latency_mean_seconds", "latency, ms", 1e3, 2, Lower),
    (BitRate, "bit_rate_bits_per_second", "bit rate, Mb/s", 1e-6, 2, Higher),
    (Stalled, "stalled_ratio", "stalled, %", 1e2, 1, Lower),
    (Stalls, "stalls", "stalls", 1.0, 1, Lower),
    (Switches, "rate_switches", "rate switches", 1.0, 1, Lower),
    (Startup, "startup_seconds", "start-up, s", 1.0, 2, Lower),
    (Rpm, "rpm", "RPM", 1.0, 0, Higher),
    (RpmDown, "rpm_down", "RPM, down", 1.0, 0, Higher),
    (RpmUp, "rpm_up", "RPM, up", 1.0, 0, Higher),
    (IdleLatency, "idle_latency_seconds", "idle latency, ms", 1e3, 2, Lower),
    (LoadedLatency, "loaded_latency_seconds", "loaded latency, ms", 1e3, 1, Lower),
    (LoadedGoodput, "loaded_goodput_bits_per_second", "loaded, Mb/s", 1e-6, 2, Higher),
    (UplinkLoadedGoodput, "loaded_uplink_goodput_bits_per_second", "loaded up, Mb/s", 1e-6, 2, Higher),
    (Qoo, "qoo_score", "QoO", 1.0, 0, Higher),
    (Ping, "ping_seconds", "ping, ms", 1e3, 2, Lower),
    (Delay, "delay_seconds", "one-way delay, ms", 1e3, 2, Lower),
    (UplinkDelay, "uplink_delay_seconds", "one-way delay up, ms", 1e3, 2, Lower),
    (Jitter, "jitter_seconds", "jitter, ms", 1e3, 2, Lower),
    (UplinkJitter, "uplink_jitter_seconds", "jitter up, ms", 1e3, 2, Lower),
    (ArrivalSpread, "arrival_gap_deviation_seconds", "arrival gaps, deviation, ms", 1e3, 2, Lower),
    (ReplayedTcp, "replayed_tcp_ratio", "TCP of the capture, %", 1e2, 1, Neither),
    (Loss, "loss_ratio", "lost, %", 1e2, 2, Lower),
    (UplinkLoss, "uplink_loss_ratio", "uplink lost, %", 1e2, 2, Lower),
    (WorseDelayP99, "worse_delay_p99_seconds", "delay p99, worse direction, ms", 1e3, 2, Lower),
    (WorseLoss, "worse_loss_ratio", "lost, worse direction, %", 1e2, 2, Lower),
    (QueueDelay, "queue_delay_mean_seconds", "queue mean, ms", 1e3, 2, Lower),
    (QueueDelayP50, "queue_delay_p50_seconds", "queue p50, ms", 1e3, 2, Lower),
    (QueueDelayP99, "queue_delay_p99_seconds", "queue p99, ms", 1e3, 2, Lower),
    (QueuePackets, "queue_mean_packets", "places held", 1.0, 1, Neither),
    (QueueDeviation, "queue_deviation_packets", "places held, deviation", 1.0, 1, Neither),
    (QueueDropped, "queue_dropped_ratio", "queue drops, %", 1e2, 2, Neither),
    (DropShare, "drop_share_ratio", "share of all drops, %", 1e2, 1, Neither),
    (LimitMean, "limit_mean_packets", "limit, packets", 1.0, 1, Neither),
    (AverageMean, "average_mean_packets", "average queue, packets", 1.0, 2, Neither),
    (EarlyDrops, "early_dropped_packets", "early drops, packets", 1.0, 0, Neither),
    (ForcedDrops, "forced_dropped_packets", "forced drops, packets", 1.0, 0, Neither),
    (BelowDelay, "below_delay_mean_seconds", "below the queue mean, ms", 1e3, 2, Lower),
    (BelowDelayP99, "below_delay_p99_seconds", "below the queue p99, ms", 1e3, 2, Lower),
    (BelowPackets, "below_mean_packets", "packets below the queue", 1.0, 1, Neither),
    (AmpduFrames, "ampdu_mean_frames", "MPDUs an aggregate", 1.0, 1, Neither),
    (UplinkAmpduFrames, "uplink_ampdu_mean_frames", "MPDUs an aggregate up", 1.0, 1, Neither),
    (PhyRate, "phy_rate_bits_per_second", "PHY rate, Mb/s", 1e-6, 1, Neither),
    (UplinkPackets, "uplink_mean_packets", "places held in the uplink", 1.0, 1, Neither),
    (Air, "air_ratio", "air, %", 1e2, 1, Neither),
    (UplinkAir, "uplink_air_ratio", "air up, %", 1e2, 1, Neither),
    (GivenUp, "given_up_ratio", "given up, %", 1e2, 1, Lower),
    (Retransmits, "retransmits", "segments sent again", 1.0, 0, Neither),
    (RetransmitRatio, "retransmit_ratio", "sent again, %", 1e2, 2, Lower),
    (Timeouts, "timeouts", "timeouts", 1.0, 1, Neither),
    (SmoothedRtt, "smoothed_rtt_seconds", "smoothed round trip, ms", 1e3, 2, Neither),
    (Rtt, "rtt_mean_seconds", "round trip, ms", 1e3, 2, Lower),
    (RttDeviation, "rtt_deviation_seconds", "round trips, deviation, ms", 1e3, 2, Neither),
    (RttP95, "rtt_p95_seconds", "round trip p95, ms", 1e3, 2, Lower),
    (RttMax, "rtt_max_seconds", "longest round trip, ms", 1e3, 2, Lower),
    (CwndMax, "cwnd_max_bytes", "largest window, kB", 1e-3, 1, Neither),
    (Value, "value", "value", 1.0, 2, Neither),
    (QueueMax, "queue_max_packets", "largest backlog", 1.0, 0, Neither),
    (Idle, "idle_ratio", "idle, % of run", 1e2, 1, Neither),
    (Collisions, "collision_ratio", "collisions, % of run", 1e2, 1, Neither),
    (CollidedAttempts, "collided_attempts_ratio", "attempts that collide, %", 1e2, 1, Neither),
    (FullDuplex, "full_duplex_ratio", "bytes in full duplex, %", 1e2, 1, Neither),
    (CollisionsPerSuccess, "collisions_per_success", "collisions a success", 1.0, 4, Neither),
    (IdleBeforeSuccess, "idle_before_success_slots", "idle slots before a success", 1.0, 2, Neither),
    (IdleBeforeCollision, "idle_before_collision_slots", "idle slots before a collision", 1.0, 2, Neither),
    (SelfCorrelation1, "self_correlation_1_ratio", "wins again at once, %", 1e2, 1, Neither),
    (SelfCorrelationHalfN, "self_correlation_half_n_ratio", "wins again within N/2, %", 1e2, 1, Neither),
    (SelfCorrelationN, "self_correlation_n_ratio", "wins again within N, %", 1e2, 1, Neither),
    (SelfCorrelation2N, "self_correlation_2n_ratio", "wins again within 2 N, %", 1e2, 1, Neither),
    (SelfCorrelation4N, "self_correlation_4n_ratio", "wins again within 4 N, %", 1e2, 1, Neither),
    (WinnersJain1, "winners_1n_jain_ratio", "Jain of wins, N", 1.0, 3, Neither),
    (WinnersJain2, "winners_2n_jain_ratio", "Jain of wins, 2 N", 1.0, 3, Neither),
    (WinnersJain5, "winners_5n_jain_ratio", "Jain of wins, 5 N", 1.0, 3, Neither),
    (WinnersJain10, "winners_10n_jain_ratio", "Jain of wins, 10 N", 1.0, 3, Neither),
    (WinnersJain20, "winners_20n_jain_ratio", "Jain of wins, 20 N", 1.0, 3, Neither),
    (WinnersJain50, "winners_50n_jain_ratio", "Jain of wins, 50 N", 1.0, 3, Neither),
    (WinnersJain100, "winners_100n_jain_ratio", "Jain of wins, 100 N", 1.0, 3, Neither),
    (Fairness, "downloads_jain_ratio", "Jain of rates, downloads", 1.0, 3, Higher),
    (FlowsRateJain, "flows_rate_jain_ratio", "Jain of rates, flows", 1.0, 3, Neither),
    (FlowsAirJain, "flows_air_jain_ratio", "Jain of air, flows", 1.0, 3, Neither),
    (StationsAirJain, "stations_air_jain_ratio", "Jain of air, stations", 1.0, 3, Neither),
    (SecondVolumeJain, "second_volume_jain_ratio", "Jain of volumes, a second", 1.0, 3, Neither),
    (
        SecondVolumeJainLeast,
        "least_second_volume_jain_ratio",
        "Jain of volumes, least second",
        1.0,
        3,
        Neither,
    ),
    (FlowsVolumeJain, "flows_volume_jain_ratio", "Jain of volumes, flows", 1.0, 3, Neither),
    (WiredDropped, "wired_dropped_packets", "dropped on wires", 1.0, 0, Neither),
    (UplinkDropped, "uplink_dropped_packets", "dropped in uplinks", 1.0, 0, Neither),
    (PingMedian, "pings_median_seconds", "median ping, ms", 1e3, 1, Lower),
    (PingPlayable, "pings_playable_ratio", "pings below 150 ms, %", 1e2, 0, Higher),
    (CpuPerPacket, "cpu_seconds_per_packet", "CPU a packet, us", 1e6, 1, Lower),
    (Behind, "behind_ratio", "late packets, %", 1e2, 3, Lower),
    (LateP99, "late_p99_seconds", "late p99, ms", 1e3, 2, Lower),
];

/// [`TABLE`] with the disciplines' columns among it, in the order of the metrics.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let mut rows = column::rows();
    rows.extend(attempts::rows());
    rows.extend(path::rows());
    rows.extend(outcome::rows());
    rows.extend(TABLE);
    rows.sort_by_key(|row| row.0);
    rows
});

/// The same by their names, in alphabetical order.
static NAMES: LazyLock<Vec<(&str, Metric)>> = LazyLock::new(|| {
    let mut names: Vec<_> = ROWS.iter().map(|row| (row.1, row.0)).collect();
    names.sort_unstable();
    names
});

impl Metric {
    /// Payload that its receiver got of what is sent in a direction, bit/s.
    pub(crate) fn goodput(direction: Direction) -> Metric {
        match direction {
            Direction::Down => Metric::Goodput,
            Direction::Up => Metric::UplinkGoodput,
        }
    }

    /// IP packets that its receiver got in a direction, bit/s.
    pub(crate) fn throughput(direction: Direction) -> Metric {
        match direction {
            Direction::Down => Metric::IpThroughput,
            Direction::Up => Metric::UplinkIpThroughput,
        }
    }

    /// Above this, players of the CHAP dissertation's time looked for another server (7.3.3), s.
    pub const PLAYABLE_PING_S: f64 = 0.150;

    /// Share of packets that a live access point may hand over more than 2 ms late
    /// ([`Metric::Behind`]); beyond, scores are the machine's, not the cell's.
    pub const LATE_TOLERATED: f64 = 0.001;

    fn row(self) -> &'static Row {
        let place = ROWS.binary_search_by_key(&self, |row| row.0);
        &ROWS[place.expect("every metric has a row, and every column of a discipline")]
    }

    /// All of them, with those of every discipline's columns.
    pub fn all() -> impl Iterator<Item = Metric> {
        ROWS.iter().map(|row| row.0)
    }

    /// All but those of more attempts than usual, for lists.
    pub fn usual() -> impl Iterator<Item = Metric> {
        Metric::all().filter(|metric| !matches!(metric, Attempts(8..)))
    }

    /// The metric of that name, as [`Metric::name`] gives it.
    pub fn named(name: &str) -> Option<Metric> {
        NAMES.binary_search_by_key(&name, |(name, _)| name).ok().map(|place| NAMES[place].1)
    }

    /// Name in results, with its unit.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Name in tables, with the unit that [`Metric::shown`] gives.
    pub fn label(self) -> &'static str {
        self.row().2
    }

    /// A value in the unit of tables.
    pub fn shown(self, value: f64) -> f64 {
        value * self.row().3
    }

    /// Decimals in tables.
    pub fn decimals(self) -> usize {
        self.row().4
    }

    /// The least value that it can have, in the unit of tables: 1 of an opinion score; None where it may be negative.
    pub fn least(self) -> Option<f64> {
        match self {
            GameMos | GameMosWindow | VoipMos | VoipMosG107 | VoipMosDownlink | VoipMosUplink => Some(1.0),
            VoipRG107 | Column(_) | Value => None,
            _ => Some(0.0),
        }
    }

    /// Of which two it is the quotient, where figures of several applications make one: of shares there is no sum.
    pub fn quotient(self) -> Option<[Metric; 2]> {
        (self == Efficiency).then_some([Throughput, Load])
    }

    /// 1 if more is better, -1 if less is, 0 if neither can be said.
    pub fn sense(self) -> f64 {
        match self.row().5 {
            Higher => 1.0,
            Lower => -1.0,
            Neither => 0.0,
        }
    }
}

impl JsonSchema for Metric {
    fn schema_name() -> Cow<'static, str> {
        "Metric".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let one_by_one = Metric::all().filter(|metric| !matches!(metric, Attempts(_))).map(Metric::name);
        let names = one_by_one.collect::<Vec<_>>();
        json_schema!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": attempts::PATTERN }] })
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Metric, D::Error> {
        d.deserialize_str(Name)
    }
}

struct Name;

impl Visitor<'_> for Name {
    type Value = Metric;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a metric")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Metric, E> {
        Metric::named(name).ok_or_else(|| E::custom(format_args!("no metric '{name}'")))
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_one_row() {
        assert!(TABLE.is_sorted_by_key(|row| row.0), "the table is in the order of the metrics");
        for pair in ROWS.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1, "{} and {}", pair[0].1, pair[1].1);
        }
    }

    /// Small words of a text, without what stands between them.
    fn words(text: &str) -> Vec<String> {
        let parts =
            text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').filter(|part| !part.is_empty());
        parts.map(str::to_ascii_lowercase).collect()
    }

    /// `RttDeviation`: rtt, deviation.
    fn parts_of(variant: &str) -> Vec<String> {
        let mut parts: Vec<String> = Vec::new();
        for c in variant.chars() {
            match parts.last_mut() {
                Some(last) if c.is_ascii_lowercase() && !last.ends_with(|c: char| c.is_ascii_digit()) => {
                    last.push(c)
                }
                Some(last) if c.is_ascii_digit() && last.ends_with(|c: char| c.is_ascii_digit()) => {
                    last.push(c)
                }
                _ => parts.push(c.to_ascii_lowercase().to_string()),
            }
        }
        parts
    }

    /// A name in results has the words of its metric, but for those with another word in the sources, and a word of the
    /// name that tells two figures apart is in its label, too.
    #[test]
    fn names_and_labels_are_of_their_metric() {
        let other = [
            (FrameRate, "playable_frames_per_second"),
            (WholeFrameRate, "frames_per_second"),
            (PageTime, "page_seconds"),
            (PageTimeWithHandshake, "page_with_handshake_seconds"),
            (IpThroughput, "throughput_bits_per_second"),
            (UplinkIpThroughput, "uplink_throughput_bits_per_second"),
            (FrameGoodput, "goodput_bytes_per_second"),
            (LossRate, "loss_packets_per_second"),
            (EarlyDrops, "early_dropped_packets"),
            (ForcedDrops, "forced_dropped_packets"),
            (ArrivalSpread, "arrival_gap_deviation_seconds"),
            (Collisions, "collision_ratio"),
            (Fairness, "downloads_jain_ratio"),
        ];
        let together = [
            (&["p50"][..], &["p50"][..]),
            (&["p95"], &["p95"]),
            (&["p99"], &["p99"]),
            (&["deviation"], &["deviation"]),
            (&["jitter"], &["jitter"]),
            (&["air"], &["air"]),
            (&["loss"], &["lost"]),
            (&["load"], &["load"]),
            (&["loaded"], &["loaded"]),
            (&["latency"], &["latency"]),
            (&["idle"], &["idle"]),
            (&["flows"], &["flows"]),
            (&["stations"], &["stations"]),
            (&["volume"], &["volumes"]),
            (&["least"], &["least"]),
            (&["whole"], &["whole"]),
            (&["median"], &["median"]),
            (&["stalled"], &["stalled"]),
            (&["compared"], &["compared"]),
            (&["completed"], &["completed"]),
            (&["rtt"], &["round"]),
            (&["max"], &["largest", "longest"]),
            (&["down", "downlink"], &["down"]),
            (&["up", "uplink"], &["up", "uplink", "uplinks"]),
        ];
        for (metric, name, label, ..) in TABLE {
            let plain = name.replace('_', "");
            match other.iter().find(|(other, _)| other == metric) {
                Some((_, expected)) => assert_eq!(name, expected),
                None => {
                    for part in parts_of(&format!("{metric:?}")) {
                        let whole = words(&name.replace('_', " "));
                        let there = match part.len() {
                            1 => whole.iter().any(|word| {
                                word.starts_with(&part)
                                    || word.trim_matches(|c: char| c.is_ascii_digit()) == part
                            }),
                            _ => plain.contains(&part),
                        };
                        assert!(there, "{metric:?}: '{name}' without '{part}'");
                    }
                }
            }
            let (of_name, of_label) = (words(name), words(label));
            for (in_name, in_label) in together {
                let has = |all: &[String], one: &[&str]| all.iter().any(|word| one.contains(&word.as_str()));
                let both = (has(&of_name, in_name), has(&of_label, in_label));
                assert!(both.0 == both.1, "{name}: '{label}': {in_name:?} and {in_label:?}");
            }
        }
    }

    #[test]
    fn scores_begin_at_their_least() {
        let kinds = "game voip video web streaming ping udp download upload p2p";
        for about in kinds.split(' ').map(|kind| crate::About::named(kind).expect(kind)) {
            assert_eq!(about.metric().least(), Some(about.score.axis.0), "{}", about.name);
        }
        for metric in Metric::all() {
            let opinion = metric.label().starts_with("MOS");
            assert_eq!(metric.least() == Some(1.0), opinion, "{}", metric.name());
            assert!(metric.least().is_none() || !matches!(metric, Column(_)), "{}", metric.name());
        }
        assert_eq!((VoipRG107.least(), PageTime.least()), (None, Some(0.0)));
    }

    /// Names of the tables, and the words between them and the unit.
    #[test]
    fn figures_of_columns_are_named_after_them() {
        let columns = Metric::all().filter(|metric| matches!(metric, Column(_)));
        let columns: Vec<_> = columns.map(|metric| (metric.name(), metric.label())).collect();
        let sojourn = columns.iter().filter(|(name, _)| name.starts_with("sojourn"));
        assert_eq!(
            sojourn.copied().collect::<Vec<_>>(),
            [
                ("sojourn_mean_seconds", "sojourn, ms"),
                ("sojourn_least_seconds", "least sojourn, ms"),
                ("sojourn_most_seconds", "greatest sojourn, ms"),
                ("sojourn_last_seconds", "sojourn at the end, ms"),
            ]
        );
        let all = airtab_core::disciplines().flat_map(|discipline| discipline.flow_columns());
        // Disciplines that share a column's name share its figures.
        let all: std::collections::BTreeSet<_> = all.map(|column| column.name).collect();
        assert_eq!(columns.len(), 4 * all.len());
        // Tables list figures in the order of these names.
        let place = |name: &&str| {
            let mean = format!("{name}_mean");
            Metric::all().position(|metric| metric.name().starts_with(&mean)).expect("it has a mean")
        };
        assert!(all.iter().map(place).is_sorted());
        // A comparison of thousands of runs has hundreds for each.
        assert_eq!(size_of::<(Metric, f64)>(), 16);
    }
}
