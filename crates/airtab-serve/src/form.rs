// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TOML as JSON for forms, and values of forms as TOML.
//!
//! What it does not do: it knows no key of a scenario.

use serde_json::{Map, Number, Value};

/// A text as JSON, values as they are written; null if it is no TOML. Dates are texts; numbers that JSON does not have
/// (`nan`, `inf`) too.
pub fn of(text: &str) -> Value {
    text.parse::<toml::Table>().map_or(Value::Null, table)
}

fn table(table: toml::Table) -> Value {
    Value::Object(table.into_iter().map(|(key, value)| (key, json(value))).collect::<Map<_, _>>())
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => {
            Number::from_f64(number).map_or_else(|| number.to_string().into(), Value::Number)
        }
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(list) => list.into_iter().map(json).collect(),
        toml::Value::Table(inner) => table(inner),
    }
}

/// A value of a form as a literal of TOML.
///
/// # Errors
/// TOML has no null, and integers of 64 bits only.
pub fn literal(value: &Value) -> Result<String, String> {
    Ok(toml_of(value)?.to_string())
}

fn toml_of(value: &Value) -> Result<toml::Value, String> {
    Ok(match value {
        Value::Null => return Err("null is no value of TOML: remove the key instead".into()),
        Value::Bool(flag) => (*flag).into(),
        Value::String(text) => text.as_str().into(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into(),
            (None, Some(float)) if number.is_f64() => float.into(),
            _ => return Err(format!("{number} is no integer of 64 bits")),
        },
        Value::Array(list) => toml::Value::Array(list.iter().map(toml_of).collect::<Result<_, _>>()?),
        Value::Object(map) => {
            let one = |(key, value): (&String, &Value)| Ok::<_, String>((key.clone(), toml_of(value)?));
            toml::Value::Table(map.iter().map(one).collect::<Result<_, _>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Each sort of value of TOML in JSON; what is no TOML is null.
    #[test]
    fn toml_is_shown_as_json() {
        let text = "a = \"x\"\nb = -7\nc = 2.5\nd = true\ne = 2020-01-01T10:00:00Z\nf = [1, \"y\", [false]]\n\
                    g.h = 3\n[[i]]\nj = 1\n[[i]]\nj = 2\n[k]\nl = -inf\nm = nan\n";
        let expected = json!({
            "a": "x", "b": -7, "c": 2.5, "d": true, "e": "2020-01-01T10:00:00Z", "f": [1, "y", [false]],
            "g": { "h": 3 }, "i": [{ "j": 1 }, { "j": 2 }], "k": { "l": "-inf", "m": "NaN" },
        });
        assert_eq!(of(text), expected);
        assert_eq!((of("a ="), of("")), (Value::Null, json!({})));
    }

    /// A literal is read as the value that was given, integers apart from floats, at any depth.
    #[test]
    fn literals_are_read_back() {
        for value in [
            json!("3"),
            json!("a \"b\"\nc"),
            json!(3),
            json!(3.0),
            json!(-0.5),
            json!(i64::MIN),
            json!(false),
            json!([]),
            json!(["1s", 2, [true]]),
            json!({ "limit": 9, "weight": [1.5], "in": { "a b": "x" } }),
        ] {
            let literal = literal(&value).unwrap();
            assert_eq!(of(&format!("x = {literal}"))["x"], value, "{literal}");
        }
        for (value, told) in [
            (json!(null), "null is no value of TOML: remove the key instead"),
            (json!([1, null]), "null is no value of TOML: remove the key instead"),
            (json!({ "a": { "b": null } }), "null is no value of TOML: remove the key instead"),
            (json!(9_223_372_036_854_775_808_u64), "9223372036854775808 is no integer of 64 bits"),
        ] {
            assert_eq!(literal(&value), Err(told.to_string()));
        }
    }
}
