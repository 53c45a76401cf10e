// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs in real time: what makes them is handed in, as nothing here knows of
//! namespaces and clocks.
//!
//! What it does not do: no verdict (`judge`, which turns red what a busy machine
//! has measured).

use std::hash::Hasher;

use airtab_scenario::{Measured, Metric, QueueSpec, ScenarioFile};
use siphasher::sip128::{Hasher128, SipHasher24};

use super::{RunError, Workload};

/// Runs a home in real time.
pub trait LiveHost: Sync {
    /// One run, from start to end; `what` says which, for people. None if it was
    /// stopped. The figures of the access point have [`Metric::Behind`].
    ///
    /// # Errors
    /// Why it could not be run, and what to do.
    fn run(
        &self,
        what: &str,
        home: &ScenarioFile,
        queue: &QueueSpec,
        seed: u64,
    ) -> Result<Option<Measured>, String>;
}

/// One run; a second one where the machine was too busy for the first.
pub(super) fn run(
    host: Option<&dyn LiveHost>,
    id: &str,
    place: &str,
    workload: &Workload,
    queue: &QueueSpec,
    seed: u64,
) -> Result<Option<Measured>, RunError> {
    let failed = |e: String| RunError::Live(format!("{id}: {e}"));
    let host = host.ok_or_else(|| failed("is run in real time, and nothing here can do that".into()))?;
    let Workload::Home(home) = workload else { unreachable!("refused when the file was read") };
    let what = [id, place, &queue.label].into_iter().filter(|part| !part.is_empty());
    let what = format!("{}, seed {seed}", what.collect::<Vec<_>>().join(", "));
    let once = |what: &str| host.run(what, home, queue, seed).map_err(failed);
    match once(&what)? {
        Some(measured) if is_late(&measured) => once(&format!("{what}, again: the machine was too busy")),
        measured => Ok(measured),
    }
}

fn is_late(measured: &Measured) -> bool {
    measured.ap.get(&Metric::Behind).is_some_and(|late| *late > Metric::LATE_TOLERATED)
}

/// What a live run is known by: never what a simulated one is.
pub(super) fn number(workload: &Workload) -> u128 {
    let mut hasher = SipHasher24::new();
    hasher.write(b"live");
    hasher.write_u128(workload.number());
    hasher.finish128().as_u128()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use airtab_scenario::Figures;

    use super::super::made::{HOME, parse};
    use super::*;

    /// Gives runs of these shares of late packets, one after the other.
    struct Host(Mutex<Vec<f64>>, Mutex<Vec<(String, String, u64)>>);

    impl LiveHost for Host {
        fn run(
            &self,
            what: &str,
            home: &ScenarioFile,
            queue: &QueueSpec,
            seed: u64,
        ) -> Result<Option<Measured>, String> {
            assert_eq!(home.scenario.apps.len(), 2);
            let mut late = self.0.lock().unwrap();
            self.1.lock().unwrap().push((what.into(), queue.label.clone(), seed));
            if late.is_empty() {
                return Err("no namespaces".into());
            }
            let ap = Figures::from([(Metric::Behind, late.remove(0))]);
            Ok(Some(Measured {
                apps: Vec::new(),
                pages: Vec::new(),
                seconds: Vec::new(),
                ap,
                nodes: Vec::new(),
            }))
        }
    }

    fn workload(lines: &str) -> Workload {
        let text = format!("title = \"t\"\nsource = \"s\"\n{HOME}{lines}");
        parse(&text).points().unwrap().remove(0).workload
    }

    /// The second run counts, whatever it is; as many late packets as are tolerated need none.
    #[test]
    fn a_late_run_is_made_once_more() {
        let queue: QueueSpec = "chap:limit=70".parse().unwrap();
        let of = |place: &str, late: &[f64]| {
            let host = Host(Mutex::new(late.to_vec()), Mutex::default());
            let run = run(Some(&host), "mine", place, &workload(""), &queue, 7);
            let behind = run.map(|run| run.unwrap().ap[&Metric::Behind]).map_err(|e| e.to_string());
            let asked = host.1.into_inner().unwrap();
            assert!(asked.iter().all(|(_, label, seed)| (label.as_str(), *seed) == ("chap:limit=70", 7)));
            (behind, asked.into_iter().map(|(what, ..)| what).collect::<Vec<_>>())
        };
        let most = Metric::LATE_TOLERATED;
        assert_eq!(of("", &[most]), (Ok(most), vec!["mine, chap:limit=70, seed 7".into()]));
        let (first, again) = ("mine, q = 35, chap:limit=70, seed 7", ", again: the machine was too busy");
        let both = vec![first.to_string(), format!("{first}{again}")];
        assert_eq!(of("q = 35", &[1.01 * most, 0.0]), (Ok(0.0), both.clone()));
        assert_eq!(of("q = 35", &[2.0 * most, 3.0 * most]), (Ok(3.0 * most), both.clone()));
        assert_eq!(of("q = 35", &[2.0 * most]), (Err("mine: no namespaces".into()), both));
        let none = run(None, "mine", "", &workload(""), &queue, 7).unwrap_err().to_string();
        assert_eq!(none, "mine: is run in real time, and nothing here can do that");
    }

    #[test]
    fn a_live_run_is_known_by_another_number() {
        let numbers = ["", "mos_direction = \"down\"\n"].map(|lines| {
            let workload = workload(lines);
            [number(&workload), workload.number()]
        });
        let mut all = numbers.concat();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 4);
        assert_eq!(number(&workload("")), numbers[0][0], "the same again");
    }
}
