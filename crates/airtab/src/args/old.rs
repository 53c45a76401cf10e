// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Names that options had before: read for one version more, with a warning that has the new one.
//!
//! Words are replaced before they are read, so that help, completions and manual pages know the new names alone. What
//! it does not do: `live run --quick`, whose meaning depends on what is run, is the command's own.

use std::ffi::OsString;

/// An option of a command under its old name.
struct Old {
    command: &'static str,
    was: &'static str,
    is: &'static str,
    /// What there is to know besides.
    about: &'static str,
    /// Of a value that was a bare number.
    unit: &'static str,
}

const OLD: [Old; 7] = [
    Old {
        command: "compare",
        was: "--quick",
        is: "--short",
        about: "all times of the schedule / 10; in the next version --quick means fewer seeds, as in `airtab experiment run`",
        unit: "",
    },
    Old { command: "htbench", was: "--outdir", is: "--out", about: "", unit: "" },
    Old { command: "model", was: "--plot", is: "--out", about: FOLDER, unit: "" },
    Old { command: "classes", was: "--plot", is: "--out", about: FOLDER, unit: "" },
    Old { command: "model", was: "--length", is: "--duration", about: "", unit: "" },
    Old { command: "tcp", was: "--seconds", is: "--duration", about: TIME, unit: "s" },
    Old { command: "rpm", was: "--seconds", is: "--duration", about: TIME, unit: "s" },
];
const FOLDER: &str = "a directory, which gets the figure (.svg) and its data (.csv)";
const TIME: &str = "a time with its unit, such as 20s";

/// Commands whose `--out` was the name of an SVG.
const FIGURES: [&str; 3] = ["model", "classes", "tcp"];

/// The same words with new names, and what there is to say of the old ones. The program's name is the first word.
pub fn renamed(mut words: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut said = Vec::new();
    // Options of all commands may stand before it; one of them has a value.
    let other = |i: &usize| words[*i].as_encoded_bytes().starts_with(b"-") || words[*i - 1] == "--color";
    let Some(at) = (1..words.len()).find(|i| !other(i)) else { return (words, said) };
    let command = words[at].to_string_lossy().into_owned();
    let (mut figure, mut unit) = (false, "");
    for word in words.iter_mut().skip(at + 1).take_while(|word| *word != "--") {
        let Some(text) = word.to_str().map(str::to_string) else { continue };
        let bare = |value: &str| value.bytes().all(|digit| digit.is_ascii_digit());
        // A value of the option before.
        let behind = std::mem::take(&mut unit);
        if !behind.is_empty() && bare(&text) {
            *word = format!("{text}{behind}").into();
            continue;
        }
        let (option, value) =
            text.split_once('=').map_or((text.as_str(), None), |(option, value)| (option, Some(value)));
        let file = value.unwrap_or(option);
        if FIGURES.contains(&command.as_str()) && (figure || option == "--out") && ends_in_svg(file) {
            said.push(format!(
                "--out takes a directory: the figure and its data get their names there. The name of a file, {file}, \
                 is taken for one version more"
            ));
        }
        figure = option == "--out" && value.is_none();
        let Some(old) = OLD.iter().find(|old| old.command == command && old.was == option) else { continue };
        let about = if old.about.is_empty() { String::new() } else { format!(" ({})", old.about) };
        said.push(format!(
            "{} of airtab {command} is now {}{about}; the old name goes with the next version",
            old.was, old.is
        ));
        unit = if value.is_none() { old.unit } else { "" };
        let of = |value| if bare(value) { old.unit } else { "" };
        *word = value.map_or(old.is.into(), |value| format!("{}={value}{}", old.is, of(value))).into();
    }
    (words, said)
}

fn ends_in_svg(name: &str) -> bool {
    name.len() > 4 && name.to_ascii_lowercase().ends_with(".svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> (String, Vec<String>) {
        let (words, said) = renamed(line.split(' ').map(OsString::from).collect());
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        (words.join(" "), said)
    }

    #[test]
    fn old_names_are_read_and_told() {
        for (old, new, told) in [
            (
                "airtab compare --quick x.toml",
                "airtab compare --short x.toml",
                "--quick of airtab compare is now --short (all",
            ),
            (
                "airtab -q compare --quick",
                "airtab -q compare --short",
                "--quick of airtab compare is now --short",
            ),
            (
                "airtab --color always compare --quick",
                "airtab --color always compare --short",
                "--quick of airtab compare is now --short",
            ),
            (
                "airtab htbench b.toml --outdir d",
                "airtab htbench b.toml --out d",
                "--outdir of airtab htbench is now --out; ",
            ),
            (
                "airtab htbench --outdir=d",
                "airtab htbench --out=d",
                "--outdir of airtab htbench is now --out; ",
            ),
            (
                "airtab model chap credits --plot c.svg",
                "airtab model chap credits --out c.svg",
                "--plot of airtab model is now --out (a dir",
            ),
            (
                "airtab tcp trace --seconds 20 --flows 3",
                "airtab tcp trace --duration 20s --flows 3",
                "--seconds of airtab tcp is now --duration (a time",
            ),
            (
                "airtab rpm x --seconds=7",
                "airtab rpm x --duration=7s",
                "--seconds of airtab rpm is now --duration (a time",
            ),
            (
                "airtab model chap delay --length 100s --seeds 2",
                "airtab model chap delay --duration 100s --seeds 2",
                "--length of airtab model is now --duration; ",
            ),
            (
                "airtab classes a.pcap --plot=c.svg",
                "airtab classes a.pcap --out=c.svg",
                "--plot of airtab classes is now --out (a dir",
            ),
        ] {
            let (words, said) = read(old);
            assert_eq!(words, new);
            assert!(said.len() == 1 && said[0].starts_with(told), "{old}: {said:?}");
        }
    }

    /// A bare number gets the unit of the option before it, once; what has a unit keeps it.
    #[test]
    fn only_a_bare_number_gets_a_unit() {
        for (old, new) in [
            ("airtab rpm x --seconds 20s", "airtab rpm x --duration 20s"),
            ("airtab rpm x --seconds=2min", "airtab rpm x --duration=2min"),
            ("airtab rpm --seconds 7 8", "airtab rpm --duration 7s 8"),
            ("airtab rpm --seconds=7 8", "airtab rpm --duration=7s 8"),
            ("airtab rpm x --seconds --up 7", "airtab rpm x --duration --up 7"),
            ("airtab model chap delay --length 100", "airtab model chap delay --duration 100"),
            ("airtab model chap delay --length=100", "airtab model chap delay --duration=100"),
            ("airtab rpm x --seconds 5 -- --seconds 6", "airtab rpm x --duration 5s -- --seconds 6"),
        ] {
            let (words, said) = read(old);
            assert_eq!((words.as_str(), said.len()), (new, 1), "{old}: {said:?}");
        }
        let (words, said) = read("airtab tcp trace --seconds 3 --out t.svg --seconds=4");
        assert_eq!(words, "airtab tcp trace --duration 3s --out t.svg --duration=4s");
        assert_eq!(said.len(), 3, "{said:?}");
        // What it is called, in whole.
        let whole = "--seconds of airtab rpm is now --duration (a time with its unit, such as 20s); the old name goes with the \
                     next version";
        assert_eq!(read("airtab rpm x --seconds 5").1, [whole]);
    }

    #[test]
    fn a_figure_as_a_file_is_told() {
        for line in [
            "airtab tcp trace --out t.svg",
            "airtab tcp trace --out=t.svg",
            "airtab model wqm --out t.SVG",
            "airtab classes a --out t.svg",
        ] {
            let (words, said) = read(line);
            assert!(
                words == line && said.len() == 1 && said[0].starts_with("--out takes a directory"),
                "{line}: {said:?}"
            );
        }
    }

    /// What has a meaning of its own elsewhere, is a value, or comes after `--` stays.
    #[test]
    fn others_keep_their_words() {
        for line in [
            "airtab experiment run all --quick",
            "airtab compare -- --quick",
            "airtab compare --out a.svg",
            "airtab tcp trace --out folder",
            "airtab tcp trace --out folder t.svg",
            "airtab tcp trace --out=folder t.svg",
            "airtab tcp trace --outs=t.svg",
            "airtab classes a.svg",
            "airtab tcp trace --out .svg",
            "airtab --color rpm htbench --seconds 5",
            "airtab tcp trace --quick",
            "airtab compare --seconds 5",
            "airtab live run h.toml --quick",
            "airtab htbench b.toml --out d",
            "airtab --help",
            "airtab",
        ] {
            assert_eq!(read(line), (line.to_string(), Vec::new()));
        }
    }
}
