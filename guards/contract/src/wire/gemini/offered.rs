//! Tools on offer, in groups.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize as Read, Serialize};
use serde_json::value::RawValue;

use crate::completion::is_blank;
use crate::offer::Tool;
use crate::wire::content;

/// A member of `tools`: declared functions, or a tool that Gemini runs itself, under its name (`googleSearch`).
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Group {
    pub(super) function_declarations: Vec<Declaration>,
    #[serde(skip)]
    pub(super) hosted: Vec<Arc<str>>,
}

#[derive(Clone, Debug, Serialize, Read)]
#[serde(rename_all = "camelCase")]
pub(super) struct Declaration {
    pub(super) name: Arc<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<Arc<str>>,
    /// JSON Schema.
    #[serde(default, alias = "parameters_json_schema", skip_serializing_if = "Option::is_none")]
    parameters_json_schema: Option<Box<RawValue>>,
    /// The same in Gemini's own subset of it, with names of types in capital letters.
    #[serde(default, skip_serializing)]
    parameters: Option<Box<RawValue>>,
}

impl Declaration {
    pub(super) fn of(tool: &Tool) -> Self {
        Self {
            name: tool.name.clone(),
            description: Some(tool.description.clone()).filter(|text| !is_blank(text)),
            parameters_json_schema: Some(content::schema(tool)),
            parameters: None,
        }
    }

    /// The schema of its arguments.
    pub(super) fn schema(&self) -> Option<&RawValue> {
        self.parameters_json_schema.as_deref().or(self.parameters.as_deref())
    }
}

impl<'de> Deserialize<'de> for Group {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GroupVisitor)
    }
}

struct GroupVisitor;

impl<'de> Visitor<'de> for GroupVisitor {
    type Value = Group;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with function declarations or a tool of Gemini's own")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Group, A::Error> {
        let mut declared = None;
        let mut hosted = Vec::new();
        while let Some(name) = members.next_key::<Arc<str>>()? {
            match &*name {
                "functionDeclarations" | "function_declarations" if declared.is_some() => {
                    return Err(Error::duplicate_field("functionDeclarations"));
                }
                "functionDeclarations" | "function_declarations" => {
                    declared = Some(members.next_value::<Option<Vec<Declaration>>>()?);
                }
                _ if members.next_value::<Option<IgnoredAny>>()?.is_some() => hosted.push(name),
                _ => {}
            }
        }
        Ok(Group { function_declarations: declared.flatten().unwrap_or_default(), hosted })
    }
}
