// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `results.parquet` read back: every figure of every seed, where it came from,
//! and errors of the file passed on.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use airtab_lab::store::NoStore;
use airtab_lab::{Comparison, Manifest, Options, Origin, compare, scenario_hash, write_parquet};
use airtab_scenario::{Metric, QueueSpec, ScenarioFile};
use airtab_sim::wifi::CellConfig;
use airtab_sim::{Latency, Servers};
use bytes::Bytes;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

fn comparison() -> Comparison {
    let home = ScenarioFile::home();
    let spec = |name: &str| {
        let spec: QueueSpec = name.parse().unwrap();
        (spec.label.clone(), spec.build(&home.queues).unwrap())
    };
    let stop = AtomicBool::new(false);
    let options =
        Options { seeds: &[1, 2, 3], short: true, jobs: 2, stop: &stop, store: &NoStore, progress: &|_| () };
    compare(&home.scenario, &["fifo", "chap:limit=70"].map(spec), &options).unwrap()
}

fn origin() -> Origin {
    Origin {
        version: "0.0.1".into(),
        git: "unknown".into(),
        command: "airtab compare".into(),
        scenario_hash: scenario_hash(&ScenarioFile::home().scenario),
    }
}

#[test]
fn every_figure_of_every_seed_is_a_row() {
    let mut c = comparison();
    // A figure without meaning under one seed.
    c.queues[0].apps[0].metrics.get_mut(&Metric::GameMos).unwrap().values[1] = None;
    let mut file = Vec::new();
    write_parquet(&c, &origin(), &mut file).unwrap();
    let reader = SerializedFileReader::new(Bytes::from(file)).unwrap();
    let names: Vec<_> = reader
        .metadata()
        .file_metadata()
        .schema()
        .get_fields()
        .iter()
        .map(|f| f.name().to_string())
        .collect();
    assert_eq!(names, ["queue", "discipline", "application", "kind", "metric", "seed", "value"]);

    let mut rows = BTreeMap::new();
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        let text = |i| row.get_string(i).unwrap().clone();
        let value = match row.get_column_iter().nth(6).unwrap().1 {
            Field::Null => None,
            Field::Double(x) => Some(*x),
            other => panic!("{other:?}"),
        };
        let key = (text(0), text(2), text(4), row.get_long(5).unwrap() as u64);
        assert_eq!(text(1), text(0).split(':').next().unwrap());
        assert!(rows.insert(key, value).is_none(), "each once");
    }
    let mut expected = 0;
    for q in &c.queues {
        for app in q.apps.iter().chain([&q.ap]) {
            for (metric, summary) in &app.metrics {
                for (seed, value) in c.seeds.iter().zip(&summary.values) {
                    let key = (q.label.clone(), app.name.clone(), metric.name().to_string(), *seed);
                    assert_eq!(rows[&key], *value, "{key:?}");
                    expected += 1;
                }
            }
        }
    }
    assert_eq!(rows.len(), expected);
    assert!(expected > 300 && rows.values().any(Option::is_none));

    let about: BTreeMap<String, String> = reader
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap()
        .iter()
        .map(|kv| (kv.key.clone(), kv.value.clone().unwrap()))
        .collect();
    assert_eq!(about["airtab.schema"], "1");
    assert_eq!((about["airtab.scenario"].as_str(), about["airtab.short"].as_str()), ("home", "true"));
    assert_eq!(about["airtab.scenario_hash"], origin().scenario_hash);
    assert_eq!(about["airtab.measure_ns"], "9000000000 27000000000");
    let of_origin = ["version", "git", "command"].map(|key| about[&format!("airtab.{key}")].as_str());
    assert_eq!(of_origin, ["0.0.1", "unknown", "airtab compare"]);
}

/// Takes so many bytes, then the disk is full.
struct Disk(usize);

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_as_such() {
    let c = comparison();
    for room in [0, 100, 2000] {
        let error = write_parquet(&c, &origin(), &mut Disk(room)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}: {error}");
    }
}

#[test]
fn the_number_of_a_scenario_is_about_what_it_says() {
    let home = ScenarioFile::home().scenario;
    assert_eq!(scenario_hash(&home), scenario_hash(&home.clone()));
    let mut other = home.clone();
    other.apps[0].servers = Servers::Own(Latency::both(1));
    assert_ne!(scenario_hash(&home), scenario_hash(&other));
    let mut other = home.clone();
    other.medium = CellConfig { attempts: 6, ..home.medium.cell().unwrap().clone() }.into();
    assert_ne!(scenario_hash(&home), scenario_hash(&other));
    assert_eq!(scenario_hash(&home).len(), 32);
}

#[test]
fn the_manifest_names_everything() {
    let (c, origin) = (comparison(), origin());
    assert_eq!((origin.build().version, origin.build().git), ("0.0.1", "unknown"));
    let json = serde_json::to_value(Manifest::new(
        &c,
        &origin,
        vec!["b".into(), "a".into()],
        ("name = 1", BTreeMap::from([("needs.toml".to_string(), "of it".to_string())])),
    ))
    .unwrap();
    assert_eq!(json["inputs"], serde_json::json!({ "needs.toml": "of it" }));
    assert_eq!(json["command"], "airtab compare");
    assert_eq!(json["duration_ns"], 33_000_000_000u64);
    assert_eq!(json["measure_ns"], serde_json::json!([9_000_000_000u64, 27_000_000_000u64]));
    let labels: Vec<_> =
        json["queues"].as_array().unwrap().iter().map(|q| (&q["label"], &q["discipline"])).collect();
    assert_eq!(labels, [(&"fifo".into(), &"fifo".into()), (&"chap:limit=70".into(), &"chap".into())]);
    assert_eq!(json["files"], serde_json::json!(["a", "b"]));
    assert_eq!(
        (&json["schema"], &json["version"], &json["git"]),
        (&1.into(), &"0.0.1".into(), &"unknown".into())
    );
    assert_eq!((&json["scenario"], &json["short"]), (&"home".into(), &true.into()));
    assert_eq!(json["seeds"], serde_json::json!([1, 2, 3]));
    assert_eq!(json["queues"][1]["label"], "chap:limit=70");
    assert_eq!(json["queues"][1]["params"]["limit"], "70");
    assert_eq!(json["scenario_hash"], origin.scenario_hash);
    assert_eq!(json["scenario_text_hash"], airtab_lab::text_hash(b"name = 1"));
    assert_ne!(airtab_lab::text_hash(b"name = 1"), airtab_lab::text_hash(b"name = 2"));
}
