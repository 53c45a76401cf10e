// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Long commands: a bar while they run, and what Ctrl-C does. Of files that are read: `reading`.
//!
//! What it does not do: no run is counted here.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use airtab_lab::count;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{output, stop};

pub use crate::stop::INTERRUPTED;

/// A bar on a terminal, one plain line otherwise.
pub fn progress_bar(runs: usize) -> ProgressBar {
    if output::is_quiet() || !std::io::stderr().is_terminal() {
        output::note(&format!("{} ...", count(runs, "run")));
        return ProgressBar::hidden();
    }
    let form = format!("{{bar:40}} {{pos}} of {}, {{eta}} left", count(runs, "run"));
    ProgressBar::new(runs as u64)
        .with_style(ProgressStyle::with_template(&form).expect("the template is right"))
}

/// The same, where nobody knows yet how many runs there will be: so many at first.
pub fn growing_bar(first: usize) -> ProgressBar {
    if output::is_quiet() || !std::io::stderr().is_terminal() {
        if first > 0 {
            output::note(&format!("{} of the first round ...", count(first, "run")));
        }
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {pos} runs, {elapsed}");
    ProgressBar::new_spinner().with_style(style.expect("the template is right"))
}

/// Something that turns, with words beside it, on a terminal.
#[cfg(has_probe)]
pub fn spinner() -> ProgressBar {
    if output::is_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {msg}").expect("the template is right");
    ProgressBar::new_spinner().with_style(style)
}

/// The first Ctrl-C ends runs in good order; the second one ends at once.
pub fn stop_on_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    stop::flag(true)
}
