// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Records of flows: who gets one, who gives one up, and that sums stay.

use super::*;
use crate::frames::{Ip, TcpHeader};
use crate::packet::parse;
use airtab_core::time::{MS, SECOND as S};
use std::net::{IpAddr, Ipv4Addr};

fn key(port: u16) -> FlowKey {
    let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
    FlowKey { near: (address, port), far: (address, 80), protocol: 6 }
}

/// A packet of a flow that passes at once.
fn pass(flows: &mut Flows, port: u16, now: u64) -> u32 {
    let (number, hash) = flows.enter(key(port), None, 0, now);
    assert_eq!(hash, key(port).hash(1), "a hash of its own, whatever its record");
    flows.tally(number).totals.down_bytes += 100;
    flows.leave(number, now);
    number
}

/// Each in its own record, one a microsecond from `from` on.
fn flood(flows: &mut Flows, ports: std::ops::Range<u16>, from: u64) -> u64 {
    ports
        .zip(0..)
        .map(|(port, i)| {
            pass(flows, port, from + i * 1000);
            from + i * 1000
        })
        .last()
        .unwrap()
}

fn known(flows: &Flows, port: u16) -> bool {
    flows.numbers.contains_key(&key(port))
}

fn counted(flows: &mut Flows) -> u64 {
    flows.iter_mut().map(|flow| flow.tally.totals.down_bytes).sum()
}

#[test]
fn the_longest_silent_record_goes_when_a_new_flow_needs_it() {
    let mut flows = Flows::new(1);
    let end = flood(&mut flows, 0..LIMIT as u16, 0);
    assert_eq!(pass(&mut flows, 60_000, end), 0, "the air may still speak of all of them");
    // The first and the third of the flood speak again.
    pass(&mut flows, 0, end + 1);
    pass(&mut flows, 2, end + 2);
    let later = end + GRACE_NS;
    for (new, old) in [(60_000, 1), (60_001, 3), (60_002, 4)] {
        assert!(known(&flows, old));
        assert!(pass(&mut flows, new, later) > 0);
        assert!(known(&flows, new) && !known(&flows, old), "{old} was silent longest");
        assert_eq!(flows.numbers.len(), LIMIT);
    }
    assert!(known(&flows, 0) && known(&flows, 2));
    assert_eq!(counted(&mut flows), 100 * (LIMIT as u64 + 1 + 2 + 3), "nothing is lost in the sum");
}

/// Whatever many new flows come, and however fast.
#[test]
fn a_flood_takes_no_record_of_a_flow_that_has_lasted() {
    let mut flows = Flows::new(1);
    // A game that sends every 40 ms, and a page every 5 s; and a flow whose
    // packet is on its way all the time.
    let (game, page, held) = (50_000, 50_001, 50_002);
    flows.enter(key(held), None, 0, 0);
    pass(&mut flows, game, 0);
    pass(&mut flows, page, 0);
    pass(&mut flows, page, LASTED_NS);
    let mut port = 0;
    for ms in 0..20_000 {
        for _ in 0..20 {
            port = (port + 1) % 45_000;
            pass(&mut flows, port, (1000 + ms) * MS);
        }
        if ms % 40 == 0 {
            assert!(pass(&mut flows, game, (1000 + ms) * MS) > 0);
        }
        if ms % 5000 == 0 {
            assert!(pass(&mut flows, page, (1000 + ms) * MS) > 0);
        }
        assert!(known(&flows, game) && known(&flows, page) && known(&flows, held), "{ms} ms");
    }
    assert_eq!(flows.numbers.len(), LIMIT);
    let others = flows.get(0).tally.totals.down_bytes;
    assert!(others > 100 * (20 * 20_000 - LIMIT as u64), "{others}");
    assert_eq!(counted(&mut flows), 100 * (20 * 20_000 + 3 + 500 + 4));
    flows.leave(flows.numbers[&key(held)], 22 * S);
}

/// A flood of flows that have lasted, too, must not keep all records when it
/// is over.
#[test]
fn after_a_flood_that_lasted_new_flows_are_known_at_once() {
    let mut flows = Flows::new(1);
    flood(&mut flows, 0..LIMIT as u16, 0);
    let end = flood(&mut flows, 0..LIMIT as u16, 2 * S);
    assert_eq!((flows.brief.len(), flows.lasting.len()), (0, LIMIT));
    for (i, ms) in [100, 200, 5_000, 10_001, 10_002].into_iter().enumerate() {
        let port = 60_000 + i as u16;
        assert!(pass(&mut flows, port, end + ms * MS) > 0, "{ms} ms after");
        assert!(known(&flows, port));
    }
    // 10 s after, those of the flood go before those that came since.
    assert!(known(&flows, 60_002) && known(&flows, 60_003) && known(&flows, 60_004));
}

/// A packet that waits long in a queue makes no flow that lasts.
#[test]
fn waiting_is_not_lasting() {
    let mut flows = Flows::new(1);
    for port in 0..100 {
        flows.enter(key(port), None, 0, 0);
    }
    for port in 0..100 {
        flows.leave(flows.numbers[&key(port)], 5 * S);
    }
    assert_eq!((flows.brief.len(), flows.lasting.len()), (100, 0));
}

#[test]
fn where_nobody_is_silent_new_flows_share_a_record() {
    let mut flows = Flows::new(1);
    let numbers: Vec<u32> = (0..LIMIT as u16).map(|port| flows.enter(key(port), None, 0, 0).0).collect();
    assert!(numbers.iter().all(|n| *n > 0));
    assert_eq!(pass(&mut flows, 60_000, IDLE_NS), 0);
    flows.sweep(2 * IDLE_NS);
    assert_eq!(flows.numbers.len(), LIMIT, "none is forgotten with a packet on its way");
    numbers.into_iter().for_each(|n| flows.leave(n, 2 * IDLE_NS));
    flows.sweep(3 * IDLE_NS);
    assert_eq!(flows.numbers.len(), LIMIT);
    for swept in 1..=LIMIT / SWEPT {
        flows.sweep(3 * IDLE_NS + 1);
        assert_eq!(flows.numbers.len(), LIMIT - swept * SWEPT, "some at a time");
    }
    assert_eq!((flows.numbers.len(), flows.brief.len(), flows.lasting.len()), (0, 0, 0));
    assert_eq!(counted(&mut flows), 100, "and what was counted stays");
    assert!(pass(&mut flows, 1, 4 * IDLE_NS) > 0);
}

/// Of what a record had counted, only what is of this interval is a rate.
#[test]
fn a_record_that_goes_adds_no_burst_to_the_rates() {
    let mut flows = Flows::new(1);
    for port in 0..LIMIT as u16 {
        pass(&mut flows, port, 0);
    }
    assert_eq!(flows.busiest(usize::MAX).len(), LIMIT);
    let number = flows.numbers[&key(0)];
    flows.tally(number).totals.down_bytes += 50;
    flows.tally(number).waited(2_000_000);
    for new in 0..10 {
        assert!(pass(&mut flows, 60_000 + new, S) > 0);
    }
    assert_eq!(flows.busiest(1), [0]);
    let rates = flows.seen(0).tally.rates(1.0);
    assert_eq!(rates.down_bps, 400.0, "50 bytes in this second, not 1050");
    assert!((rates.sojourn_p50_s - 0.002).abs() < 5e-5, "{}", rates.sojourn_p50_s);
    assert_eq!(flows.get(0).tally.totals.down_bytes, 1050);
}

#[test]
fn rates_are_of_the_interval() {
    let mut tally = Tally::new();
    tally.totals.down_bytes = 1000;
    tally.totals.frames = 2;
    tally.totals.attempts = 3;
    tally.waited(1_000_000);
    let rates = tally.rates(2.0);
    assert_eq!((rates.down_bps, rates.attempts_mean), (4000.0, 1.5));
    assert!((rates.sojourn_p50_s - 0.001).abs() < 2e-5);
    assert_eq!((tally.air_ns(0), tally.rates(1.0)), (None, Rates::default()));
}

/// A record's interval begins with the first that is counted in it, and is no other's.
#[test]
fn the_busiest_flows_of_an_interval_are_seen() {
    let mut flows = Flows::new(1);
    let send = |flows: &mut Flows, port: u16, air_ns: u64| {
        let number = pass(flows, port, S);
        flows.tally(number).totals.down_air_ns += air_ns;
        flows.tally(number).waited(air_ns);
        number
    };
    let numbers: Vec<u32> = (1..=50).map(|i| send(&mut flows, i, MS * u64::from(i))).collect();
    let expected: Vec<u32> = numbers.iter().rev().copied().take(20).collect();
    assert_eq!(flows.busiest(20), expected, "most air first");
    flows.interval -= 1;
    let all: Vec<u32> = numbers.iter().rev().copied().collect();
    for most in [50, 51] {
        assert_eq!(flows.busiest(most), all, "all, if there are no more");
        flows.interval -= 1;
    }
    flows.interval += 1;
    // Nothing of theirs is left in the next interval; one sends less than before, one waits.
    send(&mut flows, 7, 3 * MS);
    send(&mut flows, 9, 4 * MS);
    flows.tally(numbers[3]).backlog += 1;
    assert_eq!(flows.busiest(20), [numbers[8], numbers[6], numbers[3]]);
    let rates = flows.seen(numbers[6]).tally.rates(1.0);
    assert_eq!((rates.down_air_ratio, rates.down_bps), (0.003, 800.0), "of this interval");
    assert!((rates.sojourn_p99_s - 0.003).abs() < 5e-5, "{}", rates.sojourn_p99_s);
    // It still waits, and nothing else is said of it.
    assert_eq!(flows.busiest(20), [numbers[3]]);
    assert_eq!(flows.seen(numbers[3]).tally.rates(1.0), Rates::default());
    assert_eq!(flows.seen(numbers[0]).tally.totals.down_air_ns, MS);
}

/// Totals whose fields are multiples of `n` that differ from each other.
fn totals(n: u64) -> Totals {
    Totals {
        down_bytes: n,
        up_bytes: 2 * n,
        down_air_ns: 3 * n,
        up_air_ns: 5 * n,
        frames: 7 * n,
        attempts: 11 * n,
        dropped: 13 * n,
        lost: 17 * n,
        uplink_dropped: 19 * n,
    }
}

#[test]
fn each_rate_is_the_rise_of_its_own_counter() {
    let mut tally = Tally::new();
    tally.totals = totals(1_000_000);
    tally.waited(8 * MS);
    tally.rates(1.0);
    tally.totals = Totals {
        down_bytes: 1_000_000 + 3000,
        up_bytes: 2_000_000 + 500,
        down_air_ns: 3_000_000 + 800 * MS,
        up_air_ns: 5_000_000 + 100 * MS,
        frames: 7_000_000 + 4,
        attempts: 11_000_000 + 10,
        dropped: 13_000_000 + 5,
        lost: 17_000_000 + 100,
        uplink_dropped: 19_000_000 + 3,
    };
    [MS, MS, MS, 9 * MS].into_iter().for_each(|ns| tally.waited(ns));
    assert_eq!(tally.air_ns(0), Some(900 * MS), "both directions");
    let rates = tally.rates(2.0);
    assert_eq!((rates.down_bps, rates.up_bps), (12_000.0, 2_000.0));
    assert!((rates.down_air_ratio - 0.4).abs() < 1e-12 && (rates.up_air_ratio - 0.05).abs() < 1e-12);
    assert_eq!((rates.attempts_mean, rates.drops_per_s), (2.5, 4.0), "losses on the air are no drops");
    assert!((rates.sojourn_p50_s - 0.001).abs() < 2e-5 && (rates.sojourn_p99_s - 0.009).abs() < 1e-4);
}

/// Each of its counters goes to record 0, the backlog of the others stays with them.
#[test]
fn a_record_that_goes_leaves_every_counter_to_the_others() {
    let mut flows = Flows::new(1);
    let mut sum = 0;
    for (port, n) in [(1, 1), (2, 10), (3, 100)] {
        let number = pass(&mut flows, port, 0);
        flows.tally(number).totals = totals(n);
        sum += n;
    }
    flows.tally(0).totals = totals(1000);
    flows.sweep(IDLE_NS + 1);
    assert_eq!(flows.numbers.len(), 0);
    assert_eq!(flows.get(0).tally.totals, totals(1000 + sum));
}

/// Flows that have lasted are idle after the same time, whether those that have not are or are not.
#[test]
fn idle_flows_of_both_sorts_are_forgotten() {
    for (brief, left) in [(100 * S, [false, true]), (0, [false, false]), (2 * S, [true, false])] {
        let mut flows = Flows::new(1);
        let (game, other) = (50_000, 50_001);
        pass(&mut flows, game, 0);
        let last = if left[0] { 100 * S } else { S };
        pass(&mut flows, game, last);
        pass(&mut flows, other, brief);
        assert_eq!((flows.brief.len(), flows.lasting.len()), (1, 1));
        flows.sweep(100 * S);
        assert_eq!([game, other].map(|port| known(&flows, port)), left, "{brief}");
    }
}

/// A segment with so much payload and these flags.
fn segment(payload: usize, flags: u8) -> Parsed {
    let header = TcpHeader { flags, ..TcpHeader::default() };
    let ends = [1, 2].map(|i| IpAddr::V4(Ipv4Addr::new(10, 0, 0, i)));
    parse(&Ip::new(ends[0], ends[1]).tcp(&header, &vec![7; payload])).expect("a segment")
}

#[test]
fn a_server_answers_the_latest_request_of_the_same_flow() {
    const ACK: u8 = 0x10;
    let mut flows = Flows::new(1);
    let [a, b] = [1, 2].map(|port| flows.enter(key(port), None, 0, 0).0);
    flows.asked(a, &segment(9, ACK), 10);
    flows.asked(a, &segment(9, ACK), 30);
    flows.asked(a, &segment(0, ACK), 35);
    flows.asked(b, &segment(0, SYN), 40);
    assert_eq!(flows.answered(a, &segment(0, ACK), 90), None, "an acknowledgement is no answer");
    assert_eq!(flows.answered(b, &segment(0, SYN | ACK), 100), Some(60));
    assert_eq!(flows.answered(a, &segment(1, ACK), 100), Some(70));
    assert_eq!(flows.answered(a, &segment(1, ACK), 110), None, "one answer");
    // What flows without a record ask is not known.
    flows.asked(0, &segment(9, ACK), 120);
    assert_eq!(flows.answered(0, &segment(9, ACK), 130), None);
    // UDP asks nothing.
    flows.asked(a, &Parsed { tcp: None, ..segment(9, ACK) }, 140);
    assert_eq!(flows.answered(a, &segment(1, ACK), 150), None);
}

/// To the nanosecond: one that has lasted goes after 10 s of silence, before any other; another one after 100 ms.
#[test]
fn a_record_is_taken_after_its_silence_and_not_before() {
    let (lasting, brief, new) = (50_000, 50_001, 60_000);
    // How long the two are silent, which of them has the record of the new flow.
    for (lasting_ns, brief_ns, taken) in [
        (None, Some(GRACE_NS - 1), None),
        (None, Some(GRACE_NS), Some(brief)),
        (Some(GRACE_NS - 1), None, None),
        (Some(GRACE_NS), None, Some(lasting)),
        (Some(KEEP_NS - 1), Some(GRACE_NS), Some(brief)),
        (Some(KEEP_NS), Some(GRACE_NS), Some(lasting)),
        (Some(KEEP_NS - 1), Some(GRACE_NS - 1), Some(lasting)),
    ] {
        let mut flows = Flows::new(1);
        let now = 30 * S;
        for (port, ns) in [(lasting, lasting_ns), (brief, brief_ns)] {
            if let Some(ns) = ns {
                pass(&mut flows, port, now - ns - if port == lasting { S } else { 0 });
                pass(&mut flows, port, now - ns);
            }
        }
        let silent = flows.numbers.len();
        (0..(LIMIT - silent) as u16).for_each(|port| _ = flows.enter(key(port), None, 0, now));
        let number = pass(&mut flows, new, now);
        assert_eq!(number > 0, taken.is_some(), "{lasting_ns:?} {brief_ns:?}");
        let gone = [lasting, brief].into_iter().filter(|port| !known(&flows, *port));
        let never = 2 - silent;
        assert_eq!(gone.count(), never + usize::from(taken.is_some()));
        assert!(taken.is_none_or(|taken| !known(&flows, taken)), "{lasting_ns:?} {brief_ns:?}");
        assert_eq!(flows.flows.len(), LIMIT + 1, "a record is used again");
    }
}

/// An airtime report for a packet that has left begins an interval, as a packet does.
#[test]
fn airtime_told_later_is_of_the_interval_in_which_it_is_told() {
    let mut flows = Flows::new(1);
    let number = pass(&mut flows, 1, 0);
    flows.tally(number).totals.down_air_ns += 5 * MS;
    flows.tally(number).waited(7 * MS);
    flows.busiest(20);
    flows.tally_if_known(number).unwrap().totals.down_air_ns += MS;
    assert!(flows.tally_if_known(number + 1).is_none() && flows.app(number + 1).is_none());
    assert_eq!(flows.busiest(20), [number]);
    let rates = flows.seen(number).tally.rates(1.0);
    assert_eq!((rates.down_air_ratio, rates.down_bps, rates.sojourn_p99_s), (0.001, 0.0, 0.0));
}

/// One whose packets only wait is shown, without what it did in the interval before.
#[test]
fn a_flow_that_waits_has_no_rates_of_the_interval_before() {
    let mut flows = Flows::new(1);
    let number = pass(&mut flows, 1, 0);
    flows.tally(number).backlog = 2;
    flows.tally(number).waited(7 * MS);
    // Not shown in its first interval: another one has more airtime.
    let other = pass(&mut flows, 2, 0);
    flows.tally(other).totals.up_air_ns += MS;
    assert_eq!(flows.busiest(1), [other]);
    assert_eq!(flows.busiest(1), [number]);
    assert_eq!(flows.seen(number).tally.rates(1.0), Rates::default());
}
