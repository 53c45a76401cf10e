// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab scenario check` and `airtab scenario show`.

use std::path::PathBuf;
use std::process::ExitCode;

use airtab_core::Discipline;
use airtab_lab::count;
use airtab_scenario::{FileError, HOME, limited_twice};

use super::Found;
use super::reading::named;
use crate::args::{Scenario, ScenarioCommand};
use crate::output;

/// Checks files, or shows the built-in scenario.
pub fn scenario(args: &Scenario) -> anyhow::Result<ExitCode> {
    match &args.command {
        ScenarioCommand::Show => output::print(HOME)?,
        ScenarioCommand::Check { files } => return check(files),
    }
    Ok(ExitCode::SUCCESS)
}

fn check(files: &[PathBuf]) -> anyhow::Result<ExitCode> {
    let mut code = ExitCode::SUCCESS;
    for path in files {
        let name = named(path);
        match Found::of(Some(path)).and_then(|found| found.parse()) {
            Ok(file) => {
                super::tell_warnings(&file);
                let s = &file.scenario;
                let airtime_fq = Discipline::named("airtime_fq").map(|d| file.queues.params(d));
                if let Some(warning) = airtime_fq.and_then(|params| limited_twice(s, &params)) {
                    output::warn(&format!("{name}: {warning}"));
                }
                output::print(&format!(
                    "{name}: ok: {}, {} s, {}, {}\n",
                    s.name,
                    s.duration_ns as f64 / 1e9,
                    count(s.stations.len(), "station"),
                    count(s.apps.len(), "application"),
                ))?;
                for app in &s.apps {
                    let active_ns = app.active_ns.end - app.active_ns.start;
                    if let Some(note) = airtab_scenario::note(&app.kind, active_ns) {
                        output::print(&format!("  {}: {note}\n", app.name))?;
                    }
                }
                #[cfg(has_live)]
                print_refusals(s)?;
            }
            Err(e) => {
                let found = match &e {
                    FileError::Wrong(problems) => count(problems.len(), "problem"),
                    FileError::Unreadable { .. } => "unreadable".into(),
                };
                output::print(&format!("{name}: {found}\n"))?;
                output::tell(&e.to_string());
                code = ExitCode::from(1);
            }
        }
    }
    Ok(code)
}

/// What is refused in real time only: it can be simulated.
#[cfg(has_live)]
fn print_refusals(s: &airtab_sim::Scenario) -> anyhow::Result<()> {
    let mut all: Vec<(&str, String)> =
        airtab_live::House::refusals(s).into_iter().map(|e| ("up", e.to_string())).collect();
    let mut apps: Vec<(String, Vec<String>)> = Vec::new();
    for refused in airtab_live::Apps::refusals(s) {
        let airtab_live::LiveError::App { app, said } = refused else {
            all.push(("run", refused.to_string()));
            continue;
        };
        match apps.iter_mut().find(|(other, _)| *other == said) {
            Some((_, names)) => names.push(app),
            None => apps.push((said, vec![app])),
        }
    }
    all.extend(apps.into_iter().map(|(said, names)| {
        let what = if names.len() == 1 { "application" } else { "applications" };
        ("run", format!("{what} {}: {said}", names.join(", ")))
    }));
    for (command, refused) in all {
        output::print(&format!("  not in airtab live {command}: {refused}\n"))?;
    }
    Ok(())
}
