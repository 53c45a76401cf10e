// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The HTTP client against a small real server, over loopback.

use crate::server;

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use airtab_probe::htbench::analysis::{Series, classes};
use airtab_probe::htbench::config::Config;
use airtab_probe::htbench::connection::Failure;
use airtab_probe::htbench::engine::{End, Event, Outcome, Request, run};
use airtab_probe::htbench::files;
use server::Server;

const LOOPBACKS: [&str; 2] = ["127.0.0.1:0", "[::1]:0"];

fn config(text: &str) -> Config {
    Config::parse("test.toml", text).expect("a good configuration")
}

fn bench(config: &Config) -> Outcome {
    run(config, &AtomicBool::new(false), &mut |_| ()).expect("it runs")
}

fn one(server: &Server, rest: &str) -> Request {
    let config =
        config(&format!("timeout = '300ms'\n[[class]]\nname = 'a'\nserver = '{}'\n{rest}", server.address));
    bench(&config).requests.pop().expect("a request")
}

fn failure(request: &Request) -> &Failure {
    match &request.end {
        End::Failed(failure) => failure,
        end => panic!("{end:?}"),
    }
}

#[test]
fn each_way_to_end_a_download() {
    for loopback in LOOPBACKS {
        let server = Server::new(loopback);
        for path in ["/length/300000", "/chunked/300000", "/close/300000"] {
            let request = one(&server, &format!("path = '{path}'"));
            assert_eq!((&request.end, request.status), (&End::Done, Some(200)), "{path}");
            assert!((300_000..310_000).contains(&request.volume_bytes), "{path}: {}", request.volume_bytes);
            let points = &request.points;
            assert_eq!((points[0], points[points.len() - 1].1), ((0, 0), request.volume_bytes));
            assert!(points.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1), "{points:?}");
        }
    }
}

#[test]
fn an_upload_is_what_the_server_has() {
    for loopback in LOOPBACKS {
        let server = Server::new(loopback);
        let request = one(&server, "path = '/null'\nmethod = 'PUT'\nsize = '3MB'");
        assert_eq!(request.end, End::Done);
        let received = server.received.load(Ordering::Relaxed);
        assert!(received > 3_000_000 && received < 3_001_000, "{received}");
        assert_eq!(request.volume_bytes, received, "acknowledged is what was read, with the head");
    }
}

/// While the server does not read, V stands still at what its TCP has; the socket here has taken more.
#[test]
fn an_uploads_volume_is_what_was_acknowledged() {
    let server = Server::new(LOOPBACKS[0]);
    let config = config(&format!(
        "[[class]]\nname = 'a'\nserver = '{}'\npath = '/pause'\nmethod = 'PUT'\nsize = '40MB'",
        server.address
    ));
    let request = bench(&config).requests.pop().expect("a request");
    assert_eq!(request.end, End::Done);
    let queued = server.queued.load(Ordering::Relaxed);
    assert!(queued > 1000 && queued < 20_000_000, "{queued}");
    let still = request.points.iter().filter(|p| (200_000_000..350_000_000).contains(&p.0));
    assert!(
        still.clone().count() > 3 && still.clone().all(|p| p.1 == queued),
        "{queued}: {:?}",
        request.points
    );
}

#[test]
fn failures_are_told_apart() {
    let server = Server::new(LOOPBACKS[0]);
    assert_eq!(failure(&one(&server, "path = '/missing'")), &Failure::Status(404));
    assert_eq!(
        failure(&one(&server, "path = '/missing'\nmethod = 'PUT'\nsize = '1MB'")),
        &Failure::Status(404)
    );
    assert!(matches!(failure(&one(&server, "path = '/reset'")), Failure::Lost(_)));
    assert_eq!(failure(&one(&server, "path = '/short'")), &Failure::Closed);
    assert_eq!(failure(&one(&server, "path = '/silent'")), &Failure::Stalled(300));
    assert_eq!(failure(&one(&server, "path = '/drip'")), &Failure::SlowHead(300));
    assert!(matches!(failure(&one(&server, "path = '/rubbish'")), Failure::Malformed(_)));
}

#[test]
fn nobody_there() {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let config = config(&format!("[[class]]\nname = 'a'\nserver = '{address}'\npath = '/'\ncount = 3"));
    let outcome = bench(&config);
    assert_eq!(outcome.requests.len(), 3);
    assert!(outcome.duration_ns >= 200_000_000, "a pause after each failure");
    for request in &outcome.requests {
        assert!(matches!(failure(request), Failure::Connect(_)), "{request:?}");
        assert_eq!((request.t0_ns, request.points.len()), (None, 0));
    }
    let text = "[[class]]\nname = 'a'\nserver = '127.0.0.1:1'\npath = '/'\nbind = '192.0.2.77'";
    let request = bench(&self::config(text)).requests.pop().expect("a request");
    assert!(matches!(failure(&request), Failure::Connect(_)), "an address that is not ours: {request:?}");
}

#[test]
fn the_handshake_and_nothing_else_is_left_out_of_t() {
    let server = Server::new(LOOPBACKS[0]);
    let request = one(&server, "path = '/late'");
    let first = request.points.iter().find(|p| p.1 > 0).expect("data");
    assert!(first.0 >= 100_000_000, "the server waits 100 ms: {:?}", request.points);
}

#[test]
fn classes_run_side_by_side_until_their_counts() {
    let server = Server::new(LOOPBACKS[0]);
    let address = server.address;
    let config = config(&format!(
        "[[class]]\nname = 'dl'\nserver = '{address}'\npath = '/length/200000'\nconcurrency = 4\ncount = 10\nbind = '127.0.0.2'\n\
         [[class]]\nname = 'ul'\nserver = '{address}'\npath = '/null'\nmethod = 'PUT'\nsize = '1MB'\ncount = 'background'"
    ));
    let mut seen = 0;
    let outcome = run(&config, &AtomicBool::new(false), &mut |event| {
        seen += usize::from(matches!(event, Event::Request(_)));
    })
    .expect("it runs");
    assert_eq!(seen, outcome.requests.len());
    let mut numbers: Vec<u64> = outcome.requests.iter().filter(|r| r.class == 0).map(|r| r.number).collect();
    numbers.sort();
    assert_eq!(numbers, (1..=10).collect::<Vec<_>>());
    assert!(outcome.requests.iter().all(|r| r.class == 1 || r.end == End::Done));
    assert!((1..=4).all(|c| outcome.requests.iter().any(|r| r.class == 0 && r.connection == c)));
    let figures = classes(&config, &outcome);
    assert_eq!((figures[0].done, figures[0].failed), (10, 0));
    assert!(figures[0].bytes >= 2_000_000 && figures[0].bps.is_some());
    assert!(figures[1].done + figures[1].unfinished >= 1);
}

#[test]
fn a_run_can_end_by_time_and_keeps_what_it_has() {
    let server = Server::new(LOOPBACKS[0]);
    let address = server.address;
    let config = config(&format!(
        "duration = '2500ms'\n\
         [[class]]\nname = 'a'\nserver = '{address}'\npath = '/slow'\nconcurrency = 2\ncount = 2"
    ));
    let mut progress = Vec::new();
    let outcome = run(&config, &AtomicBool::new(false), &mut |event| {
        if let Event::Progress(_, classes) = event {
            progress.push(classes[0]);
        }
    })
    .expect("it runs");
    assert!(!outcome.stopped && outcome.duration_ns >= 2_500_000_000);
    assert_eq!(outcome.requests.iter().filter(|r| r.end == End::Unfinished).count(), 2);
    assert!(!progress.is_empty() && progress[0].running == 2 && progress[0].bytes > 0, "{progress:?}");
    let series = Series::new(&outcome);
    assert_eq!(series.flows, [(0, 1), (0, 2)]);
    // Both are fed alike, 1000 bytes every 10 ms.
    let (connections, classes) = series.mean_jain();
    assert!(connections.expect("two connections") > 0.9 && classes.is_none(), "{series:?}");

    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    files::prepare(dir.path()).expect("it is empty");
    for request in &outcome.requests {
        files::write_request(dir.path(), &config, request).expect("written");
    }
    files::write_series(dir.path(), &config.class_names(), &series).expect("written");
    let error = files::prepare(dir.path()).expect_err("it is not empty").to_string();
    assert!(error.contains("name another one"), "{error}");
    for name in ["a-0001.unfinished.txt", "a-0002.unfinished.txt", "throughput.txt", "jain.txt"] {
        let text = std::fs::read_to_string(dir.path().join(name)).expect(name);
        assert!(text.ends_with('\n'), "{name}");
        let columns: Vec<usize> =
            text.lines().filter(|l| !l.starts_with('#')).map(|l| l.split(' ').count()).collect();
        assert!(columns.len() > 5 && columns.iter().all(|n| *n == columns[0]), "{name}: {text}");
        let numbers = text.lines().filter(|l| !l.starts_with('#')).flat_map(|l| l.split(' '));
        assert!(numbers.clone().all(|word| word.parse::<f64>().is_ok()), "{name}: {text}");
    }
}

#[test]
fn a_stop_flag_ends_it() {
    let server = Server::new(LOOPBACKS[0]);
    let config = config(&format!("[[class]]\nname = 'a'\nserver = '{}'\npath = '/slow'", server.address));
    let stop = AtomicBool::new(false);
    let outcome = run(&config, &stop, &mut |event| {
        if let Event::Progress(..) = event {
            stop.store(true, Ordering::Relaxed);
        }
    })
    .expect("it runs");
    assert!(outcome.stopped);
    let [request] = outcome.requests.as_slice() else { panic!("one request") };
    assert_eq!(request.end, End::Unfinished);
    assert!(request.volume_bytes > 0 && request.points.last().expect("points").1 == request.volume_bytes);
}
