// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The runs of a point to its figures.
//!
//! What it does not do: no verdicts (`judge`).

use airtab_quality::web::{self, Page};
use airtab_scenario::{Measured, QueueScores, Second};
use serde::Serialize;

use super::task::Composed;
use super::until::Settled;
use crate::compare::{add_page_times, summarise};

/// The figures of one point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PointScores {
    /// The number of the value of each axis.
    pub at: Vec<usize>,
    /// How many seeds it has.
    #[serde(skip)]
    pub seeds: usize,
    /// Of a point that was to get more seeds until they are enough: whether they are.
    #[serde(skip)]
    pub settled: Option<Settled>,
    /// One entry per discipline, in the order of the experiment.
    pub queues: Vec<QueueScores>,
    /// The course of videos: by discipline, seed and application.
    #[serde(skip)]
    pub(super) seconds: Vec<Vec<Vec<Vec<Second>>>>,
    /// Pages that all disciplines completed: by discipline, seed and application.
    #[serde(skip)]
    pub(super) pages: Vec<Vec<Vec<Vec<Page>>>>,
}

impl PointScores {
    /// Of its runs: discipline by discipline, seed by seed.
    pub(super) fn new(composed: &Composed, mut runs: Vec<Measured>) -> PointScores {
        let Composed { point, params } = composed;
        let seeds = runs.len() / params.len();
        if let Some(scenario) = point.workload.home() {
            for seed in 0..seeds {
                let mut same_seed: Vec<&mut Measured> = runs.iter_mut().skip(seed).step_by(seeds).collect();
                add_page_times(scenario, &mut same_seed);
            }
        }
        let apps = point.workload.apps();
        let of_queue =
            |((label, params), runs): (&(String, _), &[Measured])| summarise(&apps, label, params, runs);
        let of_videos = |seconds: &Vec<Second>| {
            seconds.iter().filter(|s| s.playable_frames.is_some()).copied().collect::<Vec<_>>()
        };
        let of_run = |run: &Measured| run.seconds.iter().map(of_videos).collect();
        let seconds_of = |runs: &[Measured]| runs.iter().map(of_run).collect();
        let common = |(seed, run): (usize, &Measured)| -> Vec<Vec<Page>> {
            let lists = |app: usize| -> Vec<Vec<Page>> {
                runs.iter().skip(seed).step_by(seeds).map(|other| other.pages[app].clone()).collect()
            };
            run.pages.iter().enumerate().map(|(app, pages)| web::common(pages, &lists(app))).collect()
        };
        PointScores {
            at: point.at.clone(),
            seeds,
            settled: None,
            queues: params.iter().zip(runs.chunks(seeds)).map(of_queue).collect(),
            seconds: runs.chunks(seeds).map(seconds_of).collect(),
            pages: runs.chunks(seeds).map(|runs| runs.iter().enumerate().map(common).collect()).collect(),
        }
    }

    /// Those of one discipline and application, seed by seed.
    pub(super) fn pages_of(&self, queue: usize, app: usize) -> Vec<Vec<Page>> {
        self.pages[queue].iter().map(|apps| apps[app].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use airtab_scenario::{Figures, Metric};

    use super::super::RunOptions;
    use super::super::made::parse;
    use super::super::task::Task;
    use super::*;
    use crate::store::NoStore;

    const TEXT: &str = r#"
        title = "t"
        source = "s"
        queues = ["fifo", "chap"]
        [scenario]
        duration = "600ms"
        station = [{ name = "s" }]
        app = [{ name = "film", kind = "video", station = "s" }, { name = "w", kind = "web", station = "s" }]
        [[axis]]
        name = "q"
        keys = "queue.limit"
        values = [20, 40]
    "#;

    /// Pages of these numbers, so many ms each, and a film of so many frames in its only second.
    fn run(frames: u32, pages: &[(u32, u64)]) -> Measured {
        let page = |(number, ms): &(u32, u64)| {
            Page::from((*number, 0, 0, ms * 1_000_000, 1000 * u64::from(*number)))
        };
        let seconds = vec![vec![(0, 1e6, 1e6, Some(frames)).into()], vec![(0, 1e6, 1e6, None).into()]];
        Measured {
            apps: vec![Figures::from([(Metric::FrameRate, f64::from(frames))]), Figures::new()],
            pages: vec![Vec::new(), pages.iter().map(page).collect()],
            seconds,
            ap: Figures::new(),
            nodes: Vec::new(),
        }
    }

    /// Pages that both disciplines completed with a seed, each with its own times.
    #[test]
    fn a_point_has_what_its_disciplines_have_in_common() {
        let e = parse(TEXT);
        let stop = AtomicBool::new(false);
        let options = RunOptions { seeds: Some(&[8, 5]), ..RunOptions::new(&NoStore, &stop) };
        let task = Task::new(&e, &options).unwrap_or_else(|e| panic!("{e}"));
        let runs = vec![
            run(11, &[(1, 10), (2, 20), (3, 30)]),
            run(12, &[(1, 40), (2, 50)]),
            run(21, &[(2, 2), (3, 3), (4, 4)]),
            run(22, &[(2, 5)]),
        ];
        let scores = task.scores(1, runs).unwrap();
        assert_eq!((scores.at.as_slice(), scores.seeds, scores.settled.is_none()), (&[1][..], 2, true));
        let labels: Vec<&str> = scores.queues.iter().map(|q| q.label.as_str()).collect();
        assert_eq!(labels, ["fifo", "chap"]);
        let values =
            |queue: usize, app: usize, metric| scores.queues[queue].apps[app].metrics[&metric].values.clone();
        assert_eq!(values(0, 0, Metric::FrameRate), [11.0, 12.0].map(Some));
        assert_eq!(values(1, 0, Metric::FrameRate), [21.0, 22.0].map(Some));
        // 20 and 30 ms, then 50; 2 and 3, then 5.
        assert_eq!(values(0, 1, Metric::PageTime), [0.025, 0.05].map(Some));
        assert_eq!(values(1, 1, Metric::PageTime), [0.0025, 0.005].map(Some));
        let pages = |queue| {
            let of_seed = |pages: Vec<Page>| {
                pages.iter().map(|p| (p.number, p.done_ns / 1_000_000)).collect::<Vec<_>>()
            };
            scores.pages_of(queue, 1).into_iter().map(of_seed).collect::<Vec<_>>()
        };
        assert_eq!(pages(0), [vec![(2, 20), (3, 30)], vec![(2, 50)]]);
        assert_eq!(pages(1), [vec![(2, 2), (3, 3)], vec![(2, 5)]]);
        assert!(scores.pages_of(0, 0).iter().all(Vec::is_empty));
        // Only a video has a course.
        let course = |queue: usize, seed: usize, app: usize| {
            scores.seconds[queue][seed][app].iter().map(|s| s.playable_frames).collect::<Vec<_>>()
        };
        assert_eq!([course(0, 0, 0), course(0, 1, 0)], [vec![Some(11)], vec![Some(12)]]);
        assert_eq!([course(1, 0, 0), course(1, 1, 0)], [vec![Some(21)], vec![Some(22)]]);
        assert!(course(1, 1, 1).is_empty());
    }
}
