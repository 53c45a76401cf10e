// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab fingerprint`: how Wi-Fi cards draw their backoff (Starzetz 2006, 6.4.1).
//!
//! Reading and judging are `airtab-lab`'s and `airtab-quality`'s; here are files, columns, JSON and sentences.

pub mod args;

use std::path::Path;
use std::process::ExitCode;

use airtab_lab::fingerprint::{
    Arrivals, Decrement, Fingerprint, Heard, PhySource, Sender, of_arrivals, of_capture,
};
use airtab_lab::table;
use airtab_quality::fingerprint::{Figures, Judgement, Verdict};
use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::reading::{Reading, named};
use crate::output;

/// What is said of a file.
struct Said {
    text: String,
    json: Value,
    /// Verdicts, and whether they are by a profile that was guessed.
    verdicts: Vec<(Verdict, bool)>,
}

/// Says of each file what it shows.
pub fn fingerprint(args: &args::Fingerprint) -> anyhow::Result<ExitCode> {
    let (mut text, mut files, mut verdicts) = (String::new(), Vec::new(), Vec::new());
    for path in &args.files {
        let said = said(args, path).with_context(|| named(path))?;
        text += &said.text;
        files.push(said.json);
        verdicts.extend(said.verdicts);
    }
    let json = json!({ "schema": 1, "files": files });
    output::print(&if args.form.is_json() { format!("{json:#}\n") } else { text })?;
    Ok(ExitCode::from(u8::from(held_against(&verdicts))))
}

/// True for exit code 1: some card has a fault, or no card conforms. By a guess only too few samples count as that.
fn held_against(verdicts: &[(Verdict, bool)]) -> bool {
    let faults = verdicts.iter().any(|(verdict, _)| matches!(verdict, Verdict::Faults(_)));
    let fine = |(verdict, guessed): &(Verdict, bool)| match verdict {
        Verdict::Conformant => true,
        Verdict::TooFew { .. } => false,
        _ => *guessed,
    };
    faults || !verdicts.iter().any(fine)
}

fn said(args: &args::Fingerprint, path: &Path) -> anyhow::Result<Said> {
    let mut reading = Reading::open(path, 2)?;
    let piped = reading.is_pipe();
    reading.keep()?;
    // Of what has no name that tells, the first byte does: a digit, or that of a comment.
    let times = match piped {
        true => reading.first()?.is_some_and(|byte| byte.is_ascii_digit() || byte == b'#'),
        false => path.extension().is_some_and(|end| end.eq_ignore_ascii_case("txt")),
    };
    if times {
        if args.station.is_some() {
            bail!("arrival times have no addresses: leave --station out");
        }
        let arrivals = of_arrivals(&mut || reading.begin(), args.phy, args.exchange)?;
        reading.end();
        return Ok(of_times(&named(path), &arrivals));
    }
    if args.exchange.is_some() {
        bail!("a capture has its own frames: leave --exchange out, it is for arrival times (.txt)");
    }
    let mut heard = of_capture(&mut || reading.begin(), args.phy)?;
    reading.end();
    if let Some(warning) = heard.end.warning() {
        output::warn(&format!("{}: {warning}", named(path)));
    }
    if let Some(wanted) = args.station {
        keep(&mut heard.senders, wanted)?;
    }
    Ok(of_air(&named(path), &heard))
}

/// Keeps the senders of one address.
fn keep(senders: &mut Vec<Fingerprint>, wanted: [u8; 6]) -> anyhow::Result<()> {
    let there: Vec<String> = senders.iter().map(name).collect();
    senders.retain(|found| found.sender.mac == wanted);
    if senders.is_empty() {
        bail!("no data from that station; there is some from: {}", there.join(", "));
    }
    Ok(())
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

fn of_air(file: &str, heard: &Heard) -> Said {
    let chosen = match heard.phy_source {
        PhySource::Given => "",
        PhySource::Named => " (as the capture names it)",
        PhySource::Guessed => " (a guess by its rates; --phy sets it)",
    };
    let stamps = if heard.radio_stamps { "the radio's" } else { "the file's" };
    let mut text = format!(
        "{file}: {} frames, profile {}{chosen}, {stamps} time stamps\n",
        heard.frames,
        heard.phy.name()
    );
    let width = output::stdout_style().width;
    for note in &heard.notes {
        text += &(table::wrap(note, width) + "\n");
    }
    let rows: Vec<Vec<String>> = heard.senders.iter().map(row).collect();
    if rows.is_empty() {
        text += "No station sends data.\n";
        if heard.unknown > 0 {
            let unknown = format!(
                "{} of the {} frames have no rate that is known, are damaged, or are of another kind.",
                heard.unknown, heard.frames
            );
            text += &(table::wrap(&unknown, width) + "\n");
        }
    } else {
        text += &table::figures(&headings(true), &rows, output::stdout_style());
    }
    for found in &heard.senders {
        text += &sentence(&name(found), &found.judgement, true);
        text += &windows(found);
    }
    let guessed = heard.phy_source == PhySource::Guessed;
    Said {
        text: text + "\n",
        json: json!({
            "file": file,
            "phy": heard.phy.name(),
            "phy_source": match heard.phy_source {
                PhySource::Given => "given",
                PhySource::Named => "capture",
                PhySource::Guessed => "guess",
            },
            "frames": heard.frames,
            "unknown_frames": heard.unknown,
            "eht_frames": heard.eht,
            "time_stamps": if heard.radio_stamps { "radio" } else { "file" },
            "whole_until_byte": heard.end.offset(),
            "notes": heard.notes,
            "stations": heard.senders.iter().map(station_json).collect::<Vec<_>>(),
        }),
        verdicts: heard.senders.iter().map(|found| (found.judgement.verdict.clone(), guessed)).collect(),
    }
}

fn of_times(file: &str, arrivals: &Arrivals) -> Said {
    let chosen = if arrivals.guessed { " (a guess by the slots that show; --phy sets it)" } else { "" };
    let mut text = format!("{file}: {} packets, profile {}{chosen}\n", arrivals.packets, arrivals.phy.name());
    let judgement = &arrivals.judgement;
    let figures = judgement.figures.as_ref();
    let row = columns(figures, arrivals.base_and_slot_ns, arrivals.contrast);
    text += &table::figures(&headings(false), &[row], output::stdout_style());
    text += &sentence("The sender", judgement, false);
    let mut json = judgement_json(judgement);
    json["file"] = file.into();
    json["phy"] = arrivals.phy.name().into();
    json["phy_source"] = if arrivals.guessed { "guess" } else { "given" }.into();
    json["packets"] = arrivals.packets.into();
    comb_json(&mut json, arrivals.base_and_slot_ns, arrivals.contrast);
    Said { text: text + "\n", json, verdicts: vec![(judgement.verdict.clone(), arrivals.guessed)] }
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
        Verdict::Guessed => ("guessed_profile", &[][..]),
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
    use airtab_lab::fingerprint::{End, Queue};

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
            (Verdict::Guessed, "guessed_profile"),
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

    /// A fault anywhere, or no card that conforms.
    #[test]
    fn the_exit_code_is_of_all_cards() {
        let few = || Verdict::TooFew { draws: 3, needed: 200 };
        let fault = || Verdict::Faults(Vec::new());
        for (verdicts, against) in [
            (vec![], true),
            (vec![Verdict::Conformant], false),
            (vec![few()], true),
            (vec![few(), Verdict::Conformant, few()], false),
            (vec![Verdict::NoComb { contrast: 0.1 }, Verdict::NotSaturated { beyond: 0.5 }], true),
            (vec![fault()], true),
            (vec![Verdict::Conformant, fault()], true),
            (vec![fault(), Verdict::Conformant], true),
        ] {
            let verdicts: Vec<_> = verdicts.into_iter().map(|verdict| (verdict, false)).collect();
            assert_eq!(held_against(&verdicts), against, "{verdicts:?}");
        }
        let unsaturated = || Verdict::NotSaturated { beyond: 0.5 };
        for (verdicts, against) in [
            (vec![(Verdict::Guessed, true)], false),
            (vec![(unsaturated(), true), (few(), true)], false),
            (vec![(Verdict::NoComb { contrast: 0.1 }, true)], false),
            (vec![(few(), true)], true),
            (vec![(Verdict::Guessed, true), (fault(), false)], true),
            (vec![(few(), true), (unsaturated(), false)], true),
        ] {
            assert_eq!(held_against(&verdicts), against, "{verdicts:?}");
        }
    }

    /// An address may have several senders: its queues.
    #[test]
    fn one_station_is_told_with_all_of_its_queues() {
        let of = |last: u8, queue, name: Option<&str>| Fingerprint {
            sender: Sender { mac: [2, 0, 0, 0, 0, last], queue },
            name: name.map(String::from),
            ..found(Verdict::Conformant)
        };
        let all = || {
            let voice = Queue::Category(airtab_sim::wifi::Category::Voice);
            vec![of(7, Queue::Plain, Some("tv")), of(8, Queue::Plain, None), of(7, voice, None)]
        };
        let mut kept = all();
        keep(&mut kept, [2, 0, 0, 0, 0, 7]).expect("it is there");
        let names: Vec<String> = kept.iter().map(name).collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(
            names[0] == "tv, 02:00:00:00:00:07" && names[1].starts_with("02:00:00:00:00:07 ("),
            "{names:?}"
        );
        let said = keep(&mut all(), [2, 0, 0, 0, 0, 9]).expect_err("it is not there").to_string();
        let there: Vec<String> = all().iter().map(name).collect();
        assert_eq!(said, format!("no data from that station; there is some from: {}", there.join(", ")));
    }

    fn asked(words: &str) -> args::Fingerprint {
        use clap::Parser;
        let words = ["airtab", "fingerprint"].into_iter().chain(words.split(' '));
        match crate::args::Args::try_parse_from(words).unwrap_or_else(|e| panic!("{e}")).command {
            crate::args::Command::Fingerprint(args) => args,
            _ => panic!("another command"),
        }
    }

    /// A file of arrival times is known by its name, in capitals too; options of the one kind are refused with the other.
    #[test]
    fn a_kind_of_file_has_its_options() {
        let folder = tempfile::tempdir().expect("a folder");
        let of = |name: &str, options: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "1.0\n2.0\n").expect("written");
            said(&asked(&format!("x{options}")), &path).map(|said| said.json).map_err(|e| e.to_string())
        };
        let (station, exchange) = (" --station 02:61:74:01:00:00", " --exchange 1ms");
        for name in ["gaps.txt", "GAPS.TXT"] {
            assert_eq!(of(name, "").map(|json| json["packets"].clone()), Ok(json!(2)), "{name}");
            assert_eq!(of(name, exchange).map(|json| json["verdict"].clone()), Ok(json!("too_few_samples")));
            assert_eq!(of(name, station), Err("arrival times have no addresses: leave --station out".into()));
        }
        for name in ["gaps.pcap", "txt", "gaps.txt.pcap"] {
            let said = of(name, exchange).expect_err("it is none");
            assert_eq!(
                said,
                "a capture has its own frames: leave --exchange out, it is for arrival times (.txt)"
            );
            let said = of(name, station).expect_err("it is none");
            assert!(said.contains("it is no pcap or pcapng file"), "{said}");
        }
        assert!(said(&asked("x"), &folder.path().join("none.txt")).map(|_| ()).is_err());
    }

    /// The cells of the line of a table that starts with `start`.
    fn line(text: &str, start: &str) -> Vec<String> {
        let line = text.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_default();
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn a_capture_is_told_by_its_senders() {
        let phy = airtab_core::Phy::named("std-11g").expect("a profile");
        let second = || Fingerprint {
            sender: Sender { mac: [2, 0x61, 0x74, 1, 0, 7], queue: Queue::Plain },
            name: None,
            decrement: Decrement::Standard,
            attempts: vec![(2, 41, 17.25, 30), (3, 5, 33.5, 60)],
            ..found(Verdict::NotSaturated { beyond: 0.5 })
        };
        let senders = vec![found(Verdict::Conformant), second()];
        let mut heard = Heard {
            phy,
            phy_source: PhySource::Guessed,
            frames: 555,
            unknown: 66,
            eht: 7,
            radio_stamps: true,
            notes: vec!["A note.".into()],
            end: End::Cut { offset: 77, frames: 555 },
            senders,
        };
        let said = of_air("air.pcap", &heard);
        let first = "air.pcap: 555 frames, profile std-11g (a guess by its rates; --phy sets it), the radio's time stamps\n\
                     A note.\n";
        assert!(said.text.starts_with(first) && said.text.ends_with("\n\n"), "{}", said.text);
        assert_eq!(line(&said.text, "laptop  ")[..3], ["laptop", "34.0", "101"]);
        assert_eq!(line(&said.text, "02:61:74:01:00:07  ")[..3], ["02:61:74:01:00:07", "34.0", "101"]);
        let words = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for sentence in [
            "laptop, 02:61:74:01:00:09 conforms: its slots are equally likely",
            "02:61:74:01:00:07 has gaps longer than any window, 50 % of them,",
            "Windows by attempt 2: 41 draws, mean 17.2, largest 30; attempt 3: 5 draws, mean 33.5, largest 60",
        ] {
            assert!(words.contains(sentence), "{sentence}\n{words}");
        }
        let verdicts = [Verdict::Conformant, Verdict::NotSaturated { beyond: 0.5 }];
        assert_eq!(said.verdicts, verdicts.clone().map(|verdict| (verdict, true)));
        let json = said.json;
        for (key, value) in [
            ("file", json!("air.pcap")),
            ("phy", json!("std-11g")),
            ("frames", json!(555)),
            ("unknown_frames", json!(66)),
            ("phy_source", json!("guess")),
            ("eht_frames", json!(7)),
            ("whole_until_byte", json!(77)),
            ("notes", json!(["A note."])),
            ("time_stamps", json!("radio")),
        ] {
            assert_eq!(json[key], value, "{key}");
        }
        let stations = json["stations"].as_array().expect("stations");
        assert_eq!(stations.len(), 2);
        assert_eq!((&stations[1]["name"], &stations[1]["decrement"]), (&Value::Null, &json!("standard")));
        assert_eq!(stations[1]["attempts"][1]["attempt"], 3);
        // Its text is that of the sentence.
        assert_eq!(stations[1]["text"], verdicts[1].to_string());
        let unknown = Fingerprint { decrement: Decrement::Unknown, ..second() };
        assert!(station_json(&unknown)["decrement"].is_null());
        heard.radio_stamps = false;
        heard.senders.clear();
        heard.notes.clear();
        heard.phy_source = PhySource::Given;
        let said = of_air("air.pcap", &heard);
        assert_eq!(
            said.text,
            "air.pcap: 555 frames, profile std-11g, the file's time stamps\nNo station sends data.\n66 of the 555 frames \
             have no rate that is known, are damaged, or are of another kind.\n\n"
        );
        (heard.phy_source, heard.unknown) = (PhySource::Named, 0);
        let named = of_air("air.pcap", &heard);
        assert_eq!(
            named.text,
            "air.pcap: 555 frames, profile std-11g (as the capture names it), the file's time stamps\n\
             No station sends data.\n\n"
        );
        assert_eq!((&said.json["time_stamps"], said.verdicts.len()), (&json!("file"), 0));
    }

    #[test]
    fn arrival_times_are_told_of_one_sender() {
        let phy = airtab_core::Phy::named("std-11b").expect("a profile");
        let fault = airtab_quality::fingerprint::Fault::Window { slots: 16, standard: 32 };
        let judgement = found(Verdict::Faults(vec![fault.clone()])).judgement;
        let arrivals = Arrivals {
            phy,
            guessed: false,
            packets: 2_000,
            base_and_slot_ns: Some((1_347_270.0, 20_125.0)),
            contrast: Some(0.5),
            judgement,
        };
        let said = of_times("gaps.txt", &arrivals);
        assert!(said.text.starts_with("gaps.txt: 2000 packets, profile std-11b\n"), "{}", said.text);
        assert_eq!(line(&said.text, "101 ")[..4], ["101", "1347.27", "20.12", "0.50"]);
        let words = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let sentence = format!(
            "The sender does not conform: it {fault}. Whether its window doubles, arrival times do not show."
        );
        assert!(words.ends_with(&sentence), "{words}");
        let json = said.json;
        for (key, value) in [
            ("file", json!("gaps.txt")),
            ("phy", json!("std-11b")),
            ("packets", json!(2_000)),
            ("base_ns", json!(1_347_270.0)),
            ("slot_ns", json!(20_125.0)),
            ("comb_contrast", json!(0.5)),
            ("verdict", json!("faults")),
            ("faults", json!([{ "fault": fault.name(), "text": fault.to_string() }])),
        ] {
            assert_eq!(json[key], value, "{key}");
        }
        // Without a comb nothing is known of it.
        let none = Arrivals { base_and_slot_ns: None, contrast: None, guessed: true, ..arrivals };
        let said = of_times("gaps.txt", &none);
        let first =
            "gaps.txt: 2000 packets, profile std-11b (a guess by the slots that show; --phy sets it)\n";
        assert!(said.text.starts_with(first), "{}", said.text);
        assert_eq!((&said.json["phy_source"], said.verdicts[0].1), (&json!("guess"), true));
        assert_eq!(line(&said.text, "101 ")[..4], ["101", "-", "-", "-"]);
        assert!(said.json["base_ns"].is_null() && said.json["comb_contrast"].is_null());
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
