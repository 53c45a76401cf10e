// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Westwood+ against the rule of Grieco and Mascolo (CCR 34(2), 2004, section 2), and what it is for.

use super::pair::{Fate, MS, Pair, SECOND};
use airtab_sim::tcp::congestion::{Ack, Congestion, NewReno, Westwood, WestwoodFilter};
use airtab_sim::tcp::{Algorithm, Config, Recovery};

const MSS: u64 = 1000;

/// A window of 100 segments on a path of 100 ms, which has delivered `bytes` in each 10 ms of a first round trip: that is
/// the rate.
fn seen(bytes: u64) -> Westwood {
    let mut c = Westwood::new(MSS, 100 * MSS);
    c.on_rtt_sample(100 * MS);
    (0..=10).for_each(|i| c.on_delivered(i * 10 * MS, bytes));
    c
}

/// 4000 bytes in 10 ms are 40,000 in the least round trip: that is left of 100,000. A round trip more of 8000 counts a
/// tenth: 44,000. A longer one changes when the next estimate is made, and not the least.
#[test]
fn loss_leaves_what_the_path_has_carried() {
    let mut c = seen(4 * MSS);
    let mut lost = c.clone();
    lost.on_congestion_event(100 * MSS);
    assert_eq!((lost.cwnd(), lost.ssthresh()), (40 * MSS, 40 * MSS));
    (11..=20).for_each(|i| c.on_delivered(i * 10 * MS, 8 * MSS));
    c.on_rtt_sample(150 * MS);
    (21..=34).for_each(|i| c.on_delivered(i * 10 * MS, MSS)); // not over yet
    c.on_congestion_event(100 * MSS);
    assert_eq!((c.cwnd(), c.ssthresh()), (44 * MSS, 44 * MSS));
    // 15,000 bytes in 150 ms: 0.9 * 440,000 + 0.1 * 100,000 bytes/s.
    c.on_delivered(350 * MS, MSS);
    c.on_congestion_event(100 * MSS);
    assert_eq!(c.ssthresh(), 40_600);
}

/// A timeout: one segment, and the threshold once; a second one for the same data leaves it.
#[test]
fn a_timeout_leaves_the_threshold() {
    let mut c = seen(4 * MSS);
    c.on_timeout(100 * MSS, false);
    assert_eq!((c.cwnd(), c.ssthresh()), (MSS, 40 * MSS));
    (11..=20).for_each(|i| c.on_delivered(i * 10 * MS, 0));
    c.on_timeout(MSS, true);
    assert_eq!((c.cwnd(), c.ssthresh()), (MSS, 40 * MSS));
    // Two segments at the least.
    let mut slow = seen(10);
    slow.on_timeout(100 * MSS, false);
    assert_eq!(slow.ssthresh(), 2 * MSS);
}

/// More than the window: the window stays, slow start goes on to the threshold.
#[test]
fn a_window_below_the_estimate_stays() {
    let mut c = seen(4 * MSS);
    c.on_idle(20 * MSS);
    c.on_congestion_event(20 * MSS);
    assert_eq!((c.cwnd(), c.ssthresh()), (20 * MSS, 40 * MSS));
}

/// Idle time is no round trip; without an estimate it is NewReno.
#[test]
fn what_is_not_known_does_not_count() {
    let mut c = seen(4 * MSS);
    c.on_idle(100 * MSS);
    (0..=10).for_each(|i| c.on_delivered(100 * SECOND + i * 10 * MS, 4 * MSS));
    c.on_congestion_event(100 * MSS);
    assert_eq!(c.ssthresh(), 40 * MSS);
    let (mut new, mut reno) = (Westwood::new(MSS, 30 * MSS), NewReno::new(MSS, 30 * MSS));
    for c in [&mut new as &mut dyn Congestion, &mut reno] {
        c.on_congestion_event(30 * MSS);
        let ack = Ack {
            now: 0,
            bytes: 9 * MSS,
            srtt_ns: 0,
            rtt_ns: None,
            window_limited: true,
            after_timeout: false,
        };
        (0..5).for_each(|_| c.on_ack(&ack));
    }
    assert_eq!((new.cwnd(), new.ssthresh()), (reno.cwnd(), reno.ssthresh()));
}

/// Westwood's own filter, tau 0.5 s (Mascolo and others, MobiCom 2001). Samples of 100,000 bytes/s each 100 ms have a =
/// 0.9 / 1.1; after 250 ms, and 250 more, without any, one of nothing has a = 0.6. What comes at one time is one sample.
#[test]
fn the_filter_of_each_acknowledgement() {
    let mut c = Westwood::with_filter(WestwoodFilter::EachAck, MSS, 100 * MSS);
    c.on_rtt_sample(100 * MS);
    c.on_delivered(0, MSS);
    assert_eq!(c.rate(), None, "what came before is unknown");
    let a: f64 = 0.9 / 1.1;
    let first = (1.0 - a) * 50_000.0;
    let second = a * first + (1.0 - a) * 100_000.0;
    let third = a * second + (1.0 - a) * 100_000.0;
    let silent = 0.6 * (0.6 * third + 0.4 * 50_000.0);
    let last = a * silent + (1.0 - a) * 30_000.0;
    for (at, bytes, rate) in
        [(100, 10, first), (200, 10, second), (200, 5, second), (300, 5, third), (900, 6, last)]
    {
        c.on_delivered(at * MS, bytes * MSS);
        let seen = c.rate().expect("there is one");
        assert!((seen as f64 - rate).abs() < 1.0, "{at} ms: {seen} {rate}");
    }
    c.on_congestion_event(100 * MSS);
    assert_eq!(c.ssthresh(), 2_680, "26,802 bytes a second in 100 ms");
}

/// Every hundredth segment is lost on the way, 10 Mb/s, 100 ms: Reno's window is that of the losses, some 14 segments
/// (Mathis: 1.22 / sqrt(0.01)), of 83 that the path holds. What duplicates, or the acknowledgements of a recovery, deliver
/// has to count for that.
#[test]
fn losses_that_no_queue_caused_cost_little() {
    let goodput = |congestion, recovery| {
        let config = Config { congestion, recovery, ..Config::home() };
        let mut pair = Pair::new(config, 100 * MS);
        pair.down.rate_bps = 10_000_000;
        pair.script_down(
            |segment, n| if segment.payload > 0 && n % 100 == 99 { Fate::Drop } else { Fate::Pass },
        );
        pair.download(u64::MAX);
        pair.run_to(60 * SECOND);
        pair.client.delivered() as f64 * 8.0 / 60.0 / 1e6
    };
    for recovery in [Recovery::Sack, Recovery::NewReno] {
        let of = |congestion| goodput(congestion, recovery);
        let (westwood, reno) = (of(Algorithm::Westwood), of(Algorithm::NewReno));
        println!("{recovery:?}: Westwood+ {westwood:.2}, NewReno {reno:.2} Mb/s");
        assert!(westwood > 1.4 * reno, "{recovery:?}: {westwood} {reno}");
    }
}
