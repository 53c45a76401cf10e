// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Options of `airtab cache`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::form::Printed;

/// Look after the finished runs that commands keep
///
/// `compare`, `experiment` and `sweep` keep every run that they have made, in packs: files that each process appends to,
/// one for itself. What is asked for again is there at once, whichever command made it; what was interrupted goes on from
/// there. A run of another version of airtab is never taken for one of this version.
#[derive(Parser)]
#[command(after_help = "Examples:
  airtab cache size
  airtab cache verify                          reads every run; exit code 1 if one is damaged
  airtab cache prune                           removes what this version cannot use
  airtab cache prune --all                     removes every run
  cp shards/*.pack ~/.cache/airtab/runs/       puts the runs of `airtab sweep --shard` into it

The folder is $AIRTAB_CACHE/runs, else $XDG_CACHE_HOME/airtab/runs, else ~/.cache/airtab/runs. It may be
removed at any time: what is asked for is made again.")]
pub struct Cache {
    #[command(subcommand)]
    pub command: CacheCommand,
}

#[derive(Subcommand)]
pub enum CacheCommand {
    /// How many runs there are, and how many bytes they take
    Size(Where),
    /// Read every run, and name what is damaged; what is damaged is made again when it is asked for
    Verify(Where),
    /// Remove runs of other versions and what is damaged, and put the rest into one pack
    ///
    /// Packs that another process is writing are left alone.
    Prune {
        #[command(flatten)]
        at: Where,
        /// Remove the runs of this version, too
        #[arg(long)]
        all: bool,
    },
}

#[derive(Args)]
pub struct Where {
    /// Another folder of packs, such as that of a shard
    #[arg(value_name = "DIR")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub form: Printed,
}
