// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A film over TCP whose bit rate follows its buffer: `streaming`. Of several users the mean.
//!
//! Its quality is bit rate, stalls, start-up and switches. It has no Quality of Outcome: a player that fills its buffer delays its
//! own packets, so that a score of latency falls while the picture gets better.
//!
//! What it does not do: which segment comes next is `airtab_sim::traffic::streaming`'s.

use std::sync::Arc;

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_quality::streaming;
use airtab_sim::traffic::Streaming;
use airtab_sim::{AppTrace, SegmentTrace};

use super::reason::{SILENT, percent};
use super::{Context, Described, Score, congestion, rate, score};
use crate::measure::{Figures, mean};
use crate::metric::Metric;
use crate::reader::{Section, Value, quantity};
use crate::scores::{QueueScores, Scores};

/// Bit rates of a streamed video: Netflix's fixed ladder ("Per-title encode
/// optimization", 2015).
const LADDER_BPS: [u64; 10] =
    [235_000, 375_000, 560_000, 750_000, 1_050_000, 1_750_000, 2_350_000, 3_000_000, 4_300_000, 5_800_000];

impl Described for Streaming {
    const KEYS: &'static [&'static str] = &["congestion", "ladder", "segment", "buffer"];
    const COLUMNS: &'static [Metric] =
        &[Metric::BitRate, Metric::Stalled, Metric::Stalls, Metric::Startup, Metric::Switches];
    const SCORE: Score = Score {
        caption: "bit rate of what is played, Mb/s (more is better)",
        axis: (0.0, 1.0),
        unit: Some("Mb/s"),
        unit_of_reason: "Mb/s",
        gain: ("", " plays at"),
        unit_of_gain: " Mb/s",
    };
    const ALSO: &'static [(Metric, Score)] = &[(Metric::Stalled, score::STALLED)];
    const OUTCOME: bool = false;

    fn read(s: &Section, context: &Context) -> Option<Streaming> {
        let ladder = s.read("ladder", |v| read_ladder(s, v)).unwrap_or_else(|| LADDER_BPS.into());
        let segment_ns = s.read("segment", quantity(Unit::Ns, 100 * MS..=60 * SECOND)).unwrap_or(4 * SECOND);
        let buffer_ns = s.read("buffer", quantity(Unit::Ns, SECOND..=3600 * SECOND)).unwrap_or(30 * SECOND);
        Some(Streaming { ladder, segment_ns, buffer_ns, congestion: congestion(s, context) })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        let segment = |s: &SegmentTrace| streaming::Segment {
            rate_bps: s.rate_bps,
            requested_ns: s.requested_ns,
            done_ns: s.done_ns,
        };
        let users = seen.segments.chunk_by(|a, b| a.user == b.user);
        let scores = users.filter_map(|own| {
            let segments: Vec<_> = own.iter().map(segment).collect();
            streaming::score(&segments, self.segment_ns, window)
        });
        let scores: Vec<_> = scores.collect();
        f.extend(mean(scores.iter().filter_map(|s| s.rate_bps)).map(|x| (Metric::BitRate, x)));
        f.extend(mean(scores.iter().map(|s| s.stalled)).map(|x| (Metric::Stalled, x)));
        f.extend(mean(scores.iter().map(|s| s.stalls.into())).map(|x| (Metric::Stalls, x)));
        f.extend(mean(scores.iter().map(|s| s.switches.into())).map(|x| (Metric::Switches, x)));
        f.extend(mean(scores.iter().map(|s| s.startup)).map(|x| (Metric::Startup, x)));
    }

    /// Segments come over TCP: what matters is whether they come in time, and which
    /// rate the buffer allowed.
    fn reason(q: &QueueScores, app: &Scores) -> String {
        let Some(stalled) = app.mean(Metric::Stalled) else {
            return match app.mean(Metric::Goodput) {
                Some(goodput) if goodput > 0.0 => "its first segment was not complete in time".into(),
                _ => SILENT.into(),
            };
        };
        let still = match stalled > 0.0 {
            true => format!("it stands still for {} of its time", percent(stalled)),
            false => "it never stands still".into(),
        };
        let switches = app.mean(Metric::Switches).unwrap_or(0.0);
        format!("{still} and changes its rate {switches:.0} times; {}", rate::of_download(q, app))
    }

    fn words(&self) -> String {
        let mbps = |rate: Option<&u64>| rate.map_or(0.0, |bps| *bps as f64 / 1e6);
        format!("streamed video, {} to {} Mb/s", mbps(self.ladder.first()), mbps(self.ladder.last()))
    }
}

/// `["1Mb/s", "3Mb/s"]`.
fn read_ladder<'s, 'a>(s: &Section<'s, 'a>, v: &Value<'s, 'a>) -> Result<Arc<[u64]>, String> {
    let wrong =
        || format!("{} is not a list of 1 to 30 ascending rates such as [\"1Mb/s\", \"3Mb/s\"]", v.written);
    let rate = |text: &String| match Unit::Bps.parse(text) {
        Ok(rate) if (1_000..=1_000_000_000).contains(&rate) => Ok(rate),
        Ok(_) => Err(format!("'{text}' is outside 1kbit to 1Gbit")),
        Err(e) => Err(e.to_string()),
    };
    let rates = s.items(v).iter().map(rate).collect::<Result<Vec<u64>, String>>()?;
    let fine = (1..=30).contains(&rates.len()) && rates.is_sorted_by(|a, b| a < b);
    if fine { Ok(rates.into()) } else { Err(wrong()) }
}
