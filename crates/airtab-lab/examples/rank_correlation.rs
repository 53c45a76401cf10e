// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! How two figures of the same applications agree, over the data of experiments:
//!
//! ```text
//! airtab experiment run chap/qsize-game chap/dapp-game --quick --out DIR
//! cargo run --release -p airtab-lab --example rank_correlation -- DIR game_mos qoo_score
//! ```
//!
//! Of each experiment and of all together: how many applications (a point, a discipline, an application; means over
//! the seeds) have both figures, Spearman's rank correlation of the two, and the pairs whose ranks differ most.
//!
//! What it does not do: intervals; points that differ in more than the discipline are thrown together.

use std::path::{Path, PathBuf};

use airtab_quality::{ranks, spearman};
use serde_json::Value;

/// How many of the pairs that differ most are told.
const TOLD: usize = 8;

/// One application: where, and both figures.
pub type Pair = (String, f64, f64);

/// Every application of an experiment's data that has both figures.
pub fn pairs(data: &Value, first: &str, second: &str) -> Vec<Pair> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let mut pairs = Vec::new();
    for point in list(&data["outcome"]["points"]) {
        let at: String = list(&data["axes"])
            .iter()
            .zip(list(&point["at"]))
            .map(|(axis, place)| {
                let place = place.as_u64().unwrap_or_default() as usize;
                format!(", {} {}", text(&axis["label"]), text(&axis["values"][place]))
            })
            .collect();
        for queue in list(&point["queues"]) {
            for app in list(&queue["apps"]) {
                let figure = |name: &str| app["metrics"][name]["mean"].as_f64();
                if let (Some(x), Some(y)) = (figure(first), figure(second)) {
                    let (id, name, label) = (text(&data["id"]), text(&app["name"]), text(&queue["label"]));
                    pairs.push((format!("{id}: {name} under {label}{at}"), x, y));
                }
            }
        }
    }
    pairs
}

/// What is printed of experiments, each with its name.
pub fn told(experiments: &[(String, Vec<Pair>)], first: &str, second: &str) -> String {
    let line = |name: &str, pairs: &[Pair]| {
        let rho = spearman(&pairs.iter().map(|(_, x, y)| (*x, *y)).collect::<Vec<_>>());
        let rho = rho.map_or("one does not vary".into(), |rho| format!("{rho:.2}"));
        format!("{name:<28} {:>6} {rho:>18}\n", pairs.len())
    };
    let mut said = format!("{:<28} {:>6} {:>18}\n", "experiment", "pairs", "rank correlation");
    experiments.iter().for_each(|(name, pairs)| said += &line(name, pairs));
    let all: Vec<Pair> = experiments.iter().flat_map(|(_, pairs)| pairs).cloned().collect();
    said += &line("all", &all);
    let of = |figure: &dyn Fn(&Pair) -> f64| ranks(&all.iter().map(figure).collect::<Vec<_>>());
    let (x, y) = (of(&|pair| pair.1), of(&|pair| pair.2));
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| (x[*b] - y[*b]).abs().total_cmp(&(x[*a] - y[*a]).abs()));
    said += "\nFurthest apart, and the ranks of both:\n";
    for i in order.into_iter().take(TOLD) {
        let (place, a, b) = &all[i];
        said += &format!("  {place}: {first} {a:.2} ({}), {second} {b:.2} ({})\n", x[i], y[i]);
    }
    said
}

/// The data files below a folder, in order.
fn files(dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            all.push(path);
        }
    }
    all.sort();
    Ok(all)
}

/// Reads what `--out` of `airtab experiment run` wrote below a folder.
///
/// # Errors
/// What cannot be read, or that nothing has both figures.
pub fn run(dir: &Path, first: &str, second: &str) -> Result<String, String> {
    let mut experiments = Vec::new();
    for file in files(dir).map_err(|e| format!("{}: {e}", dir.display()))? {
        let wrong = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|e| wrong(&e))?;
        let data: Value = serde_json::from_str(&text).map_err(|e| wrong(&e))?;
        let found = pairs(&data, first, second);
        if !found.is_empty() {
            experiments.push((data["id"].as_str().unwrap_or_default().to_string(), found));
        }
    }
    if experiments.is_empty() {
        return Err(format!(
            "{}: no application of an experiment there has both {first} and {second}",
            dir.display()
        ));
    }
    Ok(told(&experiments, first, second))
}

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, first, second] = &args[..] else {
        eprintln!("usage: rank_correlation DIR FIGURE FIGURE, such as d game_mos qoo_score");
        return std::process::ExitCode::from(2);
    };
    match run(Path::new(dir), first, second) {
        Ok(said) => print!("{said}"),
        Err(message) => {
            eprintln!("{message}");
            return std::process::ExitCode::from(2);
        }
    }
    std::process::ExitCode::SUCCESS
}
