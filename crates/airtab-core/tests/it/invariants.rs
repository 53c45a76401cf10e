// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What every registered discipline keeps under any sequence of operations.
//! `Host` asserts most of it at every step.

use airtab_core::{Discipline, GROUP, Meta, Params, Tx, URGENT, disciplines};
use proptest::prelude::*;

use crate::host::Host;
use crate::ops::{self, Op, ops};

/// The backlog column accounts for every packet queued.
fn backlog_adds_up(host: &Host) {
    if !host.columns.contains(&"backlog") {
        return;
    }
    let rows = host.rows();
    assert_eq!(rows.iter().map(|r| r["backlog"]).sum::<u64>(), host.queued.len() as u64);
    if host.discipline().name() != "chap" {
        return;
    }
    for row in rows {
        let own = host.queued.values().filter(|p| match p.meta {
            Meta { class: URGENT, .. } => row["flow"] == (1 << 32) + 1,
            Meta { sta: GROUP, .. } => row["flow"] == 1 << 32,
            Meta { flow, .. } => row["flow"] == flow.into(),
        });
        let bytes: Vec<_> = own.map(|p| u64::from(p.meta.bytes)).collect();
        assert_eq!((row["backlog"], row["backlog_bytes"]), (bytes.len() as u64, bytes.iter().sum()));
    }
}

/// A flow's credit is never above its fixpoint 2I (CHAP dissertation 5.4), and outside
/// `faithful` never below -10I. `faithful` caps nothing: there, a credit from
/// before I became smaller is halved towards the new fixpoint.
fn credits_are_bounded(host: &Host) {
    let Some(increment) = host.param("increment") else { return };
    let faithful = host.param("profile") == Some(1);
    let top = 2 * increment as i64;
    let bottom = if faithful { i64::MIN } else { -10 * increment as i64 };
    for row in host.rows().iter().filter(|r| r["flow"] <= 1 << 32) {
        let credit = row["credit"] as i64;
        assert!((bottom..=top).contains(&credit), "credit {credit}, I {increment}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Every packet comes back once, in the order of its flow, with a true
    /// verdict; books, limits and tables hold.
    #[test]
    fn books_order_limits_and_tables(ops in ops(12, 43, 400), seed in any::<u64>()) {
        for discipline in disciplines() {
            let mut host = Host::new(ops::params(discipline, seed, None), seed);
            for op in &ops {
                host.play(op);
                backlog_adds_up(&host);
                credits_are_bounded(&host);
            }
            host.open_all();
            while host.dequeue().is_some() || (!host.queued.is_empty() && host.waits()) {}
            prop_assert!(host.queued.is_empty());
        }
    }

    /// Reports are all the same to the books: late, repeated, stale or none.
    #[test]
    fn a_repeated_report_changes_nothing(ops in ops(4, 30, 100)) {
        let mut host = Host::new(Params::new(Discipline::named("chap").unwrap()), 1);
        let tx = Tx { air: 282_000, span: 300_000, attempts: 1, acked: true };
        for op in &ops {
            host.play(op);
            let Some(&ticket) = host.tickets.last() else { continue };
            host.sent(ticket, &tx);
            let rows = host.rows();
            host.sent(ticket, &Tx { air: 50_000_000, ..tx });
            prop_assert_eq!(rows, host.rows());
        }
    }

    /// Same seed and same calls, same packets.
    #[test]
    fn a_discipline_is_a_function_of_its_calls(ops in ops(12, 43, 200), seed in any::<u64>()) {
        for discipline in disciplines() {
            let params = ops::params(discipline, seed, None);
            let [mut a, mut b] = [Host::new(params.clone(), seed), Host::new(params, seed)];
            for op in &ops {
                if let Op::Dequeue = op {
                    prop_assert_eq!(a.dequeue().map(|o| (o.0, o.2)), b.dequeue().map(|o| (o.0, o.2)));
                } else {
                    a.play(op);
                    b.play(op);
                }
            }
            prop_assert!(a.queued.keys().eq(b.queued.keys()));
        }
    }
}
