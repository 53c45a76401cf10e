// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Clouds of points, as the CHAP dissertation's section 6.10 draws them: each second
//! of a video by the rate sent, each web page by its size. A picture for each
//! discipline, all of a point with the same axes; points of all seeds.
//!
//! What it does not do: no verdict (`seconds` and `pages` have what is judged).

use airtab_scenario::reader::{Section, choice, number, text};

use super::figure::Picture;
use super::file::Names;
use super::pages::{median_bytes, response_ns};
use super::{Experiment, Outcome, PointScores};
use crate::report::chart::{self, Axis};

/// `[[scatter]]`.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// What it shows, and which figure of the source it stands for.
    pub title: String,
    app: String,
    what: What,
    /// A line across at this rate, Mb/s; of pages, it is at the median size.
    mark: Option<f64>,
    queues: Vec<String>,
    at: Vec<(usize, Vec<usize>)>,
}

/// What a point is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// A second: rate sent, playable frames.
    Frames,
    /// A page: size, time from request to last byte.
    Pages,
}

/// Reads it.
pub(super) fn read(s: &Section, names: &Names) -> Option<Scatter> {
    let title = s.require("title", text);
    let app = s.require("app", |v| names.app(v));
    let what = s.require("y", choice(vec![("frames", What::Frames), ("pages", What::Pages)]));
    let mark = s.read("mark", number(0.0..=1e5, "a rate in Mb/s"));
    if mark.is_some() && what == Some(What::Pages) {
        s.problem_of("mark", "is for frames: pages are marked at their median size");
    }
    let queues = s.read("queues", |v| names.queues(v));
    let at = names.at(s)?;
    s.finish();
    let queues = queues.unwrap_or_else(|| names.labels());
    Some(Scatter { title: title?, app: app?, what: what?, mark, queues, at })
}

type Points = Vec<(f64, f64)>;

impl Scatter {
    /// A picture for each of its points and disciplines.
    pub(super) fn draw(&self, experiment: &Experiment, outcome: &Outcome) -> Vec<Picture> {
        let shown = |p: &&PointScores| self.at.iter().all(|(axis, values)| values.contains(&p.at[*axis]));
        outcome.points.iter().filter(shown).flat_map(|p| self.pictures(experiment, p)).collect()
    }

    fn pictures(&self, experiment: &Experiment, point: &PointScores) -> Vec<Picture> {
        let Some(app) = point.queues.first().and_then(|q| q.apps.iter().position(|a| a.name == self.app))
        else {
            return Vec::new();
        };
        let labels = point.queues.iter().map(|q| &q.label).enumerate();
        let clouds: Vec<(usize, &String, Points)> = labels
            .filter(|(_, label)| self.queues.contains(label))
            .map(|(k, label)| (k, label, self.cloud(point, k, app)))
            .filter(|(.., cloud)| !cloud.is_empty())
            .collect();
        let all = || clouds.iter().flat_map(|(.., cloud)| cloud);
        let ends = |of: fn(&(f64, f64)) -> f64| {
            all().map(of).fold((f64::MAX, f64::MIN), |(low, high), v| (low.min(v), high.max(v)))
        };
        let ((left, right), (low, top)) = (ends(|p| p.0), ends(|p| p.1));
        let median = || Some((median_bytes(&point.pages_of(clouds.first()?.0, app))? as f64 / 1e3).log10());
        let (x, y, mark) = match self.what {
            What::Frames => (
                Axis {
                    label: "rate sent, Mb/s",
                    range: (left.min(1.0).floor(), right.ceil()),
                    powers: false,
                },
                Axis { label: "playable frames/s", range: (0.0, top.max(1.0) * 1.05), powers: false },
                self.mark,
            ),
            What::Pages => (
                Axis { label: "size, kB", range: powers(left, right), powers: true },
                Axis { label: "response time, s", range: powers(low, top), powers: true },
                median(),
            ),
        };
        let place = experiment.place(&point.at);
        let picture = |(k, label, cloud): &(usize, &String, Points)| {
            let caption = [place.as_str(), label].into_iter().filter(|part| !part.is_empty());
            let caption = caption.collect::<Vec<_>>().join(", ");
            let n = cloud.len();
            let alt = format!("{}, {caption}: {} over {}, {n} points", self.title, y.label, x.label);
            let svg = chart::points(&alt, &x, &y, cloud, chart::colour(*k), mark);
            Picture { caption, lines: Vec::new(), svg }
        };
        clouds.iter().map(picture).collect()
    }

    /// Where its points are on the axes.
    fn cloud(&self, point: &PointScores, queue: usize, app: usize) -> Points {
        match self.what {
            What::Frames => {
                let seconds = point.seconds[queue].iter().flat_map(|apps| &apps[app]);
                seconds.filter_map(|s| Some((s.sent_bits / 1e6, f64::from(s.playable_frames?)))).collect()
            }
            What::Pages => {
                let pages = point.pages_of(queue, app).into_iter().flatten();
                pages
                    .map(|p| ((p.bytes as f64 / 1e3).log10(), (response_ns(&p).max(1) as f64 / 1e9).log10()))
                    .collect()
            }
        }
    }
}

/// From one power of ten to another.
fn powers(low: f64, high: f64) -> (f64, f64) {
    (low.floor(), high.ceil().max(low.floor() + 1.0))
}
