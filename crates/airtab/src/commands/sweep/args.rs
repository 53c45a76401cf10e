// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab sweep`.

use std::path::PathBuf;
use std::time::Duration;

use airtab_core::Unit;
use airtab_lab::plan::Part;
use airtab_scenario::{QueueList, assignment};
use clap::Parser;

use crate::args::whole;
use crate::form::Form;

/// Run a scenario at every combination of some values, under several disciplines, with many seeds
///
/// The file is that of an experiment (its checks are not looked at), or any scenario. Finished runs are kept: the same
/// command goes on where it was interrupted, and what was run before by whatever command is not run again.
#[derive(Clone, Parser)]
#[command(after_help = "Examples:
  airtab sweep my-home.toml --axis queue.chap.limit=35,70,140 --axis station.far.distance=1,10,20
  airtab sweep rrul --set wifi.attempts=4 --axis queue.fifo.limit=50,500 --queues fifo --format csv
  airtab sweep my-sweep.toml --out results     a page, results/index.html, and a row for each figure, results.parquet
  airtab sweep my-sweep.toml --until game.game_mos=0.05   more seeds where they are needed
  airtab sweep my-sweep.toml --shard 3/7 --out packs      on the third of seven machines
  airtab sweep my-sweep.toml --merge packs --out results  once their packs are in one folder, or --merge a b c ...

A path is a key of the scenario: duration, queue.chap.limit, app.NAME.kind, station.NAME.distance. Of a file
of several disciplines, those that a parameter is not of do not change with it. docs/sweeps.md describes the file:
[[axis]] takes a list of values or a range.")]
pub struct Sweep {
    /// An experiment's file or id, a scenario, the name of a bundled scenario, such as family or rrul, or - for standard
    /// input
    #[arg(value_name = "FILE.toml|NAME|ID")]
    pub file: PathBuf,
    /// Also vary this key of the scenario over these values; the last axis varies fastest
    #[arg(long, value_name = "PATH=V,V..", value_parser = axis)]
    pub axis: Vec<(String, String)>,
    /// Set a value of the scenario everywhere, once for each: wifi.attempts=4, 'app."our film".start=2s'; without a
    /// value, wifi.attempts=, remove it
    #[arg(long, value_name = "PATH=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Disciplines [default: those of the file, else those of `airtab compare`]
    #[arg(long, value_name = "LIST")]
    pub queues: Option<QueueList>,
    /// Seeds of each point and discipline: 1 to N, A to B, or a list such as 1,5,9 [default: those of the file, else 5]
    #[arg(long, value_name = "N|A-B|LIST", value_parser = seeds)]
    pub seeds: Option<Seeds>,
    /// Give a point 10 seeds, 20, 40 .. until half of the 95 % interval of this figure is no more than that under all of its
    /// disciplines, in the unit of results, as in game.game_mos=0.05; a point that does not come so far is told of, with exit code 0
    #[arg(long, value_name = "METRIC=HALFWIDTH", value_parser = width, allow_hyphen_values = true)]
    pub until: Option<(String, f64)>,
    /// Seeds of a point that is narrow enough at once, with --until [default: 10]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(2..=MOST_SEEDS))]
    pub first: Option<u64>,
    /// Seeds that a point may get, with --until [default: 320, or as many as --seeds names]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(2..=MOST_SEEDS))]
    pub most: Option<u64>,
    /// Runs at the same time; the results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub jobs: Option<u16>,
    /// Make the runs of one machine of N alone, and leave them as packs in --out
    #[arg(long, value_name = "I/N", requires = "out", value_parser = shard)]
    pub shard: Option<Part>,
    /// Make the results of packs in these folders; no run is made
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with_all = ["shard", "no_cache", "budget"])]
    pub merge: Vec<PathBuf>,
    /// Stop once all runs have taken so much processor time; the same command goes on from there
    #[arg(long, value_name = "TIME", value_parser = budget)]
    pub budget: Option<Duration>,
    /// Have the runs made by Dask: `local`, or the address of a scheduler (needs the command of the package for Python)
    #[arg(long, value_name = "local|tcp://HOST:PORT", conflicts_with_all = ["shard", "merge", "budget"])]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub form: Form,
    /// Write the results into this directory, which stands alone: index.html with figures, results.parquet (and with
    /// --format csv or json that, too), input.toml, manifest.json
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Neither use nor keep finished runs
    #[arg(long, conflicts_with = "shard")]
    pub no_cache: bool,
}

fn axis(text: &str) -> Result<(String, String), String> {
    match text.contains('=') {
        true => assignment(text),
        false => Err("give a key of the scenario and its values, as in queue.chap.limit=35,70".into()),
    }
}

/// As `--seeds` has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// In their order.
    pub all: Vec<u64>,
    /// As they were written.
    pub text: String,
}

/// Far above any sweep.
const MOST_SEEDS: u64 = 100_000;

/// Reads seeds.
///
/// # Errors
/// What is none of the three forms.
pub fn seeds(text: &str) -> Result<Seeds, String> {
    let number = |text: &str| {
        text.trim().parse::<u64>().map_err(|_| format!("'{text}' is no seed: give 20, 1-20 or 1,5,9"))
    };
    let range = |text: &str| match text.split_once('-') {
        Some((from, to)) => match (number(from)?, number(to)?) {
            (from, to) if from > to => Err(format!("{from}-{to} has no seed: write {to}-{from}")),
            (from, to) if to - from >= MOST_SEEDS => Err(format!("{text}: at most {MOST_SEEDS} seeds")),
            (from, to) => Ok((from..=to).collect()),
        },
        None => Ok(vec![number(text)?]),
    };
    let all: Vec<u64> = match text {
        _ if text.starts_with('-') => {
            return Err(format!(
                "'{text}' is not a number of seeds: give 1 to {MOST_SEEDS}, a range such as 1-20, or a list such as 1,5,9"
            ));
        }
        _ if text.contains(',') => {
            let items = text.split(',').filter(|item| !item.trim().is_empty());
            items.map(range).collect::<Result<Vec<Vec<u64>>, String>>()?.concat()
        }
        _ if text.contains('-') => range(text)?,
        _ => match number(text)? {
            n @ 1..=MOST_SEEDS => (1..=n).collect(),
            n => return Err(format!("{n} seeds: give 1 to {MOST_SEEDS}")),
        },
    };
    if all.is_empty() {
        return Err("names no seed: give 20, 1-20 or 1,5,9".into());
    }
    match crate::commands::twice(&all) {
        Some(seed) => Err(format!("names seed {seed} twice")),
        None => Ok(Seeds { all, text: text.into() }),
    }
}

fn width(text: &str) -> Result<(String, f64), String> {
    let read =
        text.rsplit_once('=').and_then(|(metric, width)| Some((metric.trim(), width.trim().parse().ok()?)));
    match read {
        Some((metric, width)) if !metric.is_empty() => Ok((metric.into(), width)),
        _ => Err("give a figure and half the width of its interval, as in game.game_mos=0.05".into()),
    }
}

/// Reads `I/N`.
///
/// # Errors
/// There is no such shard.
pub fn shard(text: &str) -> Result<Part, String> {
    let read = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match read {
        Some((i, of)) if (1..=of).contains(&i) && of <= 1_000_000 => Ok(Part { number: i - 1, of }),
        Some((i, of)) => Err(format!("there is no shard {i} of {of}: the first of 4 is 1/4, the last 4/4")),
        None => Err("give the number of this shard and how many there are, as in 1/4".into()),
    }
}

fn budget(text: &str) -> Result<Duration, String> {
    match Unit::Ns.parse(text) {
        Ok(0) => Err("at least 1ns".into()),
        Ok(ns) => Ok(Duration::from_nanos(ns)),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_in_three_forms() {
        let read = |text| seeds(text).map(|seeds| seeds.all);
        assert_eq!(read("3"), Ok(vec![1, 2, 3]));
        assert_eq!(read("7-9"), Ok(vec![7, 8, 9]));
        assert_eq!(read("9,1,4-5"), Ok(vec![9, 1, 4, 5]));
        assert_eq!(read("7,"), Ok(vec![7]), "one seed that is not the first");
        for (text, said) in [
            ("0", "0 seeds: give 1 to 100000"),
            ("", "'' is no seed: give 20, 1-20 or 1,5,9"),
            (",", "names no seed: give 20, 1-20 or 1,5,9"),
            ("5-3", "5-3 has no seed: write 3-5"),
            ("1-200000", "1-200000: at most 100000 seeds"),
            ("1,x", "'x' is no seed: give 20, 1-20 or 1,5,9"),
            ("1,2,1", "names seed 1 twice"),
        ] {
            assert_eq!(read(text), Err(said.into()), "{text}");
        }
    }

    #[test]
    fn a_hundred_thousand_seeds_are_the_most() {
        let count = |text: &str| seeds(text).map(|seeds| (seeds.all.len(), seeds.text));
        for text in ["100000", "1-100000", "7-100006"] {
            assert_eq!(count(text), Ok((100_000, text.into())));
        }
        assert_eq!(count("100001"), Err("100001 seeds: give 1 to 100000".into()));
        assert_eq!(count("1-100001"), Err("1-100001: at most 100000 seeds".into()));
        assert_eq!(seeds("0-2").map(|seeds| seeds.all), Ok(vec![0, 1, 2]));
        assert_eq!(seeds("5-5").map(|seeds| seeds.all), Ok(vec![5]));
        assert_eq!(seeds("3-5,4"), Err("names seed 4 twice".into()));
    }

    /// The last of several equal signs is the one before the width.
    #[test]
    fn a_width_is_behind_the_last_equal_sign() {
        assert_eq!(width("game.game_mos=0.05"), Ok(("game.game_mos".into(), 0.05)));
        assert_eq!(width(" a=b.mos = 2e3 "), Ok(("a=b.mos".into(), 2000.0)));
        assert_eq!(width("x.y=-1"), Ok(("x.y".into(), -1.0)));
        assert!(width("=0.05").is_err() && width("x.y=").is_err() && width("x.y").is_err());
        assert_eq!(budget("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(budget("5ms"), Ok(Duration::from_millis(5)));
        assert_eq!(budget("0s"), Err("at least 1ns".into()));
        assert_eq!(axis("queue.chap.limit=35,70"), Ok(("queue.chap.limit".into(), "35,70".into())));
    }

    #[test]
    fn shards_are_counted_from_one() {
        assert_eq!(shard("1/4"), Ok(Part { number: 0, of: 4 }));
        assert_eq!(shard("4/4"), Ok(Part { number: 3, of: 4 }));
        assert_eq!(shard("1000000/1000000"), Ok(Part { number: 999_999, of: 1_000_000 }));
        assert!(shard("1/1000001").is_err());
        for text in ["0/4", "5/4", "1/0", "0/0", "x/4", "1", "-1/4"] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
