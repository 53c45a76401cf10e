// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a study simulates. The only test in its process, whose simulations it counts.

use std::sync::atomic::{AtomicBool, Ordering};

use airtab_core::Discipline;
use airtab_lab::store::NoStore;
use airtab_lab::{Capture, Options, capture, compare, story};
use airtab_scenario::{QueueSpec, ScenarioFile, short};
use airtab_sim::simulations;

/// Stories and captures are of the runs that are measured: as many runs as disciplines and seeds, and what comes
/// of them is what runs of their own give.
#[test]
fn a_study_simulates_nothing_twice() {
    let scenario = ScenarioFile::home().scenario;
    let settings = ScenarioFile::home().queues;
    let queue = |discipline: Discipline| {
        let spec: QueueSpec = discipline.name().parse().unwrap();
        (spec.label.clone(), spec.build(&settings).unwrap())
    };
    let queues: Vec<_> = airtab_core::disciplines().map(queue).collect();
    let (seeds, stop) = ([2, 1, 2], AtomicBool::new(false));
    let options =
        Options { seeds: &seeds, short: true, jobs: 2, stop: &stop, store: &NoStore, progress: &|_| () };
    let span = 9_000_000_000..9_500_000_000;
    let mut files = vec![Vec::new(); queues.len()];
    let captures = files.iter_mut().map(|out| Capture { span: span.clone(), out }).collect();
    let Ok(seen) = airtab_lab::study(&scenario, &queues, &options, captures, None, None) else {
        panic!("nobody stops it")
    };
    assert_eq!(simulations(), queues.len() * seeds.len(), "all that this process has set up");
    assert_eq!(seen.comparison, compare(&scenario, &queues, &options).unwrap());
    let short = short(&scenario);
    assert_eq!((seen.stories.len(), seen.captured.len()), (queues.len(), queues.len()));
    for (i, (label, params)) in queues.iter().enumerate() {
        assert_eq!(seen.stories[i], story(&short, label, params, 2), "{label}");
        let mut alone = Vec::new();
        let frames = capture(&short, label, params, 2, &span, &mut alone).unwrap();
        assert!(frames > 100 && seen.captured[i].as_ref().is_ok_and(|n| *n == frames), "{label}");
        assert!(files[i] == alone, "{label}: the captures differ");
    }
    let Ok(plain) = airtab_lab::study(&scenario, &queues, &options, Vec::new(), None, None) else {
        panic!("nobody stops it")
    };
    assert!(plain.stories == seen.stories && plain.captured.is_empty());
    stop.store(true, Ordering::Relaxed);
    assert!(airtab_lab::study(&scenario, &queues, &options, Vec::new(), None, None).is_err());
}
