// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! An experiment's figures: a metric over an axis, a line for each discipline,
//! as the source draws it, with the values that the source printed; or bars, where nothing varies.
//!
//! What it does not do: no page (`page`), and no drawing (`draw`).

use airtab_quality::Interval;
use airtab_scenario::reader::{Section, number, text};
use airtab_scenario::{Metric, QueueScores, Summary};

use super::file::{Figures, Names};
use super::sum::sum;
use super::workload;
use super::{Axis, AxisValue, Experiment, Outcome, PointScores};
use crate::draw::{self, Bar, Bars, Content, Kind, Line, Look, Panel, Plot, Point};
use crate::report;

/// What to draw.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What it shows, and which figure of the source it stands for.
    pub title: String,
    /// Over which axis; None: a bar for each discipline.
    x: Option<usize>,
    /// With several, they are the lines and every discipline has a panel of its own.
    y: Vec<Drawn>,
    /// Where the axis of `y` begins, in the unit of tables; None: at the least that the metric can be, or 0.
    from: Option<f64>,
    /// What the axis of `y` says, where the metric's own name does not fit.
    label: Option<String>,
    /// What one unit of that axis is, in the unit of tables.
    per: f64,
    queues: Vec<String>,
    at: Vec<(usize, Vec<usize>)>,
}

/// A metric of an application, or over several its sum, of a quotient that of the sums.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawn {
    /// As in the file, such as `tcp*`.
    pub(super) app: String,
    pub(super) metric: Metric,
    /// Of which.
    of: Vec<(String, Metric)>,
}

impl Drawn {
    /// One, or the sum of several, which are called `app` together.
    pub(super) fn of(app: String, of: Figures) -> Drawn {
        Drawn { app, metric: of[0].1, of }
    }

    /// Under a discipline, seed by seed.
    pub(super) fn summary(&self, q: &QueueScores) -> Option<Summary> {
        if let [(app, metric)] = self.of.as_slice() {
            return q.app(app)?.metrics.get(metric).cloned();
        }
        let values = sum(q, &self.of, |_, value| value)?;
        let present: Vec<f64> = values.iter().flatten().copied().collect();
        let interval = Interval::of(&present)?;
        Some(Summary { mean: interval.mean, half_width_95: interval.half_width, values })
    }
}

impl From<&(String, Metric)> for Drawn {
    fn from(of: &(String, Metric)) -> Drawn {
        Drawn::of(of.0.clone(), vec![of.clone()])
    }
}

/// Reads `[[figure]]`.
pub(super) fn read(s: &Section, names: &Names) -> Option<Figure> {
    let title = s.require("title", text);
    let y = s.require("y", |v| {
        Ok(names.metrics_as_written(v)?.into_iter().map(|(app, of)| Drawn::of(app, of)).collect())
    });
    let x = s.read("x", |v| names.axis(&v.written));
    let from = s.read("from", number(-1e6..=1e6, "a number"));
    let label = s.read("label", text);
    let per = s.read("per", number(1e-9..=1e9, "a number above 0")).unwrap_or(1.0);
    if x.is_none() && (label.is_some() || s.get("per").is_some()) {
        s.problem("label and per are for a figure over an axis: name it as x".into());
    }
    let queues = s.read("queues", |v| names.queues(v));
    let at = names.at(s)?;
    s.finish();
    let queues = queues.unwrap_or_else(|| names.labels());
    Some(Figure { title: title?, x, y: y?, from, label, per, queues, at })
}

/// Panels of a figure that nobody described, at most.
const MOST_PANELS: usize = 24;

/// Each of these metrics over the axis that has most values, for each combination of the other axes' values, or, where
/// these are too many, of those of the first axes and the first value of the others.
pub(super) fn of_sweep(experiment: &Experiment, columns: Vec<Drawn>) -> Vec<Figure> {
    let long = |i: &usize| experiment.axes[*i].values.len();
    let axes = || 0..experiment.axes.len();
    // The last of those that are as long varies fastest.
    let x = axes().filter(|i| long(i) > 1).max_by_key(long);
    let mut panels = 1;
    let mut at = Vec::new();
    for i in axes().filter(|i| Some(*i) != x) {
        panels *= long(&i);
        if panels > MOST_PANELS {
            panels /= long(&i);
            at.push((i, vec![0]));
        }
    }
    let figure = |of: Drawn| Figure {
        title: format!("{}: {}", of.app, of.metric.label()),
        x,
        y: vec![of],
        from: None,
        label: None,
        per: 1.0,
        queues: experiment.labels(),
        at: at.clone(),
    };
    columns.into_iter().map(figure).collect()
}

impl Figure {
    /// Its panels: one for each combination of the other axes' values.
    pub(super) fn draw(&self, experiment: &Experiment, outcome: &Outcome) -> Vec<Panel> {
        let mut groups: Vec<(Vec<usize>, Vec<&PointScores>)> = Vec::new();
        for point in outcome.points.iter().filter(|p| self.shows(&p.at)) {
            let mut key = point.at.clone();
            self.x.into_iter().for_each(|x| key[x] = 0);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, points)) => points.push(point),
                None => groups.push((key, vec![point])),
            }
        }
        let of_group = |(_, points): &(Vec<usize>, Vec<&PointScores>)| match self.x {
            Some(x) => self.plots(experiment, x, points),
            None if experiment.kind == workload::Kind::Model => self.bars_of_model(experiment, points[0]),
            None => self.bars(experiment, points[0]),
        };
        // One point is no line: a quick look may have run no other of its group.
        let worth = groups.iter().filter(|(_, points)| self.x.is_none() || points.len() > 1);
        worth.flat_map(of_group).collect()
    }

    /// Everything that it shows.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Drawn> {
        self.y.iter()
    }

    /// The least that all of these metrics can be, in the unit of the axis.
    fn least<'a>(&self, mut metrics: impl Iterator<Item = &'a Metric>) -> Option<f64> {
        let least = metrics.try_fold(f64::INFINITY, |least, metric| Some(least.min(metric.least()?)))?;
        Some(least / self.per)
    }

    fn shows(&self, at: &[usize]) -> bool {
        self.at.iter().all(|(axis, values)| values.contains(&at[*axis]))
    }

    /// The values of the axes that are not shown otherwise.
    fn caption(&self, experiment: &Experiment, at: &[usize]) -> String {
        let others = experiment.axes.iter().enumerate().filter(|(i, _)| Some(*i) != self.x);
        others
            .map(|(i, axis)| format!("{} = {}", axis.name, axis.values[at[i]].text))
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// One with a line for each discipline, or one for each discipline.
    fn plots(&self, experiment: &Experiment, x: usize, points: &[&PointScores]) -> Vec<Panel> {
        let caption = self.caption(experiment, &points[0].at);
        let labels = experiment.labels();
        if self.y.len() == 1 {
            let curve = |queue: &String| Curve {
                name: queue.clone(),
                look: Look::of_discipline(queue, &labels),
                queue: queue.clone(),
                of: self.y[0].clone(),
            };
            let curves: Vec<Curve> = self.queues.iter().map(curve).collect();
            return vec![self.plot(experiment, x, points, caption, &curves)];
        }
        let of_queue = |queue: &String| {
            let curve = |(i, y): (usize, &Drawn)| Curve {
                name: self.name(y),
                look: Look::of_app(i),
                queue: queue.clone(),
                of: y.clone(),
            };
            let curves: Vec<Curve> = self.y.iter().enumerate().map(curve).collect();
            // Formulas have no discipline.
            let queue = if experiment.kind == workload::Kind::Model { "" } else { queue };
            self.plot(experiment, x, points, join([&caption, queue]), &curves)
        };
        self.queues.iter().map(of_queue).collect()
    }

    /// Of a line: by what it differs from the others.
    fn name(&self, of: &Drawn) -> String {
        match (self.y.iter().all(|y| y.app == of.app), self.y.iter().all(|y| y.metric == of.metric)) {
            (true, _) => of.metric.label().into(),
            (false, true) => of.app.clone(),
            (false, false) => format!("{}: {}", of.app, of.metric.label()),
        }
    }

    fn plot(
        &self,
        experiment: &Experiment,
        x: usize,
        points: &[&PointScores],
        caption: String,
        curves: &[Curve],
    ) -> Panel {
        let axis = &experiment.axes[x];
        let place = |p: &PointScores| axis.values[p.at[x]].x.unwrap_or(p.at[x] as f64);
        let measured = |curve: &Curve| {
            let of = |p: &&PointScores| {
                let s = curve.of.summary(p.queues.iter().find(|q| q.label == curve.queue)?)?;
                let shown = |v: f64| curve.of.metric.shown(v) / self.per;
                let (y, half) = (shown(s.mean), s.half_width_95.map_or(0.0, shown));
                Some(Point { x: place(p), y, low: y - half, high: y + half })
            };
            points.iter().map(of).collect::<Vec<_>>()
        };
        let published = |curve: &Curve| {
            let of = |p: &&PointScores| {
                let (low, high) = experiment.published(&curve.of.of, &curve.queue, &p.at)?;
                let (low, high) = (low / self.per, high / self.per);
                Some(Point { x: place(p), y: (low + high) / 2.0, low, high })
            };
            points.iter().map(of).filter(Option::is_some).collect::<Vec<_>>()
        };
        let line = |kind, points: &dyn Fn(&Curve) -> Vec<Option<Point>>| {
            let of = |c: &Curve| Line { name: c.name.clone(), look: c.look, kind, points: points(c) };
            curves.iter().map(of).collect::<Vec<_>>()
        };
        let own = line(Kind::Means, &measured);
        let last =
            |l: &Line| l.points.iter().flatten().next_back().map_or("none".into(), |p| format!("{:.2}", p.y));
        let ends: Vec<String> = own.iter().map(|l| format!("{} {}", l.name, last(l))).collect();
        let label = self.label.as_deref().unwrap_or(self.y[0].metric.label());
        let alt = format!("{}: {label} over {}; last: {}", self.title, axis.label, ends.join(", "));
        // Where nothing was measured there is nothing to hold a published value against.
        let present = own.iter().any(|l| l.points.iter().any(Option::is_some));
        let lines: Vec<Line> = match present {
            true => line(Kind::Published, &published).into_iter().chain(own).collect(),
            false => Vec::new(),
        };
        let ys = || lines.iter().flat_map(|l| l.points.iter().flatten()).flat_map(|p| [p.low, p.high]);
        let floor = self.least(self.y.iter().map(|y| &y.metric));
        let from = self.from.or(floor).unwrap_or(0.0);
        let y_axis = draw::Axis::new(label).covering([from]).covering(ys()).not_below(floor);
        let x_axis = axis_of(axis, points.iter().map(|p| place(p)));
        let content = Content::Plot(Plot { x: x_axis, y: y_axis, lines, mark: None });
        Panel { name: String::new(), caption, alt, content }
    }

    fn bars(&self, experiment: &Experiment, point: &PointScores) -> Vec<Panel> {
        let (place, labels) = (self.caption(experiment, &point.at), experiment.labels());
        let of = |y: &Drawn| {
            let metric = &y.metric;
            let bar = |label: &String| {
                let s = y.summary(point.queues.iter().find(|q| q.label == *label)?)?;
                let bar = report::bar(label, Look::of_discipline(label, &labels), *metric, &s);
                let published = experiment.published(&y.of, label, &point.at);
                Some(Bar { published, ..bar })
            };
            let bars: Vec<Bar> = self.queues.iter().filter_map(bar).collect();
            let caption = join([&place, &y.app, metric.label()]);
            let values: Vec<String> = bars.iter().map(|b| format!("{} {}", b.label, b.text)).collect();
            let alt = format!("{}, {caption}: {}", self.title, values.join("; "));
            let floor = self.least([metric].into_iter());
            let from = self.from.or(floor).unwrap_or(0.0);
            let content = Content::Bars(Bars::new(metric.label(), (from, from), bars).not_below(floor));
            Panel { name: String::new(), caption, alt, content }
        };
        self.y.iter().map(of).collect()
    }

    /// A bar for each figure: formulas have no discipline.
    fn bars_of_model(&self, experiment: &Experiment, point: &PointScores) -> Vec<Panel> {
        let caption = self.caption(experiment, &point.at);
        let Some(queue) = point.queues.first() else { return Vec::new() };
        let bar = |(i, of): (usize, &Drawn)| {
            let bar = report::bar(&self.name(of), Look::of_app(i), of.metric, &of.summary(queue)?);
            Some(Bar { published: experiment.published(&of.of, &queue.label, &point.at), ..bar })
        };
        let bars: Vec<Bar> = self.y.iter().enumerate().filter_map(bar).collect();
        let values: Vec<String> = bars.iter().map(|b| format!("{} {}", b.label, b.text)).collect();
        let alt = format!("{}: {}", self.title, values.join("; "));
        let from = self.from.unwrap_or(0.0);
        let content = Content::Bars(Bars::new(self.y[0].metric.label(), (from, from), bars));
        vec![Panel { name: String::new(), caption, alt, content }]
    }
}

/// A line of a plot: whose it is, and what of it.
struct Curve {
    name: String,
    look: Look,
    queue: String,
    of: Drawn,
}

/// The parts that there are, with commas.
pub(super) fn join<const N: usize>(parts: [&str; N]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The axis as figures have it; `places`: what of it is shown.
fn axis_of(axis: &Axis, places: impl Iterator<Item = f64>) -> draw::Axis {
    let places: Vec<f64> = places.collect();
    let new = draw::Axis::new(&axis.label);
    let at = |i: usize, value: &AxisValue| (value.x.unwrap_or(i as f64), value.text.clone());
    let names = axis.values.iter().enumerate().map(|(i, value)| at(i, value));
    let names: Vec<(f64, String)> = names.filter(|(x, _)| places.contains(x)).collect();
    // A logarithm has few ticks of its own; a name without a digit (never) no number.
    let wordy = |(_, text): &(f64, String)| !text.contains(|c: char| c.is_ascii_digit());
    match axis.log {
        true => new.log().named(names),
        false if axis.values.iter().any(|value| value.x.is_none()) || names.iter().any(wordy) => {
            new.named(names)
        }
        false => new.covering([0.0]).covering(places),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::Purpose;
    use super::super::made::{HOME, of_queues, parse, point, read};
    use super::*;
    use crate::made::app;

    fn text(lines: &str) -> String {
        format!("title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\", \"chap\"]\n{HOME}\n{lines}")
    }

    /// So many values of each of some axes.
    fn axes(lengths: &[usize]) -> Experiment {
        let axis = |(i, n): (usize, &usize)| {
            let values: Vec<String> = (1..=*n).map(|v| v.to_string()).collect();
            format!(
                "[[axis]]\nname = \"a{i}\"\nkeys = \"queue.fifo.k{i}\"\nvalues = [{}]\n",
                values.join(", ")
            )
        };
        let lines: String = lengths.iter().enumerate().map(axis).collect();
        read("mine", &text(&lines), Purpose::Sweep).unwrap_or_else(|e| panic!("{e}"))
    }

    fn drawn(app: &str, metric: Metric) -> Drawn {
        Drawn::from(&(app.to_string(), metric))
    }

    #[test]
    fn a_sweep_is_drawn_over_its_longest_axis() {
        let of = |lengths: &[usize]| {
            let all = of_sweep(&axes(lengths), vec![drawn("g", Metric::GameMos), drawn("v", Metric::Loss)]);
            assert_eq!((all[0].title.as_str(), all[1].title.as_str()), ("g: MOS", "v: lost, %"));
            assert_eq!(all[1].y, [drawn("v", Metric::Loss)]);
            assert_eq!(all[0].queues, ["fifo", "chap"]);
            assert_eq!((all.len(), &all[0].at), (2, &all[1].at));
            (all[0].x, all[0].at.clone())
        };
        assert_eq!(of(&[2, 5, 3]), (Some(1), vec![]));
        assert_eq!(
            of(&[5, 2, 5, 3]),
            (Some(2), vec![(3, vec![0])]),
            "the last of the longest; 5 x 2 panels, 3 were too many"
        );
        assert_eq!(of(&[4, 30, 6, 1]), (Some(1), vec![]), "24 panels");
        assert_eq!(
            of(&[5, 5, 30, 2]),
            (Some(2), vec![(1, vec![0])]),
            "5 x 2 panels: the first axes go first"
        );
        assert_eq!(of(&[1, 1]), (None, vec![]), "nothing varies");
        assert_eq!(of(&[]), (None, vec![]));
    }

    #[test]
    fn lines_are_named_by_what_tells_them_apart() {
        let names = |y: &str| {
            let e = parse(&text(&format!("[[figure]]\ntitle = \"f\"\ny = {y}\n")));
            let figure = &e.figures[0];
            figure.y.iter().map(|y| figure.name(y)).collect::<Vec<_>>()
        };
        assert_eq!(names("[\"g.game_mos\", \"g.loss_ratio\"]"), ["MOS", "lost, %"]);
        assert_eq!(names("[\"g.loss_ratio\", \"v.loss_ratio\"]"), ["g", "v"]);
        assert_eq!(names("[\"g.game_mos\", \"v.loss_ratio\"]"), ["g: MOS", "v: lost, %"]);
        assert_eq!(names("[\"g.loss_ratio\", \"*.loss_ratio\"]"), ["g", "*"]);
        let three = names("[\"g.game_mos\", \"g.loss_ratio\", \"v.loss_ratio\"]");
        assert_eq!(three, ["g: MOS", "g: lost, %", "v: lost, %"]);
    }

    #[test]
    fn the_least_of_several_metrics_is_the_lowest() {
        let least = |per: &str, metrics: &[Metric]| {
            let lines = format!(
                "[[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [1, 2]\n[[figure]]\ntitle = \"f\"\nx = \"q\"\ny = \"g.game_mos\"\n{per}"
            );
            parse(&text(&lines)).figures[0].least(metrics.iter())
        };
        assert_eq!(least("", &[Metric::GameMos]), Some(1.0));
        assert_eq!(least("", &[Metric::GameMos, Metric::Loss]), Some(0.0));
        assert_eq!(least("per = 4", &[Metric::GameMos, Metric::VoipMos]), Some(0.25));
        assert_eq!(least("", &[Metric::Loss, Metric::VoipRG107]), None, "one may be below 0");
    }

    #[test]
    fn an_axis_has_names_or_numbers() {
        let of = |lines: &str, places: &[f64]| {
            let e = parse(&text(&format!(
                "[[axis]]\nname = \"a\"\nkeys = \"queue.limit\"\nlabel = \"limit\"\n{lines}\n"
            )));
            axis_of(&e.axes[0], places.iter().copied())
        };
        let new = || draw::Axis::new("limit");
        let named =
            |names: &[(f64, &str)]| names.iter().map(|(x, name)| (*x, name.to_string())).collect::<Vec<_>>();
        assert_eq!(of("values = [20, 40, 80]", &[20.0, 80.0]), new().covering([0.0, 20.0, 80.0]));
        assert_eq!(
            of("values = [20, 40, 80]\nlog = true", &[20.0, 80.0]),
            new().log().named(named(&[(20.0, "20"), (80.0, "80")])),
            "those that are shown"
        );
        let words = "values = [20, 40]\nnames = [\"few\", \"many\"]";
        assert_eq!(
            of(words, &[0.0, 1.0]),
            new().named(named(&[(0.0, "few"), (1.0, "many")])),
            "by their places"
        );
        let never = "values = [20, 40]\nnames = [\"20\", \"never\"]\nx = [20, 50]";
        assert_eq!(of(never, &[20.0, 50.0]), new().named(named(&[(20.0, "20"), (50.0, "never")])));
        assert_eq!(of(never, &[20.0]), new().covering([0.0, 20.0]), "what is not shown needs no name");
    }

    const Q: &str = "[[axis]]\nname = \"q\"\nkeys = \"queue.limit\"\nvalues = [20, 40, 80]\n\
                     [[axis]]\nname = \"n\"\nkeys = \"app.g.class\"\nvalues = [1, 2]\n";

    /// A panel for each value of the other axis; a group of one point is none, and what is not asked for is not there.
    #[test]
    fn a_figure_has_a_panel_for_each_group_of_points() {
        let alts = |lines: &str, points: &[[usize; 2]]| {
            let e = parse(&text(&format!("{Q}[[figure]]\ntitle = \"f\"\ny = \"g.game_mos\"\n{lines}")));
            let mos = |at: &[usize; 2]| [10.0 * at[0] as f64 + at[1] as f64; 3];
            let points = points.iter().map(|at| point(at, &[("fifo", mos(at)), ("chap", [9.0; 3])]));
            let outcome = Outcome { quick: false, seeds: 3, runs: 6, points: points.collect() };
            let panels = e.figures[0].draw(&e, &outcome);
            panels.into_iter().map(|panel| (panel.caption, panel.alt)).collect::<Vec<_>>()
        };
        let all = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]];
        let told = |caption: &str, alt: &str| (caption.to_string(), alt.to_string());
        assert_eq!(
            alts("x = \"q\"\n", &all),
            [
                told("n = 1", "f: MOS over q; last: fifo 20.00, chap 9.00"),
                told("n = 2", "f: MOS over q; last: fifo 21.00, chap 9.00")
            ]
        );
        assert_eq!(
            alts("x = \"q\"\nat = { n = 2, q = [20, 40] }\nqueues = [\"fifo\"]\n", &all),
            [told("n = 2", "f: MOS over q; last: fifo 11.00")]
        );
        assert_eq!(
            alts("x = \"q\"\n", &all[..3]),
            [told("n = 1", "f: MOS over q; last: fifo 10.00, chap 9.00")]
        );
        assert_eq!(
            alts("at = { q = 80 }\nqueues = [\"chap\", \"fifo\"]\n", &all),
            [
                told(
                    "q = 80, n = 1, g, MOS",
                    "f, q = 80, n = 1, g, MOS: chap 9.00 ± 0.00; fifo 20.00 ± 0.00"
                ),
                told(
                    "q = 80, n = 2, g, MOS",
                    "f, q = 80, n = 2, g, MOS: chap 9.00 ± 0.00; fifo 21.00 ± 0.00"
                )
            ]
        );
    }

    /// Formulas have a bar each, with what is published of it.
    #[test]
    fn formulas_have_a_bar_each() {
        let check = |of: &str, published: &str| {
            format!(
                "[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nleast = 0\nqueue = \"fifo\"\nof = \"{of}.value\"\npublished = {published}\n"
            )
        };
        let e = parse(&format!(
            "title = \"t\"\nsource = \"s\"\nqueues = [\"fifo\"]\n[model]\ntask = \"waits\"\nrho = 0.5\nkappa = 0.5\nservice = \"1ms\"\n\
             [[figure]]\ntitle = \"f\"\ny = [\"slow.value\", \"fast.value\"]\nfrom = -1\n{}{}",
            check("fast", "[6, 7]"),
            check("slow", "2")
        ));
        let apps = vec![
            app("slow", "flow", &[(Metric::Value, [3.0; 3])]),
            app("fast", "flow", &[(Metric::Value, [5.0; 3])]),
        ];
        let points = vec![of_queues(&[], vec![("fifo", apps)])];
        let outcome = Outcome { quick: false, seeds: 3, runs: 3, points };
        let panels = e.figures[0].draw(&e, &outcome);
        let [Panel { content: Content::Bars(bars), alt, .. }] = &panels[..] else { panic!("{panels:?}") };
        assert!(alt.starts_with("f: slow 3") && alt.contains("; fast 5"), "{alt}");
        let shown: Vec<_> =
            bars.bars.iter().map(|bar| (bar.label.as_str(), bar.value, bar.published)).collect();
        assert_eq!(shown, [("slow", 3.0, Some((2.0, 2.0))), ("fast", 5.0, Some((6.0, 7.0)))]);
        assert_eq!((bars.from, bars.bars[1].look), (-1.0, Look::of_app(1)));
        assert_eq!(bars.axis, draw::Axis::new(Metric::Value.label()).covering([-1.0, 7.0]));
    }

    /// Values, what is published and where the axis begins are in its unit.
    #[test]
    fn a_figure_has_the_unit_of_its_axis() {
        let check = "[[check]]\nwhat = \"w\"\nsection = \"1\"\nreported = \"r\"\nleast = 0\nqueue = \"fifo\"\nof = \"g.game_mos\"\nat = { q = 40, n = 1 }\npublished = [3, 5]\n";
        let drawn = |lines: &str| {
            let figure = format!(
                "{Q}{check}[[figure]]\ntitle = \"f\"\ny = \"g.game_mos\"\nx = \"q\"\nat = {{ n = 1 }}\nqueues = [\"fifo\"]\n{lines}"
            );
            let e = parse(&text(&figure));
            let points =
                [0, 1].map(|q| point(&[q, 0], &[("fifo", [2.0 + 2.0 * q as f64; 3]), ("chap", [9.0; 3])]));
            let outcome = Outcome { quick: false, seeds: 3, runs: 6, points: points.to_vec() };
            match e.figures[0].draw(&e, &outcome).remove(0).content {
                Content::Plot(plot) => plot,
                other => panic!("{other:?}"),
            }
        };
        let plot = drawn("per = 2\nlabel = \"pairs\"\nfrom = 0.75\n");
        let shown: Vec<_> = plot.lines.iter().map(|line| (line.kind, line.points.clone())).collect();
        let published = Point { x: 40.0, y: 2.0, low: 1.5, high: 2.5 };
        let own = vec![Some(Point::new(20.0, 1.0)), Some(Point::new(40.0, 2.0))];
        assert_eq!(shown, [(Kind::Published, vec![Some(published)]), (Kind::Means, own)]);
        assert_eq!(plot.y, draw::Axis::new("pairs").covering([0.75, 2.5]).not_below(0.5));
        let plain = drawn("");
        assert_eq!(plain.y, draw::Axis::new("MOS").covering([1.0, 5.0]).not_below(1.0), "from its least on");
        assert_eq!(plain.x, draw::Axis::new("q").covering([0.0, 40.0]));
    }
}
