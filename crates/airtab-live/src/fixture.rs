// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Snapshots for tests: invented, two seconds of a plausible evening.

use crate::snapshot::Snapshot;

/// One snapshot a line.
pub const EVENING: &str = include_str!("../fixtures/evening.jsonl");

/// Two snapshots, one second apart.
pub fn evening() -> [Snapshot; 2] {
    let mut lines = EVENING.lines().map(|line| serde_json::from_str(line).expect("a snapshot a line"));
    [lines.next().expect("two lines"), lines.next().expect("two lines")]
}

#[test]
fn the_fixture_is_one_that_an_access_point_could_give() {
    for s in evening() {
        assert!(s.books.balanced());
        let air = &s.air;
        let parts = [air.down_ratio, air.up_ratio, air.collision_ratio, air.beacon_ratio, air.idle_ratio];
        assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
        let t = &s.air_totals;
        let all = t.down_ns + t.up_ns + t.collision_ns + t.beacon_ns + t.idle_ns;
        assert_eq!(all as f64, s.now_s * 1e9);
        assert_eq!(s.flows.iter().map(|f| f.backlog_packets).sum::<u32>(), s.qdisc.packets);
        let table = airtab_core::Discipline::named("chap").expect("there is chap").stats();
        let ours: Vec<_> = s.qdisc.stats.iter().map(|v| (&*v.name, &*v.help, v.counter)).collect();
        assert_eq!(ours, table.iter().map(|v| (v.name, v.help, v.counter)).collect::<Vec<_>>());
    }
}
