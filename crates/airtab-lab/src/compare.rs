// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The same scenario under several disciplines, many seeds each.
//!
//! Every discipline sees the same seeds: a plan of one point. The result depends
//! neither on the number of jobs nor on what is stored.
//!
//! What it does not do: no files, no tables.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use airtab_core::{Param, Params};
use airtab_quality::Interval;
use airtab_quality::web;
use airtab_scenario::{Figures, Measured, Metric, QueueScores, Scores, Summary, short};
use airtab_sim::{App, Scenario, Trace};
use schemars::JsonSchema;
use serde::Serialize;

use crate::change::{AppChange, Verdict};
use crate::flent::{self, Document, Origin};
use crate::measure;
use crate::plan::{Brake, Cell, Halt, Job, Pace, Plan, Step, Stopped, Whole, Work, execute};
use crate::so_far::{SoFar, Watch};
use crate::store::Store;
use crate::tie;

/// Version of the serialised form of [`Comparison`]; grows when a reader of
/// the older form would be misled.
pub const SCHEMA: u32 = 1;

/// Before the name of a node of a mesh among those of applications.
pub(crate) const NODE: &str = "node/";

/// How to compare.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Each discipline runs once with each of them.
    pub seeds: &'a [u64],
    /// Whether to run the short schedule of [`short`].
    pub short: bool,
    /// Threads; 0 takes one per processor.
    pub jobs: usize,
    /// Set by anybody at any time: runs under way are ended.
    pub stop: &'a AtomicBool,
    /// Where finished runs are kept.
    pub store: &'a dyn Store,
    /// Called after each run, from any thread.
    pub progress: &'a (dyn Fn(Step) + Sync),
}

/// The result of [`compare`]; serialises in a stable form.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Comparison {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Name of the scenario.
    pub scenario: String,
    /// Whether it ran by the short schedule of [`short`].
    pub short: bool,
    /// Simulated time of each run, ns.
    pub duration_ns: u64,
    /// Measured part of it, ns.
    pub measure_ns: [u64; 2],
    /// Seeds.
    pub seeds: Vec<u64>,
    /// The class of each application, in the order of the scenario.
    pub classes: Vec<u8>,
    /// Reason that no discipline can differ, with the key to change; None if one can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_difference: Option<String>,
    /// One entry per discipline, in the order asked for.
    pub queues: Vec<QueueScores>,
}

/// Runs `scenario` under each discipline with every seed.
///
/// # Errors
/// [`Stopped`] if `options.stop` was set before the last run was done.
///
/// # Panics
/// If there is no discipline or no seed, or if threads cannot be started.
pub fn compare(
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
) -> Result<Comparison, Stopped> {
    compare_kept(scenario, queues, options, None).map(|(comparison, _)| comparison)
}

/// The same with the file of each discipline's run with the first seed, for flent; `plan` is that of the scenario as it
/// is run. Without a plan there is none.
///
/// # Errors
/// As [`compare`].
///
/// # Panics
/// As [`compare`] does.
pub fn compare_kept(
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
    plan: Option<&flent::Plan>,
) -> Result<(Comparison, Vec<Document>), Stopped> {
    let scenario = &if options.short { short(scenario) } else { scenario.clone() };
    let documents = Mutex::new(vec![None; queues.len()]);
    let work = Runs { scenario, queues, plan, documents: &documents };
    let comparison = through(scenario, queues, options, &work, None)?;
    let documents = documents.into_inner().expect("nobody panics with it");
    Ok((comparison, documents.into_iter().flatten().collect()))
}

/// Runs of one scenario; the files of those with the first seed, if there is a plan of them.
struct Runs<'a> {
    scenario: &'a Scenario,
    queues: &'a [(String, Params)],
    plan: Option<&'a flent::Plan>,
    /// One for each discipline.
    documents: &'a Mutex<Vec<Option<Document>>>,
}

impl Work for Runs<'_> {
    type Error = Infallible;

    fn run(&self, job: &Job, brake: &mut Brake) -> Result<Option<Measured>, Infallible> {
        let (label, params) = &self.queues[job.queue];
        let plan = self.plan.filter(|_| job.place == 0);
        let run = plan.map_or(self.scenario, flent::Plan::scenario);
        let made = measure::run_watched(self.scenario, run, params, job.seed, &mut [brake]);
        Ok(made.map(|(measured, trace)| {
            if let Some(plan) = plan {
                let document = simulated(plan, &trace, label, job.seed);
                self.documents.lock().expect("nobody panics with it")[job.queue] = Some(document);
            }
            measured
        }))
    }

    /// What is stored has no course, of which the file tells.
    fn takes_stored(&self, job: &Job) -> bool {
        self.plan.is_none() || job.place > 0
    }
}

/// The file of a simulated run.
pub(crate) fn simulated(plan: &flent::Plan, trace: &Trace, label: &str, seed: u64) -> Document {
    let note = format!("simulated by airtab, seed {seed}; time 0 is 1970");
    plan.document(trace, &Origin { title: label, note: &note, start_unix_ns: 0 })
}

/// A plan of one point: each discipline once with each seed; `scenario` is what `work` runs. Where somebody watches, it
/// goes seed by seed.
pub(crate) fn through<W: Work<Error = Infallible>>(
    scenario: &Scenario,
    queues: &[(String, Params)],
    options: &Options,
    work: &W,
    mut watch: Option<Watch>,
) -> Result<Comparison, Stopped> {
    let number = measure::number(scenario);
    let cells = queues.iter().map(|(_, params)| Cell::new(number, params)).collect();
    let plan = Plan::new(cells, queues.len(), options.seeds.to_vec());
    let plan = if watch.is_some() { plan.seed_by_seed() } else { plan };
    let budget = watch.as_ref().and_then(|watch| watch.budget);
    let pace = Pace { jobs: options.jobs, stop: options.stop, budget, progress: options.progress };
    let (mut whole, mut runs) = (Whole::new(&plan), Vec::new());
    execute(&plan, work, options.store, &pace, &mut |job, measured| {
        whole.add(&job, needed(measured));
        if let (Some(watch), Some(runs)) = (&mut watch, whole.so_far(job.point)) {
            (watch.each)(&SoFar { scenario, queues, seeds: options.seeds, short: options.short, job, runs });
        }
        whole.hand_over(|_, all| runs = all);
    })
    .map_err(|halt| match halt {
        Halt::Stopped(stopped) => stopped,
        Halt::Failed(never) => match never {},
    })?;
    Ok(comparison(scenario, queues, options.seeds, options.short, runs))
}

/// What a comparison needs of a run, in less room: courses go, and figures, which were added in their order and so
/// fill trees by half, are put into new ones.
pub(crate) fn needed(mut run: Measured) -> Measured {
    run.seconds = Vec::new();
    let nodes = run.nodes.iter_mut().map(|(_, figures)| figures);
    for figures in run.apps.iter_mut().chain([&mut run.ap]).chain(nodes) {
        *figures = std::mem::take(figures).into_iter().collect();
    }
    run
}

/// Puts runs together that were made elsewhere: for each discipline one with
/// each seed, in that order. `scenario` is what was run; `short` says whether it
/// is the short schedule of another one.
///
/// # Panics
/// If there are more or fewer runs.
pub fn comparison(
    scenario: &Scenario,
    queues: &[(String, Params)],
    seeds: &[u64],
    short: bool,
    mut runs: Vec<Measured>,
) -> Comparison {
    assert_eq!(runs.len(), queues.len() * seeds.len(), "a run for each discipline and seed");
    for seed in 0..seeds.len() {
        let mut same_seed: Vec<&mut Measured> = runs.iter_mut().skip(seed).step_by(seeds.len()).collect();
        add_page_times(scenario, &mut same_seed);
    }
    let apps = named(scenario);
    let pairs = queues.iter().zip(runs.chunks(seeds.len()));
    let queues: Vec<_> = pairs.map(|((label, params), runs)| summarise(&apps, label, params, runs)).collect();
    let mut comparison = Comparison {
        schema: SCHEMA,
        scenario: scenario.name.clone(),
        short,
        duration_ns: scenario.duration_ns,
        measure_ns: [scenario.measure_ns.start, scenario.measure_ns.end],
        seeds: seeds.to_vec(),
        classes: scenario.apps.iter().map(|app| app.class).collect(),
        no_difference: tie::reason(scenario, &queues),
        queues,
    };
    let same = |app: &AppChange| app.change.is_none_or(|change| change.verdict == Verdict::Same);
    if !comparison.changes().iter().flat_map(|of| &of.apps).all(same) {
        comparison.no_difference = None;
    }
    comparison
}

/// Page times of the runs of one seed: only the pages that all of them
/// completed are compared (CHAP dissertation 6.7). A seed without one has none.
pub(crate) fn add_page_times(scenario: &Scenario, runs: &mut [&mut Measured]) {
    // Others have no pages. Each window has its own.
    for app in 0..scenario.apps.len() * (1 + scenario.windows.len()) {
        let lists: Vec<_> = runs.iter().map(|run| run.pages[app].clone()).collect();
        for (run, pages) in runs.iter_mut().zip(&lists) {
            let compared = web::common(pages, &lists);
            let Some(times) = web::times(&compared) else { continue };
            run.apps[app].extend([
                (Metric::PageTime, times.response),
                (Metric::PageTimeWithHandshake, times.with_handshake),
                (Metric::PageBytes, times.bytes),
                (Metric::PagesCompared, compared.len() as f64),
            ]);
        }
    }
}

/// Name, kind and station of each application, and of each in each window.
pub(crate) fn named(scenario: &Scenario) -> Vec<(String, &'static str, String)> {
    let station = |i: usize| scenario.stations[i].name.clone();
    let windows = scenario.windows.iter().map(|window| format!("@{}", window.name));
    let each = |window: String| {
        let of = move |app: &App| (format!("{}{window}", app.name), app.kind.name(), station(app.station));
        scenario.apps.iter().map(of)
    };
    [String::new()].into_iter().chain(windows).flat_map(each).collect()
}

/// One discipline over all seeds; `apps`: name, kind and station of each.
pub(crate) fn summarise(
    apps: &[(String, &'static str, String)],
    label: &str,
    params: &Params,
    runs: &[Measured],
) -> QueueScores {
    let discipline = params.discipline();
    let text = |p: &Param| {
        let values = params.get(p.name).unwrap_or_default();
        values.iter().map(|v| p.format(*v)).collect::<Vec<_>>().join(",")
    };
    let apps = apps.iter().enumerate().map(|(i, (name, kind, station))| Scores {
        name: name.clone(),
        kind,
        station: station.clone(),
        metrics: over_seeds(runs.iter().map(|run| &run.apps[i])),
    });
    QueueScores {
        label: label.into(),
        discipline: discipline.name(),
        params: discipline.params().iter().map(|p| (p.name, text(p))).collect(),
        apps: apps.collect(),
        ap: Scores {
            name: "ap".into(),
            kind: "ap",
            station: String::new(),
            metrics: over_seeds(runs.iter().map(|run| &run.ap)),
        },
        nodes: nodes(runs),
    }
}

/// The nodes of a mesh, which are the same in every run.
fn nodes(runs: &[Measured]) -> Vec<Scores> {
    let names = runs.first().into_iter().flat_map(|run| &run.nodes).map(|(name, _)| name);
    let node = |(i, name): (usize, &String)| Scores {
        name: format!("{NODE}{name}"),
        kind: "node",
        station: String::new(),
        metrics: over_seeds(runs.iter().map(|run| &run.nodes[i].1)),
    };
    names.enumerate().map(node).collect()
}

fn over_seeds<'a>(runs: impl Iterator<Item = &'a Figures> + Clone) -> BTreeMap<Metric, Summary> {
    let mut metrics: Vec<Metric> = runs.clone().flat_map(|f| f.keys().copied()).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let summary = |metric: Metric| {
        let values: Vec<Option<f64>> = runs.clone().map(|f| f.get(&metric).copied()).collect();
        let present: Vec<f64> = values.iter().copied().flatten().collect();
        let interval = Interval::of(&present)?;
        Some((metric, Summary { mean: interval.mean, half_width_95: interval.half_width, values }))
    };
    metrics.into_iter().filter_map(summary).collect()
}

impl Comparison {
    /// Number of applications of the scenario. The scores of a discipline begin with theirs of the measured time; as many
    /// follow for each window.
    pub(crate) fn applications(&self) -> usize {
        self.classes.len()
    }

    /// The results of one discipline.
    pub fn queue(&self, label: &str) -> Option<&QueueScores> {
        self.queues.iter().find(|q| q.label == label)
    }

    /// One metric of one application (or of `ap`) under one discipline.
    pub fn get(&self, queue: &str, app: &str, metric: Metric) -> Option<&Summary> {
        self.queue(queue)?.app(app)?.metrics.get(&metric)
    }

    /// Mean of one metric of one application (or of `ap`) under one discipline.
    pub fn mean(&self, queue: &str, app: &str, metric: Metric) -> Option<f64> {
        self.get(queue, app, metric).map(|s| s.mean)
    }
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;
    use airtab_scenario::ScenarioFile;

    use super::*;
    use crate::store::NoStore;

    const TEXT: &str = r#"
        name = "two"
        duration = "200ms"
        measure = ["40ms", "160ms"]
        windows = { early = ["0s", "100ms"], late = ["100ms", "200ms"] }
        station = [{ name = "near" }, { name = "far" }]
        app = [
          { name = "g", kind = "game", station = "far" },
          { name = "v", kind = "voip", station = "near", class = 3 },
          { name = "w", kind = "ping", station = "far", class = 1 },
        ]
    "#;

    fn scenario() -> Scenario {
        ScenarioFile::parse("two.toml", TEXT).unwrap_or_else(|e| panic!("{e}")).scenario
    }

    fn fifo(label: &str) -> (String, Params) {
        (label.to_string(), Params::new(Discipline::named("fifo").unwrap()))
    }

    fn run(apps: usize, mos: Option<f64>, nodes: &[(&str, f64)]) -> Measured {
        let mut all = vec![Figures::new(); apps];
        all[1].extend(mos.map(|mos| (Metric::VoipMos, mos)));
        let node =
            |(name, drops): &(&str, f64)| (name.to_string(), Figures::from([(Metric::QueueDropped, *drops)]));
        Measured {
            apps: all,
            pages: vec![Vec::new(); apps],
            seconds: vec![Vec::new(); apps],
            ap: Figures::new(),
            nodes: nodes.iter().map(node).collect(),
        }
    }

    #[test]
    fn each_window_has_each_application_of_its_station() {
        let expected = [
            ("g", "game", "far"),
            ("v", "voip", "near"),
            ("w", "ping", "far"),
            ("g@early", "game", "far"),
            ("v@early", "voip", "near"),
            ("w@early", "ping", "far"),
            ("g@late", "game", "far"),
            ("v@late", "voip", "near"),
            ("w@late", "ping", "far"),
        ];
        let expected = expected.map(|(name, kind, station)| (name.to_string(), kind, station.to_string()));
        assert_eq!(named(&scenario()), expected);
    }

    /// Nodes are told apart, each over its seeds; a list is one text; classes are those of the applications.
    #[test]
    fn a_discipline_is_summed_up_over_its_seeds() {
        let dnb = Discipline::named("dnb").unwrap();
        let mut params = Params::new(dnb);
        params.set("limits", "3, 5,8").unwrap();
        let queues = [fifo("fifo"), ("mine".into(), params)];
        let runs = vec![
            run(9, Some(1.0), &[("a", 0.25), ("b", 0.5)]),
            run(9, Some(2.0), &[("a", 0.75), ("b", 0.125)]),
            run(9, None, &[("a", 0.0), ("b", 1.0)]),
            run(9, Some(4.0), &[("a", 0.5), ("b", 0.5)]),
        ];
        let c = comparison(&scenario(), &queues, &[8, 6], true, runs);
        assert_eq!((c.classes.as_slice(), c.applications()), (&[0, 3, 1][..], 3));
        assert_eq!((c.short, c.scenario.as_str(), c.seeds.as_slice()), (true, "two", &[8, 6][..]));
        assert_eq!((c.duration_ns, c.measure_ns), (200_000_000, [40_000_000, 160_000_000]));
        let of =
            |queue: &str, app: &str, metric| c.get(queue, app, metric).map(|s| (s.mean, s.values.clone()));
        let drops = |queue, node| of(queue, node, Metric::QueueDropped);
        assert_eq!(drops("fifo", "node/a"), Some((0.5, vec![Some(0.25), Some(0.75)])));
        assert_eq!(drops("fifo", "node/b"), Some((0.3125, vec![Some(0.5), Some(0.125)])));
        assert_eq!(drops("mine", "node/a"), Some((0.25, vec![Some(0.0), Some(0.5)])));
        assert_eq!(drops("mine", "node/b"), Some((0.75, vec![Some(1.0), Some(0.5)])));
        let kinds: Vec<_> = c.queues[1].nodes.iter().map(|node| (node.name.as_str(), node.kind)).collect();
        assert_eq!(kinds, [("node/a", "node"), ("node/b", "node")]);
        assert_eq!(of("fifo", "v", Metric::VoipMos), Some((1.5, vec![Some(1.0), Some(2.0)])));
        assert_eq!(of("mine", "v", Metric::VoipMos), Some((4.0, vec![None, Some(4.0)])));
        assert_eq!(of("mine", "v@early", Metric::VoipMos), None);
        let told = &c.queues[1];
        assert_eq!((told.label.as_str(), told.discipline), ("mine", "dnb"));
        assert_eq!((told.params["limits"].as_str(), told.params.len()), ("3,5,8", dnb.params().len()));
        assert_eq!((told.apps[5].station.as_str(), told.ap.kind), ("far", "ap"));
    }

    /// The store keeps figures and pages of a run, and no course.
    #[test]
    fn a_course_is_not_kept() {
        let mut whole = run(3, Some(2.5), &[("a", 0.5)]);
        whole.seconds[0] = vec![(0, 1.0, 2.0, Some(3)).into()];
        whole.pages[2] = vec![(4, 5, 6, 7, 8).into()];
        whole.ap.insert(Metric::QueueMax, 35.0);
        let kept = needed(whole.clone());
        assert_eq!((kept.seconds.len(), &kept.pages), (0, &whole.pages));
        assert_eq!((kept.apps, kept.ap, kept.nodes), (whole.apps, whole.ap, whole.nodes));
    }

    /// A watch sees seed by seed, and its budget stops the runs.
    #[test]
    fn a_watched_comparison_goes_seed_by_seed() {
        let (scenario, queues, stop) = (scenario(), [fifo("a"), fifo("b")], AtomicBool::new(false));
        let documents = Mutex::new(vec![None; 2]);
        let work = Runs { scenario: &scenario, queues: &queues, plan: None, documents: &documents };
        let options = Options {
            seeds: &[4, 2],
            short: false,
            jobs: 1,
            stop: &stop,
            store: &NoStore,
            progress: &|_| (),
        };
        let mut seen = Vec::new();
        let mut each = |so_far: &SoFar| {
            let seeds = so_far.comparison().map(|c| c.seeds);
            seen.push((so_far.job().queue, so_far.job().seed, seeds));
        };
        let watch = Watch { budget: None, each: &mut each };
        let all = through(&scenario, &queues, &options, &work, Some(watch)).unwrap();
        assert_eq!(all, through(&scenario, &queues, &options, &work, None).unwrap());
        let expected = [(0, 4, None), (1, 4, Some(vec![4])), (0, 2, Some(vec![4])), (1, 2, Some(vec![4, 2]))];
        assert_eq!(seen, expected);
        let budget = crate::plan::Budget::new(std::time::Duration::ZERO);
        let watch = Watch { budget: Some(&budget), each: &mut |_| panic!("nothing is made") };
        let stopped = through(&scenario, &queues, &options, &work, Some(watch)).unwrap_err();
        assert_eq!(stopped, Stopped { done: 0, total: 4 });
    }

    /// Each discipline has the file of its run with the first seed, under its own name; stored runs are taken for the others.
    #[test]
    fn files_are_of_the_first_seed_of_each_discipline() {
        let text = "duration = \"14s\"\nmeasure = [\"6s\", \"8s\"]\n[wifi]\nmedium = \"emulator\"\n[[station]]\nname = \"s\"\nfer = 0\n\
                    [[app]]\nname = \"p\"\nkind = \"ping\"\nstation = \"s\"\ninterval = \"200ms\"\nstart = \"6s\"\nstop = \"8s\"\n";
        let scenario = ScenarioFile::parse("few.toml", text).unwrap_or_else(|e| panic!("{e}")).scenario;
        let plan = flent::Plan::of(&scenario).unwrap_or_else(|e| panic!("{e}"));
        let (queues, stop) = ([fifo("a"), fifo("b:limit=17")], AtomicBool::new(false));
        let options = Options {
            seeds: &[4, 2],
            short: false,
            jobs: 1,
            stop: &stop,
            store: &NoStore,
            progress: &|_| (),
        };
        let (all, documents) = compare_kept(&scenario, &queues, &options, Some(&plan)).unwrap();
        let told: Vec<(&str, &str)> = documents.iter().map(|d| (d.title.as_str(), d.note.as_str())).collect();
        let note = "simulated by airtab, seed 4; time 0 is 1970";
        assert_eq!(told, [("a", note), ("b:limit=17", note)]);
        assert_eq!(documents[0].start_unix_ns, 1_000_000_000, "5 s before the measured part");
        assert_eq!(all, compare(&scenario, &queues, &options).unwrap());
        assert!(compare_kept(&scenario, &queues, &options, None).unwrap().1.is_empty());
    }
}
