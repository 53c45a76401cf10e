// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Streamed films: segments from nginx over one connection, at the rates that
//! the simulator's player chooses ([`Player`], BBA-0).
//!
//! What it does not do: as the simulator's: nobody seeks, no film ends.

use std::io;
use std::net::SocketAddrV4;
use std::sync::{Arc, Mutex};

use airtab_core::time::SECOND;
use airtab_scenario::Metric;
use airtab_sim::traffic::streaming::Player;
use airtab_sim::{AppKind, AppTrace, Histogram, SegmentTrace};

use super::http::Connection;
use super::nginx::{self, Nginx};
use super::work::{Work, lock};
use super::{ActiveApp, AppReport, Ends, bits, score};
use crate::error::LiveError;
use crate::snapshot::{Quantiles, Score};

/// After a connection that failed, before the next one, ns.
const AFTER_FAILURE_NS: u64 = 1_000_000_000;

/// One such application.
pub(crate) struct Film {
    seen: Mutex<Seen>,
}

struct Seen {
    segments: Vec<SegmentTrace>,
    first_byte_ns: Histogram,
    failed: u64,
}

impl Film {
    /// Plans the film.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>, nginx: Arc<Nginx>) -> Result<Arc<Film>, LiveError> {
        let first_byte_ns = Histogram::new(1000 * SECOND, 3);
        let seen = Seen { segments: Vec::new(), first_byte_ns, failed: 0 };
        let own = Arc::new(Film { seen: Mutex::new(seen) });
        let (ends_, own_) = (ends.clone(), own.clone());
        work.spawn(&ends.app.name, &ends.station, move |work| {
            own_.play(work, &ends_, &nginx).map_err(|e| ends_.failed(format!("offering a segment: {e}")))
        })?;
        Ok(own)
    }

    /// Segment after segment, while the application is active.
    fn play(&self, work: &Work, ends: &Ends, nginx: &Nginx) -> io::Result<()> {
        let AppKind::Streaming(film) = &ends.app.kind else { return Ok(()) };
        let mut player = Player::new(film.clone());
        let server = SocketAddrV4::new(ends.server, nginx::PORT);
        let active = ends.app.active_ns.clone();
        let mut at = active.start;
        let mut connection: Option<Connection> = None;
        while at < active.end && work.wait_until(at) {
            let bytes = player.choose(work.clock.now());
            let path = nginx.object(bytes)?;
            let open = match connection.take() {
                Some(open) => Ok(open),
                None => Connection::open(work, server, active.end),
            };
            let got = open.and_then(|mut open| Ok((open.get(work, &path, bytes, active.end)?, open)));
            let mut seen = lock(&self.seen);
            match got {
                Ok((answer, open)) => {
                    connection = Some(open);
                    seen.first_byte_ns.record(answer.first_byte_ns - answer.requested_ns);
                    let (segment, next_ns) = player.complete(answer.requested_ns, answer.done_ns);
                    seen.segments.push(segment);
                    at = next_ns;
                }
                Err(_) if work.over(active.end) => return Ok(()),
                Err(_) => {
                    seen.failed += 1;
                    at = work.clock.now() + AFTER_FAILURE_NS;
                }
            }
        }
        Ok(())
    }
}

impl ActiveApp for Film {
    fn score(&self, _: u64) -> Option<Score> {
        let seen = lock(&self.seen);
        let bps = seen.segments.last()?.rate_bps as f64;
        Some(score(Metric::BitRate, bps, format!("{} film", bits(bps))))
    }

    fn finish(&self, trace: &mut AppTrace, report: &mut AppReport) {
        let mut seen = lock(&self.seen);
        trace.segments = std::mem::take(&mut seen.segments);
        report.first_byte = Quantiles::of(&seen.first_byte_ns);
        report.failed = seen.failed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of the last segment is shown; all are in the trace.
    #[test]
    fn the_last_segment_is_shown() {
        let mut first_byte_ns = Histogram::new(SECOND, 3);
        [1_000_000, 3_000_000, 5_000_000].into_iter().for_each(|ns| first_byte_ns.record(ns));
        let film = Film { seen: Mutex::new(Seen { segments: Vec::new(), first_byte_ns, failed: 2 }) };
        assert_eq!(film.score(0), None);
        let segment = |rate_bps, done_ns| SegmentTrace { user: 0, rate_bps, requested_ns: 1, done_ns };
        let segments = vec![segment(3_000_000, 5), segment(1_500_000, 9)];
        lock(&film.seen).segments.clone_from(&segments);
        let shown = film.score(0).unwrap();
        assert_eq!((shown.metric.as_str(), shown.value), ("bit_rate_bits_per_second", 1.5e6));
        assert_eq!(shown.text, "1.50 Mb/s film");
        let ends = super::super::fixture::ends("kind = \"streaming\"");
        let mut trace = airtab_sim::AppMeter::new(&ends.app, &ends.scenario).finish(1).0;
        let mut report = AppReport::default();
        film.finish(&mut trace, &mut report);
        assert_eq!(trace.segments, segments);
        assert_eq!((report.failed, report.first_byte.count), (2, 3));
        assert!((report.first_byte.p50_s / 0.003 - 1.0).abs() < 1e-2, "{report:?}");
    }
}
