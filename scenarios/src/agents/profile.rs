//! A profile: what it says of an agent, and what it makes of texts and requests.

use std::borrow::Cow;
use std::sync::Arc;

use balk_contract::Tool;

use super::pattern::Pattern;
use super::run::Run;
use crate::scenario::{Role, Toolset};
use crate::toolsets::{Binding, Unbound, bind};

/// What is known of an agent.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name.
    pub agent: String,
    /// The version that it was looked at.
    pub version: String,
    pub(super) bindings: Vec<Binding>,
    pub(super) added: Vec<Added>,
    pub(super) around: Vec<Around>,
    /// What it says in place of a result, where it did not run a call.
    pub(super) refusals: Vec<Pattern>,
    pub(super) side_calls: Vec<SideCall>,
    pub(super) run: Option<Run>,
}

/// Where a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a message of the user.
    User,
    /// In a result.
    Result,
}

/// A text that the agent adds in healthy runs.
#[derive(Clone, Debug)]
pub(super) struct Added {
    pub(super) to: Place,
    pub(super) text: Pattern,
}

/// What the agent puts around what its user or its tool said.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub(super) what: Place,
    pub(super) text: Pattern,
    /// Whether the call failed, where the text is only around results of which that is known.
    pub(super) failed: Option<bool>,
}

/// A request that is not of the task. All that is said must hold.
#[derive(Clone, Debug)]
pub(super) struct SideCall {
    pub(super) name: String,
    /// What its system text contains.
    pub(super) system: Option<String>,
    /// Whether it has tools.
    pub(super) tools: Option<bool>,
}

/// What the user or a tool said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain<'t> {
    /// The words, without what the agent added.
    pub text: Cow<'t, str>,
    /// Whether a call failed, where the agent said so.
    pub failed: Option<bool>,
}

impl Profile {
    /// An agent of which nothing is known but how it is run.
    #[must_use]
    pub fn of_run(agent: &str, run: Run) -> Self {
        Self {
            agent: agent.to_owned(),
            version: String::new(),
            bindings: Vec::new(),
            added: Vec::new(),
            around: Vec::new(),
            refusals: Vec::new(),
            side_calls: Vec::new(),
            run: Some(run),
        }
    }

    /// Binds the tools on offer to roles: first those that the profile names, then the others by names.
    ///
    /// # Errors
    ///
    /// A role that nothing on offer can play.
    pub fn bind(&self, roles: &[Role], offered: &[Tool]) -> Result<Arc<Toolset>, Unbound> {
        bind(&self.agent, roles, offered, &self.bindings)
    }

    /// A text without what the agent adds to it in healthy runs.
    #[must_use]
    pub fn plain<'t>(&self, place: Place, text: &'t str) -> Plain<'t> {
        let mut plain = Plain { text: Cow::Borrowed(text), failed: None };
        for added in self.added.iter().filter(|it| it.to == place) {
            if let Some(left) = added.text.removed_from(&plain.text) {
                plain.text = left.into();
            }
        }
        for around in self.around.iter().filter(|it| it.what == place) {
            if let Some(inside) = around.text.inside(&plain.text) {
                let status = inside.status.map(|status| status != 0);
                plain.failed = plain.failed.or(around.failed).or(status);
                plain.text = inside.text.into_owned().into();
            }
        }
        plain
    }

    /// Whether a result says that the agent did not run the call.
    #[must_use]
    pub fn refuses(&self, result: &str) -> bool {
        self.refusals.iter().any(|it| it.is_in(result))
    }

    /// The name of the side call that a request is, by its system text and the number of its tools. `None` is a
    /// request of the task.
    #[must_use]
    pub fn side_call(&self, system: &str, tools: usize) -> Option<&str> {
        let is_it = |it: &&SideCall| {
            it.system.as_ref().is_none_or(|text| system.contains(text.as_str()))
                && it.tools.is_none_or(|has| has == (tools > 0))
        };
        self.side_calls.iter().find(is_it).map(|it| it.name.as_str())
    }

    /// How it is run, if the profile says so.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }
}
