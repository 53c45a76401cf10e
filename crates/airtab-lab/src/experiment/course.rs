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
        present.iter().sum::<f64>() / present.len().max(1) as f64
    };
    let means: Vec<String> = series.iter().map(|(name, p)| format!("{name} {:.1}", mean(p))).collect();
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
