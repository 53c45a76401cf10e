// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One trace to figures: what each application felt, what the queue and the
//! channel did.
//!
//! Sources of the scores: `airtab-quality`. An application that is active in
//! only a part of the measured time is judged by that part; what it took of the
//! queue and of the channel is a share of all of the measured time.
//!
//! What it does not do: nothing is averaged over runs here.

use std::collections::BTreeMap;

use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_quality::qoo::Percentile;
use airtab_quality::web::{self, Page};
use airtab_sim::{
    App, AppTrace, BelowTrace, Delivery, Leg, Legs, NodeTrace, PathTrace, Scenario, SecondTrace, SenderTrace,
    StreamTrace, Trace,
};
use serde::{Deserialize, Serialize, Serializer};

use crate::contention;
use crate::evenness;
use crate::frames;
use crate::gaps;
use crate::kinds;
use crate::latencies::Latencies;
use crate::metric::{Direction, Metric, OfPath};
use crate::outcome;
use crate::volumes;

/// Figures of one application or of the access point; what has no meaning is
/// absent.
pub type Figures = BTreeMap<Metric, f64>;

const SECONDS: f64 = 1e-9;

/// What one run says. Serialised without the seconds in which nothing was there to be shown: of those nothing is made
/// that outlives the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Figures of every application, in the order of the scenario; after them those of each of its windows.
    pub apps: Vec<Figures>,
    /// Pages of every application, requested in the measured time and
    /// completed. Their times are figures of a comparison, not of a run.
    pub pages: Vec<Vec<Page>>,
    /// Every application's course over its measured time.
    #[serde(serialize_with = "of_videos")]
    pub seconds: Vec<Vec<Second>>,
    /// Figures of the access point.
    pub ap: Figures,
    /// Name and figures of each node of a mesh, in their order.
    pub nodes: Vec<(String, Figures)>,
}

/// One second of one application. Serialised as the list of its values, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u64, f64, f64, Option<u32>)", into = "(u64, f64, f64, Option<u32>)")]
pub struct Second {
    /// When it began, ns.
    pub from_ns: u64,
    /// IP bits sent by its server.
    pub sent_bits: f64,
    /// IP bits received at its station.
    pub received_bits: f64,
    /// Video only: frames that can be shown, of those sent in it.
    pub playable_frames: Option<u32>,
}

impl From<(u64, f64, f64, Option<u32>)> for Second {
    fn from((from_ns, sent_bits, received_bits, playable_frames): (u64, f64, f64, Option<u32>)) -> Second {
        Second { from_ns, sent_bits, received_bits, playable_frames }
    }
}

impl From<Second> for (u64, f64, f64, Option<u32>) {
    fn from(second: Second) -> Self {
        (second.from_ns, second.sent_bits, second.received_bits, second.playable_frames)
    }
}

fn of_videos<S: Serializer>(seconds: &[Vec<Second>], s: S) -> Result<S::Ok, S::Error> {
    let shown = |all: &Vec<Second>| {
        all.iter().filter(|second| second.playable_frames.is_some()).copied().collect::<Vec<_>>()
    };
    s.collect_seq(seconds.iter().map(shown))
}

/// Measures the trace of a run.
pub fn measure(scenario: &Scenario, trace: &Trace) -> Measured {
    let window = |app: &App, seen: &AppTrace| {
        let from = seen.measure_ns.start.max(app.active_ns.start);
        Window::new(from, seen.measure_ns.end.min(app.active_ns.end))
    };
    // In the measured time, and in each of the windows.
    let pairs = || scenario.apps.iter().zip(&trace.apps);
    let others =
        (0..scenario.windows.len()).flat_map(|i| pairs().map(move |(app, seen)| (app, &seen.windows[i])));
    let all: Vec<_> = pairs().chain(others).map(|(app, seen)| (app, seen, window(app, seen))).collect();
    let both = || all.iter().map(|(app, seen, window)| (*app, *seen, *window));
    let pages = both().map(|(_, seen, window)| window.map_or_else(Vec::new, |w| pages(seen, w)));
    let pages: Vec<Vec<Page>> = pages.collect();
    let wired = scenario.medium.wire().is_some();
    let figures = both().map(|(app, seen, window)| {
        let Some(window) = window else { return Figures::new() };
        let hops = scenario.way(app).map_or(1, |(hops, _)| hops);
        let mut figures = of_app(app, seen, window, hops);
        if wired {
            frames::add(&mut figures, app, seen, window);
        }
        figures
    });
    let apps: Vec<Figures> = figures.collect();
    let seconds = both().map(|(_, seen, window)| window.map_or_else(Vec::new, |w| seconds(seen, w)));
    let measured = &apps[..scenario.apps.len()];
    let (ap, nodes) = (of_access_point(scenario, trace, measured), of_nodes(&trace.nodes));
    Measured { ap, nodes, seconds: seconds.collect(), apps, pages }
}

/// What each node of a mesh held, dropped and sent.
fn of_nodes(nodes: &[NodeTrace]) -> Vec<(String, Figures)> {
    let dropped = nodes.iter().map(|node| node.dropped).sum();
    let of = |node: &NodeTrace| {
        let mut f = Figures::from([
            (Metric::QueuePackets, node.mean_packets),
            (Metric::QueueMax, node.max_packets as f64),
        ]);
        f.extend(share(node.dropped, node.arrived).map(|x| (Metric::QueueDropped, x)));
        f.extend(share(node.dropped, dropped).map(|x| (Metric::DropShare, x)));
        f.extend((node.sent > 0).then(|| (Metric::AmpduFrames, node.sent as f64 / node.frames)));
        f.extend(node.collision_ratio().map(|x| (Metric::CollidedAttempts, x)));
        (node.name.clone(), f)
    };
    nodes.iter().map(of).collect()
}

/// `hops`: how often its packets go over the air.
fn of_app(app: &App, seen: &AppTrace, window: Window, hops: u32) -> Figures {
    let mut f = Figures::new();
    f.insert(Metric::Goodput, window.rate_bps(seen.down.payload_bytes));
    f.insert(Metric::IpThroughput, window.rate_bps(seen.down.bytes));
    f.insert(Metric::QueuePackets, seen.queue.mean_packets);
    // Places and airtime are shares of the whole measured part, idle or not: those
    // of applications that take turns can be added.
    let measured_ns = (seen.measure_ns.end - seen.measure_ns.start) as f64;
    f.insert(Metric::Air, seen.air_ns as f64 / measured_ns);
    f.insert(Metric::UplinkAir, seen.up_air_ns as f64 / measured_ns);
    f.extend(share(seen.queue.dropped, seen.queue.arrived).map(|x| (Metric::QueueDropped, x)));
    let frames = seen.attempts.frames();
    for (n, acked) in (1..=u8::MAX).zip(&seen.attempts.acked) {
        f.extend(share(*acked, frames).map(|x| (Metric::Attempts(n), x)));
    }
    f.extend(share(seen.attempts.given_up, frames).map(|x| (Metric::GivenUp, x)));
    let delay = &seen.queue.delay_ns;
    if !delay.is_empty() {
        f.insert(Metric::QueueDelay, delay.mean() * SECONDS);
        f.insert(Metric::QueueDelayP50, delay.value_at_quantile(0.50) as f64 * SECONDS);
        f.insert(Metric::QueueDelayP99, delay.value_at_quantile(0.99) as f64 * SECONDS);
    }
    if let Some(below) = &seen.below {
        add_below(&mut f, below, measured_ns, hops);
    }
    f.extend(lost(&seen.down).map(|x| (Metric::Loss, x)));
    let [down, up] = &seen.paths;
    add_path(&mut f, Direction::Down, &seen.down, down);
    add_path(&mut f, Direction::Up, &seen.up, up);
    add_senders(&mut f, &seen.tcp);
    add_round_trips(&mut f, seen);
    // Little's law: places are the times in the queue by the time in which they were spent.
    f.insert(Metric::UplinkPackets, up.total.queue_ns as f64 / measured_ns);
    kinds::measure(&app.kind, &mut f, seen, window);
    if app.users.count > 1 {
        // The times from one user's packet to another's say nothing of either.
        f.remove(&Metric::ArrivalSpread);
    }
    if let Some(requirement) = &app.requirement {
        outcome::add(&mut f, requirement, seen);
    }
    if app.arrivals {
        gaps::add(&mut f, Direction::Down, &seen.down.deliveries);
        gaps::add(&mut f, Direction::Up, &seen.up.deliveries);
    }
    f
}

/// What is between the access point's queue and the air.
fn add_below(f: &mut Figures, below: &BelowTrace, measured_ns: f64, hops: u32) {
    let delay = &below.delay_ns;
    if !delay.is_empty() {
        f.insert(Metric::BelowDelay, f64::from(hops) * delay.mean() * SECONDS);
        f.insert(Metric::BelowDelayP99, delay.value_at_quantile(0.99) as f64 * SECONDS);
    }
    // Little's law.
    f.insert(Metric::BelowPackets, delay.mean() * delay.len() as f64 / measured_ns);
    if below.packets > 0 {
        f.insert(Metric::AmpduFrames, below.packets as f64 / below.frames);
        f.insert(Metric::PhyRate, below.kbps as f64 * 1e3 / below.packets as f64);
    }
    if below.up_packets > 0 {
        f.insert(Metric::UplinkAmpduFrames, below.up_packets as f64 / below.up_frames);
    }
}

/// Delays of one direction, where they come from, and where packets are lost.
fn add_path(f: &mut Figures, direction: Direction, stream: &StreamTrace, path: &PathTrace) {
    let mut add = |of: OfPath, value: f64| f.insert(Metric::of_path(direction, of), value);
    let latencies = Latencies::of(stream);
    for n in OfPath::PERCENTILES {
        let percentile = Percentile::of_percent(f64::from(n)).expect("a usual one");
        latencies.at(percentile).map(|ns| add(OfPath::Percentile(n), ns as f64 * SECONDS));
    }
    let legs = [Leg::Wires, Leg::Queue, Leg::Channel];
    let ns = |of: &Legs, leg: Leg| match leg {
        Leg::Wires => of.wires_ns as f64,
        Leg::Queue => of.queue_ns as f64,
        Leg::Channel => of.channel_ns as f64,
    };
    if path.arrived > 0 {
        for leg in legs {
            let mean = ns(&path.total, leg) / path.arrived as f64;
            add(OfPath::mean(leg), mean * SECONDS);
            add(OfPath::jitter(leg), (mean - ns(&path.least, leg)) * SECONDS);
        }
    }
    let known = stream.sent.saturating_sub(stream.under_way);
    for leg in legs {
        share(path.lost[leg as usize], known).map(|x| add(OfPath::loss(leg), x));
    }
    share(path.attempts, path.frames).map(|x| add(OfPath::Attempts, x));
}

/// What TCP sent again and how long its round trips were, by end and of both; of an end that sent data.
fn add_senders(f: &mut Figures, ends: &[SenderTrace; 2]) {
    let mut all = SenderTrace::default();
    for (direction, end) in Direction::BOTH.into_iter().zip(ends) {
        if *end == SenderTrace::default() {
            continue;
        }
        let mut add = |of: OfPath, value: f64| f.insert(Metric::of_path(direction, of), value);
        add(OfPath::Retransmits, end.retransmits as f64);
        add(OfPath::Timeouts, end.timeouts as f64);
        add(OfPath::MostRetransmits, end.most_retransmits as f64);
        add(OfPath::MostTimeouts, end.most_timeouts as f64);
        share(end.retransmits, end.segments).map(|x| add(OfPath::RetransmitRatio, x));
        share(end.srtt_sum_ns, end.acks).map(|ns| add(OfPath::SmoothedRtt, ns * SECONDS));
        all.segments += end.segments;
        all.retransmits += end.retransmits;
        all.timeouts += end.timeouts;
        all.acks += end.acks;
        all.srtt_sum_ns += end.srtt_sum_ns;
    }
    if all != SenderTrace::default() {
        f.insert(Metric::Retransmits, all.retransmits as f64);
        f.insert(Metric::Timeouts, all.timeouts as f64);
        f.extend(share(all.retransmits, all.segments).map(|x| (Metric::RetransmitRatio, x)));
        f.extend(share(all.srtt_sum_ns, all.acks).map(|ns| (Metric::SmoothedRtt, ns * SECONDS)));
    }
}

/// Round-trip times as the senders measured them, and the largest window.
fn add_round_trips(f: &mut Figures, seen: &AppTrace) {
    let times = &seen.round_trips_ns;
    if !times.is_empty() {
        f.insert(Metric::Rtt, times.mean() * SECONDS);
        f.insert(Metric::RttDeviation, times.deviation() * SECONDS);
        f.insert(Metric::RttP95, times.value_at_quantile(0.95) as f64 * SECONDS);
        f.insert(Metric::RttMax, times.max() as f64 * SECONDS);
    }
    let largest = seen.tcp.iter().map(|end| end.most_window).max().filter(|bytes| *bytes > 0);
    f.extend(largest.map(|bytes| (Metric::CwndMax, bytes as f64)));
}

/// Delays and losses of a constant stream.
pub(crate) fn add_stream(f: &mut Figures, seen: &AppTrace) {
    f.extend(lost(&seen.up).map(|x| (Metric::UplinkLoss, x)));
    let (down, up) = (mean_delay(&seen.down.deliveries), mean_delay(&seen.up.deliveries));
    let least =
        |stream: &StreamTrace| stream.deliveries.iter().map(took_ns).min().unwrap_or(0) as f64 * SECONDS;
    if let Some(down) = down {
        f.insert(Metric::Delay, down);
        f.insert(Metric::Jitter, down - least(&seen.down));
        f.extend(up.map(|up| (Metric::Ping, down + up)));
    }
    if let Some(up) = up {
        f.insert(Metric::UplinkDelay, up);
        f.insert(Metric::UplinkJitter, up - least(&seen.up));
    }
    f.extend(arrival_spread(&seen.down.deliveries).map(|x| (Metric::ArrivalSpread, x)));
}

/// Rate and losses of a bulk uplink.
pub(crate) fn add_upload(f: &mut Figures, seen: &AppTrace, window: Window) {
    f.insert(Metric::UplinkGoodput, window.rate_bps(seen.up.payload_bytes));
    f.insert(Metric::UplinkIpThroughput, window.rate_bps(seen.up.bytes));
    f.extend(lost(&seen.up).map(|x| (Metric::UplinkLoss, x)));
}

/// Standard deviation of the times between two arrivals, s; None for fewer than two of them.
fn arrival_spread(deliveries: &[Delivery]) -> Option<f64> {
    let gaps = || deliveries.windows(2).map(|pair| (pair[1].received_ns - pair[0].received_ns) as f64);
    let n = gaps().count() as f64;
    let mean = gaps().sum::<f64>() / n;
    let squares = gaps().map(|gap| gap - mean).map(|d| d * d).sum::<f64>();
    (n >= 2.0).then(|| (squares / (n - 1.0)).sqrt() * SECONDS)
}

/// The whole seconds of the run that lie within the window.
fn seconds(seen: &AppTrace, window: Window) -> Vec<Second> {
    let (first, end) = (window.from_ns().div_ceil(SECOND), window.until_ns() / SECOND);
    let playable = kinds::playable(&seen.kind, seen);
    let second = |(i, s): (usize, &SecondTrace)| Second {
        from_ns: i as u64 * SECOND,
        sent_bits: s.sent_bytes as f64 * 8.0,
        received_bits: s.received_bytes as f64 * 8.0,
        playable_frames: playable.as_ref().map(|of| of.get(i).copied().unwrap_or(0)),
    };
    let all = seen.seconds.iter().enumerate().map(second);
    all.filter(|s| (first * SECOND..end * SECOND).contains(&s.from_ns)).collect()
}

/// Its pages that were requested within the window and completed.
pub(crate) fn pages(seen: &AppTrace, window: Window) -> Vec<Page> {
    let page = |p: &airtab_sim::traffic::web::PageTrace| Page {
        number: p.number,
        opened_ns: p.opened_ns,
        requested_ns: p.requested_ns,
        done_ns: p.done_ns,
        bytes: p.bytes,
    };
    web::requested(&seen.pages.iter().map(page).collect::<Vec<_>>(), window)
}

fn of_access_point(scenario: &Scenario, trace: &Trace, apps: &[Figures]) -> Figures {
    // All of the channel's time: of a real run it is not the scenario's to the nanosecond.
    let air = &trace.ap.air;
    let run_ns = air.down_ns + air.up_ns + air.collision_ns + air.beacon_ns + air.idle_ns;
    let mut f = Figures::from([
        (Metric::QueuePackets, trace.ap.mean_packets),
        (Metric::QueueMax, f64::from(trace.ap.max_packets)),
        (Metric::WiredDropped, trace.ap.wired_dropped as f64),
        (Metric::UplinkDropped, trace.ap.uplink_dropped as f64),
    ]);
    f.extend(trace.ap.deviation_packets.map(|x| (Metric::QueueDeviation, x)));
    f.extend(share(air.idle_ns, run_ns).map(|x| (Metric::Idle, x)));
    f.extend(share(air.collision_ns, run_ns).map(|x| (Metric::Collisions, x)));
    f.extend(share(air.collided, air.attempts).map(|x| (Metric::CollidedAttempts, x)));
    f.extend(air.full_duplex_ratio().map(|x| (Metric::FullDuplex, x)));
    contention::add(trace, &mut f);
    kinds::together(scenario.apps.iter().zip(apps), &mut f);
    evenness::add(scenario, apps, &mut f);
    volumes::add(scenario, trace, apps, &mut f);
    f
}

/// From its sending to its arrival, ns.
pub(crate) fn took_ns(d: &Delivery) -> u64 {
    d.received_ns - d.sent_ns
}

/// The mean of `values`; None if there are none.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (n, sum) = values.fold((0.0, 0.0), |(n, sum), x| (n + 1.0, sum + x));
    (n > 0.0).then(|| sum / n)
}

/// A part of a whole; None of nothing.
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Packets that did not arrive, share of those whose fate is known.
pub(crate) fn lost(stream: &StreamTrace) -> Option<f64> {
    // What became of those on their way nobody knows.
    let known = stream.sent.saturating_sub(stream.under_way);
    share(known.saturating_sub(stream.received), known)
}

/// Seconds; None if nothing arrived.
fn mean_delay(deliveries: &[Delivery]) -> Option<f64> {
    let sum: u128 = deliveries.iter().map(|d| u128::from(took_ns(d))).sum();
    (!deliveries.is_empty()).then(|| sum as f64 / deliveries.len() as f64 * SECONDS)
}

#[cfg(test)]
mod tests {
    use crate::{QueueSpec, ScenarioFile};

    use super::*;

    /// The figures of the first application of a house, whose trace is changed.
    fn alone(app: &str, fill: impl FnOnce(&mut AppTrace)) -> Figures {
        let text = format!(
            "duration = \"1s\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nstation = \"s\"\n{app}\n"
        );
        let file = ScenarioFile::parse("alone.toml", &text).unwrap();
        let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let mut trace = airtab_sim::run(&file.scenario, &params, 1);
        fill(&mut trace.apps[0]);
        measure(&file.scenario, &trace).apps.remove(0)
    }

    /// Gaps of 10 ms down and of 20 ms up; an application that does not ask for them has none.
    #[test]
    fn gaps_of_arrivals_are_those_of_their_direction() {
        let every = |gap_ms: u64| {
            let at = |i: u64| Delivery { sent_ns: 0, received_ns: i * gap_ms * 1_000_000 };
            (1..=4).map(at).collect::<Vec<_>>()
        };
        let gaps = |keys: &str| {
            let f = alone(&format!("kind = \"ping\"\n{keys}"), |seen| {
                (seen.down.deliveries, seen.up.deliveries) = (every(10), every(20));
            });
            Direction::BOTH.map(|way| f.get(&Metric::of_path(way, OfPath::GapMean)).copied())
        };
        let [down, up] = gaps("arrivals = true").map(|gap| (gap.unwrap() * 1e6).round() / 1e6);
        assert_eq!([down, up], [0.010, 0.020]);
        assert_eq!(gaps(""), [None; 2]);
    }

    /// A test of responsiveness has a rate up where it loads the way up.
    #[test]
    fn a_test_has_the_rates_of_its_directions() {
        for (direction, up) in [("down", None), ("up", Some(4e3)), ("both", Some(4e3))] {
            let f = alone(&format!("kind = \"responsiveness\"\ndirection = \"{direction}\""), |seen| {
                (seen.down.payload_bytes, seen.up.payload_bytes) = (250, 500);
            });
            assert_eq!(
                (f[&Metric::Goodput], f.get(&Metric::UplinkGoodput).copied()),
                (2e3, up),
                "{direction}"
            );
        }
    }

    /// The larger window of both ends, whichever it is.
    #[test]
    fn the_largest_window_is_of_either_end() {
        for windows in [[90_000, 40_000], [40_000, 90_000]] {
            let f = alone("kind = \"download\"", |seen| {
                seen.tcp = windows.map(|most_window| SenderTrace { most_window, ..SenderTrace::default() });
            });
            assert_eq!(f[&Metric::CwndMax], 90_000.0);
        }
        let f = alone("kind = \"download\"", |seen| seen.tcp = Default::default());
        assert_eq!(f.get(&Metric::CwndMax), None);
    }

    /// Frames of MPEG that arrived whole, each second, beside those that can be shown: of users the mean.
    #[test]
    fn whole_frames_of_mpeg_are_counted_beside_those_that_can_be_shown() {
        use airtab_sim::FrameTrace;
        use airtab_sim::traffic::video::FrameKind::{B, I, P};
        // The P frame of the first user is broken, and with it both B frames; the second user has one frame.
        let first = [(I, 2, 2), (B, 1, 1), (B, 1, 1), (P, 2, 1)];
        let frame = |user, (i, (kind, needed, received))| FrameTrace {
            user,
            sent_ns: 100_000_000 * i as u64,
            kind,
            needed,
            received,
        };
        let f = alone("kind = \"mpeg\"", |seen| {
            seen.frames = first.into_iter().enumerate().map(|of| frame(0, of)).collect();
            seen.frames.push(frame(1, (4, (I, 3, 3))));
        });
        assert_eq!(
            (f[&Metric::WholeFrameRate], f[&Metric::FrameRate]),
            ((3.0 + 1.0) / 2.0, (1.0 + 1.0) / 2.0)
        );
    }

    /// Stored runs keep the seconds of videos, each value at its place, and the places of other applications.
    #[test]
    fn stored_seconds_are_those_of_videos() {
        let second = |from_ns, playable_frames| Second {
            from_ns,
            sent_bits: 8.0,
            received_bits: 5.0,
            playable_frames,
        };
        let plain = vec![second(1, None), second(2, None)];
        let film = vec![second(3, Some(0)), second(4, Some(30))];
        let seconds = vec![plain, film.clone()];
        let (apps, pages) = (vec![Figures::new(); 2], vec![Vec::new(); 2]);
        let measured = Measured { apps, pages, seconds, ap: Figures::new(), nodes: Vec::new() };
        let json = serde_json::to_value(&measured).unwrap();
        let expected = serde_json::json!([[], [[3, 8.0, 5.0, 0], [4, 8.0, 5.0, 30]]]);
        assert_eq!(json["seconds"], expected);
        let read: Measured = serde_json::from_value(json).unwrap();
        assert_eq!(read.seconds, [Vec::new(), film]);
    }

    /// What compares applications with each other compares no crowd with one user, nor two users' packets.
    #[test]
    fn what_is_about_one_user_is_of_no_crowd() {
        let app = |name: &str, rest: &str| {
            format!("[[app]]\nname = \"{name}\"\nstation = \"s\"\nstart = \"0s\"\n{rest}\n")
        };
        let ping = "kind = \"ping\"\ninterval = \"20ms\"";
        let apps =
            [("near", ping), ("far", ping), ("one", "kind = \"download\""), ("two", "kind = \"download\"")];
        let apps = apps.map(|(name, rest)| app(name, rest)).concat();
        let text = format!("duration = \"1s\"\n[[station]]\nname = \"s\"\n{apps}");
        let mut file = ScenarioFile::parse("crowd.toml", &text).unwrap();
        let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let mut figures = |crowd: usize, count: u32| {
            file.scenario.apps[crowd].users.count = count;
            let measured = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1));
            let spread = |app: usize| measured.apps[app].contains_key(&Metric::ArrivalSpread);
            let of_all = [Metric::Fairness, Metric::PingMedian, Metric::PingPlayable];
            (of_all.map(|metric| measured.ap.contains_key(&metric)), [spread(0), spread(1)])
        };
        assert_eq!(figures(1, 1), ([true, true, true], [true, true]));
        assert_eq!(figures(1, 2), ([true, false, false], [true, false]));
        assert_eq!(figures(3, 2), ([false, false, false], [true, false]));
    }
}
