// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options as a plan, and figures as text and JSON.

use airtab_quality::Interval;
use clap::Parser;

use super::*;
use crate::args::{Args, Command};

fn plan_of(words: &str) -> Plan {
    let words = ["airtab", "equal-access"].into_iter().chain(words.split(' '));
    match Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
        Command::EqualAccess(EqualAccess {
            command: EqualAccessCommand::Listen { plan, .. } | EqualAccessCommand::Send { plan, .. },
        }) => plan.plan(),
        _ => panic!("another command"),
    }
}

#[test]
fn each_option_is_part_of_the_plan_of_sender_and_receiver() {
    for command in ["listen 9000", "send be 192.0.2.1:9", "send ef 192.0.2.1:9"] {
        assert_eq!(plan_of(command), Plan::default(), "{command}");
        for (option, expected) in [
            ("--be-length 1000", Plan { best_effort_bytes: 1000, ..Plan::default() }),
            ("--ef-length 100", Plan { expedited_bytes: 100, ..Plan::default() }),
            ("--from 32kb/s", Plan { rates_bps: (32_000, 1_024_000), ..Plan::default() }),
            ("--to 2Mb/s", Plan { rates_bps: (64_000, 2_000_000), ..Plan::default() }),
            ("--add 16kb/s", Plan { add_bps: 16_000, ..Plan::default() }),
            ("--step-time 20s", Plan { step_ns: 20_000_000_000, ..Plan::default() }),
        ] {
            assert_eq!(plan_of(&format!("{command} {option}")), expected, "{command} {option}");
        }
    }
}

#[test]
fn each_sender_has_its_part_of_the_plan() {
    let plan = Plan {
        best_effort_bytes: 1_000,
        expedited_bytes: 100,
        rates_bps: (32_000, 128_000),
        add_bps: 32_000,
        step_ns: 1_500_000_000,
    };
    assert_eq!(sent(Role::Be, &plan), (plan.best_effort(), "as fast as they go".into()));
    // 32, 64, 96 and 128 kb/s, 1.5 s each.
    assert_eq!(sent(Role::Ef, &plan), (plan.expedited(), "4 steps, 6 s".into()));
    for (role, stopped, code) in [
        (Role::Be, false, ExitCode::SUCCESS),
        (Role::Be, true, ExitCode::SUCCESS),
        (Role::Ef, false, ExitCode::SUCCESS),
        (Role::Ef, true, ExitCode::from(INTERRUPTED)),
    ] {
        assert_eq!(sender_code(role, stopped), code, "{stopped}");
    }
    for (verdict, code) in [
        (Verdict::Equal, ExitCode::SUCCESS),
        (Verdict::Unequal, ExitCode::from(1)),
        (Verdict::NotSaturated, ExitCode::from(1)),
        (Verdict::TooFew { slices: 1, needed: 10 }, ExitCode::from(1)),
    ] {
        assert_eq!(receiver_code(false, verdict), code, "{verdict:?}");
        assert_eq!(receiver_code(true, verdict), ExitCode::from(130), "{verdict:?}");
    }
}

/// Parts that were not measured are left out.
#[test]
fn what_was_not_measured_is_not_told() {
    let ratio = |half_width| Some(Interval { mean: 1.0, half_width, n: 1 });
    let whole = report(1.0, Verdict::Unequal);
    let text = report_text(&Report { alone: None, together: None, ..whole.clone() });
    assert!(text.starts_with("\nUnequal access: 1.0000 +- 0.0125 expedited packets"), "{text}");
    assert!(text.contains(" The best-effort sender's card has more"), "{text}");
    let text = report_text(&Report { ratio: ratio(None), verdict: Verdict::Equal, ..whole.clone() });
    assert!(text.ends_with("\nEqual access: 1.0000 expedited packets for each best-effort one.\n"), "{text}");
    let text = report_text(&Report { together: None, ..whole.clone() });
    assert!(text.starts_with("\nBest effort alone: 680.2 packets/s\nUnequal"), "{text}");
    let json = report_json(&Report { alone: None, together: None, ratio: ratio(None), ..whole.clone() });
    for key in ["best_effort_alone_packets_per_second", "together_packets_per_second", "ratio_half_width"] {
        assert!(json[key].is_null(), "{key}: {json}");
    }
    assert_eq!(json["ratio"], 1.0);
    assert!(report_json(&Report { ratio: None, ..whole })["ratio"].is_null());
}

#[test]
fn steps_last_at_least_100_ms() {
    let read =
        |time: &str| Args::try_parse_from(["airtab", "equal-access", "listen", "9", "--step-time", time]);
    assert!(read("100ms").is_ok() && read("60s").is_ok());
    for (wrong, says) in [("99ms", "at least 100ms"), ("5", "'5' is not a time with its unit")] {
        assert!(read(wrong).map(|_| ()).is_err_and(|e| e.to_string().contains(says)), "{wrong}");
    }
}

fn report(mean: f64, verdict: Verdict) -> Report {
    Report {
        steps: Vec::new(),
        alone: Some(680.25),
        together: Some(907.5),
        ratio: Some(Interval { mean, half_width: Some(0.0125), n: 65 }),
        foreign: 7,
        verdict,
    }
}

#[test]
fn the_verdict_names_the_card_that_has_more() {
    let start = "\nBest effort alone: 680.2 packets/s\nBoth together, channel full: 907.5 packets/s, 1.33 times as many\n";
    for (mean, verdict, said) in [
        (
            1.0125,
            Verdict::Equal,
            "Equal access: 1.0125 +- 0.0125 expedited packets for each best-effort one.",
        ),
        (
            1.2,
            Verdict::Unequal,
            "Unequal access: 1.2000 +- 0.0125 expedited packets for each best-effort one, and 1 +- 0.02 is equal. The expedited sender's card has more than its share.",
        ),
        (
            0.8,
            Verdict::Unequal,
            "Unequal access: 0.8000 +- 0.0125 expedited packets for each best-effort one, and 1 +- 0.02 is equal. The best-effort sender's card has more than its share.",
        ),
        (
            0.5,
            Verdict::TooFew { slices: 3, needed: 10 },
            "No verdict: both were heard in 3 of the 10 stretches of a full channel that it takes. Run both senders, with the same options.",
        ),
        (
            0.5,
            Verdict::NotSaturated,
            "No verdict: each step carried what was offered. Raise --to, here and at both senders.",
        ),
    ] {
        assert_eq!(report_text(&report(mean, verdict)), format!("{start}{said}\n"));
    }
    let silent = Report { alone: None, ..report(1.0, Verdict::Equal) };
    assert!(report_text(&silent).starts_with("\nBoth together, channel full: 907.5 packets/s\nEqual"));
}

#[test]
fn each_figure_has_its_key() {
    let step = StepFigures { offered: 125.25, expedited: 120.5, best_effort: 560.75, saturated: true };
    assert_eq!(
        step_json(2, &step),
        json!({ "schema": 1, "event": "step", "step": 3, "offered_packets_per_second": 125.25,
            "expedited_packets_per_second": 120.5, "best_effort_packets_per_second": 560.75, "saturated": true })
    );
    let words = |row: String| row.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(words(step_row(2, &step)), ["3", "125.2", "120.5", "560.8", "full"]);
    let carried = StepFigures { saturated: false, ..step };
    assert_eq!(words(step_row(0, &carried)), ["1", "125.2", "120.5", "560.8", "carries", "it"]);
    for (verdict, word) in [
        (Verdict::Equal, "equal"),
        (Verdict::Unequal, "unequal"),
        (Verdict::NotSaturated, "not_saturated"),
        (Verdict::TooFew { slices: 1, needed: 10 }, "too_few_samples"),
    ] {
        assert_eq!(
            report_json(&report(1.5, verdict)),
            json!({ "schema": 1, "event": "summary", "verdict": word,
                "best_effort_alone_packets_per_second": 680.25, "together_packets_per_second": 907.5,
                "ratio": 1.5, "ratio_half_width": 0.0125, "foreign": 7 })
        );
    }
}

/// Steps of 1 s in slices of 200 ms. Step 1 ends 1 s after the first expedited packet; each step is reported once.
#[test]
fn each_step_is_reported_once_when_it_is_whole() {
    use airtab_probe::cbr::payload::{Header, Kind};
    let plan = Plan { rates_bps: (64_000, 192_000), step_ns: 1_000_000_000, ..Plan::default() };
    let mut told = Vec::new();
    let mut tell = |step: usize, _: &StepFigures| told.push(step);
    let mut telling = Telling { judge: Judge::new(plan, 0), told: 0, tell: &mut tell };
    let mut packet = vec![0; plan.expedited_bytes];
    Header { kind: Kind::Data, flow: 1, seq: 0, sent_ns: 0, rx_bps: 0, echo_rx_ns: 0 }.write(&mut packet);
    let from = "192.0.2.1:9".parse().expect("an address");
    let mut at = Vec::new();
    for ms in (500..4_000).step_by(100) {
        telling.advance(ms * 1_000_000);
        at.push((ms, telling.told));
        if ms == 500 {
            assert!(!telling.handle(0, from, &mut packet));
        }
        if telling.is_done() {
            break;
        }
    }
    let first = |n: usize| at.iter().find(|(_, told)| *told >= n).map(|(ms, _)| *ms);
    assert_eq!([1, 2, 3, 4].map(first), [Some(1_500), Some(2_500), Some(3_500), None]);
    assert_eq!(told, [0, 1, 2]);
}
