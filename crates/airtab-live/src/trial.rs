// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One run of a house with its applications, from start to end: what the
//! simulator's `run` is to a scenario. It yields the same trace, so the same
//! figures are drawn from both.
//!
//! What it does not do: no scores (`airtab_scenario::measure`), nothing is drawn.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use airtab_scenario::{Measured, Metric, QueueSpec, measure};
use airtab_sim::{Scenario, Trace};
use serde::Serialize;

use crate::access_point::Change;
use crate::apps::{AppReport, Apps};
use crate::error::LiveError;
use crate::house::House;
use crate::running::Running;
use crate::snapshot::{Books, Pace, Snapshot};

/// What a run left behind.
pub struct Trial {
    /// As the simulator's; its fingerprint is 0: no two real runs are equal.
    pub trace: Trace,
    /// When its time 0 was, ns since 1970 (UTC).
    pub start_unix_ns: u64,
    /// What applications say of themselves, in the order of the house.
    pub reports: Vec<AppReport>,
    /// Where every packet went.
    pub books: Books,
    /// Whether the machine kept up.
    pub slippage: Slippage,
    /// What was changed by hand while it ran: its figures mix before and after.
    pub changes: Vec<Change>,
}

/// How well a run kept to the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Slippage {
    /// 99th percentile of how late packets were handed over, in the worst second, s.
    pub late_p99_s: f64,
    /// The latest one, s.
    pub late_max_s: f64,
    /// Share of packets handed over later than [`crate::Pace::BEHIND_S`],
    /// or lost before they were read.
    pub behind_ratio: f64,
    /// Mean share of a processor that the access point used.
    pub cpu_ratio: f64,
}

impl Trial {
    /// The figures of a simulated run, and of the access point how it kept to the
    /// wall clock and what its packets cost.
    pub fn measured(&self, scenario: &Scenario) -> Measured {
        let mut measured = measure(scenario, &self.trace);
        let busy_s = self.slippage.cpu_ratio * scenario.duration_ns as f64 * 1e-9;
        measured.ap.extend([
            (Metric::CpuPerPacket, busy_s / self.books.given.max(1) as f64),
            (Metric::Behind, self.slippage.behind_ratio),
            (Metric::LateP99, self.slippage.late_p99_s),
        ]);
        measured
    }
}

impl Slippage {
    /// More packets behind than this, and scores are the machine's, not the cell's.
    pub const TOLERATED: f64 = Metric::LATE_TOLERATED;

    /// Whether the run can be believed.
    pub fn is_fine(&self) -> bool {
        self.behind_ratio <= Slippage::TOLERATED
    }
}

/// What a run's snapshots say of its slippage.
#[derive(Default)]
struct Kept {
    late_p99_s: f64,
    last: Pace,
    cpu_s: f64,
    seconds: f64,
}

impl Kept {
    /// A second has passed, or `interval_s`.
    fn add(&mut self, pace: &Pace, interval_s: f64) {
        self.late_p99_s = self.late_p99_s.max(pace.late_p99_s);
        self.cpu_s += pace.cpu_ratio * interval_s;
        self.seconds += interval_s;
        self.last = *pace;
    }

    /// Of a run that handed over `given` packets.
    fn slippage(&self, given: u64) -> Slippage {
        Slippage {
            late_p99_s: self.late_p99_s,
            late_max_s: self.last.late_max_s,
            behind_ratio: (self.last.behind + self.last.overflowed) as f64 / given.max(1) as f64,
            cpu_ratio: self.cpu_s / f64::max(self.seconds, 1.0),
        }
    }
}

/// Runs a house from its start to its end. `watch` gets every snapshot.
///
/// # Errors
/// What [`Running::up`] and the applications say; `Ok(None)` if `stop` was set,
/// or the house was taken down, before its end.
pub fn run(
    house: House,
    queue: &QueueSpec,
    seed: u64,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Arc<Snapshot>),
    note: &mut dyn FnMut(&str),
) -> Result<Option<Trial>, LiveError> {
    let end_ns = house.file.scenario.duration_ns;
    let measure_ns = house.file.scenario.measure_ns.clone();
    Apps::admit(&house.file.scenario)?;
    let mut running = Running::up(house, queue, seed, note)?;
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    let start_unix_ns = since_1970.saturating_sub(running.clock().now());
    // Taken down on purpose: what applications say then is about that.
    let ended = |running: &Running| stop.load(Ordering::Relaxed) || !running.is_up();
    let apps = match Apps::start(running.house(), running.clock(), seed, running.folder()) {
        Err(_) if ended(&running) => return running.stop().map(|_| None),
        apps => apps?,
    };
    let mut kept = Kept::default();
    let mut seen = Arc::new(Snapshot::default());
    let mut stations = Stations::default();
    while running.clock().now() < end_ns {
        stations.look(&running, &apps, note);
        let fault = apps.check();
        if ended(&running) {
            apps.stop();
            return running.stop().map(|_| None);
        }
        fault?;
        running.remote().show_apps(apps.views());
        let Some(next) = running.remote().next_snapshot(&seen) else { continue };
        kept.add(&next.pace, next.interval_s);
        watch(&next);
        seen = next;
    }
    // The channel's time ends here; what applications do while they end counts no more.
    let air = running.remote().order(|ap| ap.air());
    apps.stop();
    let ap = running.stop()?;
    stations.note(ap.ended(), &apps, note);
    let (books, exchanges, changes) = (ap.books(), ap.exchanges(), ap.changes().to_vec());
    let (mut traces, mut ap) = ap.finish();
    ap.air = air.unwrap_or(ap.air);
    let reports = apps.finish(&mut traces)?;
    let slippage = kept.slippage(books.given);
    let trace = Trace { measure_ns, apps: traces, ap, fingerprint: 0, exchanges, nodes: Vec::new() };
    Ok(Some(Trial { trace, start_unix_ns, reports, books, slippage, changes }))
}

/// Which stations have ended so far.
#[derive(Default)]
struct Stations(Vec<String>);

impl Stations {
    /// Asks the access point, which knows of a device that is gone before its
    /// applications can fail of it.
    fn look(&mut self, running: &Running, apps: &Apps, note: &mut dyn FnMut(&str)) {
        if let Some(ended) = running.remote().order(|ap| ap.ended()) {
            self.note(ended, apps, note);
        }
    }

    fn note(&mut self, ended: Vec<(String, String)>, apps: &Apps, note: &mut dyn FnMut(&str)) {
        for (station, why) in ended {
            if !self.0.contains(&station) {
                apps.end_station(&station, &why);
                note(&format!("station {station} ended: {why}; the others go on"));
                self.0.push(station);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use airtab_scenario::ScenarioFile;

    use super::*;

    #[test]
    fn slippage_is_the_worst_second_and_the_mean_of_the_run() {
        let second = |late_p99_s, cpu_ratio, behind, overflowed| Pace {
            late_p50_s: 1.0,
            late_p99_s,
            late_max_s: 0.25,
            behind,
            overflowed,
            cpu_ratio,
        };
        let mut kept = Kept::default();
        assert_eq!(kept.slippage(0), Slippage::default());
        kept.add(&second(0.5, 0.5, 10, 0), 1.0);
        kept.add(&second(0.125, 0.25, 10, 4), 3.0);
        let slippage = kept.slippage(1000);
        assert_eq!((slippage.late_p99_s, slippage.late_max_s), (0.5, 0.25));
        assert_eq!((slippage.behind_ratio, slippage.cpu_ratio), (0.014, 1.25 / 4.0));
    }

    /// A quarter of a processor over 4 s, for 500 packets: 2 ms each.
    #[test]
    fn the_machine_is_among_the_figures() {
        let text = "name = \"x\"\nduration = \"4s\"\n[[station]]\nname = \"a\"\n\
            [[app]]\nname = \"game\"\nkind = \"game\"\nstation = \"a\"\n";
        let file = ScenarioFile::parse("x.toml", text).unwrap();
        let queue: QueueSpec = "fifo".parse().unwrap();
        let trace = airtab_sim::run(&file.scenario, &queue.build(&file.queues).unwrap(), 1);
        let slippage = Slippage { late_p99_s: 0.004, late_max_s: 1.0, behind_ratio: 0.002, cpu_ratio: 0.25 };
        let books = Books { given: 500, ..Books::default() };
        let trial =
            Trial { trace, start_unix_ns: 0, reports: Vec::new(), books, slippage, changes: Vec::new() };
        let ap = trial.measured(&file.scenario).ap;
        assert_eq!(ap[&Metric::CpuPerPacket], 0.002);
        assert_eq!((ap[&Metric::Behind], ap[&Metric::LateP99]), (0.002, 0.004));
    }

    /// Once for each station, whenever the access point is asked; its applications are excused.
    #[test]
    fn a_station_that_ends_is_told_once() {
        let (apps, mut traces) = crate::apps::fixture::apps();
        let ended =
            |names: &[&str]| names.iter().map(|name| ((*name).into(), format!("{name} off"))).collect();
        let (mut stations, mut told) = (Stations::default(), Vec::new());
        let mut note = |text: &str| told.push(text.to_string());
        stations.note(ended(&[]), &apps, &mut note);
        stations.note(ended(&["tv"]), &apps, &mut note);
        stations.note(ended(&["pc", "tv"]), &apps, &mut note);
        stations.note(ended(&["pc", "tv"]), &apps, &mut note);
        let of = |name: &str| format!("station {name} ended: {name} off; the others go on");
        assert_eq!(told, ["tv", "pc"].map(of));
        let reports = apps.finish(&mut traces).unwrap();
        let ended: Vec<_> = reports.into_iter().map(|report| report.ended.unwrap()).collect();
        assert_eq!(ended, ["pc", "tv", "tv"].map(|name| format!("station {name} ended: {name} off")));
    }

    /// A packet in a thousand may be late.
    #[test]
    fn one_in_a_thousand_is_tolerated() {
        let fine = |behind_ratio| Slippage { behind_ratio, ..Slippage::default() }.is_fine();
        assert!(fine(0.0) && fine(0.001));
        assert!(!fine(0.001_001) && !fine(f64::NAN));
    }
}
