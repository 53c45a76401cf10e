// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Web pages, one after the other: `web`.
//!
//! How long pages take is a figure of a comparison, not of a run: only those
//! that every discipline completed count.
//!
//! What it does not do: what a page consists of is `airtab_sim::traffic::web`'s.

use airtab_core::Unit;
use airtab_core::time::SECOND;
use airtab_quality::Window;
use airtab_sim::AppTrace;
use airtab_sim::traffic::Web;
use airtab_sim::traffic::web::{Client, Pages, Site};

use super::cause::Parts;
use super::reason::{NOTABLE_LOSS, SILENT, percent};
use super::{Context, Described, Score};
use crate::measure::{Figures, pages};
use crate::metric::Metric;
use crate::reader::{Section, choice, quantity};
use crate::scenario_file::LONGEST_NS;
use crate::scores::{QueueScores, Scores};

/// Between two visits of a site.
const READING_NS: u64 = 10 * SECOND;

/// About as many round trips as a page of mean size takes, so that one of
/// that part of its time, paid again and again, is most of it.
const ROUND_TRIPS: f64 = 20.0;

impl Described for Web {
    const KEYS: &'static [&'static str] = &["site", "reading", "client"];
    const COLUMNS: &'static [Metric] =
        &[Metric::PageTime, Metric::Pages, Metric::Qoo, Metric::QueueDelayP50, Metric::QueueDelayP99];
    const REQUIREMENT: Option<&'static str> = Some("web");
    const SCORE: Score = Score {
        caption: "time to load a page, ms (less is better)",
        axis: (0.0, 1.0),
        unit: Some("ms"),
        unit_of_reason: "ms",
        gain: ("a page of ", " takes"),
        unit_of_gain: " ms",
    };

    fn read(s: &Section, _: &Context) -> Option<Web> {
        let site = s.read("site", choice(Site::ALL.map(|site| (site.name, site)).to_vec()));
        let reading_ns = s.read("reading", quantity(Unit::Ns, 0..=LONGEST_NS));
        let client = s.read("client", choice(Client::NAMES.to_vec())).unwrap_or(Client::Loader);
        Some(Web { pages: read_pages(s, site, reading_ns), client })
    }

    fn measure(&self, f: &mut Figures, seen: &AppTrace, window: Window) {
        f.insert(Metric::Pages, pages(seen, window).len() as f64);
    }

    /// Pages are short: what a round trip takes is paid again in each of them.
    fn reason(q: &QueueScores, app: &Scores) -> String {
        let Some(pages) = app.mean(Metric::Pages) else {
            return SILENT.into();
        };
        let (Some(page), Some(bytes)) = (app.mean(Metric::PageTime), app.mean(Metric::PageBytes)) else {
            return match pages > 0.0 {
                true => "no page was completed under every discipline".into(),
                false => "no page was both requested and completed while measured".into(),
            };
        };
        let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
        let again = match dropped > NOTABLE_LOSS {
            true => format!("; {} of its packets are dropped and have to be sent again", percent(dropped)),
            false => String::new(),
        };
        let trip = Parts::of_round_trip(app);
        let Some(cause) = trip.words(q, app) else { return SILENT.into() };
        let rest = match trip.sum() < page / ROUND_TRIPS {
            true => format!("; most of the page's time is its {:.0} kB at the rate it gets", bytes / 1e3),
            false => String::new(),
        };
        format!("{cause}{rest}{again}")
    }

    fn words(&self) -> String {
        match self.pages {
            Pages::Drawn => "web pages, one after the other".into(),
            Pages::Site { site, .. } => format!("visits of one page ({})", site.name),
        }
    }
}

/// Visits of one site, or the pages of the model.
fn read_pages(s: &Section, site: Option<Site>, reading_ns: Option<u64>) -> Pages {
    let Some(site) = site else {
        if reading_ns.is_some() && s.get("site").is_none() {
            s.problem_of("reading", "only with a site: the model draws how long each page is read");
        }
        return Pages::Drawn;
    };
    Pages::Site { site, reading_ns: reading_ns.unwrap_or(READING_NS) }
}
