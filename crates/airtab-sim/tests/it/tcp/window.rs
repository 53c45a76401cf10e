// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The congestion windows against their published formulas, and what they make of a bottleneck.

use std::ops::Range;

use super::pair::{MS, Pair, SECOND, doubling};
use airtab_sim::tcp::congestion::{Ack, Congestion, Cubic};
use airtab_sim::tcp::{ACK, Algorithm, Config};

const MSS: u64 = 1460;

fn newreno() -> Config {
    Config::home().with_congestion(Algorithm::NewReno)
}

#[test]
fn slow_start_doubles_every_round_trip() {
    for algorithm in doubling() {
        for (initial_window, ack_every) in [(3, 1), (4, 2)] {
            if (algorithm, ack_every) == (Algorithm::Reno, 2) {
                continue; // counts acknowledgements: below
            }
            let config = Config { initial_window, ack_every, ..Config::home() }.with_congestion(algorithm);
            let mut pair = Pair::new(config, 20 * MS);
            pair.download(u64::MAX);
            for round in 0..8 {
                // The window's data leaves at 1.5 RTT, 2.5 RTT, ...
                pair.run_to(30 * MS + round * 20 * MS + MS);
                assert_eq!(
                    pair.server.cwnd(),
                    (u64::from(initial_window) * MSS) << round,
                    "{algorithm} {round}"
                );
                assert_eq!(pair.server.in_flight(), pair.server.cwnd());
            }
        }
    }
}

/// RFC 5681 equation 2 and an acknowledgement of every second segment: half as much again each round trip, and an odd
/// segment waits for the next. 4, 6, 9 (one of the nine is held back), 13, ...
#[test]
fn reno_counts_acknowledgements() {
    let config =
        Config { initial_window: 4, ack_every: 2, ..Config::home() }.with_congestion(Algorithm::Reno);
    let mut pair = Pair::new(config, 20 * MS);
    pair.download(u64::MAX);
    let mut windows = Vec::new();
    for round in 0..4 {
        pair.run_to(30 * MS + round * 20 * MS + MS);
        windows.push(pair.server.cwnd() / MSS);
    }
    assert_eq!(windows, [4, 6, 9, 13]);
}

/// ns-2.35's `Agent/TCP/Newreno` over 100 ms without loss: windows of 2, 4, 8 and 16 packets of 1040 bytes, then `window_` 20, which
/// is the first threshold, too. The timeout is `minrto_`, 200 ms, where that is more than SRTT + 4 RTTVAR.
#[test]
fn the_profile_of_ns_2_35_grows_as_its_newreno() {
    let mut pair = Pair::new(Config::ns2_35(), 100 * MS);
    pair.download(u64::MAX);
    assert_eq!(pair.client.rto(), 3000 * MS, "rtxcur_init_");
    pair.run_to(3 * SECOND);
    let rounds = [0, 1, 2, 3, 4, 5, 20].map(|round| {
        let from = 150 * MS + round * 100 * MS;
        pair.down.data().filter(|(at, _)| (from..from + 100 * MS).contains(at)).count()
    });
    assert_eq!(rounds, [2, 4, 8, 16, 20, 20, 20]);
    assert!(pair.down.data().all(|(_, segment)| segment.ip_bytes() == 1040));
    let acks = pair.up.log.iter().filter(|(_, segment)| segment.flags == ACK).count();
    assert!(acks.abs_diff(pair.down.data().count()) <= 21, "one for each segment: {acks}");
    assert_eq!((pair.server.ssthresh(), pair.server.rto()), (20_000, 200 * MS));
}

#[test]
fn newreno_adds_one_segment_per_window_acknowledged() {
    let mut pair = Pair::new(Config { ack_every: 1, ..newreno() }, 20 * MS);
    pair.lose_data(&[61], MSS); // the first of the sixth window: 3 + 6 + 12 + 24 + 48 = 93 > 61
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 1);
    // 61 segments were acknowledged, hence a window of 64; loss halves it.
    assert_eq!((pair.server.cwnd(), pair.server.ssthresh()), (32 * MSS, 32 * MSS));
    pair.run_until(SECOND, |p| p.server.cwnd() == 33 * MSS);
    for window in 33..60 {
        let (acked, since) = (pair.server.acked(), pair.now);
        pair.run_until(10 * SECOND, |p| p.server.cwnd() > window * MSS);
        assert_eq!(pair.server.cwnd(), (window + 1) * MSS);
        assert_eq!(pair.server.acked() - acked, window * MSS);
        assert_eq!(pair.now - since, 20 * MS, "one round trip");
    }
}

/// Drives a CUBIC controller as a path of constant round-trip time does: the window's acknowledgements spread evenly
/// over the round trip, one segment each.
struct Clocked {
    cubic: Cubic,
    now: u64,
    rtt: u64,
}

impl Clocked {
    fn new(rtt: u64, window: f64) -> Self {
        let cubic = Cubic::new(MSS, (window * MSS as f64) as u64);
        Clocked { cubic, now: SECOND, rtt }
    }

    fn window(&self) -> f64 {
        self.cubic.cwnd() as f64 / MSS as f64
    }

    fn lose(&mut self) {
        self.cubic.on_congestion_event(self.cubic.cwnd());
    }

    fn ack(&mut self, window_limited: bool) {
        self.cubic.on_ack(&Ack {
            now: self.now,
            bytes: MSS,
            srtt_ns: self.rtt,
            rtt_ns: None,
            window_limited,
            after_timeout: false,
        });
        self.now += self.rtt * MSS / self.cubic.cwnd();
    }

    /// Largest distance between the window and `formula` (of the seconds since now), over `seconds`.
    fn error(&mut self, seconds: f64, formula: impl Fn(f64) -> f64) -> f64 {
        let start = self.now;
        let mut worst: f64 = 0.0;
        loop {
            let t = (self.now - start) as f64 * 1e-9;
            if t > seconds {
                return worst;
            }
            self.ack(true);
            worst = worst.max((self.window() - formula(t)).abs());
        }
    }
}

/// W_cubic(t) = C (t - K)^3 + W_max, K = cbrt((W_max - W_0) / C): RFC 9438 4.2.
fn w_cubic(w_max: f64, w_0: f64) -> impl Fn(f64) -> f64 {
    let k = ((w_max - w_0) / 0.4).cbrt();
    move |t| 0.4 * (t - k).powi(3) + w_max
}

// The RFC moves the window per acknowledgement by (W_cubic(t + RTT) - cwnd) / cwnd: it follows the curve one round trip
// ahead with a time constant of one round trip. To first order the two cancel; what remains is RTT^2 W''/2, that is
// 3 C RTT^2 |t - K|, and the window of whole bytes. With 400 segments, K = 6.69 s and 100 ms: 0.080 segments.
#[test]
fn cubic_follows_its_curve_after_a_loss() {
    let mut clocked = Clocked::new(100 * MS, 400.0);
    clocked.lose();
    assert_eq!(clocked.cubic.cwnd(), clocked.cubic.ssthresh());
    assert!((clocked.window() - 280.0).abs() < 0.001);
    // Through the concave region, the plateau and the convex region.
    let error = clocked.error(12.0, w_cubic(400.0, 280.0));
    assert!(error < 0.1, "{error}");
}

#[test]
fn cubic_gives_up_bandwidth_when_its_window_shrinks() {
    let mut clocked = Clocked::new(100 * MS, 400.0);
    clocked.lose();
    clocked.error(4.0, w_cubic(400.0, 280.0));
    let window = clocked.window();
    assert!(window < 400.0);
    clocked.lose();
    // Fast convergence: the plateau is at (1 + beta) / 2 of the window that was lost (RFC 9438 4.7).
    let error = clocked.error(10.0, w_cubic(0.85 * window, 0.7 * window));
    assert!(error < 0.1, "{error}");
}

#[test]
fn cubic_starts_at_its_own_window_after_a_timeout() {
    let mut clocked = Clocked::new(100 * MS, 400.0);
    clocked.lose();
    clocked.cubic.on_timeout(clocked.cubic.cwnd(), false);
    assert_eq!(clocked.cubic.cwnd(), MSS);
    let mut start = 0; // of congestion avoidance: the acknowledgement that reaches the threshold
    while clocked.cubic.cwnd() < clocked.cubic.ssthresh() {
        start = clocked.now;
        clocked.ack(true);
    }
    // K = 0 and W_max = 0.7 * 280: convex from the beginning (RFC 9438 4.8), and above it W_est for the first seconds.
    let w_0 = 0.7 * 280.0;
    assert!((clocked.window() - w_0).abs() < 0.01);
    let curve = w_cubic(w_0, w_0);
    let since = (clocked.now - start) as f64 * 1e-9;
    let error = clocked.error(6.0, |t| curve(t + since).max(w_0 + 9.0 / 17.0 * (t + since) / 0.1));
    assert!(error < 0.1, "{error}");
}

// W_est grows by alpha per window acknowledged, hence by alpha per round trip; the error is that of whole bytes.
#[test]
fn cubic_is_not_slower_than_reno() {
    let mut clocked = Clocked::new(10 * MS, 20.0);
    clocked.lose();
    let alpha = 9.0 / 17.0; // 3 (1 - 0.7) / (1 + 0.7)
    let rounds = 6.0 / alpha; // until the window is back at 20
    let error = clocked.error(rounds * 0.01, |t| 14.0 + alpha * t / 0.01);
    assert!(error < 0.05, "{error}");
    assert!((clocked.window() - 20.0).abs() < 0.05);
    let from = clocked.window();
    let error = clocked.error(0.3, |t| from + t / 0.01); // alpha is 1 from there (RFC 9438 4.3)
    assert!(error < 0.1, "{error}");
}

#[test]
fn cubic_does_not_count_time_without_need() {
    let mut clocked = Clocked::new(100 * MS, 400.0);
    clocked.lose();
    clocked.error(2.0, w_cubic(400.0, 280.0));
    let window = clocked.window();
    let pause = clocked.now;
    while clocked.now < pause + 30 * SECOND {
        clocked.ack(false);
    }
    assert_eq!(clocked.window(), window);
    let curve = w_cubic(400.0, 280.0);
    let error = clocked.error(4.0, |t| curve(t + 2.0));
    assert!(error < 0.1, "{error}");
}

/// The same curve through two endpoints. Acknowledgements come in pairs and bunched within the round trip, so that the
/// window may be anywhere between the curve's values one round trip before and after.
#[test]
fn an_endpoint_follows_the_curve() {
    const RTT: u64 = 100 * MS;
    let mut pair = Pair::new(Config::home(), RTT);
    pair.down.rate_bps = 100_000_000;
    pair.lose_data(&[397], MSS);
    pair.download(u64::MAX);
    pair.run_until(10 * SECOND, |p| p.server.stats().recoveries == 1);
    let w_0 = pair.server.cwnd() as f64 / MSS as f64;
    let w_max = w_0 / 0.7;
    pair.run_until(10 * SECOND, |p| p.server.cwnd() as f64 / MSS as f64 > w_0 + 0.001);
    let start = pair.now;
    let curve = w_cubic(w_max, w_0);
    pair.run_until(20 * SECOND, |p| {
        let t = (p.now - start) as f64 * 1e-9;
        let window = p.server.cwnd() as f64 / MSS as f64;
        let srtt = p.server.srtt().unwrap() as f64 * 1e-9;
        let (low, high) = (curve((t - srtt).max(0.0)), curve(t + srtt));
        assert!((low - 0.1..high + 0.1).contains(&window), "{low} {window} {high} at {t}");
        t > 10.0
    });
    assert!(pair.server.cwnd() as f64 / MSS as f64 > w_max, "past the plateau");
    assert_eq!((pair.server.stats().recoveries, pair.down.overflows), (1, 0));
}

/// What a 25 Mb/s bottleneck gives.
struct Outcome {
    /// Goodput at IP level in the measured part, bit/s.
    goodput: f64,
    retransmits: u64,
    /// Before the measured part, and in it.
    timeouts: (u64, u64),
}

fn bottleneck(algorithm: Algorithm, rtt: u64, queue: usize, measured: Range<u64>) -> Outcome {
    let mut pair = Pair::new(Config::home().with_congestion(algorithm), rtt);
    pair.down.rate_bps = 25_000_000;
    pair.down.queue_limit = queue;
    pair.download(u64::MAX);
    pair.run_to(measured.start * SECOND);
    let (before, early) = (pair.client.delivered(), pair.server.stats().timeouts);
    pair.run_to(measured.end * SECOND);
    assert_eq!(pair.down.max_backlog, queue, "the queue was filled");
    let bits = (pair.client.delivered() - before) as f64 * 8.0 * 1500.0 / 1460.0;
    let stats = pair.server.stats();
    let outcome = Outcome {
        goodput: bits / (measured.end - measured.start) as f64,
        retransmits: stats.retransmits,
        timeouts: (early, stats.timeouts - early),
    };
    println!(
        "{algorithm}, {} ms, {queue} packets: {:.2} Mb/s, {} retransmits, timeouts {:?}",
        rtt / MS,
        outcome.goodput / 1e6,
        outcome.retransmits,
        outcome.timeouts
    );
    outcome
}

// The path holds 25 Mb/s * 4 ms = 8.3 packets and the queue 35. After a loss at 43 the window is 21 or 30: the queue
// never runs empty. CUBIC's slow start ends at 88, and 0.7 of that still overflows the queue, so that retransmissions
// are lost; what is sent later tells, and no timeout follows.
#[test]
fn a_short_bottleneck_is_full() {
    for algorithm in [Algorithm::NewReno, Algorithm::Cubic] {
        let outcome = bottleneck(algorithm, 4 * MS, 35, 10..60);
        assert_eq!(outcome.timeouts, (0, 0), "{algorithm}");
        assert!(outcome.goodput > 0.999 * 25e6, "{algorithm} {}", outcome.goodput);
    }
}

// At 200 ms the path holds 417 packets. Reno climbs one segment per 200 ms and is still on its way up after 60 s.
#[test]
fn cubic_fills_a_long_bottleneck_better_than_newreno() {
    let reno = bottleneck(Algorithm::NewReno, 200 * MS, 35, 10..60).goodput;
    let cubic = bottleneck(Algorithm::Cubic, 200 * MS, 35, 10..60).goodput;
    assert!(cubic > 1.1 * reno, "{cubic} {reno}");
}

// At 300 ms the path holds 625 packets. BIC and CUBIC are back at the window that was lost within ten seconds and stay
// there; Compound's sawtooth has half the window as its foot, and so has Reno's, of which two fit into the run.
#[test]
fn the_order_on_a_long_path_is_that_of_the_study() {
    let four = [Algorithm::NewReno, Algorithm::Bic, Algorithm::Cubic, Algorithm::Compound];
    let [reno, bic, cubic, compound] = four.map(|a| bottleneck(a, 300 * MS, 35, 60..240).goodput);
    assert!(bic.min(cubic) > 1.1 * compound.max(reno), "{reno} {bic} {cubic} {compound}");
}
