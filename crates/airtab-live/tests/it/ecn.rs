// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Explicit congestion notification (RFC 3168) through the access point, in
//! virtual time: a mark of the discipline is in the bytes that leave, and only in
//! those of packets that allow it; others are dropped. What must leave comes from
//! `common::frames`.

use crate::common;

use std::collections::BTreeSet;

use airtab_live::{AccessPoint, Port};
use common::{EMULATOR, Inner, S, address, deadline::deadline, frames, house, packet, queue};

const N: u32 = 3000;

/// What left of `N` packets of 500 bytes that came at once.
struct Outcome {
    /// Sent with this codepoint, and left with CE though it was not sent so.
    marked: [usize; 4],
    /// Number of the first one.
    first: Option<u32>,
    missing: BTreeSet<u32>,
    dropped: u64,
    marks: f64,
}

/// Packet `i` has codepoint `codepoints(i)`; from the access point, a server or a
/// station to the second station.
fn flood(spec: &str, six: bool, from: usize, codepoints: fn(u32) -> u8) -> Outcome {
    let mut ap = AccessPoint::new(house("ecn", EMULATOR, "queue = 4000"), &queue(spec), 1).unwrap();
    let port = [(1, Port::Internet), (2, Port::Station(0)), (4, Port::AccessPoint)];
    let port = port.into_iter().find(|p| p.0 == from).unwrap().1;
    let sent: Vec<_> = (0..N)
        .map(|i| packet(address(from, six), address(3, six), Inner::Tcp, 4321, codepoints(i), 500, i))
        .collect();
    sent.iter().for_each(|bytes| ap.receive(port, bytes, 0));
    ap.advance(10 * S);
    let mut outcome =
        Outcome { marked: [0; 4], first: None, missing: (0..N).collect(), dropped: 0, marks: 0.0 };
    while let Some((to, _, bytes)) = ap.transmit() {
        assert_eq!(to, Port::Station(1));
        let i = u32::from_be_bytes(*bytes.last_chunk().unwrap());
        assert!(outcome.missing.remove(&i), "no packet twice");
        let whole = &sent[i as usize];
        if bytes != whole {
            assert_ne!(frames::ecn(whole), 0, "marked without consent: {i}");
            assert_eq!(bytes, frames::with_ce(whole), "a mark and nothing else: {i}");
            outcome.marked[usize::from(frames::ecn(whole))] += 1;
            outcome.first.get_or_insert(i);
        }
    }
    let snapshot = ap.snapshot();
    assert_eq!((snapshot.books.inside, snapshot.qdisc.packets), (0, 0));
    assert_eq!(snapshot.books.dropped, outcome.missing.len() as u64);
    outcome.dropped = snapshot.qdisc.dropped.get("aqm").copied().unwrap_or(0);
    outcome.marks = snapshot.qdisc.stats.iter().find(|s| s.name == "marks").map_or(0.0, |s| s.value);
    outcome
}

const QUEUES: [&str; 2] = ["fq_codel", "chap:target=5ms:limit=4000"];

/// Every discipline that marks, both families, and every way that leads through the queue.
#[test]
fn a_mark_leaves_in_the_bytes() {
    let _in_time = deadline(300);
    for spec in QUEUES {
        for (six, from) in [(false, 4), (true, 4), (false, 1), (true, 1), (false, 2), (true, 2)] {
            let all = format!("{spec}, IPv6 {six}, from {from}");
            // ECT(0), ECT(1) and CE: none is lost.
            let outcome = flood(spec, six, from, |i| 1 + (i % 3) as u8);
            assert!(outcome.missing.is_empty(), "{all}: {:?}", outcome.missing);
            assert!(outcome.marked[1] > 0 && outcome.marked[2] > 0, "{all}: {:?}", outcome.marked);
            assert_eq!((outcome.marked[0], outcome.marked[3]), (0, 0));
            // Not ECT: what would have been marked is dropped.
            let outcome = flood(spec, six, from, |_| 0);
            assert_eq!(outcome.marked, [0; 4], "{all}");
            assert!(outcome.dropped > 0 && outcome.dropped == outcome.missing.len() as u64, "{all}");
            // Side by side in one flow.
            let outcome = flood(spec, six, from, |i| (i % 2 * 2) as u8);
            assert!(outcome.marked[2] > 0 && outcome.marked[1] + outcome.marked[3] == 0, "{all}");
            assert!(outcome.missing.iter().all(|i| i % 2 == 0) && !outcome.missing.is_empty(), "{all}");
        }
    }
}

/// CoDel's first decision, by hand. A packet of 500 bytes takes DIFS 50 + (500 + 34) * 8 / 54 +
/// SIFS 10 + ACK 112 = 251.111 us, so packet n waits n times that. Packet 20 is the first to wait
/// 5 ms (5.022); 100 ms later, at 105.022 ms, the next to leave is number 419 (105.216 ms).
#[test]
fn the_first_mark_is_where_codel_puts_it() {
    let _in_time = deadline(300);
    for spec in QUEUES {
        for six in [false, true] {
            let outcome = flood(spec, six, 4, |_| 2);
            assert_eq!(outcome.first, Some(419), "{spec}");
            assert_eq!(outcome.marks, outcome.marked[2] as f64, "each mark is in a packet");
        }
    }
}

/// A discipline that was told not to marks nothing, and one that never does, too.
#[test]
fn no_mark_where_none_was_made() {
    let _in_time = deadline(300);
    for spec in ["fq_codel:ecn=off", "chap:target=off:limit=4000", "fifo:limit=4000"] {
        let outcome = flood(spec, false, 4, |_| 2);
        assert_eq!(outcome.marked, [0; 4], "{spec}");
    }
}
