//! The tools on offer, with what is needed to repair a call: names, effect, and what the arguments must be.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use balk_contract::{Effect, Offer, Purpose, Tool};

use crate::printed::Arguments;

/// All of them, in the order of the offer. They are saved as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Vec<Offered>")]
pub(super) struct Tools {
    all: Vec<Offered>,
    /// Where the first tool of each name is, on the wire and of its owner.
    by_name: BTreeMap<Arc<str>, usize>,
    by_original: BTreeMap<Arc<str>, usize>,
}

/// A name that is not on offer is compared with every tool, unless there are more than these. OpenAI takes 128 in a
/// request.
const COMPARED: usize = 1024;

impl From<Vec<Offered>> for Tools {
    /// A saved list may have the members of a tool in the order of its schema.
    fn from(mut all: Vec<Offered>) -> Self {
        for tool in &mut all {
            tool.members.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        let (mut by_name, mut by_original) = (BTreeMap::new(), BTreeMap::new());
        for (at, tool) in all.iter().enumerate() {
            by_name.entry(tool.name.clone()).or_insert(at);
            by_original.entry(tool.original.clone()).or_insert(at);
        }
        Self { all, by_name, by_original }
    }
}

impl Serialize for Tools {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all.serialize(serializer)
    }
}

impl Deref for Tools {
    type Target = [Offered];

    fn deref(&self) -> &[Offered] {
        &self.all
    }
}

impl Tools {
    pub(super) fn of(offer: &Offer) -> Self {
        offer.tools().iter().map(Offered::of).collect::<Vec<_>>().into()
    }

    /// The tool of this name, as it is on the wire.
    pub(super) fn named(&self, name: &str) -> Option<&Offered> {
        self.by_name.get(name).map(|at| &self.all[*at])
    }

    /// The tool that a name in a text means: as it is on the wire, or as its owner calls it.
    pub(super) fn printed(&self, name: &str) -> Option<&Offered> {
        let by_original = || self.by_original.get(name).map(|at| &self.all[*at]);
        self.named(name).or_else(by_original).filter(|it| !it.is_of_provider)
    }

    /// The tools with which a text or a name may be compared, one by one; `None` if there are too many.
    pub(super) fn compared(&self) -> Option<&[Offered]> {
        (self.all.len() <= COMPARED).then_some(&self.all)
    }
}

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
    /// The members that the schema names, with the types of each, by their names.
    members: Vec<(Arc<str>, Types)>,
    /// Whether the schema allows no other members.
    is_closed: bool,
}

impl Offered {
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
        let at = self.members.binary_search_by(|(name, _)| (**name).cmp(member)).ok()?;
        Some(self.members[at].1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_tool_has_its_types_in_whatever_order_its_members_are() {
        let schema =
            r#"{"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"boolean"}}}"#;
        let tools = Tools::of(&Offer::new([Tool::new("set").parameters(schema)]));
        let mut saved = serde_json::to_value(&tools).expect("plain data");
        saved[0]["members"].as_array_mut().expect("a list").reverse();
        let loaded: Tools = serde_json::from_value(saved).expect("a list of tools");
        assert_eq!(loaded, tools);
        for arguments in [r#"{"a":"x"}"#, r#"{"b":1}"#, r#"{"c":1}"#] {
            assert!(!loaded[0].fits(arguments), "{arguments}");
        }
    }
}
