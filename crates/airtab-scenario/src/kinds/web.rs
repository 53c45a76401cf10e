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

use super::reason::{NOTABLE_LOSS, SILENT, crowd, held, largest_other, ms, percent};
use super::{Context, Described, Score};
use crate::measure::{Figures, pages};
use crate::metric::Metric;
use crate::reader::{Section, choice, quantity};
use crate::scenario_file::LONGEST_NS;
use crate::scores::{QueueScores, Scores};

/// Between two visits of a site.
const READING_NS: u64 = 10 * SECOND;

/// Waits of so much of one another are those of one line for all.
const ALIKE: std::ops::Range<f64> = 0.67..1.25;

/// About as many round trips as a page of mean size takes, so that a wait of
/// that part of its time, paid in each, is most of it.
const ROUND_TRIPS: f64 = 20.0;

impl Described for Web {
    const KEYS: &'static [&'static str] = &["site", "reading", "client"];
    const COLUMNS: &'static [Metric] =
        &[Metric::PageTime, Metric::Pages, Metric::QueueDelayP50, Metric::QueueDelayP99];
    const SCORE: Score = Score {
        caption: "time to load a page, ms (less is better)",
        axis: (0.0, 1.0),
        unit: Some("ms"),
        unit_of_reason: "ms",
        decimals_of_reason: None,
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

    /// Pages are short: a wait in the queue is paid again in every round trip.
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
        let (wait, worst) = (app.mean(Metric::QueueDelayP50), app.mean(Metric::QueueDelayP99));
        let (wait, worst) = (wait.unwrap_or(0.0), worst.unwrap_or(0.0));
        let dropped = app.mean(Metric::QueueDropped).unwrap_or(0.0);
        let again = match dropped > NOTABLE_LOSS {
            true => format!("; {} of its packets are dropped and have to be sent again", percent(dropped)),
            false => String::new(),
        };
        if wait < page / ROUND_TRIPS {
            let (wait, worst, kb) = (ms(wait), ms(worst), bytes / 1e3);
            return format!(
                "its packets wait {wait} (99 % of them at most {worst}); the rest is the {kb:.0} kB of a page at the rate it gets{again}"
            );
        }
        let bulk = largest_other(q, app);
        let theirs = bulk.filter(|b| held(b) >= 1.0).and_then(|b| Some((b, b.mean(Metric::QueueDelayP50)?)));
        match theirs {
            Some((bulk, theirs)) if !ALIKE.contains(&(theirs / wait)) => format!(
                "its packets wait {} where those of {} wait {}; a page is a burst, whose packets wait for each other too{again}",
                ms(wait),
                bulk.name,
                ms(theirs)
            ),
            _ => {
                let crowd = crowd(q, app);
                format!("{crowd}, so in each round trip its packets wait about {}{again}", ms(wait))
            }
        }
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
