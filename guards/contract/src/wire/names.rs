//! How a request's tools are called on the wire, where an offer calls them otherwise.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::completion::Completion;
use crate::view::Message;

/// The tools of a request whose name in the offer is not the one on the wire, because it is not legal for every
/// provider, is taken, or is one within a namespace. An answer calls them as the client does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    called: BTreeMap<Arc<str>, Called>,
    offered: BTreeMap<Called, Arc<str>>,
}

/// A tool on the wire.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Called {
    pub(super) name: Arc<str>,
    /// The namespace that groups it with others (OpenAI Responses).
    pub(super) namespace: Option<Arc<str>>,
    /// Whether it takes text in place of JSON (OpenAI's custom tools).
    pub(super) is_custom: bool,
}

impl Called {
    /// A function of this name.
    pub(super) fn function(name: &Arc<str>) -> Self {
        Self { name: name.clone(), namespace: None, is_custom: false }
    }
}

impl Names {
    /// The tool `offered` of the offer is `called` so. The first of several equal ones is the one that is called.
    pub(super) fn add(&mut self, offered: &Arc<str>, called: Called) {
        if *offered != called.name || called.namespace.is_some() || called.is_custom {
            self.offered.entry(called.clone()).or_insert_with(|| offered.clone());
            self.called.insert(offered.clone(), called);
        }
    }

    /// How a tool of the offer is called.
    pub(super) fn called(&self, offered: &str) -> Option<&Called> {
        self.called.get(offered)
    }

    /// The name in the offer of what is called so.
    pub(super) fn offered(&self, called: Called) -> Arc<str> {
        self.offered.get(&called).cloned().unwrap_or(called.name)
    }

    /// A message with its calls as they are on the wire, as far as a name alone can say it.
    pub(super) fn message<'a>(&self, message: &'a Message) -> Cow<'a, Message> {
        match message {
            Message::Assistant(said) => match self.named(said) {
                Cow::Borrowed(_) => Cow::Borrowed(message),
                Cow::Owned(said) => Cow::Owned(Message::Assistant(said.into())),
            },
            Message::User(_) | Message::Result { .. } => Cow::Borrowed(message),
        }
    }

    /// A completion with its calls as they are on the wire, as far as a name alone can say it.
    pub(super) fn named<'a>(&self, completion: &'a Completion) -> Cow<'a, Completion> {
        if self.called.is_empty() {
            return Cow::Borrowed(completion);
        }
        let mut named = completion.clone();
        for call in &mut named.calls {
            if let Some(called) = self.called(&call.tool) {
                Arc::make_mut(call).tool = called.name.clone();
            }
        }
        Cow::Owned(named)
    }
}
