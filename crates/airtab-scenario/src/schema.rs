// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What a file may hold, as JSON Schema (draft 2020-12), for editors and other programs.
//!
//! Source: the readers themselves. They read documents that say little, and everything that they ask for is noted
//! ([`Document::recorded`]): a key that a reader learns is in the schema, and there is no second list.
//!
//! What it does not do: a schema knows keys, types, words and ranges of plain numbers. What depends on other values
//! (a station that is there, a time within the run), and ranges of values with units, the reader alone refuses.

use std::path::Path;

use airtab_core::Unit;
use airtab_sim::wifi::AccessRule;
use serde_json::{Map, Value, json};
use toml::de::DeTable;

use crate::kinds;
use crate::reader::{Document, Entry, Form, Keys, Section};
use crate::scenario_file::{LONGEST_NS, read_file};

/// The draft that schemas are of.
pub const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of scenario files.
pub fn scenario() -> Value {
    let mut schema = table(&scenario_keys());
    own_keys(&mut schema);
    titled("Scenario of airtab", "docs/scenarios.md", schema)
}

/// The same of a part of one, such as the base of an experiment: nothing has to be there.
pub fn part_of_scenario() -> Value {
    let mut keys = scenario_keys();
    optional(&mut keys);
    let mut schema = table(&keys);
    own_keys(&mut schema);
    schema
}

/// With its draft, its title, and where the words are, in place of its own.
pub fn titled(title: &str, page: &str, schema: Value) -> Value {
    let mut all = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    all.insert("$schema".into(), DRAFT.into());
    all.insert("title".into(), title.into());
    all.insert("description".into(), format!("{page} says what each key means").into());
    Value::Object(all)
}

/// What a reader asks for in documents with these texts, in each as it is and as if every table were there.
pub fn asked(texts: &[String], read: impl Fn(&Section, &str)) -> Keys {
    let mut all = Keys::default();
    for (text, missing) in texts.iter().flat_map(|text| [(text, false), (text, true)]) {
        let document = Document::recorded(text, missing);
        let table = DeTable::parse(text).expect("texts of this module are TOML");
        read(&Section::top(&document, table.get_ref()), text);
        all.and(document.into_keys());
    }
    all
}

fn scenario_keys() -> Keys {
    let no_other = |_: &Path, _: &str| Err("only names of keys are looked for".into());
    asked(&texts(), |top, text| drop(read_file(Path::new(""), text, &no_other, top)))
}

/// Documents in which every key of scenarios is asked for in one place or another: each kind of application in each
/// sort of network, and each rule of access.
fn texts() -> Vec<String> {
    let homes = [
        "[wifi]\nphy = \"phy-a\"\n",
        "[wifi]\nphy = \"std-11ax\"\n",
        "[wifi]\nmedium = \"emulator\"\n",
        "topology = \"dumbbell\"\n[bottleneck]\nrate = \"10Mb/s\"\nlatency = \"1ms\"\n",
    ];
    let home =
        "[[station]]\nname = \"s\"\n[[server]]\nname = \"t\"\n[[change]]\nat = \"0s\"\nstation = \"s\"\n";
    let mesh = "[wifi]\nmedium = \"mesh\"\n[mesh]\n[[node]]\nname = \"s\"\n[[node]]\nname = \"n\"\n[[link]]\nbetween = \
                [\"s\", \"n\"]\n[[route]]\n[[change]]\nat = \"0s\"\n";
    let networks = homes.iter().map(|network| format!("{network}{home}")).chain([mesh.into()]);
    let courses = ["", "course = []\n", "rates = {}\n"];
    // At no station that is there: what may be does not follow from how many there are.
    let app = |name: &str| {
        let one = |keys| {
            format!(
                "[[app]]\nname = \"{name}{keys:.1}\"\nkind = \"{name}\"\nstation = \"none\"\nto = \"s\"\n{keys}"
            )
        };
        courses.map(one).concat()
    };
    let apps: String = kinds::names().map(app).collect();
    let rules = AccessRule::NAMES.map(|rule| format!("[wifi]\naccess.rule = \"{rule}\"\n"));
    let all = networks.map(|network| format!("{network}{apps}")).chain(rules);
    // The longest run, for the same reason.
    all.map(|text| format!("duration = \"{}\"\n{text}", Unit::Ns.format(LONGEST_NS))).collect()
}

/// Nothing has to be there.
fn optional(keys: &mut Keys) {
    for entry in keys.keys.values_mut() {
        entry.required = 0;
        for inside in [&mut entry.table, &mut entry.list].into_iter().flatten() {
            optional(inside);
        }
    }
}

/// Keys of applications that only some kinds have.
fn own_keys(schema: &mut Value) {
    let owners = kinds::own_keys()
        .into_iter()
        .map(|(key, kinds)| (key.to_string(), json!({ "properties": { "kind": { "enum": kinds } } })));
    let owners: Map<String, Value> = owners.collect();
    schema["properties"]["app"]["items"]["dependentSchemas"] = owners.into();
}

/// The schema of a table.
pub fn table(keys: &Keys) -> Value {
    let properties: Map<String, Value> =
        keys.keys.iter().map(|(key, entry)| (key.clone(), value(entry))).collect();
    let required: Vec<&String> = keys
        .keys
        .iter()
        .filter(|(_, entry)| entry.required > 0 && entry.required >= keys.opened)
        .map(|(key, _)| key)
        .collect();
    let others = keys.others.as_ref().map_or(Value::Bool(false), |forms| any_of(forms.iter().map(form)));
    let mut schema = json!({ "type": "object", "properties": properties, "additionalProperties": others });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// What may be under a key.
fn value(entry: &Entry) -> Value {
    let table = entry.table.as_ref().map(table);
    let list = entry.list.as_ref().map(|keys| json!({ "type": "array", "items": self::table(keys) }));
    let insides = table.into_iter().chain(list);
    let mut schema = match entry.unsaid {
        // Tables are known, and whatever else it may be is not.
        true => {
            let known = insides.map(|inside| json!({ "if": { "type": inside["type"] }, "then": inside }));
            let known: Vec<Value> = known.collect();
            if known.is_empty() { json!({}) } else { json!({ "allOf": known }) }
        }
        false => any_of(entry.forms.iter().map(form).chain(insides)),
    };
    if !entry.about.is_empty() {
        schema["description"] = entry.about.as_str().into();
    }
    schema
}

fn any_of(schemas: impl Iterator<Item = Value>) -> Value {
    let mut all: Vec<Value> = schemas.collect();
    match all.len() {
        0 => json!({}),
        1 => all.remove(0),
        _ => json!({ "anyOf": all }),
    }
}

fn form(form: &Form) -> Value {
    match form {
        Form::Quantity(unit, range) => quantity(*unit, *range.start(), *range.end()),
        Form::Number(range) => json!({ "type": "number", "minimum": range.start(), "maximum": range.end() }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Text => json!({ "type": "string" }),
        Form::Name(most) => json!({ "type": "string", "minLength": 1, "maxLength": most }),
        Form::Words(words) => json!({ "enum": words }),
        Form::Times => {
            json!({ "type": "array", "items": with_unit(Unit::Ns), "minItems": 2, "maxItems": 2 })
        }
        Form::Plain => json!({ "type": ["string", "number", "boolean", "array"] }),
        Form::Table => json!({ "type": "object" }),
    }
}

fn quantity(unit: Unit, least: u64, most: u64) -> Value {
    let about = || format!("{}; {} to {}", unit.example(), unit.format(least), unit.format(most));
    if unit == Unit::Count {
        return json!({ "type": "integer", "minimum": least, "maximum": most });
    }
    let mut schema = match unit.suffixes().any(str::is_empty) {
        true => json!({ "anyOf": [{ "type": "number", "minimum": 0 }, with_unit(unit)] }),
        false => with_unit(unit),
    };
    schema["description"] = about().into();
    schema
}

/// A number and what it is of, as a text.
fn with_unit(unit: Unit) -> Value {
    let suffixes: Vec<&str> = unit.suffixes().collect();
    json!({ "type": "string", "pattern": format!("^ *[0-9_]+(\\.[0-9_]+)? *({}) *$", suffixes.join("|")) })
}
