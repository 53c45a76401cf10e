// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Classes of a discipline that has some, as a snapshot shows them: what its table says of each, and what became of
//! its packets in the interval.
//!
//! What it does not do: nothing is counted here (`access_point`).

use airtab_core::Stat;
use serde::{Deserialize, Serialize};

use super::StatView;

/// The classes of a discipline; empty of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Classes {
    /// What its table says of each.
    pub columns: Vec<ClassColumn>,
    /// Each, and what came to be of those that are urgent, if any did.
    pub classes: Vec<ClassView>,
}

/// A column of the discipline's table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassColumn {
    /// Name in its table.
    pub name: String,
    /// What it says.
    pub help: String,
    /// As [`StatView::unit`]; values are in that unit.
    pub unit: String,
    /// Grows only; else a gauge.
    pub counter: bool,
}

/// One class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassView {
    /// Its number, or `urgent`.
    pub class: String,
    /// Whose queue that is where each access category has one: `vo`, `vi`, `be`, `bk`; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// In the order of [`Classes::columns`].
    pub values: Vec<f64>,
    /// Packets queued.
    pub backlog_packets: f64,
    /// Sent in the interval, bit/s; None where the table does not say.
    pub sent_bps: Option<f64>,
    /// How long those that were sent in the interval had waited, s, on the mean.
    pub wait_mean_s: Option<f64>,
    /// Dropped in the interval, packets/s.
    pub drops_per_s: Option<f64>,
    /// Its average, of its threshold.
    pub threshold_ratio: Option<f64>,
}

impl Classes {
    /// The column that tells which class a row is about.
    pub const CLASS: &str = "class";

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The place of a column of that name.
    pub(crate) fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Without classes, for a discipline whose table has these columns.
    pub(crate) fn of(stats: &[Stat]) -> Classes {
        let own = stats.iter().filter(|stat| stat.name != Classes::CLASS);
        let column = |stat: &Stat| {
            let StatView { name, help, unit, counter, .. } = StatView::new(stat, 0);
            ClassColumn { name, help, unit, counter }
        };
        Classes { columns: own.map(column).collect(), classes: Vec::new() }
    }
}

impl ClassView {
    /// A row of a table, whose values are in the order of its columns but for that of the class.
    pub(crate) fn new(number: u64, values: Vec<f64>, of: &Classes) -> ClassView {
        let class = if number == u64::from(URGENT) { "urgent".into() } else { number.to_string() };
        let value = |name| of.place(name).map(|place| values[place]);
        let threshold = value("th_max").filter(|threshold| *threshold > 0.0);
        ClassView {
            class,
            backlog_packets: value("backlog").unwrap_or(0.0),
            threshold_ratio: value("average").zip(threshold).map(|(average, threshold)| average / threshold),
            values,
            ..ClassView::default()
        }
    }

    /// Whether anything is, or happened, there.
    pub fn is_active(&self) -> bool {
        let some = |value: Option<f64>| value.is_some_and(|value| value > 0.0);
        self.backlog_packets > 0.0 || some(self.sent_bps) || some(self.drops_per_s)
    }
}

/// What tables have in the place of the class of urgent packets.
const URGENT: u8 = 255;

#[cfg(test)]
mod tests {
    use super::*;

    fn class(of: &[(&str, f64)]) -> ClassView {
        let columns =
            of.iter().map(|(name, _)| ClassColumn { name: (*name).into(), ..ClassColumn::default() });
        let classes = Classes { columns: columns.collect(), classes: Vec::new() };
        ClassView::new(3, of.iter().map(|(_, value)| *value).collect(), &classes)
    }

    /// Columns go by their names, wherever they are; a threshold of 0 is none.
    #[test]
    fn a_class_has_its_average_of_its_threshold() {
        let all = class(&[("average", 3.0), ("th_min", 2.0), ("th_max", 12.0), ("backlog", 5.0)]);
        assert_eq!((all.class.as_str(), all.backlog_packets, all.threshold_ratio), ("3", 5.0, Some(0.25)));
        assert_eq!(all.values, [3.0, 2.0, 12.0, 5.0]);
        for lacks in [&[("average", 3.0), ("th_max", 0.0)][..], &[("average", 3.0)], &[("th_max", 9.0)]] {
            let class = class(lacks);
            assert_eq!((class.backlog_packets, class.threshold_ratio), (0.0, None), "{lacks:?}");
        }
        assert_eq!(ClassView::new(254, Vec::new(), &Classes::default()).class, "254");
    }

    #[test]
    fn a_class_is_active_by_any_of_its_packets() {
        let idle = ClassView { wait_mean_s: Some(1.0), threshold_ratio: Some(1.0), ..ClassView::default() };
        let zeros = ClassView { sent_bps: Some(0.0), drops_per_s: Some(0.0), ..idle.clone() };
        assert!(!idle.is_active() && !zeros.is_active());
        for active in [
            ClassView { backlog_packets: 1.0, ..zeros.clone() },
            ClassView { sent_bps: Some(8.0), ..zeros.clone() },
            ClassView { drops_per_s: Some(0.5), ..zeros.clone() },
            ClassView { drops_per_s: Some(0.5), ..idle.clone() },
        ] {
            assert!(active.is_active(), "{active:?}");
        }
    }
}
