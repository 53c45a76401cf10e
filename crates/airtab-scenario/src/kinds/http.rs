// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A crowd of web browsers, as the CBT study has it (M. Parris, "Class-Based Thresholds", UNC 2001, A.3.4.1): `http`.
//!
//! Its score and its causes are those of pages (`web`).
//!
//! What it does not do: what a page consists of is `airtab_sim::traffic::http`'s.

use airtab_core::Unit;
use airtab_core::time::{MS, SECOND};
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::{Http, Web};

use super::mpeg::millionths;
use super::{Context, Described, Score};
use crate::measure::{Figures, pages};
use crate::metric::Metric;
use crate::reader::{Section, number, quantity};
use crate::scores::{QueueScores, Scores};

impl Described for Http {
    const KEYS: &'static [&'static str] = &[
        "browsers",
        "connections",
        "think",
        "objects",
        "parallel",
        "object_bytes",
        "object_most",
        "object_header",
        "sigma",
        "request",
    ];
    const COLUMNS: &'static [Metric] =
        &[Metric::PageTime, Metric::Pages, Metric::Goodput, Metric::QueueDelayP99];
    const REQUIREMENT: Option<&'static str> = Some("web");
    const SCORE: Score = Web::SCORE;

    fn read(s: &Section, _: &Context) -> Option<Http> {
        let study = Http::STUDY;
        let count = |key, most: u16| s.read(key, quantity(Unit::Count, 1..=most.into())).map(|n| n as u16);
        let bytes = |key, least, most| s.read(key, quantity(Unit::Bytes, least..=most)).map(|n| n as u32);
        let browsers = count("browsers", 30_000).unwrap_or(study.browsers);
        let objects = s.read("objects", number(1.0..=1000.0, "a number such as 3"));
        let sigma = s.read("sigma", number(0.0..=5.0, "a number such as 1.45"));
        Some(Http {
            browsers,
            connections: count("connections", 30_000).unwrap_or(browsers),
            think_ns: s.read("think", quantity(Unit::Ns, MS..=3600 * SECOND)).unwrap_or(study.think_ns),
            objects_ppm: objects.map_or(study.objects_ppm, millionths),
            parallel: count("parallel", 1000).unwrap_or(study.parallel),
            median_bytes: bytes("object_bytes", 1, 1 << 24).unwrap_or(study.median_bytes),
            sigma_ppm: sigma.map_or(study.sigma_ppm, |x| millionths(x) as u32),
            largest_bytes: bytes("object_most", 1, 1 << 30).unwrap_or(study.largest_bytes),
            header_bytes: bytes("object_header", 0, 1 << 20).unwrap_or(study.header_bytes),
            request_bytes: bytes("request", 1, 1 << 20).unwrap_or(study.request_bytes),
        })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        f.insert(Metric::Pages, pages(seen, window).len() as f64);
    }

    fn reason(q: &QueueScores, app: &Scores) -> String {
        Web::reason(q, app)
    }

    fn words(&self) -> String {
        format!("{} web browsers", self.browsers)
    }

    /// How much they ask for.
    fn note(&self, _: u64) -> Option<String> {
        let objects = self.objects_ppm as f64 * 1e-6;
        let most = f64::from(self.browsers) * objects * SECOND as f64 / self.think_ns as f64;
        Some(format!("at most {most:.0} objects a second, over up to {} connections", self.connections))
    }
}
