// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The template of a kind: `template`. What scenario files, tables, sentences and
//! the report know of it. Copied to `src/kinds/NAME.rs`, with a line `mod NAME;` in
//! `src/kinds/mod.rs`, it describes the configuration that the file of the same
//! name in `airtab-sim/src/traffic` has (`docs/add-an-application.md`).
//!
//! What it does not do: say here which figures and words are left to others.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::traffic::Template;

use super::reason::{SILENT, mean_ms, percent};
use super::{Context, Described, Score, score};
use crate::metric::Metric;
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

impl Described for Template {
    // Its keys, beside those that every `[[app]]` has.
    const KEYS: &'static [&'static str] = &["interval", "phase"];
    // Its rows in tables. The first is its score: how good it was.
    const COLUMNS: &'static [Metric] =
        &[Metric::Goodput, Metric::QueueDelayP50, Metric::QueueDelayP99, Metric::Loss];
    // How that is shown.
    const SCORE: Score = score::RECEIVED;

    // Reads the keys of an `[[app]]`: values outside their ranges are told with
    // their places. None only where there is no sensible default.
    fn read(s: &Section, _: &Context) -> Option<Template> {
        let interval_ns = s.read("interval", quantity(Unit::Ns, MS..=60 * SECOND)).unwrap_or(SECOND);
        Some(Template { interval_ns })
    }

    // Figures that only this kind has: `fn measure`, and over all of them `fn together`.
    // Every kind has rates, losses, waits and airtime (`measure.rs`).

    // What made its score: the end of "NAME 5.0 Mb/s under fifo: ...".
    fn reason(_: &QueueScores, app: &Scores) -> String {
        let Some(loss) = app.mean(Metric::Loss) else { return SILENT.into() };
        format!("{} of its answers are lost, one waits {}", percent(loss), mean_ms(app, Metric::QueueDelay))
    }

    // What it does, in the report.
    fn words(&self) -> String {
        format!("a sensor that reports each {}", Unit::Ns.format(self.interval_ns))
    }
}
