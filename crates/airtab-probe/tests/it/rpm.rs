// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Client and server of round trips a minute over loopback, and servers that are none.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use airtab_probe::rpm::client::{Event, IDLE, Job, Report, run};
use airtab_probe::rpm::server::{CONNECTIONS, Server};
use airtab_probe::rpm::trust::{Fingerprint, Trust};
use airtab_probe::rpm::{Error, Way};
use airtab_quality::rpm::{Confidence, Parameters};

/// A tenth of the draft's times.
const SHORT: Parameters =
    Parameters { interval_ns: 100_000_000, limit_ns: 2_000_000_000, probes_per_s: 500, ..Parameters::DRAFT };

struct Other {
    address: SocketAddr,
    fingerprint: Fingerprint,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Other {
    fn start(at: &str) -> Other {
        let server = Server::bind(at.parse().expect("an address")).expect("a port");
        let (address, fingerprint) = (server.address(), server.fingerprint());
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let thread = thread::spawn(move || server.run(&flag, &mut |_, _| {}).expect("serves"));
        Other { address, fingerprint, stop, thread: Some(thread) }
    }

    fn end(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it ends");
        }
    }

    fn job(&self) -> Job {
        Job {
            target: self.address.to_string(),
            trust: Trust::Fingerprint(self.fingerprint),
            ways: vec![Way::Down, Way::Up],
            parameters: SHORT,
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.end();
    }
}

fn measure(job: &Job) -> Result<Report, Error> {
    run(job, &AtomicBool::new(false), &mut |_| {})
}

#[test]
fn both_directions_over_loopback() {
    for at in ["127.0.0.1:0", "[::1]:0"] {
        let other = Other::start(at);
        let (mut idle, mut intervals, mut probes, mut moved, mut ended) = (0, 0, 0, Vec::new(), Vec::new());
        let report = run(&other.job(), &AtomicBool::new(false), &mut |event| match event {
            Event::Idle(..) => idle += 1,
            Event::Foreign(_) => probes += 1,
            Event::Moved(way, bytes) => moved.push((way, bytes)),
            Event::Interval(_, outcome) => intervals += usize::from(outcome.goodput_bps > 0),
            Event::End(way) => ended.push(way),
        });
        let report = report.expect("measured");
        assert_eq!((report.idle.len(), idle, report.stopped), (IDLE, IDLE, false));
        assert_eq!(report.server, other.address.to_string());
        let idle_ns = report.idle_ns().expect("measured");
        assert!(idle_ns < 50_000_000, "a handshake over loopback took {idle_ns} ns");
        for measured in [report.down.expect("measured"), report.up.expect("measured")] {
            let outcome = &measured.outcome;
            assert!(outcome.goodput_bps > 10_000_000, "{} bit/s", outcome.goodput_bps);
            assert!((4..=16).contains(&outcome.connections), "{}", outcome.connections);
            // It ends at its limit; on a machine that has no time for it, with fewer intervals.
            assert!(outcome.took_ns < 10_000_000_000, "{outcome:?}");
            let late = outcome.took_ns > SHORT.limit_ns * 11 / 10;
            assert!(outcome.goodput > Confidence::Low || late, "{outcome:?}");
            // Unoptimised TLS fills a busy machine: few probes end.
            assert!(!outcome.foreign.is_empty() && !outcome.own_ns.is_empty(), "{outcome:?}");
            assert!(outcome.foreign.iter().all(|probe| probe.tls_ns.is_some_and(|ns| ns > 0)));
            let rpm = outcome.rpm().expect("measured").both();
            assert!((60.0..600_000.0).contains(&rpm), "{rpm}");
        }
        assert!(intervals >= 8, "{intervals} intervals told");
        assert_eq!(ended, [Way::Down, Way::Up]);
        assert!(probes > 0);
        for way in ended {
            let of: Vec<u64> = moved.iter().filter(|(of, _)| *of == way).map(|(_, bytes)| *bytes).collect();
            assert!(of[0] == 0 && of.is_sorted() && of.last() > Some(&1_000_000), "{way:?}: {of:?}");
        }
    }
}

fn refusal(target: &str, trust: Trust) -> String {
    let job = Job { target: target.into(), trust, ways: vec![Way::Down], parameters: SHORT };
    measure(&job).expect_err("no server").to_string()
}

/// Where, why, and what helps.
#[test]
fn what_is_no_such_server_is_said() {
    let other = Other::start("127.0.0.1:0");
    let trust = Trust::Fingerprint(other.fingerprint);
    let place = other.address.to_string();

    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound").to_string();
    let said = refusal(&free, trust.clone());
    assert!(
        said.contains(&free) && said.contains("Connection refused") && said.contains("is a server running"),
        "{said}"
    );

    // Not believed: the error has what would be, if it is known to be right.
    let own = other.fingerprint.to_string();
    let said = refusal(&place, Trust::System);
    assert!(said.contains(&place) && said.contains(&own) && said.contains("--trust"), "{said}");
    let wrong = Trust::Fingerprint(own.chars().rev().collect::<String>().parse().expect("hexadecimal"));
    let said = refusal(&place, wrong);
    assert!(said.contains(&own) && said.contains("not the one that --trust names"), "{said}");

    let said = refusal(&format!("https://{place}/small"), trust.clone());
    assert!(said.contains("/small") && said.contains("no configuration document"), "{said}");
    let said = refusal(&format!("https://{place}/nothing"), trust.clone());
    assert!(said.contains("404"), "{said}");
    let said = refusal("no-such-host.invalid", trust.clone());
    assert!(said.contains("no-such-host.invalid") && said.contains("check its name"), "{said}");

    // A server that speaks HTTP in clear.
    let clear = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = clear.local_addr().expect("bound").to_string();
    let answers = thread::spawn(move || {
        let (mut stream, _) = clear.accept().expect("a client");
        let _ = stream.read(&mut [0; 1000]);
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let said = refusal(&at, trust);
    assert!(said.contains(&at) && said.contains("TLS refused") && said.contains("right port"), "{said}");
    answers.join().expect("it ends");
}

#[test]
fn a_server_that_stops_in_the_middle_is_said() {
    for (way, doing) in [(Way::Down, "while it sent"), (Way::Up, "while it received")] {
        let mut other = Other::start("127.0.0.1:0");
        let job = Job { ways: vec![way], ..other.job() };
        let start = Instant::now();
        let said = run(&job, &AtomicBool::new(false), &mut |event| {
            if let Event::Interval(..) = event {
                other.end();
            }
        });
        let said = said.expect_err("it stopped").to_string();
        assert!(said.contains("stopped in the middle") && said.contains(doing), "{said}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

/// What there is when somebody has seen enough.
#[test]
fn it_obeys_a_stop_flag() {
    let other = Other::start("127.0.0.1:0");
    let (stop, mut intervals) = (AtomicBool::new(false), 0);
    let report = run(&other.job(), &stop, &mut |event| {
        if let Event::Interval(..) = event {
            intervals += 1;
            stop.store(intervals == 3, Ordering::Relaxed);
        }
    });
    let report = report.expect("no error");
    assert!(report.stopped && report.up.is_none());
    let outcome = report.down.expect("begun").outcome;
    assert!(outcome.responsiveness == Confidence::Low && outcome.goodput_bps > 0, "{outcome:?}");
}

/// Silent clients keep nobody out for longer than a handshake may take, and one too many is turned away at once.
#[test]
fn it_serves_so_many_and_no_more() {
    let other = Other::start("127.0.0.1:0");
    let silent: Vec<_> =
        (0..CONNECTIONS).map(|_| std::net::TcpStream::connect(other.address).expect("connects")).collect();
    thread::sleep(Duration::from_millis(200));
    let start = Instant::now();
    let said = measure(&other.job()).expect_err("no room").to_string();
    assert!(said.contains("TLS refused") && start.elapsed() < Duration::from_secs(5), "{said}");
    drop(silent);
    thread::sleep(Duration::from_millis(200));
    let job = Job { ways: vec![], ..other.job() };
    assert_eq!(measure(&job).expect("room again").idle.len(), IDLE);
}
