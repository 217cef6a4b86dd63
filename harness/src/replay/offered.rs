//! The tools on offer in a recording: those that it lists, as requests do, and those that were called.

use std::collections::BTreeSet;
use std::sync::Arc;

use balk_guards::{Offer, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::strict::Object;
use super::tools::ToolTable;

/// An entry of a request's `tools`: a tool under `function` (OpenAI chat), several under `functionDeclarations`
/// (Gemini), or the tool itself (Anthropic, OpenAI Responses). An entry without any of them is a tool that the provider
/// runs; recordings have no calls of it.
#[derive(Deserialize)]
pub(super) struct Listed {
    function: Option<Object<Described>>,
    #[serde(alias = "functionDeclarations")]
    function_declarations: Option<Vec<Object<Described>>>,
    name: Option<Arc<str>>,
    description: Option<Arc<str>>,
    #[serde(alias = "input_schema")]
    parameters: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Described {
    name: Arc<str>,
    description: Option<Arc<str>>,
    /// Its JSON Schema.
    #[serde(alias = "parametersJsonSchema", alias = "parameters_json_schema")]
    parameters: Option<Box<RawValue>>,
}

impl Listed {
    fn tools(self) -> impl Iterator<Item = Described> {
        let Self { function, function_declarations, name, description, parameters } = self;
        let own = name.map(|name| Described { name, description, parameters });
        let nested = function.into_iter().chain(function_declarations.into_iter().flatten());
        nested.map(|Object(tool)| tool).chain(own)
    }
}

/// The tools that are listed, then those that were only called, in order of their first call. What they can change is
/// in the table.
pub(super) fn offer<'a>(
    listed: Vec<Object<Listed>>,
    called: impl Iterator<Item = &'a Arc<str>>,
    table: &ToolTable,
) -> Offer {
    let tool = |name: &str| {
        let declared = table.declared(name);
        Tool::new(name).effect(declared.effect).purpose(declared.purpose)
    };
    let mut seen = BTreeSet::new();
    let mut tools = Vec::new();
    for Described { name, description, parameters } in listed.into_iter().flat_map(|Object(it)| it.tools()) {
        if seen.insert(name.clone()) {
            let mut tool = tool(&name).description(description.as_deref().unwrap_or_default());
            if let Some(schema) = parameters {
                tool = tool.parameters(schema.get());
            }
            tools.push(tool);
        }
    }
    for name in called {
        if seen.insert(name.clone()) {
            tools.push(tool(name));
        }
    }
    Offer::new(tools)
}
