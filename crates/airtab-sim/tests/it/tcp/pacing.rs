// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Segments at a rate: departures computed by hand. A round trip of 20 ms, no serialisation, an acknowledgement for each
//! segment, a first window of ten; the handshake is over at 30 ms and has measured the round trip.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::congestion::TcpApConfig;
use airtab_sim::tcp::{Algorithm, Config, Recovery};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

fn config() -> Config {
    Config { initial_window: 10, ack_every: 1, congestion: Algorithm::Reno, pacing: true, ..Config::home() }
}

/// When the server sent data, ns after the handshake.
fn departures(pair: &Pair) -> Vec<u64> {
    pair.down.data().map(|(at, _)| at - 30 * MS).collect()
}

/// Slow start: two windows in a round trip, 20 ms / 20 each. The first acknowledgements come at 20, 21, .. ms and make the
/// windows 11, 12, ..: from then on 20 ms / (2 * 11) twice, since the second of eleven leaves before the window is 12,
/// then 20 ms / (2 * 12), / (2 * 13), / (2 * 14), and 15 twice again.
#[test]
fn slow_start_sends_two_windows_in_a_round_trip() {
    let mut pair = Pair::new(config(), RTT);
    pair.download(u64::MAX);
    pair.run_to(30 * MS + 26 * MS);
    let first = (0..10).map(|i| i * MS);
    let second =
        [20_000_000, 20_909_090, 21_818_181, 22_651_515, 23_420_745, 24_135_031, 24_801_698, 25_468_364];
    assert_eq!(departures(&pair), first.chain(second).collect::<Vec<_>>());
    // Not the window alone: it is full at the end of the round trip, and doubles in it.
    pair.run_to(30 * MS + 2 * RTT - 1);
    assert_eq!(pair.server.cwnd(), 20 * MSS);
}

/// 1.2 windows from half of the threshold on: every 20 ms / 12, 5/3 ms, each departure the whole nanoseconds of its exact
/// time. Below, two windows.
#[test]
fn from_half_of_the_threshold_on_it_is_a_fifth_more_than_a_window() {
    for (threshold, gap) in [(21, (1, 1)), (20, (5, 3)), (10, (5, 3))] {
        let mut pair = Pair::new(Config { initial_ssthresh: Some(threshold), ..config() }, RTT);
        pair.download(u64::MAX);
        pair.run_to(30 * MS + RTT - 1);
        let exact: Vec<u64> = (0..10).map(|i| i * MS * gap.0 / gap.1).collect();
        assert_eq!(departures(&pair), exact, "{threshold}");
    }
}

/// What waits for its time is the next timeout; nothing that waits for the window, or was never written, is.
#[test]
fn the_next_timeout_is_the_next_departure() {
    let mut pair = Pair::new(config(), RTT);
    pair.download(2 * MSS);
    pair.run_to(30 * MS);
    assert_eq!(pair.server.next_timeout(), Some(31 * MS));
    pair.server.on_timeout(31 * MS - 1);
    assert_eq!(pair.server.poll_transmit(31 * MS - 1), None);
    assert_eq!(pair.server.next_timeout(), Some(31 * MS));
    pair.run_to(31 * MS);
    assert_eq!(departures(&pair), [0, MS]);
    assert_eq!(pair.server.next_timeout(), Some(30 * MS + pair.server.rto()));
    assert_eq!(pair.server.stats().timeouts, 0);
}

/// A pause is not made up for: what comes after it leaves at once, and the rest at the rate.
#[test]
fn a_pause_saves_nothing() {
    let mut pair = Pair::new(config(), RTT);
    pair.download(MSS);
    pair.run_to(130 * MS);
    pair.server.write(3 * MSS);
    pair.flush();
    pair.run_to(140 * MS);
    // The window is still ten: it was not what limited.
    assert_eq!(departures(&pair), [0, 100 * MS, 101 * MS, 102 * MS]);
}

/// The first of ten is lost, and the acknowledgements of the next three come together, 23 ms after the first left. For the
/// first duplicate a new segment goes, for the second another one would, a millisecond later; with the third that
/// millisecond is the retransmission's.
#[test]
fn a_retransmission_waits_for_its_time_and_is_not_forgotten() {
    for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
        let mut pair = Pair::new(Config { recovery, ..config() }, RTT);
        pair.lose_data(&[0], MSS);
        pair.up.fate = Box::new(|_, n| match n {
            2 => Fate::Late(2 * MS),
            3 => Fate::Late(MS),
            _ => Fate::Pass,
        });
        pair.download(u64::MAX);
        pair.run_to(30 * MS + 24 * MS);
        let sent: Vec<_> =
            pair.down.data().skip(10).map(|(at, s)| (at - 30 * MS, (s.seq - 1) / MSS)).collect();
        assert_eq!(sent, [(23 * MS, 10), (24 * MS, 0)], "{recovery:?}");
    }
}

/// What is lost goes out again at its time, not on top of what has just left, and every algorithm gets there.
#[test]
fn losses_are_repaired_at_the_rate() {
    // A way whose round trip is 20 ms without a queue: 4 (9.88 + 0.24 ms) a segment.
    let tcp_ap = TcpApConfig { hops: Some(1), rate_bps: Some(50_000_000) };
    for congestion in Algorithm::ALL {
        for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
            let mut pair = Pair::new(Config { congestion, recovery, tcp_ap, ..config() }, RTT);
            pair.lose_data(&[3, 20, 21, 50], MSS);
            pair.download(400 * MSS);
            pair.run_until(100 * SECOND, |p| p.server.acked() == 400 * MSS);
            let times = departures(&pair);
            // Two windows in a round trip are the most; no window was above 400.
            let closest = times.windows(2).map(|t| t[1] - t[0]).min();
            assert!(closest >= Some(RTT / 800), "{congestion} {recovery:?}: {closest:?}");
            assert!(pair.server.stats().retransmits >= 4);
        }
    }
}
