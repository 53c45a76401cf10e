// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Endless TCP downloads, and perhaps uploads, with several peers: `p2p`.
//!
//! What it does not do: TCP is `airtab_sim::tcp`'s.

use airtab_core::Unit;
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::P2p;

use super::{Context, Described, Score, congestion, rate, score};
use crate::measure::{Figures, add_upload};
use crate::metric::{Direction, Metric};
use crate::reader::{Section, flag, quantity};
use crate::scores::{QueueScores, Scores};

/// Connections of one that names no number.
const FLOWS: u64 = 10;

impl Described for P2p {
    const KEYS: &'static [&'static str] = &["flows", "congestion", "upload"];
    // The second is there only where peers upload, too.
    const COLUMNS: &'static [Metric] =
        &[Metric::Goodput, Metric::UplinkGoodput, Metric::QueueDelayP50, Metric::QueueDelayP99];
    const SCORE: Score = score::RECEIVED;
    const DATA: (&'static [Metric], Metric) = (&[Metric::Goodput, Metric::UplinkGoodput], Metric::Loss);
    const BULK: bool = true;

    fn read(s: &Section, context: &Context) -> Option<P2p> {
        let flows = s.read("flows", quantity(Unit::Count, 1..=1000)).unwrap_or(FLOWS) as u16;
        let upload = s.read("upload", flag).unwrap_or(false);
        Some(P2p { flows, congestion: congestion(s, context), upload })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        if self.upload {
            add_upload(f, seen, window);
        }
    }

    /// Both ways are data.
    fn taken(&self, f: &Figures) -> Option<f64> {
        Some([Metric::Goodput, Metric::UplinkGoodput].iter().filter_map(|metric| f.get(metric)).sum())
    }

    fn greedy(&self, direction: Direction) -> bool {
        direction == Direction::Down || self.upload
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        rate::of_download(q, app)
    }

    fn words(&self) -> String {
        let uploads = if self.upload { " and uploads" } else { "" };
        format!("{} endless downloads{uploads} ({})", self.flows, self.congestion.name())
    }
}
