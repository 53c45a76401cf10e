// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Transfers without loss: completeness, acknowledgement rules, limits other than the congestion window.

use super::pair::{MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

#[test]
fn every_byte_arrives_once_and_in_segments_of_the_mss() {
    for bytes in [1, 350, 1459, 1460, 1461, 12_519, 300_000] {
        let mut pair = Pair::new(Config::home(), RTT);
        pair.client.write(350);
        pair.download(bytes);
        pair.run_until(60 * SECOND, |p| p.server.acked() == bytes && p.client.acked() == 350);
        assert_eq!((pair.client.delivered(), pair.server.delivered()), (bytes, 350));
        assert_eq!(pair.down.data().map(|(_, s)| u64::from(s.payload)).sum::<u64>(), bytes);
        assert_eq!(pair.down.data().count() as u64, bytes.div_ceil(MSS));
        pair.run_to(pair.now + 60 * SECOND);
        assert_eq!(pair.next_event(), None, "nothing is pending after {bytes} bytes");
        assert_eq!((pair.server.in_flight(), pair.server.stats().timeouts), (0, 0));
    }
}

#[test]
fn acknowledges_two_segments_or_after_40_ms() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.download(5 * MSS); // three segments, then two
    pair.run_to(10 * SECOND);
    let acks: Vec<_> = pair.up.log.iter().skip(2).map(|&(t, s)| (t, (s.ack - 1) / MSS)).collect();
    let first = 2 * RTT; // the data leaves when the handshake ends at 1.5 RTT and takes half
    // Two segments are acknowledged at once; that lets the last two out, so that the third waits for the fourth.
    assert_eq!(acks, [(first, 2), (first + RTT, 4), (first + RTT + 40 * MS, 5)]);
}

#[test]
fn a_lone_segment_is_acknowledged_after_40_ms() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.download(100);
    pair.run_until(SECOND, |p| p.server.acked() == 100);
    assert_eq!(pair.now, 2 * RTT + 40 * MS + RTT / 2);
}

#[test]
fn the_answer_carries_the_acknowledgement() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.open();
    pair.run_until(SECOND, |p| p.server.established());
    let before = pair.down.log.len();
    pair.client.write(350);
    pair.flush();
    pair.run_until(SECOND, |p| p.server.delivered() == 350);
    pair.server.write(1000);
    pair.flush();
    pair.run_until(SECOND, |p| p.client.acked() == 350);
    assert_eq!(pair.down.log.len(), before + 1);
}

#[test]
fn the_window_does_not_grow_for_an_application_that_does_not_need_it() {
    for algorithm in Algorithm::ALL {
        let mut pair = Pair::new(Config::home().with_congestion(algorithm), RTT);
        pair.open();
        pair.run_until(SECOND, |p| p.server.established());
        for _ in 0..100 {
            pair.server.write(2 * MSS); // below the initial window of three
            pair.flush();
            pair.run_to(pair.now + 2 * RTT);
        }
        assert_eq!(pair.client.delivered(), 200 * MSS);
        assert_eq!(pair.server.cwnd(), 3 * MSS, "{algorithm}");
    }
}

#[test]
fn the_receive_window_bounds_flight_and_growth() {
    for algorithm in Algorithm::ALL {
        let config = Config { receive_window_segments: 12, ..Config::home() };
        let mut pair = Pair::new(config.with_congestion(algorithm), RTT);
        pair.download(u64::MAX);
        let mut most = 0;
        pair.run_until(6 * SECOND, |p| {
            most = most.max(p.server.in_flight());
            p.now > 5 * SECOND
        });
        assert_eq!(most, 12 * MSS);
        // One acknowledgement's growth can pass the window before the sender finds itself limited by it.
        assert!((12 * MSS..=14 * MSS).contains(&pair.server.cwnd()), "{algorithm} {}", pair.server.cwnd());
    }
}

#[test]
fn an_idle_sender_restarts_from_the_initial_window() {
    let mut pair = Pair::new(Config::home(), RTT);
    pair.download(300 * MSS);
    pair.run_until(20 * SECOND, |p| p.server.acked() == 300 * MSS);
    assert!(pair.server.cwnd() > 50 * MSS);
    pair.run_to(pair.now + SECOND);
    let before = pair.down.log.len();
    pair.server.write(300 * MSS);
    pair.flush();
    assert_eq!(pair.down.log.len(), before + 3);
    assert_eq!(pair.server.cwnd(), 3 * MSS);
}
