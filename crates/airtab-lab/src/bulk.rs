// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Disciplines under which the goodput of bulk transfers is at most half of that under the first: none of these is called best.
//!
//! A short queue alone serves every light application well, also if it starves concurrent transfers.
//!
//! Limits: rates of the measured time, summed over downloads, uploads and peers; windows are left out.

use airtab_scenario::{About, Metric, QueueScores};

use crate::compare::Comparison;

/// Part of the first discipline's bulk goodput from which on a discipline may be best.
const LEAST: f64 = 0.5;

/// Bulk goodput under a discipline, bit/s; None without bulk transfers.
fn goodput(c: &Comparison, q: &QueueScores) -> Option<f64> {
    let apps = q.apps.iter().take(c.applications());
    let bulk = apps.filter_map(|app| Some((app, About::named(app.kind).filter(|about| about.bulk)?)));
    let rates =
        bulk.map(|(app, about)| about.data.0.iter().filter_map(|metric| app.mean(*metric)).sum::<f64>());
    rates.reduce(|sum, rate| sum + rate)
}

/// Bulk goodput under a discipline and under the first, bit/s, if the first has at least twice as much.
fn halved(c: &Comparison, q: &QueueScores) -> Option<[f64; 2]> {
    let (own, first) = (goodput(c, q)?, goodput(c, c.queues.first()?)?);
    (first > 0.0 && own <= LEAST * first).then_some([own, first])
}

/// True if a discipline may be called best.
pub(crate) fn may_be_best(c: &Comparison, q: &QueueScores) -> bool {
    halved(c, q).is_none()
}

/// A line for each discipline that may not, of those that would be: `best` by their numbers.
pub(crate) fn notes(c: &Comparison, best: &dyn Fn(usize) -> bool) -> String {
    let shown = |bps: f64| format!("{:.*}", Metric::Goodput.decimals(), Metric::Goodput.shown(bps));
    let line = |(_, q): (usize, &QueueScores)| {
        let [own, first] = halved(c, q)?.map(shown);
        let (label, against) = (&q.label, &c.queues[0].label);
        Some(format!(
            "{label} is not called best: its bulk transfers have {own} Mb/s, under {against} {first}: half of it, or less.\n"
        ))
    };
    c.queues.iter().enumerate().filter(|(number, _)| best(*number)).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use Metric::{Goodput, UplinkGoodput};

    use super::*;
    use crate::made::{app, comparison, queue};

    fn under(label: &str, down: f64, up: f64) -> QueueScores {
        let both = [(Goodput, [down; 3]), (UplinkGoodput, [up; 3])];
        queue(
            label,
            vec![
                app("update", "download", &[(Goodput, [down; 3])]),
                // ACKs of an upload do not count as goodput, nor does a stream at its own rate as a bulk transfer.
                app("backup", "upload", &both),
                app("voice", "udp", &[(Goodput, [1e9; 3])]),
            ],
        )
    }

    #[test]
    fn at_most_half_of_the_first_is_never_best() {
        let c = comparison(vec![
            under("fifo", 12e6, 8e6),
            under("half", 9e6, 1e6),
            under("more", 9e6, 1.1e6),
            under("none", 0.0, 0.0),
        ]);
        let best: Vec<bool> = c.queues.iter().map(|q| may_be_best(&c, q)).collect();
        assert_eq!(best, [true, false, true, false]);
        assert_eq!(
            notes(&c, &|_| true),
            "half is not called best: its bulk transfers have 10.00 Mb/s, under fifo 20.00: half of it, or less.\n\
             none is not called best: its bulk transfers have 0.00 Mb/s, under fifo 20.00: half of it, or less.\n"
        );
        assert_eq!(notes(&c, &|number| number == 3).lines().count(), 1, "the other is the best of nothing");
    }

    /// The rule needs a bulk transfer with a goodput under the first discipline.
    #[test]
    fn without_bulk_transfers_any_may_be_best() {
        let game = |label: &str| queue(label, vec![app("game", "game", &[(Metric::GameMos, [3.0; 3])])]);
        let c = comparison(vec![game("a"), game("b")]);
        assert!(c.queues.iter().all(|q| may_be_best(&c, q)) && notes(&c, &|_| true).is_empty());
        let c = comparison(vec![under("a", 0.0, 0.0), under("b", 0.0, 0.0)]);
        assert!(c.queues.iter().all(|q| may_be_best(&c, q)));
    }
}
