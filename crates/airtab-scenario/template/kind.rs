//! Template: one sentence on what the application is: `template`.
//!
//! What it does not do: how it sends is `airtab_sim::traffic::template`'s.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_sim::traffic::Template;

use super::reason::{SILENT, ms, percent};
use super::{Context, Kind, Score, score};
use crate::metric::Metric;
use crate::reader::{Section, quantity};
use crate::scores::{QueueScores, Scores};

impl Kind for Template {
    const KEYS: &'static [&'static str] = &["interval"];
    const COLUMNS: &'static [Metric] = &[Metric::Goodput, Metric::QueueDelayP50, Metric::Loss];
    const SCORE: Score = score::RECEIVED;

    fn read(s: &Section, _: &Context) -> Option<Template> {
        let interval_ns = s.read("interval", quantity(Unit::Ns, MS..=3600 * SECOND)).unwrap_or(SECOND);
        Some(Template { interval_ns })
    }

    fn reason(_: &QueueScores, app: &Scores) -> String {
        match (app.mean(Metric::Loss), app.mean(Metric::QueueDelayP50)) {
            (Some(loss), Some(wait)) => format!("{} of its answers are lost, one waits {}", percent(loss), ms(wait)),
            _ => SILENT.into(),
        }
    }

    fn words(&self) -> String {
        format!("a sensor that reports each {}", Unit::Ns.format(self.interval_ns))
    }
}
