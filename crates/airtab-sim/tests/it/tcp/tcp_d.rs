// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TCP-D by hand (Starzetz 2006, section T-10.2, formulas 10.1 to 10.5), and what it makes of a bottleneck.

use super::pair::{Pair, SECOND};
use airtab_core::time::MS;
use airtab_sim::tcp::Config;
use airtab_sim::tcp::congestion::{Ack, Congestion, Form, TcpD, TcpDConfig};

const MSS: u64 = 1000;

/// A sender with a window of `segments`, in virtual time.
struct Hand {
    tcp_d: TcpD,
    now: u64,
}

impl Hand {
    /// It sends its first segment at 0.
    fn new(config: TcpDConfig, segments: u64) -> Hand {
        let mut tcp_d = TcpD::with_config(config, MSS, segments * MSS);
        tcp_d.on_sent(0);
        Hand { tcp_d, now: 0 }
    }

    fn ack(&mut self, after_ns: u64) {
        self.now += after_ns;
        self.tcp_d.on_delivered(self.now, MSS);
        self.tcp_d.on_ack(&Ack {
            now: self.now,
            bytes: MSS,
            srtt_ns: 0,
            rtt_ns: None,
            window_limited: true,
            after_timeout: false,
        });
    }

    /// Five segments are acknowledged, `after_ns` after each other: more than four, an interval.
    fn five(&mut self, after_ns: u64) {
        (0..5).for_each(|_| self.ack(after_ns));
    }

    /// Window and rate, segments and segments a second.
    fn is(&self, cwnd: f64, rate: f64, cold: bool) {
        let bytes = (cwnd * MSS as f64) as u64;
        let seen = self.tcp_d.rate().expect("an interval is over") / MSS as f64;
        assert!(self.tcp_d.cwnd().abs_diff(bytes) <= 1, "{} {cwnd}", self.tcp_d.cwnd());
        assert!((seen - rate).abs() < 1e-9 * rate, "{seen} {rate}");
        assert_eq!(self.tcp_d.is_cold(), cold);
    }
}

/// Cold, half a segment more for each. The rate falls from 100 to 90 while the window grows by 2.5: xi = -4, and
/// q = 13 * 4 / 90 = 0.58 is cut to a quarter. From there on a segment for a window's, of 9.75, until the next reduction.
#[test]
fn a_falling_rate_reduces_the_window() {
    let mut hand = Hand::new(TcpDConfig::standard(), 8);
    hand.five(10 * MS); // 5 in 50 ms
    hand.is(10.5, 100.0, true);
    hand.five(12_500_000); // 80; half of both
    hand.is(13.0 * 0.75, 90.0, false);
    hand.five(10 * MS);
    hand.is(9.75 + 5.0 / 9.75, 95.0, false);
    // 5 in 53 ms: less than 95.
    hand.five(10_600_000);
    let rate = (95.0 + 5.0 / 0.053) / 2.0;
    let cwnd = 9.75 + 10.0 / 9.75;
    let xi = (rate - 95.0) / (5.0 / 9.75);
    let q: f64 = cwnd * -xi / rate;
    assert!(q > 0.07 && q < 0.08, "{q}");
    let left = cwnd * (1.0 - q);
    hand.is(left, rate, false);
    // The increment is that of what is left.
    hand.five(10 * MS);
    hand.is(left + 5.0 / left, (rate + 100.0) / 2.0, false);
}

/// Only a falling one: the same rate, or a rising one, lets the window grow.
#[test]
fn a_constant_rate_lets_it_grow() {
    let mut hand = Hand::new(TcpDConfig::standard(), 8);
    (1..=10).for_each(|n| {
        hand.five(10 * MS);
        hand.is(8.0 + 2.5 * f64::from(n), 100.0, true);
    });
}

/// (10.4): without memory the rate is that of the interval, 100, then 80; with eps 0.9 it is 98, and
/// q = 13 * (2 / 2.5) / 98 = 0.106.
#[test]
fn eps_is_the_weight_of_the_past() {
    for (eps_percent, rate, q) in [(0, 80.0, 0.25), (90, 98.0, 13.0 * 0.8 / 98.0)] {
        let mut hand = Hand::new(TcpDConfig { eps_percent, ..TcpDConfig::standard() }, 8);
        hand.five(10 * MS);
        hand.five(12_500_000);
        hand.is(13.0 * (1.0 - q), rate, false);
    }
}

/// min(4, cwnd) or max(4, cwnd), and one and a half times as many sent: four acknowledged are not more than four. With a
/// window of 8, which is 12 after eight of them, the ninth ends the longer interval.
#[test]
fn an_interval_is_as_long_as_its_form_says() {
    let ends_after = |form, segments: u64, sent: u64| {
        let mut hand = Hand::new(TcpDConfig { form, ..TcpDConfig::standard() }, segments);
        (1..sent).for_each(|_| hand.tcp_d.on_sent(0));
        (1..100).find(|_| {
            hand.ack(MS);
            hand.tcp_d.rate().is_some()
        })
    };
    assert_eq!(ends_after(Form::Min, 8, 1), Some(5));
    assert_eq!(ends_after(Form::Min, 2, 1), Some(3));
    assert_eq!(ends_after(Form::Max, 8, 1), Some(9));
    assert_eq!(ends_after(Form::Max, 2, 1), Some(5));
    assert_eq!(ends_after(Form::Min, 8, 6), Some(5));
    assert_eq!(ends_after(Form::Min, 8, 7), Some(1), "7 sent are more than 6");
    assert_eq!(ends_after(Form::Max, 8, 12), Some(9));
    assert_eq!(ends_after(Form::Max, 8, 13), Some(1));
}

/// What comes at the time at which an interval began has no rate: the next one counts it.
#[test]
fn an_interval_has_a_length() {
    let mut hand = Hand::new(TcpDConfig::standard(), 8);
    (0..8).for_each(|_| hand.ack(0));
    assert_eq!(hand.tcp_d.rate(), None);
    hand.ack(100 * MS);
    hand.is(12.5, 90.0, true); // nine in 100 ms
}

/// A quarter, and again when a window has arrived; growth from there on is congestion avoidance's.
#[test]
fn loss_takes_a_quarter_once_per_window() {
    let mut hand = Hand::new(TcpDConfig::standard(), 16);
    hand.tcp_d.on_congestion_event(16 * MSS);
    assert_eq!((hand.tcp_d.cwnd(), hand.tcp_d.ssthresh()), (12 * MSS, 12 * MSS));
    assert!(!hand.tcp_d.is_cold());
    hand.tcp_d.on_delivered(MS, 11 * MSS);
    hand.tcp_d.on_congestion_event(12 * MSS);
    assert_eq!(hand.tcp_d.cwnd(), 12 * MSS);
    hand.tcp_d.on_delivered(MS, MSS);
    hand.tcp_d.on_congestion_event(12 * MSS);
    assert_eq!(hand.tcp_d.cwnd(), 9 * MSS);
    hand.tcp_d.on_recovered(2 * MS);
    (0..3).for_each(|_| hand.ack(MS));
    assert_eq!(hand.tcp_d.cwnd(), 9 * MSS + 3 * MSS / 9);
}

/// An interval that a recovery was in says nothing: the next one begins with its end.
#[test]
fn a_recovery_begins_an_interval() {
    let mut hand = Hand::new(TcpDConfig::standard(), 8);
    hand.five(10 * MS);
    hand.ack(10 * MS);
    hand.tcp_d.on_congestion_event(8 * MSS);
    hand.tcp_d.on_delivered(80 * MS, 3 * MSS);
    hand.now = SECOND;
    hand.tcp_d.on_recovered(SECOND);
    let cwnd = 11.0 * 0.75;
    hand.five(5 * MS); // 200 a second: the time before does not count
    hand.is(cwnd + 5.0 / cwnd, 150.0, false);
}

/// Two segments, cold, without a threshold; the interval begins with what is sent then.
#[test]
fn a_timeout_begins_cold() {
    let mut hand = Hand::new(TcpDConfig::standard(), 16);
    hand.tcp_d.on_congestion_event(16 * MSS);
    hand.tcp_d.on_timeout(12 * MSS, false);
    assert_eq!((hand.tcp_d.cwnd(), hand.tcp_d.ssthresh()), (2 * MSS, u64::MAX));
    hand.now = SECOND;
    hand.tcp_d.on_sent(SECOND);
    (0..3).for_each(|_| hand.ack(10 * MS)); // more than two
    hand.is(3.5, 100.0, true);
}

/// Where something else bounds the sender the window stays, and so nothing can be said of it: the rate is kept up to date.
#[test]
fn without_growth_there_is_no_decision() {
    let mut hand = Hand::new(TcpDConfig::standard(), 8);
    let mut five = |ns: u64| {
        for _ in 0..5 {
            hand.now += ns;
            hand.tcp_d.on_delivered(hand.now, MSS);
            hand.tcp_d.on_ack(&Ack {
                now: hand.now,
                bytes: MSS,
                srtt_ns: 0,
                rtt_ns: None,
                window_limited: false,
                after_timeout: false,
            });
        }
    };
    five(10 * MS);
    five(20 * MS);
    hand.is(8.0, 75.0, true);
}

struct Outcome {
    rate_bps: f64,
    /// Mean of the smoothed round-trip time, ns.
    srtt_ns: f64,
    retransmits: u64,
}

/// 5 Mb/s and 4 ms, as a cell of 802.11b with a server nearby: the path holds 1.7 segments; the queue `queue`. 10 to 60 s.
const RATE: u64 = 5_000_000;

fn bottleneck(config: Config, queue: usize) -> Outcome {
    let mut pair = Pair::new(config, 4 * MS);
    pair.down.rate_bps = RATE;
    pair.down.queue_limit = queue;
    pair.download(u64::MAX);
    pair.run_to(10 * SECOND);
    let (before, early) = (pair.client.delivered(), pair.server.stats());
    pair.run_to(60 * SECOND);
    let stats = pair.server.stats();
    let outcome = Outcome {
        rate_bps: (pair.client.delivered() - before) as f64 * 8.0 * 1500.0 / 1460.0 / 50.0,
        srtt_ns: (stats.srtt_sum_ns - early.srtt_sum_ns) as f64 / (stats.acks - early.acks) as f64,
        retransmits: stats.retransmits,
    };
    println!(
        "{}, queue {queue}: {:.2} Mb/s, {:.1} ms, {} sent again",
        config.congestion,
        outcome.rate_bps / 1e6,
        outcome.srtt_ns / 1e6,
        outcome.retransmits
    );
    outcome
}

/// Little's law: without losses a window of 32 segments is the rate times the round trip.
#[test]
fn without_losses_rate_times_round_trip_is_the_window() {
    let reno = bottleneck(Config::stz(), 100);
    let packets = reno.rate_bps / 12_000.0 * reno.srtt_ns / 1e9;
    println!("{packets:.2} packets of 32");
    assert_eq!(reno.retransmits, 0);
    assert!((packets / 32.0 - 1.0).abs() < 0.03, "{packets}");
}
