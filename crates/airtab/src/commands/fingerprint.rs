// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab fingerprint`: how Wi-Fi cards draw their backoff (Starzetz 2006, 6.4.1).
//!
//! Reading and judging are `airtab-lab`'s and `airtab-quality`'s; here are files, columns, JSON and sentences.

pub mod args;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use airtab_lab::fingerprint::{Arrivals, Decrement, Fingerprint, Heard, Sender, of_arrivals, of_capture};
use airtab_lab::table;
use airtab_quality::fingerprint::{Figures, Judgement, Verdict};
use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::progress::reading;
use crate::output;

/// What is said of a file.
struct Said {
    text: String,
    json: Value,
    verdicts: Vec<Verdict>,
}

/// Says of each file what it shows.
pub fn fingerprint(args: &args::Fingerprint) -> anyhow::Result<ExitCode> {
    let (mut text, mut files, mut verdicts) = (String::new(), Vec::new(), Vec::new());
    for path in &args.files {
        let said = said(args, path).with_context(|| path.display().to_string())?;
        text += &said.text;
        files.push(said.json);
        verdicts.extend(said.verdicts);
    }
    let json = json!({ "schema": 1, "files": files });
    output::print(&if args.form.is_json() { format!("{json:#}\n") } else { text })?;
    let faults = verdicts.iter().any(|verdict| matches!(verdict, Verdict::Faults(_)));
    let none = !verdicts.contains(&Verdict::Conformant);
    Ok(ExitCode::from(u8::from(faults || none)))
}

fn said(args: &args::Fingerprint, path: &Path) -> anyhow::Result<Said> {
    let bar = reading(path, 2)?;
    let mut open = || -> io::Result<Box<dyn Read>> { Ok(Box::new(bar.wrap_read(File::open(path)?))) };
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("txt")) {
        if args.station.is_some() {
            bail!("arrival times have no addresses: leave --station out");
        }
        let arrivals = of_arrivals(&mut open, args.phy, args.exchange)?;
        bar.finish_and_clear();
        return Ok(of_times(path, &arrivals));
    }
    if args.exchange.is_some() {
        bail!("a capture has its own frames: leave --exchange out, it is for arrival times (.txt)");
    }
    let mut heard = of_capture(&mut open, args.phy)?;
    bar.finish_and_clear();
    if let Some(wanted) = args.station {
        let there: Vec<String> = heard.senders.iter().map(name).collect();
        heard.senders.retain(|found| found.sender.mac == wanted);
        if heard.senders.is_empty() {
            bail!("no data from that station; there is some from: {}", there.join(", "));
        }
    }
    Ok(of_air(args, path, &heard))
}

fn address(sender: &Sender) -> String {
    sender.to_string()
}

/// `laptop, 02:61:74:01:00:00`.
fn name(found: &Fingerprint) -> String {
    match &found.name {
        Some(name) => format!("{name}, {}", address(&found.sender)),
        None => address(&found.sender),
    }
}

fn of_air(args: &args::Fingerprint, path: &Path, heard: &Heard) -> Said {
    let chosen = if args.phy.is_some() { "" } else { " (by its rates; --phy sets it)" };
    let stamps = if heard.radio_stamps { "the radio's" } else { "the file's" };
    let mut text = format!(
        "{}: {} frames, profile {}{chosen}, {stamps} time stamps\n",
        path.display(),
        heard.frames,
        heard.phy.name()
    );
    let rows: Vec<Vec<String>> = heard.senders.iter().map(row).collect();
    if rows.is_empty() {
        text += "Nobody sends data.\n";
    } else {
        text += &table::figures(&headings(true), &rows, output::stdout_style());
    }
    for found in &heard.senders {
        text += &sentence(&name(found), &found.judgement, true);
        text += &windows(found);
    }
    Said {
        text: text + "\n",
        json: json!({
            "file": path.display().to_string(),
            "phy": heard.phy.name(),
            "frames": heard.frames,
            "unknown_frames": heard.unknown,
            "time_stamps": if heard.radio_stamps { "radio" } else { "file" },
            "stations": heard.senders.iter().map(station_json).collect::<Vec<_>>(),
        }),
        verdicts: heard.senders.iter().map(|found| found.judgement.verdict.clone()).collect(),
    }
}

fn of_times(path: &Path, arrivals: &Arrivals) -> Said {
    let mut text =
        format!("{}: {} packets, profile {}\n", path.display(), arrivals.packets, arrivals.phy.name());
    let judgement = &arrivals.judgement;
    let figures = judgement.figures.as_ref();
    let row = columns(figures, arrivals.base_and_slot_ns, arrivals.contrast);
    text += &table::figures(&headings(false), &[row], output::stdout_style());
    text += &sentence("The sender", judgement, false);
    let mut json = judgement_json(judgement);
    json["file"] = path.display().to_string().into();
    json["phy"] = arrivals.phy.name().into();
    json["packets"] = arrivals.packets.into();
    comb_json(&mut json, arrivals.base_and_slot_ns, arrivals.contrast);
    Said { text: text + "\n", json, verdicts: vec![judgement.verdict.clone()] }
}

fn headings(stations: bool) -> Vec<String> {
    let figures = [
        "\ndraws",
        "base,\nus",
        "slot,\nus",
        "\ncomb",
        "\nteeth",
        "max\n/min",
        "\nchi2",
        "\np",
        "serial\nr",
        "commonest\nstep",
    ];
    let first: &[&str] = if stations { &["\nstation", "due,\nus"] } else { &[] };
    first.iter().chain(&figures).map(|heading| heading.to_string()).collect()
}

fn row(found: &Fingerprint) -> Vec<String> {
    let mut cells = vec![
        found.name.clone().unwrap_or_else(|| address(&found.sender)),
        format!("{:.1}", found.due_ns as f64 / 1e3),
    ];
    cells.extend(columns(found.judgement.figures.as_ref(), found.base_and_slot_ns, found.contrast));
    cells
}

fn columns(figures: Option<&Figures>, comb: Option<(f64, f64)>, contrast: Option<f64>) -> Vec<String> {
    let figure = |of: &dyn Fn(&Figures) -> Option<String>| figures.and_then(of).unwrap_or_else(|| "-".into());
    let us = |ns: Option<f64>| ns.map_or("-".into(), |ns| format!("{:.2}", ns / 1e3));
    vec![
        figure(&|f| Some(f.n.to_string())),
        us(comb.map(|(base, _)| base)),
        us(comb.map(|(_, slot)| slot)),
        contrast.map_or("-".into(), |contrast| format!("{contrast:.2}")),
        figure(&|f| Some(format!("{}/{}", f.window - f.missing.len(), f.standard))),
        figure(&|f| f.ratio.map(|ratio| format!("{ratio:.2}"))),
        figure(&|f| Some(format!("{:.1} ({})", f.chi_squared, f.freedom))),
        figure(&|f| Some(format!("{:.4}", f.p))),
        figure(&|f| f.correlation.map(|r| format!("{r:+.3}"))),
        figure(&|f| f.step.map(|(step, share)| format!("+{step}: {:.1} %", 100.0 * share))),
    ]
}

fn sentence(who: &str, judgement: &Judgement, capture: bool) -> String {
    let (_, all) = judgement.upper;
    let judged = matches!(judgement.verdict, Verdict::Conformant | Verdict::Faults(_));
    let doubling = match (judged && !judgement.doubling_known, capture) {
        (false, _) => String::new(),
        (true, true) => {
            format!(" Whether its window doubles is not known: {all} of the 20 repetitions that it takes.")
        }
        (true, false) => " Whether its window doubles, arrival times do not show.".into(),
    };
    let said = match &judgement.verdict {
        verdict @ Verdict::TooFew { .. } => format!("{who}: {verdict}."),
        verdict => format!("{who} {verdict}.{doubling}"),
    };
    table::wrap(&said, output::stdout_style().width) + "\n"
}

fn windows(found: &Fingerprint) -> String {
    let attempt = |(attempt, n, mean, most): &(u32, u64, f64, u64)| {
        format!("attempt {attempt}: {n} draws, mean {mean:.1}, largest {most}")
    };
    let attempts: Vec<String> = found.attempts.iter().map(attempt).collect();
    match attempts.is_empty() {
        true => String::new(),
        false => {
            table::wrap(&format!("  Windows by {}", attempts.join("; ")), output::stdout_style().width) + "\n"
        }
    }
}

fn comb_json(json: &mut Value, comb: Option<(f64, f64)>, contrast: Option<f64>) {
    json["base_ns"] = comb.map(|(base, _)| base).into();
    json["slot_ns"] = comb.map(|(_, slot)| slot).into();
    json["comb_contrast"] = contrast.into();
}

fn station_json(found: &Fingerprint) -> Value {
    let attempt = |(attempt, n, mean, most): &(u32, u64, f64, u64)| json!({ "attempt": attempt, "draws": n, "mean_slots": mean, "largest_slots": most });
    let mut json = judgement_json(&found.judgement);
    json["station"] = address(&found.sender).into();
    json["name"] = found.name.clone().into();
    json["accesses"] = found.accesses.into();
    json["due_ns"] = found.due_ns.into();
    comb_json(&mut json, found.base_and_slot_ns, found.contrast);
    json["decrement"] = match found.decrement {
        Decrement::Standard => "standard".into(),
        Decrement::Bianchi => "bianchi".into(),
        Decrement::Unknown => Value::Null,
    };
    json["attempts"] = found.attempts.iter().map(attempt).collect();
    json
}

fn judgement_json(judgement: &Judgement) -> Value {
    let (word, faults) = match &judgement.verdict {
        Verdict::Conformant => ("conformant", &[][..]),
        Verdict::Faults(faults) => ("faults", faults.as_slice()),
        Verdict::TooFew { .. } => ("too_few_samples", &[][..]),
        Verdict::NoComb { .. } => ("no_comb", &[][..]),
        Verdict::NotSaturated { .. } => ("not_saturated", &[][..]),
    };
    let fault = |fault: &airtab_quality::fingerprint::Fault| json!({ "fault": fault.name(), "text": fault.to_string() });
    let (upper, repetitions) = judgement.upper;
    json!({
        "verdict": word,
        "text": judgement.verdict.to_string(),
        "faults": faults.iter().map(fault).collect::<Vec<_>>(),
        "figures": judgement.figures.as_ref().map(figures_json),
        "repetitions": repetitions,
        "repetitions_in_upper_half": upper,
        "doubling_known": judgement.doubling_known,
    })
}

fn figures_json(f: &Figures) -> Value {
    let pair = |(which, share): (usize, f64)| json!({ "by": which, "share_ratio": share });
    json!({
        "draws": f.n,
        "window_slots": f.window,
        "standard_slots": f.standard,
        "beyond_ratio": f.beyond,
        "masses": f.masses,
        "missing_slots": f.missing,
        "max_min_ratio": f.ratio,
        "chi_squared": f.chi_squared,
        "degrees_of_freedom": f.freedom,
        "p_uniform": f.p,
        "p_uniform_of_present": f.p_present,
        "pairs": f.pairs,
        "serial_correlation": f.correlation,
        "p_serial_correlation": f.p_correlation,
        "commonest_step": f.step.map(pair),
        "p_steps": f.p_steps,
        "commonest_repetition": f.repeat.map(pair),
        "p_repetition": f.p_repeat,
    })
}

#[cfg(test)]
mod tests {
    use airtab_lab::fingerprint::Queue;

    use super::*;

    /// Each figure has a value of its own.
    fn found(verdict: Verdict) -> Fingerprint {
        let figures = Figures {
            n: 101,
            window: 16,
            standard: 32,
            beyond: 0.01,
            masses: vec![0.25, 0.75],
            missing: vec![3, 5],
            ratio: Some(1.25),
            chi_squared: 12.5,
            freedom: 15,
            p: 0.625,
            p_present: 0.5,
            correlation: Some(-0.125),
            pairs: 99,
            p_correlation: 0.375,
            step: Some((4, 0.0625)),
            p_steps: 0.875,
            repeat: Some((7, 0.03125)),
            p_repeat: 0.9375,
        };
        let judgement = Judgement { figures: Some(figures), upper: (6, 11), doubling_known: false, verdict };
        Fingerprint {
            sender: Sender { mac: [2, 0x61, 0x74, 1, 0, 9], queue: Queue::Plain },
            name: Some("laptop".into()),
            accesses: 202,
            base_and_slot_ns: Some((50_250.0, 9_125.0)),
            due_ns: 34_000,
            decrement: Decrement::Bianchi,
            contrast: Some(0.75),
            attempts: vec![(2, 41, 17.25, 30)],
            judgement,
        }
    }

    #[test]
    fn each_figure_of_a_card_has_its_key_and_its_column() {
        let found = found(Verdict::Conformant);
        let json = station_json(&found);
        for (key, value) in [
            ("station", json!("02:61:74:01:00:09")),
            ("name", json!("laptop")),
            ("accesses", json!(202)),
            ("due_ns", json!(34_000)),
            ("base_ns", json!(50_250.0)),
            ("slot_ns", json!(9_125.0)),
            ("comb_contrast", json!(0.75)),
            ("decrement", json!("bianchi")),
            ("attempts", json!([{ "attempt": 2, "draws": 41, "mean_slots": 17.25, "largest_slots": 30 }])),
            ("verdict", json!("conformant")),
            ("faults", json!([])),
            ("repetitions", json!(11)),
            ("repetitions_in_upper_half", json!(6)),
            ("doubling_known", json!(false)),
        ] {
            assert_eq!(json[key], value, "{key}");
        }
        assert_eq!(
            json["figures"],
            json!({ "draws": 101, "window_slots": 16, "standard_slots": 32, "beyond_ratio": 0.01,
                "masses": [0.25, 0.75], "missing_slots": [3, 5], "max_min_ratio": 1.25, "chi_squared": 12.5,
                "degrees_of_freedom": 15, "p_uniform": 0.625, "p_uniform_of_present": 0.5, "pairs": 99,
                "serial_correlation": -0.125, "p_serial_correlation": 0.375,
                "commonest_step": { "by": 4, "share_ratio": 0.0625 }, "p_steps": 0.875,
                "commonest_repetition": { "by": 7, "share_ratio": 0.03125 }, "p_repetition": 0.9375 })
        );
        assert_eq!(
            row(&found),
            [
                "laptop",
                "34.0",
                "101",
                "50.25",
                "9.12",
                "0.75",
                "14/32",
                "1.25",
                "12.5 (15)",
                "0.6250",
                "-0.125",
                "+4: 6.2 %"
            ]
        );
        assert_eq!(headings(true).len(), row(&found).len());
        assert_eq!(headings(false).len(), columns(None, None, None).len());
        assert_eq!(windows(&found), "  Windows by attempt 2: 41 draws, mean 17.2, largest 30\n");
        assert_eq!(windows(&Fingerprint { attempts: Vec::new(), ..found }), "");
    }

    #[test]
    fn each_verdict_has_its_word_and_its_sentence() {
        for (verdict, word) in [
            (Verdict::Conformant, "conformant"),
            (Verdict::Faults(Vec::new()), "faults"),
            (Verdict::TooFew { draws: 3, needed: 200 }, "too_few_samples"),
            (Verdict::NoComb { contrast: 0.1 }, "no_comb"),
            (Verdict::NotSaturated { beyond: 0.5 }, "not_saturated"),
        ] {
            let judgement = found(verdict).judgement;
            assert_eq!(judgement_json(&judgement)["verdict"], word);
            let judged = matches!(word, "conformant" | "faults");
            let said = |judgement: &Judgement, capture| {
                sentence("It", judgement, capture).split_whitespace().collect::<Vec<_>>().join(" ")
            };
            let doubles = "11 of the 20 repetitions that it takes.";
            assert_eq!(said(&judgement, true).contains(doubles), judged, "{word}");
            assert_eq!(said(&judgement, false).contains("arrival times do not show"), judged, "{word}");
            let known = Judgement { doubling_known: true, ..judgement };
            assert!(!said(&known, true).contains("doubles"), "{word}");
        }
    }

    #[test]
    fn a_card_without_a_name_is_its_address() {
        let unnamed = Fingerprint { name: None, ..found(Verdict::Conformant) };
        assert_eq!(
            (name(&unnamed), &row(&unnamed)[0][..]),
            ("02:61:74:01:00:09".into(), "02:61:74:01:00:09")
        );
        assert_eq!(name(&found(Verdict::Conformant)), "laptop, 02:61:74:01:00:09");
    }
}
