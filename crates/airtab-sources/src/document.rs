// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Values of a TOML document, tables in the order of their keys.

use toml::{Table, Value};

use super::hash::Fnv;

/// Adds a table.
pub(crate) fn add(table: &Table, hash: &mut Fnv) {
    // The order of a `Table` depends on a feature that other crates can switch on.
    let mut entries: Vec<(&String, &Value)> = table.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    hash.add(b"{");
    for (key, value) in entries {
        hash.add(key.as_bytes());
        add_value(value, hash);
    }
    hash.add(b"}");
}

fn add_value(value: &Value, hash: &mut Fnv) {
    match value {
        Value::Table(table) => add(table, hash),
        Value::Array(values) => {
            hash.add(b"[");
            values.iter().for_each(|value| add_value(value, hash));
            hash.add(b"]");
        }
        // In quotes, and so different from a number or a date.
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
            hash.add(value.to_string().as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::of_table;

    #[test]
    fn values_count_and_their_notation_does_not() {
        let of = |text: &str| of_table(&text.parse().unwrap());
        let first = of("a = 1_000\nb = [\"x\", 2.0]\n[c]\nd = \"y\"\n");
        assert_eq!(
            first,
            of("# A comment.\nc = { d = 'y' } # another\nb = [\n  \"x\",\n  2.0,\n]\na = 1000\n")
        );
        for other in [
            "a = 1_001\nb = [\"x\", 2.0]\n[c]\nd = \"y\"\n",
            "a = 1_000\nb = [2.0, \"x\"]\n[c]\nd = \"y\"\n",
            "a = 1_000\nb = [\"x\"]\n[c]\nd = \"y\"\n",
            "a = 1_000\nb = [\"x\", 2.0]\n[e]\nd = \"y\"\n",
            "a = \"1000\"\nb = [\"x\", 2.0]\n[c]\nd = \"y\"\n",
        ] {
            assert_ne!(first, of(other), "{other}");
        }
    }
}
