//! One run in its course: what each application received, which credit its
//! flows had, how long its packets queued.
//!
//! A story is about one seed: it shows how a discipline works. What a discipline
//! is worth is a matter of many seeds (`compare`).
//!
//! What it does not do: no drawing (`report`).

use std::ops::Range;

use airtab_core::Params;
use airtab_sim::{Scenario, Simulation};

use crate::credit;

/// Smallest step of the received rates, ns, and that of credits.
const STEP_NS: u64 = 100_000_000;
/// Steps of a run that a reader can tell apart.
const STEPS: u64 = 150;
/// How much of the run credits are shown of, ns: before the measured part and in it.
const CREDITS_NS: [u64; 2] = [1_000_000_000, 9_000_000_000];

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The discipline, as asked for.
    pub label: String,
    /// Seed of the run.
    pub seed: u64,
    /// Time between two values of [`AppStory::received_bps`], ns.
    pub step_ns: u64,
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

/// Runs `scenario` once and keeps its course.
///
/// # Panics
/// As [`airtab_sim::run`] does.
pub fn story(scenario: &Scenario, label: &str, params: &Params, seed: u64) -> Story {
    let mut simulation = Simulation::new(scenario, params, seed);
    let has_credits = credit::has_credits(&simulation.rows());
    let step_ns = (scenario.duration_ns.div_ceil(STEPS)).next_multiple_of(STEP_NS);
    let Range { start, end } = scenario.measure_ns;
    let credits = match has_credits {
        true => start.saturating_sub(CREDITS_NS[0])..(start + CREDITS_NS[1]).min(scenario.duration_ns),
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
        credit_at_ns: Vec::new(),
        apps: apps.collect(),
        uplink_air: 0.0,
    };
    let mut received = vec![0; story.apps.len()];
    let mut uplink = [0; 2];
    // Everything that is looked at, in its order: at equal times the order does not matter.
    let steps = (1..).map(|i| i * step_ns).take_while(|at| *at <= scenario.duration_ns);
    let looks = credits.clone().step_by(STEP_NS as usize);
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
        if credits.contains(&now) && (now - credits.start).is_multiple_of(STEP_NS) {
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
