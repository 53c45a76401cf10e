// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What there is, scenarios while they are written, and the page's files: equal to what the other faces say.

#[path = "../../../airtab-scenario/tests/it/common/bad_cases.rs"]
mod bad_cases;
use crate::common;

use airtab_lab::catalogue;
use airtab_scenario::{FileError, HOME, Problem, ScenarioFile};
use airtab_serve::Options;
use common::{Running, SHORT, options};
use serde_json::{Value, json};

#[test]
fn what_there_is_is_what_the_commands_print() {
    let server = Running::start(options());
    let same = |path: &str, value: &Value| {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{path}");
        assert_eq!(answer.text(), format!("{value:#}\n"), "{path}");
    };
    same("/api/disciplines", &catalogue::disciplines());
    same("/api/experiments", &catalogue::experiments());
    for name in catalogue::SCHEMAS {
        same(&format!("/api/schema/{name}"), &catalogue::schema(name).unwrap());
    }
    let one = airtab_lab::experiment::find("chap/qsize-game").unwrap_or_else(|e| panic!("{e}"));
    same("/api/experiments/chap/qsize-game", &catalogue::experiment(&one));
    same("/api/experiments/chap/qsize-game.toml", &catalogue::experiment(&one));
    assert_eq!(
        server.get("/api/scenarios").json(),
        json!([{ "name": "home", "text": HOME }, { "name": "short", "text": SHORT }])
    );
    for (path, said) in [
        (
            "/api/schema/nothing",
            "there is no schema 'nothing': there are scenario, experiment, sweep, results, sweep-results",
        ),
        (
            "/api/experiments/qsize-game",
            "no experiment 'qsize-game'; did you mean `chap/qsize-game`? airtab experiment list has them all",
        ),
        ("/api/nothing", "there is nothing of that name below /api/"),
    ] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.json()["error"].as_str()), (404, Some(said)), "{path}");
    }
    assert_eq!(server.post("/api/disciplines", &json!({})).status, 405);
    assert_eq!(server.get("/api/runs").status, 405);
}

/// Every wrong scenario is told the same here as on the command line.
#[test]
fn problems_are_those_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(Options { files: Some(folder.path().into()), ..options() });
    let mut count = 0;
    for (case, text) in bad_cases::all() {
        let Err(FileError::Wrong(expected)) = ScenarioFile::parse("scenario.toml", &text) else {
            panic!("{case}: accepted");
        };
        let answer = server.post("/api/check", &json!({ "text": text }));
        assert_eq!(answer.status, 200, "{case}");
        let answer = answer.json();
        let told: Vec<Problem> = answer["problems"].as_array().expect("a list").iter().map(problem).collect();
        let plain: Vec<Problem> =
            expected.iter().map(|p| Problem { text: String::new(), ..p.clone() }).collect();
        assert_eq!(told, plain, "{case}");
        for (told, expected) in answer["problems"].as_array().unwrap().iter().zip(&expected) {
            if let Some(key) = told["key"].as_str() {
                assert!(expected.message.starts_with(&format!("{key}: ")), "{case}: {key}");
            }
            if let Some(hint) = told["hint"].as_str() {
                assert!(expected.message.contains(&format!("did you mean `{hint}`?")), "{case}: {hint}");
            }
        }
        assert_eq!(answer["hash"], Value::Null, "{case}");
        count += 1;
    }
    assert!(count > 200, "{count}");
    let first = server.post("/api/check", &json!({ "text": bad_cases::all()[0].1 })).json();
    let expected =
        json!({ "key": "durration", "hint": "duration", "line": 7, "column": 1, "width": 9, "path": null });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(first["problems"][1][field], *value, "{field}");
    }
}

fn problem(told: &Value) -> Problem {
    let number = |field: &str| told[field].as_u64().expect("a number") as usize;
    Problem {
        file: told["path"].as_str().unwrap_or("scenario.toml").into(),
        line: number("line"),
        column: number("column"),
        message: told["message"].as_str().expect("a text").into(),
        text: String::new(),
        width: number("width"),
    }
}

#[test]
fn a_right_scenario_has_a_form_and_a_hash() {
    let server = Running::start(options());
    let check = |text: &str| server.post("/api/check", &json!({ "text": text })).json();
    let home = check(HOME);
    assert_eq!((&home["problems"], &home["form"]["name"]), (&json!([]), &json!("home")));
    let hash = airtab_lab::scenario_hash(&ScenarioFile::home().scenario);
    assert_eq!(home["hash"], hash);
    assert_eq!(check(&HOME.replace("# ", "#  "))["hash"], hash, "comments are no part of it");
    // As it is written, even where it is wrong; nothing where it is no TOML.
    let wrong = check("duration = 330\nx = nan\nat = 2020-01-01\nlist = [{ a = 1.5 }]");
    assert_eq!(
        wrong["form"],
        json!({ "duration": 330, "x": "NaN", "at": "2020-01-01", "list": [{ "a": 1.5 }] })
    );
    assert_eq!(check("<scenario/>")["form"], Value::Null);
    let warned = format!("{SHORT}[queue]\nspq.rules = \"*=0,tcp=1\"\n");
    assert!(check(&warned)["warnings"].is_array());
    // What is allowed, and most likely not meant, is no problem.
    let warned = check(&format!("{SHORT}[wifi]\nphy = \"std-11n\"\ndriver.ring = 63\n"));
    let told = &warned["warnings"][0];
    let message = told["message"].as_str().unwrap();
    assert!(message.starts_with("[wifi.driver] ring: 63 packets are less than one aggregate"), "{message}");
    assert_eq!(
        (&told["line"], &told["path"], warned["warnings"].as_array().unwrap().len()),
        (&json!(14), &json!(null), 1)
    );
    assert!(warned["problems"] == json!([]) && warned["hash"].is_string(), "{warned}");
    assert_eq!(
        (&home["warnings"], &wrong["warnings"], &wrong["hash"]),
        (&json!([]), &json!([]), &json!(null))
    );
}

/// A problem of a file that the scenario names has the name of that file, one of the scenario none.
#[test]
fn problems_name_the_file_that_they_are_of() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("movie.txt"), "0 I 900\n1 X 20\n").unwrap();
    let server = Running::start(Options { files: Some(folder.path().into()), ..options() });
    let film = |trace: &str| {
        let app =
            format!("[[app]]\nname = \"film\"\nkind = \"video\"\ntrace = \"{trace}\"\nstation = \"tv\"\n");
        server.post("/api/check", &json!({ "text": format!("{SHORT}{app}") })).json()["problems"].clone()
    };
    let told = film("movie.txt");
    let place = ["path", "line", "column", "key"].map(|field| told[0][field].clone());
    assert_eq!(place, [json!("movie.txt"), json!(2), json!(3), json!(null)], "{told}");
    assert_eq!(told.as_array().unwrap().len(), 1);
    let told = film("other.txt");
    assert_eq!(
        (&told[0]["path"], &told[0]["line"], &told[0]["width"]),
        (&json!(null), &json!(15), &json!(11)),
        "{told}"
    );
}

#[test]
fn values_are_set_and_taken_out_and_comments_stay() {
    let server = Running::start(options());
    let text = "duration = \"9s\" # long\n\n# far\n[[station]]\nname = \"our tv\"\ndistance = 1.0 # m\n[wifi]\nattempts = 7\n";
    let edit = |more: Value| {
        let mut body = json!({ "text": text });
        more.as_object().unwrap().iter().for_each(|(key, value)| body[key] = value.clone());
        server.post("/api/edit", &body)
    };
    let set = |path: &str, value: Value| edit(json!({ "path": path, "value": value }));
    for (path, value, from, to) in [
        ("duration", json!("5s"), "\"9s\" #", "\"5s\" #"),
        ("station.\"our tv\".distance", json!(2.5), "distance = 1.0", "distance = 2.5"),
        ("station.\"our tv\".distance", json!(3), "distance = 1.0", "distance = 3"),
        ("wifi.attempts", json!("7"), "attempts = 7", "attempts = \"7\""),
        ("duration", json!("a\"b\n"), "\"9s\"", "'''"),
        ("duration", json!(["1s", "2s"]), "\"9s\"", "[\"1s\", \"2s\"]"),
        ("wifi.attempts", json!(true), "attempts = 7", "attempts = true"),
    ] {
        let answer = set(path, value.clone());
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let changed = answer.json()["text"].as_str().unwrap().to_string();
        if to == "'''" {
            let table: Value = server.post("/api/check", &json!({ "text": changed })).json();
            assert_eq!(table["form"]["duration"], value);
        } else {
            assert_eq!(changed, text.replace(from, to), "{path}");
        }
    }
    let remove = |path: &str| edit(json!({ "path": path, "remove": true }));
    assert_eq!(remove("wifi.attempts").json()["text"], text.replace("attempts = 7\n", ""));
    let without = remove("station.\"our tv\"").json();
    assert_eq!(without["text"], "duration = \"9s\" # long\n[wifi]\nattempts = 7\n");
    for (answer, said) in [
        (set("wifi..x", json!(1)), "wifi..x: is no path such as wifi.attempts"),
        (set("station.tv.distance", json!(1)), "station.tv.distance: no [[station]] 'tv'"),
        (set("wyfi.x", json!(1)), "wyfi.x: a scenario has no table 'wyfi'; did you mean `wifi`?"),
        (remove("wifi.attempt"), "wifi.attempt: is not there; did you mean `attempts`?"),
        (remove("station.tv"), "station.tv: no [[station]] 'tv'"),
        (remove("server.x"), "server.x: is not there"),
    ] {
        assert_eq!(answer.status, 422, "{}", answer.text());
        let told = answer.json()["problems"][0]["message"].as_str().unwrap().to_string();
        assert!(told.starts_with(said), "{told}");
    }
    for wrong in [
        json!({ "path": "x", "value": null }),
        json!({ "path": "x" }),
        json!({ "path": "x", "value": 1, "remove": true }),
        json!({ "value": 1 }),
    ] {
        assert_eq!(edit(wrong.clone()).status, 400, "{wrong}");
    }
    assert_eq!(set("wifi.attempts", json!(18_446_744_073_709_551_615_u64)).status, 422);
}
