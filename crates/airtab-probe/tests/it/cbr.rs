// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Sender and receiver over loopback, each in a thread of its own.
//!
//! Rates are bytes over measured time: a busy machine makes packets late, and none of them wrong.

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use airtab_core::time::SECOND;
use airtab_probe::cbr::listener::Listener;
use airtab_probe::cbr::payload::{Header, Kind};
use airtab_probe::cbr::receiver::{self, Interval};
use airtab_probe::cbr::sender::{Config, Pings, Sample, Step, Summary, Sweep};
use airtab_probe::cbr::socket::{Error, Event, send};

const LOOPBACKS: [&str; 2] = ["127.0.0.1:0", "[::1]:0"];

fn config(rate_bps: u64) -> Config {
    Config {
        rate_bps,
        peak_bps: None,
        sweep: None,
        payload_bytes: 1000,
        // A second and more may be made up for: the machine may be busy with other tests.
        burst_bytes: Some(5_000_000),
        header_bytes: 0,
        report_ns: SECOND / 2,
        pings: None,
        duration_ns: Some(2 * SECOND),
    }
}

struct Run {
    summary: Summary,
    samples: Vec<Sample>,
    sent: usize,
    received: Vec<Interval>,
    total: Interval,
}

/// Sends to a receiver that ends shortly after the sender.
fn run(loopback: &str, config: &Config, echo: bool) -> Run {
    let listener = Listener::bind(loopback.parse().expect("an address")).expect("a port");
    let target = listener.address();
    let stop = AtomicBool::new(false);
    let settings = receiver::Config { echo, header_bytes: 0, report_ns: SECOND / 2, duration_ns: None };
    thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let mut received = Vec::new();
            let total =
                listener.run(&settings, &stop, &mut |i| received.push(*i), &mut |_| ()).expect("it receives");
            (received, total)
        });
        let (mut samples, mut sent) = (Vec::new(), 0);
        let summary = send(target, None, config, &AtomicBool::new(false), &mut |event| match event {
            Event::Sample(sample) => samples.push(*sample),
            Event::Interval(_) => sent += 1,
        });
        thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        let (received, total) = receiver.join().expect("no panic");
        Run { summary: summary.expect("it sends"), samples, sent, received, total }
    })
}

/// A machine that stops the sender at the very end makes it look slow: up to three runs, one must be right. A
/// wrong rate is wrong in all of them, and none may be too fast.
#[test]
fn the_rate_is_the_asked_one_within_a_hundredth() {
    for loopback in LOOPBACKS {
        let error = |run: &Run| {
            let sent = &run.summary.total;
            let rate = sent.bytes as f64 * 8e9 / (sent.end_ns - sent.start_ns) as f64;
            assert_eq!(sent.sent_bps, rate as u64);
            rate / 20e6 - 1.0
        };
        let right = (0..3).any(|_| {
            let run = run(loopback, &config(20_000_000), false);
            let sent = &run.summary.total;
            assert_eq!(sent.errors, 0);
            assert!(run.sent > 0);
            // What did not arrive is known to be missing, unless it was the last that went.
            assert!(run.total.packets + run.total.lost <= sent.packets, "{:?}", run.total);
            assert_eq!((run.total.foreign, run.total.late), (0, 0));
            assert_eq!(run.received.iter().map(|i| i.bytes).sum::<u64>(), run.total.bytes);
            assert!(error(&run) < 0.001, "too fast: {:?}", run.summary.total);
            error(&run) > -0.01
        });
        assert!(right, "{loopback}: three runs were too slow by more than 1 %");
    }
}

#[test]
fn echoes_give_times_and_the_receivers_rate() {
    for loopback in LOOPBACKS {
        let pings = Pings { ratio: 0.1, random: false, depth: None };
        let run = run(loopback, &Config { pings: Some(pings), ..config(8_000_000) }, true);
        let echoes = run.summary.echoes;
        assert!(echoes.pings.abs_diff(200) <= 2, "{echoes:?}");
        assert_eq!((echoes.late, echoes.duplicates, echoes.forged), (0, 0, 0), "{echoes:?}");
        assert_eq!(run.samples.len() as u64, echoes.answered);
        assert!(echoes.answered * 10 > echoes.pings * 9, "{echoes:?}");
        let rtt = run.summary.total.rtt.expect("samples");
        assert_eq!(rtt.count, echoes.answered);
        assert!(rtt.min_ns > 0 && rtt.min_ns <= rtt.p50_ns && rtt.p50_ns <= rtt.max_ns + rtt.max_ns / 500);
        // The clocks are the same one: there is less than there and back.
        let there = |s: &Sample| s.forward_ns > 0 && (s.forward_ns as u64) <= s.rtt_ns + 1_000_000;
        assert!(run.samples.iter().filter(|s| there(s)).count() * 2 > run.samples.len());
        let rx = run.summary.total.rx_bps.expect("a rate");
        assert!(run.received.iter().any(|i| i.rx_bps == rx), "{rx} is none of the receiver's");
    }
}

#[test]
fn without_an_echoing_receiver_there_are_no_times() {
    let pings = Pings { ratio: 0.5, random: true, depth: Some(8) };
    let config = Config { pings: Some(pings), duration_ns: Some(SECOND / 2), ..config(8_000_000) };
    let run = run(LOOPBACKS[0], &config, false);
    assert_eq!((run.summary.total.rtt, run.summary.echoes.answered), (None, 0));
    let gone = run.summary.echoes.pings - run.total.pings;
    assert!(gone <= run.total.lost && run.total.pings > 0, "{:?}", run.total);
}

#[test]
fn a_sweep_raises_the_rate() {
    let sweep = Sweep { max_bps: 16_000_000, step: Step::Count(2), step_ns: SECOND / 2 };
    let config = Config { sweep: Some(sweep), duration_ns: None, ..config(4_000_000) };
    let run = run(LOOPBACKS[0], &config, false);
    let steps = run.summary.steps;
    assert_eq!(steps.iter().map(|s| s.asked_bps).collect::<Vec<_>>(), [4_000_000, 10_000_000, 16_000_000]);
    let expected: u64 = steps.iter().map(|s| s.asked_bps / 16_000).sum();
    let sent = run.summary.total.packets;
    assert!(sent <= expected + expected / 50 && sent >= expected * 4 / 5, "{sent} of {expected} packets");
    assert!(steps[0].packets < steps[1].packets && steps[1].packets < steps[2].packets, "{steps:?}");
}

/// Someone else answers: wrong, twice, with rubbish. Nothing of that is a round-trip time.
#[test]
fn hostile_answers_are_counted_and_nothing_else() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a time-out");
    let target = socket.local_addr().expect("bound");
    let done = AtomicBool::new(false);
    let pings = Pings { ratio: 1.0, random: false, depth: None };
    let config = Config { pings: Some(pings), duration_ns: Some(SECOND / 2), ..config(800_000) };
    let summary = thread::scope(|scope| {
        scope.spawn(|| {
            let mut buffer = [0; 2000];
            while !done.load(Ordering::Relaxed) {
                let Ok((n, from)) = socket.recv_from(&mut buffer) else { continue };
                let ping = Header::parse(&buffer[..n]).expect("a PING");
                let echo = Header { kind: Kind::Echo, ..ping };
                let answers = [
                    echo,
                    echo,
                    Header { flow: !ping.flow, ..echo },
                    Header { seq: ping.seq + 1000, ..echo },
                    Header { sent_ns: ping.sent_ns + 1, ..echo },
                ];
                for answer in answers {
                    answer.write(&mut buffer[..n]);
                    socket.send_to(&buffer[..n], from).expect("sent");
                }
                socket.send_to(b"rubbish", from).expect("sent");
            }
        });
        let summary = send(target, None, &config, &AtomicBool::new(false), &mut |_| ());
        done.store(true, Ordering::Relaxed);
        summary.expect("it sends")
    });
    let echoes = summary.echoes;
    assert!(echoes.answered >= 40, "{echoes:?}");
    assert_eq!(summary.total.rtt.expect("samples").count, echoes.answered);
    assert!(echoes.duplicates.abs_diff(echoes.answered) <= 1, "{echoes:?}");
    assert!(echoes.forged.abs_diff(4 * echoes.answered) <= 4, "{echoes:?}");
    assert_eq!(echoes.late, 0);
}

#[test]
fn any_datagram_counts() {
    let listener = Listener::bind("[::1]:0".parse().expect("an address")).expect("a port");
    let socket = UdpSocket::bind("[::1]:0").expect("a port");
    for _ in 0..10 {
        socket.send_to(&[7; 100], listener.address()).expect("sent");
    }
    let settings = receiver::Config {
        echo: true,
        header_bytes: 48,
        report_ns: SECOND / 10,
        duration_ns: Some(SECOND / 5),
    };
    let mut reports = Vec::new();
    let total = listener
        .run(&settings, &AtomicBool::new(false), &mut |i| reports.push(*i), &mut |_| ())
        .expect("it runs");
    assert_eq!((total.packets, total.bytes, total.foreign), (10, 1000, 10));
    let expected = 1480 * 8 * SECOND / (reports[0].end_ns - reports[0].start_ns);
    assert_eq!(reports[0].rx_bps, expected);
}

#[test]
fn a_stop_flag_ends_both() {
    let stop = AtomicBool::new(true);
    let listener = Listener::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let settings = receiver::Config { echo: false, header_bytes: 0, report_ns: SECOND, duration_ns: None };
    assert_eq!(listener.run(&settings, &stop, &mut |_| (), &mut |_| ()).expect("it ends").packets, 0);
    let endless = Config { duration_ns: None, ..config(1_000_000) };
    assert_eq!(
        send(listener.address(), None, &endless, &stop, &mut |_| ()).expect("it ends").total.packets,
        0
    );
}

#[test]
fn what_cannot_work_is_said() {
    let taken = Listener::bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let error = Listener::bind(taken.address()).expect_err("it is taken").to_string();
    assert!(
        error.starts_with(&format!("cannot use UDP {}: Address already in use", taken.address())),
        "{error}"
    );
    let stop = AtomicBool::new(false);
    let nowhere: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let error = send(nowhere, None, &config(1_000_000), &stop, &mut |_| ()).expect_err("no port 0");
    assert!(matches!(error, Error::Send { .. }), "{error}");
    let error = send(taken.address(), None, &config(0), &stop, &mut |_| ()).expect_err("no rate");
    assert!(matches!(error, Error::Config(_)), "{error}");
}

/// The kernel's own times: as many as packets, in order, and not later than when they were taken in. The receiver
/// sleeps while they come, and each has its own time all the same.
#[test]
fn kernel_stamps_are_those_of_arrival() {
    for loopback in LOOPBACKS {
        let listener = Listener::bind(loopback.parse().expect("an address")).expect("a port");
        let listener = listener.with_kernel_stamps().expect("Linux has them");
        let sender = UdpSocket::bind(loopback).expect("a port");
        // The kernel begins to stamp a moment after it is asked to.
        thread::sleep(Duration::from_millis(50));
        let before = airtab_probe::clock::system_ns();
        for _ in 0..20 {
            sender.send_to(&[0; 100], listener.address()).expect("it is sent");
            thread::sleep(Duration::from_millis(3));
        }
        let sent = airtab_probe::clock::system_ns();
        thread::sleep(Duration::from_millis(50));
        let settings = receiver::Config {
            echo: false,
            header_bytes: 0,
            report_ns: SECOND,
            duration_ns: Some(SECOND / 4),
        };
        let mut stamps = Vec::new();
        let stop = AtomicBool::new(false);
        let total = listener.run(&settings, &stop, &mut |_| (), &mut |ns| stamps.push(ns)).expect("it runs");
        assert_eq!((total.packets, stamps.len()), (20, 20));
        assert!(stamps[0] >= before && stamps[19] <= sent, "{before} {stamps:?} {sent}");
        assert!(stamps.windows(2).all(|pair| pair[1] - pair[0] >= 2_900_000), "{stamps:?}");
    }
}

/// A receiver made by hand, whose clock is 3 s ahead, then 3 s behind, and steps every 40 ms. Round trips over loopback stay
/// short, and each one-way time is impossible.
#[test]
fn a_receiver_with_a_stepping_clock_changes_no_round_trip() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket");
    let target = socket.local_addr().expect("bound");
    let stop = AtomicBool::new(false);
    let (summary, samples) = thread::scope(|scope| {
        let echoing = scope.spawn(|| {
            let mut packet = [0; 2000];
            while !stop.load(Ordering::Relaxed) {
                let Ok((n, from)) = socket.recv_from(&mut packet) else { continue };
                let now =
                    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
                let ahead = (now.as_millis() / 40).is_multiple_of(2);
                let now = now.as_nanos() as u64;
                let clock = if ahead { now + 3 * SECOND } else { now - 3 * SECOND };
                // As the header's table has it: flags of an echo at byte 4, the receiver's clock at byte 32.
                packet[4..6].copy_from_slice(&2u16.to_be_bytes());
                packet[32..40].copy_from_slice(&clock.to_be_bytes());
                socket.send_to(&packet[..n], from).expect("sent");
            }
        });
        let pings = Some(Pings { ratio: 1.0, random: false, depth: None });
        let config = Config { pings, duration_ns: Some(SECOND / 2), ..config(800_000) };
        let mut samples = Vec::new();
        let summary = send(target, None, &config, &AtomicBool::new(false), &mut |event| {
            if let Event::Sample(sample) = event {
                samples.push(*sample);
            }
        });
        stop.store(true, Ordering::Relaxed);
        echoing.join().expect("no panic");
        (summary.expect("it sends"), samples)
    });
    assert!(samples.len() > 20 && summary.impossible == samples.len() as u64, "{summary:?}");
    // A busy machine makes some wait, not half of them for a second.
    assert!(summary.total.rtt.expect("samples").p50_ns < SECOND / 2, "{summary:?}");
    let signs = [true, false].map(|ahead| samples.iter().filter(|s| (s.forward_ns > 0) == ahead).count());
    assert!(signs[0] > 0 && signs[1] > 0, "it steps: {signs:?}");
    assert!(samples.iter().all(|s| s.forward_ns.unsigned_abs().abs_diff(3 * SECOND) < SECOND), "{samples:?}");
}
