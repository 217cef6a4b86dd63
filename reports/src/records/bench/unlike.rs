//! The first difference of two plans.

use serde_json::Value;

/// The first difference of two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// Its place, such as `scenarios.repeating.text`.
    pub place: String,
    /// The value in the first plan; `nothing` if it is missing.
    pub first: String,
    /// The value in the second plan.
    pub second: String,
}

pub(super) fn difference(place: &str, first: &Value, second: &Value) -> Option<Unlike> {
    let at = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match (first, second) {
        (Value::Object(one), Value::Object(two)) => {
            let keys = one.keys().chain(two.keys().filter(|key| !one.contains_key(*key)));
            let none = Value::Null;
            keys.into_iter().find_map(|key| {
                difference(&at(key), one.get(key).unwrap_or(&none), two.get(key).unwrap_or(&none))
            })
        }
        (Value::Array(one), Value::Array(two)) if one.len() == two.len() => {
            one.iter().zip(two).enumerate().find_map(|(nth, (one, two))| {
                let name = one.get("name").or_else(|| one.get("guard")).and_then(Value::as_str);
                difference(&at(&name.map_or_else(|| nth.to_string(), str::to_owned)), one, two)
            })
        }
        _ if first == second => None,
        _ => {
            let shown = |value: &Value| match value {
                Value::Null => "nothing".to_owned(),
                Value::Array(items) => format!("{} of them", items.len()),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => value.to_string(),
            };
            Some(Unlike { place: place.to_owned(), first: shown(first), second: shown(second) })
        }
    }
}
