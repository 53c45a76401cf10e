// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a measurement of `airtab rpm` is shown as: a line while it runs, a table with a verdict, JSON.
//!
//! Quality of Outcome wants one-way latency: half of each round trip of a loaded probe is taken for it, of handshakes and
//! of answers to requests on new connections. Losses are not seen.
//!
//! What it does not do: nothing is measured here.

use airtab_probe::rpm::Way;
use airtab_probe::rpm::client::{Event, IDLE, Measured, Report};
use airtab_quality::qoo::{Outcome as Score, Percentile, Seen, Unscored};
use airtab_quality::rpm::Outcome;
use airtab_scenario::shipped_requirement;
use serde_json::{Value, json};

/// What QoO is told for: in the table, and by which requirement.
const USES: [(&str, &str); 3] = [("call", "voice"), ("game", "competitive-game"), ("page", "web")];
/// Scores from here on are fine ("acceptable" is the middle of the scale).
const FINE: f64 = 50.0;
/// From how many round trips a minute on the draft calls them so, the best first.
const WORDS: [(f64, &str); 4] = [(6000.0, "Excellent"), (1000.0, "Good"), (300.0, "Fair"), (0.0, "Poor")];

/// The latest, in a line, if it is told.
pub fn progress(event: &Event) -> Option<String> {
    Some(match event {
        Event::Idle(n, _) => format!("idle: probe {n} of {IDLE}"),
        Event::Interval(way, seen) => {
            let rpm = seen.rpm().map_or("no probe yet".into(), |rpm| format!("{:.0} RPM", rpm.both()));
            let rate = seen.goodput_bps as f64 / 1e6;
            let seconds = seen.took_ns as f64 / 1e9;
            format!("{}: {seconds:.0} s, {} connections, {rate:.1} Mb/s, {rpm}", way.name(), seen.connections)
        }
        Event::Foreign(_) | Event::Moved(..) | Event::End(_) => return None,
    })
}

/// QoO of a direction for an application.
fn outcome(requirement: &str, seen: &Outcome) -> Result<Score, Unscored> {
    let mut ns: Vec<u64> = seen.foreign.iter().flat_map(|probe| [probe.tcp_ns, probe.http_ns]).collect();
    ns.sort_unstable();
    let latency_s = |p: Percentile| {
        let rank = p.rank(ns.len() as u64).unwrap_or(1);
        ns.get(rank as usize - 1).map_or(0.0, |ns| *ns as f64 / 2e9)
    };
    let requirement = shipped_requirement(requirement).expect("it is shipped");
    requirement.outcome(&Seen {
        samples: ns.len() as u64,
        latency_s: &latency_s,
        loss: None,
        rate_bps: Some(seen.goodput_bps as f64),
    })
}

fn ways(report: &Report) -> impl Iterator<Item = (Way, &Measured)> {
    let both = [(Way::Down, &report.down), (Way::Up, &report.up)];
    both.into_iter().filter_map(|(way, measured)| Some((way, measured.as_ref()?)))
}

/// One line of JSON at the end.
pub fn json(report: &Report) -> Value {
    let mut line = json!({
        "schema": 1,
        "event": "summary",
        "server": report.server,
        "idle_latency_ns": report.idle_ns(),
        "stopped": report.stopped,
        "verdict": verdict(report),
    });
    for (way, measured) in ways(report) {
        let seen = &measured.outcome;
        let qoo = |(name, requirement): &(&str, &str)| {
            let score = outcome(requirement, seen).ok().map(|score| score.score);
            (name.to_string(), json!(score))
        };
        let mut figures = interval(way, seen);
        figures["failed_probes"] = json!(measured.failed);
        figures["qoo"] = Value::Object(USES.iter().map(qoo).collect());
        for key in ["schema", "event", "way"] {
            figures.as_object_mut().map(|object| object.remove(key));
        }
        line[way.name()] = figures;
    }
    line
}

/// One line of JSON for an interval.
pub fn interval(way: Way, seen: &Outcome) -> Value {
    let rpm = seen.rpm();
    json!({
        "schema": 1,
        "event": "interval",
        "way": way.name(),
        "rpm": rpm.ok().map(|rpm| rpm.both()),
        "foreign_rpm": rpm.ok().map(|rpm| rpm.foreign),
        "self_rpm": rpm.ok().map(|rpm| rpm.own),
        "missing": rpm.err().map(|e| e.to_string()),
        "loaded_latency_ns": seen.loaded_ns(),
        "goodput_bits_per_second": seen.goodput_bps,
        "connections": seen.connections,
        "goodput_confidence": seen.goodput.name(),
        "rpm_confidence": seen.responsiveness.name(),
        "foreign_probes": seen.foreign.len(),
        "self_probes": seen.own_ns.len(),
        "duration_ns": seen.took_ns,
    })
}

/// The table, and the verdict.
pub fn text(report: &Report) -> String {
    let all: Vec<(Way, &Measured)> = ways(report).collect();
    let mut text = format!("{}{}\n", report.server, if report.stopped { ", interrupted" } else { "" });
    let mut row = |name: &str, cell: &dyn Fn(&Measured) -> String| {
        text += &format!("{name:<28}");
        all.iter().for_each(|(_, measured)| text += &format!(" {:>12}", cell(measured)));
        text += "\n";
    };
    let of = |figure: Option<f64>, decimals: usize| figure.map_or("-".into(), |x| format!("{x:.decimals$}"));
    if !all.is_empty() {
        row("", &|m| if report.down.as_ref() == Some(m) { "down".into() } else { "up".into() });
        row("RPM", &|m| of(m.outcome.rpm().ok().map(|rpm| rpm.both()), 0));
        row("  on new connections", &|m| of(m.outcome.rpm().ok().map(|rpm| rpm.foreign), 0));
        row("  on the loaded ones", &|m| of(m.outcome.rpm().ok().map(|rpm| rpm.own), 0));
        row("  confidence", &|m| m.outcome.responsiveness.name().into());
        row("loaded latency, ms", &|m| of(m.outcome.loaded_ns().map(|ns| ns as f64 / 1e6), 1));
        row("goodput, Mb/s", &|m| of(Some(m.outcome.goodput_bps as f64 / 1e6), 1));
        row("  confidence", &|m| m.outcome.goodput.name().into());
        row("connections", &|m| m.outcome.connections.to_string());
        for (name, requirement) in USES {
            row(&format!("QoO of a {name}"), &|m| {
                of(outcome(requirement, &m.outcome).ok().map(|s| s.score), 0)
            });
        }
    }
    let idle = report.idle_ns().map_or("not measured".into(), |ns| format!("{:.1} ms", ns as f64 / 1e6));
    text += &format!("idle latency                 {idle:>12}\n\n");
    for (way, measured) in &all {
        if let Err(e) = measured.outcome.rpm() {
            text += &format!("No RPM {}: {e}.\n", way.name());
        }
        if measured.failed > 0 {
            text += &format!("{} probes failed {}.\n", measured.failed, way.name());
        }
        if let Some(Err(e)) = USES.iter().map(|(_, of)| outcome(of, &measured.outcome)).find(Result::is_err) {
            text += &format!("Not every QoO {}: {e}.\n", way.name());
        }
    }
    text + &verdict(report) + "\n"
}

/// Shortest idle delay that a ratio is given to: below, it is that of two hosts, not of a network.
const LEAST_IDLE_NS: u64 = 1_000_000;

/// One sentence, of the worse direction.
fn verdict(report: &Report) -> String {
    let loaded = ways(report).filter(|(_, m)| m.outcome.goodput_bps > 0);
    let rated = loaded.filter_map(|(way, m)| Some((way, &m.outcome, m.outcome.rpm().ok()?.both())));
    let Some((way, seen, rpm)) = rated.min_by(|a, b| a.2.total_cmp(&b.2)) else {
        return "No verdict: no direction was measured.".into();
    };
    let word = WORDS.iter().find(|(from, _)| rpm >= *from).map_or("Poor", |(_, word)| word);
    let longer = match (seen.loaded_ns(), report.idle_ns()) {
        (Some(loaded), Some(idle)) if idle >= LEAST_IDLE_NS => {
            format!(
                ", a packet's round trip is {:.1} times as long as when it is idle",
                loaded as f64 / idle as f64
            )
        }
        _ => String::new(),
    };
    let lowest = |of: &str| {
        let scores = ways(report).filter_map(|(_, m)| Some(outcome(of, &m.outcome).ok()?.score));
        scores.min_by(f64::total_cmp)
    };
    let suffers: Vec<&str> = USES
        .iter()
        .filter(|(_, of)| lowest(of).is_some_and(|score| score < FINE))
        .map(|(name, _)| *name)
        .collect();
    let users = match suffers.as_slice() {
        [] if USES.iter().all(|(_, of)| lowest(of).is_some()) => "; calls, games and pages are served".into(),
        [] => String::new(),
        some => format!("; not enough for a {}", some.join(" or a ")),
    };
    format!("{word}: while it is full ({}){longer}{users}.", way.name())
}

#[cfg(test)]
mod tests {
    use airtab_quality::rpm::{Confidence, Foreign};

    use super::*;

    const MS: u64 = 1_000_000;

    fn measured(ms: u64, probes: usize) -> Measured {
        let probe = Foreign { tcp_ns: ms * MS, tls_ns: Some(ms * MS), http_ns: ms * MS };
        let outcome = Outcome {
            took_ns: 11_000 * MS,
            connections: 11,
            goodput_bps: 20_000_000,
            goodput: Confidence::High,
            responsiveness: Confidence::High,
            foreign: vec![probe; probes],
            own_ns: vec![ms * MS; probes],
            kept_percent: 95,
        };
        Measured { outcome, failed: 0 }
    }

    fn report(down: Option<Measured>, up: Option<Measured>) -> Report {
        let idle = vec![Foreign { tcp_ns: 10 * MS, tls_ns: None, http_ns: 10 * MS }; 3];
        Report { server: "h:1".into(), idle, down, up, stopped: false }
    }

    #[test]
    fn the_worse_direction_has_the_verdict() {
        for (ms, words) in [
            (
                5,
                "Excellent: while it is full (up), a packet's round trip is 0.5 times as long as when it is idle; \
                 calls, games and pages are served.",
            ),
            (
                60,
                "Good: while it is full (up), a packet's round trip is 6.0 times as long as when it is idle; calls, \
                  games and pages are served.",
            ),
            (
                150,
                "Fair: while it is full (up), a packet's round trip is 15.0 times as long as when it is idle; calls, \
                   games and pages are served.",
            ),
            (
                1000,
                "Poor: while it is full (up), a packet's round trip is 100.0 times as long as when it is idle; not \
                    enough for a call or a game or a page.",
            ),
        ] {
            assert_eq!(verdict(&report(Some(measured(4, 60)), Some(measured(ms, 60)))), words);
        }
        // 6000, 1000 and 300 round trips a minute are the best that their word has; 1 ms more is the next one.
        for (ms, word) in
            [(10, "Excellent"), (11, "Good"), (60, "Good"), (61, "Fair"), (200, "Fair"), (201, "Poor")]
        {
            let of_up = verdict(&report(Some(measured(4, 60)), Some(measured(ms, 60))));
            assert!(of_up.starts_with(&format!("{word}: while it is full (up), ")), "{ms} ms: {of_up}");
            let of_down = verdict(&report(Some(measured(ms, 60)), Some(measured(4, 60))));
            assert!(of_down.starts_with(&format!("{word}: while it is full (down), ")), "{ms} ms: {of_down}");
        }
        let one = verdict(&report(Some(measured(60, 60)), None));
        assert!(one.contains("(down)"), "{one}");
        assert_eq!(verdict(&report(None, None)), "No verdict: no direction was measured.");
        // Probes are answered, but nothing loads the network.
        let mut unloaded = measured(5, 60);
        unloaded.outcome.goodput_bps = 0;
        let said = verdict(&report(Some(unloaded), None));
        assert_eq!(said, "No verdict: no direction was measured.");
    }

    /// 240 ms there and back: 120 one way, of 50 to 200 for a game: 53; a page's median of 50 to 100: 0. 600 ms: 300 one way,
    /// of 100 to 400 for a call: 33.
    #[test]
    fn the_verdict_names_each_use_below_50_in_either_direction() {
        for (down, up, end) in [
            (60, 150, "; calls, games and pages are served."),
            (60, 240, "; not enough for a page."),
            (240, 60, "; not enough for a page."),
            (60, 260, "; not enough for a game or a page."),
            (600, 60, "; not enough for a call or a game or a page."),
        ] {
            let said = verdict(&report(Some(measured(down, 60)), Some(measured(up, 60))));
            assert!(said.ends_with(end), "{down} {up}: {said}");
        }
        // Too few probes for a game, enough for a page.
        let said = verdict(&report(Some(measured(60, 3)), None));
        assert!(said.ends_with(" as when it is idle."), "{said}");
        let said = verdict(&report(Some(measured(400, 3)), None));
        assert!(said.ends_with("; not enough for a page."), "{said}");
        // The loaded connections of the one are slow, the new connections of the other.
        let (mut own, mut foreign) = (measured(10, 60), measured(400, 60));
        own.outcome.own_ns = vec![1_000_000 * MS];
        foreign.outcome.own_ns = vec![MS];
        let said = verdict(&report(Some(foreign), Some(own)));
        assert!(said.contains("(up), a packet's round trip is 1.0 times"), "{said}");
        assert!(said.ends_with("; not enough for a game or a page."), "{said}");
        // A ratio to less than 1 ms is none of the network's.
        for (us, compared) in [(1000, true), (999, false), (40, false)] {
            let idle = vec![Foreign { tcp_ns: us * 1000, tls_ns: None, http_ns: MS }; 3];
            let said = verdict(&Report { idle, ..report(Some(measured(60, 60)), None) });
            assert_eq!(said.contains("times as long"), compared, "{us} us: {said}");
        }
        // Without idle probes nothing is compared.
        let idle = Vec::new();
        let said = verdict(&Report { idle, ..report(Some(measured(60, 60)), None) });
        assert_eq!(said, "Good: while it is full (down); calls, games and pages are served.");
    }

    /// Round trips of 20 ms on new connections, 10 ms on loaded ones; up half as many a minute. Each direction has a column.
    #[test]
    fn each_direction_has_its_own_figures() {
        let one = |ms: u64, connections, failed| {
            let mut of = measured(2 * ms, 50);
            of.outcome.own_ns = vec![ms * MS; 50];
            (of.outcome.connections, of.failed) = (connections, failed);
            of
        };
        let (mut down, mut up) = (one(10, 7, 0), one(20, 9, 4));
        (down.outcome.responsiveness, down.outcome.goodput) = (Confidence::Low, Confidence::Medium);
        (up.outcome.responsiveness, up.outcome.goodput_bps) = (Confidence::Medium, 5_500_000);
        let whole = report(Some(down), Some(up));
        let text = text(&whole);
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        for row in [
            &["RPM", "4500", "2250"][..],
            &["on", "new", "connections", "3000", "1500"],
            &["on", "the", "loaded", "ones", "6000", "3000"],
            &["confidence", "low", "medium"],
            &["loaded", "latency,", "ms", "20.0", "40.0"],
            &["goodput,", "Mb/s", "20.0", "5.5"],
            &["confidence", "medium", "high"],
            &["connections", "7", "9"],
            &["QoO", "of", "a", "call", "100", "100"],
            &["4", "probes", "failed", "up."],
        ] {
            assert!(rows.iter().any(|of| of == row), "{row:?}\n{text}");
        }
        let at = |row: &[&str]| rows.iter().position(|of| of == row);
        assert!(at(&["confidence", "low", "medium"]) < at(&["loaded", "latency,", "ms", "20.0", "40.0"]));
        assert!(!text.contains("failed down"), "{text}");
        let json = json(&whole);
        for (way, key, value) in [
            ("down", "foreign_rpm", json!(3_000.0)),
            ("up", "foreign_rpm", json!(1_500.0)),
            ("up", "self_rpm", json!(3_000.0)),
            ("up", "connections", json!(9)),
            ("down", "failed_probes", json!(0)),
            ("up", "failed_probes", json!(4)),
            ("up", "goodput_bits_per_second", json!(5_500_000)),
            ("up", "loaded_latency_ns", json!(40 * MS)),
        ] {
            assert_eq!(json[way][key], value, "{way} {key}");
        }
        assert_eq!(json["verdict"], verdict(&whole));
        // Of one direction alone, and of an idle way that nothing answered.
        let text = super::text(&Report { idle: Vec::new(), ..report(None, Some(measured(60, 60))) });
        assert_eq!(text.lines().nth(1).map(str::trim), Some("up"), "{text}");
        assert!(text.contains("\nidle latency                 not measured\n"), "{text}");
    }

    #[test]
    fn progress_is_told_of_probes_and_intervals() {
        let probe = || measured(60, 1).outcome.foreign[0];
        assert_eq!(progress(&Event::Idle(3, probe())).as_deref(), Some("idle: probe 3 of 20"));
        let none = measured(60, 0).outcome;
        assert_eq!(
            progress(&Event::Interval(Way::Down, none)).as_deref(),
            Some("down: 11 s, 11 connections, 20.0 Mb/s, no probe yet")
        );
        for quiet in [Event::Foreign(probe()), Event::Moved(Way::Up, 5), Event::End(Way::Up)] {
            assert_eq!(progress(&quiet), None, "{quiet:?}");
        }
    }

    #[test]
    fn figures_of_a_table_and_of_json() {
        // 150 ms there and back: 75 one way, of 50 to 200 for a game: 83; a page's median of 50 to 100: 50.
        let whole = report(Some(measured(60, 60)), Some(measured(150, 60)));
        let text = text(&whole);
        for line in [
            "                                     down           up",
            "RPM                                  1000          400",
            "loaded latency, ms                   60.0        150.0",
            "QoO of a game                         100           83",
            "QoO of a page                         100           50",
            "idle latency                      10.0 ms",
        ] {
            assert!(text.lines().any(|of| of == line), "{line}\n{text}");
        }
        let json = json(&whole);
        assert_eq!((&json["down"]["rpm"], &json["up"]["rpm_confidence"]), (&json!(1000.0), &json!("high")));
        assert_eq!(&json["idle_latency_ns"], &json!(10 * MS));
        let page = json["up"]["qoo"]["page"].as_f64().expect("a score");
        assert!((page - 50.0).abs() < 1e-9, "{page}");
        assert!(json["down"].get("event").is_none());
    }

    /// Round trips of 100 to 219 ms, one of each: the 98th percentile is 217 ms, the 118th of 120, the median 159 ms. The one-way
    /// delay is half: 108.5 ms scores 61 between 50 and 200 ms, and 97.2 between 100 and 400 ms; 79.5 ms scores 41 between 50
    /// and 100 ms.
    #[test]
    fn percentiles_are_of_the_samples_themselves() {
        let probe = |i: u64| Foreign { tcp_ns: (100 + i) * MS, tls_ns: None, http_ns: (219 - i) * MS };
        let mut seen = measured(1, 60);
        seen.outcome.foreign = (0..60).rev().map(probe).collect();
        let json = json(&report(None, Some(seen)));
        for (of, expected) in [("call", 100.0 * (1.0 - 8.5 / 300.0)), ("game", 61.0), ("page", 41.0)] {
            let score = json["up"]["qoo"][of].as_f64().expect("a score");
            assert!((score - expected).abs() < 1e-9, "{of}: {score}");
        }
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let few = text(&report(Some(measured(60, 3)), None));
        assert!(few.contains("6 packets tell no 98 % point; 50 are needed"), "{few}");
        let none = report(Some(measured(60, 0)), None);
        let said = text(&none);
        assert!(said.contains("No RPM down: no probe on a connection of its own was answered."), "{said}");
        assert_eq!(json(&none)["down"]["rpm"], Value::Null);
        assert!(said.contains("No verdict"), "{said}");
    }

    /// Probes of a direction: handshakes of 20 ms, answers after 30, 10 ms on loaded connections; different numbers of each.
    #[test]
    fn each_figure_of_an_interval_has_its_key() {
        let outcome = Outcome {
            took_ns: 12_345,
            connections: 7,
            goodput_bps: 20_500_000,
            goodput: Confidence::Low,
            responsiveness: Confidence::Medium,
            foreign: vec![Foreign { tcp_ns: 20 * MS, tls_ns: Some(20 * MS), http_ns: 20 * MS }; 5],
            own_ns: vec![10 * MS; 9],
            kept_percent: 95,
        };
        // 60 s over 20 ms, 60 s over 10 ms, and the mean of both.
        assert_eq!(
            interval(Way::Up, &outcome),
            json!({ "schema": 1, "event": "interval", "way": "up", "rpm": 4_500.0, "foreign_rpm": 3_000.0,
                "self_rpm": 6_000.0, "missing": null, "loaded_latency_ns": 20 * MS,
                "goodput_bits_per_second": 20_500_000, "connections": 7, "goodput_confidence": "low",
                "rpm_confidence": "medium", "foreign_probes": 5, "self_probes": 9, "duration_ns": 12_345 })
        );
        assert_eq!(
            progress(&Event::Interval(Way::Up, outcome.clone())).as_deref(),
            Some("up: 0 s, 7 connections, 20.5 Mb/s, 4500 RPM")
        );
        let mut report = report(Some(Measured { outcome, failed: 3 }), None);
        let told = json(&report);
        assert_eq!(
            (&told["down"]["failed_probes"], &told["stopped"], &told["up"]),
            (&json!(3), &json!(false), &Value::Null)
        );
        assert_eq!(told["server"], "h:1");
        let shown = text(&report);
        for line in [
            "                                     down",
            "RPM                                  4500",
            "  on new connections                 3000",
            "  on the loaded ones                 6000",
            "loaded latency, ms                   20.0",
            "goodput, Mb/s                        20.5",
            "connections                             7",
            "3 probes failed down.",
        ] {
            assert!(shown.lines().any(|of| of == line), "{line}\n{shown}");
        }
        assert!(shown.starts_with("h:1\n"), "{shown}");
        report.stopped = true;
        assert!(text(&report).starts_with("h:1, interrupted\n") && json(&report)["stopped"] == true);
    }
}
