//! Figures over time: one run (seed 1) of a point under a discipline, as the
//! source shows one. Simulated when the page is made; nothing of it is stored.
//!
//! What it does not do: no verdict rests on a single run.

use airtab_core::Params;
use airtab_sim::Scenario;
use airtab_sim::course::course;

use super::figure::Picture;
use super::file::Names;
use super::{Experiment, Workload};
use crate::report::chart::{self, Axis, Line};
use crate::story::{Story, story};
use airtab_scenario::reader::{Section, choice, text};

/// Between two samples, ns.
const STEP_NS: u64 = 1_000_000_000;

/// `[[course]]`: what is shown over time.
#[derive(Clone, Debug)]
pub struct Course {
    /// What it shows, and which figure of the source it stands for.
    pub title: String,
    series: Series,
    queues: Vec<String>,
    at: Vec<(usize, Vec<usize>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Series {
    /// What each application received in each second, Mb/s.
    Received,
    /// The access point's queue at each second, packets.
    Queue,
    /// Congestion window of each application's first flow at each second, segments of 1460 bytes.
    Window,
    /// Mean credit of each application's flows around the start of the measured part, ms.
    Credit,
}

/// Reads it.
pub(super) fn read(s: &Section, names: &Names) -> Option<Course> {
    let title = s.require("title", text);
    let series = vec![
        ("received", Series::Received),
        ("queue", Series::Queue),
        ("window", Series::Window),
        ("credit", Series::Credit),
    ];
    let series = s.require("y", choice(series));
    let queues = s.read("queues", |v| names.queues(v));
    let at = names.at(s)?;
    s.finish();
    Some(Course { title: title?, series: series?, queues: queues.unwrap_or_else(|| names.labels()), at })
}

impl Course {
    /// A picture for each of its points and disciplines. Takes a run each.
    pub(super) fn draw(&self, experiment: &Experiment) -> Vec<Picture> {
        let shown = |at: &Vec<usize>| self.at.iter().all(|(axis, values)| values.contains(&at[*axis]));
        let mut pictures = Vec::new();
        for at in experiment.combinations().into_iter().filter(shown) {
            let place = experiment.place(&at);
            // What is wrong in a point was said before anything ran.
            let Ok(point) = experiment.point(at) else { continue };
            let Workload::Home(file) = &point.workload else { continue };
            for spec in experiment.queues.iter().filter(|q| self.queues.contains(&q.label)) {
                let Ok(params) = spec.build(&file.queues) else { continue };
                let caption =
                    [place.as_str(), spec.label.as_str()].into_iter().filter(|part| !part.is_empty());
                let caption = caption.collect::<Vec<_>>().join(", ");
                pictures.push(self.picture(&file.scenario, &params, caption));
            }
        }
        pictures
    }

    fn picture(&self, scenario: &Scenario, params: &Params, caption: String) -> Picture {
        let (label, series) = match self.series {
            Series::Credit => credits(&story(scenario, "", params, 1)),
            other => sampled(&course(scenario, params, 1, STEP_NS), other),
        };
        let points = || series.iter().flat_map(|(_, points)| points.iter().flatten());
        let (left, right) =
            points().fold((f64::MAX, f64::MIN), |(low, high), p| (low.min(p.0), high.max(p.0)));
        let (low, top) = points().fold((0.0, 1e-3), |(low, top): (f64, f64), p| (low.min(p.1), top.max(p.1)));
        let (left, right) = if left < right { (left, right) } else { (0.0, 1.0) };
        let x = Axis { label: "time, s", range: (left, right), powers: false };
        let y = Axis { label, range: (low * 1.05, top * 1.05), powers: false };
        let mean = |points: &[Option<(f64, f64)>]| {
            let present: Vec<f64> = points.iter().flatten().map(|p| p.1).collect();
            present.iter().sum::<f64>() / present.len().max(1) as f64
        };
        let means: Vec<String> = series.iter().map(|(name, p)| format!("{name} {:.1}", mean(p))).collect();
        let alt = format!("{}: {label}, {caption}; means: {}", self.title, means.join(", "));
        let line = |(i, (_, points)): (usize, &(String, Points))| Line {
            colour: chart::colour(i),
            points: points.clone(),
        };
        let lines: Vec<Line> = series.iter().enumerate().map(line).collect();
        Picture {
            caption,
            lines: series.iter().map(|(name, _)| name.clone()).collect(),
            svg: chart::lines(&alt, &x, &y, &lines),
        }
    }
}

type Points = Vec<Option<(f64, f64)>>;

fn sampled(course: &airtab_sim::course::Course, series: Series) -> (&'static str, Vec<(String, Points)>) {
    let at = |i: usize| (i + 1) as f64 * STEP_NS as f64 / 1e9;
    let over_time = |values: Vec<Option<f64>>| -> Points {
        values.into_iter().enumerate().map(|(i, v)| Some((at(i), v?))).collect()
    };
    match series {
        Series::Queue => {
            let packets = course.queue_packets.iter().map(|n| Some(f64::from(*n))).collect();
            ("packets in the queue", vec![("queue".into(), over_time(packets))])
        }
        Series::Window => {
            let window = |bytes: &Option<u64>| bytes.map(|bytes| bytes as f64 / 1460.0);
            let of = |app: &airtab_sim::course::AppCourse| {
                let first = app.flows.first().map_or(&[][..], |flow| &flow.cwnd_bytes);
                (app.name.clone(), over_time(first.iter().map(window).collect()))
            };
            ("window, segments", course.apps.iter().map(of).collect())
        }
        Series::Received | Series::Credit => {
            let of = |app: &airtab_sim::course::AppCourse| {
                let rates = app.rate_bps(STEP_NS, 1).into_iter().map(|bps| Some(bps / 1e6)).collect();
                (app.name.clone(), over_time(rates))
            };
            ("received, Mb/s", course.apps.iter().map(of).collect())
        }
    }
}

fn credits(story: &Story) -> (&'static str, Vec<(String, Points)>) {
    let of = |app: &crate::story::AppStory| {
        let at = |i: usize| story.credit_at_ns[i] as f64 / 1e9;
        let points = app.credit_s.iter().enumerate().map(|(i, c)| Some((at(i), c.as_ref()? * 1e3)));
        (app.name.clone(), points.collect())
    };
    ("credit, ms", story.apps.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_sim::course::{AppCourse, Course as Samples, FlowCourse};

    use super::*;
    use crate::story::AppStory;
    use airtab_scenario::ScenarioFile;

    #[test]
    fn samples_are_at_their_seconds_and_in_their_units() {
        let app = AppCourse {
            name: "a".into(),
            received_bytes: vec![125_000, 375_000, 375_000],
            flows: vec![FlowCourse {
                cwnd_bytes: vec![None, Some(2920), Some(14_600)],
                ..FlowCourse::default()
            }],
        };
        // A short run, for its trace; what is drawn is made up.
        let text = "duration = \"10ms\"\n[[station]]\nname = \"s\"\n[[app]]\nname = \"p\"\nkind = \"ping\"\nstation = \"s\"\n";
        let short = ScenarioFile::parse("short.toml", text).unwrap().scenario;
        let run = course(&short, &Params::new(Discipline::named("fifo").unwrap()), 1, STEP_NS);
        let samples = Samples { queue_packets: vec![0, 7, 3], apps: vec![app], ..run };
        let of = |series| sampled(&samples, series);
        // 1, 2 and no Mbit in a second each: bytes received so far.
        let rates = vec![Some((1.0, 1.0)), Some((2.0, 2.0)), Some((3.0, 0.0))];
        assert_eq!(of(Series::Received), ("received, Mb/s", vec![("a".into(), rates)]));
        let queue = vec![Some((1.0, 0.0)), Some((2.0, 7.0)), Some((3.0, 3.0))];
        assert_eq!(of(Series::Queue), ("packets in the queue", vec![("queue".into(), queue)]));
        let window = vec![None, Some((2.0, 2.0)), Some((3.0, 10.0))];
        assert_eq!(of(Series::Window), ("window, segments", vec![("a".into(), window)]));
    }

    #[test]
    fn credits_are_in_ms() {
        let app = AppStory {
            name: "a".into(),
            received_bps: Vec::new(),
            credit_s: vec![Some(0.020), None, Some(-0.005)],
            queue_delay: Vec::new(),
        };
        let story = Story {
            label: String::new(),
            seed: 1,
            step_ns: 1,
            credit_start_ns: 0,
            credit_at_ns: vec![1_000_000_000, 1_500_000_000, 2_000_000_000],
            apps: vec![app],
            uplink_air: 0.0,
        };
        let points = vec![Some((1.0, 20.0)), None, Some((2.0, -5.0))];
        assert_eq!(credits(&story), ("credit, ms", vec![("a".into(), points)]));
    }
}
