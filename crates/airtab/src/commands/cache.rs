// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab cache`.

pub mod args;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use airtab_lab::count;
use airtab_lab::store::tidy::{self, Pruned, Size, Verdict, What};
use anyhow::Context;
use serde::Serialize;

use self::args::{Cache, CacheCommand, Where};
use super::kept;
use crate::output;

/// Looks at the folder, or tidies it.
pub fn cache(args: &Cache) -> anyhow::Result<ExitCode> {
    match &args.command {
        CacheCommand::Size(at) => {
            let folder = folder(at);
            let size = if folder.exists() {
                tidy::size(&folder).with_context(|| cannot(&folder))?
            } else {
                Size::default()
            };
            show(at, &folder, &size, sizes)
        }
        CacheCommand::Verify(at) => {
            let folder = folder(at);
            let verdict = if folder.exists() {
                tidy::verify(&folder).with_context(|| cannot(&folder))?
            } else {
                Verdict::default()
            };
            show(at, &folder, &verdict, verdicts)?;
            Ok(ExitCode::from(u8::from(!verdict.damaged.is_empty())))
        }
        CacheCommand::Prune { at, all } => {
            let folder = folder(at);
            let pruned = if folder.exists() {
                tidy::prune(&folder, *all).with_context(|| format!("cannot tidy {}", folder.display()))?
            } else {
                Pruned::default()
            };
            show(at, &folder, &pruned, removed)
        }
    }
}

fn folder(at: &Where) -> PathBuf {
    at.dir.clone().unwrap_or_else(|| kept::packs(&kept::folder()))
}

fn cannot(folder: &Path) -> String {
    format!("cannot read the packs in {}", folder.display())
}

fn show<T: Serialize>(
    at: &Where,
    folder: &Path,
    what: &T,
    words: impl Fn(&T) -> String,
) -> anyhow::Result<ExitCode> {
    let text = match at.form.is_json() {
        true => serde_json::to_string_pretty(&serde_json::json!({ "folder": folder, "cache": what }))? + "\n",
        false => format!("{}: {}\n", folder.display(), words(what)),
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn sizes(size: &Size) -> String {
    let mut text =
        format!("{} in {}, {}", count(size.runs, "run"), count(size.packs, "pack"), bytes(size.bytes));
    if size.other_packs > 0 {
        let other = count(size.other_packs, "pack");
        text += &format!(
            "\n{other} of other versions, {}: airtab cache prune removes them",
            bytes(size.other_bytes)
        );
    }
    text + &foreign(size.foreign)
}

fn verdicts(verdict: &Verdict) -> String {
    let mut text = format!("{} can be read", count(verdict.whole, "run"));
    for damage in &verdict.damaged {
        text += &format!(
            "\n{}: {} from byte {} on: {}",
            damage.pack.display(),
            bytes(damage.bytes),
            damage.at,
            damage.what.words()
        );
    }
    if verdict.damaged.iter().any(|damage| damage.what != What::Foreign) {
        text += "\nairtab cache prune removes what is damaged; it is made again when it is asked for";
    }
    text
}

fn removed(pruned: &Pruned) -> String {
    let mut text = format!(
        "{} smaller; {} left; {} removed, {} put together",
        bytes(pruned.bytes),
        count(pruned.runs, "run"),
        count(pruned.other_packs, "pack"),
        pruned.put_together
    );
    if pruned.in_use > 0 {
        text += &format!("; {} in use, left alone", count(pruned.in_use, "pack"));
    }
    text + &foreign(pruned.foreign)
}

fn foreign(files: usize) -> String {
    match files {
        0 => String::new(),
        _ => format!("\n{} of that suffix that airtab has not made, left alone", count(files, "file")),
    }
}

/// As people count them.
fn bytes(n: u64) -> String {
    match n {
        0..10_000 => count(n as usize, "byte"),
        10_000..10_000_000 => format!("{} kB", n / 1000),
        10_000_000..10_000_000_000 => format!("{} MB", n / 1_000_000),
        _ => format!("{} GB", n / 1_000_000_000),
    }
}
