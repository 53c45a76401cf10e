// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Quality of Outcome of applications: by latencies that are known, in each direction, by requirements of one's own, and
//! what is refused.

use std::io::{Cursor, Read};
use std::path::Path;

use airtab_core::{Discipline, Params};
use airtab_quality::qoo::{Part, Percentile};
use airtab_scenario::{Direction, Figures, Metric, ScenarioFile, measure};
use airtab_sim::wifi::Loss;

const SLOW: &str = "[[requirement]]\nname = \"slow\"\nthroughput = \"1Mb/s\"\n\
    latency = [{ percentile = 0, optimal = \"1s\", unusable = \"60s\" }]\n";

const OWN: &str = "[[requirement]]\nname = \"strict\"\n\
    latency = [{ percentile = 0, optimal = \"0s\", unusable = \"1s\" }, { percentile = 100, optimal = \"0s\", unusable = \"2s\" }]\n";

/// A house with one application, lines on top and in its table; `own.toml` is beside it.
fn file(top: &str, app: &str) -> Result<ScenarioFile, String> {
    let text = format!(
        "duration = \"20s\"\nmeasure = [\"1s\", \"19s\"]\n{top}\n[wifi]\nphy = \"std-11g\"\n[[station]]\nname = \"s\"\n\
         rate = \"54Mb/s\"\nfer = 0\n[[app]]\nname = \"a\"\nstation = \"s\"\nstart = \"0s\"\n{app}"
    );
    let text_of = |path: &Path, what: &str| match path.to_str() {
        Some("own.toml") => Ok(OWN.to_string()),
        Some("voice.toml") => Ok(OWN.replace("strict", "voice")),
        Some("slow.toml") => Ok(SLOW.to_string()),
        Some("wrong.toml") => Ok(OWN.replace("\"1s\"", "\"0s\"")),
        _ => Err(format!("no such file; name {what}")),
    };
    let open = |path: &Path, what: &str| -> Result<Box<dyn Read>, String> {
        Ok(Box::new(Cursor::new(text_of(path, what)?)))
    };
    ScenarioFile::parse_with("house.toml", &text, &open).map_err(|e| e.to_string())
}

fn figures(top: &str, app: &str) -> Figures {
    let file = file(top, app).unwrap_or_else(|e| panic!("{e}"));
    let params = Params::new(Discipline::named("fifo").unwrap());
    measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps.remove(0)
}

fn part(f: &Figures, direction: Direction, part: Part) -> Option<f64> {
    f.get(&Metric::of_outcome(direction, part)).copied()
}

fn p(percent: f64) -> Part {
    Part::Latency(Percentile::of_percent(percent).unwrap())
}

fn near(value: Option<f64>, expected: f64, distance: f64) {
    let value = value.expect("it has a value");
    assert!((value - expected).abs() < distance, "{value}, not {expected}");
}

/// A call over a wire of 250 ms: half between 100 and 400 ms, less what the air takes (under 1 ms is 1/3).
#[test]
fn a_known_latency_has_its_score() {
    let f = figures("wired = { trunk_latency = \"250ms\" }", "kind = \"voip\"");
    let [down, up] = Direction::BOTH.map(|direction| part(&f, direction, p(98.0)));
    near(down, 49.3, 0.7);
    near(up, 49.3, 0.7);
    assert_eq!(part(&f, Direction::Down, Part::Loss), Some(100.0));
    assert_eq!(
        f.get(&Metric::Qoo).copied(),
        down.zip(up).map(|(down, up)| down.min(up)),
        "the worse direction"
    );
    // The same house without the wire.
    let f = figures("wired = { trunk_latency = \"1ms\" }", "kind = \"voip\"");
    assert_eq!(f.get(&Metric::Qoo), Some(&100.0));
}

/// Least and greatest latency by a file of one's own, which a table names.
#[test]
fn a_requirement_of_ones_own() {
    let top = "requirements = \"own.toml\"\nwired = { trunk_latency = \"250ms\" }";
    let f = figures(top, "kind = \"game\"\nrequirement = \"strict\"");
    near(part(&f, Direction::Down, p(0.0)), 75.0, 0.2);
    near(part(&f, Direction::Down, p(100.0)), 87.4, 0.2);
    assert_eq!(part(&f, Direction::Down, Part::Loss), None, "it says nothing of losses");
    near(f.get(&Metric::Qoo).copied(), 75.0, 0.2);
    // What is shipped can be chosen as well, and nothing.
    let f = figures(top, "kind = \"game\"\nrequirement = \"web\"");
    assert_eq!(f.get(&Metric::Qoo), Some(&0.0));
    let f = figures(top, "kind = \"game\"\nrequirement = \"none\"");
    assert!(f.keys().all(|metric| !matches!(metric, Metric::Qoo | Metric::Outcome(_))));
}

/// A requirement of the file has the place of the shipped one of its name, also where no application names it.
#[test]
fn an_own_requirement_goes_before_a_shipped_one() {
    for key in ["", "\nrequirement = \"voice\""] {
        let named = |top: &str| {
            let file = file(top, &format!("kind = \"voip\"{key}")).unwrap_or_else(|e| panic!("{e}"));
            let requirement = file.scenario.apps[0].requirement.clone().unwrap();
            (requirement.name.clone(), requirement.latency[0].1.unusable(), requirement.loss.is_some())
        };
        assert_eq!(named(""), ("voice".into(), 0.4, true));
        assert_eq!(named("requirements = \"voice.toml\""), ("voice".into(), 1.0, false));
        assert_eq!(named("requirements = \"own.toml\""), ("voice".into(), 0.4, true));
    }
}

/// A rate counts only of who takes all that there is; too few packets say nothing.
#[test]
fn what_is_not_known_is_not_judged() {
    let f = figures("", "kind = \"download\"\nrequirement = \"cloud-game\"");
    assert_eq!(part(&f, Direction::Down, Part::Rate), Some(100.0));
    // Of an upload its data, not the ACKs that come down.
    let f = figures("", "kind = \"upload\"\nrequirement = \"cloud-game\"");
    let rates = Direction::BOTH.map(|direction| part(&f, direction, Part::Rate));
    assert_eq!(rates, [None, Some(100.0)]);
    let f = figures("", "kind = \"udp\"\nrate = \"max\"\nupload = true\nrequirement = \"cloud-game\"");
    let rates = Direction::BOTH.map(|direction| part(&f, direction, Part::Rate));
    assert_eq!(rates, [None, Some(100.0)]);
    for (upload, up) in [("", None), ("\nupload = true", Some(100.0))] {
        let f = figures(
            "requirements = \"slow.toml\"",
            &format!("kind = \"p2p\"\nrequirement = \"slow\"{upload}"),
        );
        assert_eq!(part(&f, Direction::Up, Part::Rate), up);
    }
    let f = figures("", "kind = \"udp\"\nrate = \"1Mb/s\"\nrequirement = \"cloud-game\"");
    assert_eq!(part(&f, Direction::Down, Part::Rate), None);
    assert_eq!(f.get(&Metric::Qoo), Some(&100.0), "nothing goes up");
    let f = figures("", "kind = \"udp\"\nrate = \"10kb/s\"\nrequirement = \"voice\"");
    assert_eq!(
        (f.get(&Metric::Loss), f.get(&Metric::Qoo)),
        (Some(&0.0), None),
        "some 15 packets have no p98"
    );
}

/// Of a game of 20 s at a station that hears next to nothing: losses score 0, and what few packets took cannot change it.
#[test]
fn nearly_all_lost_is_0() {
    let mut file = file("", "kind = \"game\"").unwrap_or_else(|e| panic!("{e}"));
    file.scenario.stations[0].loss = Loss::Fer(0.99);
    let params = Params::new(Discipline::named("fifo").unwrap());
    let f = measure(&file.scenario, &airtab_sim::run(&file.scenario, &params, 1)).apps.remove(0);
    assert!((0.9..1.0).contains(&f[&Metric::Loss]), "few packets, not none");
    let decided = [Metric::Qoo, Metric::of_outcome(Direction::Down, Part::Loss)];
    assert_eq!(decided.map(|metric| f.get(&metric)), [Some(&0.0); 2]);
}

/// A player that fills its buffer delays its own packets: no score of latency, by default or by a key.
#[test]
fn a_streamed_video_has_no_outcome() {
    let f = figures("", "kind = \"streaming\"\nbuffer = \"8s\"");
    assert!(f.contains_key(&Metric::BitRate) && f.contains_key(&Metric::Startup));
    assert!(f.keys().all(|metric| !matches!(metric, Metric::Qoo | Metric::Outcome(_))), "{f:?}");
    let columns = airtab_scenario::About::named("streaming").unwrap().columns;
    assert_eq!(
        columns,
        [Metric::BitRate, Metric::Stalled, Metric::Stalls, Metric::Startup, Metric::Switches]
    );
    let of = |name: &str| file("", &format!("kind = \"streaming\"\nrequirement = \"{name}\"")).map(|_| ());
    assert!(of("none").is_ok());
    let message = of("web").expect_err("it is refused");
    let expected = "[[app]] requirement: a streaming application has no Quality of Outcome; its quality is bit rate, stalls, \
                    start-up and switches: leave it out";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = |top: &str, app: &str, expected: &str| {
        let message = file(top, app).map(|_| ()).expect_err("it is refused");
        assert!(message.contains(expected), "{message}");
    };
    let game = "kind = \"game\"\nrequirement = \"voise\"";
    wrong("", game, "[[app]] requirement: no requirement 'voise'; did you mean `voice`? (known: voice, ");
    wrong(
        "requirements = \"none.toml\"",
        "kind = \"game\"",
        "requirements: none.toml: no such file; name a file of",
    );
    // One thing is wrong: not the name as well that the file would have.
    let both = file("requirements = \"wrong.toml\"", "kind = \"game\"\nrequirement = \"strict\"");
    assert!(!both.map(|_| ()).expect_err("it is refused").contains("no requirement"));
    let order = "wrong.toml:3:57: [[latency]] unusable: 0ns must be above what is optimal, 0ns";
    wrong("requirements = \"wrong.toml\"", "kind = \"game\"", order);
}
