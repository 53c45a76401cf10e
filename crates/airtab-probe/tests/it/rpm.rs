// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Client and server of round trips per minute over loopback, addresses without a server, and servers that answer oddly.

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

use crate::odd::{Answer, Answers, Odd, link, within};

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

/// The document, and every probe; nothing else.
fn probes_only(path: &str, _: u64) -> Answer {
    match path {
        "/.well-known/nq" => Answer::Document,
        "/small" => Answer::Bytes(1),
        _ => Answer::Silence,
    }
}

/// The document and one probe.
fn one_probe(_: &str, n: u64) -> Answer {
    [Answer::Document, Answer::Bytes(1)].get(n as usize).copied().unwrap_or(Answer::Silence)
}

/// Each wait for the server has an end, and the message says for how long it waited.
#[test]
fn a_server_that_answers_one_probe_is_given_up() {
    let odd = Odd::start(&[b"h2"], one_probe);
    let said = within(Duration::from_secs(14), || measure(&odd.job(SHORT)).expect_err("no second probe"));
    let said = said.to_string();
    assert!(said.contains("no answer within 10 s") && said.contains("while it was probed"), "{said}");
}

/// The flag ends the wait for TLS, for the document and for an idle probe.
#[test]
fn a_stop_flag_ends_every_wait() {
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute = Job { target: mute.local_addr().expect("bound").to_string(), ..job_of(one_probe) };
    let silent = job_of(|_, _| Answer::Silence);
    for (job, idle) in [(mute, 0), (silent, 0), (job_of(one_probe), 1)] {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        let set = thread::spawn(move || {
            thread::sleep(Duration::from_millis(1500));
            flag.store(true, Ordering::Relaxed);
        });
        let report = within(Duration::from_secs(5), || run(&job, &stop, &mut |_| {})).expect("no error");
        assert_eq!((report.stopped, report.idle.len()), (true, idle), "{report:?}");
        set.join().expect("it ends");
    }
}

fn job_of(answers: Answers) -> Job {
    Odd::start(&[b"h2"], answers).job(SHORT)
}

/// Load that never comes: the direction ends by its limit, and says what it did not measure.
#[test]
fn a_server_without_load_has_low_confidence() {
    let odd = Odd::start(&[b"h2"], probes_only);
    let report = within(Duration::from_secs(12), || measure(&odd.job(SHORT))).expect("measured");
    let outcome = report.down.expect("begun").outcome;
    assert_eq!((outcome.goodput_bps, outcome.goodput), (0, Confidence::Low));
    // Its probes are answered, but not under load.
    assert_eq!((outcome.responsiveness, outcome.own_ns.is_empty()), (Confidence::Low, false));
}

#[test]
fn a_server_that_closes_load_connections_is_said() {
    let odd = Odd::start(&[b"h2"], |path, n| match path {
        "/large" => Answer::Cut,
        other => probes_only(other, n),
    });
    let said = within(Duration::from_secs(12), || measure(&odd.job(SHORT)).expect_err("it is cut"));
    let said = said.to_string();
    assert!(said.contains("stopped in the middle") && said.contains("while it sent"), "{said}");
}

#[test]
fn a_server_of_http_1_1_is_said() {
    for alpn in [&[b"http/1.1".as_slice()][..], &[]] {
        let odd = Odd::start(alpn, probes_only);
        let said = within(Duration::from_secs(8), || measure(&odd.job(SHORT)).expect_err("no HTTP/2"));
        let said = said.to_string();
        assert!(said.contains("TLS refused") && said.contains("HTTP/2 are needed there"), "{said}");
    }
}

/// Redirects are not followed: the message says where they lead.
#[test]
fn a_redirect_is_said() {
    let all: [(Answers, &str); 3] = [
        (
            |_, _| Answer::Redirect("https://other.example/nq"),
            "302 Found, which leads to https://other.example/nq",
        ),
        (
            |path, n| if path == "/small" { Answer::Redirect("/tiny") } else { probes_only(path, n) },
            "302 Found, which leads to /tiny), while it was probed",
        ),
        (
            |path, n| if path == "/large" { Answer::Redirect("/huge") } else { probes_only(path, n) },
            "302 Found, which leads to /huge), while it sent",
        ),
    ];
    for (answers, says) in all {
        let odd = Odd::start(&[b"h2"], answers);
        let said = within(Duration::from_secs(8), || measure(&odd.job(SHORT)).expect_err("it leads away"));
        assert!(said.to_string().contains(says), "{said}");
    }
}

/// 100 kb/s: 16 connections fill it for much longer than a direction may take. An end within the limits, with at most the
/// link's rate; of probes that were not answered there is no figure.
#[test]
fn a_link_of_100_kbit_s_has_low_confidence_or_an_error() {
    let other = Other::start("127.0.0.1:0");
    let slow = link(other.address, 100_000);
    let parameters = Parameters { interval_ns: 500_000_000, limit_ns: 10_000_000_000, ..Parameters::DRAFT };
    let job = Job { target: slow.to_string(), ways: vec![Way::Down], parameters, ..other.job() };
    match within(Duration::from_secs(60), || measure(&job)) {
        Ok(report) => {
            let outcome = report.down.expect("begun").outcome;
            assert!(outcome.goodput_bps < 110_000, "{outcome:?}");
            assert!(outcome.responsiveness == Confidence::Low || outcome.rpm().is_ok(), "{outcome:?}");
            assert!(outcome.responsiveness < Confidence::High, "{outcome:?}");
        }
        Err(e) => {
            assert!(e.to_string().contains("within 10 s") || e.to_string().contains("timed out"), "{e}")
        }
    }
}
