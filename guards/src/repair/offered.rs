//! The tools on offer, with what is needed to repair a call: names, effect, and what the arguments must be.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use balk_contract::{Effect, Offer, Purpose, Tool};

use crate::printed::Arguments;

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Offered {
    pub(super) name: Arc<str>,
    pub(super) original: Arc<str>,
    pub(super) effect: Effect,
    pub(super) purpose: Purpose,
    /// Whether the provider runs it, so that the loop cannot make its calls.
    pub(super) is_of_provider: bool,
    pub(super) required: Arc<[Arc<str>]>,
    /// The members that the schema names, with the types of each.
    members: Vec<(Arc<str>, Types)>,
    /// Whether the schema allows no other members.
    is_closed: bool,
}

impl Offered {
    pub(super) fn all(offer: &Offer) -> Vec<Self> {
        offer.tools().iter().map(Self::of).collect()
    }

    fn of(tool: &Tool) -> Self {
        let schema: Value = serde_json::from_str(tool.parameters.text()).unwrap_or_default();
        let members = schema["properties"].as_object().into_iter().flatten();
        Self {
            name: tool.name.clone(),
            original: tool.original.clone(),
            effect: tool.effect,
            purpose: tool.purpose,
            is_of_provider: tool.provider_executed,
            required: tool.parameters.required().clone(),
            members: members.map(|(name, it)| (name.as_str().into(), Types::of(it))).collect(),
            is_closed: schema["additionalProperties"] == Value::Bool(false),
        }
    }

    /// The offer again, with what a call takes from it: names, effects, purposes and the names of arguments.
    pub(super) fn offer<'o>(tools: impl IntoIterator<Item = &'o Self>) -> Offer {
        Offer::new(tools.into_iter().map(|it| {
            let members: Map<String, Value> =
                it.members.iter().map(|(name, _)| (name.to_string(), Value::Object(Map::new()))).collect();
            Tool {
                name: it.name.clone(),
                effect: it.effect,
                purpose: it.purpose,
                provider_executed: it.is_of_provider,
                ..Tool::new(&it.original).parameters(&json!({ "properties": members }).to_string())
            }
        }))
    }

    /// The arguments of a printed call as JSON, if they fit the schema.
    pub(super) fn fitting(&self, arguments: &Arguments<'_>) -> Option<Arc<str>> {
        match arguments {
            Arguments::Json(text) => self.fits(text).then(|| text.as_ref().into()),
            Arguments::Texts(values) => {
                let mut members = Map::new();
                for (key, text) in values {
                    // Of two values of one argument, either may be meant.
                    if members.insert((*key).to_owned(), self.typed(key, text)?).is_some() {
                        return None;
                    }
                }
                let text = Value::Object(members).to_string();
                self.fits(&text).then(|| text.into())
            }
        }
    }

    /// Whether JSON text is an object that has what the schema requires, nothing that it excludes, and values of the
    /// types that it names.
    pub(super) fn fits(&self, arguments: &str) -> bool {
        let Ok(Value::Object(members)) = serde_json::from_str(arguments) else { return false };
        let names: BTreeSet<&str> = members.keys().map(String::as_str).collect();
        self.required.iter().all(|it| names.contains(&**it))
            && members.iter().all(|(name, value)| match self.types(name) {
                Some(types) => types.has(value),
                None => !self.is_closed,
            })
    }

    /// A value that was printed as text, in the type that the schema names.
    fn typed(&self, key: &str, text: &str) -> Option<Value> {
        let types = self.types(key).unwrap_or(Types::ANY);
        if types.has_text() {
            return Some(text.into());
        }
        serde_json::from_str(text.trim()).ok().filter(|value| types.has(value))
    }

    /// The members that the schema names, required or not.
    pub(super) fn members(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|(name, _)| &**name)
    }

    fn types(&self, member: &str) -> Option<Types> {
        self.members.iter().find(|(name, _)| **name == *member).map(|(_, types)| *types)
    }
}

/// The JSON types that a member may have, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Types(u8);

impl Types {
    const ANY: Self = Self(u8::MAX);
    /// The names of JSON Schema, by bit.
    const NAMES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];

    /// Those that a schema names under `type`; any, if it names none there.
    fn of(schema: &Value) -> Self {
        let bit = |it: &Value| Self::NAMES.iter().position(|name| it == name).map(|at| 1_u8 << at);
        let kind = &schema["type"];
        let bits = match kind.as_array() {
            Some(all) => all.iter().filter_map(bit).fold(0, |sum, it| sum | it),
            None => bit(kind).unwrap_or(0),
        };
        if bits == 0 { Self::ANY } else { Self(bits) }
    }

    fn has(self, value: &Value) -> bool {
        let at = match value {
            Value::String(_) => 0,
            Value::Number(it) if it.is_f64() => 1,
            // An integer is a number.
            Value::Number(_) => return self.0 & 0b110 != 0,
            Value::Bool(_) => 3,
            Value::Object(_) => 4,
            Value::Array(_) => 5,
            Value::Null => 6,
        };
        self.0 & (1 << at) != 0
    }

    fn has_text(self) -> bool {
        self.0 & 1 != 0
    }
}
