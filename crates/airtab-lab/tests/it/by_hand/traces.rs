// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One trace, one figure: every [`Metric`] that a run's trace gives.

use Metric::*;
use airtab_core::Counters;
use airtab_core::time::{MS, SECOND as S};
use airtab_quality::rpm::{Confidence, Foreign, Outcome};
use airtab_scenario::{Figures, Measured, Metric, ScenarioFile, Second, measure};
use airtab_sim::traffic::video::FrameKind;
use airtab_sim::traffic::web::PageTrace;
use airtab_sim::wifi::{AirTrace, ContentionTrace, NodeAir, WinnersTrace};
use airtab_sim::{
    ApTrace, App, AppTrace, AttemptTrace, BelowTrace, Delivery, FrameTrace, Histogram, Legs, NodeTrace,
    PathTrace, QueueTrace, Scenario, SecondTrace, SegmentTrace, SenderTrace, StreamTrace, TestTrace, Trace,
};

use super::near;

/// 40 s, of which 10 s to 20 s are measured; `apps`: name, kind and what else there is to say.
fn home(apps: &[(&str, &str)]) -> Scenario {
    scored("both", apps)
}

fn scored(directions: &str, apps: &[(&str, &str)]) -> Scenario {
    let mut text = format!(
        "duration = \"40s\"\nmeasure = [\"10s\", \"20s\"]\nmos_direction = \"{directions}\"\n[[station]]\nname = \"a\"\n"
    );
    for (name, rest) in apps {
        text.push_str(&format!("[[app]]\nname = \"{name}\"\nstation = \"a\"\n{rest}\n"));
    }
    ScenarioFile::parse("home.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario
}

/// In which nothing was sent.
fn silent(scenario: &Scenario) -> Trace {
    let app = |app: &App| AppTrace {
        name: app.name.clone(),
        kind: app.kind.clone(),
        measure_ns: app.measured(scenario),
        scored: scenario.scored,
        down: StreamTrace::default(),
        up: StreamTrace::default(),
        queue: QueueTrace::default(),
        below: None,
        paths: Default::default(),
        tcp: Default::default(),
        round_trips_ns: Histogram::new(100 * S, 3),
        acked: Vec::new(),
        air_ns: 0,
        up_air_ns: 0,
        attempts: AttemptTrace::default(),
        seconds: vec![SecondTrace::default(); scenario.duration_ns.div_ceil(S) as usize],
        frames: Vec::new(),
        pages: Vec::new(),
        segments: Vec::new(),
        tests: Vec::new(),
        course: None,
        windows: Vec::new(),
    };
    let ap = ApTrace {
        mean_packets: 0.0,
        deviation_packets: None,
        max_packets: 0,
        counters: Counters::default(),
        air: AirTrace::default(),
        winners: None,
        wired_dropped: 0,
        uplink_dropped: 0,
    };
    let apps = scenario.apps.iter().map(app).collect();
    Trace {
        measure_ns: scenario.measure_ns.clone(),
        apps,
        ap,
        fingerprint: 0,
        exchanges: 0,
        nodes: Vec::new(),
    }
}

/// One application alone, and what is put into its trace.
fn alone(kind: &str, fill: impl FnOnce(&mut AppTrace)) -> Figures {
    measured(kind, fill).apps.remove(0)
}

/// The same, scored as the sources do.
fn by_the_downlink(kind: &str, fill: impl FnOnce(&mut AppTrace)) -> Figures {
    let scenario = scored("down", &[("x", kind)]);
    let mut trace = silent(&scenario);
    fill(&mut trace.apps[0]);
    measure(&scenario, &trace).apps.remove(0)
}

fn measured(kind: &str, fill: impl FnOnce(&mut AppTrace)) -> Measured {
    let scenario = home(&[("x", kind)]);
    let mut trace = silent(&scenario);
    fill(&mut trace.apps[0]);
    measure(&scenario, &trace)
}

/// Packets by the time at which they were sent and how long they took, ms.
fn deliveries(packets: &[(u64, u64)]) -> Vec<Delivery> {
    packets.iter().map(|(at, took)| Delivery { sent_ns: at * MS, received_ns: (at + took) * MS }).collect()
}

fn stream(sent: u64, received: u64, under_way: u64) -> StreamTrace {
    StreamTrace { sent, received, under_way, ..StreamTrace::default() }
}

const GAME: &str = "kind = \"game\"";
const CALL: &str = "kind = \"voip\"";
const PING: &str = "kind = \"ping\"";
const DOWNLOAD: &str = "kind = \"download\"";

/// Down: 4, 4, 7 and 13 ms in the first 5 s, 5 ms in the last; up: 1 and 3 ms, 5 ms.
fn played(seen: &mut AppTrace) {
    let down = [(10_000, 4), (10_040, 4), (10_080, 7), (10_120, 13), (15_000, 5)];
    let up = [(10_000, 1), (14_999, 3), (19_999, 5)];
    seen.down = StreamTrace { deliveries: deliveries(&down), ..stream(8, 5, 1) };
    seen.up = StreamTrace { deliveries: deliveries(&up), ..stream(7, 3, 2) };
}

#[test]
fn delays_of_a_stream() {
    for kind in [GAME, CALL, PING] {
        let f = alone(kind, played);
        // (4 + 4 + 7 + 13 + 5) / 5 = 33 / 5 = 6.6 ms
        near(f[&Delay], 6.6e-3);
        // 6.6 - 4, the least
        near(f[&Jitter], 2.6e-3);
        // 6.6 + (1 + 3 + 5) / 3
        near(f[&Ping], 9.6e-3);
        near(f[&UplinkDelay], 3e-3);
        near(f[&UplinkJitter], 2e-3);
    }
}

/// Each way, whether every delivery is kept or a histogram.
#[test]
fn percentiles_of_one_way_delay() {
    use airtab_scenario::{Direction, OfPath};
    let of = |f: &Figures, direction| {
        OfPath::PERCENTILES.map(|n| f.get(&Metric::of_path(direction, OfPath::Percentile(n))).copied())
    };
    // 4, 4, 5, 7, 13: the third, and from 81 % on the last; 1, 3, 5.
    let f = alone(CALL, played);
    let expected =
        [(Direction::Down, [5e-3, 13e-3, 13e-3, 13e-3]), (Direction::Up, [3e-3, 5e-3, 5e-3, 5e-3])];
    for (direction, expected) in expected {
        of(&f, direction).into_iter().zip(expected).for_each(|(of, expected)| near(of.unwrap(), expected));
    }
    let hundred: Vec<(u64, u64)> = (1..=100).rev().map(|took| (10_000, took)).collect();
    let f = alone(GAME, |seen| seen.up.deliveries = deliveries(&hundred));
    for (percentile, expected) in of(&f, Direction::Up).into_iter().zip([0.050, 0.090, 0.095, 0.099]) {
        near(percentile.unwrap(), expected);
    }
    assert_eq!(of(&f, Direction::Down), [None; 4]);
    let f = alone(DOWNLOAD, |seen| (1..=100).for_each(|ms| seen.down.delay_ns.record(ms * MS)));
    for (percentile, expected) in of(&f, Direction::Down).into_iter().zip([0.050, 0.090, 0.095, 0.099]) {
        let off = percentile.unwrap() / expected - 1.0;
        assert!((0.0..0.01).contains(&off), "{expected}: {off}");
    }
}

#[test]
fn where_time_goes_and_packets_are_lost() {
    use airtab_scenario::{Direction, OfPath};
    let legs = |wires_ns, queue_ns, channel_ns| Legs { wires_ns, queue_ns, channel_ns };
    let f = alone(DOWNLOAD, |seen| {
        seen.down = stream(120, 50, 20);
        seen.paths = [
            PathTrace {
                arrived: 50,
                total: legs(100 * MS, 1000 * MS, 50 * MS),
                least: legs(MS, 25 * MS, 0),
                lost: [5, 40, 2],
                frames: 40,
                attempts: 50,
            },
            PathTrace { total: legs(0, 20 * S, 0), ..PathTrace::default() },
        ];
    });
    let down = |of| f[&Metric::of_path(Direction::Down, of)];
    near(down(OfPath::Wires), 2e-3);
    near(down(OfPath::Queue), 20e-3);
    near(down(OfPath::Channel), 1e-3);
    near(down(OfPath::WiresJitter), 1e-3);
    near(down(OfPath::QueueJitter), -5e-3);
    near(down(OfPath::ChannelJitter), 1e-3);
    // Of 120 less 20 that are under way.
    near(down(OfPath::WiresLoss), 0.05);
    near(down(OfPath::QueueLoss), 0.4);
    near(down(OfPath::ChannelLoss), 0.02);
    near(down(OfPath::Attempts), 1.25);
    // 20 s of waiting in 10 s: two places.
    near(f[&UplinkPackets], 2.0);
    assert!(!f.contains_key(&Metric::of_path(Direction::Up, OfPath::Queue)), "nothing came through");
}

#[test]
fn what_tcp_sent_again() {
    use airtab_scenario::{Direction, OfPath};
    let end = |segments, retransmits, timeouts, most_retransmits, most_timeouts| SenderTrace {
        segments,
        retransmits,
        timeouts,
        most_retransmits,
        most_timeouts,
        ..SenderTrace::default()
    };
    let f = alone(DOWNLOAD, |seen| seen.tcp = [end(150, 12, 3, 7, 2), end(50, 4, 1, 3, 1)]);
    assert_eq!((f[&Retransmits], f[&Timeouts]), (16.0, 4.0), "both ends");
    near(f[&RetransmitRatio], 0.08); // 16 of 200
    let of = |f: &Figures, direction| {
        use OfPath::*;
        [Retransmits, RetransmitRatio, Timeouts, MostRetransmits, MostTimeouts]
            .map(|of| f.get(&Metric::of_path(direction, of)).copied())
    };
    assert_eq!(of(&f, Direction::Down), [12.0, 0.08, 3.0, 7.0, 2.0].map(Some));
    assert_eq!(of(&f, Direction::Up), [4.0, 0.08, 1.0, 3.0, 1.0].map(Some));
    // Who sends nothing has none, and who loses nothing has nought.
    let f = alone(DOWNLOAD, |seen| seen.tcp[1] = end(50, 0, 0, 0, 0));
    assert_eq!((of(&f, Direction::Down), f[&Retransmits], f[&Timeouts]), ([None; 5], 0.0, 0.0));
    assert_eq!((of(&f, Direction::Up), f[&RetransmitRatio]), ([Some(0.0); 5], 0.0));
    let f = alone(DOWNLOAD, |_| ());
    assert!([Retransmits, RetransmitRatio, Timeouts].iter().all(|metric| !f.contains_key(metric)));
}

/// Mean over the acknowledgements of both ends: 3 of 100 ms, 1 of 20 ms.
#[test]
fn how_long_tcp_thinks_a_round_trip_is() {
    use airtab_scenario::{Direction, OfPath};
    let end =
        |acks, ms: u64| SenderTrace { acks, srtt_sum_ns: acks * ms * 1_000_000, ..SenderTrace::default() };
    let f = alone(DOWNLOAD, |seen| seen.tcp = [end(3, 100), end(1, 20)]);
    let of = |direction| f[&Metric::of_path(direction, OfPath::SmoothedRtt)];
    near(f[&SmoothedRtt], 0.080);
    near(of(Direction::Down), 0.100);
    near(of(Direction::Up), 0.020);
    let f = alone(DOWNLOAD, |seen| seen.tcp[0] = SenderTrace { segments: 4, ..SenderTrace::default() });
    assert_eq!(f.get(&SmoothedRtt), None, "nothing was acknowledged");
}

/// 19 round trips of 10 ms and one of 110: mean 15, of the squares 700, deviation sqrt(700 - 225).
#[test]
fn how_long_round_trips_were() {
    let f = alone(DOWNLOAD, |seen| {
        (0..19).for_each(|_| seen.round_trips_ns.record(10 * MS));
        seen.round_trips_ns.record(110 * MS);
        seen.tcp = [40_000, 60_000].map(|most_window| SenderTrace { most_window, ..SenderTrace::default() });
    });
    let close = |metric: Metric, expected: f64| {
        assert!((f[&metric] / expected - 1.0).abs() < 1e-3, "{} {}", metric.name(), f[&metric]);
    };
    close(Rtt, 0.015);
    close(RttDeviation, 475f64.sqrt() * 1e-3);
    close(RttP95, 0.010); // which 19 of 20 did not exceed
    close(RttMax, 0.110);
    assert_eq!(f[&CwndMax], 60_000.0);
    let f = alone(DOWNLOAD, |_| ());
    assert!([Rtt, RttDeviation, RttP95, RttMax, CwndMax].iter().all(|metric| !f.contains_key(metric)));
}

/// Of 8 drops 6 at the first node; its 12 packets were in 3 frames.
/// 90 packets wait 2 ms in the ring, 8 wait 30 ms and 2 wait 70 ms; of 40 packets in frames one had the slow rate.
#[test]
fn what_is_below_the_queue() {
    let mut below =
        BelowTrace { packets: 40, frames: 12.5, kbps: 39 * 65_000 + 6_500, ..BelowTrace::default() };
    for (ms, packets) in [(2, 90), (30, 8), (70, 2)] {
        (0..packets).for_each(|_| below.delay_ns.record(ms * MS));
    }
    let f = alone(DOWNLOAD, |seen| seen.below = Some(below.clone()));
    // Histograms have three digits: (180 + 240 + 140) / 100 ms; as much in 10 s.
    let close =
        |metric: Metric, expected: f64| assert!((f[&metric] / expected - 1.0).abs() < 2e-3, "{metric:?}");
    close(BelowDelay, 5.6e-3);
    close(BelowDelayP99, 70e-3);
    close(BelowPackets, 0.56 / 10.0);
    near(f[&AmpduFrames], 3.2);
    near(f[&PhyRate], (39.0 * 65e6 + 6.5e6) / 40.0);
    let f = alone(DOWNLOAD, |seen| seen.below = Some(BelowTrace::default()));
    assert_eq!([BelowDelay, BelowDelayP99, AmpduFrames, PhyRate].map(|of| f.get(&of)), [None; 4]);
    assert_eq!(f[&BelowPackets], 0.0);
}

/// A direction with too few packets for a percentile takes the score away, but where the other one has 0.
#[test]
fn few_packets_of_a_direction_leave_nought_alone() {
    // Of a game, p98 is best up to 50 ms and worst from 200 ms on, and 50 packets tell it.
    let packets = |n: u64, took: u64| StreamTrace {
        deliveries: deliveries(&(0..n).map(|i| (10_000 + i, took)).collect::<Vec<_>>()),
        ..stream(n, n, 0)
    };
    let score = |down: StreamTrace, up: StreamTrace| {
        let f = alone(GAME, |seen| (seen.down, seen.up) = (down, up));
        f.get(&Qoo).map(|x| x.round())
    };
    let (good, fair, bad) = (|| packets(60, 20), || packets(60, 80), || packets(60, 250));
    let few = || packets(49, 20);
    assert_eq!(score(good(), fair()), Some(80.0));
    assert_eq!(score(fair(), good()), Some(80.0));
    assert_eq!((score(good(), few()), score(few(), good()), score(few(), few())), (None, None, None));
    assert_eq!((score(bad(), few()), score(few(), bad())), (Some(0.0), Some(0.0)));
    assert_eq!((score(bad(), fair()), score(fair(), StreamTrace::default())), (Some(0.0), Some(80.0)));
}

/// Two users' tests down and one up: the worse direction counts, whichever it is.
#[test]
fn round_trips_under_load_by_direction() {
    let test = |up: bool, loaded: u64, idle: &[u64], goodput_bps: u64| {
        let ns = loaded * MS;
        let probe = Foreign { tcp_ns: ns, tls_ns: Some(ns), http_ns: ns };
        let outcome = Outcome {
            took_ns: S,
            connections: 4,
            goodput_bps,
            goodput: Confidence::High,
            responsiveness: Confidence::High,
            foreign: vec![probe],
            own_ns: vec![ns],
            kept_percent: 95,
        };
        TestTrace { user: 0, up, idle_ns: idle.iter().map(|ms| ms * MS).collect(), outcome }
    };
    let figures = |[slow, fast]: [bool; 2]| {
        let tests = vec![
            test(slow, 60, &[2, 9, 4], 5_000_000),
            test(slow, 100, &[3, 5, 40], 9_000_000),
            test(fast, 20, &[1, 7, 50], 2_000_000),
        ];
        let f = alone("kind = \"responsiveness\"", |seen| seen.tests = tests);
        let all = [Rpm, RpmDown, RpmUp, IdleLatency, LoadedLatency, LoadedGoodput, UplinkLoadedGoodput];
        all.map(|metric| f.get(&metric).map(|x| (x * 1e6).round() / 1e6))
    };
    // 1000 and 600 RPM against 3000; medians of 4, 5 and 7 ms; 60 and 100 ms against 20.
    let (slow, fast) = (Some(800.0), Some(3000.0));
    let (idle, loaded) = (Some(0.005333), Some(0.08));
    assert_eq!(figures([false, true]), [slow, slow, fast, idle, loaded, Some(7e6), Some(2e6)]);
    assert_eq!(figures([true, false]), [slow, fast, slow, idle, loaded, Some(2e6), Some(7e6)]);
}

#[test]
fn what_nodes_of_a_mesh_did() {
    let scenario = home(&[("x", DOWNLOAD)]);
    let mut trace = silent(&scenario);
    let air = NodeAir { attempts: 8, collided: 2, ..NodeAir::default() };
    let node = |name: &str, dropped| NodeTrace {
        name: name.into(),
        mean_packets: 1.5,
        max_packets: 4,
        arrived: 24,
        dropped,
        sent: 12,
        frames: 3.0,
        air,
    };
    let idle = NodeTrace { arrived: 0, sent: 0, air: NodeAir::default(), ..node("c", 0) };
    trace.nodes = vec![node("a", 6), node("b", 2), idle];
    let nodes = measure(&scenario, &trace).nodes;
    assert_eq!(nodes.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a", "b", "c"]);
    let a = &nodes[0].1;
    assert_eq!((a[&QueuePackets], a[&QueueMax], a[&QueueDropped], a[&DropShare]), (1.5, 4.0, 0.25, 0.75));
    assert_eq!((a[&AmpduFrames], a[&CollidedAttempts], nodes[1].1[&DropShare]), (4.0, 0.25, 0.25));
    let c = &nodes[2].1;
    assert!([QueueDropped, AmpduFrames, CollidedAttempts].iter().all(|metric| !c.contains_key(metric)));
}

#[test]
fn what_is_under_way_is_neither_received_nor_lost() {
    let f = alone(CALL, played);
    // 8 sent, 1 under way: of 7 two never arrived. As if lost, it were 3 of 8.
    near(f[&Loss], 2.0 / 7.0);
    // 7 sent, 2 under way: of 5 two never arrived.
    near(f[&UplinkLoss], 2.0 / 5.0);
    // Of an application that is no constant stream, too.
    near(alone(DOWNLOAD, |seen| seen.down = stream(100, 80, 15))[&Loss], 5.0 / 85.0);
    // All that was sent is under way: nobody knows.
    assert_eq!(alone(DOWNLOAD, |seen| seen.down = stream(3, 0, 3)).get(&Loss), None);
    assert_eq!(alone(DOWNLOAD, |_| ()).get(&Loss), None, "nothing was sent");
    assert_eq!(alone(DOWNLOAD, |seen| seen.down = stream(4, 4, 0))[&Loss], 0.0);
    assert_eq!(alone(DOWNLOAD, |seen| seen.down = stream(4, 0, 0))[&Loss], 1.0);
    // The uplink of a download is ACKs, and no figure.
    assert_eq!(alone(DOWNLOAD, |seen| seen.up = stream(4, 2, 0)).get(&UplinkLoss), None);
}

#[test]
fn a_direction_without_packets_has_no_delay() {
    let down_only = alone(GAME, |seen| seen.down.deliveries = deliveries(&[(10_000, 4)]));
    assert_eq!((down_only.get(&Delay), down_only.get(&Ping)), (Some(&4e-3), None));
    let up_only = alone(GAME, |seen| seen.up.deliveries = deliveries(&[(10_000, 4)]));
    assert_eq!([Delay, Jitter, Ping, ArrivalSpread].map(|m| up_only.get(&m)), [None; 4]);
}

#[test]
fn deviation_of_arrivals_is_the_samples() {
    let at = |ms: &[u64]| {
        let packets: Vec<(u64, u64)> = ms.iter().map(|at| (*at, 0)).collect();
        alone(GAME, |seen| seen.down.deliveries = deliveries(&packets)).get(&ArrivalSpread).copied()
    };
    // Gaps of 40, 43 and 46 ms: mean 43, squares 9 + 0 + 9, by 3 - 1: 9, root 3 ms (over 3 it were 2.449).
    near(at(&[10_000, 10_040, 10_083, 10_129]).unwrap(), 3e-3);
    // Two gaps, 10 and 14: (4 + 4) / 1 = 8.
    near(at(&[10_000, 10_010, 10_024]).unwrap(), 8f64.sqrt() * 1e-3);
    assert_eq!(at(&[10_000, 10_040]), None, "one gap does not vary");
    assert_eq!(at(&[10_000]), None);
}

#[test]
fn score_of_a_game() {
    let f = alone(GAME, played);
    // First bin: down (4 + 4 + 7 + 13) / 4 = 7, least 4; up 2: ping 9, jitter 3, X = 0.104 * 9 + 3 = 3.936.
    // 4.37 - 0.114 * 3.936 + 0.00139 * 3.936^2 - 0.00000587 * 3.936^3 = 3.942472...
    // Second: 5 + 5, X = 1.04: 4.252936... Mean of two bins of 5 s.
    near(f[&GameMos], (3.9424720790965453 + 4.25293682104832) / 2.0);
    // As one: down 6.6, least 4, up 3: X = 0.104 * 9.6 + 2.6 = 3.5984.
    near(f[&GameMosWindow], 3.97750728503709);
    // Up 1 and 21 ms, mean 11: a jitter of 10 in both bins together; down as before.
    let lopsided = |seen: &mut AppTrace| {
        played(seen);
        seen.up.deliveries = deliveries(&[(10_000, 1), (14_999, 21), (15_000, 4)]);
    };
    // Up 26 / 3, least 1: X = 0.104 (6.6 + 8.6667) + 7.6667 = 9.2544 for 0.104 * 15.2667 + 2.6 = 4.1877.
    near(alone(GAME, lopsided)[&GameMosWindow], 3.4293909851878013);
    near(by_the_downlink(GAME, lopsided)[&GameMosWindow], 3.916543886398775);
    near(by_the_downlink(GAME, played)[&GameMosWindow], 3.97750728503709);
    assert_eq!(by_the_downlink(GAME, played).get(&UplinkJitter), None, "it does not count");
    let silent = alone(GAME, |seen| seen.down = stream(5, 0, 0));
    assert_eq!((silent[&GameMos], silent[&GameMosWindow]), (1.0, 1.0), "nothing arrives");
    assert_eq!(alone(GAME, |_| ()).get(&GameMos), None, "it sent nothing");
    assert_eq!(alone(CALL, played).get(&GameMos), None);
}

#[test]
fn score_of_a_call() {
    // 105 sent, 5 under way, 99 received after 200 ms: of 100 one is lost.
    let packets: Vec<(u64, u64)> = (0..99).map(|i| (10_000 + 20 * i, 200)).collect();
    let f = alone(CALL, |seen| {
        seen.down = StreamTrace { deliveries: deliveries(&packets), ..stream(105, 99, 5) };
    });
    // R = 94 - 0.024 * 200 - 0.11 * (200 - 177.3) - 30 ln(1 + 15 * 0.01) = 82.5101417;
    // 1 + 0.035 R + 0.000007 R (R - 60) (100 - R) = 4.1152442
    near(f[&VoipMos], 4.1152441913984035);
    // R = 93.2 - Idd(200) - 95 * 1 / (1 + 4.3) = 93.2 - 3.0444142 - 17.9245283
    near(f[&VoipRG107], 72.23105747459445);
    near(f[&VoipMosG107], 3.6998166919948496);
    assert_eq!(f.get(&VoipMosUplink), None, "it said nothing");
    let lopsided = |worse_up: bool| {
        let packets = packets.clone();
        move |seen: &mut AppTrace| {
            let better = StreamTrace { deliveries: deliveries(&packets[..50]), ..stream(50, 50, 0) };
            let worse = StreamTrace { deliveries: deliveries(&packets), ..stream(105, 99, 5) };
            (seen.down, seen.up) = if worse_up { (better, worse) } else { (worse, better) };
        }
    };
    let talks = alone(CALL, lopsided(true));
    near(talks[&VoipMosUplink], 4.1152441913984035); // what the downlink had above
    assert!(talks[&VoipMosDownlink] > 4.2, "it lost nothing");
    let listens = alone(CALL, lopsided(false));
    assert_eq!(
        (listens[&VoipMosDownlink], listens[&VoipMosUplink]),
        (talks[&VoipMosUplink], talks[&VoipMosDownlink])
    );
    for both in [&talks, &listens] {
        // The worse one of each form, with its own delay and losses.
        near(both[&VoipMos], 4.1152441913984035);
        near(both[&VoipRG107], 72.23105747459445);
        near(both[&VoipMosG107], 3.6998166919948496);
    }
    let source = by_the_downlink(CALL, lopsided(true));
    assert_eq!((source[&VoipMos], source[&VoipMosUplink]), (talks[&VoipMosDownlink], talks[&VoipMosUplink]));
    assert!(source[&VoipRG107] > 90.0 && source[&VoipMosG107] > 4.2, "of the downlink alone");
    let deaf = alone(CALL, |seen| seen.down = stream(10, 0, 0));
    assert_eq!((deaf[&VoipMos], deaf[&VoipMosG107], deaf.get(&VoipRG107)), (1.0, 1.0, None));
    assert_eq!(alone(CALL, |seen| seen.down = stream(10, 0, 10)).get(&VoipMos), None, "all are under way");
}

#[test]
fn rates_are_about_the_part_in_which_it_was_active() {
    let goodput = |times: &str| {
        alone(&format!("{DOWNLOAD}\n{times}"), |seen| {
            seen.down.payload_bytes = 1_250_000;
        })
    };
    // 10 Mbit in 10 s, 5 s (15 to 20), 4 s (10 to 14), 2 s (16 to 18).
    for (times, bps) in [
        ("", 1e6),
        ("start = \"15s\"", 2e6),
        ("stop = \"14s\"", 2.5e6),
        ("start = \"16s\"\nstop = \"18s\"", 5e6),
        // A measured part of its own: 30 to 34 s, of which it sends from 32 s on.
        ("start = \"32s\"\nmeasure = [\"30s\", \"34s\"]", 5e6),
    ] {
        near(goodput(times)[&Goodput], bps);
    }
}

#[test]
fn shares_of_air_are_of_all_of_the_measured_time() {
    let taken = |seen: &mut AppTrace| {
        (seen.air_ns, seen.up_air_ns, seen.queue.mean_packets) = (2 * S, S / 2, 3.5);
    };
    for times in ["", "start = \"15s\"", "stop = \"14s\""] {
        let f = alone(&format!("{DOWNLOAD}\n{times}"), taken);
        // 2 s and 0.5 s of 10 s, however long it was active.
        assert_eq!((f[&Air], f[&UplinkAir], f[&QueuePackets]), (0.2, 0.05, 3.5), "{times}");
    }
    let f = alone(&format!("{DOWNLOAD}\nmeasure = [\"30s\", \"34s\"]"), taken);
    assert_eq!((f[&Air], f[&UplinkAir]), (0.5, 0.125), "of its own 4 s");
}

#[test]
fn what_is_not_active_while_measured_has_no_figures() {
    for kind in [DOWNLOAD, "kind = \"web\"", GAME] {
        for times in ["stop = \"10s\"", "start = \"20s\""] {
            let m = measured(&format!("{kind}\n{times}"), played);
            assert!(
                m.apps[0].is_empty() && m.seconds[0].is_empty() && m.pages[0].is_empty(),
                "{kind} {times}"
            );
        }
    }
}

#[test]
fn drops_and_waits_in_the_queue() {
    let f = alone(DOWNLOAD, |seen| {
        (seen.queue.arrived, seen.queue.dropped) = (12, 3);
        (1..=100).for_each(|ms| seen.queue.delay_ns.record(ms * MS));
    });
    assert_eq!(f[&QueueDropped], 0.25, "3 of 12");
    // 1 to 100 ms: mean 50.5, half of them up to 50, 99 of them up to 99; three digits are kept.
    for (metric, seconds) in [(QueueDelay, 0.0505), (QueueDelayP50, 0.050), (QueueDelayP99, 0.099)] {
        assert!((f[&metric] / seconds - 1.0).abs() < 1e-3, "{} {}", metric.name(), f[&metric]);
    }
    let none = alone(DOWNLOAD, |_| ());
    assert_eq!([QueueDropped, QueueDelay, QueueDelayP50, QueueDelayP99].map(|m| none.get(&m)), [None; 4]);
}

#[test]
fn attempts_are_shares_of_all_frames_that_ended() {
    // As many as the scenario's attempts: 40 + 20 + 10 + 8 + 6 + 4 + 2 + 3 + 7 = 100.
    let attempts = AttemptTrace { acked: vec![40, 20, 10, 8, 6, 4, 2, 3, 0], given_up: 7 };
    let f = alone(DOWNLOAD, |seen| seen.attempts = attempts);
    let shares: Vec<_> = (1..=255).filter_map(|n| f.get(&Attempts(n)).copied()).collect();
    assert_eq!(shares, [0.40, 0.20, 0.10, 0.08, 0.06, 0.04, 0.02, 0.03, 0.0]);
    assert_eq!(f[&GivenUp], 0.07);
    let most = alone(DOWNLOAD, |seen| seen.attempts = AttemptTrace { acked: vec![1; 255], given_up: 0 });
    assert_eq!([1, 255].map(|n| most[&Attempts(n)]), [1.0 / 255.0; 2]);
    let none = alone(DOWNLOAD, |_| ());
    assert_eq!((none.get(&Attempts(1)), none.get(&GivenUp)), (None, None));
}

#[test]
fn what_comes_from_stations() {
    let up = |seen: &mut AppTrace| {
        seen.up = StreamTrace { payload_bytes: 2_500_000, ..stream(50, 40, 2) };
    };
    for kind in ["kind = \"upload\"", "kind = \"p2p\"\nupload = true"] {
        let f = alone(kind, up);
        near(f[&UplinkGoodput], 2e6); // 20 Mbit in 10 s
        near(f[&UplinkLoss], 8.0 / 48.0);
    }
    for kind in [DOWNLOAD, "kind = \"p2p\"", "kind = \"web\""] {
        assert_eq!(alone(kind, up).get(&UplinkGoodput), None, "{kind}");
    }
}

/// Frames one a second from 10 s on; kind, packets needed and received.
fn frames(list: &[(FrameKind, u16, u16)]) -> Vec<FrameTrace> {
    let one = |((kind, needed, received), at): (&(FrameKind, u16, u16), u64)| FrameTrace {
        user: 0,
        sent_ns: at * S,
        kind: *kind,
        needed: *needed,
        received: *received,
    };
    list.iter().zip(10..).map(one).collect()
}

/// I B P B B I: the P frame lacks one of its 3 packets; a frame is whole with as many as it needs, or more.
/// Shown: I, not the B before the P frame, not that, not the two after it, I.
const VIDEO: [(FrameKind, u16, u16); 6] = [
    (FrameKind::I, 5, 5),
    (FrameKind::B, 1, 1),
    (FrameKind::P, 3, 2),
    (FrameKind::B, 1, 1),
    (FrameKind::B, 2, 0),
    (FrameKind::I, 5, 6),
];

#[test]
fn frames_of_a_video() {
    let m = measured("kind = \"video\"", |seen| seen.frames = frames(&VIDEO));
    let f = &m.apps[0];
    near(f[&FrameRate], 0.2); // 2 in 10 s
    near(f[&FramesWhole], 4.0 / 6.0);
    assert_eq!(f[&IFramesWhole], 1.0);
    assert_eq!(f[&PFramesWhole], 0.0);
    near(f[&BFramesWhole], 2.0 / 3.0);
    let shown: Vec<Option<u32>> = m.seconds[0].iter().map(|s| s.playable_frames).collect();
    let (one, none) = (Some(1), Some(0));
    assert_eq!(shown, [one, none, none, none, none, one, none, none, none, none]);
    assert_eq!(alone("kind = \"video\"", |_| ()).get(&FrameRate), None);
    let only_i = alone("kind = \"video\"", |seen| seen.frames = frames(&VIDEO[..1]));
    assert_eq!((only_i.get(&PFramesWhole), only_i.get(&BFramesWhole)), (None, None));
    // Frames outside of the measured time are references, and count for nothing else.
    let late = alone("kind = \"video\"\nstart = \"15s\"", |seen| seen.frames = frames(&VIDEO));
    near(late[&FrameRate], 0.2); // 1 in 5 s
    near(late[&FramesWhole], 1.0);
}

/// Each user's frames are judged by themselves, and the mean taken; what can be shown of each second is summed.
#[test]
fn frames_of_two_users() {
    let two = measured("kind = \"video\"", |seen| {
        let second = VIDEO.map(|(kind, needed, _)| (kind, needed, 0));
        seen.frames = frames(&VIDEO[..5]);
        seen.frames.extend(frames(&second).into_iter().map(|frame| FrameTrace { user: 1, ..frame }));
        seen.frames.extend(frames(&VIDEO).into_iter().map(|frame| FrameTrace { user: 2, ..frame }));
    });
    let f = &two.apps[0];
    near(f[&FrameRate], (0.1 + 0.0 + 0.2) / 3.0);
    near(f[&FramesWhole], (3.0 / 5.0 + 0.0 + 4.0 / 6.0) / 3.0);
    let shown: Vec<Option<u32>> = two.seconds[0].iter().map(|s| s.playable_frames).collect();
    assert_eq!(shown[..6], [Some(2), Some(0), Some(0), Some(0), Some(0), Some(1)]);
}

/// What each second of the run has: i bytes sent in second i, ten times as much received.
fn counted(seen: &mut AppTrace) {
    for (i, second) in seen.seconds.iter_mut().enumerate() {
        *second = SecondTrace { sent_bytes: i as u64, received_bytes: 10 * i as u64 };
    }
}

#[test]
fn only_whole_seconds_of_the_measured_time_count() {
    let of =
        |times: &str| -> Vec<Second> { measured(&format!("{DOWNLOAD}\n{times}"), counted).seconds.remove(0) };
    let at = |i: u64| Second {
        from_ns: i * S,
        sent_bits: 8.0 * i as f64,
        received_bits: 80.0 * i as f64,
        playable_frames: None,
    };
    assert_eq!(of(""), (10..20).map(at).collect::<Vec<_>>(), "10 to 20 s");
    // 12.5 to 15.5 s: 13 and 14 are whole, the halves before and after are not.
    assert_eq!(of("start = \"12500ms\"\nstop = \"15500ms\""), [at(13), at(14)]);
    assert_eq!(of("start = \"13s\"\nstop = \"15s\""), [at(13), at(14)]);
    assert_eq!(of("start = \"13s\"\nstop = \"15001ms\""), [at(13), at(14)]);
    assert_eq!(of("start = \"12999ms\"\nstop = \"14999ms\""), [at(13)]);
    assert_eq!(of("start = \"13001ms\"\nstop = \"13999ms\""), [], "none is whole");
}

#[test]
fn a_streamed_video() {
    // Segments of 4 s, complete at 11, 12, 18 s: played 11 to 15, 15 to 19, 19 to 23.
    let segment = |(done, rate_bps): (u64, u64)| SegmentTrace {
        user: 0,
        rate_bps,
        requested_ns: 9 * S,
        done_ns: done * S,
    };
    let of = |list: &[(u64, u64)]| {
        alone("kind = \"streaming\"", |seen| seen.segments = list.iter().copied().map(segment).collect())
    };
    let f = of(&[(11, 1_000_000), (12, 2_000_000), (18, 4_000_000)]);
    // Until 20 s: 4 s at 1, 4 s at 2 and 1 s at 4 Mb/s: 16 / 9.
    near(f[&BitRate], 16e6 / 9.0);
    assert_eq!((f[&Stalled], f[&Stalls], f[&Switches], f[&Startup]), (0.0, 0.0, 2.0, 2.0));
    let f = of(&[(11, 1_000_000), (12, 1_000_000)]);
    // Nothing from 19 to 20 s, of 11 to 20.
    near(f[&Stalled], 1.0 / 9.0);
    assert_eq!((f[&Stalls], f[&Switches], f[&BitRate]), (1.0, 0.0, 1e6));
    assert!([BitRate, Stalled, Stalls, Switches, Startup].iter().all(|m| !of(&[]).contains_key(m)));
    // Two users: the mean of what each has.
    let f = alone("kind = \"streaming\"", |seen| {
        seen.segments = [(11, 1_000_000), (12, 2_000_000), (18, 4_000_000)].map(segment).to_vec();
        let other = [(11, 1_000_000), (12, 1_000_000)].map(segment);
        seen.segments.extend(other.map(|s| SegmentTrace { user: 1, ..s }));
    });
    near(f[&BitRate], (16e6 / 9.0 + 1e6) / 2.0);
    near(f[&Stalled], 0.5 / 9.0);
    assert_eq!((f[&Stalls], f[&Switches]), (0.5, 1.0));
    // Segments of another length: the scenario's counts, 11 to 13, 13 to 15, then nothing for 3 of 7 s.
    let text = "kind = \"streaming\"\nsegment = \"2s\"";
    let f = alone(text, |seen| {
        seen.segments = [(11, 1_000_000), (12, 1_000_000), (18, 1_000_000)].map(segment).to_vec();
    });
    near(f[&Stalled], 3.0 / 9.0); // 15 to 18 of 11 to 20
}

#[test]
fn pages_are_those_requested_while_measured() {
    let page = |number: u32, requested: u64| PageTrace {
        number,
        bytes: 1000 + u64::from(number),
        opened_ns: requested - 2 * MS,
        requested_ns: requested,
        done_ns: requested + 30 * S,
    };
    // Requested just before, at its start, just before its end, at its end.
    let times = [(1, 10 * S - 1), (2, 10 * S), (3, 20 * S - 1), (4, 20 * S)];
    let m = measured("kind = \"web\"", |seen| seen.pages = times.map(|(n, at)| page(n, at)).to_vec());
    assert_eq!(m.apps[0][&Pages], 2.0);
    let kept: Vec<_> =
        m.pages[0].iter().map(|p| (p.number, p.opened_ns, p.requested_ns, p.done_ns, p.bytes)).collect();
    let of = |n: u32, at: u64| (n, at - 2 * MS, at, at + 30 * S, 1000 + u64::from(n));
    assert_eq!(kept, [of(2, 10 * S), of(3, 20 * S - 1)]);
    // Their times are figures of a comparison.
    assert!(
        [PageTime, PageTimeWithHandshake, PageBytes, PagesCompared]
            .iter()
            .all(|p| !m.apps[0].contains_key(p))
    );
    assert_eq!(alone("kind = \"web\"", |_| ())[&Pages], 0.0);
    assert_eq!(alone(DOWNLOAD, |_| ()).get(&Pages), None);
}

#[test]
fn the_channel_and_its_queue() {
    let scenario = home(&[("x", DOWNLOAD)]);
    let mut trace = silent(&scenario);
    // 11 + 7 + 3 + 2 + 17 = 40 s.
    let (down_ns, up_ns, collision_ns, beacon_ns, idle_ns) = (11 * S, 7 * S, 3 * S, 2 * S, 17 * S);
    let (attempts, collided) = (200, 30);
    let contention = ContentionTrace {
        successes: 140,
        collisions: 14,
        slots_before_successes: 1400,
        slots_before_collisions: 105,
    };
    // A quarter of 4 kB went out in full duplex.
    let (duplex_of_bytes, duplex_bytes) = (4_000, 1_000);
    trace.ap.air = AirTrace {
        down_ns,
        up_ns,
        collision_ns,
        beacon_ns,
        idle_ns,
        attempts,
        collided,
        duplex_of_bytes,
        duplex_bytes,
        contention,
    };
    // Four contenders: p_s up to 32, none wins again within two.
    let self_correlation = (1..=32).map(|d| if d < 3 { 0.0 } else { f64::from(d) / 32.0 }).collect();
    let jain = [Some(0.5), Some(0.6), Some(0.7), Some(0.8), Some(0.9), None, None];
    trace.ap.winners = Some(WinnersTrace { contenders: 4, self_correlation, jain });
    (trace.ap.mean_packets, trace.ap.deviation_packets, trace.ap.max_packets) = (12.25, Some(2.5), 34);
    (trace.ap.wired_dropped, trace.ap.uplink_dropped) = (5, 6);
    let ap = measure(&scenario, &trace).ap;
    let expected = [
        (QueuePackets, 12.25),
        (QueueDeviation, 2.5),
        (QueueMax, 34.0),
        (Idle, 17.0 / 40.0),
        (Collisions, 3.0 / 40.0),
        (CollidedAttempts, 0.15),
        (FullDuplex, 0.25),
        (CollisionsPerSuccess, 0.1),
        (IdleBeforeSuccess, 10.0),
        (IdleBeforeCollision, 7.5),
        (SelfCorrelation1, 0.0),
        (SelfCorrelationHalfN, 0.0),
        (SelfCorrelationN, 0.125),
        (SelfCorrelation2N, 0.25),
        (SelfCorrelation4N, 0.5),
        (WinnersJain1, 0.5),
        (WinnersJain2, 0.6),
        (WinnersJain5, 0.7),
        (WinnersJain10, 0.8),
        (WinnersJain20, 0.9),
        (WiredDropped, 5.0),
        (UplinkDropped, 6.0),
    ];
    assert_eq!(ap, Figures::from(expected), "and nothing else: one download, no pings");
    let ap = measure(&scenario, &silent(&scenario)).ap;
    assert_eq!((ap.get(&Idle), ap.get(&Collisions)), (None, None), "no time, no shares of it");
    assert_eq!(ap.get(&CollidedAttempts), None, "no attempts");
}

/// In the units of the CBT study: Ethernet frames, 14 bytes more than IP packets; a window by its own trace.
#[test]
fn frames_of_a_dumbbell() {
    let text = "duration = \"40s\"\nmeasure = [\"10s\", \"20s\"]\ntopology = \"dumbbell\"\nbottleneck = { rate = \"10Mb/s\" }\n\
                windows = { late = [\"30s\", \"32s\"] }\nstation = [{ name = \"a\" }]\n\
                app = [{ name = \"x\", kind = \"download\", users = 2, station = \"a\" }]\n";
    let scenario = ScenarioFile::parse("bell.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
    let of = |down: StreamTrace, late: StreamTrace| {
        let mut trace = silent(&scenario);
        let window = AppTrace { measure_ns: 30 * S..32 * S, ..silent(&scenario).apps.remove(0) };
        trace.apps[0].windows = vec![AppTrace { down: late, ..window }];
        trace.apps[0].down = down;
        measure(&scenario, &trace).apps
    };
    let ten =
        StreamTrace { sent_bytes: 9_900, bytes: 6_958, new_packets: 6, new_bytes: 5_958, ..stream(10, 7, 1) };
    let late = StreamTrace { sent_bytes: 1_460, bytes: 1_460, ..stream(1, 1, 0) };
    let apps = of(ten, late);
    let figures = |apps: &[Figures], i: usize| {
        [Load, LoadPackets, Throughput, FrameGoodput, Efficiency, LossRate]
            .map(|metric| apps[i].get(&metric).copied())
    };
    // 9900 + 140 bytes and 10 packets in 10 s; 6958 + 98; 5958 + 84; 7056 / 10040; two lost, of two users.
    let expected = [1004.0, 1.0, 705.6, 604.2, 7056.0 / 10_040.0, 0.1];
    figures(&apps, 0).into_iter().zip(expected).for_each(|(of, expected)| near(of.unwrap(), expected));
    let expected = [737.0, 0.5, 737.0, 0.0, 1.0, 0.0];
    figures(&apps, 1).into_iter().zip(expected).for_each(|(of, expected)| near(of.unwrap(), expected));
    let nothing = of(StreamTrace::default(), StreamTrace::default());
    assert_eq!(
        figures(&nothing, 0),
        [Some(0.0), Some(0.0), Some(0.0), Some(0.0), None, Some(0.0)],
        "no share of nothing"
    );
    assert_eq!(alone(DOWNLOAD, |_| ()).get(&Efficiency), None, "of a home");
}

#[test]
fn fairness_is_between_downloads() {
    let of = |apps: &[(&str, &str)], bytes: &[u64]| {
        let scenario = home(apps);
        let mut trace = silent(&scenario);
        trace.apps.iter_mut().zip(bytes).for_each(|(seen, bytes)| seen.down.payload_bytes = *bytes);
        measure(&scenario, &trace).ap.get(&Fairness).copied()
    };
    let upload = "kind = \"upload\"";
    // Rates as 1 to 2: (1 + 2)^2 / (2 (1 + 4)) = 0.9. The upload's does not matter.
    assert_eq!(of(&[("a", DOWNLOAD), ("b", upload), ("c", DOWNLOAD)], &[1000, 9999, 2000]), Some(0.9));
    assert_eq!(of(&[("a", DOWNLOAD), ("b", upload)], &[1000, 2000]), None, "one download shares with nobody");
    // One that was not active has no rate; twice as long for as much is half the rate.
    let (gone, half) = (format!("{DOWNLOAD}\nstop = \"9s\""), format!("{DOWNLOAD}\nstop = \"15s\""));
    assert_eq!(of(&[("a", DOWNLOAD), ("b", &gone)], &[1000, 2000]), None);
    assert_eq!(of(&[("a", DOWNLOAD), ("b", &half)], &[1000, 1000]), Some(0.9));
    assert_eq!(of(&[("a", DOWNLOAD), ("b", DOWNLOAD)], &[0, 0]), None, "nothing to share");
}

/// Mean pings, ms; None for a host that did not answer.
fn pinged(pings: &[Option<u64>]) -> (Option<f64>, Option<f64>) {
    let names: Vec<String> = (0..pings.len()).map(|i| format!("host{i}")).collect();
    let mut apps: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), PING)).collect();
    // Not a host that is pinged, though it has a ping.
    apps.push(("game", GAME));
    let scenario = home(&apps);
    let mut trace = silent(&scenario);
    for (seen, ping) in trace.apps.iter_mut().zip(pings.iter().copied().chain([Some(1)])) {
        let Some(ping) = ping else { continue };
        // All of it but 20 ms on its way down; 130 and 20 ms are 0.15 s to the last bit.
        let up = 20.min(ping / 2);
        seen.down.deliveries = deliveries(&[(11_000, ping - up)]);
        seen.up.deliveries = deliveries(&[(11_000, up)]);
    }
    let ap = measure(&scenario, &trace).ap;
    let ms = |s: &f64| (s * 1e6).round() / 1e3;
    (ap.get(&PingMedian).map(ms), ap.get(&PingPlayable).copied())
}

#[test]
fn pings_of_all_hosts() {
    assert_eq!(pinged(&[Some(300), Some(100), Some(120)]), (Some(120.0), Some(2.0 / 3.0)), "the middle one");
    // 100, 120, 200, and one without end: (120 + 200) / 2.
    assert_eq!(pinged(&[None, Some(200), Some(100), Some(120)]), (Some(160.0), Some(0.5)));
    assert_eq!(pinged(&[None, Some(100), None]), (None, Some(1.0 / 3.0)), "the middle one never answered");
    assert_eq!(pinged(&[Some(100), None]), (None, Some(0.5)), "half of it is without end");
    assert_eq!(pinged(&[Some(150)]), (Some(150.0), Some(0.0)), "playable is below 150 ms");
    assert_eq!(pinged(&[Some(149)]), (Some(149.0), Some(1.0)));
    assert_eq!(pinged(&[]), (None, None));
}
