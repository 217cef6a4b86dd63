//! The first difference of two plans.

use serde_json::{Map, Value};

/// The first difference of two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Its place, such as `scenarios.repeating.text`.
    pub place: String,
    /// The file of a command that differs, as the command names it, if it is one.
    pub file: Option<String>,
    /// The value in the first plan; `nothing` if it is missing.
    pub first: String,
    /// The value in the second plan.
    pub second: String,
}

pub(super) fn difference(place: &[&str], first: &Value, second: &Value) -> Option<Unlike> {
    let below = |name: &str, one: &Value, two: &Value| difference(&[place, &[name]].concat(), one, two);
    let members = |one: &Map<String, Value>, two: &Map<String, Value>| {
        let none = Value::Null;
        let mut keys = one.keys().chain(two.keys().filter(|key| !one.contains_key(*key)));
        keys.find_map(|key| below(key, one.get(key).unwrap_or(&none), two.get(key).unwrap_or(&none)))
    };
    let are_files = matches!(place, ["stacks", _, "files"]);
    match (first, second) {
        (Value::Object(one), Value::Object(two)) => members(one, two),
        // A plan leaves them out where a command has none.
        (Value::Object(one), Value::Null) if are_files => members(one, &Map::new()),
        (Value::Null, Value::Object(two)) if are_files => members(&Map::new(), two),
        (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
            one.iter().zip(two).enumerate().find_map(|(nth, (one, two))| {
                let name = one.get("name").or_else(|| one.get("guard")).and_then(Value::as_str);
                below(name.unwrap_or(&nth.to_string()), one, two)
            })
        }
        _ if first == second => None,
        _ => {
            let shown = |value: &Value| match value {
                Value::Null => "nothing".to_owned(),
                Value::Array(items) => format!("{} of them", items.len()),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => value.to_string(),
            };
            let file = match place {
                ["stacks", _, "files", file] => Some((*file).to_owned()),
                _ => None,
            };
            Some(Unlike { place: place.join("."), file, first: shown(first), second: shown(second) })
        }
    }
}
