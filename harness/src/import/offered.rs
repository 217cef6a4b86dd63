//! The tools on offer in a recording that lists them, as requests do.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::recording::Listed;
use super::strict::Object;

/// An entry of a request's `tools`: a tool under `function` (OpenAI chat), several under `functionDeclarations`
/// (Gemini), or the tool itself (Anthropic, OpenAI Responses). An entry without any of them is a tool that the provider
/// runs; recordings have no calls of it.
#[derive(Deserialize)]
pub(super) struct Entry {
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

impl Described {
    fn listed(self) -> Listed {
        let Self { name, description, parameters } = self;
        let parameters = parameters.map(|schema| schema.get().into());
        Listed { name, description: description.unwrap_or_default(), parameters }
    }
}

impl Entry {
    fn tools(self) -> impl Iterator<Item = Listed> {
        let Self { function, function_declarations, name, description, parameters } = self;
        let own = name.map(|name| Described { name, description, parameters });
        let nested = function.into_iter().chain(function_declarations.into_iter().flatten());
        nested.map(|Object(tool)| tool).chain(own).map(Described::listed)
    }
}

/// The tools that are listed, in order.
pub(super) fn tools(listed: Option<Vec<Object<Entry>>>) -> Vec<Listed> {
    listed.into_iter().flatten().flat_map(|Object(entry)| entry.tools()).collect()
}
