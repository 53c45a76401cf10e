// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab schema`: the schemas of `docs/schema/`, every file of the repository held against them, and files that are
//! wrong by a key, a type or a word, which a schema can tell from right ones.
//!
//! Source of the schemas: the readers. What judges here is a validator of its own. After a change of a reader:
//! `SCHEMA_UPDATE=1 cargo test -p airtab --test it schema::`, and read the difference.

use std::path::{Path, PathBuf};
use std::process::Command;

use airtab_scenario::ScenarioFile;
use jsonschema::Validator;
use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;

fn airtab(args: &[&str]) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_airtab")).args(args).output().expect("airtab starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

fn schema(of: &str) -> Value {
    serde_json::from_slice(&airtab(&["schema", of])).expect("JSON")
}

fn validator(schema: &Value) -> Validator {
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(schema).unwrap_or_else(|e| panic!("no schema: {e}"));
    jsonschema::validator_for(schema).unwrap_or_else(|e| panic!("{e}"))
}

/// The files below a folder that end in `.toml`.
fn tomls(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path()) {
        if path.is_dir() {
            tomls(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn as_json(text: &str) -> Value {
    let value: toml::Value = toml::from_str(text).unwrap_or_else(|e| panic!("{e}"));
    serde_json::to_value(value).expect("TOML is JSON, but for times")
}

/// What a schema says against a value.
fn against(validator: &Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn files_are_what_the_program_prints() {
    for of in ["scenario", "experiment", "sweep", "results", "sweep-results"] {
        let path = root().join(format!("docs/schema/{of}.schema.json"));
        let printed = airtab(&["schema", of]);
        if std::env::var_os("SCHEMA_UPDATE").is_some() {
            std::fs::write(&path, &printed).expect("the folder is there");
        }
        let kept = std::fs::read(&path).unwrap_or_default();
        assert!(
            kept == printed,
            "{}: run SCHEMA_UPDATE=1 cargo test -p airtab --test it schema::",
            path.display()
        );
    }
}

#[test]
fn every_scenario_fits() {
    let validator = validator(&schema("scenario"));
    let mut paths = Vec::new();
    tomls(&root().join("scenarios"), &mut paths);
    paths.push(root().join("crates/airtab-scenario/src/home.toml"));
    assert!(paths.len() > 20);
    for path in paths {
        let said = against(&validator, &as_json(&read(&path)));
        assert!(said.is_empty(), "{}: {said:#?}", path.display());
    }
}

#[test]
fn every_experiment_fits_and_so_does_its_scenario() {
    let schema = schema("experiment");
    let validator = validator(&schema);
    // What a base has is part of a scenario.
    let base = self::validator(&{
        let mut part = schema["properties"]["scenario"].clone();
        part["$schema"] = schema["$schema"].clone();
        part
    });
    let mut paths = Vec::new();
    tomls(&root().join("experiments"), &mut paths);
    assert!(paths.len() > 200);
    let mut bases = 0;
    for path in paths {
        let mut value = as_json(&read(&path));
        let is_base = path.parent().is_some_and(|folder| folder.ends_with("base"));
        bases += usize::from(is_base);
        // What is below it is no part of a scenario.
        if is_base {
            value.as_object_mut().expect("a table").remove("base");
        }
        let said = against(if is_base { &base } else { &validator }, &value);
        assert!(said.is_empty(), "{}: {said:#?}", path.display());
    }
    assert!(bases > 20);
}

#[test]
fn results_fit_theirs() {
    let validator = validator(&schema("results"));
    for args in [
        &["compare", "--short", "--seeds", "2", "--queues", "fifo,chap", "--json"][..],
        &["compare", "mesh-chain4", "--short", "--seeds", "1", "--queues", "fifo", "--json"],
    ] {
        let json: Value = serde_json::from_slice(&airtab(args)).expect("JSON");
        let said = against(&validator, &json);
        assert!(said.is_empty(), "{args:?}: {said:#?}");
        // And another form does not.
        for wrong in ["/scenario", "/seeds", "/queues/0/apps/0/metrics", "/queues/0/ap"] {
            let mut other = json.clone();
            *other.pointer_mut(wrong).expect(wrong) = Value::Bool(true);
            assert!(!against(&validator, &other).is_empty(), "{wrong}");
        }
    }
}

#[test]
fn results_of_sweeps_fit_theirs() {
    let validator = validator(&schema("sweep-results"));
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let folder = dir.path().to_str().expect("UTF-8");
    let scenario = dir.path().join("small.toml");
    let text = "duration = \"200ms\"\nmeasure = [\"0s\", \"200ms\"]\nstation = [{ name = \"tablet\" }]\n\
                app = [{ name = \"game\", kind = \"game\", station = \"tablet\" }]\n";
    std::fs::write(&scenario, text).expect("written");
    let sweep =
        ["sweep", scenario.to_str().expect("UTF-8"), "--queues", "fifo,chap", "--set", "wifi.attempts=4"];
    let axis = ["--axis", "station.tablet.distance=1,9"];
    for more in [&["--seeds", "2"][..], &["--until", "game.game_mos=0.5", "--first", "2", "--most", "4"]] {
        let words = [&sweep[..], &axis, more].concat();
        let json: Value = serde_json::from_slice(&airtab(&[&words[..], &["--json"]].concat())).expect("JSON");
        airtab(&[&words[..], &["--out", folder]].concat());
        let manifest = std::fs::read(dir.path().join("manifest.json")).expect("it is there");
        let manifest: Value = serde_json::from_slice(&manifest).expect("JSON");
        assert!(manifest["points"].is_null() && json["points"].is_array() && manifest["files"].is_array());
        for results in [&json, &manifest] {
            let said = against(&validator, results);
            assert!(said.is_empty(), "{more:?}: {said:#?}");
            for wrong in ["/title", "/seeds/0", "/axes/0/values/0", "/git"] {
                let mut other = results.clone();
                *other.pointer_mut(wrong).expect(wrong) = Value::Bool(true);
                assert!(!against(&validator, &other).is_empty(), "{wrong}");
            }
        }
    }
}

/// What the reader says of a file that a schema can refuse, too: the words behind the key.
const TOLD_BY_KEYS: [&str; 9] = [
    ": no such key",
    " lacks the key `",
    ": no such parameter",
    ": no such key or discipline",
    "' is not a text in quotes",
    "' is not true or false",
    "' is not a whole number such as",
    "' is not a time with its unit",
    ": only for kind ",
];

/// Cases of these that a schema cannot tell: a number too long, a unit of a parameter, a key that another value
/// forbids or asks for.
const BEYOND: [&str; 6] = [
    "more than 64 bits",
    "parameter out of range",
    "a stream without rate",
    "capture without keys",
    "a key of another rule",
    "slots without weights",
];

/// The cases of the reader's own test of wrong files: name, what is replaced, by what.
fn cases() -> Vec<[String; 3]> {
    let text = read(&root().join("crates/airtab-scenario/tests/it/common/bad_cases.rs"));
    let list = text.split_once("const CASES: &[(&str, &str, &str)] = ").expect("the cases").1;
    // Without the `&` in front.
    let list = &list[1..=list.find("\n];").expect("its end") + 1];
    let list: TokenStream = list.parse().expect("Rust");
    let groups = |tokens: TokenStream| {
        tokens.into_iter().filter_map(|token| match token {
            TokenTree::Group(group) => Some(group.stream()),
            _ => None,
        })
    };
    let tuples = groups(list).flat_map(groups);
    let words = |tuple: TokenStream| {
        let literals = tuple.into_iter().filter(|token| matches!(token, TokenTree::Literal(_)));
        let words: Vec<String> = literals.map(|literal| literal.to_string()).collect();
        // A Rust string without a line break in it is one of TOML.
        let plain = |word: &String| -> String {
            let value: toml::Value =
                toml::from_str::<toml::Table>(&format!("x = {word}")).expect(word)["x"].clone();
            value.as_str().expect("a text").into()
        };
        <[String; 3]>::try_from(words.iter().map(plain).collect::<Vec<_>>()).expect("three texts")
    };
    tuples.map(words).collect()
}

#[test]
fn what_is_wrong_by_key_or_type_is_refused() {
    let validator = validator(&schema("scenario"));
    let right = read(&root().join("scenarios/game-call-download.toml"));
    let (mut by_keys, mut refused, mut all) = (0, 0, 0);
    let mut missed = Vec::new();
    for [case, from, to] in cases() {
        assert!(right.contains(&from), "{case}: '{from}' is not in the scenario");
        let text = right.replacen(&from, &to, 1);
        let Err(told) = ScenarioFile::parse("home.toml", &text) else { panic!("{case}: accepted") };
        let told = told.to_string();
        let Ok(value) = toml::from_str::<toml::Value>(&text) else { continue };
        let Ok(value) = serde_json::to_value(value) else { continue };
        all += 1;
        let fits = against(&validator, &value).is_empty();
        refused += usize::from(!fits);
        if TOLD_BY_KEYS.iter().any(|words| told.contains(words)) {
            by_keys += 1;
            if fits {
                missed.push(case);
            }
        }
    }
    println!("of {all} wrong scenarios the schema refuses {refused}; {by_keys} are wrong by a key or a type");
    assert_eq!(missed, BEYOND);
    assert!(by_keys > 50 && refused > by_keys, "{by_keys} of {refused} of {all}");
}
