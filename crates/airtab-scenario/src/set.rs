// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! One value of a scenario's text set by its path, as `--set PATH=VALUE` does.
//!
//! Comments, order and layout stay: only the line of the value differs, or one line more is there. Source: paths are
//! dotted keys of TOML 1.0, with the name of an entry behind the name of a list: `station."our tablet".distance`.
//!
//! What it does not do: whether a value is allowed, and whether a table knows a key, is for whoever reads the text
//! afterwards ([`ScenarioFile::parse`](crate::ScenarioFile::parse)). Axes of experiments set values of merged tables,
//! which have no text yet (`airtab-lab`).

use toml_edit::{Decor, DocumentMut, InlineTable, Item, Key, Table, TableLike, Value};

use crate::reader::instead;
use crate::scenario_file::top_keys;

/// Why a value was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SetError {
    /// The path, as it was given.
    pub path: String,
    /// What is wrong with it or with the value, and what to write.
    pub message: String,
}

/// The text of a scenario with one value changed or added.
///
/// `path` names it: `duration`, `wifi.attempts`, `queue.chap.limit`, `station.tablet.distance`; of names with other
/// characters than letters, digits, `_` and `-` in quotes, `app."our film".start`; of lists without names the number of
/// an entry from 1 on, `link.2.fer`. A table of the reader's that the text
/// does not have is added. `value` is a value of TOML, and what is none is a text: `7`, `true`, `["1s", "9s"]`, `25ms`,
/// `802.11ac`. An empty one removes what the path names, as [`remove`] does; an empty string is `""`.
///
/// # Errors
/// The text is no TOML, the path is none or leads to something that is not there (then: what is), or the value is
/// begun as a list, a table or a text in quotes and is none.
pub fn set(text: &str, path: &str, value: &str) -> Result<String, SetError> {
    if value.trim().is_empty() {
        return remove(text, path);
    }
    let told = |message: String| SetError { path: path.into(), message };
    let value = read_value(value).map_err(told)?;
    edit(text, path, |top, names, last, way| put(find(top, way, text)?, names, last, value))
}

/// The words of a path, as [`set`] takes it: `app."our film".start` has three. None if it is none.
pub fn path_words(path: &str) -> Option<Vec<String>> {
    let words = Key::parse(path).ok()?;
    Some(words.iter().map(|word| word.get().to_string()).collect())
}

/// A name as a word of a path: in quotes where it needs them.
pub(crate) fn quoted_name(name: &str) -> String {
    Key::new(name).to_string()
}

/// The text of a scenario with one value, table or entry of a list taken out, and the comment above it.
///
/// `path` is as in [`set`]; `station.tablet` names an entry of a list.
///
/// # Errors
/// The text is no TOML, or the path is none or leads to something that is not there (then: what is).
pub fn remove(text: &str, path: &str) -> Result<String, SetError> {
    edit(text, path, |top, _, last, way| take(top, way, last, text))
}

/// Changes the document by the words of a path: all, the last, those before.
fn edit(
    text: &str,
    path: &str,
    change: impl FnOnce(&mut Table, &[&str], &str, &[&str]) -> Result<(), String>,
) -> Result<String, SetError> {
    let told = |message: String| SetError { path: path.into(), message };
    let words = read_path(path).map_err(told)?;
    let names: Vec<&str> = words.iter().map(Key::get).collect();
    let (last, way) = names.split_last().ok_or_else(|| told("names no key".into()))?;
    // TOML's own ends of lines are put back below.
    let unix = text.replace("\r\n", "\n");
    let mut document: DocumentMut = unix.parse().map_err(|e: toml_edit::TomlError| {
        told(format!("the scenario is no TOML: {}", e.message().replace('\n', ", ")))
    })?;
    change(document.as_table_mut(), &names, last, way).map_err(told)?;
    let changed = document.to_string();
    // A last line without an end keeps to that.
    let changed = match unix.ends_with('\n') || !changed.ends_with('\n') {
        true => changed,
        false => changed[..changed.len() - 1].into(),
    };
    Ok(if unix.len() < text.len() { changed.replace('\n', "\r\n") } else { changed })
}

/// `PATH=VALUE`, as one word of a command line; a name in quotes may have a `=` in it.
///
/// # Errors
/// It has no `=`, or no path in front of one.
pub fn assignment(word: &str) -> Result<(String, String), String> {
    let at = word.match_indices('=').map(|(at, _)| at);
    let mut parts = at.map(|at| (&word[..at], &word[at + 1..]));
    let first = parts.clone().next().ok_or("write PATH=VALUE, as in wifi.attempts=4")?;
    let (path, value) = parts.find(|(path, _)| Key::parse(path).is_ok()).unwrap_or(first);
    read_path(path).map_err(|message| format!("{path}: {message}"))?;
    Ok((path.trim().into(), value.into()))
}

fn read_path(path: &str) -> Result<Vec<Key>, String> {
    Key::parse(path).map_err(|_| {
        "is no path such as wifi.attempts or station.tablet.distance; a name with other characters than letters, \
         digits, _ and - goes in quotes: station.\"our tablet\".distance"
            .into()
    })
}

/// What is no value of TOML is a text.
fn read_value(text: &str) -> Result<Value, String> {
    let text = text.trim();
    match text.parse::<Value>() {
        Ok(mut value) => {
            // Spaces as new lines have them.
            value.decor_mut().clear();
            Ok(value)
        }
        Err(e) if text.starts_with(['"', '\'', '[', '{']) => {
            Err(format!("'{text}' is no value of TOML: {}", e.message().replace('\n', ", ")))
        }
        Err(_) => Ok(text.into()),
    }
}

/// A table, and whether it is one within a line.
type Place<'t> = (&'t mut dyn TableLike, bool);

/// The table at the end of a way. `text`: of the whole scenario.
fn find<'t>(top: &'t mut Table, way: &[&str], text: &str) -> Result<Place<'t>, String> {
    let (mut table, mut in_line): Place = (top, false);
    let mut words = way.iter();
    let mut so_far = String::new();
    while let Some(word) = words.next() {
        if !table.contains_key(word) {
            if so_far.is_empty() {
                let known = top_keys(text);
                if !known.iter().any(|known| known == word) {
                    let known: Vec<&str> = known.iter().map(String::as_str).collect();
                    return Err(format!("a scenario has no table '{word}'{}", guess(word, &known)));
                }
            }
            // A line of dotted words, and no header: so that nothing else moves.
            let mut new = Table::new();
            new.set_dotted(true);
            insert((&mut *table, in_line), word, Item::Table(new));
        }
        so_far = if so_far.is_empty() { (*word).into() } else { format!("{so_far}.{word}") };
        let item = table.get_mut(word).expect("it was there, or is now");
        if !is_list(item) {
            let what = item.type_name();
            in_line = item.is_inline_table();
            table = item.as_table_like_mut().ok_or_else(|| format!("`{so_far}` is no table but {what}"))?;
            continue;
        }
        let Some(name) = words.next() else {
            return Err(format!("name the entry of the list, as in {so_far}.{}", have(item)));
        };
        let at = entry_at(item, &so_far, name)?;
        in_line = item.is_value();
        table = entry(item, at).expect("it is there");
    }
    Ok((table, in_line))
}

/// Place of the entry of that name in a list; where no entry has a name, of that number from 1 on.
fn entry_at(item: &Item, list: &str, name: &str) -> Result<usize, String> {
    let names = names(item);
    if let Some(at) = names.iter().position(|known| known.as_deref() == Some(name)) {
        return Ok(at);
    }
    let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
    if !known.is_empty() {
        return Err(format!("no [[{list}]] '{name}'{}", instead(name, &known)));
    }
    let number = name.parse().ok().filter(|number| (1..=names.len()).contains(number));
    number.map(|number| number - 1).ok_or_else(|| {
        format!(
            "no [[{list}]] '{name}': entries without names have numbers, 1 to {}, as in {list}.1.KEY",
            names.len()
        )
    })
}

/// Adds a key behind all others.
fn insert((table, in_line): Place, key: &str, mut item: Item) {
    if in_line {
        // The space before the brace stays before it.
        let last = table.iter_mut().filter_map(|(_, item)| item.as_value_mut()).last();
        if let (Some(last), Some(new)) = (last, item.as_value_mut()) {
            let end = last.decor_mut().suffix().cloned().unwrap_or_default();
            last.decor_mut().set_suffix("");
            *new.decor_mut() = Decor::new(" ", end);
        }
    }
    table.insert(key, item);
}

/// Where the guess is a part of what was written, `application` say, it is one too.
fn guess(word: &str, known: &[&str]) -> String {
    let plain = instead(word, known);
    let begun = known.iter().find(|known| known.len() > 2 && word.starts_with(**known));
    match begun.filter(|_| plain.starts_with(" (")) {
        Some(begun) => format!("; did you mean `{begun}`?{plain}"),
        None => plain,
    }
}

/// Sets or adds a key of a table.
fn put((table, in_line): Place, path: &[&str], key: &str, mut value: Value) -> Result<(), String> {
    match table.get_mut(key) {
        Some(item) if is_list(item) => Err(format!(
            "is a list of tables: name an entry and its key, as in {}.{}",
            path.join("."),
            have(item)
        )),
        Some(item @ Item::Value(_)) => {
            let old = item.as_value_mut().expect("it is one");
            *value.decor_mut() = old.decor().clone();
            *old = value;
            Ok(())
        }
        Some(Item::Table(inside)) => {
            let keys: Vec<&str> = inside.iter().map(|(key, _)| key).collect();
            Err(format!("is a table: name a key of it (it has {})", keys.join(", ")))
        }
        _ => {
            insert((table, in_line), key, Item::Value(value));
            Ok(())
        }
    }
}

/// Takes out a key of a table, or an entry of a list of tables by its name or number.
fn take(top: &mut Table, way: &[&str], key: &str, text: &str) -> Result<(), String> {
    if let Some((list, before)) = way.split_last() {
        // `station.tablet.distance` has no list before its last word but one: a value of an entry, see below.
        let item = find(top, before, text).ok().and_then(|(table, _)| table.get_mut(list));
        if let Some(item) = item.filter(|item| is_list(item)) {
            let at = entry_at(item, list, key)?;
            match item {
                Item::ArrayOfTables(list) => _ = list.remove(at),
                other => _ = other.as_array_mut().map(|list| list.remove(at)),
            }
            return Ok(());
        }
    }
    let (table, _) = find(top, way, text)?;
    match table.remove(key) {
        Some(_) => Ok(()),
        None => {
            let keys: Vec<&str> = table.iter().map(|(key, _)| key).collect();
            Err(format!("is not there{}", instead(key, &keys)))
        }
    }
}

/// Whether it is a list of tables, in whichever way it is written.
fn is_list(item: &Item) -> bool {
    let tables = |list: &toml_edit::Array| !list.is_empty() && list.iter().all(Value::is_inline_table);
    item.is_array_of_tables() || item.as_array().is_some_and(tables)
}

/// The names of a list's entries, in their order.
fn names(list: &Item) -> Vec<Option<String>> {
    let name = |item: Option<&str>| item.map(str::to_string);
    match list {
        Item::ArrayOfTables(list) => {
            list.iter().map(|table| name(table.get("name").and_then(Item::as_str))).collect()
        }
        other => {
            let entries = other.as_array().into_iter().flatten().map(Value::as_inline_table);
            entries
                .map(|t| name(t.and_then(|t: &InlineTable| t.get("name")).and_then(Value::as_str)))
                .collect()
        }
    }
}

/// An entry of a list by its number.
fn entry(list: &mut Item, at: usize) -> Option<&mut dyn TableLike> {
    match list {
        Item::ArrayOfTables(list) => list.get_mut(at).map(|table| table as &mut dyn TableLike),
        other => {
            let table = other.as_array_mut()?.get_mut(at)?.as_inline_table_mut()?;
            Some(table)
        }
    }
}

/// "NAME.KEY (there are: a, b)", or "1.KEY" of a list without names.
fn have(list: &Item) -> String {
    let known: Vec<String> = names(list).into_iter().flatten().collect();
    if known.is_empty() { "1.KEY".into() } else { format!("NAME.KEY (there are: {})", known.join(", ")) }
}
