// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Recovery without SACK, step by step: RFC 5681 3.2 (Reno), RFC 6582 (NewReno), RFC 3042. Traces computed by hand: one
//! round trip, no serialisation, an acknowledgement for each segment, a first window of ten.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::{Algorithm, Config, Recovery, Segment};
use proptest::prelude::*;

const MSS: u64 = 1460;
const RTT: u64 = 20 * MS;

fn config(recovery: Recovery) -> Config {
    Config {
        initial_window: 10,
        ack_every: 1,
        congestion: Algorithm::Reno,
        recovery,
        limited_transmit: false,
        ..Config::home()
    }
}

/// An endless download that loses the first copy of these segments.
fn losing(config: Config, lost: &[u64]) -> Pair {
    let mut pair = Pair::new(config, RTT);
    pair.lose_data(lost, MSS);
    pair.download(u64::MAX);
    pair
}

/// Numbers of the segments that the server sent in each round trip, the handshake's first.
fn rounds(pair: &Pair, n: u64) -> Vec<Vec<u64>> {
    let mut rounds = vec![Vec::new(); n as usize];
    let start = pair.down.data().next().expect("some data was sent").0;
    for (at, segment) in pair.down.data() {
        if let Some(round) = rounds.get_mut(((at - start) / RTT) as usize) {
            round.push((segment.seq - 1) / MSS);
        }
    }
    rounds
}

fn counts(pair: &Pair) -> (u64, u64, u64) {
    let stats = pair.server.stats();
    (stats.recoveries, stats.retransmits, stats.timeouts)
}

/// Ten in flight, nine duplicates: at the third the threshold is five, the first goes out again, and the window is
/// 5 + 3; the six others make it 14, so that four new ones fit. The first new acknowledgement deflates it to five, of
/// which four are in flight.
#[test]
fn one_loss() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut pair = losing(config(recovery), &[0]);
        pair.run_until(SECOND, |p| p.server.acked() == 10 * MSS);
        assert_eq!((pair.server.ssthresh(), pair.server.cwnd()), (5 * MSS, 5 * MSS));
        pair.run_to(pair.now + RTT - 1);
        assert_eq!(
            rounds(&pair, 3),
            [(0..10).collect(), vec![0, 10, 11, 12, 13], vec![14, 15, 16, 17, 18]],
            "{recovery:?}"
        );
        assert_eq!(counts(&pair), (1, 1, 0));
        // Four acknowledgements in congestion avoidance: 7300 + 291 + 280 + 270 + 261 by MSS * MSS / cwnd.
        let grown = (0..4).fold(5 * MSS, |w, _| w + MSS * MSS / w);
        assert_eq!(pair.server.cwnd(), grown);
    }
}

/// Eight duplicates: 5 + 8 lets 10 to 12 go. The first one's retransmission is acknowledged up to 4, which is partial:
/// 4 goes out at once, and 5 + 8 - 4 + 1 = 10 hold the nine in flight and 13. Three duplicates, of 10 to 12, let 14 to
/// 16 go. Then all up to 13 is acknowledged, and the window is five again.
#[test]
fn newreno_repairs_a_loss_each_round_trip() {
    let mut pair = losing(config(Recovery::NewReno), &[0, 4]);
    pair.run_until(SECOND, |p| p.server.acked() == 13 * MSS);
    assert_eq!((pair.server.ssthresh(), pair.server.cwnd()), (5 * MSS, 5 * MSS));
    assert_eq!(rounds(&pair, 4), [(0..10).collect(), vec![0, 10, 11, 12], vec![4, 13, 14, 15, 16], vec![17]]);
    assert_eq!(counts(&pair), (1, 2, 0));
    let mut many = losing(config(Recovery::NewReno), &[0, 2, 4, 6, 8]);
    many.run_until(SECOND, |p| p.server.acked() > 20 * MSS);
    assert_eq!(counts(&many), (1, 5, 0), "five round trips, one reduction, no timeout");
}

/// Reno ends its recovery with the partial acknowledgement: nine in flight, a window of five. The three duplicates of
/// 10 to 12 begin another one, and the threshold is half of five.
#[test]
fn reno_halves_for_each_loss_of_a_window() {
    let mut pair = losing(config(Recovery::Reno), &[0, 4]);
    pair.run_until(SECOND, |p| p.server.stats().recoveries == 2);
    assert_eq!(pair.server.ssthresh(), 5 * MSS / 2);
    assert_eq!(rounds(&pair, 3), [(0..10).collect(), vec![0, 10, 11, 12], vec![4]]);
    assert_eq!(counts(&pair), (2, 2, 0));
    // A third loss finds too few duplicates: its timer expires, and all behind it goes out again.
    let mut pair = losing(config(Recovery::Reno), &[0, 3, 6]);
    pair.run_until(2 * SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!(pair.server.cwnd(), MSS);
    pair.run_until(4 * SECOND, |p| p.server.acked() > 100 * MSS);
    assert_eq!(pair.server.stats().timeouts, 1);
}

/// One duplicate is too few for a fast retransmit. Limited transmit lets a new segment go for it, and for the duplicate
/// of that another one: three.
#[test]
fn limited_transmit_saves_a_timeout() {
    for (limited_transmit, recoveries, timeouts) in [(false, 0, 1), (true, 1, 0)] {
        let two = Config { initial_window: 2, limited_transmit, ..config(Recovery::NewReno) };
        let mut pair = losing(two, &[0]);
        pair.run_until(SECOND, |p| p.server.acked() >= 2 * MSS);
        let stats = pair.server.stats();
        assert_eq!((stats.recoveries, stats.timeouts), (recoveries, timeouts), "{limited_transmit}");
    }
}

/// Twenty of forty are lost, one is repaired each round trip, and the timer is that of the first partial acknowledgement:
/// it expires before all are.
#[test]
fn newreno_is_impatient() {
    let lost: Vec<u64> = (0..40).step_by(2).collect();
    let mut pair = losing(Config { initial_window: 40, ..config(Recovery::NewReno) }, &lost);
    pair.run_until(SECOND, |p| p.server.acked() == 2 * MSS);
    let (partial, rto) = (pair.now, pair.server.rto());
    pair.run_until(SECOND, |p| p.server.stats().timeouts == 1);
    assert_eq!(pair.now, partial + rto);
}

/// What waits behind holes until they are filled tells no round-trip time.
#[test]
fn a_recovery_times_nothing() {
    for recovery in [Recovery::Reno, Recovery::NewReno] {
        let mut pair = losing(config(recovery), &[4, 6, 8]);
        pair.run_until(2 * SECOND, |p| p.server.acked() > 30 * MSS);
        assert_eq!(pair.server.srtt(), Some(RTT), "{recovery:?}");
    }
}

/// The first window's acknowledgements come after the timeout: what goes out again for them, and has arrived, makes
/// duplicates of the last. That is no loss (RFC 6582 3.2, step 1). Reno takes it for one.
#[test]
fn copies_after_a_timeout_begin_no_recovery() {
    for (recovery, spurious) in [(Recovery::NewReno, false), (Recovery::Reno, true)] {
        let mut pair = Pair::new(config(recovery), RTT);
        pair.up.fate = Box::new(|_, n| if (2..13).contains(&n) { Fate::Late(300 * MS) } else { Fate::Pass });
        pair.download(u64::MAX);
        pair.run_until(SECOND, |p| p.server.acked() > 20 * MSS);
        let stats = pair.server.stats();
        assert_eq!((stats.recoveries > 0, stats.timeouts), (spurious, 1), "{recovery:?}");
    }
}

/// A duplicate acknowledgement has no data, the window of the last one, and something is outstanding (RFC 5681 2).
#[test]
fn what_is_no_duplicate() {
    let last = |pair: &Pair| pair.up.log.last().expect("an acknowledgement").1;
    let repeated = |change: fn(&mut Segment)| {
        let mut pair = Pair::new(config(Recovery::NewReno), RTT);
        pair.download(u64::MAX);
        pair.run_until(SECOND, |p| p.server.acked() == 10 * MSS);
        let mut again = Segment { ack: 1 + 10 * MSS, ..last(&pair) };
        change(&mut again);
        for _ in 0..3 {
            pair.server.on_segment(pair.now, &again);
        }
        pair.server.stats().recoveries
    };
    assert_eq!(repeated(|_| ()), 1);
    assert_eq!(repeated(|s| s.payload = 100), 0);
    assert_eq!(repeated(|s| s.window -= 1), 0);
    assert_eq!(repeated(|s| s.ack -= 1), 0);
    let mut idle = Pair::new(config(Recovery::NewReno), RTT);
    idle.download(10 * MSS);
    idle.run_until(SECOND, |p| p.server.acked() == 10 * MSS);
    let again = last(&idle);
    (0..3).for_each(|_| idle.server.on_segment(idle.now, &again));
    assert_eq!(idle.server.stats().recoveries, 0);
}

/// After a timeout everything is sent again, in slow start, and copies of what had arrived begin no recovery.
#[test]
fn a_timeout_goes_back() {
    let mut pair = Pair::new(config(Recovery::NewReno), RTT);
    pair.lose_data(&[0, 9], MSS);
    pair.up.fate = Box::new(|segment, n| {
        // Of the nine acknowledgements of the first window none arrives.
        if (2..10).contains(&n) && segment.ack == 1 { Fate::Drop } else { Fate::Pass }
    });
    pair.download(u64::MAX);
    pair.run_until(SECOND, |p| p.server.stats().timeouts == 1);
    let expired = pair.now;
    pair.run_until(4 * SECOND, |p| p.server.acked() >= 10 * MSS);
    assert_eq!((pair.server.stats().recoveries, pair.server.stats().timeouts), (0, 1));
    // One, which acknowledges all up to the second hole; that, and a new one.
    let again = pair.down.data().filter(|(at, _)| *at >= expired).map(|(_, s)| (s.seq - 1) / MSS);
    assert_eq!(again.take(3).collect::<Vec<_>>(), [0, 9, 10]);
}

/// The timers of BSD: expiries at multiples of 500 ms, at least a second after the segment.
#[test]
fn bsd_timers_expire_on_their_grid() {
    let mut pair = Pair::new(Config::bsd44(), RTT);
    pair.lose_data(&[7], 1448);
    pair.download(8 * 1448);
    pair.run_until(10 * SECOND, |p| p.server.stats().timeouts == 1);
    let sent = pair.down.data().map(|d| d.0).max().expect("some data was sent");
    assert_eq!(pair.now % (500 * MS), 0);
    let first: Vec<u64> = pair.down.data().filter(|d| d.1.seq == 1 + 7 * 1448).map(|d| d.0).collect();
    assert!(pair.now >= first[0] + SECOND && pair.now < first[0] + 1500 * MS, "{first:?} {sent}");
    pair.run_until(10 * SECOND, |p| p.server.acked() == 8 * 1448);
    assert!(pair.down.data().all(|(_, s)| s.ip_bytes() <= 1500 && s.sack_len == 0));
    assert!(pair.up.log.iter().all(|(_, s)| s.sack_len == 0), "SACK is not permitted");
    assert_eq!(pair.up.log.last().expect("an acknowledgement").1.ip_bytes(), 52);
}

proptest! {
    /// Whatever is lost, all arrives, once and in order.
    #[test]
    fn everything_arrives(
        reno in any::<bool>(),
        limited_transmit in any::<bool>(),
        lost in prop::collection::vec(0u64..300, 0..40),
        acks in prop::collection::vec(0u64..400, 0..40),
    ) {
        let recovery = if reno { Recovery::Reno } else { Recovery::NewReno };
        let mut pair = Pair::new(Config { limited_transmit, ..config(recovery) }, RTT);
        pair.lose_data(&lost, MSS);
        pair.up.fate = Box::new(move |_, n| {
            if acks.contains(&n) { Fate::Drop } else { Fate::Pass }
        });
        pair.download(300 * MSS);
        pair.run_until(1000 * SECOND, |p| p.server.acked() == 300 * MSS);
        prop_assert_eq!(pair.client.delivered(), 300 * MSS);
    }
}
