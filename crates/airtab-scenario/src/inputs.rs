// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Files that a scenario names, so that a folder of results can have them beside it and stand alone.
//!
//! Source: the keys under which the readers of `kinds` and `requirements` open files.
//!
//! What it does not do: nothing is opened or written here, and no name is looked up.

use toml::{Table, Value};

use crate::kinds::SYNTHETIC_VIDEOS;
use crate::set::{SetError, quoted_name, set};

/// Keys of an application whose value is the name of a file.
const OF_APPS: [&str; 2] = ["trace", "file"];
/// The same of the whole scenario.
const REQUIREMENTS: &str = "requirements";

/// Calls `each` with every name of a file in a scenario, and with the path at which [`set`] finds it.
pub fn named_files(scenario: &mut Table, each: &mut dyn FnMut(&str, &mut String)) {
    if let Some(Value::String(name)) = scenario.get_mut(REQUIREMENTS) {
        each(REQUIREMENTS, name);
    }
    let apps = scenario.get_mut("app").and_then(Value::as_array_mut);
    for app in apps.into_iter().flatten().filter_map(Value::as_table_mut) {
        let Some(name) = app.get("name").and_then(Value::as_str).map(quoted_name) else { continue };
        for key in OF_APPS {
            if let Some(Value::String(file)) = app.get_mut(key)
                && is_file(file)
            {
                each(&format!("app.{name}.{key}"), file);
            }
        }
    }
}

/// Whether a key that [`set`] takes is one whose value is the name of a file.
pub fn names_file(path: &str) -> bool {
    path == REQUIREMENTS
        || path.starts_with("app.") && OF_APPS.iter().any(|key| path.rsplit('.').next() == Some(*key))
}

/// Whether the value of such a key names a file, and not what airtab brings.
pub fn is_file(value: &str) -> bool {
    !SYNTHETIC_VIDEOS.contains(&value)
}

/// The text of a scenario with other names of its files: `rename` gives the new one, or None where it stays. Comments and
/// layout stay, too.
///
/// # Errors
/// The text is no TOML.
pub fn rename_files(text: &str, rename: &mut dyn FnMut(&str) -> Option<String>) -> Result<String, SetError> {
    let read = toml::from_str::<Table>(text);
    let wrong =
        |e: toml::de::Error| SetError { path: "scenario".into(), message: e.message().replace('\n', ", ") };
    let mut renamed = Vec::new();
    named_files(&mut read.map_err(wrong)?, &mut |path, name| {
        renamed.extend(rename(name).map(|new| (path.to_string(), Value::String(new).to_string())));
    });
    renamed.iter().try_fold(text.to_string(), |text, (path, value)| set(&text, path, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "requirements = \"needs.toml\" # ours\n[[app]]\nname = \"film\"\nkind = \"video\"\ntrace = '../a/b.txt'\n\
                        [[app]]\nname = \"our call\"\nkind = \"trace\"\nfile = \"call.pcapng\" # of Monday\n\
                        [[app]]\nname = \"news\"\nkind = \"video\"\ntrace = \"synthetic-two-phase\"\n";

    #[test]
    fn every_file_is_found_where_set_finds_it() {
        let mut found = Vec::new();
        named_files(&mut toml::from_str(TEXT).unwrap(), &mut |path, name| {
            found.push((path.to_string(), name.clone()))
        });
        let found: Vec<(&str, &str)> =
            found.iter().map(|(path, name)| (path.as_str(), name.as_str())).collect();
        let expected = [
            ("requirements", "needs.toml"),
            ("app.film.trace", "../a/b.txt"),
            ("app.\"our call\".file", "call.pcapng"),
        ];
        assert_eq!(found, expected);
        assert!(found.iter().all(|(path, _)| names_file(path)) && !names_file("app.film.start"));
    }

    #[test]
    fn only_names_change() {
        let new = |name: &str| name.contains('/').then(|| "7".to_string());
        let expected = TEXT.replace("'../a/b.txt'", "\"7\"");
        assert_eq!(
            rename_files(TEXT, &mut { new }).unwrap(),
            expected,
            "a text, even where it looks like a number"
        );
        assert_eq!(rename_files(TEXT, &mut |_| None).unwrap(), TEXT);
        let said = rename_files("x = ", &mut |_| None).unwrap_err().to_string();
        assert!(said.starts_with("scenario: "), "{said}");
    }
}
