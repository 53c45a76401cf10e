// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Requests that a distant host answers: `ping`.
//!
//! What it does not do: its score is the rate that it receives, as that of any UDP
//! packets; how long answers take is a figure beside it.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::Ping;

use super::{Context, Described, Score, packet_bytes, reason, score};
use crate::measure::{Figures, add_stream, share};
use crate::metric::{Metric, stream_columns};
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

/// Bytes of an IP packet of ping(8).
const BYTES: u32 = 84;

impl Described for Ping {
    const KEYS: &'static [&'static str] = &["interval", "bytes", "phase"];
    const COLUMNS: &'static [Metric] = &stream_columns::<7>(&[Metric::Goodput]);
    const SCORE: Score = score::RECEIVED;

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
        reason::of_packets(q, app)
    }

    fn words(&self) -> String {
        format!("requests to a distant host, one each {}", Unit::Ns.format(self.interval_ns))
    }
}
