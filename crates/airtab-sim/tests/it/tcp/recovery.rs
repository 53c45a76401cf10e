// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Loss recovery: fast retransmit, SACK, the retransmission timer.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config, Recovery};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

fn pair(segments: u64, lost: &[u64]) -> Pair {
    let mut pair = Pair::new(Config::home().with_congestion(Algorithm::NewReno), RTT);
    pair.lose_data(lost, MSS);
    pair.download(segments * MSS);
    pair
}

fn finish(pair: &mut Pair, segments: u64) {
    pair.run_until(100 * SECOND, |p| p.server.acked() == segments * MSS);
    assert_eq!(pair.client.delivered(), segments * MSS);
}

/// (recoveries, retransmits, timeouts)
fn counts(pair: &Pair) -> (u64, u64, u64) {
    let stats = pair.server.stats();
    (stats.recoveries, stats.retransmits, stats.timeouts)
}

#[test]
fn one_loss_is_one_fast_retransmit() {
    let mut pair = pair(300, &[50]);
    finish(&mut pair, 300);
    assert_eq!(counts(&pair), (1, 1, 0));
}

#[test]
fn many_losses_in_one_window_are_one_recovery() {
    let lost = [50, 51, 52, 55, 58, 59, 61, 64, 66, 70];
    let mut pair = pair(400, &lost);
    finish(&mut pair, 400);
    assert_eq!(counts(&pair), (1, lost.len() as u64, 0));
}

#[test]
fn the_window_is_halved_once() {
    let mut pair = pair(u64::MAX / MSS, &[50, 54, 60]);
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 1);
    let before = pair.server.ssthresh();
    pair.run_until(2 * SECOND, |p| p.server.acked() > 120 * MSS);
    assert_eq!(pair.server.ssthresh(), before);
    assert_eq!(counts(&pair), (1, 3, 0));
}

#[test]
fn half_of_a_large_window_is_recovered_by_sack() {
    let lost: Vec<u64> = (1000..2000).filter(|n| n % 2 == 0).collect();
    let mut pair = pair(6000, &lost);
    finish(&mut pair, 6000);
    let stats = pair.server.stats();
    assert_eq!((stats.retransmits, stats.timeouts), (500, 0));
}

#[test]
fn limited_transmit_recovers_the_first_of_three() {
    let mut pair = pair(100, &[0]);
    finish(&mut pair, 100);
    assert_eq!(counts(&pair), (1, 1, 0));
}

#[test]
fn a_hole_and_the_tail_need_no_timeout() {
    // RFC 6675 NextSeg rule 4: nothing is SACKed above the last segment, so that it is not known to be lost.
    let mut pair = pair(60, &[50, 59]);
    finish(&mut pair, 60);
    assert_eq!(counts(&pair), (1, 2, 0));
}

/// Loses a data segment `times` times, others once.
fn lose_again(pair: &mut Pair, again: u64, mut times: u32, others: &'static [u64]) {
    let mut top = 0;
    pair.script_down(move |segment, _| {
        let number = segment.seq.saturating_sub(1) / MSS;
        let first = segment.seq > top;
        top = top.max(segment.seq);
        let lost = if segment.payload == 0 {
            false
        } else if number == again {
            times = times.saturating_sub(1);
            times > 0
        } else {
            first && others.contains(&number)
        };
        if lost { Fate::Drop } else { Fate::Pass }
    });
}

/// Three segments that were sent later than the copy tell that it is lost too, once and again.
#[test]
fn a_lost_retransmission_is_sent_again_without_a_timeout() {
    for (times, resent) in [(3, 2), (4, 3), (6, 5)] {
        let mut pair = Pair::new(Config::home(), RTT);
        lose_again(&mut pair, 50, times, &[]);
        pair.download(u64::MAX);
        pair.run_until(SECOND, |p| p.server.acked() > 50 * MSS);
        assert!(pair.server.acked() > 100 * MSS, "the acknowledgement jumps over what was SACKed");
        pair.run_until(2 * SECOND, |p| p.server.acked() > 1000 * MSS);
        assert_eq!(counts(&pair), (1, resent, 0), "what was SACKed is not sent again");
    }
}

/// Retransmissions alone tell of a lost one, when there is no new data: the first of ten is lost, three of the others have
/// arrived.
#[test]
fn later_retransmissions_tell_of_a_lost_one() {
    let mut pair = Pair::new(Config::home(), RTT);
    lose_again(&mut pair, 50, 3, &[51, 52, 53, 54, 55, 56, 57, 58, 59]);
    pair.download(80 * MSS);
    finish(&mut pair, 80);
    assert_eq!(counts(&pair), (1, 11, 0));
}

/// Two of them do not.
#[test]
fn two_later_segments_are_no_evidence() {
    let mut pair = Pair::new(Config::home(), RTT);
    lose_again(&mut pair, 50, 3, &[60, 62]);
    pair.download(75 * MSS);
    finish(&mut pair, 75);
    assert_eq!(counts(&pair), (1, 4, 1));
}

/// With NewReno's recovery nothing tells.
#[test]
fn without_sack_a_lost_retransmission_needs_a_timeout() {
    let mut pair = Pair::new(Config { recovery: Recovery::NewReno, ..Config::home() }, RTT);
    lose_again(&mut pair, 50, 3, &[]);
    pair.download(u64::MAX);
    pair.run_until(2 * SECOND, |p| p.server.acked() > 1000 * MSS);
    assert_eq!(pair.server.stats().timeouts, 1);
}

#[test]
fn the_timer_is_that_of_the_lowest_byte() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.down.rate_bps = 12_000_000; // 1 ms a segment
    lose_again(&mut pair, 50, 3, &[60, 62]);
    pair.download(75 * MSS); // all has left by then
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 1);
    let (fast_retransmit, rto) = (pair.now, pair.server.rto());
    pair.run_until(SECOND, |p| p.server.stats().retransmits == 3);
    assert!(pair.now > fast_retransmit + 5 * MS, "the others follow later");
    pair.run_until(SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!(pair.now - fast_retransmit, rto);
}

#[test]
fn retransmitted_data_gives_no_round_trip_time() {
    // The first segment of a burst is the one that is timed.
    for (segments, timeouts) in [(1, 1), (10, 0)] {
        let mut pair = Pair::new(Config { initial_window: 10, ..Config::home() }, RTT);
        pair.lose_data(&[0], MSS);
        pair.download(segments * MSS);
        finish(&mut pair, segments);
        assert_eq!(pair.server.stats().timeouts, timeouts);
        assert_eq!(pair.server.srtt(), Some(RTT), "the handshake's");
        // Karn: the backoff stays until fresh data is acknowledged.
        assert_eq!(pair.server.rto(), (RTT + 200 * MS) << timeouts);
    }
}

#[test]
fn an_acknowledgement_after_a_timeout_gives_no_round_trip_time() {
    // Segments 2 to 6 arrive, their three acknowledgements do not; 3 is timed, 2 is sent again and acknowledges all.
    let mut pair = Pair::new(Config::home(), RTT);
    pair.up.fate = Box::new(|_, n| if (3..6).contains(&n) { Fate::Drop } else { Fate::Pass });
    pair.download(7 * MSS);
    finish(&mut pair, 7);
    assert_eq!(counts(&pair), (0, 1, 1));
    assert_eq!(pair.server.srtt(), Some(RTT));
}

#[test]
fn evidence_left_over_by_a_recovery_begins_the_next() {
    let mut pair = Pair::new(Config::home(), RTT);
    let mut seen = [false; 2];
    pair.script_down(move |segment, _| {
        // The retransmissions are late, that of the second hole more so.
        let holes = [(50, 50 * MS), (120, 100 * MS)];
        let number = segment.seq.saturating_sub(1) / MSS;
        match holes.iter().position(|&(hole, _)| segment.payload > 0 && hole == number) {
            Some(at) if std::mem::replace(&mut seen[at], true) => Fate::Late(holes[at].1),
            Some(_) => Fate::Drop,
            None => Fate::Pass,
        }
    });
    pair.download(130 * MSS);
    // Segment 120 was sent in the recovery of 50 and is known to be lost when that ends: another window, another
    // reduction, but it is already on its way again. The retransmission of 50 is so late that it is taken for lost.
    finish(&mut pair, 130);
    assert_eq!(counts(&pair), (2, 3, 0));
}

#[test]
fn a_lost_tail_waits_for_the_timer() {
    let mut pair = pair(60, &[59]);
    pair.run_until(SECOND, |p| p.server.acked() == 59 * MSS);
    let since = pair.now;
    pair.run_until(10 * SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!(pair.now - since, RTT + 200 * MS);
    assert_eq!(pair.server.cwnd(), MSS);
    finish(&mut pair, 60);
    assert_eq!(counts(&pair), (0, 1, 1));
}

#[test]
fn the_timer_backs_off_and_the_threshold_is_set_once() {
    let mut pair = Pair::new(Config::home().with_congestion(Algorithm::NewReno), RTT);
    pair.script_down(|segment, _| if segment.seq > 40 * MSS { Fate::Drop } else { Fate::Pass });
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.stats().timeouts == 1);
    let (first, threshold) = (pair.now, pair.server.ssthresh());
    let rto = 2 * (RTT + 200 * MS);
    assert_eq!(pair.server.rto(), rto);
    pair.run_to(first + 120 * SECOND);
    assert_eq!((pair.server.cwnd(), pair.server.ssthresh()), (MSS, threshold));
    assert_eq!(pair.server.rto(), 60 * SECOND);
    let retransmitted: Vec<u64> = pair
        .down
        .data()
        .filter(|(t, s)| *t >= first && s.seq == 1 + 40 * MSS)
        .map(|(t, _)| t - first)
        .collect();
    // 0.44 s, 0.88 s, ... 56.32 s; the next is 60 s and ends beyond the measured time.
    let expected: Vec<u64> = (0..9).map(|k| rto * ((1 << k) - 1)).collect();
    assert_eq!(retransmitted, expected);
}

#[test]
fn after_a_timeout_slow_start_fills_the_holes() {
    // Everything from segment 40 on is lost until the first retransmission.
    let mut pair = Pair::new(Config::home().with_congestion(Algorithm::NewReno), RTT);
    let (mut top, mut over) = (0, false);
    pair.script_down(move |segment, _| {
        over |= segment.payload > 0 && segment.seq <= top;
        top = top.max(segment.seq);
        if segment.seq > 40 * MSS && !over { Fate::Drop } else { Fate::Pass }
    });
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.stats().timeouts == 1);
    let lost = pair.down.data().count() as u64 - 1 - 40; // the last one is the retransmission
    assert_eq!(pair.server.ssthresh(), (40 + 3) * MSS / 2);
    pair.run_until(2 * SECOND, |p| p.server.acked() >= (40 + lost) * MSS);
    assert_eq!(counts(&pair), (0, lost, 1));
}

#[test]
fn a_queue_that_builds_up_is_no_timeout() {
    // An estimate of 300 ms without variance, then a burst that sees 456 to 495 ms.
    let mut pair = Pair::new(Config { initial_window: 40, ..Config::home() }, 300 * MS);
    pair.open();
    pair.run_until(2 * SECOND, |p| p.server.established());
    for _ in 0..40 {
        pair.server.write(2 * MSS);
        pair.flush();
        pair.run_to(pair.now + 310 * MS);
    }
    assert_eq!(pair.server.srtt(), Some(300 * MS));
    let now = pair.now;
    pair.down.rate_bps = 12_000_000; // 1 ms a segment
    pair.down.delay_ns += 155 * MS;
    pair.server.write(40 * MSS);
    pair.flush();
    pair.run_until(now + SECOND, |p| p.server.acked() == 120 * MSS);
    assert_eq!(counts(&pair), (0, 0, 0));
}

#[test]
fn reordering_within_two_segments_is_not_loss() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.down.rate_bps = 12_000_000; // 1 ms a segment
    pair.script_down(|_, n| if n % 10 == 5 { Fate::Late(2 * MS + MS / 2) } else { Fate::Pass });
    pair.download(500 * MSS);
    finish(&mut pair, 500);
    assert_eq!(counts(&pair), (0, 0, 0));
}

#[test]
fn lost_acknowledgements_cost_nothing_but_growth() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.up.fate = Box::new(|_, n| if n > 10 && n % 3 == 0 { Fate::Drop } else { Fate::Pass });
    pair.download(u64::MAX);
    pair.run_until(10 * SECOND, |p| p.client.delivered() > 1000 * MSS);
    assert_eq!(counts(&pair), (0, 0, 0));
}

/// The threshold stays for timeouts of the same data; the next data that is lost sets it anew: to half of what is
/// outstanding, 60 segments at first and some 35 then.
#[test]
fn another_timeout_later_sets_the_threshold_anew() {
    let config = Config { receive_window_segments: 60, ..Config::home() };
    let mut pair = Pair::new(config.with_congestion(Algorithm::NewReno), RTT);
    pair.download(u64::MAX);
    let mut thresholds = Vec::new();
    // By the second one it has grown from the threshold of 30 to 35.
    for blackout in [SECOND, 2 * SECOND] {
        pair.run_to(blackout);
        let before = pair.server.stats().timeouts;
        pair.script_down(|_, _| Fate::Drop);
        pair.run_until(blackout + 400 * MS, |p| p.server.stats().timeouts > before);
        let sent = pair.down.data().map(|(_, s)| s.seq + u64::from(s.payload)).max().expect("it has sent");
        let half = (sent - 1 - pair.server.acked()) / 2;
        assert!(pair.server.ssthresh().abs_diff(half) <= MSS, "{} and {half}", pair.server.ssthresh());
        thresholds.push(half / MSS);
        pair.script_down(|_, _| Fate::Pass);
    }
    assert!(thresholds[0] == 30 && (16..=19).contains(&thresholds[1]), "{thresholds:?}");
}

/// RFC 5681 3.1, equation 4 bounds the threshold after a timeout by half of what is outstanding. A recovery has reduced
/// for that window of data already, so that its threshold stays, and is below that.
#[test]
fn a_timeout_in_a_recovery_keeps_its_threshold() {
    let mut pair = Pair::new(Config::home().with_congestion(Algorithm::NewReno), RTT);
    lose_again(&mut pair, 50, 3, &[60, 62]);
    pair.download(75 * MSS);
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 1);
    let threshold = pair.server.ssthresh();
    let outstanding = 75 * MSS - pair.server.acked();
    assert!(threshold <= outstanding / 2 && threshold > 10 * MSS, "{threshold} {outstanding}");
    pair.run_until(2 * SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!((pair.server.ssthresh(), pair.server.cwnd()), (threshold, MSS));
}

/// RFC 2018 3: n blocks take 8 n + 2 bytes of 40: four, and three beside timestamps.
#[test]
fn as_many_blocks_are_told_as_fit() {
    for (config, most) in [(Config::home(), 4), (Config::home().with_timestamps(), 3)] {
        let mut pair = Pair::new(Config { initial_window: 20, ..config }, RTT);
        pair.lose_data(&[1, 3, 5, 7, 9], config.mss.into());
        pair.download(11 * u64::from(config.mss));
        pair.run_to(2 * RTT + RTT / 2); // all of the first window has arrived, and its acknowledgements
        let fullest = pair.up.log.iter().map(|(_, s)| s).max_by_key(|s| s.sack_len).expect("there are some");
        assert_eq!(fullest.sack_len, most);
        assert!(fullest.option_bytes() <= 40 && fullest.option_bytes() + 8 > 40);
    }
}
