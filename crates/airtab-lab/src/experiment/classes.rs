// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `[model] task = "cbt"`: formulas of the CBT study (Parris 2001) in the units that it prints them in: KB/s, bytes, ms,
//! packets.
//!
//! | subject | keys | applications |
//! |---|---|---|
//! | `thresholds` | `rate`, `packet`, `latency`, `printed` | `threshold_1`, ... of each class; `off`: the farthest from its printed one |
//! | `borrow` | `rate`, `load`, `packet`, `latency` | `rate_1`, ...; `wait`, ms |
//! | `burst` | `weight`, `packets` | `average` |
//! | `frames` | `loss` | `whole`, `playable` a second; `spoilt` by a lost packet, `spoilt_by_packets`, `spoilt_by_frames`, % |
//!
//! What it does not do: no formula is here (`airtab_model::cbt`).

use airtab_core::Unit;
use airtab_model::cbt::frames::{STUDY, WHOLE};
use airtab_model::cbt::threshold::{Allocation, Class};
use airtab_model::cbt::{CbtError, KB, borrow, burst};
use airtab_scenario::reader::{Section, Value, choice, instead, number, quantity};
use airtab_scenario::{Figures, Metric};

/// What is worked out.
#[derive(Clone, Debug)]
pub(super) enum Classes {
    /// Thresholds of an allocation, beside those that are printed.
    Thresholds(Allocation, Vec<f64>),
    /// What classes get of what others leave, by these loads, and how long packets wait.
    Borrow(Allocation, Vec<f64>, Vec<f64>),
    /// The average once so many packets have come into an empty queue.
    Burst { weight: f64, packets: u64 },
    /// Frames of the film of which that share of the packets is lost.
    Frames(f64),
}

const SUBJECTS: [&str; 4] = ["thresholds", "borrow", "burst", "frames"];
const FRAMES: [&str; 5] = ["whole", "playable", "spoilt", "spoilt_by_packets", "spoilt_by_frames"];
/// More classes no discipline has.
const MOST_CLASSES: usize = 16;

impl Classes {
    /// Names of the applications of a table `[model]`.
    ///
    /// # Errors
    /// There is no such subject.
    pub(super) fn names_of(table: &toml::Table) -> Result<Vec<String>, String> {
        let classes = table.get("rate").and_then(toml::Value::as_array).map_or(0, Vec::len);
        match table.get("subject").and_then(toml::Value::as_str).unwrap_or_default() {
            subject if SUBJECTS.contains(&subject) => Ok(names(subject, classes)),
            subject => Err(format!("no subject '{subject}'{}", instead(subject, &SUBJECTS))),
        }
    }

    /// The same of what was read.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Classes::Thresholds(of, _) => names("thresholds", of.classes().len()),
            Classes::Borrow(of, ..) => names("borrow", of.classes().len()),
            Classes::Burst { .. } => names("burst", 0),
            Classes::Frames(_) => names("frames", 0),
        }
    }

    /// Reads the table.
    pub(super) fn read(top: &Section) -> Option<Classes> {
        let subject = top.require("subject", choice(SUBJECTS.map(|name| (name, name)).into()))?;
        let read = match subject {
            "thresholds" => {
                let (classes, printed) = (read_classes(top), top.require("printed", |v| list(top, v)));
                let ((_, classes), printed) = (classes?, printed?);
                same(top, "printed", &classes, printed).map(|printed| Classes::Thresholds(classes, printed))
            }
            "borrow" => {
                let (classes, loads) = (read_classes(top), top.require("load", |v| list(top, v)));
                let ((rates, classes), loads) = (classes?, loads?);
                same(top, "load", &classes, loads).map(|loads| Classes::Borrow(classes, rates, loads))
            }
            "burst" => {
                let weight = top.require("weight", number(1e-6..=1.0, "a weight such as 0.25"));
                let packets = top.require("packets", quantity(Unit::Count, 1..=1_000_000));
                Some(Classes::Burst { weight: weight?, packets: packets? })
            }
            _ => top.require("loss", number(0.0..=1.0, "a share such as 0.2")).map(Classes::Frames),
        };
        top.finish();
        read
    }

    /// Of each application.
    ///
    /// # Errors
    /// What values cannot be together.
    pub(super) fn figures(&self) -> Result<Vec<Figures>, String> {
        let values = self.values().map_err(|e| e.to_string())?;
        Ok(values.into_iter().map(|value| Figures::from([(Metric::Value, value)])).collect())
    }

    fn values(&self) -> Result<Vec<f64>, CbtError> {
        Ok(match self {
            Classes::Thresholds(of, printed) => {
                let mut values: Vec<f64> = (0..printed.len()).map(|i| of.threshold(i)).collect();
                let off = values.iter().zip(printed).map(|(value, printed)| (value - printed).abs());
                values.push(off.fold(0.0, f64::max));
                values
            }
            Classes::Borrow(of, rates, loads) => {
                let mut got = borrow::predict(rates, loads)?;
                // L' of a class that has less than it asks for; without one no queue forms (eq. 4.27).
                let short = borrow::busy(&got, loads);
                got.push(short.map_or(0.0, |i| of.threshold_bytes(i) / (got[i] * KB) * 1e3));
                got
            }
            Classes::Burst { weight, packets } => vec![burst::average_after(*packets, *weight)?],
            Classes::Frames(loss) => {
                let spoilt = WHOLE.spoilt();
                let share = |of: f64| 100.0 * spoilt / of;
                vec![
                    STUDY.whole(*loss)?,
                    STUDY.playable(*loss)?,
                    spoilt,
                    share(WHOLE.packets()),
                    share(WHOLE.frames()),
                ]
            }
        })
    }
}

/// What a subject works out, of so many classes.
fn names(subject: &str, classes: usize) -> Vec<String> {
    let each =
        |name: &str, last: &str| (1..=classes).map(|i| format!("{name}_{i}")).chain([last.into()]).collect();
    match subject {
        "thresholds" => each("threshold", "off"),
        "borrow" => each("rate", "wait"),
        "burst" => vec!["average".into()],
        _ => FRAMES.map(String::from).into(),
    }
}

/// Rates, and an allocation as the source computes with it: KB of 1024 bytes.
fn read_classes(top: &Section) -> Option<(Vec<f64>, Allocation)> {
    let rates = top.require("rate", |v| list(top, v));
    let packets = top.require("packet", |v| list(top, v));
    let latency = top.require("latency", quantity(Unit::Ns, 1_000..=10_000_000_000));
    let (rates, packets, latency) = (rates?, packets?, latency?);
    if rates.len() != packets.len() {
        top.problem_of("packet", &format!("has {} values, `rate` has {}", packets.len(), rates.len()));
        return None;
    }
    let classes: Vec<Class> =
        rates.iter().zip(&packets).map(|(rate, packet)| Class { rate: *rate, packet: *packet }).collect();
    let allocation = Allocation::of_kib(&classes, latency as f64 * 1e-9);
    Some((rates, allocation.map_err(|e| top.problem(e.to_string())).ok()?))
}

/// A list with one value for each class.
fn same(top: &Section, key: &'static str, classes: &Allocation, list: Vec<f64>) -> Option<Vec<f64>> {
    let n = classes.classes().len();
    if list.len() != n {
        top.problem_of(key, &format!("has {} values, `rate` has {n}", list.len()));
        return None;
    }
    Some(list)
}

/// Numbers from 0 on, one for each class.
fn list<'s, 'a>(top: &Section<'s, 'a>, v: &Value<'s, 'a>) -> Result<Vec<f64>, String> {
    let items = top.items(v);
    if !(1..=MOST_CLASSES).contains(&items.len()) {
        return Err(format!("has {} values: one for each of 1 to {MOST_CLASSES} classes", items.len()));
    }
    let one = |item: &String| match item.parse::<f64>() {
        Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
        _ => Err(format!("'{item}' is not a number from 0 on")),
    };
    items.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ModelTask;

    fn figures(text: &str) -> Vec<(String, f64)> {
        let task =
            ModelTask::parse("x", &format!("task = \"cbt\"\n{text}")).unwrap_or_else(|e| panic!("{e}"));
        let table = toml::from_str(&format!("task = \"cbt\"\n{text}")).unwrap();
        assert_eq!(ModelTask::apps_of(&table), Ok(task.apps()), "one name for each figure");
        let value = |figures: airtab_scenario::Figures| figures.into_values().next().unwrap();
        task.apps().into_iter().zip(task.figures(1).unwrap().into_iter().map(value)).collect()
    }

    #[track_caller]
    fn near(found: &[(String, f64)], expected: &[(&str, f64)]) {
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for ((name, value), (_, wanted)) in found.iter().zip(expected) {
            assert!((value - wanted).abs() < 1e-9 * wanted.abs().max(1.0), "{name}: {value}, not {wanted}");
        }
    }

    #[test]
    fn each_class_has_its_threshold_and_its_rate() {
        let classes = "rate = [600, 150, 450]\npacket = [1500, 800, 1000]\nlatency = \"100ms\"\n";
        // 1024 bytes x rate x 0.1 s by the size of a packet: 40.96, 19.2 and 46.08, of which the last is off by 1.92.
        let found = figures(&format!("subject = \"thresholds\"\n{classes}printed = [41, 19, 48]\n"));
        near(&found, &[("threshold_1", 40.96), ("threshold_2", 19.2), ("threshold_3", 46.08), ("off", 1.92)]);
        let found = figures(&format!("subject = \"thresholds\"\n{classes}printed = [43.96, 19.2, 46.08]\n"));
        assert!((found[3].1 - 3.0).abs() < 1e-9, "below what is printed: {found:?}");
        // The third is idle: the others get its 450 as 600 to 150. 61440 bytes wait for 960000 a second.
        let found = figures(&format!("subject = \"borrow\"\n{classes}load = [2000, 500, 0]\n"));
        near(&found, &[("rate_1", 960.0), ("rate_2", 240.0), ("rate_3", 0.0), ("wait", 64.0)]);
    }

    #[test]
    fn frames_are_told_apart() {
        let p = |packets: f64| 0.9f64.powf(packets);
        let (i, p, b) = (p(5.26), p(1.69), p(1.0));
        let spoilt = (6.0 * 8.0 + 2.0 * 5.0 + 4.0) / 12.0;
        let expected = [
            ("whole", 5.0 * (i + p + 4.0 * b)),
            ("playable", 5.0 * (i + i * p + 2.0 * i * p * b + 2.0 * i * i * p * b)),
            ("spoilt", spoilt),
            ("spoilt_by_packets", 100.0 * spoilt / 12.0),
            ("spoilt_by_frames", 100.0 * spoilt / 6.0),
        ];
        near(&figures("subject = \"frames\"\nloss = 0.1\n"), &expected);
        // An average of what grows by one packet each, with a weight of a half: 1, 2, 3 after another, or 0.5, 1.25, 2.125.
        let found = figures("subject = \"burst\"\nweight = 0.5\npackets = 3\n");
        assert!((found[0].1 - 2.125).abs() < 1e-12 && found[0].0 == "average", "{found:?}");
    }
}
