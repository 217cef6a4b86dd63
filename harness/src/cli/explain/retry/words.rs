//! The words for parts of an answer.

use balk_guards::Offer;
use balk_guards::retry_safety::Assessment;
use serde_json::{Map, Value, json};

use crate::import::one_line;

/// An assessment as its members.
pub(super) fn object(assessment: &Assessment) -> Map<String, Value> {
    let Value::Object(members) = json!(assessment) else { unreachable!("an assessment is an object") };
    members
}

/// A value without quotes.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::Null => "none".into(),
        Value::String(text) => one_line(text, 160),
        Value::Array(all) if all.is_empty() => "none".into(),
        Value::Array(all) => all.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// The tools by effect.
pub(super) fn offer_by_effect(offer: &Offer) -> String {
    let mut text = format!("offer: {} tools\n", offer.tools().len());
    let mut effects: Vec<_> = offer.tools().iter().map(|it| it.effect).collect();
    effects.sort_unstable();
    effects.dedup();
    for effect in effects {
        let tools: Vec<String> = offer
            .tools()
            .iter()
            .filter(|it| it.effect == effect)
            .map(|it| {
                let provider = if it.provider_executed { " (run by the provider)" } else { "" };
                format!("{}{provider}", one_line(&it.original, 80))
            })
            .collect();
        text += &format!("  {:16} {:>3}: {}\n", words(&json!(effect)), tools.len(), tools.join(", "));
    }
    text
}
