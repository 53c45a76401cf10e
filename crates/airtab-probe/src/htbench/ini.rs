// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Configurations in INI, as earlier versions read them, to TOML: `[global]` with its keys, `[class NAME]` with its own, also on
//! one line (`[class dl] server=10.0.0.1:80 path=/f`); a comment begins a line or follows a blank.
//!
//! Comments stay where they were. Keys and values are not judged here: [`Config::parse`](super::config::Config::parse) does
//! that with what comes out.
//!
//! What it does not do: no other dialect of INI, no quotes, no escapes.

use std::fmt::Write;

/// Why a file cannot be converted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct IniError {
    /// The file, as it was named.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong, and what would do.
    pub message: String,
}

/// Whether a text is such a file: it has a section that only INI has.
pub(super) fn is_ini(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[global]") || class(line.trim_start()).is_some())
}

/// The name and the rest of a line that begins with `[class NAME]`.
fn class(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("[class")?.split_once(']')?;
    name.starts_with([' ', '\t']).then_some((name.trim(), rest))
}

/// The text of `file` as TOML.
///
/// # Errors
/// A line is no section, key or comment of such a file.
pub fn to_toml(file: &str, text: &str) -> Result<String, IniError> {
    // TOML has what is of all classes before the first of them; comments before any section are of all, too.
    let (mut global, mut classes) = (String::new(), String::new());
    let mut section = Section::None;
    for (i, whole) in text.lines().enumerate() {
        let error = |message: String| IniError { file: file.into(), line: i + 1, message };
        let (line, comment) = cut(whole);
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix("[global]") {
            (section, line) = (Section::Global, rest.trim());
        } else if let Some((name, rest)) = class(line) {
            (section, line) = (Section::Class, rest.trim());
            let _ = writeln!(classes, "[[class]]\nname = {}", quoted(name));
        } else if line.starts_with('[') {
            return Err(error(format!("{line} means nothing here: use [global] or [class NAME]")));
        }
        let one_line = whole.trim_start().starts_with('[');
        let out = if section == Section::Class { &mut classes } else { &mut global };
        let pairs: Vec<&str> = if one_line { line.split_whitespace().collect() } else { vec![line] };
        let before = out.len();
        for pair in pairs.iter().filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once(['=', ':'])
                .map(|(key, value)| (key.trim(), value.trim()))
                .filter(|(key, _)| !key.is_empty())
                .ok_or_else(|| error(format!("'{pair}' is no key with a value: write key = value")))?;
            if section == Section::None {
                return Err(error(format!("{key} before any section: put [global] above it")));
            }
            let plain = key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
            let key = if plain { key.to_string() } else { quoted(key) };
            // As every command calls it.
            let key = if key == "outdir" { "out".into() } else { key };
            let _ = writeln!(out, "{key} = {}", converted(&key, value));
        }
        let own_line = out.len() == before;
        match comment {
            Some(comment) if own_line => {
                let _ = writeln!(out, "#{comment}");
            }
            Some(comment) => {
                // Behind the last of its keys.
                out.pop();
                let _ = writeln!(out, "  #{comment}");
            }
            None if own_line && whole.trim().is_empty() => out.push('\n'),
            None => {}
        }
    }
    Ok(global + &classes)
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    Global,
    Class,
}

/// A line without its comment, and that without its mark.
fn cut(line: &str) -> (&str, Option<&str>) {
    let begins = |(i, c): (usize, char)| {
        let first = line[..i].chars().next_back().is_none_or(char::is_whitespace);
        (first && (c == '#' || c == ';')).then_some(i)
    };
    match line.char_indices().find_map(begins) {
        Some(i) => (&line[..i], Some(&line[i + 1..])),
        None => (line, None),
    }
}

/// A value: numbers stand without quotes.
fn converted(key: &str, value: &str) -> String {
    let number = matches!(key, "concurrency" | "count").then(|| value.parse::<u64>().ok()).flatten();
    number.map_or_else(|| quoted(value), |n| n.to_string())
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::config::{Config, EXAMPLE};
    use super::*;

    /// The form of the thesis's tool, a class on one line; comments stay with what they are about.
    #[test]
    fn what_was_an_ini_file_is_toml() {
        let text = "# twice\n[global]            # requests per run\n\
            start = broadcast:9999       ; or now\n\
            outdir = res\"ults/\n\n\
            [class dl]  server=10.0.0.1:80  host=www  path=/10MB.bin#z  method=GET  concurrency=1 count=10 # all\n\
            [class ul]\n\
            server : [2001:db8::1]\n\
            path = /cgi-bin/null;x?y=1\nmethod = PUT\n#count = 3\nsize = 10485760\ncount = background\n\
            [global]\nduration = 5s\n";
        let toml = to_toml("x.ini", text).expect("good");
        let expected = "# twice\n# requests per run\nstart = \"broadcast:9999\"  # or now\n\
            out = 'res\"ults/'\n\nduration = \"5s\"\n\
            [[class]]\nname = \"dl\"\nserver = \"10.0.0.1:80\"\nhost = \"www\"\npath = \"/10MB.bin#z\"\n\
            method = \"GET\"\nconcurrency = 1\ncount = 10  # all\n\
            [[class]]\nname = \"ul\"\nserver = \"[2001:db8::1]\"\npath = \"/cgi-bin/null;x?y=1\"\n\
            method = \"PUT\"\n#count = 3\nsize = \"10485760\"\ncount = \"background\"\n";
        assert_eq!(toml, expected);
        let config = Config::parse("x.toml", &toml).expect("good");
        assert_eq!((config.class_names(), config.classes[1].count), (vec!["dl".into(), "ul".into()], None));
    }

    #[test]
    fn what_is_no_ini_file_is_told_with_its_line() {
        for (text, expected) in [
            ("start = now\n", "x.ini:1: start before any section: put [global] above it"),
            ("\n[other]\na = 1\n", "x.ini:2: [other] means nothing here: use [global] or [class NAME]"),
            ("[class]\n", "x.ini:1: [class] means nothing here"),
            ("[global\n", "x.ini:1: [global means nothing here"),
            ("[global]\nwhat\n", "x.ini:2: 'what' is no key with a value: write key = value"),
            ("[class a] server=::1 = 5\n", "x.ini:1: '=' is no key with a value"),
        ] {
            let error = to_toml("x.ini", text).expect_err(expected).to_string();
            assert!(error.starts_with(expected), "{text:?}\n  gives {error}\n  not {expected}");
        }
    }

    #[test]
    fn toml_is_no_ini_file() {
        assert!(!is_ini(EXAMPLE) && !is_ini("") && !is_ini("[[class]]\n[classes]\n[class]"));
        assert!(is_ini("\n [global]\n") && is_ini("[class\tdl]") && is_ini("[class dl] path=/"));
        assert_eq!(
            Config::parse("x.ini", "[class dl] path=/").unwrap_err().to_string(),
            "x.ini: it is an INI file, as earlier versions read them: airtab htbench --convert x.ini prints it as TOML"
        );
    }
}
