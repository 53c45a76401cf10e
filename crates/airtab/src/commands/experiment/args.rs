// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab experiment`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::args::whole;
use crate::form::{Form, Printed};

/// Directory of the experiments in a checkout of the repository.
pub const EXPERIMENTS: &str = "experiments";

/// Repeat the experiments of the studies: published numbers against measured ones
///
/// An experiment is a scenario, what varies in it, and what its source says
/// should come out. Finished runs are kept: the same command goes on where it
/// was interrupted, and experiments that share runs share their time.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab experiment list
  airtab experiment show chap/qsize-game
  airtab experiment run chap/qsize-game --out results
  airtab experiment run 'chap/dapp-*' --quick  those whose names begin so
  airtab experiment run --all --quick          only the points that verdicts need, with fewer seeds
  airtab experiment run my-own.toml            docs/experiments.md describes the file
  airtab experiment run --stale                repeat what has changed since its result was stored

In a checkout of airtab's repository a full run of one of its experiments is
stored in experiments/results; `airtab experiment scoreboard` makes pages of it.

Runs are cached: `airtab cache` prints where, verifies and removes them.")]
pub struct Experiment {
    #[command(subcommand)]
    pub command: ExperimentCommand,
}

#[derive(Subcommand)]
pub enum ExperimentCommand {
    /// Every experiment: what it shows, how many runs it takes
    List {
        #[command(flatten)]
        form: Printed,
    },
    /// Show axes, checks and source of an experiment
    Show {
        /// Such as chap/qsize-game, or a file
        #[arg(value_name = "ID|FILE.toml")]
        experiment: String,
        /// Print its file, to start from
        #[arg(long, conflicts_with_all = ["json", "format"])]
        toml: bool,
        #[command(flatten)]
        form: Printed,
    },
    /// Run experiments and compare results with expected values
    ///
    /// Exit code 1 if a verdict is red that is not known to be. In a checkout of airtab's repository a full run of one of its
    /// experiments is stored in experiments/results.
    Run(RunExperiments),
    /// Generate the scoreboard from the stored results
    ///
    /// Writes README.md and a page for each family of experiments. It runs no simulation.
    Scoreboard {
        /// Exit with code 1 if a page differs from the results, and write none
        #[arg(long)]
        check: bool,
        /// Directory of the experiments of a checkout
        #[arg(long, value_name = "DIR", default_value = EXPERIMENTS)]
        dir: PathBuf,
    },
}

#[derive(Parser, Default)]
pub struct RunExperiments {
    /// Such as chap/qsize-game, a whole family such as stz, a pattern such as 'chap/dapp-*', or files
    #[arg(value_name = "ID|FAMILY|PATTERN|FILE.toml", required_unless_present_any = ["all", "stale"])]
    pub experiments: Vec<String>,
    /// All of the repository's that are simulated
    #[arg(long, conflicts_with = "experiments")]
    pub all: bool,
    /// Only simulated ones whose stored result is stale or missing, of those named [default: of all]; in a checkout
    #[arg(long, conflicts_with_all = ["all", "quick", "seeds"])]
    pub stale: bool,
    /// Only the points that verdicts need, with fewer seeds
    #[arg(long)]
    pub quick: bool,
    /// Runs of each point and discipline, seeds 1 to N [default: the experiment's own]
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..=100_000))]
    pub seeds: Option<u64>,
    /// Runs at the same time; the results do not depend on it [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub form: Form,
    /// Also write a page with figures, the data and the file of each experiment into this directory
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Neither use nor keep finished runs
    #[arg(long)]
    pub no_cache: bool,
    /// Take live runs that an earlier command made, such as one that was interrupted; without, all are
    /// made anew: no two are equal
    #[arg(long, conflicts_with = "no_cache")]
    pub resume: bool,
}
