// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Explicit congestion notification, step by step: RFC 3168 6.1. Traces computed by hand: one round trip, no serialisation,
//! an acknowledgement for each segment, a first window of ten.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{ACK, Algorithm, CWR, Config, ECE, Recovery, SYN, Segment};

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

fn config() -> Config {
    Config { initial_window: 10, ack_every: 1, congestion: Algorithm::Reno, ecn: true, ..Config::home() }
}

/// An endless download; the network marks the data segments of these numbers, counted from 0, sent for the first time.
fn marking(config: Config, marked: &'static [u64]) -> Pair {
    let mut pair = Pair::new(config, RTT);
    pair.mark_data(marked, MSS);
    pair.download(u64::MAX);
    pair
}

fn numbers<'a>(
    segments: impl Iterator<Item = &'a (u64, Segment)>,
    of: impl Fn(&Segment) -> bool,
) -> Vec<u64> {
    segments.filter(|(_, s)| of(s)).map(|(_, s)| (s.seq - 1) / MSS).collect()
}

/// Each end asks, and only where both do are packets ECN-capable: data, and no SYN, acknowledgement or request to the other.
#[test]
fn both_ends_have_to_want_it() {
    for (client, server) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut pair = Pair::new(Config { ecn: client, ..config() }, RTT);
        pair.server = airtab_sim::tcp::Endpoint::server(Config { ecn: server, ..config() });
        pair.client.write(350);
        pair.download(100 * MSS);
        pair.run_until(SECOND, |p| p.client.delivered() == 100 * MSS);
        let flags = |log: &[(u64, Segment)]| log[0].1.flags;
        assert_eq!(flags(&pair.up.log), if client { SYN | ECE | CWR } else { SYN });
        assert_eq!(flags(&pair.down.log), if client && server { SYN | ACK | ECE } else { SYN | ACK });
        for (_, segment) in pair.up.log.iter().chain(&pair.down.log) {
            assert_eq!(segment.ect, client && server && segment.payload > 0, "{segment:?}");
            assert!(segment.flags & SYN != 0 || segment.flags & (ECE | CWR) == 0);
        }
    }
}

/// Segment 3 of ten is marked. Its acknowledgement finds seven outstanding and the one that it acknowledges, of 13 that three
/// acknowledgements have let go: the window of 13 is halved, and what is acknowledged until CWR has arrived does not open it.
#[test]
fn a_mark_halves_the_window_once() {
    let mut pair = marking(config(), &[3]);
    pair.run_until(SECOND, |p| p.server.acked() == 3 * MSS);
    assert_eq!((pair.server.cwnd(), pair.server.in_flight()), (13 * MSS, 13 * MSS));
    pair.run_until(SECOND, |p| p.server.acked() == 4 * MSS);
    assert_eq!((pair.server.cwnd(), pair.server.ssthresh()), (13 * MSS / 2, 13 * MSS / 2));
    assert_eq!(pair.server.in_flight(), 12 * MSS, "nothing new goes");
    // The window of 6.5 segments is free for one when six are outstanding: 15 segments sent, ten acknowledged. In this
    // round trip ten are acknowledged, so seven later ones are on their way and one new one may not go yet.
    pair.run_until(SECOND, |p| p.server.acked() == 10 * MSS);
    assert_eq!(pair.server.cwnd(), 13 * MSS / 2, "ECE opens nothing");
    pair.run_to(pair.now + 3 * RTT);
    let first = numbers(pair.down.data(), |s| s.flags & CWR != 0);
    assert_eq!(first.len(), 1, "one reduction, one CWR: {first:?}");
    // All segments of the client from the mark on until CWR came have ECE, and none before and after.
    let cwr_at = pair.down.data().find(|(_, s)| s.flags & CWR != 0).unwrap().0 + RTT / 2;
    let marked_at = pair.down.data().find(|(_, s)| s.seq == 1 + 3 * MSS).unwrap().0 + RTT / 2;
    for (at, segment) in pair.up.log.iter().filter(|(_, s)| s.flags & SYN == 0) {
        // The mark's own acknowledgement is the first, the CWR's the first without; of those that leave at that very time
        // the ones for data before are on either side.
        let last = 1 + MSS * 4;
        let told = segment.ack >= last && *at < cwr_at;
        assert_eq!(segment.flags & ECE != 0, told, "{} at {at} ({marked_at}, {cwr_at})", segment.ack);
    }
    let stats = pair.server.stats();
    assert_eq!((stats.retransmits, stats.timeouts, stats.recoveries), (0, 0, 0));
    // Congestion avoidance from there.
    assert!(pair.server.cwnd() > 13 * MSS / 2 && pair.server.ssthresh() == 13 * MSS / 2);
}

/// All ten of a window are marked: one reduction. One more, of data that was sent after it, is another.
#[test]
fn once_for_each_window_of_data() {
    let mut pair = marking(config(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    pair.run_until(SECOND, |p| p.server.acked() == 10 * MSS);
    assert_eq!((pair.server.cwnd(), pair.server.ssthresh()), (5 * MSS, 5 * MSS));
    pair.run_to(pair.now + 4 * RTT);
    assert_eq!(pair.server.ssthresh(), 5 * MSS);
    assert_eq!(numbers(pair.down.data(), |s| s.flags & CWR != 0), [10]);
    let mut pair = marking(config(), &[0, 12]);
    pair.run_to(10 * RTT);
    let told = numbers(pair.down.data(), |s| s.flags & CWR != 0);
    assert_eq!((told.len(), told[0]), (2, 10), "{told:?}");
    assert!(pair.server.ssthresh() < 5 * MSS);
}

/// A loss among data for which a mark has reduced the window is sent again and reduces nothing; what is sent again is not
/// ECN-capable, with SACK or without.
#[test]
fn a_mark_and_a_loss_of_one_window_reduce_it_once() {
    for recovery in [Recovery::Sack, Recovery::NewReno, Recovery::Reno] {
        let config = Config { recovery, prr: false, ..config() };
        let mut pair = Pair::new(config, RTT);
        pair.mark_data(&[0], MSS);
        let mut lost = false;
        pair.script_down(move |segment, _| {
            let first = segment.payload > 0 && segment.seq == 1 + 5 * MSS && !lost;
            lost |= first;
            if first { Fate::Drop } else { Fate::Pass }
        });
        pair.download(u64::MAX);
        pair.run_until(SECOND, |p| p.server.acked() >= 10 * MSS);
        assert_eq!(pair.server.ssthresh(), 5 * MSS, "{recovery:?}");
        let stats = pair.server.stats();
        assert_eq!((stats.recoveries, stats.retransmits, stats.timeouts), (1, 1, 0), "{recovery:?}");
        let again: Vec<_> =
            pair.down.data().filter(|(_, s)| s.seq == 1 + 5 * MSS).map(|(_, s)| s.ect).collect();
        assert_eq!(again, [true, false], "{recovery:?}");
    }
}

/// The other way round: a recovery has reduced the window, a mark of the same data does not. Limited transmit had sent 10 and
/// 11 before, so that 12 is the first new data that tells the peer.
#[test]
fn a_loss_and_a_mark_of_one_window_reduce_it_once() {
    let mut pair = Pair::new(Config { prr: false, ..config() }, RTT);
    pair.mark_data(&[9], MSS);
    pair.lose_data(&[0], MSS);
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.acked() >= 10 * MSS);
    assert_eq!((pair.server.ssthresh(), pair.server.stats().recoveries), (5 * MSS, 1));
    let told = numbers(pair.down.data(), |s| s.flags & CWR != 0);
    assert_eq!(told.first(), Some(&12), "{told:?}");
}
