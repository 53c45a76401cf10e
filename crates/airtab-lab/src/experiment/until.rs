// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[until]` of a sweep: more seeds where a figure's interval is wider than asked for, and nowhere else.
//!
//! All disciplines of a point have the same seeds. Whether they are enough is looked at after whole rounds ([`Rounds`]), of
//! whatever runs these are: it depends neither on who ends first, nor on what is stored. The interval is that of every other
//! mean (`airtab_quality::Interval`). `docs/sweeps.md` says what looking so often costs of its 95 %.
//!
//! What it does not do: it makes no run (`task`), and shows nothing.

use airtab_core::Unit;
use airtab_scenario::QueueScores;
use airtab_scenario::reader::{Section, number, quantity, text};

use super::figure::Drawn;
use super::file::Names;
use super::scores::PointScores;
use crate::plan::Rounds;

/// Seeds of the first round, where nothing is said.
const FIRST: u64 = 10;
/// Seeds of the last one, where nothing is said.
const MOST: u64 = 320;
/// Far above any sweep.
const LIMIT: u64 = 100_000;
/// One seed says nothing about the spread.
const LEAST: u64 = 2;
/// Half a width, in whatever unit.
const NARROWEST: f64 = 1e-15;
const WIDEST: f64 = 1e15;
const WIDTHS: &str =
    "half a width is a number above 0 (1e-15 to 1e15), in the unit of results, as in game.game_mos=0.05";

/// How narrow which figure's interval is to be, and how many seeds that may take.
#[derive(Clone, Debug, PartialEq)]
pub struct Until {
    /// As written, such as `game.game_mos`.
    pub metric: String,
    /// Of the 95 % interval, in the unit of results.
    pub half_width: f64,
    /// Seeds of the first round, and of the last.
    pub rounds: Rounds,
    of: Drawn,
}

/// What is asked for on a command line, or of what a file says in its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// Metric and half width.
    pub width: Option<(String, f64)>,
    /// Seeds of the first round.
    pub first: Option<u64>,
    /// Seeds of the last.
    pub most: Option<u64>,
}

/// How wide the intervals of a point are.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The discipline whose interval is widest, and half the width; None if there is no interval under one of them.
    pub widest: (String, Option<f64>),
    /// Whether all are narrow enough.
    pub met: bool,
}

impl Settled {
    /// Whether an interval is wider than the other's; one that is not there is wider than any.
    pub fn is_wider_than(&self, other: &Settled) -> bool {
        let half = |of: &Settled| of.widest.1.unwrap_or(f64::INFINITY);
        half(self) > half(other)
    }

    /// The wider one; the first of two that are as wide.
    fn wider(self, other: Settled) -> Settled {
        if other.is_wider_than(&self) { other } else { self }
    }
}

/// Reads `[until]`.
pub(super) fn read(s: &Section, names: &Names) -> Option<Until> {
    let metric = s.require("metric", |v| {
        let written = text(v)?;
        names.metric(&written)?;
        Ok(written)
    });
    let half_width = s.require("half_width", |v| {
        number(NARROWEST..=WIDEST, "a number")(v).map_err(|_| format!("'{}': {WIDTHS}", v.written))
    });
    let first = s.read("first", quantity(Unit::Count, LEAST..=LIMIT));
    let most = s.read("most", quantity(Unit::Count, LEAST..=LIMIT));
    let asked = Asked { width: Some((metric?, half_width?)), first, most };
    let put = put(&asked, None, names).map_err(|e| s.problem_of("most", &e)).ok();
    s.finish();
    put.flatten()
}

/// What is asked for, with what the file says where it is silent; None if neither asks for a width.
///
/// # Errors
/// There is no such figure, or a number cannot be.
pub(super) fn put(asked: &Asked, file: Option<Until>, names: &Names) -> Result<Option<Until>, String> {
    let of_file = file.as_ref().map(|until| until.rounds);
    let (metric, half_width, of) = match (&asked.width, file) {
        (Some((metric, half_width)), _) => {
            let wrong = |e: String| format!("--until {metric}={half_width}: {e}");
            if !(NARROWEST..=WIDEST).contains(half_width) {
                return Err(wrong(WIDTHS.into()));
            }
            let of = names.metric(metric).map_err(wrong)?;
            let app = metric.split('.').next().unwrap_or_default();
            (metric.clone(), *half_width, Drawn::of(app.into(), of))
        }
        (None, Some(until)) => (until.metric, until.half_width, until.of),
        (None, None) if asked.first.is_some() || asked.most.is_some() => {
            let example = "say of which figure, as in --until game.game_mos=0.05";
            return Err(format!("--first and --most are seeds of --until: {example}"));
        }
        (None, None) => return Ok(None),
    };
    let number = |asked: Option<u64>, file: Option<usize>, usual: u64| {
        asked.map(|n| n as usize).or(file).unwrap_or(usual as usize)
    };
    let first = number(asked.first, of_file.map(|rounds| rounds.first), FIRST);
    let most = number(asked.most, of_file.map(|rounds| rounds.most), MOST);
    if most < first {
        return Err(format!(
            "at most {most} seeds, but the first round has {first}: give most {first} or more, or a smaller first"
        ));
    }
    Ok(Some(Until { metric, half_width, rounds: Rounds { first, most }, of }))
}

impl Until {
    /// The figure.
    pub(super) fn of(&self) -> &Drawn {
        &self.of
    }

    /// The seeds that a point has at most, and how many of them at first; `given`: those that may be used, if not all.
    pub(super) fn seeds(&self, given: Option<&[u64]>) -> Result<(Vec<u64>, usize), String> {
        let Rounds { first, most } = self.rounds;
        match given {
            Some(seeds) if seeds.len() < first => Err(format!(
                "--seeds names {}, and the first round of --until has {first}: name more, or give --first {}",
                seeds.len(),
                seeds.len().max(LEAST as usize)
            )),
            Some(seeds) => Ok((seeds.iter().take(most).copied().collect(), first)),
            None => Ok(((1..=most as u64).collect(), first)),
        }
    }

    /// Whether an interval of half that width is narrow enough.
    pub fn is_met_by(&self, half_width: Option<f64>) -> bool {
        half_width.is_some_and(|half| half <= self.half_width)
    }

    /// What the runs of a point say. A discipline none of whose runs has the figure is not looked at; None if that is so of
    /// all of them.
    pub(super) fn settled(&self, point: &PointScores) -> Option<Settled> {
        let of_queue = |q: &QueueScores| {
            let half = self.of.summary(q)?.half_width_95;
            Some(Settled { widest: (q.label.clone(), half), met: self.is_met_by(half) })
        };
        point.queues.iter().filter_map(of_queue).reduce(Settled::wider)
    }

    /// Why there is nothing to look at.
    pub(super) fn undefined(&self, place: &str) -> String {
        let at = if place.is_empty() { String::new() } else { format!("at {place}: ") };
        format!(
            "{at}no run has {}, so nobody can say how many seeds are enough; name a figure with --until that every \
             point has, or leave the point out",
            self.metric
        )
    }
}

#[cfg(test)]
mod tests {
    use airtab_scenario::{Metric, Scores, Summary};

    use super::*;

    fn until() -> Until {
        let of = Drawn::of("a".into(), vec![("a".into(), Metric::VoipMos)]);
        let rounds = Rounds { first: 10, most: 40 };
        Until { metric: "a.voip_mos".into(), half_width: 0.5, rounds, of }
    }

    /// A point under some disciplines, each with its figure's half width, if it has an interval, if it has the figure.
    fn point(widths: &[(&str, Option<Option<f64>>)]) -> PointScores {
        let scores = |name: &str, half_width: Option<Option<f64>>| {
            let summary = |half_width_95| Summary { mean: 3.0, half_width_95, values: vec![Some(3.0)] };
            let metrics = half_width.map(|half| (Metric::VoipMos, summary(half)));
            Scores {
                name: name.into(),
                kind: "voip",
                station: String::new(),
                metrics: metrics.into_iter().collect(),
            }
        };
        let queue = |(label, half_width): &(&str, Option<Option<f64>>)| QueueScores {
            label: (*label).into(),
            discipline: "fifo",
            params: Default::default(),
            apps: vec![scores("a", *half_width)],
            ap: scores("ap", None),
            nodes: Vec::new(),
        };
        PointScores {
            at: Vec::new(),
            seeds: 10,
            settled: None,
            queues: widths.iter().map(queue).collect(),
            seconds: Vec::new(),
            pages: Vec::new(),
        }
    }

    #[test]
    fn the_widest_interval_decides() {
        let settled = |widths: &[(&str, Option<Option<f64>>)]| {
            until().settled(&point(widths)).map(|s| (s.widest.0, s.widest.1, s.met))
        };
        let (narrow, bound, wide) = (Some(Some(0.1)), Some(Some(0.5)), Some(Some(0.6)));
        assert_eq!(settled(&[("x", narrow), ("y", bound)]), Some(("y".into(), Some(0.5), true)), "no wider");
        assert_eq!(settled(&[("x", wide), ("y", narrow)]), Some(("x".into(), Some(0.6), false)));
        assert_eq!(
            settled(&[("x", Some(None)), ("y", wide)]),
            Some(("x".into(), None, false)),
            "no interval"
        );
        assert_eq!(settled(&[("x", None), ("y", narrow)]), Some(("y".into(), Some(0.1), true)), "no figure");
        assert_eq!(settled(&[("x", None), ("y", None)]), None);
    }

    #[test]
    fn seeds_are_the_first_of_those_given() {
        assert_eq!(until().seeds(None), Ok(((1..=40).collect(), 10)));
        let given: Vec<u64> = (100..150).rev().collect();
        assert_eq!(until().seeds(Some(&given)), Ok((given[..40].to_vec(), 10)));
        assert_eq!(
            until().seeds(Some(&given[..12])),
            Ok((given[..12].to_vec(), 10)),
            "the last round is cut"
        );
        assert!(
            until()
                .seeds(Some(&given[..9]))
                .is_err_and(|e| e.contains("names 9,") && e.contains("--first 9"))
        );
    }

    /// Of two equally wide intervals the first is named.
    #[test]
    fn of_equal_intervals_the_first_is_named() {
        let widest =
            |widths: &[(&str, Option<Option<f64>>)]| until().settled(&point(widths)).map(|s| s.widest.0);
        let (narrow, wide) = (Some(Some(0.1)), Some(Some(0.6)));
        assert_eq!(widest(&[("x", narrow), ("y", wide), ("z", wide)]).as_deref(), Some("y"));
        assert_eq!(widest(&[("x", wide), ("y", Some(None)), ("z", Some(None))]).as_deref(), Some("y"));
        let of = |half| Settled { widest: (String::new(), half), met: false };
        assert!(of(Some(0.2)).is_wider_than(&of(Some(0.1))) && of(None).is_wider_than(&of(Some(1e9))));
        assert!(!of(Some(0.1)).is_wider_than(&of(Some(0.1))) && !of(None).is_wider_than(&of(None)));
        assert!(until().is_met_by(Some(0.5)) && !until().is_met_by(Some(0.5001)) && !until().is_met_by(None));
    }

    /// Seeds of a round: by the command line, else by the file, else the default.
    #[test]
    fn a_command_line_is_before_the_file() {
        use super::super::file::Purpose;
        use super::super::made::{HOME, read};
        let e = |lines: &str| read("mine", &format!("{HOME}{lines}"), Purpose::Sweep);
        let plain = e("").unwrap();
        let names = Names::of(&plain);
        let file =
            e("[until]\nmetric = \"v.voip_mos\"\nhalf_width = 0.25\nfirst = 3\nmost = 12\n").unwrap().until;
        let told = |until: Option<Until>| {
            until.map(|until| {
                let of = (until.of.app.clone(), until.of.metric);
                (until.metric.clone(), until.half_width, until.rounds.first, until.rounds.most, of)
            })
        };
        let game = || Some(("g.game_mos".to_string(), 0.5));
        let put = |width: Option<(String, f64)>, first, most, file: &Option<Until>| {
            put(&Asked { width, first, most }, file.clone(), &names).map(told)
        };
        let of_game = |first, most| {
            Ok(Some(("g.game_mos".to_string(), 0.5, first, most, ("g".to_string(), Metric::GameMos))))
        };
        let of_call = |first, most| {
            Ok(Some(("v.voip_mos".to_string(), 0.25, first, most, ("v".to_string(), Metric::VoipMos))))
        };
        assert_eq!(put(None, None, None, &None), Ok(None));
        assert_eq!(put(game(), None, None, &None), of_game(10, 320));
        assert_eq!(put(game(), Some(4), Some(9), &None), of_game(4, 9));
        assert_eq!(put(None, None, None, &file), of_call(3, 12));
        assert_eq!(put(game(), None, None, &file), of_game(3, 12));
        assert_eq!(put(None, Some(5), None, &file), of_call(5, 12));
        assert_eq!(put(None, None, Some(40), &file), of_call(3, 40));
        assert_eq!(put(game(), Some(12), Some(12), &file), of_game(12, 12));
        let wrong = |width, first, most, file: &Option<Until>| put(width, first, most, file).unwrap_err();
        assert_eq!(
            wrong(None, Some(13), None, &file),
            "at most 12 seeds, but the first round has 13: give most 13 or more, or a smaller first"
        );
        assert!(wrong(None, None, Some(9), &None).starts_with("--first and --most are seeds of --until"));
        assert!(
            wrong(Some(("g.game_mos".into(), 0.0)), None, None, &file)
                .starts_with("--until g.game_mos=0: half a width")
        );
        assert!(
            wrong(Some(("x.game_mos".into(), 1.0)), None, None, &file)
                .starts_with("--until x.game_mos=1: no application 'x'")
        );
        // A file that does not say how many has the usual ones.
        let usual = e("[until]\nmetric = \"*.loss_ratio\"\nhalf_width = 2\n").unwrap().until;
        assert_eq!(told(usual), Some(("*.loss_ratio".into(), 2.0, 10, 320, ("*".into(), Metric::Loss))));
        let wrong =
            e("[until]\nmetric = \"v.voip_mos\"\nhalf_width = 1\nmost = 9\n").map(|_| ()).unwrap_err();
        assert!(wrong.contains("at most 9 seeds, but the first round has 10"), "{wrong}");
    }

    #[test]
    fn what_no_run_has_is_told_with_its_place() {
        let said = "no run has a.voip_mos, so nobody can say how many seeds are enough; ";
        assert!(until().undefined("").starts_with(said));
        assert!(until().undefined("q = 3").starts_with(&format!("at q = 3: {said}")));
        let given: Vec<u64> = (1..=10).collect();
        assert_eq!(until().seeds(Some(&given)), Ok((given.clone(), 10)), "as many as the first round");
        assert!(
            until()
                .seeds(Some(&given[..1]))
                .is_err_and(|e| e.contains("names 1,") && e.ends_with("give --first 2"))
        );
    }
}
