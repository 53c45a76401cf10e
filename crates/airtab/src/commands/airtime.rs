// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab airtime`: the core's profiles, and what an exchange of a lone sender takes under one.
//! Formulas and vectors: `docs/airtime.md`.
//!
//! What it does not do: no contention, no losses.

pub mod args;

use std::fmt::Write;
use std::process::ExitCode;

use airtab_core::{Control, PPDU_MAX_NS, Phy, Rate, RatePart, RateSpec, Unit, ampdu_bytes};
use airtab_scenario::phy_rate;
use airtab_scenario::reader::instead;
use serde_json::{Value, json};

use self::args::Airtime;
use crate::args::USAGE;
use crate::output;

/// AIFSN of best effort (IEEE 802.11-2020, table 9-155): slots behind the SIFS.
const BEST_EFFORT: u32 = 3;
/// What ath9k and mac80211 allow an aggregate, ns.
const USUAL_LIMIT_NS: u32 = 4_000_000;

/// The list of profiles, or one exchange.
pub fn airtime(args: &Airtime) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.profile else {
        output::print(&if args.form.is_json() {
            pretty(&json!({ "profiles": profiles() }))
        } else {
            list()
        })?;
        return Ok(ExitCode::SUCCESS);
    };
    match exchange(name, args) {
        Ok(exchange) => {
            output::print(&if args.form.is_json() { pretty(&exchange.json()) } else { exchange.text() })?;
            Ok(ExitCode::SUCCESS)
        }
        Err(problems) => {
            for problem in problems {
                output::error(&problem.to_string());
            }
            Ok(ExitCode::from(USAGE))
        }
    }
}

fn pretty(value: &Value) -> String {
    let mut value = value.clone();
    value["schema"] = 1.into();
    format!("{value:#}\n")
}

fn list() -> String {
    let width = Phy::all().map(|phy| phy.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for phy in Phy::all() {
        let _ = writeln!(text, "{:width$}  {}", phy.name(), phy.about());
    }
    text + "\nAn exchange under one: airtab airtime PROFILE\n"
}

fn profiles() -> Vec<Value> {
    Phy::all().map(|phy| json!({ "name": phy.name(), "about": phy.about() })).collect()
}

/// One exchange, as a lone sender has it: the wait before it, the frame, its acknowledgement.
struct Exchange {
    phy: Phy,
    rate: Rate,
    frames: u32,
    /// Of each IP packet.
    bytes: u32,
    /// Of the frame, or the aggregate.
    psdu: u32,
    /// AIFS of best effort; without MCS the DIFS.
    wait_ns: u64,
    ppdu_ns: u64,
    answer: Control,
    answer_ns: u64,
}

/// What is asked for, or everything that is wrong with it.
fn exchange(name: &str, args: &Airtime) -> Result<Exchange, Vec<String>> {
    let Some(phy) = Phy::named(name) else {
        let known: Vec<_> = Phy::all().map(|phy| phy.name()).collect();
        return Err(vec![format!("no profile '{name}'{}", instead(name, &known))]);
    };
    let rate = if phy.has_mcs() { rate_by_mcs(&phy, args) } else { rate_in_mbps(&phy, args) }?;
    let mpdu = args.bytes + phy.mac_bytes();
    let psdu = psdu_bytes(&phy, args.frames, mpdu);
    if phy.has_mcs() {
        fits(&phy, &rate, args.frames, mpdu).map_err(|problem| vec![problem])?;
    }
    let answer = if args.frames > 1 { Control::BlockAck(phy.window()) } else { Control::Ack };
    Ok(Exchange {
        wait_ns: if phy.has_mcs() { phy.aifs_ns(BEST_EFFORT) } else { phy.difs_ns() },
        ppdu_ns: phy.ppdu_ns(&rate, psdu),
        answer,
        answer_ns: match phy.has_mcs() {
            true => phy.control_ns(&rate, answer),
            false => phy.ack_ns(rate.kbps()),
        },
        phy,
        rate,
        frames: args.frames,
        bytes: args.bytes,
        psdu,
    })
}

fn rate_by_mcs(phy: &Phy, args: &Airtime) -> Result<Rate, Vec<String>> {
    let mut problems = Vec::new();
    if args.rate.is_some() {
        problems.push(format!("--rate: {} has rates by MCS: give --mcs", phy.name()));
    }
    let spec = |mcs| RateSpec {
        mcs,
        streams: args.streams,
        width: args.width,
        gi: args.gi,
        ru: args.ru,
        ..RateSpec::default()
    };
    let found = match args.mcs {
        Some(mcs) => phy.rate(&spec(mcs)),
        // The highest that goes with the rest; MCS 0 does always.
        None => (1..=11).rev().find_map(|mcs| phy.rate(&spec(mcs)).ok()).map_or(phy.rate(&spec(0)), Ok),
    };
    match found {
        Ok(rate) if problems.is_empty() => Ok(rate),
        Ok(_) => Err(problems),
        Err(errors) => {
            problems.extend(errors.into_iter().map(|e| match e.part {
                RatePart::Gi => format!("--gi {}ns: {}", e.value, e.allowed),
                part => format!("--{} {}: {}", part.key(), e.value, e.allowed),
            }));
            Err(problems)
        }
    }
}

fn rate_in_mbps(phy: &Phy, args: &Airtime) -> Result<Rate, Vec<String>> {
    let name = phy.name();
    let given = [
        ("mcs", args.mcs.is_some()),
        ("streams", args.streams.is_some()),
        ("gi", args.gi.is_some()),
        ("width", args.width.is_some()),
        ("ru", args.ru.is_some()),
    ];
    let unused = given.into_iter().filter(|(_, given)| *given);
    let mut problems: Vec<_> =
        unused.map(|(option, _)| format!("--{option}: {name} has rates in Mb/s: give --rate")).collect();
    if args.frames > 1 {
        problems.push(format!("--frames {}: {name} sends no aggregates: 1", args.frames));
    }
    match phy_rate(phy, args.rate.as_deref()) {
        Ok(kbps) if problems.is_empty() => Ok(Rate::legacy(kbps)),
        Ok(_) => Err(problems),
        Err(problem) => {
            problems.push(format!("--rate: {problem}"));
            Err(problems)
        }
    }
}

/// VHT and HE always aggregate, HT does from two frames on.
fn psdu_bytes(phy: &Phy, frames: u32, mpdu: u32) -> u32 {
    use airtab_core::Format::{Ht, Legacy};
    match phy.format() {
        Legacy | Ht if frames == 1 => mpdu,
        _ => ampdu_bytes(frames, mpdu),
    }
}

/// The most frames of an aggregate that takes at most `ns`, and what ends it there.
fn most_frames(phy: &Phy, rate: &Rate, mpdu: u32, ns: u32) -> (u32, &'static str) {
    let longest = phy.psdu_within(rate, ns);
    let most = longest.min(phy.ampdu_bytes());
    let frames = (1..=u32::from(phy.window())).rev().find(|n| psdu_bytes(phy, *n, mpdu) <= most);
    let frames = frames.unwrap_or(0);
    let why = match () {
        () if frames == u32::from(phy.window()) => "window",
        () if longest <= phy.ampdu_bytes() => "time",
        () => "bytes",
    };
    (frames, why)
}

/// Whether an aggregate of so many frames can be.
fn fits(phy: &Phy, rate: &Rate, frames: u32, mpdu: u32) -> Result<(), String> {
    let (most, why) = most_frames(phy, rate, mpdu, PPDU_MAX_NS);
    if frames <= most {
        return Ok(());
    }
    let limit = match why {
        "window" => format!("the window of {} is {most} frames", phy.name()),
        "bytes" => format!("an aggregate of {} has at most {} bytes", phy.name(), phy.ampdu_bytes()),
        _ => format!("at {rate} it would last longer than {}", Unit::Ns.format(PPDU_MAX_NS.into())),
    };
    let instead = if most > 0 { format!("; at most {most} of these") } else { String::new() };
    Err(format!("--frames {frames}: {limit}{instead}"))
}

impl Exchange {
    /// Half of the largest first draw.
    fn backoff_ns(&self) -> u64 {
        u64::from(self.phy.cw_min()) * self.phy.slot_ns() / 2
    }

    fn cycle_ns(&self) -> u64 {
        self.wait_ns + self.backoff_ns() + self.ppdu_ns + self.phy.sifs_ns() + self.answer_ns
    }

    fn goodput_bps(&self) -> f64 {
        f64::from(self.frames) * f64::from(self.bytes) * 8e9 / self.cycle_ns() as f64
    }

    fn most_frames(&self, ns: u32) -> (u32, &'static str) {
        most_frames(&self.phy, &self.rate, self.bytes + self.phy.mac_bytes(), ns)
    }

    fn text(&self) -> String {
        let (phy, rate) = (&self.phy, &self.rate);
        let mbps = f64::from(rate.kbps()) / 1e3;
        let what = match self.frames {
            1 => format!("a frame of {} bytes of IP", self.bytes),
            n => format!("an aggregate of {n} frames of {} bytes of IP", self.bytes),
        };
        let at = if phy.has_mcs() { format!("{rate}: {mbps} Mb/s") } else { format!("{mbps} Mb/s") };
        let mut text = format!("{}: {what} at {at}\n\n", phy.name());
        let mut line = |name: &str, ns: u64, note: String| {
            let _ = writeln!(text, "{:14}{:>10.1} us  {note}", name, ns as f64 / 1e3);
        };
        let wait = if phy.has_mcs() { "AIFS" } else { "DIFS" };
        line(wait, self.wait_ns, if phy.has_mcs() { "best effort".into() } else { String::new() });
        line("mean backoff", self.backoff_ns(), format!("{} slots", f64::from(phy.cw_min()) / 2.0));
        line("PPDU", self.ppdu_ns, format!("{} bytes", self.psdu));
        line("SIFS", phy.sifs_ns(), String::new());
        let (name, note) = self.answer();
        line(name, self.answer_ns, note);
        line("cycle", self.cycle_ns(), format!("{:.3} Mb/s of IP", self.goodput_bps() / 1e6));
        if phy.has_mcs() {
            let [usual, longest] = [USUAL_LIMIT_NS, PPDU_MAX_NS].map(|ns| self.most_frames(ns).0);
            let _ =
                writeln!(text, "\nMost of these frames in one PPDU: {usual} in 4 ms, {longest} in 5.484 ms.");
        }
        text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    /// What answers, and how it is sent.
    fn answer(&self) -> (&'static str, String) {
        let kbps = self.phy.control_kbps(&self.rate);
        let at = format!(" at {} Mb/s", f64::from(kbps) / 1e3);
        match self.answer {
            Control::BlockAck(_) => ("BLOCK ACK", format!("{} bytes{at}", self.answer.bytes())),
            _ => ("ACK", at.trim_start().into()),
        }
    }

    fn json(&self) -> Value {
        let (phy, rate) = (&self.phy, &self.rate);
        let (name, _) = self.answer();
        let mut json = json!({
            "profile": phy.name(),
            "rate": { "kbps": rate.kbps() },
            "frames": self.frames,
            "ip_bytes": self.bytes,
            "psdu_bytes": self.psdu,
            "wait_ns": self.wait_ns,
            "mean_backoff_ns": self.backoff_ns(),
            "ppdu_ns": self.ppdu_ns,
            "sifs_ns": phy.sifs_ns(),
            "answer": name,
            "answer_ns": self.answer_ns,
            "cycle_ns": self.cycle_ns(),
            "goodput_bps": self.goodput_bps(),
        });
        if phy.has_mcs() {
            let ru = Some(rate.ru()).filter(|ru| *ru > 0);
            json["rate"] = json!({
                "format": rate.format().name(), "mcs": rate.mcs(), "streams": rate.streams(),
                "width_mhz": rate.width_mhz(), "gi_ns": rate.gi_ns(), "ru_tones": ru, "kbps": rate.kbps(),
            });
            let most = [USUAL_LIMIT_NS, PPDU_MAX_NS].map(|ns| {
                let (frames, limit) = self.most_frames(ns);
                json!({ "ppdu_ns": ns, "frames": frames, "limited_by": limit })
            });
            json["most_frames"] = most.into();
        }
        json
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn made(words: &[&str]) -> Result<Exchange, Vec<String>> {
        let args = Airtime::try_parse_from([&["airtime"], words].concat()).unwrap_or_else(|e| panic!("{e}"));
        exchange(args.profile.as_deref().expect("a profile"), &args)
    }

    fn of(words: &[&str]) -> Exchange {
        made(words).unwrap_or_else(|e| panic!("{words:?}: {e:?}"))
    }

    /// The cycle is the sum of its parts; goodput counts the bytes of all frames that were asked for.
    #[test]
    fn a_cycle_is_the_sum_of_its_parts() {
        for (words, bits) in [
            (&["std-11n", "--frames", "3", "--bytes", "700"][..], 3.0 * 700.0 * 8.0),
            (&["std-11g", "--bytes", "300"], 300.0 * 8.0),
            (&["std-11b", "--bytes", "40"], 40.0 * 8.0),
            (&["std-11ax", "--frames", "5"], 5.0 * 1500.0 * 8.0),
        ] {
            let json = of(words).json();
            let ns = |key: &str| json[key].as_u64().expect("a time");
            let parts = ["wait_ns", "mean_backoff_ns", "ppdu_ns", "sifs_ns", "answer_ns"].map(ns);
            assert_eq!(ns("cycle_ns"), parts.iter().sum::<u64>(), "{words:?}");
            assert!(
                (json["goodput_bps"].as_f64().expect("a rate") / (bits * 1e9 / ns("cycle_ns") as f64) - 1.0)
                    .abs()
                    < 1e-12
            );
        }
        // DSSS: SIFS 10 us and two slots of 20 us; half of 31 slots.
        let json = of(&["std-11b"]).json();
        assert_eq!((&json["wait_ns"], &json["mean_backoff_ns"]), (&json!(50_000), &json!(310_000)));
    }

    /// A resource unit is told, in text and JSON; without one, the width is.
    #[test]
    fn a_resource_unit_is_part_of_the_rate() {
        let unit = of(&["std-11ax", "--ru", "242", "--mcs", "2"]);
        assert_eq!((&unit.json()["rate"]["ru_tones"], &unit.json()["rate"]["mcs"]), (&json!(242), &json!(2)));
        assert!(unit.text().lines().next().is_some_and(|line| line.contains("242 tones")), "{}", unit.text());
        assert_eq!(of(&["std-11ax"]).json()["rate"]["ru_tones"], Value::Null);
        assert_eq!(of(&["std-11ax", "--bytes", "77"]).json()["ip_bytes"], 77);
    }

    /// A frame or an aggregate, its answer with the rate of that, and how many fit.
    #[test]
    fn texts_of_single_frames() {
        let text = of(&["std-11n", "--mcs", "0", "--bytes", "200"]).text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "std-11n: a frame of 200 bytes of IP at HT20 MCS 0, 1 stream, 800 ns: 6.5 Mb/s");
        let row = |name: &str| -> Vec<&str> {
            let line = lines.iter().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
            line[14..].split_whitespace().collect()
        };
        // 238 bytes at 26 bits a symbol: 1904 + 22 bits are 75 symbols behind 36 us of preamble.
        assert_eq!(row("PPDU"), ["336.0", "us", "238", "bytes"]);
        // 14 bytes at 6 Mb/s, the rate of answers to MCS 0: 134 bits are 6 symbols behind 20 us.
        assert_eq!(row("ACK"), ["44.0", "us", "at", "6", "Mb/s"]);
        assert_eq!(row("AIFS"), ["43.0", "us", "best", "effort"]);
        assert_eq!(row("SIFS"), ["16.0", "us"]);
        let exchange = of(&["std-11n", "--mcs", "0", "--bytes", "200"]);
        let [usual, longest] = [4_000_000, 5_484_000].map(|ns| exchange.most_frames(ns));
        assert!(usual.0 < longest.0 && usual.1 == "time");
        let most =
            format!("Most of these frames in one PPDU: {} in 4 ms, {} in 5.484 ms.", usual.0, longest.0);
        assert_eq!(lines.last(), Some(&most.as_str()));
    }

    /// So many frames fit and one more does not, whichever limit there is.
    #[test]
    fn one_frame_more_than_the_most_is_refused() {
        for (words, limit) in [
            (&["std-11n", "--bytes", "40"][..], "window"),
            (&["std-11n", "--mcs", "2"], "time"),
            (&["std-11n", "--streams", "4", "--width", "40"], "bytes"),
            (&["std-11ac", "--mcs", "0", "--bytes", "900"], "time"),
        ] {
            let (most, why) = of(words).most_frames(PPDU_MAX_NS);
            assert_eq!(why, limit, "{words:?}");
            let frames = |n: u32| made(&[words, &["--frames", &n.to_string()]].concat()).map(|e| e.frames);
            assert_eq!(frames(most), Ok(most), "{words:?}");
            let said = frames(most + 1).expect_err("too many").join(" ");
            assert!(said.starts_with(&format!("--frames {}: ", most + 1)), "{said}");
            assert!(said.ends_with(&format!("; at most {most} of these")), "{said}");
        }
    }

    #[test]
    fn profiles_are_listed_in_their_order() {
        let names: Vec<&str> = Phy::all().map(|phy| phy.name()).collect();
        let listed = list();
        let shown: Vec<&str> =
            listed.lines().take(names.len()).filter_map(|l| l.split_whitespace().next()).collect();
        assert_eq!(shown, names);
        let of = |key: &str| {
            profiles().iter().map(|p| p[key].as_str().expect("text").to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            (of("name"), of("about")),
            (
                names.iter().map(|n| n.to_string()).collect(),
                Phy::all().map(|p| p.about().to_string()).collect()
            )
        );
    }
}
