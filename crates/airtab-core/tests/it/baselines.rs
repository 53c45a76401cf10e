// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! fifo and spq: which packet is next, and which one makes room.

use airtab_core::{Discipline, Params, URGENT};
use proptest::prelude::*;

use crate::host::Host;
use crate::ops::{Op, ops};

const CLASSES: u8 = 2;

fn host(name: &str, limit: u32) -> Host {
    let mut params = Params::new(Discipline::named(name).expect("registered"));
    params.set("limit", &limit.to_string()).expect("in range");
    Host::new(params, 1)
}

/// Under strict priority: urgent, then the classes.
fn level(class: u8) -> u8 {
    if class == URGENT { 0 } else { 1 + class.min(CLASSES - 1) }
}

/// Level and number of every packet queued; `open`: that may go.
fn levels(host: &Host, open: bool) -> impl Iterator<Item = (u8, u32)> {
    let queued = host.queued.iter().filter(move |(_, packet)| !open || host.is_open(packet));
    queued.map(|(&number, packet)| (level(packet.meta.class), number))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fifo_gives_the_oldest_and_drops_the_arrival(ops in ops(4, 20, 100), limit in 1..10u32) {
        let mut host = host("fifo", limit);
        for op in &ops {
            let oldest = host.queued.iter().find(|(_, p)| host.is_open(p)).map(|(&number, _)| number);
            match op {
                Op::Dequeue => prop_assert_eq!(host.dequeue().map(|d| d.0), oldest),
                Op::Enqueue(arrival) => {
                    let full = host.queued.len() == limit as usize;
                    let out = host.enqueue(arrival);
                    prop_assert_eq!(out.dropped, if full { vec![out.number] } else { vec![] });
                }
                Op::Change(_) => {}
                op => host.play(op),
            }
        }
    }

    #[test]
    fn spq_gives_the_first_level_and_drops_the_youngest_of_the_last(
        ops in ops(4, 20, 100),
        limit in 1..10u32,
    ) {
        let mut host = host("spq", limit);
        for op in &ops {
            match op {
                Op::Dequeue => {
                    let first = levels(&host, true).min().map(|p| p.1);
                    prop_assert_eq!(host.dequeue().map(|d| d.0), first);
                }
                Op::Enqueue(arrival) => {
                    let full = host.queued.len() == limit as usize;
                    let last = levels(&host, false).max();
                    let out = host.enqueue(arrival);
                    let class = if out.urgent { URGENT } else { arrival.meta().class.min(CLASSES - 1) };
                    let own = (level(class), out.number);
                    let victim = last.map_or(own, |last| last.max(own)).1;
                    prop_assert_eq!(out.dropped, if full { vec![victim] } else { vec![] });
                }
                Op::Change(_) => {}
                op => host.play(op),
            }
        }
    }
}
