// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What the discipline's table says of its classes, and what has become of their packets since it was last asked.
//!
//! A table that has a column [`CLASS`](Classes::CLASS) is about classes. Rates are those of its counters by name: bytes
//! (`sent_bytes`, `served`), packets (`sent`), their time in the queue (`waited`), and all that end in `_drops`.
//!
//! What it does not do: nothing of flows (`report`).

use std::collections::BTreeMap;

use airtab_core::Qdisc;
use airtab_sim::wifi::Category;

use super::AccessPoint;
use crate::snapshot::{ClassView, Classes, StatView};

/// Counters of a class: bytes, packets, ns that they waited, drops.
type Counters = [Option<f64>; 4];

/// What was counted of each class, by its discipline's place, when it was last asked.
#[derive(Default)]
pub(super) struct Counted(BTreeMap<(usize, u64), Counters>);

impl AccessPoint {
    /// The classes of its discipline; rates are of the last `interval_s`.
    pub(super) fn classes(&mut self, interval_s: f64) -> Classes {
        let before = std::mem::take(&mut self.last.classes);
        let medium = self.world.medium(0);
        let discipline = medium.queue().discipline();
        let Some(class) = discipline.column(Classes::CLASS) else { return Classes::default() };
        let stats = discipline.row_stats();
        let mut classes = Classes::of(&stats);
        let queues: Vec<&Qdisc> = medium.queues().collect();
        for (place, queue) in queues.iter().enumerate() {
            let category = if queues.len() > 1 { Category::NAMES[place] } else { "" };
            queue.for_each_row(self.world.pool(), self.world.now(), |row| {
                let number = row[class.place];
                let told = stats.iter().zip(row).filter(|(stat, _)| stat.name != Classes::CLASS);
                let values = told.map(|(stat, value)| StatView::new(stat, *value).value).collect();
                let view = ClassView::new(number, values, &classes);
                let now = counters(&view, &classes);
                self.last.classes.0.insert((place, number), now);
                let before = before.0.get(&(place, number));
                let view = with_rates(view, before, now, interval_s);
                // Urgent packets that never were are no class.
                if view.class != "urgent" || view.values.iter().any(|value| *value > 0.0) {
                    classes.classes.push(ClassView { category: category.into(), ..view });
                }
            });
        }
        classes
    }
}

fn counters(view: &ClassView, classes: &Classes) -> Counters {
    let named = |names: &[&str]| names.iter().find_map(|name| Some(view.values[classes.place(name)?]));
    let is_drops = |name: &str| name.ends_with("_drops");
    let drops = classes.columns.iter().zip(&view.values).filter(|(column, _)| is_drops(&column.name));
    let drops = drops.map(|(_, value)| *value).reduce(|all, more| all + more);
    [named(&["sent_bytes", "served"]), named(&["sent"]), named(&["waited"]), drops]
}

/// What the counters have risen by; another discipline's begin at 0.
fn with_rates(view: ClassView, before: Option<&Counters>, now: Counters, interval_s: f64) -> ClassView {
    let rise = |i: usize| {
        let (now, before) = (now[i]?, before.and_then(|before| before[i]).unwrap_or(0.0));
        Some(if now >= before { now - before } else { now })
    };
    let waited = rise(2).zip(rise(1)).filter(|(_, sent)| *sent > 0.0);
    ClassView {
        sent_bps: rise(0).map(|bytes| 8.0 * bytes / interval_s),
        wait_mean_s: waited.map(|(waited_ns, sent)| waited_ns * 1e-9 / sent),
        drops_per_s: rise(3).map(|drops| drops / interval_s),
        ..view
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;

    use super::*;

    /// By the names of the table, and from 0 on where a counter began anew.
    #[test]
    fn rates_are_of_the_interval() {
        let of = |name: &str| {
            let stats = Discipline::named(name).expect("a discipline").row_stats();
            let classes = Classes::of(&stats);
            assert!(classes.columns.iter().all(|column| column.name != "class"), "{name}");
            classes
        };
        let classes = of("cbt");
        let values = |of: &[(&str, f64)]| {
            let mut values = vec![0.0; classes.columns.len()];
            for (name, value) in of {
                values[classes.place(name).expect(name)] = *value;
            }
            values
        };
        let view = |of: &[(&str, f64)]| ClassView::new(2, values(of), &classes);
        let first = view(&[("sent_bytes", 1000.0), ("sent", 2.0), ("waited", 2e6), ("early_drops", 5.0)]);
        let before = counters(&first, &classes);
        let second = view(&[
            ("sent_bytes", 6000.0),
            ("sent", 6.0),
            ("waited", 42e6),
            ("early_drops", 6.0),
            ("cap_drops", 7.0),
            ("backlog", 3.0),
            ("average", 12.0),
            ("th_max", 16.0),
        ]);
        let now = counters(&second, &classes);
        let told = with_rates(second.clone(), Some(&before), now, 2.0);
        assert_eq!((told.class.as_str(), told.backlog_packets), ("2", 3.0));
        assert_eq!((told.sent_bps, told.wait_mean_s), (Some(20_000.0), Some(0.01)));
        assert_eq!((told.drops_per_s, told.threshold_ratio), (Some(4.0), Some(0.75)));
        assert!(told.is_active() && !ClassView::default().is_active());
        let anew = with_rates(first, Some(&now), before, 1.0);
        assert_eq!((anew.sent_bps, anew.wait_mean_s), (Some(8000.0), Some(0.001)));
        let queue = of("spq");
        let urgent = ClassView::new(255, vec![1.0], &queue);
        assert_eq!((urgent.class.as_str(), urgent.backlog_packets), ("urgent", 1.0));
        assert_eq!(counters(&urgent, &queue), [None; 4]);
        let cbq = of("cbq");
        let mut served = vec![0.0; cbq.columns.len()];
        served[cbq.place("served").unwrap()] = 7.0;
        assert_eq!(counters(&ClassView::new(0, served, &cbq), &cbq), [Some(7.0), None, None, None]);
    }
}
