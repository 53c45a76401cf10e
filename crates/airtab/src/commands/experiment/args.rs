// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab experiment`.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::args::whole;
use crate::form::{Form, Printed};

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

Finished runs are kept: `airtab cache` says where, and looks after them.")]
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
    /// What one is about: what varies, what is expected and where its source says so
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
    /// Run some, and hold what comes out against what was expected
    ///
    /// Exit code 1 if a verdict is red that is not known to be.
    Run(RunExperiments),
    /// Run all in full, and write the table of everything measured against everything published
    Scoreboard {
        /// Such as chap/qsize-game, a whole family such as stz, a pattern such as 'chap/dapp-*', or files [default: all of
        /// the repository's that are simulated]
        #[arg(value_name = "ID|FAMILY|PATTERN|FILE.toml")]
        experiments: Vec<String>,
        /// Run those in real time, as root, and replace the live part of the board alone
        #[arg(long, conflicts_with = "experiments")]
        live: bool,
        /// Take live runs that an earlier command made
        #[arg(long)]
        resume: bool,
        /// Only the points that verdicts need, with fewer seeds
        #[arg(long)]
        quick: bool,
        /// The folder of README.md
        #[arg(long, value_name = "DIR", default_value = "experiments")]
        out: PathBuf,
        /// Runs at the same time; the results do not depend on it [default: one for each processor]
        #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=1024))]
        jobs: Option<u16>,
    },
}

#[derive(Parser, Default)]
pub struct RunExperiments {
    /// Such as chap/qsize-game, a whole family such as stz, a pattern such as 'chap/dapp-*', or files
    #[arg(value_name = "ID|FAMILY|PATTERN|FILE.toml", required_unless_present = "all")]
    pub experiments: Vec<String>,
    /// All of the repository's that are simulated
    #[arg(long, conflicts_with = "experiments")]
    pub all: bool,
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
