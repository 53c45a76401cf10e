// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How evenly TCP's bulk flows share, at short and at long sight: Jain's index of the
//! volumes that they had acknowledged, downloads and uploads together (Starzetz 2006,
//! equation 7.1, with T = 1 s).
//!
//! A second counts if it lies wholly in the measured time, and in it every flow whose
//! application is active throughout; one in which nothing was acknowledged, or a single
//! flow is active, has no index. A flow that stands still has a part of 0.
//!
//! What it does not do: goodput and air of whole applications are `evenness`'s.

use std::ops::Range;

use airtab_core::time::SECOND;
use airtab_quality::jain;
use airtab_sim::{App, Scenario, Trace};

use crate::kinds::About;
use crate::measure::{Figures, mean};
use crate::metric::Metric;

/// Adds the indices to the figures of the access point where there are two flows to share.
pub(crate) fn add(scenario: &Scenario, trace: &Trace, apps: &[Figures], ap: &mut Figures) {
    let of_apps = scenario.apps.iter().zip(&trace.apps).zip(apps).filter(|(_, figures)| !figures.is_empty());
    let flows: Vec<(&App, &[u32])> = of_apps
        .flat_map(|((app, seen), _)| seen.acked.iter().map(move |flow| (app, flow.as_slice())))
        .filter(|(app, _)| About::of(&app.kind).bulk)
        .collect();
    let seconds = trace.measure_ns.start.div_ceil(SECOND)..trace.measure_ns.end / SECOND;
    let volume = |flow: &[u32], second: u64| flow.get(second as usize).map_or(0.0, |bytes| f64::from(*bytes));
    let of_second = |second: u64| {
        let active_ns = second * SECOND..(second + 1) * SECOND;
        volume_jain(&active_ns, flows.iter().map(|(app, flow)| (*app, volume(flow, second))))
    };
    let each: Vec<f64> = seconds.clone().filter_map(of_second).collect();
    ap.extend(mean(each.iter().copied()).map(|x| (Metric::SecondVolumeJain, x)));
    ap.extend(each.into_iter().reduce(f64::min).map(|x| (Metric::SecondVolumeJainLeast, x)));
    let total = |flow: &[u32]| seconds.clone().map(|second| volume(flow, second)).sum();
    let totals = flows.iter().map(|(_, flow)| total(flow)).collect();
    ap.extend(index(totals).map(|x| (Metric::FlowsVolumeJain, x)));
}

/// Jain's index of volumes, in any one unit, of flows of bulk applications that are active throughout a time;
/// None of fewer than two, or of nothing.
pub fn volume_jain<'a>(time_ns: &Range<u64>, flows: impl Iterator<Item = (&'a App, f64)>) -> Option<f64> {
    let active = |app: &App| app.active_ns.start <= time_ns.start && time_ns.end <= app.active_ns.end;
    let counts = |app: &App| About::of(&app.kind).bulk && active(app);
    index(flows.filter(|(app, _)| counts(app)).map(|(_, volume)| volume).collect())
}

fn index(volumes: Vec<f64>) -> Option<f64> {
    (volumes.len() > 1).then(|| jain(&volumes)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{QueueSpec, ScenarioFile, measure};

    const APPS: &str = "
duration = \"4s\"
measure = [\"1s\", \"4s\"]
[[station]]
name = \"s\"
[[app]]
name = \"down\"
kind = \"download\"
station = \"s\"
start = \"0s\"
[[app]]
name = \"up\"
kind = \"upload\"
station = \"s\"
start = \"0s\"
[[app]]
name = \"late\"
kind = \"download\"
station = \"s\"
start = \"2500ms\"
[[app]]
name = \"call\"
kind = \"voip\"
station = \"s\"
";

    /// Mean, least, and of all, from volumes of each application's only flow.
    fn indices(acked: [[u32; 4]; 3]) -> [Option<f64>; 3] {
        let file = ScenarioFile::parse("volumes.toml", APPS).unwrap();
        let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let mut trace = airtab_sim::run(&file.scenario, &params, 1);
        for (seen, flow) in trace.apps.iter_mut().zip(acked) {
            assert_eq!((seen.acked.len(), seen.acked[0].len()), (1, 4));
            seen.acked = vec![flow.to_vec()];
        }
        assert!(trace.apps[3].acked.is_empty());
        let ap = measure(&file.scenario, &trace).ap;
        [Metric::SecondVolumeJain, Metric::SecondVolumeJainLeast, Metric::FlowsVolumeJain]
            .map(|metric| ap.get(&metric).copied())
    }

    /// In a second count the flows of those applications that are active from its start to its end.
    #[test]
    fn who_is_active_throughout_a_second_counts() {
        let mut apps = ScenarioFile::parse("volumes.toml", APPS).unwrap().scenario.apps;
        for (active_ns, counts) in [
            (SECOND..2 * SECOND, true),
            (0..4 * SECOND, true),
            (SECOND + 1..2 * SECOND, false),
            (SECOND..2 * SECOND - 1, false),
            (0..SECOND + 1, false),
        ] {
            apps[1].active_ns = active_ns.clone();
            let flows = [(&apps[0], 3.0), (&apps[1], 1.0)].into_iter();
            let index = volume_jain(&(SECOND..2 * SECOND), flows);
            // (3 + 1)^2 / (2 (9 + 1))
            let near = index.map(|index| (index - 0.8).abs() < 1e-12);
            assert_eq!(near, counts.then_some(true), "{active_ns:?}: {index:?}");
        }
    }

    #[test]
    fn seconds_and_all_of_them() {
        // Not measured; 1 to 1; 1 to 2, the late one begins; 3 to 0 to 3.
        let some = indices([[9, 5, 10, 30], [0, 5, 20, 0], [0, 0, 7, 30]]);
        let whole = 107.0f64 * 107.0 / (3.0 * (45.0 * 45.0 + 25.0 * 25.0 + 37.0 * 37.0));
        let expected = [(1.0 + 0.9 + 2.0 / 3.0) / 3.0, 2.0 / 3.0, whole];
        for (got, want) in some.into_iter().zip(expected) {
            assert!((got.unwrap() - want).abs() < 1e-12, "{got:?}, not {want}");
        }
    }

    /// A second that lies partly in the measured time does not count, at either end. Flows of one application count one
    /// by one; those of pages, and of an application that is not active while measured, do not.
    #[test]
    fn whole_seconds_of_bulk_flows_count() {
        let app =
            |name: &str, rest: &str| format!("[[app]]\nname = \"{name}\"\nstation = \"s\"\nkind = {rest}\n");
        let apps = [
            app("peers", "\"p2p\"\nflows = 2"),
            app("down", "\"download\""),
            app("pages", "\"web\""),
            app("after", "\"download\"\nstart = \"3950ms\""),
        ]
        .concat();
        let head = "duration = \"4s\"\nmeasure = [\"500ms\", \"3900ms\"]\n[[station]]\nname = \"s\"\n";
        let file = ScenarioFile::parse("volumes.toml", &format!("{head}{apps}")).unwrap();
        let params = "fifo".parse::<QueueSpec>().unwrap().build(&file.queues).unwrap();
        let mut trace = airtab_sim::run(&file.scenario, &params, 1);
        let flows: [&[[u32; 4]]; 4] =
            [&[[90, 3, 6, 50], [0, 1, 2, 0]], &[[5, 2, 0, 9]], &[[7, 100, 100, 7]], &[[0, 0, 0, 8]]];
        for (seen, flows) in trace.apps.iter_mut().zip(flows) {
            seen.acked = flows.iter().map(|flow| flow.to_vec()).collect();
        }
        let ap = measure(&file.scenario, &trace).ap;
        // 3, 1, 2 and 6, 2, 0 in the seconds from 1 s to 3 s; 9, 3, 2 in both together.
        let (first, second) = (36.0 / (3.0 * 14.0), 64.0 / (3.0 * 40.0));
        for (metric, expected) in [
            (Metric::SecondVolumeJain, (first + second) / 2.0),
            (Metric::SecondVolumeJainLeast, second),
            (Metric::FlowsVolumeJain, 196.0 / (3.0 * 94.0)),
        ] {
            assert!((ap[&metric] - expected).abs() < 1e-12, "{metric:?}: {}, not {expected}", ap[&metric]);
        }
    }

    #[test]
    fn a_second_of_nothing_has_no_index() {
        assert_eq!(indices([[0, 5, 0, 0], [0, 5, 0, 0], [0; 4]]), [Some(1.0), Some(1.0), Some(2.0 / 3.0)]);
        assert_eq!(indices([[0; 4]; 3]), [None; 3]);
    }
}
