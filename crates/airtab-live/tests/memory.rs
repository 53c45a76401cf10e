// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An access point's memory does not grow with what is done to it: here in virtual
//! time, by the hour; `soak.rs` has real houses.
//!
//! One test alone: its memory is the process's.

#[path = "it/common/mod.rs"]
mod common;

use std::collections::VecDeque;

use airtab_live::{AccessPoint, Port};
use airtab_sim::wifi::Loss;
use common::{Inner, MS, address, deadline::deadline, house, packet, queue, resident_kb};

/// Memory may grow by so much after every discipline has run four times.
const GROWTH_KB: u64 = 512;

/// 10,000 changes of the discipline, and a third as many of a station, under
/// traffic take the room of the first sixteen. What is kept between them, a record
/// and the last snapshots, lies between the disciplines' own memory, and must not
/// make it useless for the next ones.
#[test]
fn ten_thousand_changes_take_no_memory() {
    let _in_time = deadline(300);
    let mut ap = AccessPoint::new(house("memory", "", ""), &queue("chap"), 1).expect("it is built");
    let disciplines = ["fq_codel:limit=1000", "spq:limit=200", "fifo:limit=1000", "chap"];
    let (mut settled, mut shown) = (0, VecDeque::new());
    for n in 0..10_000usize {
        let now = 250 * MS * n as u64;
        ap.advance(now);
        for id in 0..20 {
            let (server, laptop) = (address(1, false), address(3, false));
            ap.receive(Port::Internet, &packet(server, laptop, Inner::Udp, id as u16, 0, 1000, id), now);
        }
        ap.advance(now + 15 * MS);
        ap.set_queue(&queue(disciplines[n % 4])).expect("its parameters are good");
        if n % 3 == 0 {
            ap.set_station(1, 6_000 + n as u32 % 2, Loss::Fer(0.0));
        }
        while ap.transmit().is_some() {}
        // As readers keep the last ones.
        shown.push_back(ap.snapshot());
        if shown.len() > 2 {
            shown.pop_front();
        }
        if n == 15 {
            settled = resident_kb();
        }
    }
    let kb = resident_kb();
    assert!(kb <= settled + GROWTH_KB, "{kb} kB, after sixteen changes {settled} kB");
    assert!(shown.iter().all(|snapshot| snapshot.books.balanced()));

    // The first ones are remembered, and that there were more: three rounds make four.
    let changes = ap.changes();
    assert_eq!(changes.len(), 257);
    assert_eq!(changes[255].what, "the discipline became chap");
    assert_eq!(changes[256].what, "came further changes");
    assert_eq!(changes[256].at_ns, (192 * 250 + 15) * MS);
}
