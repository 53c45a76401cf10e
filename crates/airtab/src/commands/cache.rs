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

#[cfg(test)]
mod tests {
    use airtab_lab::store::tidy::Damage;

    use super::*;

    #[test]
    fn bytes_have_the_largest_unit_of_two_digits() {
        for (n, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (9_999, "9999 bytes"),
            (10_000, "10 kB"),
            (9_999_999, "9999 kB"),
            (10_000_000, "10 MB"),
            (9_999_999_999, "9999 MB"),
            (10_000_000_000, "10 GB"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    /// Each figure has a value of its own.
    #[test]
    fn each_figure_of_a_folder_is_told() {
        let size = Size { packs: 2, runs: 1, bytes: 77_000, other_packs: 0, other_bytes: 88_000, foreign: 0 };
        assert_eq!(sizes(&size), "1 run in 2 packs, 77 kB");
        assert_eq!(
            sizes(&Size { other_packs: 3, foreign: 4, ..size }),
            "1 run in 2 packs, 77 kB\n3 packs of other versions, 88 kB: airtab cache prune removes them\n\
             4 files of that suffix that airtab has not made, left alone"
        );
        let pruned =
            Pruned { other_packs: 3, foreign: 0, put_together: 5, in_use: 0, runs: 6, bytes: 12_000 };
        assert_eq!(removed(&pruned), "12 kB smaller; 6 runs left; 3 packs removed, 5 put together");
        assert_eq!(
            removed(&Pruned { in_use: 2, foreign: 1, ..pruned }),
            "12 kB smaller; 6 runs left; 3 packs removed, 5 put together; 2 packs in use, left alone\n\
             1 file of that suffix that airtab has not made, left alone"
        );
        let damage = |what| Damage { pack: "a.pack".into(), at: 33, bytes: 44, what };
        assert_eq!(verdicts(&Verdict { whole: 9, damaged: Vec::new() }), "9 runs can be read");
        let foreign = verdicts(&Verdict { whole: 9, damaged: vec![damage(What::Foreign)] });
        let expected =
            format!("9 runs can be read\na.pack: 44 bytes from byte 33 on: {}", What::Foreign.words());
        assert_eq!(foreign, expected);
        let torn = verdicts(&Verdict { whole: 9, damaged: vec![damage(What::Torn)] });
        assert!(
            torn.ends_with("prune removes what is damaged; it is made again when it is asked for"),
            "{torn}"
        );
        // Each is named, and one that can be removed is enough for the hint.
        let both = verdicts(&Verdict { whole: 1, damaged: vec![damage(What::Foreign), damage(What::Torn)] });
        let lines: Vec<&str> = both.lines().collect();
        assert_eq!((lines.len(), lines[0]), (4, "1 run can be read"));
        assert_eq!(lines[1].strip_prefix("a.pack: 44 bytes from byte 33 on: "), Some(What::Foreign.words()));
        assert_eq!(lines[2].strip_prefix("a.pack: 44 bytes from byte 33 on: "), Some(What::Torn.words()));
        assert_ne!(What::Foreign.words(), What::Torn.words());
    }
}
