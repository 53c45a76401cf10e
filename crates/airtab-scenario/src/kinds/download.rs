// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A TCP download, endless or of a volume: `download`.
//!
//! What it does not do: TCP is `airtab_sim::tcp`'s.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::jain;
use airtab_sim::traffic::Download;

use super::{Context, Described, Score, congestion, rate, score, volume};
use crate::measure::Figures;
use crate::metric::Metric;
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

impl Described for Download {
    const KEYS: &'static [&'static str] = &["congestion", "reconnect", "volume", "repeat"];
    const COLUMNS: &'static [Metric] = &[Metric::Goodput, Metric::QueueDelayP50, Metric::QueueDelayP99];
    const SCORE: Score = score::RECEIVED;
    const BULK: bool = true;

    fn read(s: &Section, context: &Context) -> Option<Download> {
        let reconnect_ns = s.read("reconnect", quantity(Unit::Ns, 10 * MS..=3600 * SECOND));
        Some(Download { congestion: congestion(s, context), reconnect_ns, volume: volume::read(s) })
    }

    /// How evenly they share.
    fn together(all: &[&Figures], ap: &mut Figures) {
        let goodputs: Vec<f64> = all.iter().filter_map(|f| f.get(&Metric::Goodput).copied()).collect();
        if goodputs.len() > 1 {
            ap.extend(jain(&goodputs).map(|x| (Metric::Fairness, x)));
        }
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        rate::of_download(q, app)
    }

    fn words(&self) -> String {
        let anew = self.reconnect_ns.map(|ns| format!(", a new connection each {}", Unit::Ns.format(ns)));
        format!(
            "{} ({}{})",
            volume::words("download", self.volume),
            self.congestion.name(),
            anew.unwrap_or_default()
        )
    }
}
