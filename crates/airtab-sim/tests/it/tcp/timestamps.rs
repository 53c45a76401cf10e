// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Round-trip times by timestamps (RFC 7323): estimates computed by hand. A round trip of 20 ms, no serialisation, an
//! acknowledgement for each segment, a first window of three; the handshake is over at 30 ms.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config, RttBy};

const MSS: u64 = 1448;
const RTT: u64 = 20 * MS;

/// A minimum of 1 ns: the timeout is SRTT + 4 RTTVAR.
fn config() -> Config {
    Config { ack_every: 1, congestion: Algorithm::Reno, min_rto_ns: 1, ..Config::home().with_timestamps() }
}

/// SRTT and RTTVAR, ns; the latter is cut by the timeout's fourfold only.
fn estimate(pair: &Pair) -> (u64, u64) {
    let srtt = pair.server.srtt().expect("the handshake measured it");
    (srtt, (pair.server.rto() - srtt) / 4)
}

#[test]
fn packets_keep_their_length() {
    let config = config();
    assert_eq!((config.mss, config.timestamps), (1448, true));
    assert_eq!(Config::bsd44().with_timestamps(), Config { rtt: RttBy::Timestamps, ..Config::bsd44() });
}

/// The third segment is 8 ms late. Expected samples are half of the segments in flight: 2 of 3, 2 of 4, then 3 of 5, since
/// each acknowledgement in slow start lets two go. RTTVAR 10, 10 * 7/8, 10 * 49/64 ms, then 11/12 of that + 8/12; SRTT
/// 20 ms, then 23/24 of that + 28/24.
#[test]
fn every_acknowledgement_is_a_sample_that_weighs_its_share() {
    let mut pair = Pair::new(config(), RTT);
    let third = 1 + 2 * MSS;
    pair.script_down(
        move |s, _| if s.seq == third && s.payload > 0 { Fate::Late(8 * MS) } else { Fate::Pass },
    );
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.acked() == MSS);
    assert_eq!(estimate(&pair), (RTT, 8_750_000));
    pair.run_until(SECOND, |p| p.server.acked() == 2 * MSS);
    assert_eq!(estimate(&pair), (RTT, 7_656_250));
    assert_eq!(pair.now, 50 * MS);
    pair.run_until(SECOND, |p| p.server.acked() == 3 * MSS);
    assert_eq!(pair.now, 58 * MS);
    assert_eq!(estimate(&pair), (20_333_333, 7_684_895));
}

/// One segment at a time is timed without: the third tells nothing, the first has told what the handshake had.
#[test]
fn without_one_segment_is_timed() {
    let mut pair = Pair::new(Config { rtt: RttBy::OneSegment, ..config() }, RTT);
    let third = 1 + 2 * MSS;
    pair.script_down(
        move |s, _| if s.seq == third && s.payload > 0 { Fate::Late(8 * MS) } else { Fate::Pass },
    );
    pair.download(3 * MSS);
    pair.run_until(SECOND, |p| p.server.acked() == 3 * MSS);
    assert_eq!(estimate(&pair), (RTT, 7_500_000));
}

/// An acknowledgement for two echoes the first of them: the 5 ms for which it was held count. One that waits for the
/// second in vain is held for 40.
#[test]
fn time_that_an_acknowledgement_was_held_counts() {
    let mut pair = Pair::new(Config { ack_every: 2, ..config() }, RTT);
    pair.download(MSS);
    pair.run_to(35 * MS);
    pair.server.write(MSS);
    pair.flush();
    pair.run_until(SECOND, |p| p.server.acked() == 2 * MSS);
    assert_eq!((pair.now, pair.server.srtt()), (55 * MS, Some((7 * RTT + 25 * MS) / 8)));
    let srtt = pair.server.srtt().unwrap();
    pair.server.write(MSS);
    pair.flush();
    pair.run_until(SECOND, |p| p.server.acked() == 3 * MSS);
    assert_eq!(pair.server.srtt(), Some((7 * srtt + 60 * MS) / 8));
}

/// The only segment is lost. Its copy tells when it was sent itself: the backoff ends with its acknowledgement, where Karn
/// keeps it.
#[test]
fn a_retransmission_is_a_sample() {
    for (rtt, ends) in [(RttBy::Timestamps, true), (RttBy::OneSegment, false)] {
        let mut pair = Pair::new(Config { rtt, ..config() }, RTT);
        pair.lose_data(&[0], MSS);
        pair.download(MSS);
        pair.run_until(10 * SECOND, |p| p.server.acked() == MSS);
        assert_eq!(pair.server.stats().timeouts, 1);
        assert_eq!(pair.server.srtt(), Some(RTT));
        // 20 + 4 * 10 ms doubled, or 20 + 4 * 7.5 ms.
        assert_eq!(pair.server.rto(), if ends { 50 * MS } else { 120 * MS });
    }
}

/// What lies behind a hole is echoed by nobody: the acknowledgement that fills it tells the time of what filled it.
#[test]
fn holes_do_not_distort() {
    let mut pair = Pair::new(Config { initial_window: 10, ..config() }, RTT);
    pair.lose_data(&[4, 6, 8], MSS);
    pair.download(200 * MSS);
    pair.run_until(10 * SECOND, |p| p.server.acked() == 200 * MSS);
    let stats = pair.server.stats();
    assert_eq!((stats.retransmits, stats.recoveries, stats.timeouts), (3, 1, 0));
    assert_eq!((pair.server.srtt(), pair.server.min_rtt()), (Some(RTT), Some(RTT)));
}

/// 32 bits of microseconds are over after 71.6 minutes, here 100 ms after the connection begins.
#[test]
fn the_clock_wraps() {
    let mut pair = Pair::new(config(), RTT);
    pair.now = (1 << 32) * 1000 - 100 * MS;
    pair.download(3000 * MSS);
    pair.run_until(pair.now + 10 * SECOND, |p| p.server.acked() == 3000 * MSS);
    let values: Vec<u32> = pair.down.data().map(|(_, s)| s.tsval).collect();
    assert!(values.iter().any(|v| *v > u32::MAX - 100_000) && values.iter().any(|v| *v < 100_000));
    assert_eq!((pair.server.srtt(), pair.server.stats().timeouts), (Some(RTT), 0));
}

/// A first threshold: slow start from 2 to 4 segments, then one a round trip (RFC 5681 3.1).
#[test]
fn slow_start_ends_at_the_first_threshold() {
    let first = Config { initial_window: 2, initial_ssthresh: Some(4), ..config() };
    for congestion in Algorithm::ALL {
        let pair = Pair::new(first.with_congestion(congestion), RTT);
        assert_eq!(pair.server.ssthresh(), 4 * MSS, "{congestion}");
    }
    let mut pair = Pair::new(Config { congestion: Algorithm::NewReno, ..first }, RTT);
    pair.download(u64::MAX);
    for window in [2, 4, 5, 6, 7] {
        pair.run_to(pair.now.max(30 * MS) + RTT / 2);
        assert_eq!(pair.server.cwnd(), window * MSS);
        pair.run_to(pair.now + RTT / 2);
    }
}
