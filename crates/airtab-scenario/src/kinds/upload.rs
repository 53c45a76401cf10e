// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A TCP upload, endless or of a volume: `upload`.
//!
//! What it does not do: TCP is `airtab_sim::tcp`'s.

use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::Upload;

use super::{Context, Described, Score, congestion, rate, score, volume};
use crate::measure::{Figures, add_upload};
use crate::metric::Metric;
use crate::reader::Section;
use crate::scores::{QueueScores, Scores};

impl Described for Upload {
    const KEYS: &'static [&'static str] = &["congestion", "volume", "repeat"];
    const COLUMNS: &'static [Metric] = &[Metric::UplinkGoodput, Metric::QueueDelay, Metric::QueueDelayP99];
    const SCORE: Score = Score {
        caption: "received from the station, Mb/s (more is better)",
        unit: Some("Mb/s up"),
        gain: ("", " sends"),
        ..score::RECEIVED
    };
    /// What it receives are ACKs.
    const DATA: (&'static [Metric], Metric) = (&[Metric::UplinkGoodput], Metric::UplinkLoss);
    const BULK: bool = true;

    fn read(s: &Section, context: &Context) -> Option<Upload> {
        Some(Upload { congestion: congestion(s, context), volume: volume::read(s) })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        add_upload(f, seen, window);
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        rate::of_upload(q, app)
    }

    fn words(&self) -> String {
        format!("{} ({})", volume::words("upload", self.volume), self.congestion.name())
    }
}
