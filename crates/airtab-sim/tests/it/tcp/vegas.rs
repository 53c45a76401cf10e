// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Vegas by hand (Brakmo, Peterson, JSAC 13(8), 1995, section III), and what it makes of a bottleneck.

use std::collections::HashMap;

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::congestion::{Ack, Congestion, Vegas, VegasConfig};
use airtab_sim::tcp::{Algorithm, Config, Recovery};

const MSS: u64 = 1000;

fn ack(c: &mut Vegas, rtt_ns: u64, ends_round: bool) {
    c.on_rtt_sample(rtt_ns);
    c.on_ack(&Ack {
        now: 0,
        bytes: MSS,
        srtt_ns: 0,
        rtt_ns: ends_round.then_some(rtt_ns),
        window_limited: true,
        after_timeout: false,
    });
}

/// Congestion avoidance with 20 segments on a path of 100 ms.
fn avoiding() -> Vegas {
    let mut c = Vegas::new(MSS, 20 * MSS);
    c.set_ssthresh(20 * MSS);
    ack(&mut c, 100 * MS, true);
    c
}

/// The rest of a round trip's samples, and that of the acknowledgement which ends it.
fn round(c: &mut Vegas, ms: &[u64]) -> u64 {
    let (last, first) = ms.split_last().expect("a sample");
    first.iter().for_each(|rtt| ack(c, rtt * MS, false));
    ack(c, last * MS, true);
    c.cwnd() / MSS
}

/// 20 segments: 110 ms leave 20 * 10 / 110 = 1.8 in queues, less than 2; 120 ms 3.3; 125 ms 4, which is not more than 4;
/// 126 ms 4.13. The mean of the round trip's samples counts.
#[test]
fn the_window_keeps_two_to_four_segments_in_queues() {
    for (samples, then) in [
        (&[100][..], 21),
        (&[110], 21),
        (&[112], 20), // 20 * 12 / 112 = 2.14
        (&[120], 20),
        (&[125], 20),
        (&[126], 19),
        (&[110, 130], 20),      // 120
        (&[110, 146], 19),      // 128: 4.4
        (&[100, 100, 190], 19), // 130: 4.6
    ] {
        assert_eq!(round(&mut avoiding(), samples), then, "{samples:?}");
    }
    let mut tight =
        Vegas::with_config(VegasConfig { alpha: 1, beta: 1, ..VegasConfig::standard() }, MSS, 20 * MSS);
    tight.set_ssthresh(20 * MSS);
    ack(&mut tight, 100 * MS, true);
    assert_eq!(round(&mut tight, &[100]), 21);
    assert_eq!(round(&mut tight, &[106]), 20, "21 * 6 / 106 = 1.19");
}

/// Each round trip is judged by its own samples; the least of all of them is the base.
#[test]
fn the_base_is_the_least_and_the_mean_begins_anew() {
    let mut c = avoiding();
    assert_eq!(round(&mut c, &[126]), 19);
    assert_eq!(round(&mut c, &[113]), 19, "19 * 13 / 113 = 2.2, and not the mean with the last one's");
    assert_eq!(round(&mut c, &[100]), 20);
    // 20 * 12 / 112 held; with a base of 90 it is 20 * 22 / 112 = 3.9, then 20 * 25 / 115 = 4.35.
    assert_eq!(round(&mut c, &[112]), 20);
    assert_eq!(round(&mut c, &[90, 134]), 20);
    assert_eq!(round(&mut c, &[115]), 19);
}

/// 2, 4, 4, 8, 8: every other round trip. 1.23 segments in queues end it with an eighth less. The first acknowledgement of
/// a window ends the round trip of the last one, and counts in it.
#[test]
fn slow_start_doubles_in_every_other_round_trip() {
    let mut c = Vegas::new(MSS, 2 * MSS);
    let mut window = |acks: u64, first: u64, then: u64| {
        ack(&mut c, first * MS, true);
        (1..acks).for_each(|_| ack(&mut c, then * MS, false));
        (c.cwnd() / MSS, c.ssthresh())
    };
    for (acks, then) in [(2, 4), (4, 4), (4, 8), (8, 8), (8, 16)] {
        assert_eq!(window(acks, 100, 100), (then, u64::MAX));
    }
    assert_eq!(window(16, 100, 106), (16, u64::MAX));
    assert_eq!(window(16, 106, 100), (32, u64::MAX), "16 * 6 / 106 = 0.91");
    assert_eq!(window(32, 100, 104), (32, u64::MAX));
    assert_eq!(window(28, 104, 100), (28, 28 * MSS), "32 * 4 / 104 = 1.23");
    assert_eq!(window(29, 100, 100), (29, 28 * MSS), "congestion avoidance: a segment");
}

/// Three quarters, once per round trip; two segments and the half as threshold after a timeout.
#[test]
fn loss_leaves_three_quarters_once_per_round_trip() {
    let mut c = avoiding();
    c.on_delivered(SECOND, MSS);
    c.on_congestion_event(20 * MSS);
    assert_eq!((c.cwnd(), c.ssthresh()), (15 * MSS, 15 * MSS));
    c.on_delivered(SECOND + 100 * MS, MSS);
    c.on_congestion_event(15 * MSS);
    assert_eq!(c.cwnd(), 15 * MSS, "the fine timeout is 100 + 4 * 50 ms");
    c.on_delivered(SECOND + 301 * MS, MSS);
    c.on_congestion_event(15 * MSS);
    assert_eq!(c.cwnd(), 11_250);
    c.on_timeout(11_250, false);
    assert_eq!((c.cwnd(), c.ssthresh()), (2 * MSS, 5_625));
    c.on_timeout(2 * MSS, true);
    assert_eq!((c.cwnd(), c.ssthresh()), (2 * MSS, 5_625));
}

/// 100, 180 ms: mean 100 + 80 / 8 = 110, deviation (3 * 50 + 80) / 4 = 57.5.
#[test]
fn the_fine_timeout_is_of_every_sample() {
    let mut c = Vegas::new(MSS, 2 * MSS);
    assert_eq!(c.fine_timeout_ns(), None);
    c.on_rtt_sample(100 * MS);
    assert_eq!(c.fine_timeout_ns(), Some(300 * MS));
    c.on_rtt_sample(180 * MS);
    assert_eq!(c.fine_timeout_ns(), Some(340 * MS));
}

/// Where something else bounds the sender the window does not grow, and the segments of the round trip count.
#[test]
fn a_window_that_does_not_limit_stays() {
    let mut c = avoiding();
    let unlimited = |c: &mut Vegas, rtt_ns| {
        c.on_rtt_sample(rtt_ns);
        c.on_ack(&Ack {
            now: 0,
            bytes: 5 * MSS,
            srtt_ns: 0,
            rtt_ns: Some(rtt_ns),
            window_limited: false,
            after_timeout: false,
        });
        c.cwnd() / MSS
    };
    assert_eq!(unlimited(&mut c, 100 * MS), 20);
    assert_eq!(unlimited(&mut c, 200 * MS), 20, "5 * 100 / 200 = 2.5");
    assert_eq!(unlimited(&mut c, 501 * MS), 19, "5 * 401 / 501 = 4.002");
}

fn config(congestion: Algorithm, recovery: Recovery) -> Config {
    Config { mss: 1460, recovery, receive_window_segments: 2000, ..Config::stz() }.with_congestion(congestion)
}

const RTT: u64 = 100 * MS;

/// Equal round trips of 100 ms, then a window whose first segment is lost `times` times. Each segment after it comes 2 ms later, up
/// to 2 ms times `most`.
fn lose(congestion: Algorithm, recovery: Recovery, (round_trips, most): (u64, u64), mut times: u32) -> Pair {
    let mut pair = Pair::new(config(congestion, recovery), RTT);
    pair.download(u64::MAX);
    pair.run_to(round_trips * RTT + RTT / 2 + MS);
    let next = pair.down.data().map(|(_, s)| s.seq + u64::from(s.payload)).max().expect("it has sent");
    pair.script_down(move |segment, _| {
        let Some(bytes) = segment.seq.checked_sub(next) else { return Fate::Pass };
        match bytes / 1460 {
            0 if times == 0 => Fate::Pass, // the last retransmission
            0 => {
                times -= 1;
                Fate::Drop
            }
            n => Fate::Late(2 * MS * n.min(most)),
        }
    });
    pair
}

/// Times from the first transmission of the window's oldest segment to its first `times` retransmissions, ns.
fn repeated_after(pair: &mut Pair, times: usize) -> Vec<u64> {
    pair.run_to(pair.now + 4 * RTT);
    let sent: Vec<_> = pair.down.data().map(|(at, segment)| (*at, segment.seq)).collect();
    let mut before = HashMap::new();
    let repeated = sent.iter().find_map(|(at, seq)| Some((before.insert(*seq, *at)?, *seq)));
    let (first, oldest) = repeated.expect("it was sent again");
    let again = sent.iter().filter(|(at, seq)| *seq == oldest && *at > first).map(|(at, _)| at - first);
    again.take(times).collect()
}

/// The oldest segment is 102 ms old when the first duplicate comes, and the fine timeout is 100 ms.
#[test]
fn the_first_duplicate_of_an_overdue_segment_sends_it_again() {
    for recovery in [Recovery::NewReno, Recovery::Reno, Recovery::Sack] {
        let mut vegas = lose(Algorithm::Vegas, recovery, (20, 30), 1);
        assert_eq!(repeated_after(&mut vegas, 1), [102 * MS], "{recovery:?}");
        assert_eq!(vegas.server.stats().timeouts, 0);
        let mut reno = lose(Algorithm::NewReno, recovery, (20, 30), 1);
        assert_eq!(repeated_after(&mut reno, 1), [106 * MS], "{recovery:?}: the third");
    }
}

/// A retransmission that is lost, too: the first duplicate comes 102 ms after the segment, others each 2 ms. The first that finds
/// the retransmission older than the fine timeout of 100 ms, at 204 ms, sends it once more, and no timer expires.
#[test]
fn a_lost_retransmission_of_an_overdue_segment_is_sent_again() {
    for recovery in [Recovery::NewReno, Recovery::Reno, Recovery::Sack] {
        let mut pair = lose(Algorithm::Vegas, recovery, (10, 100), 2);
        assert_eq!(repeated_after(&mut pair, 2), [102 * MS, 204 * MS], "{recovery:?}");
        assert_eq!(pair.server.stats().timeouts, 0, "{recovery:?}");
        assert_eq!(pair.server.stats().recoveries, 1, "{recovery:?}");
    }
}

/// Two duplicates, the first of a segment that is 100 ms old and not overdue, the second 30 ms later: that one is enough.
#[test]
fn the_second_duplicate_of_an_overdue_segment_sends_it_again() {
    for recovery in [Recovery::NewReno, Recovery::Reno, Recovery::Sack] {
        let mut pair = Pair::new(config(Algorithm::Vegas, recovery), RTT);
        pair.download(300 * 1460);
        let first = 1 + 297 * 1460; // three segments before the end
        let mut lost = false;
        pair.script_down(move |segment, _| match segment.seq.checked_sub(first) {
            Some(0) if !std::mem::replace(&mut lost, true) => Fate::Drop,
            Some(2920) => Fate::Late(30 * MS),
            _ => Fate::Pass,
        });
        pair.run_until(10 * SECOND, |pair| pair.client.delivered() == 300 * 1460);
        let times: Vec<_> = pair.down.data().filter(|(_, s)| s.seq == first).map(|(at, _)| *at).collect();
        assert_eq!((times.len(), times[1] - times[0]), (2, 130 * MS), "{recovery:?}");
        assert_eq!(pair.server.stats().timeouts, 0, "{recovery:?}");
    }
}

/// 5 Mb/s, 40 ms, every second three segments of one window are lost, and the first retransmission of the second of them:
/// 59 times in a minute. Each was a timeout when the first duplicate alone was checked.
#[test]
fn several_losses_of_a_window_are_no_timeout() {
    let mut pair = Pair::new(config(Algorithm::Vegas, Recovery::NewReno), 40 * MS);
    pair.down.rate_bps = 5_000_000;
    pair.down.queue_limit = 60;
    pair.download(u64::MAX);
    for second in 1..60 {
        pair.run_to(second * SECOND);
        let next = pair.down.data().map(|(_, s)| s.seq + u64::from(s.payload)).max().expect("it has sent");
        let mut left = [0, 2, 2, 3].map(|n| next + n * 1460).to_vec();
        pair.script_down(move |segment, _| {
            match left.iter().position(|seq| segment.payload > 0 && *seq == segment.seq) {
                Some(at) => {
                    left.swap_remove(at);
                    Fate::Drop
                }
                None => Fate::Pass,
            }
        });
    }
    pair.run_to(60 * SECOND);
    let stats = pair.server.stats();
    println!("{:.3} timeouts a second, {stats:?}", stats.timeouts as f64 / 60.0);
    assert!(stats.recoveries >= 59, "{stats:?}");
    assert!(stats.timeouts <= 3, "at most 0.05 a second: {stats:?}");
}

/// 10 Mb/s, 20 ms: the path holds 16.7 segments. Two to four more wait, and nothing is lost.
#[test]
fn a_bottleneck_has_a_short_queue() {
    let mut pair = Pair::new(config(Algorithm::Vegas, Recovery::NewReno), 20 * MS);
    pair.down.rate_bps = 10_000_000;
    pair.down.queue_limit = 60;
    pair.download(u64::MAX);
    pair.run_to(10 * SECOND);
    pair.down.max_backlog = 0;
    let before = pair.client.delivered();
    pair.run_to(30 * SECOND);
    let rate = (pair.client.delivered() - before) as f64 * 8.0 * 1500.0 / 1460.0 / 20.0;
    println!(
        "{:.3} Mb/s, at most {} in the queue, {:?}",
        rate / 1e6,
        pair.down.max_backlog,
        pair.server.stats()
    );
    assert!(rate > 0.999 * 10e6, "{rate}");
    // And the one being sent.
    assert!((3..=6).contains(&pair.down.max_backlog), "{}", pair.down.max_backlog);
    assert_eq!(pair.server.stats().retransmits, 0);
}
