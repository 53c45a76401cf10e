//! One run in its course: what each application received, which credit its
//! flows had, how long its packets queued.
//!
//! A story is about one seed: it shows how a discipline works. What a discipline
//! is worth is a matter of many seeds (`compare`).
//!
//! What it does not do: no drawing (`report`).

use std::ops::{ControlFlow, Range};

use airtab_core::Params;
use airtab_sim::{AppKind, Scenario, Simulation};
use rayon::prelude::*;

use crate::credit;

/// Smallest step of the received rates, ns.
const STEP_NS: u64 = 100_000_000;
/// Steps of a run that a reader can tell apart.
const STEPS: u64 = 150;
/// Time between two credits, ns: a frame of 1500 bytes at 54 Mb/s takes about
/// half of it, and there are some 37 ms from one boost to the next under load.
pub const CREDIT_STEP_NS: u64 = 1_000_000;
/// Credits are kept from so long before [`Story::credit_start_ns`] to so long after, ns.
pub const CREDIT_SPAN_NS: [u64; 2] = [100_000_000, 500_000_000];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The discipline, as asked for.
    pub label: String,
    /// Seed of the run.
    pub seed: u64,
    /// Time between two values of [`AppStory::received_bps`], ns.
    pub step_ns: u64,
    /// Around which time credits are kept, ns: where the first bulk transfer of
    /// the measured part starts; without one, where the measured part does.
    pub credit_start_ns: u64,
    /// Times of the values of [`AppStory::credit_s`], ns.
    pub credit_at_ns: Vec<u64>,
    /// One entry per application, in the order of the scenario.
    pub apps: Vec<AppStory>,
    /// Share of the measured time in which stations sent, their ACKs included.
    pub uplink_air: f64,
}

/// One application.
#[derive(Clone, Debug, PartialEq)]
pub struct AppStory {
    /// Its name.
    pub name: String,
    /// IP bits received at the station, per second, in each step from 0 on.
    pub received_bps: Vec<f64>,
    /// Mean credit of its flows, s; None while none is known. Empty if the
    /// discipline has no credits.
    pub credit_s: Vec<Option<f64>>,
    /// Time in the queue, s, against the share of packets that waited so long
    /// or less; ascending. Measured part.
    pub queue_delay: Vec<(f64, f64)>,
}

/// The [`story`] of each discipline with the same seed, in their order; `jobs`
/// at a time (0: one for each processor). `progress` is called after each, from
/// any thread; None if it said that it is enough.
///
/// # Panics
/// As [`airtab_sim::run`] does, or if threads cannot be started.
pub fn stories(
    scenario: &Scenario,
    queues: &[(String, Params)],
    seed: u64,
    jobs: usize,
    progress: &(dyn Fn() -> ControlFlow<()> + Sync),
) -> Option<Vec<Story>> {
    let one = |(label, params): &(String, Params)| {
        let told = story(scenario, label, params, seed);
        progress().is_continue().then_some(told)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build();
    pool.expect("threads can be started").install(|| queues.par_iter().with_max_len(1).map(one).collect())
}

/// Runs `scenario` once and keeps its course.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn story(scenario: &Scenario, label: &str, params: &Params, seed: u64) -> Story {
    let mut simulation = Simulation::new(scenario, params, seed);
    let has_credits = credit::has_credits(&simulation.rows());
    let step_ns = (scenario.duration_ns.div_ceil(STEPS)).next_multiple_of(STEP_NS);
    let Range { start, end } = scenario.measure_ns;
    let credit_start_ns = busy_from(scenario);
    let credits = match has_credits {
        true => {
            credit_start_ns.saturating_sub(CREDIT_SPAN_NS[0])
                ..(credit_start_ns + CREDIT_SPAN_NS[1]).min(scenario.duration_ns)
        }
        false => 0..0,
    };
    let names = scenario.apps.iter().map(|app| app.name.clone());
    let apps = names.map(|name| AppStory {
        name,
        received_bps: Vec::new(),
        credit_s: Vec::new(),
        queue_delay: Vec::new(),
    });
    let mut story = Story {
        label: label.into(),
        seed,
        step_ns,
        credit_start_ns,
        credit_at_ns: Vec::new(),
        apps: apps.collect(),
        uplink_air: 0.0,
    };
    let mut received = vec![0; story.apps.len()];
    let mut uplink = [0; 2];
    // Everything that is looked at, in its order: at equal times the order does not matter.
    let steps = (1..).map(|i| i * step_ns).take_while(|at| *at <= scenario.duration_ns);
    let looks = credits.clone().step_by(CREDIT_STEP_NS as usize);
    let mut times: Vec<u64> = steps.chain(looks).chain([start, end, scenario.duration_ns]).collect();
    times.sort_unstable();
    times.dedup();
    for now in times {
        simulation.advance(now);
        if now == start {
            uplink[0] = simulation.air().up_ns;
        }
        if now == end {
            uplink[1] = simulation.air().up_ns;
        }
        if now > 0 && now.is_multiple_of(step_ns) {
            for (i, app) in story.apps.iter_mut().enumerate() {
                let bytes = simulation.received_bytes(i);
                app.received_bps.push((bytes - received[i]) as f64 * 8e9 / step_ns as f64);
                received[i] = bytes;
            }
        }
        if credits.contains(&now) && (now - credits.start).is_multiple_of(CREDIT_STEP_NS) {
            let rows = simulation.rows();
            story.credit_at_ns.push(now);
            for (i, app) in story.apps.iter_mut().enumerate() {
                app.credit_s.push(credit::mean(&rows, simulation.flows(i)));
            }
        }
    }
    story.uplink_air = (uplink[1] - uplink[0]) as f64 / (end - start) as f64;
    for (app, seen) in story.apps.iter_mut().zip(simulation.finish().apps) {
        app.queue_delay = distribution(&seen.queue.delay_ns);
    }
    story
}

/// Where the queue begins to fill, within the measured part.
fn busy_from(scenario: &Scenario) -> u64 {
    use AppKind::{Download, P2p, Upload};
    let bulk = scenario.apps.iter().filter(|a| matches!(a.kind, Download(_) | Upload(_) | P2p(_)));
    let starts = bulk.map(|app| app.active_ns.start).filter(|at| scenario.measure_ns.contains(at));
    starts.min().unwrap_or(scenario.measure_ns.start)
}

/// The points of a distribution function that can be told apart in a figure.
fn distribution(delay_ns: &hdrhistogram::Histogram<u64>) -> Vec<(f64, f64)> {
    const POINTS: u64 = 200;
    if delay_ns.is_empty() {
        return Vec::new();
    }
    let point = |i: u64| {
        let share = i as f64 / POINTS as f64;
        (delay_ns.value_at_quantile(share) as f64 * 1e-9, share)
    };
    (0..=POINTS).map(point).collect()
}

#[cfg(test)]
mod tests {
    use airtab_core::Discipline;

    use super::*;
    use airtab_scenario::ScenarioFile;

    /// 3 s, of which 1 s to 2 s are measured; `apps`: kind and start of each.
    fn home(apps: &[(&str, &str)]) -> Scenario {
        let mut text =
            "duration = \"3s\"\nmeasure = [\"1s\", \"2s\"]\n[[station]]\nname = \"s\"\n".to_string();
        for (i, (kind, start)) in apps.iter().enumerate() {
            text.push_str(&format!(
                "[[app]]\nname = \"a{i}\"\nkind = \"{kind}\"\nstart = \"{start}\"\nstation = \"s\"\n"
            ));
        }
        ScenarioFile::parse("short.toml", &text).unwrap_or_else(|e| panic!("{e}")).scenario
    }

    #[test]
    fn the_queue_fills_with_the_first_bulk_transfer_of_the_measured_part() {
        let of = |apps: &[(&str, &str)]| busy_from(&home(apps)) / 1_000_000;
        assert_eq!(
            of(&[("download", "1800ms"), ("p2p", "1500ms"), ("upload", "1600ms"), ("game", "1200ms")]),
            1500
        );
        assert_eq!(of(&[("download", "900ms"), ("upload", "1600ms")]), 1600, "one began before");
        assert_eq!(of(&[("download", "2s"), ("game", "1200ms")]), 1000, "none: its start");
    }

    #[test]
    fn what_is_received_counts_once() {
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let told = story(&home(&[("ping", "0s")]), "fifo", &fifo, 1);
        // Echoes of 84 bytes after 0, 1 and 2 s: 6720 bit/s in a tenth of a second each.
        let rates = told.apps[0].received_bps.iter().map(|bps| bps.round() as u64);
        assert_eq!(rates.filter(|bps| *bps > 0).collect::<Vec<_>>(), [6720; 3]);
    }

    #[test]
    fn stations_send_for_a_part_of_the_measured_time() {
        let fifo = Params::new(Discipline::named("fifo").unwrap());
        let told = story(&home(&[("upload", "0s")]), "fifo", &fifo, 1);
        // An upload alone has most of the channel, all the time: of one second, and not of the two up to its end.
        assert!((0.4..1.0).contains(&told.uplink_air), "{}", told.uplink_air);
        assert_eq!((told.step_ns, told.apps[0].received_bps.len()), (100_000_000, 30));
        // More packets wait less than a longer time.
        let delay = &told.apps[0].queue_delay;
        assert!(delay.is_sorted_by(|a, b| a.0 <= b.0 && a.1 < b.1) && delay[0].0 < delay[200].0, "{delay:?}");
        assert_eq!((delay[0].1, delay[100].1, delay[200].1), (0.0, 0.5, 1.0));
    }
}
