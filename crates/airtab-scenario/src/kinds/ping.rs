// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Requests that a distant host answers: `ping`.
//!
//! Its score is how long an answer takes, both ways, on the mean; requests and echoes that are lost
//! are figures beside it.
//!
//! What it does not do: how requests are sent is `airtab_sim::traffic::ping`'s.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::Ping;

use super::cause::Parts;
use super::reason::{of_stream, with_losses};
use super::{Context, Described, Score, packet_bytes};
use crate::measure::{Figures, add_stream, share};
use crate::metric::{Metric, stream_columns};
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

/// Bytes of an IP packet of ping(8).
const BYTES: u32 = 84;

impl Described for Ping {
    const KEYS: &'static [&'static str] = &["interval", "bytes", "phase"];
    const COLUMNS: &'static [Metric] = &stream_columns::<9>(&[Metric::Ping]);
    const SCORE: Score = Score {
        caption: "round trip of a ping, ms (less is better)",
        axis: (0.0, 1.0),
        unit: Some("ms"),
        unit_of_reason: "ms",
        gain: ("a round trip of ", " takes"),
        unit_of_gain: " ms",
    };

    fn read(s: &Section, _: &Context) -> Option<Ping> {
        let interval_ns = s.read("interval", quantity(Unit::Ns, MS..=3600 * SECOND)).unwrap_or(SECOND);
        Some(Ping { interval_ns, bytes: packet_bytes(s).unwrap_or(BYTES) })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, _: Window) {
        add_stream(f, seen);
    }

    /// Over the hosts that are pinged; one that never answered is beyond all others.
    fn together(all: &[&Figures], ap: &mut Figures) {
        let ping = |f: &&Figures| f.get(&Metric::Ping).copied().unwrap_or(f64::INFINITY);
        let mut pings: Vec<f64> = all.iter().map(ping).collect();
        pings.sort_by(f64::total_cmp);
        let Some(last) = pings.len().checked_sub(1) else { return };
        let median = (pings[last / 2] + pings[last.div_ceil(2)]) / 2.0;
        if median.is_finite() {
            ap.insert(Metric::PingMedian, median);
        }
        let playable = pings.iter().filter(|ping| **ping < Metric::PLAYABLE_PING_S).count();
        ap.extend(share(playable as u64, pings.len() as u64).map(|x| (Metric::PingPlayable, x)));
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        with_losses(q, app, of_stream(q, app, Metric::Ping, &Parts::of_round_trip(app)))
    }

    fn words(&self) -> String {
        format!("requests to a distant host, one each {}", Unit::Ns.format(self.interval_ns))
    }
}
