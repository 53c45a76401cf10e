//! `airtab scenario check` and `airtab scenario show`.

use std::path::PathBuf;
use std::process::ExitCode;

use airtab_scenario::{FileError, HOME, ScenarioFile};
use airtab_sim::traffic::Video;
use airtab_sim::traffic::video::{Frames, PERIOD_NS};
use airtab_sim::{App, AppKind};

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
        match ScenarioFile::load(path) {
            Ok(file) => {
                let s = &file.scenario;
                output::print(&format!(
                    "{}: ok: {}, {} s, {}, {}\n",
                    path.display(),
                    s.name,
                    s.duration_ns as f64 / 1e9,
                    count(s.stations.len(), "station"),
                    count(s.apps.len(), "application"),
                ))?;
                for app in &s.apps {
                    if let AppKind::Video(Video { frames, .. }) = &app.kind {
                        output::print(&video(app, frames))?;
                    }
                }
            }
            Err(e) => {
                let found = match &e {
                    FileError::Wrong(problems) => count(problems.len(), "problem"),
                    FileError::Unreadable { .. } => "unreadable".into(),
                };
                output::print(&format!("{}: {found}\n", path.display()))?;
                output::note(&e.to_string());
                code = ExitCode::from(1);
            }
        }
    }
    Ok(code)
}

/// What a video is like, so that a wrong or cut trace is seen.
fn video(app: &App, Frames(frames): &Frames) -> String {
    let bytes: u64 = frames.iter().map(|frame| u64::from(frame.bytes)).sum();
    let length_ns = frames.len() as u64 * PERIOD_NS;
    let needed_ns = app.active_ns.end - app.active_ns.start;
    let mbps = bytes as f64 * 8e3 / length_ns as f64;
    let seconds = |ns: u64| (ns as f64 / 1e8).round() / 10.0;
    let again = if length_ns < needed_ns {
        format!("; it is sent for {} s and starts again", seconds(needed_ns))
    } else {
        String::new()
    };
    format!(
        "  {}: {}, {} s, {mbps:.2} Mb/s{again}\n",
        app.name,
        count(frames.len(), "frame"),
        seconds(length_ns)
    )
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
