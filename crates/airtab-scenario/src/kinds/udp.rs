// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Equal UDP packets, down or up, at a rate, at one that rises in steps or follows a course, or saturated: `udp`.
//!
//! What it does not do: when they are sent is `airtab_sim::traffic::udp`'s.

use std::ops::RangeInclusive;

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Kind, Points, Sweep, Udp};

use super::cause::Parts;
use super::course::read_points;
use super::{Context, Described, FULL_PACKET, Score, packet_bytes, reason, score};
use crate::measure::{Figures, add_upload};
use crate::metric::{Direction, Metric};
use crate::reader::{Section, Value, choice, flag, quantity};
use crate::scores::{QueueScores, Scores};

/// Rates of a stream, bit/s.
const RATES: RangeInclusive<u64> = 1_000..=10_000_000_000;

/// `course`: rates at times of the run.
fn read_course<'s, 'a>(s: &Section<'s, 'a>, v: &Value<'s, 'a>, context: &Context) -> Result<Points, String> {
    let example = "[[\"0s\", \"0b/s\"], [\"60s\", \"4Mb/s\"]]";
    let most = *RATES.end();
    read_points(s, v, context.duration_ns, example, |text| match Unit::Bps.parse(text) {
        Ok(rate) if rate <= most => Ok(rate),
        Ok(_) => Err(format!("'{text}' is outside 0bit to {}", Unit::Bps.format(most))),
        Err(e) => Err(e.to_string()),
    })
}

/// `rates`: from `start` by `add`, or in so many `steps`, to `max`, a step each `each`.
fn read_sweep(s: Section) -> Option<Sweep> {
    let start = s.require("start", quantity(Unit::Bps, RATES));
    let max = s.require("max", quantity(Unit::Bps, RATES));
    let each = s.require("each", quantity(Unit::Ns, MS..=3600 * SECOND));
    let steps = s.read("steps", quantity(Unit::Count, 1..=10_000));
    let add = s.read("add", quantity(Unit::Bps, 1..=10_000_000_000));
    match (s.get("steps").is_some(), s.get("add").is_some()) {
        (true, true) => s.problem_of("add", "not with steps, which say the same: take one of both away"),
        (false, false) => s.problem(
            "steps or add is missing: how many rates there are above start, or how far apart".into(),
        ),
        _ => {}
    }
    s.finish();
    let (start_bps, max_bps) = (start?, max?);
    if max_bps <= start_bps {
        let (start, max) = (Unit::Bps.format(start_bps), Unit::Bps.format(max_bps));
        s.problem_of("max", &format!("'{max}' is not above start, {start}: a higher one, or a plain rate"));
        return None;
    }
    let add_bps = add.or_else(|| steps.map(|n| (max_bps - start_bps).div_ceil(n)))?;
    Some(Sweep { start_bps, max_bps, add_bps, each_ns: each? })
}

impl Described for Udp {
    const KEYS: &'static [&'static str] =
        &["rate", "rates", "course", "bytes", "gaps", "jitter", "upload", "phase"];
    const COLUMNS: &'static [Metric] =
        &[Metric::Goodput, Metric::QueueDelay, Metric::QueueDelayP99, Metric::Loss];
    const SCORE: Score = score::RECEIVED;

    fn read(s: &Section, context: &Context) -> Option<Udp> {
        for (key, other) in [("course", "rate"), ("course", "rates")] {
            if s.get(key).is_some() && s.get(other).is_some() {
                s.problem_of(
                    key,
                    &format!("not with {other}: its points are the rates; take one of both away"),
                );
            }
        }
        let rate = match s.section("rates") {
            None if s.get("course").is_some() => {
                s.read("course", |v| read_course(s, v, context)).map(Rate::Course)
            }
            Some(rates) => {
                if s.get("rate").is_some() {
                    s.problem_of("rate", "not with rates, which begin with `start`: take one of both away");
                }
                read_sweep(rates).map(Rate::Sweep)
            }
            None => s.require("rate", |v| match v.is("max") {
                true => Ok(Rate::Max),
                false => {
                    quantity(Unit::Bps, RATES)(v).map(Rate::Mean).map_err(|e| format!("{e}, or \"max\""))
                }
            }),
        };
        let bytes = packet_bytes(s).unwrap_or(FULL_PACKET);
        let gaps = s.read("gaps", choice(Gaps::NAMES.to_vec())).unwrap_or(Gaps::Constant);
        let jitter = s.read("jitter", quantity(Unit::Ppm, 0..=1_000_000)).map(|ppm| Gaps::Jitter(ppm as u32));
        if jitter.is_some() && gaps != Gaps::Constant {
            s.problem_of("jitter", "only of constant gaps: exponential ones scatter by themselves");
        }
        let upload = s.read("upload", flag).unwrap_or(false);
        if rate == Some(Rate::Max) {
            // What says when packets come, and how they come to the access point.
            let wires: &[&str] = if upload { &[] } else { &["latency", "latency_up", "server"] };
            for key in ["gaps", "jitter", "phase"].iter().chain(wires).filter(|key| s.get(key).is_some()) {
                s.problem_of(
                    key,
                    "not with rate = \"max\": there is always a packet in the queue before the air",
                );
            }
        }
        Some(Udp { rate: rate?, bytes, gaps: jitter.unwrap_or(gaps), upload })
    }

    /// Its rate and losses are those of the way that it sends.
    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        if self.upload {
            add_upload(f, seen, window);
            f.extend(f.get(&Metric::UplinkGoodput).copied().map(|x| (Metric::Goodput, x)));
            f.extend(f.get(&Metric::UplinkIpThroughput).copied().map(|x| (Metric::IpThroughput, x)));
            f.extend(f.get(&Metric::UplinkLoss).copied().map(|x| (Metric::Loss, x)));
        }
    }

    fn taken(&self, f: &Figures) -> Option<f64> {
        (self.rate == Rate::Max).then(|| f.get(&Metric::Goodput).copied().unwrap_or(0.0))
    }

    fn greedy(&self, direction: Direction) -> bool {
        self.saturates(direction == Direction::Up)
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        // Only of one that sends up: none of its packets passes the access point's queue.
        let Some(air) = app.mean(Metric::UplinkGoodput).and(app.mean(Metric::UplinkAir)) else {
            return reason::of_packets(q, app);
        };
        let sends = format!("it sends for {} of the time", reason::percent(air));
        let lossy = app.mean(Metric::UplinkLoss).is_some_and(|loss| loss > reason::NOTABLE_LOSS);
        match Parts::of_losses(app, Direction::Up).words(q, app).filter(|_| lossy) {
            Some(losses) => format!("{losses}; {sends}"),
            None => sends,
        }
    }

    fn words(&self) -> String {
        let way = if self.upload { " up" } else { "" };
        match &self.rate {
            Rate::Mean(bps) => format!("UDP packets{way}, {} Mb/s", *bps as f64 / 1e6),
            Rate::Sweep(Sweep { start_bps, max_bps, each_ns, .. }) => format!(
                "UDP packets{way}, {} to {} Mb/s, more each {}",
                *start_bps as f64 / 1e6,
                *max_bps as f64 / 1e6,
                Unit::Ns.format(*each_ns)
            ),
            Rate::Course(points) => {
                let most = points.list().iter().map(|point| point.1).max().unwrap_or(0);
                format!("UDP packets{way}, a course of up to {} Mb/s", most as f64 / 1e6)
            }
            Rate::Max => format!("UDP packets{way}, always one more"),
        }
    }
}
