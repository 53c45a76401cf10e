// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Compound TCP against the formulas of Tan, Song, Zhang and Sridharan (INFOCOM 2006, section III).

use airtab_sim::tcp::congestion::{Ack, Compound, Congestion};

const MSS: u64 = 1460;
const BASE_NS: u64 = 100_000_000;

/// Congestion avoidance with a window of `segments`, all of it the loss window, and a base RTT of 100 ms.
fn compound(segments: u64) -> Compound {
    let mut c = Compound::new(MSS, 2 * segments * MSS);
    c.on_congestion_event(c.cwnd());
    assert_eq!((c.cwnd(), c.dwnd(), c.ssthresh()), (segments * MSS, 0, segments * MSS));
    ack(&mut c, None, 0);
    c
}

/// `bytes` are acknowledged; the last of a round trip has measured it.
fn ack(c: &mut Compound, rtt_ns: Option<u64>, bytes: u64) {
    rtt_ns.into_iter().for_each(|ns| c.on_rtt_sample(ns));
    c.on_ack(&Ack { now: 0, bytes, srtt_ns: 0, rtt_ns, window_limited: true, after_timeout: false });
}

/// One round trip: a window of acknowledgements, the last one with the sample.
fn round(c: &mut Compound, rtt_ns: u64) {
    let acks = c.cwnd() / MSS;
    for _ in 1..acks {
        ack(c, None, MSS);
    }
    ack(c, Some(rtt_ns), MSS);
}

/// The formulas, in segments; whole windows are acknowledged segment by segment.
struct Formulas {
    cwnd: f64,
    dwnd: f64,
}

impl Formulas {
    fn win(&self) -> f64 {
        self.cwnd + self.dwnd
    }

    fn round(&mut self, acks: u64, rtt: f64) {
        for _ in 0..acks {
            self.cwnd += 1.0 / self.win();
        }
        let (expected, actual) = (self.win() / 0.1, self.win() / rtt);
        let diff = (expected - actual) * 0.1;
        if diff < 30.0 {
            self.dwnd += (0.125 * self.win().powf(0.75) - 1.0).max(0.0);
        } else {
            self.dwnd = (self.dwnd - diff).max(0.0);
        }
    }

    fn loss(&mut self) {
        (self.cwnd, self.dwnd) = (self.cwnd / 2.0, (self.win() * 0.5 - self.cwnd / 2.0).max(0.0));
    }

    fn agree(&self, c: &Compound) {
        let far = |bytes: u64, segments: f64| (bytes as f64 - segments * MSS as f64).abs();
        assert!(far(c.cwnd(), self.win()) < 3.0, "win {} {}", c.cwnd() / MSS, self.win());
        assert!(far(c.dwnd(), self.dwnd) < 3.0, "dwnd {} {}", c.dwnd() / MSS, self.dwnd);
    }
}

/// A path that holds 200 segments: growth, queueing past gamma, retreat, two losses.
#[test]
fn every_window_is_that_of_the_formulas() {
    let mut c = compound(60);
    let mut formulas = Formulas { cwnd: 60.0, dwnd: 0.0 };
    let mut most: f64 = 0.0;
    ack(&mut c, Some(BASE_NS), MSS); // a first sample: the base
    formulas.round(1, 0.1);
    formulas.agree(&c);
    for i in 0..200 {
        let acks = c.cwnd() / MSS;
        let rtt_ns = (BASE_NS as f64 * (formulas.win() / 200.0).max(1.0)) as u64;
        round(&mut c, rtt_ns);
        formulas.round(acks, rtt_ns as f64 * 1e-9);
        formulas.agree(&c);
        most = most.max(formulas.win());
        if i == 80 || i == 120 {
            c.on_congestion_event(c.cwnd());
            formulas.loss();
            formulas.agree(&c);
        }
    }
    assert!((230.0..260.0).contains(&most), "past 30 in the queue, and back: {most}");
}

/// With an empty queue the window gains alpha win^k in a round trip, cwnd's own segment included.
#[test]
fn an_empty_path_is_filled_by_the_power_of_the_window() {
    let mut c = compound(100);
    ack(&mut c, Some(BASE_NS), 0);
    let before = c.cwnd() as f64 / MSS as f64;
    round(&mut c, BASE_NS);
    let gained = c.cwnd() as f64 / MSS as f64 - before;
    let expected = 0.125 * before.powf(0.75);
    assert!((gained - expected).abs() < 0.05, "{gained} {expected}");
    // Reno is all there is below 8^(4/3) = 16 segments.
    let mut small = compound(12);
    for _ in 0..3 {
        round(&mut small, BASE_NS);
        assert_eq!(small.dwnd(), 0);
    }
}

#[test]
fn gamma_decides_between_growth_and_retreat() {
    for (queued, grows) in [(29.9, true), (30.1, false)] {
        let mut c = compound(200);
        for _ in 0..8 {
            round(&mut c, BASE_NS);
        }
        let dwnd = c.dwnd() as f64 / MSS as f64;
        // An acknowledgement of nothing changes no loss window: diff is win (1 - base / RTT).
        let win = c.cwnd() as f64 / MSS as f64;
        let rtt_ns = BASE_NS as f64 * win / (win - queued);
        ack(&mut c, Some(rtt_ns as u64), 0);
        let change = c.dwnd() as f64 / MSS as f64 - dwnd;
        let expected = if grows { 0.125 * win.powf(0.75) - 1.0 } else { -queued };
        assert!((change - expected).abs() < 0.01, "{queued}: {change} {expected}");
    }
}

#[test]
fn loss_takes_half_of_both_windows() {
    let mut c = compound(100);
    for _ in 0..10 {
        round(&mut c, BASE_NS);
    }
    let (win, dwnd) = (c.cwnd(), c.dwnd());
    assert!(dwnd > 20 * MSS);
    c.on_congestion_event(win);
    assert!(c.cwnd().abs_diff(win / 2) <= 2, "win (1 - beta)");
    assert!(c.dwnd().abs_diff(dwnd / 2) <= 2, "win (1 - beta) - cwnd / 2");
    assert!(c.ssthresh().abs_diff((win - dwnd) / 2) <= 2, "the loss window's");
    // With an empty flight two segments remain.
    c.on_congestion_event(0);
    assert_eq!(c.cwnd(), 2 * MSS);
}

#[test]
fn a_timeout_ends_the_delay_window_until_slow_start_is_over() {
    let mut c = compound(100);
    for _ in 0..10 {
        round(&mut c, BASE_NS);
    }
    let flight = c.cwnd();
    c.on_timeout(flight, false);
    assert_eq!((c.cwnd(), c.dwnd()), (MSS, 0));
    assert!(c.ssthresh().abs_diff(flight / 2) <= 1);
    while c.cwnd() < c.ssthresh() {
        assert_eq!(c.dwnd(), 0);
        round(&mut c, BASE_NS);
    }
    round(&mut c, BASE_NS);
    assert!(c.dwnd() > 0);
}

/// diff of a sample, from what the delay window gives up for it: beyond gamma it is taken off whole.
fn diff_of(c: &Compound, rtt_ns: u64) -> f64 {
    let mut c = c.clone();
    let before = c.dwnd();
    ack(&mut c, Some(rtt_ns), 0);
    (before as f64 - c.dwnd() as f64) / MSS as f64
}

/// A window of 450, two thirds of it delay window, at a base of 100 ms.
fn grown() -> Compound {
    let mut c = compound(150);
    while c.dwnd() < 300 * MSS {
        round(&mut c, BASE_NS);
    }
    c
}

/// diff = win (1 - base / RTT): with the least RTT of all, in whatever state it was measured.
#[test]
fn the_base_is_the_least_of_all_round_trip_times() {
    let base_of = |c: &Compound| {
        let win = c.cwnd() as f64 / MSS as f64;
        // 150 ms is far beyond gamma
        (1.0 - diff_of(c, 150_000_000) / win) * 150.0
    };
    let close = |is: f64, ms: f64| assert!((is - ms).abs() < 0.01, "{is} ms, not {ms}");
    let mut c = grown();
    close(base_of(&c), 100.0);
    // longer ones change nothing
    for _ in 0..50 {
        ack(&mut c, Some(105_000_000), 0);
    }
    close(base_of(&c), 100.0);
    // a shorter one, at once: and it is no queue itself
    assert!(diff_of(&c, 80_000_000) <= 0.0, "the sample is the base");
    ack(&mut c, Some(80_000_000), 0);
    close(base_of(&c), 80.0);
    // measured while the window does not limit, it counts, and the windows stay
    let windows = (c.cwnd(), c.dwnd());
    let limited = Ack {
        now: 0,
        bytes: MSS,
        srtt_ns: 0,
        rtt_ns: Some(70_000_000),
        window_limited: false,
        after_timeout: false,
    };
    c.on_rtt_sample(70_000_000);
    c.on_ack(&limited);
    assert_eq!((c.cwnd(), c.dwnd()), windows);
    close(base_of(&c), 70.0);
    // it outlives losses
    c.on_congestion_event(c.cwnd());
    close(base_of(&c), 70.0);
}

/// Measured in slow start it counts, and a timeout does not make it forgotten: the path is the same.
#[test]
fn the_base_outlives_slow_start_and_timeouts() {
    for forget in [false, true] {
        let mut c = Compound::new(MSS, 10 * MSS);
        ack(&mut c, Some(60_000_000), MSS);
        if forget {
            c.on_timeout(300 * MSS, false);
            while c.cwnd() < c.ssthresh() {
                ack(&mut c, Some(90_000_000), MSS);
            }
        } else {
            while c.cwnd() < 300 * MSS {
                ack(&mut c, Some(90_000_000), MSS);
            }
            c.on_congestion_event(c.cwnd());
        }
        assert!((c.cwnd() / MSS).abs_diff(150) <= 1);
        // 90 ms are win / 3 = 50 packets queued: more than gamma, no delay window. 66 ms: 14 packets, and it grows.
        ack(&mut c, Some(90_000_000), 0);
        assert_eq!(c.dwnd(), 0);
        ack(&mut c, Some(66_000_000), 0);
        assert!(c.dwnd() > 4 * MSS);
    }
}

/// A timeout for the same data once more leaves the threshold; one segment and no delay window both times.
#[test]
fn a_second_timeout_keeps_the_threshold() {
    let mut c = grown();
    let flight = c.cwnd();
    c.on_timeout(flight, false);
    let threshold = c.ssthresh();
    assert!(threshold.abs_diff(flight / 2) <= 1);
    c.on_timeout(MSS, true);
    assert_eq!((c.cwnd(), c.dwnd(), c.ssthresh()), (MSS, 0, threshold));
    c.on_timeout(MSS, false);
    assert_eq!(c.ssthresh(), 2 * MSS);
}
