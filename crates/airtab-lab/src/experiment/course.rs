// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures over time: one run (seed 1) of a point under a discipline, as the
//! source shows one. Simulated when the page is made, once for all figures of
//! that point and discipline; nothing of it is stored.
//!
//! What it does not do: no verdict rests on a single run.

use std::collections::BTreeSet;

use airtab_core::{CLASS, Discipline, disciplines};
use airtab_scenario::reader::{Section, choice, text};
use airtab_sim::{Observer, Probe, Quantity, Scenario, Simulation, watch};

use super::curves::{Curves, STEP_NS, curves};
use super::figure::join;
use super::file::Names;
use super::{Experiment, Workload};
use crate::draw::{Axis, Content, Kind, Line, Look, Panel, Plot, Point};
use crate::story::{COLUMN_STEP_NS, column_span};

/// `[[course]]`: what is shown over time.
#[derive(Clone, Debug)]
pub struct Course {
    /// What it shows, and which figure of the source it stands for.
    pub title: String,
    /// A [`Quantity`], or a column of a discipline's table; the latter around
    /// the start of the measured part.
    y: &'static str,
    queues: Vec<String>,
    at: Vec<(usize, Vec<usize>)>,
}

/// Reads it.
pub(super) fn read(s: &Section, names: &Names) -> Option<Course> {
    let title = s.require("title", text);
    let columns = disciplines().flat_map(|discipline| discipline.flow_columns()).map(|column| column.name);
    let mut known: Vec<&'static str> = Quantity::NAMES.into_iter().chain(columns).collect();
    // A name that two disciplines have is one choice.
    let mut seen = BTreeSet::new();
    known.retain(|name| seen.insert(*name));
    let y = s.require("y", choice(known.into_iter().map(|name| (name, name)).collect()));
    let queues = s.read("queues", |v| names.queues(v));
    let at = names.at(s)?;
    s.finish();
    let (named, y) = (queues.is_some(), y?);
    let queues = queues.unwrap_or_else(|| names.labels());
    let lacks = |label: &&String| names.discipline(label).is_some_and(|d| Quantity::named(y, d).is_none());
    let without: Vec<&str> = queues.iter().filter(lacks).map(String::as_str).collect();
    if !without.is_empty() && (named || without.len() == queues.len()) {
        let known = disciplines().filter(|d| Quantity::named(y, *d).is_some());
        let known: Vec<&str> = known.map(|discipline| discipline.name()).collect();
        s.problem_of("y", &format!("no {y} of {}: it is shown of {}", without.join(", "), known.join(", ")));
    }
    Some(Course { title: title?, y, queues, at })
}

/// Of each course a panel for each of its points and disciplines; a discipline
/// without such a column has none. Takes a run for each point and discipline
/// that any of them shows.
pub(super) fn draw(experiment: &Experiment) -> Vec<Vec<Panel>> {
    let courses = &experiment.courses;
    let mut panels: Vec<Vec<Panel>> = courses.iter().map(|_| Vec::new()).collect();
    for at in experiment.combinations() {
        let here = |course: &Course| course.at.iter().all(|(axis, values)| values.contains(&at[*axis]));
        let here: Vec<bool> = courses.iter().map(here).collect();
        if !here.contains(&true) {
            continue;
        }
        let place = experiment.place(&at);
        // What is wrong in a point was said before anything ran.
        let Ok(point) = experiment.point(at) else { continue };
        let Workload::Home(file) = &point.workload else { continue };
        let scenario = &file.scenario;
        for spec in &experiment.queues {
            let Ok(params) = spec.build(&file.queues) else { continue };
            let wanted = |(i, course): (usize, &Course)| {
                let shown = here[i] && course.queues.contains(&spec.label);
                let quantity = shown.then(|| Quantity::named(course.y, params.discipline())).flatten()?;
                Some((i, probe(quantity, params.discipline(), scenario)))
            };
            let mut probes: Vec<(usize, Probe)> = courses.iter().enumerate().filter_map(wanted).collect();
            if probes.is_empty() {
                continue;
            }
            let mut observers: Vec<&mut dyn Observer> =
                probes.iter_mut().map(|(_, probe)| probe as &mut dyn Observer).collect();
            watch(Simulation::new(scenario, &params, 1), scenario.duration_ns, &mut observers);
            let caption = join([&place, &spec.label]);
            for (i, probe) in &probes {
                let curves = curves(scenario, probe.at_ns(), probe.series());
                let open = matches!(probe.series()[0].quantity, Quantity::Column(_));
                panels[*i].push(panel(&courses[*i].title, curves, caption.clone(), open));
            }
        }
    }
    panels
}

/// What it notes, and beside a class's figure which class that is, and in what it is counted. Columns of flows change too fast
/// for a whole run.
fn probe(quantity: Quantity, discipline: Discipline, scenario: &Scenario) -> Probe {
    let number = discipline.class_column(CLASS).map(Quantity::Class);
    match (quantity, number) {
        (Quantity::Column(_), _) => Probe::new(COLUMN_STEP_NS, column_span(scenario), &[quantity]),
        (Quantity::Class(_), Some(number)) => {
            Probe::new(STEP_NS, STEP_NS..scenario.duration_ns + 1, &[quantity, number, Quantity::Unit])
        }
        _ => Probe::new(STEP_NS, STEP_NS..scenario.duration_ns + 1, &[quantity]),
    }
}

/// `open`: with room above lines that stay at their most, as credits do.
fn panel(title: &str, Curves { label, of: series }: Curves, caption: String, open: bool) -> Panel {
    let mean = |points: &[Option<Point>]| {
        let present: Vec<f64> = points.iter().flatten().map(|p| p.y).collect();
        let mean = present.iter().sum::<f64>() / present.len() as f64;
        if present.is_empty() { "none".into() } else { format!("{mean:.1}") }
    };
    let means: Vec<String> = series.iter().map(|(name, p)| format!("{name} {}", mean(p))).collect();
    let alt = format!("{}: {label}, {caption}; means: {}", title, means.join(", "));
    let line = |(i, (name, points)): (usize, (String, Vec<Option<Point>>))| Line {
        name,
        look: Look::of_app(i),
        kind: Kind::Course,
        points,
    };
    let lines: Vec<Line> = series.into_iter().enumerate().map(line).collect();
    let all = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let x = Axis::new("time, s").exact().covering(all().map(|p| p.x));
    let y = Axis::new(label).covering([0.0]).covering(all().map(|p| p.y));
    let y = if open { y.open() } else { y };
    let content = Content::Plot(Plot { x, y, lines, mark: None });
    Panel { name: String::new(), caption, alt, content }
}

#[cfg(test)]
mod tests {
    use airtab_scenario::ScenarioFile;

    use super::super::made::parse;
    use super::*;

    const TEXT: &str = r#"
        title = "t"
        source = "s"
        queues = ["fifo", "chap"]
        [scenario]
        duration = "2s"
        measure = ["500ms", "2s"]
        station = [{ name = "s" }]
        app = [{ name = "load", kind = "download", station = "s" }, { name = "back", kind = "upload", station = "s" }]
        [[axis]]
        name = "q"
        keys = "queue.limit"
        values = [20, 40]
        [[course]]
        title = "Rates"
        y = "received"
        queues = ["chap"]
        at = { q = 40 }
        [[course]]
        title = "Queue"
        y = "queue"
        [[course]]
        title = "Credit"
        y = "credit"
    "#;

    fn plot(panel: &Panel) -> &Plot {
        match &panel.content {
            Content::Plot(plot) => plot,
            other => panic!("{other:?}"),
        }
    }

    /// A panel for each point and discipline that is asked for, of the run with seed 1.
    #[test]
    fn courses_are_of_their_points_and_disciplines() {
        let e = parse(TEXT);
        let drawn = draw(&e);
        let captions: Vec<Vec<&str>> =
            drawn.iter().map(|panels| panels.iter().map(|panel| panel.caption.as_str()).collect()).collect();
        let all = ["q = 20, fifo", "q = 20, chap", "q = 40, fifo", "q = 40, chap"];
        assert_eq!(captions, [&["q = 40, chap"][..], &all, &["q = 20, chap", "q = 40, chap"]]);
        let point = e.point(vec![1]).unwrap();
        let Workload::Home(file) = &point.workload else { panic!("a home") };
        let of = |label: &str, quantity| {
            let params = label.parse::<airtab_scenario::QueueSpec>().unwrap().build(&file.queues).unwrap();
            let mut probe = Probe::new(1_000_000_000, 0..2_000_000_001, &[quantity]);
            watch(Simulation::new(&file.scenario, &params, 1), file.scenario.duration_ns, &mut [&mut probe]);
            probe.series()[0].values.clone()
        };
        let points = |panel: &Panel, line: usize| {
            plot(panel).lines[line].points.iter().map(|p| p.map(|p| (p.x, p.y))).collect::<Vec<_>>()
        };
        for (panel, label) in [(&drawn[1][2], "fifo"), (&drawn[1][3], "chap")] {
            let queue = of(label, Quantity::Queue)[0].clone();
            assert_eq!(points(panel, 0), [queue[1].map(|y| (1.0, y)), queue[2].map(|y| (2.0, y))], "{label}");
        }
        // Mb/s of each second and application.
        let names: Vec<&str> = plot(&drawn[0][0]).lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["load", "back"]);
        for (i, bytes) in of("chap", Quantity::Received).iter().enumerate() {
            let bytes: Vec<f64> = bytes.iter().map(|bytes| bytes.unwrap()).collect();
            let rates = [(1.0, bytes[1] * 8.0 / 1e6), (2.0, (bytes[2] - bytes[1]) * 8.0 / 1e6)];
            assert_eq!(points(&drawn[0][0], i), rates.map(Some));
        }
        // Every millisecond around the time at which the queue fills.
        let credit = &plot(&drawn[2][0]).lines[0].points;
        let span = column_span(&file.scenario);
        assert_eq!(credit.len() as u64, (span.end - span.start).div_ceil(1_000_000));
    }

    #[test]
    fn a_class_is_noted_with_its_number_and_unit() {
        let scenario = ScenarioFile::home().scenario;
        let of = |discipline: &str, name: &str| {
            let discipline = Discipline::named(discipline).unwrap();
            let probe = probe(Quantity::named(name, discipline).unwrap(), discipline, &scenario);
            let quantities: Vec<Quantity> = probe.series().iter().map(|series| series.quantity).collect();
            (quantities, probe.next_at())
        };
        let class = |name| Quantity::Class(Discipline::named("cbt").unwrap().class_column(name).unwrap());
        assert_eq!(of("cbt", "mode"), (vec![class("mode"), class(CLASS), Quantity::Unit], 1_000_000_000));
        assert_eq!(of("cbt", "queue"), (vec![Quantity::Queue], 1_000_000_000));
        assert_eq!(of("chap", "credit").1, column_span(&scenario).start);
    }

    #[test]
    fn a_panel_says_the_means_of_what_there_is() {
        let points = |ys: &[Option<f64>]| {
            ys.iter().zip(1..).map(|(y, x)| y.map(|y| Point::new(f64::from(x), y))).collect::<Vec<_>>()
        };
        let of = vec![
            ("a".to_string(), points(&[Some(1.0), None, Some(4.25)])),
            ("b".into(), points(&[Some(-6.0), Some(2.0), None])),
            ("c".into(), points(&[None; 3])),
        ];
        let curves = Curves { label: "packets".into(), of: of.clone() };
        let shut = panel("Queue", curves, "q = 20, fifo".into(), false);
        assert_eq!(shut.alt, "Queue: packets, q = 20, fifo; means: a 2.6, b -2.0, c none");
        assert_eq!((shut.caption.as_str(), shut.name.as_str()), ("q = 20, fifo", ""));
        let shown = plot(&shut);
        let lines: Vec<_> = shown.lines.iter().map(|l| (l.name.clone(), l.points.clone())).collect();
        assert_eq!(lines, of);
        assert!(
            shown.lines.iter().enumerate().all(|(i, l)| l.look == Look::of_app(i) && l.kind == Kind::Course)
        );
        assert_eq!(shown.x, Axis::new("time, s").exact().covering([1.0, 3.0]));
        assert_eq!(shown.y, Axis::new("packets").covering([-6.0, 4.25]));
        let above = Curves { label: "packets".into(), of: of[..1].to_vec() };
        let open = panel("Queue", above, String::new(), true);
        assert_eq!(plot(&open).y, Axis::new("packets").covering([0.0, 4.25]).open(), "from nothing on");
    }
}
