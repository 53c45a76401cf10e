// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! HyStart++ (RFC 9406) between two endpoints: slow start ends by delay, and resumes when the delay was none of ours.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config};

const RTT: u64 = 100 * MS;

fn config(hystart: bool, congestion: Algorithm) -> Config {
    Config { hystart, congestion, ..Config::linux() }
}

/// 25 Mb/s hold 208 segments in 100 ms, the queue 350: slow start alone ends with a loss of hundreds. HyStart++ sees the queue
/// at the beginning of the round that overflows it, and grows by a quarter: less than half as many are lost.
#[test]
fn slow_start_ends_with_fewer_losses() {
    for congestion in [Algorithm::NewReno, Algorithm::Cubic, Algorithm::Compound] {
        let lost = |hystart| {
            let mut pair = Pair::new(config(hystart, congestion), RTT);
            pair.down.rate_bps = 25_000_000;
            pair.down.queue_limit = 350;
            pair.download(u64::MAX);
            pair.run_to(3 * SECOND);
            pair.down.overflows
        };
        let (with, without) = (lost(true), lost(false));
        assert!(without > 300 && 2 * with < without, "{congestion}: {with} of {without}");
    }
}

/// Segments that leave in each round trip, which is as much longer as `late` says.
fn rounds(late: impl Fn(usize) -> u64 + 'static, count: usize) -> (Vec<u64>, Pair) {
    let config = Config { ack_every: 1, ..config(true, Algorithm::NewReno) };
    let mut pair = Pair::new(config, RTT);
    let sent = Rc::new(RefCell::new(Vec::<u64>::new()));
    let (log, clock) = (sent.clone(), Rc::new(Cell::new(0)));
    let (now, mut since) = (clock.clone(), 0);
    pair.script_down(move |segment, _| {
        let mut log = log.borrow_mut();
        if segment.payload > 0 {
            if log.is_empty() || now.get() > since + RTT / 2 {
                since = now.get();
                log.push(0);
            }
            *log.last_mut().expect("one was pushed") += 1;
        }
        Fate::Late(late(log.len()))
    });
    pair.download(u64::MAX);
    while sent.borrow().len() <= count {
        clock.set(pair.next_event().expect("it is endless"));
        pair.step();
    }
    let mut sent = sent.borrow().clone();
    sent.truncate(count);
    (sent, pair)
}

/// The fifth round is 20 ms longer than the others. Its first seven acknowledgements let two segments go each, the others a
/// quarter more; the round after it is short again, and its first seven do the same before the rest resumes.
#[test]
fn a_delay_that_goes_away_resumes_slow_start() {
    let (even, _) = rounds(|_| 0, 8);
    assert_eq!(even, [10, 20, 40, 80, 160, 320, 640, 1280]);
    let (bump, pair) = rounds(|round| if round == 5 { 20 * MS } else { 0 }, 8);
    assert_eq!(bump[..5], even[..5]);
    let slow = 160 + 7 + 153 / 4;
    assert_eq!(bump[5], slow);
    let resumed = slow + 7 / 4 + (slow - 7);
    assert!(bump[6].abs_diff(resumed) <= 1, "{} and {resumed}", bump[6]);
    assert!(bump[7].abs_diff(2 * bump[6]) <= 1, "{bump:?}");
    assert_eq!(pair.server.ssthresh(), u64::MAX, "slow start goes on");
}

/// Five rounds that stay longer end it.
#[test]
fn a_delay_that_stays_ends_slow_start() {
    let (sent, pair) = rounds(|round| if round >= 5 { 20 * MS } else { 0 }, 13);
    let mut expected = vec![10, 20, 40, 80, 160, 160 + 7 + 153 / 4];
    for _ in 0..4 {
        // The round in which it began is the first of five.
        expected.push(expected[expected.len() - 1] * 5 / 4);
    }
    for (sent, expected) in sent.iter().zip(&expected) {
        assert!(sent.abs_diff(*expected) <= 4, "{sent} and {expected}");
    }
    assert!(sent[10..].windows(2).all(|w| w[1] <= w[0] + 2), "congestion avoidance: {sent:?}");
    assert!(pair.server.ssthresh() < u64::MAX);
    assert_eq!(pair.server.stats().retransmits, 0);
}

/// Where a threshold is known it has nothing to say.
#[test]
fn later_slow_starts_go_to_the_threshold() {
    let config = Config { initial_ssthresh: Some(40), ..config(true, Algorithm::NewReno) };
    let mut pair = Pair::new(config, RTT);
    pair.script_down(|_, n| Fate::Late(n / 20 * MS));
    pair.download(u64::MAX);
    pair.run_to(2 * SECOND);
    assert_eq!(pair.server.ssthresh(), 40 * u64::from(config.mss));
}
