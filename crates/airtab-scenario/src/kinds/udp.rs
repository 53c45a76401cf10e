// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Equal UDP packets, down or up, at a rate, at one that rises in steps, or saturated: `udp`.
//!
//! What it does not do: when they are sent is `airtab_sim::traffic::udp`'s.

use std::ops::RangeInclusive;

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::{Sweep, Udp};

use super::cause::Parts;
use super::{Context, Described, FULL_PACKET, Score, packet_bytes, reason, score};
use crate::measure::{Figures, add_upload};
use crate::metric::{Direction, Metric};
use crate::reader::{Section, choice, flag, quantity};
use crate::scores::{QueueScores, Scores};

/// Rates of a stream, bit/s.
const RATES: RangeInclusive<u64> = 1_000..=10_000_000_000;

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
    const KEYS: &'static [&'static str] = &["rate", "rates", "bytes", "gaps", "upload", "phase"];
    const COLUMNS: &'static [Metric] =
        &[Metric::Goodput, Metric::QueueDelay, Metric::QueueDelayP99, Metric::Loss];
    const SCORE: Score = score::RECEIVED;

    fn read(s: &Section, _: &Context) -> Option<Udp> {
        let rate = match s.section("rates") {
            Some(rates) => {
                if s.get("rate").is_some() {
                    s.problem_of("rate", "not with rates, which begin with `start`: take one of both away");
                }
                read_sweep(rates).map(Rate::Sweep)
            }
            None => s.require("rate", |v| match v.value.as_str() {
                Some("max") => Ok(Rate::Max),
                _ => quantity(Unit::Bps, RATES)(v).map(Rate::Mean).map_err(|e| format!("{e}, or \"max\"")),
            }),
        };
        let bytes = packet_bytes(s).unwrap_or(FULL_PACKET);
        let gaps = s.read("gaps", choice(Gaps::NAMES.to_vec())).unwrap_or(Gaps::Constant);
        let upload = s.read("upload", flag).unwrap_or(false);
        if rate == Some(Rate::Max) {
            // What says when packets come, and how they come to the access point.
            let wires: &[&str] = if upload { &[] } else { &["latency", "latency_up", "server"] };
            for key in ["gaps", "phase"].iter().chain(wires).filter(|key| s.get(key).is_some()) {
                s.problem_of(
                    key,
                    "not with rate = \"max\": there is always a packet in the queue before the air",
                );
            }
        }
        Some(Udp { rate: rate?, bytes, gaps, upload })
    }

    /// Its rate and losses are those of the way that it sends.
    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        if self.upload {
            add_upload(f, seen, window);
            f.extend(f.get(&Metric::UplinkGoodput).copied().map(|x| (Metric::Goodput, x)));
            f.extend(f.get(&Metric::UplinkLoss).copied().map(|x| (Metric::Loss, x)));
        }
    }

    fn taken(&self, f: &Figures) -> Option<f64> {
        (self.rate == Rate::Max).then(|| f.get(&Metric::Goodput).copied().unwrap_or(0.0))
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
        match self.rate {
            Rate::Mean(bps) => format!("UDP packets{way}, {} Mb/s", bps as f64 / 1e6),
            Rate::Sweep(Sweep { start_bps, max_bps, each_ns, .. }) => format!(
                "UDP packets{way}, {} to {} Mb/s, more each {}",
                start_bps as f64 / 1e6,
                max_bps as f64 / 1e6,
                Unit::Ns.format(each_ns)
            ),
            Rate::Max => format!("UDP packets{way}, always one more"),
        }
    }
}
