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
    #[serde(rename = "functionDeclarations")]
    declarations: Option<Vec<Object<Described>>>,
    function_declarations: Option<Vec<Object<Described>>>,
    name: Option<Arc<str>>,
    description: Option<Arc<str>>,
    parameters: Option<Box<RawValue>>,
    input_schema: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Described {
    name: Arc<str>,
    description: Option<Arc<str>>,
    /// Its JSON Schema, or null where the next one has it: the library of Gemini writes both.
    parameters: Option<Box<RawValue>>,
    #[serde(rename = "parametersJsonSchema")]
    json_schema: Option<Box<RawValue>>,
    parameters_json_schema: Option<Box<RawValue>>,
}

fn listed(name: Arc<str>, description: Option<Arc<str>>, schema: Option<Box<RawValue>>) -> Listed {
    let parameters = schema.map(|schema| schema.get().into());
    Listed { name, description: description.unwrap_or_default(), parameters }
}

impl Described {
    fn listed(self) -> Listed {
        let schema = self.parameters.or(self.json_schema).or(self.parameters_json_schema);
        listed(self.name, self.description, schema)
    }
}

impl Entry {
    fn tools(self) -> impl Iterator<Item = Listed> {
        let schema = self.parameters.or(self.input_schema);
        let own = self.name.map(|name| listed(name, self.description, schema));
        let declarations = self.declarations.or(self.function_declarations);
        let nested = self.function.into_iter().chain(declarations.into_iter().flatten());
        nested.map(|Object(tool)| tool.listed()).chain(own)
    }
}

/// The tools that are listed, in order.
pub(super) fn tools(listed: Option<Vec<Object<Entry>>>) -> Vec<Listed> {
    listed.into_iter().flatten().flat_map(|Object(entry)| entry.tools()).collect()
}
