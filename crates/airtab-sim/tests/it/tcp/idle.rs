// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A connection that was idle for a retransmission timeout begins with the restart window again (RFC 5681 4.1), under
//! every congestion control: what each of them keeps, and what it does then.

use super::pair::{MS, Pair, SECOND};
use airtab_sim::tcp::congestion::{Ack, Bic, Compound, Congestion, NewReno};
use airtab_sim::tcp::{Algorithm, Config};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;
const IDLE: u64 = 3 * MSS;

/// A connection that lost at a window of some 100 segments, went on, and has sent all that there was.
fn used(algorithm: Algorithm, config: Config) -> Pair {
    let mut pair = Pair::new(config.with_congestion(algorithm), RTT);
    pair.lose_data(&[150], MSS);
    pair.download(800 * MSS);
    pair.run_until(20 * SECOND, |p| p.server.acked() == 800 * MSS);
    assert_eq!(pair.server.stats().recoveries, 1, "{algorithm}");
    let (window, threshold) = (pair.server.cwnd() / MSS, pair.server.ssthresh() / MSS);
    let (least_window, least_threshold) = match algorithm {
        Algorithm::Westwood => (31, 10), // its estimate lags behind a slow start
        Algorithm::TcpD => (20, 15),     // it takes a window's bursts for a falling rate
        _ => (31, 31),
    };
    assert!(window >= least_window && threshold >= least_threshold, "{algorithm}: {window} {threshold}");
    pair
}

fn last_sent(pair: &Pair) -> u64 {
    pair.down.data().last().expect("it has sent").0
}

#[test]
fn the_window_is_the_restart_window_and_the_threshold_stays() {
    for initial_window in [3, 10] {
        for algorithm in Algorithm::ALL {
            let mut pair = used(algorithm, Config { initial_window, ack_every: 1, ..Config::home() });
            let threshold = pair.server.ssthresh();
            pair.run_to(last_sent(&pair) + pair.server.rto() + 1);
            let before = pair.down.log.len();
            pair.server.write(800 * MSS);
            pair.flush();
            let segments = u64::from(initial_window);
            assert_eq!(pair.down.log.len() - before, segments as usize, "{algorithm}");
            assert_eq!(pair.server.cwnd(), segments * MSS, "{algorithm}");
            assert_eq!(pair.server.ssthresh(), threshold, "{algorithm}");
            // From there slow start, doubling (TCP-D: half as much again), back to the threshold.
            pair.run_to(pair.now + RTT + MS);
            let grown = if algorithm == Algorithm::TcpD { segments * MSS / 2 } else { segments * MSS };
            assert_eq!(pair.server.cwnd(), segments * MSS + grown, "{algorithm}");
            if algorithm == Algorithm::TcpD {
                continue; // ends it where the rate falls
            }
            pair.run_until(pair.now + 10 * SECOND, |p| p.server.cwnd() > threshold);
            assert_eq!(pair.server.ssthresh(), threshold, "{algorithm}");
        }
    }
}

/// More than the timeout, and not as long as it.
#[test]
fn idle_is_longer_than_the_timeout() {
    for algorithm in Algorithm::ALL {
        for (longer, restarts) in [(0, false), (1, true)] {
            let mut pair = used(algorithm, Config::home());
            let window = pair.server.cwnd();
            pair.run_to(last_sent(&pair) + pair.server.rto() + longer);
            pair.server.write(800 * MSS);
            pair.flush();
            assert_eq!(pair.server.cwnd() == window, !restarts, "{algorithm} {longer}");
            assert_eq!(pair.server.cwnd() == IDLE, restarts, "{algorithm} {longer}");
        }
    }
}

/// With data in flight nobody is idle, however long nothing could be sent: the receive window holds one segment, and
/// its acknowledgement takes longer than the timeout was when it was sent.
#[test]
fn waiting_for_an_acknowledgement_is_not_idle() {
    for algorithm in Algorithm::ALL {
        let mut pair = used(algorithm, Config::home());
        let window = pair.server.cwnd();
        for _ in 0..40 {
            // Less than the timeout at a time, ten times as long together.
            pair.server.write(MSS);
            pair.flush();
            pair.run_to(pair.now + pair.server.rto() / 2);
        }
        // Vegas takes the wait for a delayed acknowledgement for a queue, and gives up a segment.
        let least = if algorithm == Algorithm::Vegas { window - MSS } else { window };
        assert!((least..=window).contains(&pair.server.cwnd()), "{algorithm}");
    }
}

/// min(restart window, cwnd): after a timeout one segment stays one.
#[test]
fn a_window_below_the_restart_window_stays() {
    for algorithm in Algorithm::ALL {
        let mut pair = Pair::new(Config::home().with_congestion(algorithm), RTT);
        pair.lose_data(&[2], MSS);
        pair.download(3 * MSS); // the last one: only the timer finds it
        pair.run_until(10 * SECOND, |p| p.server.acked() == 3 * MSS);
        assert_eq!(pair.server.stats().timeouts, 1);
        let window = pair.server.cwnd();
        assert!(window < 3 * MSS, "{algorithm} {window}");
        pair.run_to(pair.now + 100 * SECOND);
        pair.server.write(100 * MSS);
        pair.flush();
        assert_eq!(pair.server.cwnd(), window, "{algorithm}");
    }
}

/// A first request after a long wait on an open connection finds the window that the handshake gave.
#[test]
fn a_connection_that_never_sent_keeps_its_window() {
    for algorithm in Algorithm::ALL {
        let mut pair = Pair::new(Config::home().with_congestion(algorithm), RTT);
        pair.open();
        pair.run_to(100 * SECOND);
        pair.server.write(100 * MSS);
        pair.flush();
        assert_eq!((pair.server.cwnd(), pair.server.ssthresh()), (IDLE, u64::MAX), "{algorithm}");
    }
}

fn ack(rtt_ns: Option<u64>) -> Ack {
    Ack { now: 0, bytes: MSS, srtt_ns: 0, rtt_ns, window_limited: true, after_timeout: false }
}

fn acks_until(c: &mut impl Congestion, window: u64) -> u64 {
    let mut n = 0;
    while c.cwnd() < window {
        c.on_ack(&ack(None));
        n += 1;
        assert!(n < 1_000_000, "{} of {window}", c.cwnd());
    }
    n
}

/// Slow start takes an acknowledgement a segment; then each goes on with what it had found out before.
#[test]
fn newreno_is_back_at_its_threshold_by_slow_start() {
    let mut c = NewReno::new(MSS, 200 * MSS);
    c.on_congestion_event(200 * MSS);
    c.on_idle(IDLE);
    assert_eq!((c.cwnd(), c.ssthresh()), (IDLE, 100 * MSS));
    assert_eq!(acks_until(&mut c, 100 * MSS), 97);
    assert_eq!(acks_until(&mut c, 101 * MSS), 100);
}

#[test]
fn bic_goes_on_searching_below_the_maximum_that_it_knows() {
    let mut c = Bic::new(MSS, 400 * MSS);
    c.on_congestion_event(400 * MSS);
    c.on_idle(IDLE);
    assert_eq!((c.cwnd(), c.ssthresh()), (IDLE, 320 * MSS));
    assert_eq!(acks_until(&mut c, 320 * MSS), 317);
    // Additive increase: 16 segments for a window of acknowledgements.
    let acks = acks_until(&mut c, 336 * MSS);
    assert!((320..=337).contains(&acks), "{acks}");
    // And the search ends where it lost, not in the probing of a connection without a past.
    let mut rounds = 0;
    while c.cwnd() < 399 * MSS {
        let window = c.cwnd();
        acks_until(&mut c, window + 1);
        rounds += 1;
    }
    assert!(rounds > 1000, "slowly: {rounds}");
}

/// The delay window ends with the idle time; the least round-trip time is the path's and stays.
#[test]
fn compound_restarts_with_its_loss_window_alone() {
    const BASE: u64 = 100 * MS;
    let mut c = Compound::new(MSS, 200 * MSS);
    c.on_congestion_event(200 * MSS);
    for _ in 0..8 {
        for _ in 1..c.cwnd() / MSS {
            c.on_ack(&ack(None));
        }
        c.on_rtt_sample(BASE);
        c.on_ack(&ack(Some(BASE)));
    }
    assert!(c.dwnd() > 20 * MSS);
    // Both windows together count.
    let mut small = c.clone();
    small.on_idle(c.cwnd() + 1);
    assert_eq!((small.cwnd(), small.dwnd()), (c.cwnd(), c.dwnd()), "no more than that: both stay");
    small.on_idle(c.cwnd() - MSS);
    assert!(small.cwnd().abs_diff(c.cwnd() - MSS) <= 1 && small.dwnd() == 0);
    c.on_idle(IDLE);
    assert_eq!((c.cwnd(), c.dwnd(), c.ssthresh()), (IDLE, 0, 100 * MSS));
    acks_until(&mut c, 100 * MSS);
    assert_eq!(c.dwnd(), 0, "slow start has none");
    // 40 packets more than the base in a window of 100: the delay window does not grow.
    c.on_ack(&ack(Some(BASE * 100 / 60)));
    assert_eq!(c.dwnd(), 0);
    let grown = 0.125 * (c.cwnd() as f64 / MSS as f64).powf(0.75) - 1.0;
    c.on_ack(&ack(Some(BASE)));
    assert!((c.dwnd() as f64 / MSS as f64 - grown).abs() < 0.02, "{} {grown}", c.dwnd());
}
