// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Records of flows: who gets one, who gives one up, and that sums stay.

use super::*;
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
