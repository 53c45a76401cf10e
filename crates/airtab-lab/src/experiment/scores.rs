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
