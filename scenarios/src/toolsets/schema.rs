//! JSON Schemas of tools, as far as a call has to fit them: types, required members, and what is allowed.

use serde_json::{Map, Value};

/// A part of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'s> {
    root: &'s Value,
    /// What it says, once references are followed and one of several alternatives is taken.
    is: &'s Value,
    /// Whether null is allowed.
    pub(super) nullable: bool,
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Integer,
    Number,
    Boolean,
    List,
    Object,
    Null,
    Any,
}

/// More references and alternatives are not followed.
const DEPTH: usize = 8;

impl<'s> Node<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self::at(root, root)
    }

    fn at(root: &'s Value, schema: &'s Value) -> Self {
        let (mut is, mut nullable) = (schema, false);
        for _ in 0..DEPTH {
            let reference = is["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
            let alternatives = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| is[*key].as_array());
            is = if let Some(target) = reference.and_then(|path| root.pointer(path)) {
                target
            } else if let Some(all) = alternatives.filter(|_| type_names(is).next().is_none()) {
                let is_null = |it: &Value| type_names(it).any(|name| name == "null");
                nullable |= all.iter().any(is_null);
                let Some(first) = all.iter().find(|it| !is_null(it)) else { break };
                first
            } else {
                break;
            };
        }
        nullable |= type_names(is).any(|name| name == "null");
        // The schema of OpenAPI, which Gemini takes.
        nullable |= is["nullable"].as_bool().unwrap_or(false);
        Self { root, is, nullable }
    }

    pub(super) fn of_type(self) -> Type {
        let mut names = type_names(self.is).filter(|name| name != "null");
        match names.next().as_deref() {
            Some("string") => Type::Text,
            Some("integer") => Type::Integer,
            Some("number") => Type::Number,
            Some("boolean") => Type::Boolean,
            Some("array") => Type::List,
            Some("object") => Type::Object,
            Some(_) => Type::Any,
            None if self.nullable => Type::Null,
            None if self.is["properties"].is_object() => Type::Object,
            None if self.is["items"].is_object() => Type::List,
            None => Type::Any,
        }
    }

    /// The values to choose from, where there are only these.
    pub(super) fn choices(self) -> Option<&'s [Value]> {
        let only = self.is.get("const").map(std::slice::from_ref);
        only.or_else(|| self.is["enum"].as_array().filter(|all| !all.is_empty()).map(Vec::as_slice))
    }

    pub(super) fn default(self) -> Option<&'s Value> {
        self.is.get("default")
    }

    /// The members of an object, in the order of the schema.
    pub(super) fn members(self) -> impl Iterator<Item = (&'s str, Node<'s>)> {
        let none = || -> &'s Map<String, Value> { EMPTY.get_or_init(Map::new) };
        let members = self.is["properties"].as_object().unwrap_or_else(none);
        members.iter().map(move |(name, schema)| (name.as_str(), Self::at(self.root, schema)))
    }

    /// The members that must be there, with what they are; of some nothing is said.
    pub(super) fn required(self) -> impl Iterator<Item = (&'s str, Node<'s>)> {
        let names = self.is["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        names.map(move |name| (name, Self::at(self.root, &self.is["properties"][name])))
    }

    pub(super) fn requires(self, name: &str) -> bool {
        self.required().any(|(it, _)| it == name)
    }

    /// What each item of a list is, and how many there are at least.
    pub(super) fn items(self) -> (Node<'s>, usize) {
        let least = self.is["minItems"].as_u64().and_then(|it| usize::try_from(it).ok());
        (Self::at(self.root, &self.is["items"]), least.unwrap_or(0))
    }

    /// The nearest whole number that is allowed.
    pub(super) fn whole(self, wanted: i64) -> i64 {
        let bound = |key: &str| self.is[key].as_i64();
        let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|it| it.saturating_add(1)));
        let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|it| it.saturating_sub(1)));
        let wanted = most.map_or(wanted, |most| wanted.min(most));
        least.map_or(wanted, |least| wanted.max(least))
    }
}

static EMPTY: std::sync::OnceLock<Map<String, Value>> = std::sync::OnceLock::new();

/// The names of the types, in small letters: Gemini writes them in capitals.
fn type_names(schema: &Value) -> impl Iterator<Item = String> {
    let one = schema["type"].as_str();
    let many = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many).map(str::to_ascii_lowercase)
}
