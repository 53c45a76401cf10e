// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Clouds of points, as the CHAP dissertation's section 6.10 draws them: each second
//! of a video by the rate sent, each web page by its size. A panel for each
//! discipline, all of a point with the same axes; points of all seeds.
//!
//! What it does not do: no verdict (`seconds` and `pages` have what is judged).

use airtab_scenario::reader::{Section, choice, number, text};

use super::figure::join;
use super::file::Names;
use super::pages::{median_bytes, response_ns};
use super::{Experiment, Outcome, PointScores};
use crate::draw::{Axis, Content, Kind, Line, Look, Panel, Plot, Point};

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
    /// A panel for each of its points and disciplines.
    pub(super) fn draw(&self, experiment: &Experiment, outcome: &Outcome) -> Vec<Panel> {
        let shown = |p: &&PointScores| self.at.iter().all(|(axis, values)| values.contains(&p.at[*axis]));
        outcome.points.iter().filter(shown).flat_map(|p| self.panels(experiment, p)).collect()
    }

    fn panels(&self, experiment: &Experiment, point: &PointScores) -> Vec<Panel> {
        let Some(app) = point.queues.first().and_then(|q| q.apps.iter().position(|a| a.name == self.app))
        else {
            return Vec::new();
        };
        let queues = point.queues.iter().map(|q| &q.label).enumerate();
        let clouds: Vec<(&String, Points, usize)> = queues
            .filter(|(_, label)| self.queues.contains(label))
            .map(|(k, label)| (label, self.cloud(point, k, app), k))
            .filter(|(_, cloud, _)| !cloud.is_empty())
            .collect();
        let Some((.., first)) = clouds.first() else { return Vec::new() };
        let median = || Some(median_bytes(&point.pages_of(*first, app))? as f64 / 1e3);
        let (x, y, mark) = match self.what {
            What::Frames => (
                Axis::new("rate sent, Mb/s").covering([1.0]),
                Axis::new("playable frames/s").covering([0.0, 1.0]),
                self.mark,
            ),
            What::Pages => (Axis::new("size, kB").log(), Axis::new("response time, s").log(), median()),
        };
        let (place, labels) = (experiment.place(&point.at), experiment.labels());
        let panel = |(label, cloud, _): &(&String, Points, usize)| {
            let (x, y) = (
                x.clone().covering(cloud.iter().map(|p| p.0)),
                y.clone().covering(cloud.iter().map(|p| p.1)),
            );
            let caption = join([&place, label]);
            let alt = format!(
                "{}, {caption}: {} over {}, {} points",
                self.title,
                y.label(),
                x.label(),
                cloud.len()
            );
            let line = Line {
                name: label.to_string(),
                look: Look::of_discipline(label, &labels),
                kind: Kind::Cloud,
                points: cloud.iter().map(|(x, y)| Some(Point::new(*x, *y))).collect(),
            };
            let content = Content::Plot(Plot { x, y, lines: vec![line], mark });
            Panel { name: String::new(), caption, alt, content }
        };
        clouds.iter().map(panel).collect()
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
                pages.map(|p| (p.bytes.max(1) as f64 / 1e3, response_ns(&p).max(1) as f64 / 1e9)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use airtab_scenario::Second;

    use super::super::made::{of_queues, parse};
    use super::*;
    use crate::made::app;

    /// A panel for each discipline that is asked for and has seconds, at each point that is asked for.
    #[test]
    fn clouds_are_of_their_points_and_disciplines() {
        let text = |lines: &str| {
            format!(
                "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\", \"red\"]\n{}\n\
                 [[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40]\n\
                 [[scatter]]\ntitle = \"f\"\ny = \"frames\"\napp = \"v\"\nmark = 2.5\n{lines}",
                super::super::made::HOME
            )
        };
        let point = |q: usize| {
            let apps = || vec![app("g", "game", &[]), app("v", "video", &[])];
            let mut point = of_queues(&[q], ["fifo", "chap", "red"].map(|label| (label, apps())).to_vec());
            let second = |mbps: f64, frames| Second {
                from_ns: 0,
                sent_bits: mbps * 1e6,
                received_bits: 9e9,
                playable_frames: frames,
            };
            let x = 10.0 * q as f64;
            // Of the second seed alone, and of two; red has none.
            point.seconds = vec![
                vec![
                    vec![vec![], vec![]],
                    vec![vec![], vec![second(1.0 + x, Some(30))]],
                    vec![vec![], vec![]],
                ],
                vec![
                    vec![vec![], vec![second(2.0 + x, Some(20)), second(7.0, None)]],
                    vec![vec![], vec![]],
                    vec![vec![], vec![second(3.0 + x, Some(10))]],
                ],
                vec![vec![vec![], vec![]]; 3],
            ];
            point
        };
        let drawn = |lines: &str| {
            let e = parse(&text(lines));
            let outcome = Outcome { quick: false, seeds: 3, runs: 18, points: vec![point(0), point(1)] };
            let panels = e.scatters[0].draw(&e, &outcome);
            let of = |panel: Panel| {
                let Content::Plot(Plot { lines, mark, .. }) = panel.content else { panic!("a plot") };
                assert_eq!((lines.len(), mark, lines[0].kind), (1, Some(2.5), Kind::Cloud));
                assert_eq!(lines[0].look, Look::of_discipline(&lines[0].name, &e.labels()));
                let points: Vec<_> = lines[0].points.iter().map(|p| p.map(|p| (p.x, p.y)).unwrap()).collect();
                (panel.caption, points)
            };
            panels.into_iter().map(of).collect::<Vec<_>>()
        };
        let told = |caption: &str, points: &[(f64, f64)]| (caption.to_string(), points.to_vec());
        let all = [
            told("q = 20, fifo", &[(1.0, 30.0)]),
            told("q = 20, chap", &[(2.0, 20.0), (3.0, 10.0)]),
            told("q = 40, fifo", &[(11.0, 30.0)]),
            told("q = 40, chap", &[(12.0, 20.0), (13.0, 10.0)]),
        ];
        assert_eq!(drawn(""), all);
        assert_eq!(drawn("queues = [\"red\", \"chap\"]\nat = { q = 40 }\n"), all[3..]);
    }
}
