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

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The next page is requested when the last one is there and was read, and not before; a page that fails has no
    /// trace and is counted.
    #[test]
    fn pages_are_read_before_the_next_one() {
        const MS: u64 = 1_000_000;
        let ends = fixture::ends(
            "kind = \"web\"\nsite = \"yahoo\"\nreading = \"25ms\"\nstart = \"5ms\"\nstop = \"900ms\"",
        );
        let AppKind::Web(airtab_sim::traffic::Web { pages, .. }) = ends.app.kind else { panic!("a page") };
        let work = fixture::work();
        let web = Web {
            seen: Mutex::new(Seen {
                pages: Vec::new(),
                first_byte_ns: Histogram::new(1000 * SECOND, 3),
                failed: 2,
                why: "another reason".into(),
            }),
        };
        assert_eq!(web.score(0), None);
        let asked = Mutex::new(Vec::new());
        web.visit(&work, &ends, pages, |objects, number| {
            let now = work.clock.now();
            lock(&asked).push((number, now));
            assert_eq!(objects.text, pages.objects(work.seed, "a", number).text);
            match number {
                // After it nothing is waited for: the end comes first.
                2 => Err("a reason".into()),
                _ => Ok(Loaded {
                    opened_ns: now,
                    requested_ns: now + MS,
                    done_ns: now + 4 * MS + u64::from(number) * MS,
                    first_bytes_ns: vec![MS; 3],
                }),
            }
        });
        let asked = asked.into_inner().unwrap();
        assert_eq!(asked.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(asked[0].1 >= 5 * MS);
        assert!(asked[1].1 >= asked[0].1 + 29 * MS && asked[2].1 >= asked[1].1 + 30 * MS, "{asked:?}");
        let shown = web.score(0).unwrap();
        assert_eq!((shown.value, shown.text.as_str()), (0.004, "0.00 s page, 3 failed: a reason"));
        let mut trace = airtab_sim::AppMeter::new(&ends.app, &ends.scenario).finish(1).0;
        let mut report = AppReport::default();
        web.finish(&mut trace, &mut report);
        assert_eq!((report.failed, report.first_byte.count), (3, 6));
        let told: Vec<_> =
            trace.pages.iter().map(|page| (page.number, page.done_ns - page.opened_ns)).collect();
        assert_eq!(told, [(0, 4 * MS), (1, 5 * MS)]);
        for page in &trace.pages {
            let objects = pages.objects(work.seed, "a", page.number);
            assert_eq!(page.bytes, objects.text.iter().sum::<u64>() + objects.embedded.iter().sum::<u64>());
        }
    }
}
