// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of responsiveness: the client and the server of `airtab rpm`, over TLS and HTTP/2, each in a thread inside its
//! namespace.
//!
//! Both are real: what cryptography and HTTP take is in the figures, and the congestion control is that of the routes.
//! They run before ordinary threads, as the access point does: else a busy machine would be measured.
//!
//! What it does not do: its server is nobody's but its own client's, and ends with it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use airtab_probe::rpm::Way;
use airtab_probe::rpm::client::{self, Event, Job, Measured};
use airtab_probe::rpm::server::Server;
use airtab_probe::rpm::trust::Trust;
use airtab_quality::rpm::{Outcome, Parameters};
use airtab_scenario::Metric;
use airtab_sim::traffic::{Kind, Responsiveness};
use airtab_sim::{AppKind, AppTrace, TestTrace};

use super::work::{LOOK_NS, Work, lock};
use super::{ActiveApp, AppReport, Ends, score};
use crate::driver::real_time;
use crate::error::LiveError;
use crate::snapshot::Score;

/// One such application.
#[derive(Default)]
pub(crate) struct Tester {
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    latest: Option<(Way, Outcome)>,
    tests: Vec<TestTrace>,
    failed: u64,
}

impl Tester {
    /// Starts the server, and plans the test.
    pub(crate) fn start(work: &Work, ends: &Arc<Ends>) -> Result<Arc<Tester>, LiveError> {
        let AppKind::Responsiveness(kind) = ends.app.kind else {
            return Err(ends.failed("no test of responsiveness"));
        };
        let at = SocketAddr::from((ends.server, Responsiveness::PORT));
        let (tell, listening) = std::sync::mpsc::channel();
        let ends_ = ends.clone();
        work.spawn(&ends.app.name, &ends.internet, move |work| {
            let server = Server::bind(at).map_err(|e| ends_.failed(e.to_string()))?;
            let _ = tell.send(server.fingerprint());
            let end = ends_.app.active_ns.end;
            until(work, end, |stop| server.run(stop, &mut |_, _| {})).map_err(|e| ends_.failed(e.to_string()))
        })?;
        let Ok(fingerprint) = listening.recv() else {
            work.take_fault()?;
            return Err(ends.failed(format!("its server does not listen on {at}")));
        };
        let ways = [(Way::Down, kind.down), (Way::Up, kind.up)].into_iter();
        let job = Job {
            target: at.to_string(),
            trust: Trust::Fingerprint(fingerprint),
            ways: ways.filter(|(_, asked)| *asked).map(|(way, _)| way).collect(),
            parameters: Parameters::DRAFT,
        };
        let own = Arc::new(Tester::default());
        let (own_, ends_) = (own.clone(), ends.clone());
        work.spawn(&ends.app.name, &ends.station, move |work| {
            let active = ends_.app.active_ns.clone();
            if !work.wait_until(active.start) {
                return Ok(());
            }
            let ran = until(work, active.end, |stop| client::run(&job, stop, &mut |event| own_.note(event)));
            match ran {
                Ok(report) => {
                    own_.keep(report);
                    Ok(())
                }
                // A connection that ends with everything is no fault.
                Err(_) if work.over(active.end) => Ok(()),
                Err(e) => Err(ends_.failed(e.to_string())),
            }
        })?;
        Ok(own)
    }

    fn note(&self, event: Event) {
        if let Event::Interval(way, outcome) = event {
            lock(&self.seen).latest = Some((way, outcome));
        }
    }

    fn keep(&self, report: client::Report) {
        let idle_ns: Vec<u64> = report.idle.iter().map(|probe| probe.tcp_ns).collect();
        let mut seen = lock(&self.seen);
        for (up, measured) in [(false, report.down), (true, report.up)] {
            if let Some(Measured { outcome, failed }) = measured {
                seen.failed += failed;
                seen.tests.push(TestTrace { user: 0, up, idle_ns: idle_ns.clone(), outcome });
            }
        }
    }
}

/// Runs what obeys a stop flag, before ordinary threads, until it is done, or `end`, ns, is past, or all is to end.
fn until<T>(work: &Work, end: u64, run: impl FnOnce(&AtomicBool) -> T) -> T {
    let (stop, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let at = (work.clock.now() + LOOK_NS).min(end);
                if !work.wait_until(at) || work.over(end) {
                    stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
        // Where the machine does not allow it, the report of lateness says how busy it was.
        let _ = real_time();
        let ran = run(&stop);
        done.store(true, Ordering::Relaxed);
        ran
    })
}

impl ActiveApp for Tester {
    fn score(&self, _: u64) -> Option<Score> {
        let seen = lock(&self.seen);
        let (way, outcome) = seen.latest.as_ref()?;
        let rpm = outcome.rpm().ok()?.both();
        let mbps = outcome.goodput_bps as f64 / 1e6;
        Some(score(Metric::Rpm, rpm, format!("{rpm:.0} RPM {}, {mbps:.1} Mb/s", way.name())))
    }

    fn finish(&self, trace: &mut AppTrace, report: &mut AppReport) {
        let mut seen = lock(&self.seen);
        trace.tests = std::mem::take(&mut seen.tests);
        report.failed = seen.failed;
    }
}

#[cfg(test)]
mod tests {
    use airtab_quality::rpm::{Confidence, Foreign, Outcome};

    use super::*;

    /// 6000 round trips a minute are 10 ms each, 2000 are 30 ms; their mean of the latest interval is shown, with its direction.
    #[test]
    fn the_latest_interval_is_shown() {
        let outcome = |ms: u64, goodput_bps| {
            let ns = ms * 1_000_000;
            Outcome {
                took_ns: 9,
                connections: 1,
                goodput_bps,
                goodput: Confidence::High,
                responsiveness: Confidence::High,
                foreign: vec![Foreign { tcp_ns: ns, tls_ns: None, http_ns: ns }; 20],
                own_ns: vec![3 * ns; 20],
                kept_percent: 95,
            }
        };
        let own = Tester::default();
        assert_eq!(own.score(0), None);
        own.note(Event::Interval(Way::Down, outcome(5, 20_000_000)));
        own.note(Event::Interval(Way::Up, outcome(10, 3_250_000)));
        own.note(Event::Moved(Way::Down, 7));
        let shown = own.score(0).unwrap();
        assert_eq!((shown.metric.as_str(), shown.text.as_str()), ("rpm", "4000 RPM up, 3.2 Mb/s"));
        assert!((shown.value - 4000.0).abs() < 1e-6, "{shown:?}");
        own.note(Event::Interval(Way::Up, Outcome { own_ns: Vec::new(), ..outcome(1, 1) }));
        assert_eq!(own.score(0), None, "without probes nothing is guessed");
        let ends = super::super::fixture::ends("kind = \"responsiveness\"");
        let mut trace = airtab_sim::AppMeter::new(&ends.app, &ends.scenario).finish(1).0;
        own.keep(client::Report {
            server: "s".into(),
            idle: Vec::new(),
            down: None,
            up: Some(Measured { outcome: outcome(7, 5), failed: 4 }),
            stopped: false,
        });
        let mut report = AppReport::default();
        own.finish(&mut trace, &mut report);
        assert_eq!((trace.tests.len(), trace.tests[0].up, report.failed), (1, true, 4));
    }

    /// A report has a test for each measured direction and the sum of their failed probes.
    #[test]
    fn a_report_is_of_both_directions() {
        let measured = |goodput_bps, failed| {
            let outcome = Outcome {
                took_ns: 9,
                connections: 1,
                goodput_bps,
                goodput: Confidence::High,
                responsiveness: Confidence::High,
                foreign: Vec::new(),
                own_ns: Vec::new(),
                kept_percent: 95,
            };
            Some(Measured { outcome, failed })
        };
        let idle = [5, 3].map(|tcp_ns| Foreign { tcp_ns, tls_ns: None, http_ns: 1 }).to_vec();
        for (down, up, failed, rates) in [
            (measured(20, 2), measured(10, 3), 5, &[(false, 20), (true, 10)][..]),
            (measured(20, 2), measured(10, 0), 2, &[(false, 20), (true, 10)]),
            (None, measured(10, 3), 3, &[(true, 10)]),
        ] {
            let own = Tester::default();
            own.keep(client::Report { server: "s".into(), idle: idle.clone(), down, up, stopped: false });
            let seen = lock(&own.seen);
            let tests: Vec<_> = seen.tests.iter().map(|test| (test.up, test.outcome.goodput_bps)).collect();
            assert_eq!((seen.failed, &tests[..]), (failed, rates));
            assert!(seen.tests.iter().all(|test| test.idle_ns == [5, 3]));
        }
    }
}
