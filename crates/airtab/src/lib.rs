// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The command line of airtab. Source of its words: the tables of the core and
//! `airtab-lab`; this crate reads options, prints, and writes files. A library, so that the package for Python brings
//! the same command ([`main`]), and reads and writes by the same code ([`calls`]).
//!
//! What it does not do: no figure is computed here.

// The macros panic when their reader is gone: `output` has what does not.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
pub mod calls;
mod commands;
mod files;
mod form;
mod inputs;
#[cfg(target_os = "linux")]
mod netlink;
mod output;
mod stop;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::args::{Args, Command};
use crate::calls::Join;

/// Does what the words of a command line ask for, the program's name first. Wrong usage and help end the process.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    main_with(words, &commands::sweep::no_cluster)
}

/// The same with somebody who finds clusters.
pub fn main_with(words: impl Iterator<Item = OsString>, join: Join) -> ExitCode {
    let args = match Args::read(words) {
        Ok(args) => args,
        Err(problem) => {
            output::error(&problem);
            return ExitCode::from(args::USAGE);
        }
    };
    let result = match args.command {
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Contest(args) => commands::contest::contest(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Scenario(args) => commands::scenario::scenario(&args),
        Command::Sweep(args) => commands::sweep::sweep(&args, join),
        Command::Cache(args) => commands::cache::cache(&args),
        Command::Experiment(args) => commands::experiment::experiment(&args),
        Command::Disciplines(args) => commands::disciplines::disciplines(&args),
        Command::Tcp(args) => commands::tcp::tcp(&args),
        Command::Model(args) => commands::model::model(&args),
        Command::Airtime(args) => commands::airtime::airtime(&args),
        Command::Airsim(args) => commands::airsim::airsim(&args),
        Command::Drain(args) => commands::drain::drain(&args),
        Command::Cbr(args) => commands::cbr::cbr(&args),
        Command::EqualAccess(args) => commands::equal_access::equal_access(&args),
        Command::Htbench(args) => commands::htbench::htbench(&args),
        Command::Rpm(args) => commands::rpm::rpm(&args),
        Command::Classes(args) => commands::classes::classes(&args),
        Command::Fingerprint(args) => commands::fingerprint::fingerprint(&args),
        Command::Mesh(args) => commands::mesh::mesh(&args),
        Command::Live(args) => commands::live::live(&args),
        Command::Serve(args) => commands::serve::serve(&args),
        Command::Schema(args) => commands::schema::schema(&args),
        Command::Completions(args) => commands::pages::completions(&args),
        Command::Man(args) => commands::pages::man(&args),
    };
    match result {
        Ok(code) => code,
        // `airtab ... | head`: the reader has seen enough.
        Err(e) if output::is_broken_pipe(&e) => ExitCode::SUCCESS,
        Err(e) => {
            output::error(&output::message(&e));
            ExitCode::from(1)
        }
    }
}
