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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::{app, comparison, queue, summary};

    /// A discipline with so many classes, if it goes by them, and that score of its application.
    fn of(label: &str, classes: Option<&str>, mos: f64) -> QueueScores {
        let mut q = queue(label, vec![app("a", "game", &[(Metric::GameMos, [mos, mos + 1.0, mos])])]);
        q.params.extend(classes.map(|n| (CLASSES, n.to_string())));
        q
    }

    #[test]
    fn classes_are_told_apart_if_any_differs() {
        let told = |classes: &[u8], of_queue: Option<&str>| {
            let q = of("q", of_queue, 1.0);
            is_told(&Comparison { classes: classes.into(), ..comparison(vec![q.clone()]) }, &q)
        };
        assert!(told(&[0, 0, 1], Some("2")) && told(&[1, 0, 1], Some("2")) && told(&[2, 1], Some("3")));
        assert!(!told(&[2, 1, 7], Some("2")), "a higher one is the last");
        assert!(!told(&[0, 1], Some("1")) && !told(&[0, 1], Some("0")) && !told(&[0, 1], None));
        assert!(!told(&[], Some("2")) && !told(&[3], Some("4")));
    }

    /// The first that goes by no classes is named as the twin; of two others the earlier one.
    #[test]
    fn twins_are_named_once() {
        let c = comparison(vec![
            of("spq", Some("2"), 1.0),
            of("other", None, 5.0),
            of("told", Some("2"), 1.0),
            of("fifo", None, 1.0),
            of("red", None, 1.0),
            of("alone", Some("2"), 7.0),
        ]);
        let c = Comparison { classes: vec![3, 3], ..c };
        let nothing = "goes by classes, and every application here has class 3: it has nothing to go by";
        let expected = format!(
            "spq {nothing}, and its figures are those of fifo to the digit.\n\
             told {nothing}, and its figures are those of fifo to the digit.\n\
             spq and fifo have the same figures, to the digit.\n\
             spq and red have the same figures, to the digit.\n\
             alone {nothing}.\n"
        );
        assert_eq!(notes(&c), expected);
        // A figure of the access point alone, or of one seed, is a difference.
        let mut c = comparison(vec![of("fifo", None, 1.0), of("red", None, 1.0)]);
        assert_eq!(notes(&c), "fifo and red have the same figures, to the digit.\n");
        c.queues[1].ap.metrics.insert(Metric::QueueMax, summary(&[Some(3.0)]));
        assert_eq!(notes(&c), "");
        c.queues[1].ap.metrics.clear();
        c.queues[1].apps[0].metrics.insert(Metric::GameMos, summary(&[1.0, 1.0, 2.0].map(Some)));
        assert_eq!(notes(&c), "", "as large on the mean");
    }
}
