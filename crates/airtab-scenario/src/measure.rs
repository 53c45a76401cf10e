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
use airtab_quality::emodel::{self, VoiceMeter};
use airtab_quality::fairness::jain;
use airtab_quality::gmodel::{DEFAULT_BIN_NS, GameMeter};
use airtab_quality::streaming;
use airtab_quality::video::{self, Coding};
use airtab_quality::web::{self, Page};
use airtab_quality::window::Window;
use airtab_sim::traffic::video::FrameKind;
use airtab_sim::traffic::{P2p, Streaming};
use airtab_sim::{
    App, AppKind, AppTrace, Delivery, FrameTrace, Scenario, SecondTrace, SegmentTrace, StreamTrace, Trace,
};

use crate::metric::Metric;

/// Figures of one application or of the access point; what has no meaning is
/// absent.
pub type Figures = BTreeMap<Metric, f64>;

const SECONDS: f64 = 1e-9;

/// What one run says.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Figures of every application, in the order of the scenario.
    pub apps: Vec<Figures>,
    /// Pages of every application, requested in the measured time and
    /// completed. Their times are figures of a comparison, not of a run.
    pub pages: Vec<Vec<Page>>,
    /// Every application's course over its measured time.
    pub seconds: Vec<Vec<Second>>,
    /// Figures of the access point.
    pub ap: Figures,
}

/// One second of one application.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Measures the trace of a run.
pub fn measure(scenario: &Scenario, trace: &Trace) -> Measured {
    let window = |app: &App, seen: &AppTrace| {
        let from = seen.measure_ns.start.max(app.active_ns.start);
        Window::new(from, seen.measure_ns.end.min(app.active_ns.end))
    };
    let both = || scenario.apps.iter().zip(&trace.apps).map(|(app, seen)| (app, seen, window(app, seen)));
    let pages = both().map(|(_, seen, window)| window.map_or_else(Vec::new, |w| pages(seen, w)));
    let pages: Vec<Vec<Page>> = pages.collect();
    let figures = both().zip(&pages).map(|((app, seen, window), pages)| {
        let mut f = window.map_or_else(Figures::new, |window| of_app(app, seen, window));
        if matches!(app.kind, AppKind::Web(_)) && window.is_some() {
            f.insert(Metric::Pages, pages.len() as f64);
        }
        f
    });
    let apps: Vec<Figures> = figures.collect();
    let seconds = both().map(|(_, seen, window)| window.map_or_else(Vec::new, |w| seconds(seen, w)));
    Measured { ap: of_access_point(scenario, trace, &apps), seconds: seconds.collect(), apps, pages }
}

fn of_app(app: &App, seen: &AppTrace, window: Window) -> Figures {
    let mut f = Figures::new();
    f.insert(Metric::Goodput, window.rate_bps(seen.down.bytes));
    f.insert(Metric::QueuePackets, seen.queue.mean_packets);
    // Places and airtime are shares of the whole measured part, idle or not: those
    // of applications that take turns can be added.
    let measured_ns = (seen.measure_ns.end - seen.measure_ns.start) as f64;
    f.insert(Metric::Air, seen.air_ns as f64 / measured_ns);
    f.insert(Metric::UplinkAir, seen.up_air_ns as f64 / measured_ns);
    f.extend(share(seen.queue.dropped, seen.queue.arrived).map(|x| (Metric::QueueDropped, x)));
    let frames = seen.attempts.frames();
    for (metric, acked) in Metric::ATTEMPTS.into_iter().zip(seen.attempts.acked) {
        f.extend(share(acked, frames).map(|x| (metric, x)));
    }
    f.extend(share(seen.attempts.given_up, frames).map(|x| (Metric::GivenUp, x)));
    let delay = &seen.queue.delay_ns;
    if !delay.is_empty() {
        f.insert(Metric::QueueDelay, delay.mean() * SECONDS);
        f.insert(Metric::QueueDelayP50, delay.value_at_quantile(0.50) as f64 * SECONDS);
        f.insert(Metric::QueueDelayP99, delay.value_at_quantile(0.99) as f64 * SECONDS);
    }
    f.extend(lost(&seen.down).map(|x| (Metric::Loss, x)));
    if matches!(app.kind, AppKind::Game(_) | AppKind::Voip(_) | AppKind::Ping(_)) {
        of_stream(&mut f, seen);
    }
    match app.kind {
        AppKind::Game(_) => score_game(&mut f, seen, window),
        AppKind::Voip(_) => score_call(&mut f, seen, window),
        AppKind::Video(_) => score_video(&mut f, &seen.frames, window),
        AppKind::Streaming(Streaming { segment_ns, .. }) => {
            score_streaming(&mut f, &seen.segments, segment_ns, window)
        }
        AppKind::Upload(_) | AppKind::P2p(P2p { upload: true, .. }) => {
            f.insert(Metric::UplinkGoodput, window.rate_bps(seen.up.bytes));
            f.extend(lost(&seen.up).map(|x| (Metric::UplinkLoss, x)));
        }
        AppKind::Web(_) | AppKind::Ping(_) | AppKind::Udp(_) | AppKind::Download(_) | AppKind::P2p(_) => {}
    }
    f
}

/// Delays and losses of a constant stream.
fn of_stream(f: &mut Figures, seen: &AppTrace) {
    f.extend(lost(&seen.up).map(|x| (Metric::UplinkLoss, x)));
    let (down, up) = (mean_delay(&seen.down.deliveries), mean_delay(&seen.up.deliveries));
    if let Some(down) = down {
        let least = seen.down.deliveries.iter().map(took_ns).min().unwrap_or(0) as f64 * SECONDS;
        f.insert(Metric::Delay, down);
        f.insert(Metric::Jitter, down - least);
        f.extend(up.map(|up| (Metric::Ping, down + up)));
    }
    f.extend(arrival_spread(&seen.down.deliveries).map(|x| (Metric::ArrivalSpread, x)));
}

/// Standard deviation of the times between two arrivals, s; None for fewer than two of them.
fn arrival_spread(deliveries: &[Delivery]) -> Option<f64> {
    let gaps = || deliveries.windows(2).map(|pair| (pair[1].received_ns - pair[0].received_ns) as f64);
    let n = gaps().count() as f64;
    let mean = gaps().sum::<f64>() / n;
    let squares = gaps().map(|gap| gap - mean).map(|d| d * d).sum::<f64>();
    (n >= 2.0).then(|| (squares / (n - 1.0)).sqrt() * SECONDS)
}

fn score_game(f: &mut Figures, seen: &AppTrace, window: Window) {
    if seen.down.sent == 0 {
        return;
    }
    let mut meter = GameMeter::new(window, DEFAULT_BIN_NS).expect("the bin is not empty");
    for d in &seen.down.deliveries {
        meter.downlink(d.sent_ns, took_ns(d));
    }
    for d in &seen.up.deliveries {
        meter.uplink(d.sent_ns, took_ns(d));
    }
    let score = meter.score();
    f.insert(Metric::GameMos, score.mos_binned);
    f.insert(Metric::GameMosWindow, score.mos_single);
}

fn score_call(f: &mut Figures, seen: &AppTrace, window: Window) {
    let mut meter = VoiceMeter::new(window);
    // Losses are a matter of counts: when a lost packet was sent plays no part.
    (0..seen.down.sent.saturating_sub(seen.down.under_way)).for_each(|_| meter.sent(window.from_ns()));
    for d in &seen.down.deliveries {
        meter.delivered(d.sent_ns, took_ns(d));
    }
    let Some(score) = meter.score() else { return };
    f.insert(Metric::VoipMos, score.mos_simple);
    f.insert(Metric::VoipMosG107, score.mos_g107);
    if let Some(delay_ms) = score.delay_ms {
        f.insert(Metric::VoipRG107, emodel::g107_r(emodel::Codec::G711, delay_ms, score.loss, 1.0));
    }
}

fn score_video(f: &mut Figures, frames: &[FrameTrace], window: Window) {
    let Some(score) = video::score(&video_frames(frames), window) else { return };
    f.insert(Metric::FrameRate, score.frames_per_second);
    f.insert(Metric::FramesWhole, score.whole);
    let kinds = [Metric::IFramesWhole, Metric::PFramesWhole, Metric::BFramesWhole];
    f.extend(kinds.into_iter().zip(score.whole_of).filter_map(|(metric, share)| Some((metric, share?))));
}

/// Frames of a video as its score takes them.
pub fn video_frames(frames: &[FrameTrace]) -> Vec<video::Frame> {
    let frame = |frame: &FrameTrace| video::Frame {
        sent_ns: frame.sent_ns,
        coding: match frame.kind {
            FrameKind::I => Coding::I,
            FrameKind::P => Coding::P,
            FrameKind::B => Coding::B,
        },
        whole: frame.received >= frame.needed,
    };
    frames.iter().map(frame).collect()
}

/// The whole seconds of the run that lie within the window.
fn seconds(seen: &AppTrace, window: Window) -> Vec<Second> {
    let (first, end) = (window.from_ns().div_ceil(SECOND), window.until_ns() / SECOND);
    let is_video = matches!(seen.kind, AppKind::Video(_));
    let playable = match is_video {
        true => video::playable_by_second(&video_frames(&seen.frames)),
        false => Vec::new(),
    };
    let second = |(i, s): (usize, &SecondTrace)| Second {
        from_ns: i as u64 * SECOND,
        sent_bits: s.sent_bytes as f64 * 8.0,
        received_bits: s.received_bytes as f64 * 8.0,
        playable_frames: is_video.then(|| playable.get(i).copied().unwrap_or(0)),
    };
    let all = seen.seconds.iter().enumerate().map(second);
    all.filter(|s| (first * SECOND..end * SECOND).contains(&s.from_ns)).collect()
}

fn score_streaming(f: &mut Figures, segments: &[SegmentTrace], segment_ns: u64, window: Window) {
    let segment = |s: &SegmentTrace| streaming::Segment {
        rate_bps: s.rate_bps,
        requested_ns: s.requested_ns,
        done_ns: s.done_ns,
    };
    let segments: Vec<_> = segments.iter().map(segment).collect();
    let Some(score) = streaming::score(&segments, segment_ns, window) else { return };
    f.extend(score.rate_bps.map(|bps| (Metric::BitRate, bps)));
    f.insert(Metric::Stalled, score.stalled);
    f.insert(Metric::Stalls, f64::from(score.stalls));
    f.insert(Metric::Switches, f64::from(score.switches));
    f.insert(Metric::Startup, score.startup);
}

fn pages(seen: &AppTrace, window: Window) -> Vec<Page> {
    let page = |p: &airtab_sim::PageTrace| Page {
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
    let downloads: Vec<f64> = scenario
        .apps
        .iter()
        .zip(apps)
        .filter(|(app, _)| matches!(app.kind, AppKind::Download(_)))
        .filter_map(|(_, f)| f.get(&Metric::Goodput).copied())
        .collect();
    let mut f = Figures::from([
        (Metric::QueuePackets, trace.ap.mean_packets),
        (Metric::QueueMax, f64::from(trace.ap.max_packets)),
        (Metric::WiredDropped, trace.ap.wired_dropped as f64),
        (Metric::UplinkDropped, trace.ap.uplink_dropped as f64),
    ]);
    f.extend(share(air.idle_ns, run_ns).map(|x| (Metric::Idle, x)));
    f.extend(share(air.collision_ns, run_ns).map(|x| (Metric::Collisions, x)));
    if downloads.len() > 1 {
        f.extend(jain(&downloads).map(|x| (Metric::Fairness, x)));
    }
    of_pings(&mut f, scenario, apps);
    f
}

/// Over the hosts that are pinged; one that never answered is beyond all others.
fn of_pings(f: &mut Figures, scenario: &Scenario, apps: &[Figures]) {
    let hosts = scenario.apps.iter().zip(apps).filter(|(app, _)| matches!(app.kind, AppKind::Ping(_)));
    let mut pings: Vec<f64> =
        hosts.map(|(_, f)| f.get(&Metric::Ping).copied().unwrap_or(f64::INFINITY)).collect();
    pings.sort_by(f64::total_cmp);
    let Some(last) = pings.len().checked_sub(1) else { return };
    let median = (pings[last / 2] + pings[last.div_ceil(2)]) / 2.0;
    if median.is_finite() {
        f.insert(Metric::PingMedian, median);
    }
    let playable = pings.iter().filter(|ping| **ping < Metric::PLAYABLE_PING_S).count();
    f.extend(share(playable as u64, pings.len() as u64).map(|x| (Metric::PingPlayable, x)));
}

fn took_ns(d: &Delivery) -> u64 {
    d.received_ns - d.sent_ns
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

fn lost(stream: &StreamTrace) -> Option<f64> {
    // What became of those on their way nobody knows.
    let known = stream.sent.saturating_sub(stream.under_way);
    share(known.saturating_sub(stream.received), known)
}

/// Seconds; None if nothing arrived.
fn mean_delay(deliveries: &[Delivery]) -> Option<f64> {
    let sum: u128 = deliveries.iter().map(|d| u128::from(took_ns(d))).sum();
    (!deliveries.is_empty()).then(|| sum as f64 / deliveries.len() as f64 * SECONDS)
}
