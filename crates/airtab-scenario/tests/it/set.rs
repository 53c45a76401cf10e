// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Values set in the texts of scenarios: what is read afterwards, that no other line moved, and what is refused.

use airtab_scenario::{HOME, ScenarioFile, assignment, remove, set};
use proptest::prelude::*;
use toml::{Table, Value};

const SMALL: &str = "# a house
name = \"small\"   # not large
duration = \"9s\"

[queue]
limit = 100

[wifi]
attempts = 7 # per frame

# who is there
[[station]]
name = \"tablet\"
distance = 8

[[station]]
name = \"our tablet\" # the old one
rate = \"6Mb/s\"

[[app]]
name = \"film\"
kind = \"download\"
station = \"tablet\"
";

fn changed(path: &str, value: &str, old: &str, new: &str) {
    let told = set(SMALL, path, value).unwrap_or_else(|e| panic!("{e}"));
    assert!(SMALL.contains(old));
    assert_eq!(told, SMALL.replacen(old, new, 1), "{path}");
}

#[test]
fn comments_and_layout_stay() {
    changed("wifi.attempts", "4", "attempts = 7 # per", "attempts = 4 # per");
    changed("name", "large", "\"small\"   # not", "\"large\"   # not");
    changed("station.tablet.distance", "11.5", "distance = 8", "distance = 11.5");
    changed("station.\"our tablet\".rate", "54Mb/s", "6Mb/s", "54Mb/s");
    // In a table that is there, and in one that is not.
    changed("app.film.start", "25ms", "station = \"tablet\"\n", "station = \"tablet\"\nstart = \"25ms\"\n");
    changed("wifi.phy", "802.11ac", "# per frame\n", "# per frame\nphy = \"802.11ac\"\n");
    changed("queue.chap.limit", "70", "limit = 100\n", "limit = 100\nchap.limit = 70\n");
    changed("tcp.prr", "false", "\"9s\"\n", "\"9s\"\ntcp.prr = false\n");
    changed("measure", "[\"1s\", \"2s\"]", "\"9s\"\n", "\"9s\"\nmeasure = [\"1s\", \"2s\"]\n");
}

#[test]
fn what_is_taken_out_takes_nothing_else_along() {
    for (path, gone) in [
        ("station.tablet.distance", "distance = 8\n"),
        ("wifi.attempts", "attempts = 7 # per frame\n"),
        ("app.film", "\n[[app]]\nname = \"film\"\nkind = \"download\"\nstation = \"tablet\"\n"),
    ] {
        assert!(SMALL.contains(gone));
        assert_eq!(
            remove(SMALL, path).unwrap_or_else(|e| panic!("{e}")),
            SMALL.replacen(gone, "", 1),
            "{path}"
        );
    }
    let told = remove(SMALL, "station.tablet.rate").unwrap_err().to_string();
    assert!(told.starts_with("station.tablet.rate: is not there"), "{told}");
    let told = remove(SMALL, "station.phone").unwrap_err().to_string();
    assert!(told.contains("known: tablet, our tablet"), "{told}");
}

#[test]
fn a_path_without_a_value_is_removed() {
    for path in ["wifi.attempts", "station.tablet.distance", "app.film", "measure"] {
        for value in ["", " "] {
            assert_eq!(set(SMALL, path, value), remove(SMALL, path), "{path}");
        }
    }
    assert!(!set(SMALL, "wifi.attempts", "").unwrap().contains("attempts"));
    assert!(set(SMALL, "name", "\"\"").unwrap().contains("name = \"\""));
    assert_eq!(assignment("wifi.attempts="), Ok(("wifi.attempts".into(), String::new())));
}

/// Links and changes have no names: they are counted from 1.
#[test]
fn entries_without_names_have_numbers() {
    let lists = "[[change]]\nat = \"1s\"\nvalue = 1\n\n[[change]]\nat = \"2s\"\nvalue = 2\n";
    let text = format!("{SMALL}\n{lists}");
    let second = lists.replace("value = 2", "value = 7");
    assert_eq!(set(&text, "change.2.value", "7").unwrap(), format!("{SMALL}\n{second}"));
    let first = lists.replacen("value = 1\n", "value = 1\nkey = \"fer\"\n", 1);
    assert_eq!(set(&text, "change.1.key", "fer").unwrap(), format!("{SMALL}\n{first}"));
    let one = lists.split_once("\n\n").unwrap().1;
    assert_eq!(set(&text, "change.1", "").unwrap(), format!("{SMALL}\n{one}"));
    for path in ["change.0.value", "change.3.value", "change.first.value", "change.3"] {
        let told = set(&text, path, "").unwrap_err().to_string();
        assert!(told.contains("have numbers, 1 to 2, as in change.1.KEY"), "{told}");
    }
    for path in ["change.at", "change"] {
        let told = set(&text, path, "7").unwrap_err().to_string();
        assert!(told.ends_with("as in change.1.KEY") || told.contains("no [[change]] 'at'"), "{told}");
    }
    // A number is a name where entries have names.
    let told = set(SMALL, "station.1.distance", "7").unwrap_err().to_string();
    assert!(told.contains("no [[station]] '1' (known: tablet, our tablet)"), "{told}");
}

#[test]
fn tables_in_a_line_are_tables() {
    let text = "queue = { chap = { limit = 35 } } # both\napp = [{ name = \"a\" }, { name = \"b\" }]";
    let told = set(text, "queue.chap.flows", "9").unwrap();
    assert_eq!(
        told,
        text.replace("limit = 35 }", "limit = 35, flows = 9 }"),
        "and there is no end of line that was not there"
    );
    let told = set(text, "app.b.start", "1s").unwrap();
    assert_eq!(told, text.replace("\"b\" }", "\"b\", start = \"1s\" }"));
    // Ends of lines as Windows has them.
    let text = "a = 1\r\nname = \"x\" # y\r\n\r\n[queue]\r\nlimit = 5\r\n";
    assert_eq!(set(text, "queue.limit", "6").unwrap(), text.replace('5', "6"));
}

#[test]
fn what_is_refused_is_told_with_its_cure() {
    let refused = |path: &str, value: &str, expected: &str| {
        let told = set(SMALL, path, value).expect_err(path).to_string();
        assert_eq!(told, format!("{path}: {expected}"));
    };
    refused(
        "station.tabelt.distance",
        "1",
        "no [[station]] 'tabelt'; did you mean `tablet`? (known: tablet, our tablet)",
    );
    refused(
        "station.distance",
        "1",
        "name the entry of the list, as in station.NAME.KEY (there are: tablet, our tablet)",
    );
    refused(
        "station",
        "1",
        "is a list of tables: name an entry and its key, as in station.NAME.KEY (there are: tablet, our tablet)",
    );
    refused("wifi", "1", "is a table: name a key of it (it has attempts)");
    refused("duration.s", "1", "`duration` is no table but string");
    refused("name", "[1,", "'[1,' is no value of TOML: unclosed array, expected `]`");
    let quotes = "is no path such as wifi.attempts or station.tablet.distance; a name with other characters than \
                  letters, digits, _ and - goes in quotes: station.\"our tablet\".distance";
    refused("station.our tablet.distance", "1", quotes);
    refused("", "1", quotes);
    refused("wifi..attempts", "1", quotes);
    let told = |path| set(SMALL, path, "1").expect_err(path).to_string();
    let wfi = told("wfi.attempts");
    assert!(
        wfi.starts_with("wfi.attempts: a scenario has no table 'wfi'; did you mean `wifi`? (known: name, "),
        "{wfi}"
    );
    let app = told("application.film.start");
    assert!(app.contains("no table 'application'; did you mean `app`? (known: "), "{app}");
    let links = format!("{SMALL}[[link]]\nbetween = [\"a\", \"b\"]\n");
    let told = set(&links, "link.a.fer", "1").unwrap_err().to_string();
    assert_eq!(
        told,
        "link.a.fer: no [[link]] 'a': entries without names have numbers, 1 to 1, as in link.1.KEY"
    );
    let told = set("duration = ", "name", "x").unwrap_err().to_string();
    assert!(told.starts_with("name: the scenario is no TOML: "), "{told}");
}

#[test]
fn words_of_a_command_line() {
    let pair = |path: &str, value: &str| Ok((path.to_string(), value.to_string()));
    assert_eq!(assignment("wifi.attempts=4"), pair("wifi.attempts", "4"));
    assert_eq!(assignment("app.\"a=b\".start=1s"), pair("app.\"a=b\".start", "1s"));
    assert_eq!(assignment("name=a=b"), pair("name", "a=b"));
    assert_eq!(assignment("wifi.attempts"), Err("write PATH=VALUE, as in wifi.attempts=4".into()));
    assert!(assignment("our tablet=4").unwrap_err().starts_with("our tablet: is no path such as "));
}

/// Paths of all single values of a table, as they are written, and what is there.
fn leaves(table: &Table, before: &str, found: &mut Vec<(String, Value)>) {
    for (key, value) in table {
        let path = format!("{before}{}", quoted(key));
        match value {
            Value::Table(inside) => leaves(inside, &format!("{path}."), found),
            Value::Array(list) if list.iter().all(Value::is_table) && !list.is_empty() => {
                for entry in list.iter().filter_map(Value::as_table) {
                    // Whose name is changed is another.
                    let Some(name) = entry.get("name").and_then(Value::as_str) else { continue };
                    let mut entry = entry.clone();
                    let name = quoted(name);
                    entry.remove("name");
                    leaves(&entry, &format!("{path}.{name}."), found);
                }
            }
            value => found.push((path, value.clone())),
        }
    }
}

fn quoted(word: &str) -> String {
    Value::String(word.into()).to_string()
}

/// The scenarios of the repository.
fn texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let paths = std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let tomls = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let texts = tomls.map(|path| std::fs::read_to_string(path).expect("a scenario"));
    texts.chain([HOME.into(), SMALL.into()]).collect()
}

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::Integer),
        any::<bool>().prop_map(Value::Boolean),
        (-1e9..1e9).prop_map(Value::Float),
        "[a-zA-Z0-9 ./µ=#\"\\\\]{0,12}".prop_map(Value::String),
        prop::collection::vec("[a-z0-9 ]{0,5}", 0..4).prop_map(Value::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// What was set is read, nothing else is another, and no other line differs by a byte.
    #[test]
    fn set_is_read(
        which in any::<prop::sample::Index>(),
        leaf in any::<prop::sample::Index>(),
        value in values(),
        new in prop::option::of("[a-z][a-z_]{0,7}"),
    ) {
        let texts = texts();
        let text = which.get(&texts);
        let mut before = Vec::new();
        leaves(&toml::from_str(text).expect("TOML"), "", &mut before);
        let (mut path, _) = leaf.get(&before).clone();
        if let Some(new) = new {
            // Another key of the same table.
            let end = path.rfind('.').map_or(0, |at| at + 1);
            path.replace_range(end.., &quoted(&format!("new_{new}")));
        }
        let told = set(text, &path, &value.to_string()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let mut after = Vec::new();
        leaves(&toml::from_str(&told).expect("TOML"), "", &mut after);
        match before.iter_mut().find(|(known, _)| *known == path) {
            Some((_, old)) => *old = value,
            None => before.push((path, value)),
        }
        let sorted = |mut all: Vec<(String, Value)>| {
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        prop_assert_eq!(sorted(before), sorted(after));
        let (old, new): (Vec<&str>, Vec<&str>) =
            (text.split_inclusive('\n').collect(), told.split_inclusive('\n').collect());
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[same..], &new[same..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        prop_assert!(new.len() - end <= 1 && old.len() - end <= 1, "{:?} for {:?}", new, old);
    }

    /// What was taken out is gone, and nothing else is.
    #[test]
    fn what_is_removed_is_gone(which in any::<prop::sample::Index>(), leaf in any::<prop::sample::Index>()) {
        let texts = texts();
        let text = which.get(&texts);
        let mut before = Vec::new();
        leaves(&toml::from_str(text).expect("TOML"), "", &mut before);
        let (path, _) = leaf.get(&before).clone();
        let told = remove(text, &path).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let mut after = Vec::new();
        leaves(&toml::from_str(&told).expect("TOML"), "", &mut after);
        before.retain(|(known, _)| *known != path);
        prop_assert_eq!(before, after);
        prop_assert!(remove(&told, &path).is_err(), "it is there no more");
    }

    /// Whatever is asked of whatever text: it is refused, or the answer is TOML.
    #[test]
    fn what_is_no_edit_is_refused(
        which in any::<prop::sample::Index>(),
        cut in any::<prop::sample::Index>(),
        path in r#"[a-z"'.\[\] \\#\n]{0,12}|(station|app|wifi|queue)(\.("[a-z ]{0,4}"|[a-z]{0,6})){0,3}"#,
        value in r#"[\[\]{}"'=,0-9a-z\n# .]{0,12}"#,
        whole in any::<bool>(),
    ) {
        let texts = texts();
        let text = which.get(&texts);
        let end = if whole { text.len() } else { text.floor_char_boundary(cut.index(text.len())) };
        for told in [set(&text[..end], &path, &value), remove(&text[..end], &path)].into_iter().flatten() {
            prop_assert!(told.parse::<Table>().is_ok(), "{} = {}: {}", path, value, told);
        }
    }
}

#[test]
fn a_scenario_is_read_with_its_new_value() {
    let text = set(SMALL, "wifi.attempts", "4").and_then(|text| set(&text, "app.film.start", "2s")).unwrap();
    let file = ScenarioFile::parse("small.toml", &text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(file.scenario.medium.cell().map(|cell| cell.attempts), Some(4));
    assert_eq!(file.scenario.apps[0].active_ns.start, 2_000_000_000);
}

#[test]
fn a_key_a_table_and_an_entry_are_taken_out_and_comments_stay() {
    let without = |path: &str| remove(SMALL, path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(without("wifi.attempts"), SMALL.replace("attempts = 7 # per frame\n", ""));
    assert_eq!(without("queue"), SMALL.replace("\n[queue]\nlimit = 100\n", ""));
    let entry = "\n[[station]]\nname = \"our tablet\" # the old one\nrate = \"6Mb/s\"\n";
    assert_eq!(without("station.\"our tablet\""), SMALL.replace(entry, ""));
    for (path, said) in [
        ("wifi.attempt", "wifi.attempt: is not there; did you mean `attempts`?"),
        ("station.phone", "station.phone: no [[station]] 'phone'"),
        ("station.tablet.rate", "station.tablet.rate: is not there"),
        ("wired.rate", "wired.rate: is not there"),
        ("wirde.rate", "wirde.rate: a scenario has no table 'wirde'; did you mean `wired`?"),
        ("", ": is no path"),
    ] {
        let told = remove(SMALL, path).expect_err(path).to_string();
        assert!(told.starts_with(said), "{told}");
    }
    assert!(remove("<scenario/>", "wifi").is_err());
}
