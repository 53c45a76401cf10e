// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Disciplines that go by classes, and what there is for them to go by: a scenario in which every application
//! has the same class tells such a discipline nothing. They are known by their parameter, not by name.
//!
//! What it does not do: no class is given here (`[[app]] class` of scenario files).

use airtab_scenario::{Metric, QueueScores, Scores, Summary};

use crate::compare::Comparison;

/// The parameter of disciplines that go by the classes of packets: how many they tell apart.
const CLASSES: &str = "classes";

/// Whether applications are told apart for it by classes that somebody set.
pub(crate) fn is_told(c: &Comparison, q: &QueueScores) -> bool {
    // A higher class counts as the last.
    let last = classes(q).map_or(0, |n| n.saturating_sub(1));
    let mut seen = c.classes.iter().map(|class| u64::from(*class).min(last));
    seen.next().is_some_and(|first| seen.any(|class| class != first))
}

fn classes(q: &QueueScores) -> Option<u64> {
    q.params.get(CLASSES)?.parse().ok()
}

/// What a reader has to know of disciplines that are told nothing, and of those with equal figures; a line each.
pub(crate) fn notes(c: &Comparison) -> String {
    let mut text = String::new();
    for (i, q) in c.queues.iter().enumerate() {
        let twin = |other: &&QueueScores| classes(other).is_none() && equal(q, other);
        match classes(q) {
            Some(_) if !is_told(c, q) => {
                let class = c.classes.first().copied().unwrap_or(0);
                let twin = c.queues.iter().find(twin);
                let twin =
                    twin.map(|twin| format!(", and its figures are those of {} to the digit", twin.label));
                text.push_str(&format!(
                    "{} goes by classes, and every application here has class {class}: it has nothing to go by{}.\n",
                    q.label,
                    twin.unwrap_or_default()
                ));
            }
            _ => {
                if let Some(twin) = c.queues[..i].iter().find(|other| equal(q, other)) {
                    text.push_str(&format!(
                        "{} and {} have the same figures, to the digit.\n",
                        twin.label, q.label
                    ));
                }
            }
        }
    }
    text
}

/// Whether two disciplines did the very same, by everything that is measured outside of their own tables.
fn equal(a: &QueueScores, b: &QueueScores) -> bool {
    let figures = |s: &Scores| -> Vec<(Metric, Summary)> {
        let own = s.metrics.iter().filter(|(metric, _)| !matches!(metric, Metric::Column(_)));
        own.map(|(metric, summary)| (*metric, summary.clone())).collect()
    };
    let all = |q: &QueueScores| q.apps.iter().chain([&q.ap]).map(figures).collect::<Vec<_>>();
    all(a) == all(b)
}
