//! A run sampled at equal steps: congestion windows, the access point's queue,
//! what each application received (CHAP dissertation figures 6.34 to 6.38).
//!
//! ```
//! # use airtab_sim::{Scenario, course::course};
//! # fn example(scenario: &Scenario, queue: &airtab_core::Params) {
//! let course = course(scenario, queue, 1, 100_000_000); // a sample every 100 ms
//! let windows = &course.apps[0].flows[0].cwnd_bytes; // windows[9] is that at 1 s
//! let per_second = course.apps[0].rate_bps(course.step_ns, 10); // bit/s in each second
//! # }
//! ```
//!
//! Sampling changes nothing: the trace is that of [`crate::run`]. A sample is what
//! holds at its time; what happens between two of them is not seen, so that the
//! longest queue is `trace.ap.max_packets` and not the largest sample.
//!
//! What it does not do: no drawing, no averages over seeds.

use airtab_core::Params;

use crate::scenario::Scenario;
use crate::simulation::Simulation;
use crate::tcp::Stats;
use crate::trace::Trace;

/// One run. Sample number `i` of every series is at `(i + 1) * step_ns`.
#[derive(Clone, Debug)]
pub struct Course {
    /// From one sample to the next, ns.
    pub step_ns: u64,
    /// Packets in the access point's queue.
    pub queue_packets: Vec<u32>,
    /// One entry per application, in the order of the scenario.
    pub apps: Vec<AppCourse>,
    /// The run's trace.
    pub trace: Trace,
}

/// One application.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppCourse {
    /// Its name in the scenario.
    pub name: String,
    /// IP bytes that its station has received since the start of the run.
    pub received_bytes: Vec<u64>,
    /// Its flows; of a peer-to-peer client several.
    pub flows: Vec<FlowCourse>,
}

/// One flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowCourse {
    /// Congestion window of the server, bytes; None without a TCP connection.
    pub cwnd_bytes: Vec<Option<u64>>,
    /// The server's counters in the last sample with a connection.
    pub stats: Stats,
}

impl AppCourse {
    /// IP bits received per second in bins of `steps` samples each, from the
    /// start of the run on; the rest that fills no bin is left out. `step_ns` is
    /// that of the course.
    ///
    /// # Panics
    /// If `steps` is 0.
    pub fn rate_bps(&self, step_ns: u64, steps: usize) -> Vec<f64> {
        let bin_s = step_ns as f64 * 1e-9 * steps as f64;
        let mut before = 0;
        let ends = self.received_bytes.chunks_exact(steps).map(|bin| bin[steps - 1]);
        ends.map(|bytes| (bytes - std::mem::replace(&mut before, bytes)) as f64 * 8.0 / bin_s).collect()
    }
}

/// Runs `scenario` and samples it every `step_ns`.
///
/// # Panics
/// If `step_ns` is 0, and as [`crate::run`] does.
pub fn course(scenario: &Scenario, queue: &Params, seed: u64, step_ns: u64) -> Course {
    sample(Simulation::new(scenario, queue, seed), scenario, step_ns)
}

/// The same with a simulation that has been set up but not run, of the same
/// scenario: for one [`with_tcp`](Simulation::with_tcp).
///
/// # Panics
/// If `step_ns` is 0.
pub fn sample(mut simulation: Simulation, scenario: &Scenario, step_ns: u64) -> Course {
    assert!(step_ns > 0, "the step of a course must be above 0");
    let mut queue_packets = Vec::new();
    let mut apps: Vec<AppCourse> = scenario
        .apps
        .iter()
        .map(|app| AppCourse {
            name: app.name.clone(),
            received_bytes: Vec::new(),
            flows: vec![FlowCourse::default(); app.kind.flows().into()],
        })
        .collect();
    for i in 1..=scenario.duration_ns / step_ns {
        simulation.advance(i * step_ns);
        queue_packets.push(simulation.queue_packets());
        for (number, app) in apps.iter_mut().enumerate() {
            app.received_bytes.push(simulation.received_bytes(number));
            for (flow, sender) in app.flows.iter_mut().zip(simulation.senders(number)) {
                flow.cwnd_bytes.push(sender.map(|s| s.cwnd()));
                flow.stats = sender.map_or(flow.stats, |s| s.stats());
            }
        }
    }
    simulation.advance(scenario.duration_ns);
    Course { step_ns, queue_packets, apps, trace: simulation.finish() }
}
