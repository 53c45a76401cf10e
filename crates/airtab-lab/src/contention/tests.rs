// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every subject by its defaults, its names, and what it refuses.

use super::{Runs, SUBJECTS, Subject};

fn lists(of: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
    of.iter().map(|(name, values)| ((*name).into(), values.split(',').map(String::from).collect())).collect()
}

fn ask(subject: &str, of: &[(&str, &str)]) -> Result<Vec<Vec<f64>>, String> {
    let mut runs = Runs::default();
    let cells = Subject::named(subject)?.cells(&lists(of))?;
    cells.iter().map(|cell| cell.figures(&mut runs).map_err(|e| e.to_string())).collect()
}

#[test]
fn every_subject_answers() {
    for subject in SUBJECTS {
        let short = subject.params().any(|param| param.name == "successes");
        let of: &[(&str, &str)] = if short { &[("successes", "2000"), ("n", "2")] } else { &[] };
        let rows = ask(subject.name, of).unwrap_or_else(|e| panic!("{}: {e}", subject.name));
        assert!(!rows.is_empty(), "{}", subject.name);
        for row in rows {
            assert_eq!(row.len(), subject.outputs.len(), "{}", subject.name);
            assert!(row.iter().all(|value| value.is_finite()), "{}: {row:?}", subject.name);
        }
        assert!(
            subject.help.contains(&format!("airtab model contention {}", subject.name)),
            "{}",
            subject.name
        );
    }
}

#[test]
fn a_name_is_one_subjects() {
    let mut names: Vec<&str> = SUBJECTS.iter().flat_map(Subject::names).collect();
    let n = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n);
    for (other, name) in [
        ("automaton", "access"),
        ("effective", "access"),
        ("jain", "fairness"),
        ("ps", "correlation"),
        ("h", "slots"),
        ("pdf", "density"),
        ("permutation", "turns"),
        ("shares", "uploads"),
        ("regimes", "pipe"),
    ] {
        assert_eq!(Subject::named(other).unwrap().name, name);
    }
    assert!(Subject::named("efective").err().unwrap().contains("did you mean `effective`?"));
}

#[test]
fn every_method_runs() {
    let rows =
        ask("access", &[("method", &super::methods::METHODS.join(",")), ("n", "5"), ("successes", "200000")]);
    let rows = rows.unwrap();
    assert_eq!(rows.len(), super::methods::METHODS.len());
    for (row, name) in rows.iter().zip(super::methods::METHODS) {
        assert!(row[0] > 0.02 && row[0] < 0.2 && row[4] > 15.0 && row[4] < 90.0, "{name}: {row:?}");
    }
    // hash1 and h collide as often as Idle Sense; idle-sense has no luck of its own.
    let (idle_sense, hash1, h) = (rows[3][0], rows[5][0], rows[6][0]);
    assert!((hash1 / idle_sense - 1.0).abs() < 0.05 && (h / idle_sense - 1.0).abs() < 0.05, "{rows:?}");
}

#[test]
fn lists_make_cells_and_names() {
    let subject = Subject::named("access").unwrap();
    let cells = subject.cells(&lists(&[("method", "dcf,idle-sense"), ("n", "5")])).unwrap();
    let names: Vec<String> = cells.iter().map(|cell| cell.names()[4].clone()).collect();
    assert_eq!(names, ["effective_window_dcf", "effective_window_idle_sense"]);
    let one = subject.cells(&lists(&[("n", "5")])).unwrap();
    assert_eq!(one[0].names()[0], "collisions");
    assert_ne!(format!("{:?}", one[0]), format!("{:?}", cells[1]));
}

#[test]
fn what_is_wrong_is_said_with_its_range() {
    for (subject, name, value, message) in [
        ("access", "n", "0", "n: '0' is not a whole number from 1 to 1000"),
        ("access", "cwmin", "0", "cwmin: '0' is not a whole number from 1 to 65536"),
        ("access", "offset", "0", "offset: '0' is not a whole number from 1 to 65536"),
        ("access", "noise", "1", "noise: '1' is not a number from 0 and below 1"),
        ("slots", "hazard", "1", "hazard: '1' is not a number above 0 and below 1"),
        ("slots", "hazard", "nan", "hazard: 'nan' is not a number above 0 and below 1"),
        ("slots", "window", "0", "window: '0' is not a whole number from 1 to 65536"),
        ("slots", "weights", "1;2", "weights: '1;2' is not a number; write numbers with colons, as 3:2:1"),
        ("turns", "slots", "1:x/2", "slots: 'x' is no slot; write sequences as 1:2:3:4/2:3:4:1"),
        ("slots", "lost", "0", "lost: '0' is not a number above 1 to 1000000"),
    ] {
        assert_eq!(ask(subject, &[(name, value)]).unwrap_err(), message);
    }
    let law = ask("slots", &[("law", "weights"), ("weights", "0:0")]).unwrap_err();
    assert_eq!(law, "all 2 weights are 0: give one slot a weight above 0");
    let windows = ask("access", &[("cwmin", "64"), ("cwmax", "32")]).unwrap_err();
    assert!(windows.starts_with("windows from 64 to 32"), "{windows}");
    assert!(ask("acess", &[]).unwrap_err().starts_with("no subject 'acess'; did you mean `access`?"));
    assert!(ask("access", &[("m", "1")]).unwrap_err().starts_with("access: no such parameter 'm'"));
    assert!(ask("access", &[("method", "dfc")]).unwrap_err().contains("did you mean `dcf`?"));
    assert!(
        ask("fairness", &[("n", "5"), ("k", "10"), ("successes", "10")])
            .unwrap_err()
            .starts_with("10 successes")
    );
}
