//! A request, as a server needs it.

use std::sync::Arc;

use super::answering::Answering;
use super::content;
use super::legal::Illegal;
use super::names::{Called, Names};
use super::reading::Unreadable;
use crate::offer::{Offer, Tool};
use crate::view::Message;

/// A request of any dialect, as a server needs it: [`Dialect::asked`](super::Dialect::asked) reads it. Members that
/// are not listed here are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The model; empty for Gemini, which names it in the path, and where a template of OpenAI (`prompt`) names it.
    pub model: Arc<str>,
    /// The instructions to the model: system and developer messages, `instructions`, `system`, `systemInstruction`.
    /// Several texts are joined by line breaks.
    pub system: Option<Arc<str>>,
    /// The tools on offer. [`Tool::parameters`] has the schema byte for byte, [`Tool::original`] the client's name
    /// (`NAMESPACE.NAME` within a namespace of OpenAI Responses). A tool that the provider runs itself, or that is
    /// called in a form of its own (`local_shell`), is [`provider_executed`](Tool::provider_executed) under the name of
    /// its type. No request says what a call can change, so every effect is unknown.
    pub offer: Arc<Offer>,
    /// How the client calls these tools, for the answer.
    pub names: Arc<Names>,
    /// What the model may or must call.
    pub choice: Choice,
    /// Whether the answer is to come as a stream; false for Gemini, which says it in the path.
    pub stream: bool,
    /// Whether a stream of OpenAI chat is to end with the token counts.
    pub include_usage: bool,
    /// The response that the messages follow (`previous_response_id` of OpenAI Responses). What was said up to it is
    /// not in this request: only the server that gave this id knows it. Results may answer calls from there.
    pub previous: Option<Arc<str>>,
    /// What was said, with thinking, and with the error flag of a result where the dialect has one (`is_error` of
    /// Anthropic, `error` in a result of Gemini).
    pub messages: Vec<Message>,
    /// The first rule of the provider that the request breaks, if it breaks one. A request that is not read whole has
    /// none ([`Outline::asked`](super::Outline::asked)).
    pub illegal: Option<Illegal>,
}

/// What the model may or must call. Names are those of the offer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Text, or any tool.
    #[default]
    Free,
    /// Text, or one of these tools.
    Allowed(Vec<Arc<str>>),
    /// No tool.
    Forbidden,
    /// A tool, whichever.
    Required,
    /// One of these tools.
    Named(Vec<Arc<str>>),
}

/// The tools of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tools {
    /// What is on offer.
    pub offer: Arc<Offer>,
    /// How the client calls it.
    pub names: Arc<Names>,
}

/// What a request says beside its messages.
#[derive(Default)]
pub(super) struct Head {
    pub(super) model: Arc<str>,
    pub(super) system: Vec<Arc<str>>,
    pub(super) tools: Vec<Described>,
    pub(super) choice: Choice,
    pub(super) stream: bool,
    pub(super) include_usage: bool,
    pub(super) previous: Option<Arc<str>>,
}

/// A tool, as a request describes it.
pub(super) struct Described {
    pub(super) called: Called,
    pub(super) description: Option<Arc<str>>,
    /// Its JSON Schema; any object without one.
    pub(super) schema: Option<Arc<str>>,
    pub(super) by_provider: bool,
}

impl Head {
    /// The tools on offer, and how the client calls them.
    pub(super) fn tools(&self) -> Tools {
        let offer = Offer::new(self.tools.iter().map(Described::tool));
        let mut names = Names::default();
        for (tool, described) in offer.tools().iter().zip(&self.tools) {
            names.add(&tool.name, described.called.clone());
        }
        Tools { offer: offer.into(), names: names.into() }
    }
}

impl Described {
    /// A function with this schema.
    pub(super) fn function(name: &Arc<str>, description: Option<&Arc<str>>, schema: Option<&str>) -> Self {
        Self {
            called: Called::function(name),
            description: description.cloned(),
            schema: schema.map(Arc::from),
            by_provider: false,
        }
    }

    /// A tool of this type that the provider runs itself.
    pub(super) fn hosted(kind: &str) -> Self {
        Self { by_provider: true, ..Self::function(&kind.into(), None, None) }
    }

    fn tool(&self) -> Tool {
        let Called { name, namespace, is_custom: _ } = &self.called;
        let mut tool = match namespace {
            Some(namespace) => Tool::new(&format!("{namespace}.{name}")),
            None => Tool::new(name),
        };
        if let Some(description) = &self.description {
            tool.description = description.clone();
        }
        if let Some(schema) = &self.schema {
            tool = tool.parameters(schema);
        }
        tool.provider_executed = self.by_provider;
        tool
    }
}

impl Asked {
    /// What an answer to this request under this id says beside the completion.
    #[must_use]
    pub fn answering(&self, id: &str) -> Answering {
        Answering {
            previous: self.previous.clone(),
            include_usage: self.include_usage,
            names: self.names.clone(),
            ..Answering::of(id, &self.model)
        }
    }

    /// The request with this head; `messages` reads its messages with the tools. Without tools from elsewhere, they are
    /// those of the head, and the provider's rules are looked at.
    pub(super) fn of(
        head: Head,
        tools: Option<Tools>,
        legal: impl FnOnce() -> Result<(), Illegal>,
        messages: impl FnOnce(&Tools) -> Result<Vec<Message>, Unreadable>,
    ) -> Result<Self, Unreadable> {
        let (tools, legal) = match tools {
            Some(tools) => (tools, Ok(())),
            None => (head.tools(), legal()),
        };
        let Head { model, system, tools: _, choice, stream, include_usage, previous } = head;
        Ok(Self {
            model,
            system: (!system.is_empty()).then(|| content::one_text(&system)),
            messages: messages(&tools)?,
            choice: choice.of_offer(&tools.offer),
            offer: tools.offer,
            names: tools.names,
            stream,
            include_usage,
            previous,
            illegal: legal.err(),
        })
    }
}

impl Choice {
    fn of_offer(self, offer: &Offer) -> Self {
        let names = |names: Vec<Arc<str>>| names.iter().map(|it| offer.name_called(it)).collect();
        match self {
            Self::Allowed(only) => Self::Allowed(names(only)),
            Self::Named(only) => Self::Named(names(only)),
            Self::Free | Self::Forbidden | Self::Required => self,
        }
    }
}
