// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Web pages: the simulator's, or the front page of a site, visited one after the
//! other. CHAP dissertation 6.1.4 and 7.3.2.
//!
//! What it does not do: no page is loaded here; that is our own loader's, or
//! Chromium's (`client = "chromium"`).

use std::net::SocketAddrV4;
use std::sync::{Arc, Mutex};

use airtab_core::time::SECOND;
use airtab_scenario::Metric;
use airtab_sim::traffic::web::PageTrace;
use airtab_sim::traffic::web::{Client, Objects, Pages};
use airtab_sim::{AppKind, AppTrace, Histogram};

use super::loader::{self, Loaded};
use super::nginx::{self, Nginx};
use super::work::{Work, lock};
use super::{ActiveApp, AppReport, Ends, chromium, score};
use crate::error::LiveError;
use crate::snapshot::{Quantiles, Score};

/// After a page that could not be loaded, before the next one, ns.
const AFTER_FAILURE_NS: u64 = 1_000_000_000;

/// One such application.
pub(crate) struct Web {
    pub(crate) seen: Mutex<Seen>,
}

/// What became of its pages.
pub(crate) struct Seen {
    pages: Vec<PageTrace>,
    first_byte_ns: Histogram,
    failed: u64,
    /// Why the last one failed.
    why: String,
}

impl Web {
    /// Plans the visits.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>, nginx: Arc<Nginx>) -> Result<Arc<Web>, LiveError> {
        let AppKind::Web(airtab_sim::traffic::Web { pages, client }) = ends.app.kind else {
            return Err(ends.failed("no web pages"));
        };
        let first_byte_ns = Histogram::new(1000 * SECOND, 3);
        let seen = Seen { pages: Vec::new(), first_byte_ns, failed: 0, why: String::new() };
        let own = Arc::new(Web { seen: Mutex::new(seen) });
        let browser = match client {
            Client::Chromium => Some(chromium::Browser::find(ends.clone(), nginx.clone())?),
            Client::Loader => None,
        };
        let (ends_, own_) = (ends.clone(), own.clone());
        work.spawn(&ends.app.name, &ends.station, move |work| {
            let server = SocketAddrV4::new(ends_.server, nginx::PORT);
            let end = ends_.app.active_ns.end;
            own_.visit(work, &ends_, pages, |objects, number| match &browser {
                Some(browser) => browser.load(work, objects, number),
                None => loader::load(work, server, &nginx, objects, end).map_err(|e| e.to_string()),
            });
            Ok(())
        })?;
        Ok(own)
    }

    /// One page after the other, while the application is active.
    fn visit(
        &self,
        work: &Work,
        ends: &Ends,
        pages: Pages,
        load: impl Fn(&Objects, u32) -> Result<Loaded, String>,
    ) {
        let (app, active) = (&ends.app.name, ends.app.active_ns.clone());
        let mut at = active.start;
        for number in 0.. {
            if at >= active.end || !work.wait_until(at) {
                return;
            }
            let objects = pages.objects(work.seed, app, number);
            let loaded = load(&objects, number);
            if loaded.is_err() && work.over(active.end) {
                return; // a page under way when the time is over is nobody's
            }
            let mut seen = lock(&self.seen);
            at = match loaded {
                Ok(page) => {
                    page.first_bytes_ns.iter().for_each(|ns| seen.first_byte_ns.record(*ns));
                    let Loaded { opened_ns, requested_ns, done_ns, .. } = page;
                    let bytes = objects.text.iter().chain(&objects.embedded).sum();
                    seen.pages.push(PageTrace { number, bytes, opened_ns, requested_ns, done_ns });
                    done_ns.saturating_add(pages.page(work.seed, app, number).reading_ns)
                }
                Err(why) => {
                    seen.failed += 1;
                    seen.why = why;
                    work.clock.now() + AFTER_FAILURE_NS
                }
            };
        }
    }
}

impl ActiveApp for Web {
    fn score(&self, _: u64) -> Option<Score> {
        let seen = lock(&self.seen);
        let page = seen.pages.last()?;
        let s = (page.done_ns - page.requested_ns) as f64 * 1e-9;
        let failed = match seen.failed {
            0 => String::new(),
            n => format!(", {n} failed: {}", seen.why),
        };
        Some(score(Metric::PageTime, s, format!("{s:.2} s page{failed}")))
    }

    fn finish(&self, trace: &mut AppTrace, report: &mut AppReport) {
        let mut seen = lock(&self.seen);
        trace.pages = std::mem::take(&mut seen.pages);
        report.first_byte = Quantiles::of(&seen.first_byte_ns);
        report.failed = seen.failed;
    }
}
