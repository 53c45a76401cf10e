// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files of `scenarios/homes`: each home runs, and the set varies in the properties that `docs/contest.md` lists.

use std::path::Path;

use airtab_core::{Discipline, Params};
use airtab_scenario::{ScenarioFile, remove, set};

/// Name and text of each home.
fn homes() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/homes");
    let files = folder.read_dir().expect("the folder is there").map(|entry| entry.expect("readable").path());
    let mut homes: Vec<_> = files
        .map(|path| {
            let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("readable"))
        })
        .collect();
    homes.sort();
    homes
}

fn parse(name: &str, text: &str) -> ScenarioFile {
    ScenarioFile::parse(format!("{name}.toml"), text).unwrap_or_else(|e| panic!("{e}"))
}

/// One second of each home: packets of every application arrive.
#[test]
fn every_home_runs() {
    let chap = Params::new(Discipline::named("chap").expect("registered"));
    for (name, text) in homes() {
        let apps = parse(&name, &text).scenario.apps;
        let at_once =
            apps.iter().try_fold(text, |text, app| remove(&text, &format!("app.\"{}\".start", app.name)));
        let second = |text: &str| set(&set(text, "measure", "[\"0s\", \"1s\"]")?, "duration", "1s");
        let text = at_once.and_then(|text| second(&text)).unwrap_or_else(|e| panic!("{name}: {e}"));
        let trace = airtab_sim::run(&parse(&name, &text).scenario, &chap, 1);
        for (app, trace) in apps.iter().zip(&trace.apps) {
            assert!(trace.down.received + trace.up.received > 0, "{name}: {}", app.name);
        }
    }
}

/// The name is that of the file, the driver is left to the contest, and 40 s are measured.
#[test]
fn homes_have_one_form() {
    let homes = homes();
    assert_eq!(homes.len(), 16);
    for (name, text) in &homes {
        let scenario = parse(name, text).scenario;
        assert_eq!((&scenario.name, scenario.measure_ns), (name, 10_000_000_000..50_000_000_000));
        assert!((2..=14).contains(&scenario.stations.len()), "{name}");
        assert!((6..=12).contains(&scenario.apps.len()), "{name}");
        assert!(!text.contains("driver"), "{name}");
    }
    let with = |word: &str| homes.iter().filter(|(_, text)| text.contains(word)).count();
    for (words, least) in [
        (&["std-11ax\"", "std-11ac\"", "std-11n"][..], 2),
        (&["computer = ", "access = \"vo\"", "p2p", "upload"][..], 3),
    ] {
        words.iter().for_each(|word| assert!(with(word) >= least, "{word}: {}", with(word)));
    }
}
