// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A run sampled at equal steps: congestion windows, the access point's queue,
//! what each application received (CHAP dissertation figures 6.34 to 6.38).
//!
//! ```
//! # use airtab_sim::{Scenario, course};
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

use crate::probe::{Observer, Probe, Quantity, watch};
use crate::scenario::{App, Scenario};
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
    /// The flows of all its users, one user's after the other's; of a peer-to-peer client several.
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
    let quantities = [Quantity::Queue, Quantity::Received];
    let mut probe = Probe::new(step_ns, step_ns..scenario.duration_ns + 1, &quantities);
    let flows = scenario.apps.iter().map(|app| vec![FlowCourse::default(); app.flows()]);
    let mut senders = Senders { step_ns, next_ns: step_ns, apps: flows.collect() };
    let simulation = Simulation::new(scenario, queue, seed);
    let trace = watch(simulation, scenario.duration_ns, &mut [&mut probe, &mut senders]);
    // Bytes and packets: whole numbers.
    let whole = |values: &[Option<f64>]| values.iter().map(|v| v.unwrap_or(0.0) as u64).collect::<Vec<_>>();
    let [queue, received] = [0, 1].map(|i| &probe.series()[i].values);
    let app = |(i, (app, flows)): (usize, (&App, Vec<FlowCourse>))| AppCourse {
        name: app.name.clone(),
        received_bytes: received.get(i).map_or_else(Vec::new, |values| whole(values)),
        flows,
    };
    Course {
        step_ns,
        queue_packets: queue.iter().flat_map(|values| whole(values)).map(|n| n as u32).collect(),
        apps: scenario.apps.iter().zip(senders.apps).enumerate().map(app).collect(),
        trace,
    }
}

/// Notes every TCP sender.
struct Senders {
    step_ns: u64,
    next_ns: u64,
    /// One entry per application.
    apps: Vec<Vec<FlowCourse>>,
}

impl Observer for Senders {
    fn next_at(&self) -> u64 {
        self.next_ns
    }

    fn look(&mut self, now: u64, simulation: &mut Simulation) {
        self.next_ns = now + self.step_ns;
        for (number, flows) in self.apps.iter_mut().enumerate() {
            for (flow, sender) in flows.iter_mut().zip(simulation.senders(number)) {
                flow.cwnd_bytes.push(sender.map(|s| s.cwnd()));
                flow.stats = sender.map_or(flow.stats, |s| s.stats());
            }
        }
    }
}
