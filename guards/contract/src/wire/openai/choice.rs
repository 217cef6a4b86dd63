//! `tool_choice`, in chat completions and in Responses.

use std::sync::Arc;

use serde::Deserialize;

use crate::wire::asked::Choice;
use crate::wire::content::Content;

/// An object in place of a word, with the members of both forms: chat completions nest what Responses do not.
#[derive(Clone, Debug, Deserialize)]
pub(in crate::wire) struct Object {
    #[serde(rename = "type")]
    kind: Arc<str>,
    #[serde(default)]
    name: Option<Arc<str>>,
    #[serde(default)]
    function: Option<Named>,
    #[serde(default)]
    custom: Option<Named>,
    #[serde(default)]
    mode: Option<Arc<str>>,
    #[serde(default)]
    tools: Vec<Tool>,
    #[serde(default)]
    allowed_tools: Option<Allowed>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Named {
    #[serde(default)]
    name: Option<Arc<str>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Allowed {
    mode: Option<Arc<str>>,
    tools: Vec<Tool>,
}

#[derive(Clone, Debug, Deserialize)]
struct Tool {
    #[serde(default)]
    name: Option<Arc<str>>,
    #[serde(default)]
    function: Option<Named>,
}

/// What the model may or must call. An undocumented word changes nothing, and a tool of OpenAI's own is named by its
/// type.
pub(in crate::wire) fn of(choice: Option<&Content<Object>>) -> Choice {
    match choice {
        None => Choice::Free,
        Some(Content::Text(word)) => match &**word {
            "none" => Choice::Forbidden,
            "required" => Choice::Required,
            _ => Choice::Free,
        },
        Some(Content::Parts(objects)) => objects.first().map(Object::choice).unwrap_or_default(),
    }
}

impl Object {
    fn choice(&self) -> Choice {
        if &*self.kind == "allowed_tools" {
            let (mode, tools) = match &self.allowed_tools {
                Some(Allowed { mode, tools }) => (mode, tools),
                None => (&self.mode, &self.tools),
            };
            let names = tools.iter().filter_map(Tool::name).collect();
            return if mode.as_deref() == Some("required") {
                Choice::Named(names)
            } else {
                Choice::Allowed(names)
            };
        }
        let nested = self.function.as_ref().or(self.custom.as_ref());
        let name = nested.and_then(|it| it.name.clone()).or_else(|| self.name.clone());
        Choice::Named(vec![name.unwrap_or_else(|| self.kind.clone())])
    }
}

impl Tool {
    fn name(&self) -> Option<Arc<str>> {
        self.name.clone().or_else(|| self.function.as_ref()?.name.clone())
    }
}
