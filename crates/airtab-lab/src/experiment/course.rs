// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures over time: one run (seed 1) of a point under a discipline, as the
//! source shows one. Simulated when the page is made, once for all figures of
//! that point and discipline; nothing of it is stored.
//!
//! What it does not do: no verdict rests on a single run.

use std::collections::BTreeSet;

use airtab_core::disciplines;
use airtab_scenario::reader::{Section, choice, text};
use airtab_scenario::{column_unit, volume_jain};
use airtab_sim::address::Protocol;
use airtab_sim::{App, Observer, Probe, Quantity, Scenario, Series, Simulation, watch};

use super::figure::join;
use super::file::Names;
use super::{Experiment, Workload};
use crate::draw::{Axis, Content, Kind, Line, Look, Panel, Plot, Point};
use crate::story::{COLUMN_STEP_NS, column_span};

/// Between two samples, ns.
const STEP_NS: u64 = 1_000_000_000;

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
    Some(Course { title: title?, y: y?, queues: queues.unwrap_or_else(|| names.labels()), at })
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
                Some((i, probe(quantity, scenario)))
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
                let curves = curves(scenario, probe.at_ns(), &probe.series()[0]);
                let open = matches!(probe.series()[0].quantity, Quantity::Column(_));
                panels[*i].push(panel(&courses[*i].title, curves, caption.clone(), open));
            }
        }
    }
    panels
}

/// Columns change too fast for a whole run.
fn probe(quantity: Quantity, scenario: &Scenario) -> Probe {
    match quantity {
        Quantity::Column(_) => Probe::new(COLUMN_STEP_NS, column_span(scenario), &[quantity]),
        _ => Probe::new(STEP_NS, STEP_NS..scenario.duration_ns + 1, &[quantity]),
    }
}

/// `open`: with room above lines that stay at their most, as credits do.
fn panel(
    title: &str,
    (label, series): (String, Vec<(String, Points)>),
    caption: String,
    open: bool,
) -> Panel {
    let mean = |points: &[Option<Point>]| {
        let present: Vec<f64> = points.iter().flatten().map(|p| p.y).collect();
        present.iter().sum::<f64>() / present.len().max(1) as f64
    };
    let means: Vec<String> = series.iter().map(|(name, p)| format!("{name} {:.1}", mean(p))).collect();
    let alt = format!("{}: {label}, {caption}; means: {}", title, means.join(", "));
    let line = |(i, (name, points)): (usize, (String, Points))| Line {
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

type Points = Vec<Option<Point>>;

/// Label of the axis, and a curve for each application, or one of the access point.
fn curves(scenario: &Scenario, at_ns: &[u64], series: &Series) -> (String, Vec<(String, Points)>) {
    // What is shown of the access point is one curve; what grows is shown as it grows in each second.
    let (label, of, grows, factor, divisor) = match series.quantity {
        Quantity::FlowVolumes => {
            return ("Jain's index of a second".into(), vec![evenness(scenario, at_ns, series)]);
        }
        Quantity::Volume => ("acknowledged, MB".into(), None, false, 1.0, 1e6),
        Quantity::Srtt => ("smoothed round-trip time, ms".into(), None, false, 1e3, 1.0),
        Quantity::Received => ("received, Mb/s".into(), None, true, 8.0, 1e6),
        Quantity::Uploaded => ("received from the station, Mb/s".into(), None, true, 8.0, 1e6),
        Quantity::UplinkAir => ("uplink, % of the air".into(), Some("uplink"), true, 1e2, STEP_NS as f64),
        Quantity::Queue => ("packets in the queue".into(), Some("queue"), false, 1.0, 1.0),
        Quantity::Limit => ("limit, packets".into(), Some("limit"), false, 1.0, 1.0),
        Quantity::Drain => ("drain time, ms".into(), Some("drain time"), false, 1e3, 1.0),
        Quantity::Window => ("window, segments".into(), None, false, 1.0, f64::from(scenario.tcp.mss)),
        Quantity::Column(column) => {
            let (unit, factor, _) = column_unit(column.unit);
            let unit = if unit.is_empty() { String::new() } else { format!(", {unit}") };
            (format!("{}{unit}", column.name), None, false, factor, 1.0)
        }
    };
    let curve = |(i, values): (usize, &Vec<Option<f64>>)| {
        let name = match (of, series.values.len()) {
            (None, _) => scenario.apps[i].name.clone(),
            (Some(name), 1) => name.into(),
            (Some(_), _) => scenario.stations[i].name.clone(), // the nodes of a mesh
        };
        let mut before = 0.0;
        let points = values.iter().zip(at_ns).map(|(value, at)| {
            let value = (*value)?;
            let shown = value - std::mem::replace(&mut before, if grows { value } else { 0.0 });
            Some(Point::new(*at as f64 / 1e9, shown * factor / divisor))
        });
        (name, points.collect())
    };
    (label, series.values.iter().enumerate().map(curve).collect())
}

/// Of all bulk flows: Jain's index of what was acknowledged from one sample to the next.
fn evenness(scenario: &Scenario, at_ns: &[u64], flows: &Series) -> (String, Points) {
    let connected = scenario.apps.iter().filter(|app| app.kind.protocol() == Protocol::Tcp);
    let apps: Vec<&App> = connected.flat_map(|app| std::iter::repeat_n(app, app.flows())).collect();
    let mut before = (0, vec![0.0; apps.len()]);
    let point = |(i, at): (usize, &u64)| {
        let now: Vec<f64> = flows.values.iter().map(|flow| flow[i].unwrap_or(0.0)).collect();
        let (from, was) = std::mem::replace(&mut before, (*at, now.clone()));
        let gained = now.iter().zip(was).map(|(now, was)| now - was);
        let index = volume_jain(&(from..*at), apps.iter().copied().zip(gained))?;
        Some(Point::new(*at as f64 / 1e9, index))
    };
    ("flows".into(), at_ns.iter().enumerate().map(point).collect())
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_scenario::ScenarioFile;

    use super::*;

    fn column(discipline: &str, name: &str) -> Quantity {
        Quantity::named(name, Discipline::named(discipline).unwrap()).unwrap()
    }

    #[test]
    fn samples_are_at_their_times_and_in_their_units() {
        let text = "duration = \"10ms\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"a\"\nkind = \"ping\"\nstation = \"s\"\n";
        let scenario = ScenarioFile::parse("short.toml", text).unwrap().scenario;
        let at_ns = [1_000_000_000, 2_000_000_000, 3_500_000_000];
        let of = |quantity, values: [Option<f64>; 3]| {
            let (label, curves) =
                curves(&scenario, &at_ns, &Series { quantity, values: vec![values.to_vec()] });
            let [(name, points)] = curves.as_slice() else { panic!("{curves:?}") };
            (label, name.clone(), points.iter().map(|p| p.map(|p| p.y)).collect::<Vec<_>>())
        };
        let expected = |label: &str, name: &str, values: [Option<f64>; 3]| {
            (label.to_string(), name.to_string(), values.to_vec())
        };
        // 1, 2 and no Mbit in a second each: bytes received so far.
        assert_eq!(
            of(Quantity::Received, [Some(125_000.0), Some(375_000.0), Some(375_000.0)]),
            expected("received, Mb/s", "a", [Some(1.0), Some(2.0), Some(0.0)])
        );
        assert_eq!(
            of(Quantity::UplinkAir, [Some(0.25e9), Some(0.25e9), Some(0.75e9)]),
            expected("uplink, % of the air", "uplink", [Some(25.0), Some(0.0), Some(50.0)])
        );
        let packets = [Some(0.0), Some(7.0), Some(3.0)];
        assert_eq!(of(Quantity::Queue, packets), expected("packets in the queue", "queue", packets));
        assert_eq!(
            of(Quantity::Window, [None, Some(2920.0), Some(14_600.0)]),
            expected("window, segments", "a", [None, Some(2.0), Some(10.0)])
        );
        let mut bsd44 = scenario.clone();
        bsd44.tcp = airtab_sim::tcp::Config::bsd44();
        let series = Series { quantity: Quantity::Window, values: vec![vec![Some(14_480.0)]] };
        assert_eq!(
            curves(&bsd44, &at_ns, &series).1[0].1,
            [Some(Point::new(1.0, 10.0))],
            "segments of 1448 bytes"
        );
        let left = [Some(0.020), None, Some(-0.005)];
        let shown = [Some(20.0), None, Some(-5.0)];
        let name = airtab_core::disciplines().find(|d| d.name() == "chap").unwrap().flow_columns()[0].name;
        assert_eq!(of(column("chap", name), left), expected(&format!("{name}, ms"), "a", shown));
        assert_eq!(of(column("fq_codel", "sojourn"), left), expected("sojourn, ms", "a", shown));
        assert_eq!(
            of(Quantity::Volume, [Some(1e6), None, Some(4e6)]),
            expected("acknowledged, MB", "a", [Some(1.0), None, Some(4.0)])
        );
        assert_eq!(
            of(Quantity::Srtt, [None, Some(0.146), Some(0.5)]),
            expected("smoothed round-trip time, ms", "a", [None, Some(146.0), Some(500.0)])
        );
        assert_eq!(of(Quantity::Limit, packets), expected("limit, packets", "limit", packets));
        let drain = [Some(0.0025), None, Some(0.001)];
        let shown = [Some(2.5), None, Some(1.0)];
        assert_eq!(of(Quantity::Drain, drain), expected("drain time, ms", "drain time", shown));
        let names = |discipline: &str| {
            let discipline = Discipline::named(discipline).unwrap();
            ["limit", "drain"].map(|name| Quantity::named(name, discipline).is_some())
        };
        assert_eq!([names("wqm"), names("astar"), names("fifo")], [[true; 2], [true, false], [false; 2]]);
        let times =
            curves(&scenario, &at_ns, &Series { quantity: Quantity::Queue, values: vec![packets.to_vec()] });
        assert_eq!(times.1[0].1.iter().map(|p| p.unwrap().x).collect::<Vec<_>>(), [1.0, 2.0, 3.5]);
    }
    /// Of TCP flows alone; those that are not active throughout are left out.
    #[test]
    fn evenness_of_each_second() {
        let mut text = "duration = \"4s\"\n[[station]]\nname = \"s\"\n".to_string();
        for (name, kind, start) in
            [("call", "voip", 0), ("down", "download", 0), ("up", "upload", 0), ("late", "download", 2500)]
        {
            text += &format!(
                "[[app]]\nname = \"{name}\"\nkind = \"{kind}\"\nstation = \"s\"\nstart = \"{start}ms\"\n"
            );
        }
        let scenario = ScenarioFile::parse("even.toml", &text).unwrap().scenario;
        let flow = |volumes: [f64; 4]| volumes.map(Some).to_vec();
        let values =
            vec![flow([5.0, 5.0, 15.0, 45.0]), flow([5.0, 5.0, 25.0, 25.0]), flow([0.0, 0.0, 9.0, 39.0])];
        let at_ns = [1, 2, 3, 4].map(|s| s * 1_000_000_000);
        let series = Series { quantity: Quantity::FlowVolumes, values };
        let (_, curves) = curves(&scenario, &at_ns, &series);
        // 5 and 5; nothing; 10 and 20; 30, 0 and 30.
        let expected = [Some((1.0, 1.0)), None, Some((3.0, 0.9)), Some((4.0, 2.0 / 3.0))];
        let points = expected.map(|p| p.map(|(x, y)| Point::new(x, y)));
        assert_eq!(curves, [("flows".to_string(), points.to_vec())]);
    }
}
