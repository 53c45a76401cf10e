// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which figures of an experiment are shown as numbers, and as which text.
//!
//! What it does not do: no table (`text`, `page`).

use airtab_scenario::{About, QueueScores};

use super::figure::Drawn;
use super::{Experiment, Outcome};
use crate::table;

/// What figures and checks are about, each once; where there are none, the score of every application. And what decides on the
/// number of seeds.
pub(super) fn columns(e: &Experiment, outcome: &Outcome) -> Vec<Drawn> {
    let of_figures = e.figures.iter().flat_map(|f| f.shown()).cloned();
    let of_checks = e.checks.iter().flat_map(|c| c.terms()).flat_map(|t| &t.of).map(Drawn::from);
    let mut columns: Vec<Drawn> = Vec::new();
    for column in of_figures.chain(of_checks) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        let first = outcome.points.first().and_then(|point| point.queues.first());
        let score = |about: &About| about.metric();
        let apps = first.into_iter().flat_map(|q| &q.apps);
        let of = apps.filter_map(|app| Some((app.name.clone(), About::named(app.kind).map(score)?)));
        columns.extend(of.map(|of| Drawn::from(&of)));
    }
    let until = e.until.iter().map(|until| until.of());
    columns.extend(until.filter(|of| !columns.contains(of)).cloned().collect::<Vec<_>>());
    columns
}

/// One of them under a discipline, with its interval.
pub(super) fn figure(q: &QueueScores, of: &Drawn) -> String {
    of.summary(q).map_or("-".into(), |s| table::with_interval(of.metric, &s))
}

#[cfg(test)]
mod tests {
    use airtab_scenario::Metric;

    use super::super::file::Purpose;
    use super::super::made::{HOME, of_queues, point, read};
    use super::*;
    use crate::made::app;

    fn shown(lines: &str, points: Vec<super::super::PointScores>) -> Vec<String> {
        let text = format!("title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\"]\n{HOME}\n{lines}");
        let e = read("mine", &text, Purpose::Sweep).unwrap_or_else(|e| panic!("{e}"));
        let outcome = Outcome { quick: false, seeds: 3, runs: 6, points };
        let of = |of: Drawn| format!("{}.{}", of.app, of.metric.name());
        columns(&e, &outcome).into_iter().map(of).collect()
    }

    const CHECK: &str =
        "[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nqueue = \"fifo\"\nleast = 0\n";
    const UNTIL: &str = "[until]\nhalf_width = 1\nmetric = ";

    /// Columns of figures, then of checks and of their other terms, then that of the seeds, each once.
    #[test]
    fn each_figure_has_one_column() {
        let lines = format!(
            "[[figure]]\ntitle = \"a\"\ny = [\"v.voip_mos\", \"*.loss_ratio\"]\n[[figure]]\ntitle = \"b\"\ny = \"v.voip_mos\"\n\
             {CHECK}of = \"g.game_mos\"\ndivided_by = {{ of = \"g.delay_seconds\" }}\n\
             {CHECK}of = [\"v.voip_mos\", \"ap.idle_ratio\"]\n{UNTIL}"
        );
        let expected = ["v.voip_mos", "*.loss_ratio", "g.game_mos", "g.delay_seconds", "ap.idle_ratio"];
        assert_eq!(shown(&format!("{lines}\"g.game_mos\""), Vec::new()), expected);
        let more = shown(&format!("{lines}\"v.jitter_seconds\""), Vec::new());
        assert_eq!((&more[..5], more[5].as_str()), (&expected.map(String::from)[..], "v.jitter_seconds"));
    }

    /// Without any, the score of every application, also beside that of the seeds.
    #[test]
    fn scores_are_shown_where_nothing_else_is() {
        let apps = vec![app("g", "game", &[]), app("v", "voip", &[]), app("x", "unknown", &[])];
        let points = || vec![of_queues(&[], vec![("fifo", apps.clone()), ("chap", apps.clone())])];
        assert_eq!(shown("", points()), ["g.game_mos", "v.voip_mos"]);
        let until = shown(&format!("{UNTIL}\"g.delay_seconds\""), points());
        assert_eq!(until, ["g.game_mos", "v.voip_mos", "g.delay_seconds"]);
        assert_eq!(shown(&format!("{UNTIL}\"v.voip_mos\""), points()), ["g.game_mos", "v.voip_mos"]);
        let none: [&str; 0] = [];
        assert_eq!(shown("", Vec::new()), none);
    }

    #[test]
    fn a_figure_is_told_with_its_interval() {
        let scores = point(&[], &[("fifo", [2.0, 4.0, 9.0])]);
        let of = |app: &str, metric| figure(&scores.queues[0], &Drawn::from(&(app.to_string(), metric)));
        // 5 ± 8.9567, as worked out beside other tests of these values.
        assert_eq!(of("g", Metric::GameMos), "5.0 ± 9.0");
        assert_eq!((of("g", Metric::Delay), of("v", Metric::GameMos)), ("-".into(), "-".into()));
    }
}
