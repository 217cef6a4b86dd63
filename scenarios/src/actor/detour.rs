//! A way out that leads nowhere in the actor's state, acted out in one turn.
//!
//! Stuck and healthy actors do it alike: told to wait for a dead job, both wait. After it the actor goes on where it
//! was. A detour moves nothing by itself, but it takes a turn, may hand the turn to the user, may end the run, may send
//! a call twice, and may write what it was told into a file.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use balk_contract::{Completion, FinishReason, Part, Protocol, Purpose, RawCall, Tool};

use super::act::{Act, id, truth};
use crate::arguments;
use crate::draws::{Draw, Occasion};
use crate::scenario::{Role, StateId, ToolsetTool, Way};
use crate::world::World;

const FILE: &str = include_str!("../../words/detours.toml");

/// Wordings by language.
type Wordings = BTreeMap<String, Vec<Arc<str>>>;

/// What is said, by name.
static SAID: LazyLock<BTreeMap<String, Wordings>> = LazyLock::new(|| {
    toml::from_str(FILE).unwrap_or_else(|wrong| panic!("the built-in words are bad: {wrong}"))
});

/// A detour before the actor's next act.
#[derive(Clone, Debug)]
pub(super) struct Detour {
    pub(super) way: Way,
    /// The tool that was named for it.
    pub(super) tool: Option<Arc<str>>,
    /// The state that was left, and the number of its visits. The truth is what it was there.
    pub(super) left: StateId,
    pub(super) visit: u32,
    /// What was corrected.
    pub(super) completion: Option<Arc<Completion>>,
    /// The correction.
    pub(super) said: Arc<str>,
}

impl Detour {
    /// Whether it waits, and no tool on offer does.
    pub(super) fn waits_in_words(&self, world: &World) -> bool {
        let turn = Turn { detour: self, world, turns: 0 };
        self.way == Way::Wait && turn.callable(|tool| tool.purpose == Purpose::Wait).is_none()
    }

    /// The turn, where the actor took so many before.
    pub(super) fn act(&self, world: &World, turns: u32) -> Act {
        let turn = Turn { detour: self, world, turns };
        match self.way {
            Way::Wait => turn.by_tool_or_words(Purpose::Wait, "waits"),
            Way::Ask => turn.by_tool_or_words(Purpose::AskUser, "asks"),
            Way::Tell => Act { tells_user: true, ..turn.ends("tells") },
            Way::Finish => turn.ends("done"),
            Way::Again | Way::Shorten => turn.again(),
            Way::Inspect | Way::Change | Way::Tool | Way::Call => turn.looks(),
        }
    }
}

/// The parts of the turn.
struct Turn<'t> {
    detour: &'t Detour,
    world: &'t World,
    turns: u32,
}

impl Turn<'_> {
    /// A call of the first tool of this purpose, or the words for it.
    fn by_tool_or_words(&self, purpose: Purpose, words: &str) -> Act {
        match self.callable(|tool| tool.purpose == purpose) {
            Some(tool) => self.calls(None, vec![self.call(tool, words)]),
            None => self.says(words),
        }
    }

    /// Ends the task as the protocol asks.
    fn ends(&self, words: &str) -> Act {
        match self.world.protocol() {
            Protocol::Tool => self.by_tool_or_words(Purpose::Finish, words),
            Protocol::Text => self.says(words),
        }
    }

    /// The corrected turn, once more.
    fn again(&self) -> Act {
        let Some(completion) = &self.detour.completion else { return self.says("looks") };
        let calls = completion.calls.iter().enumerate().map(|(at, call)| RawCall {
            id: id(self.turns, at),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
        });
        self.act(completion.parts.clone(), calls.collect())
    }

    /// A look that moves nothing: with the tool that was named, or around the workspace.
    fn looks(&self) -> Act {
        let named = self.detour.tool.as_ref().and_then(|name| self.callable(|tool| tool.name == *name));
        let call = match named {
            Some(tool) => Some(self.call(tool, "looks")),
            None => {
                let mut around = [Role::List, Role::Read, Role::Shell].into_iter();
                around.find_map(|role| {
                    let (name, tool) = self.world.role(role)?;
                    let is_run = |it: &Tool| it.name == *name && !it.provider_executed;
                    self.callable(is_run).map(|it| self.call_as(it, tool, "looks"))
                })
            }
        };
        match call {
            Some(call) => self.calls(Some("looks"), vec![call]),
            None => self.says("looks"),
        }
    }

    /// The first tool like this that the loop runs.
    fn callable(&self, is_like: impl Fn(&Tool) -> bool) -> Option<&Tool> {
        self.world.offer().tools().iter().find(|tool| !tool.provider_executed && is_like(tool))
    }

    /// A call that fits any task: it looks around, or says the words. A file that it writes gets the correction itself.
    fn call(&self, tool: &Tool, words: &str) -> RawCall {
        let mut offered = self.world.tools(&tool.name);
        self.call_as(tool, offered.next_back().expect("every tool on offer is of the tool set"), words)
    }

    /// The same with a tool that is several things: as this one.
    fn call_as(&self, tool: &Tool, offered: &ToolsetTool, words: &str) -> RawCall {
        let value = |canonical: &&str| -> Arc<str> {
            match (offered.role, *canonical) {
                (Role::List, _) => ".".into(),
                (Role::Write, "path") => "NOTES.md".into(),
                (Role::Write, _) | (Role::Edit, "new") => self.detour.said.clone(),
                (_, "path") => "README.md".into(),
                (_, "command") => "ls".into(),
                (_, "seconds") => "30".into(),
                _ => self.words(words),
            }
        };
        let values: Vec<Arc<str>> = offered.role.arguments().iter().map(value).collect();
        let values: Vec<&str> = values.iter().map(|it| &**it).collect();
        let arguments = arguments::written(&offered.form, &values).into();
        RawCall { id: id(self.turns, 0), tool: tool.name.clone(), arguments }
    }

    fn says(&self, words: &str) -> Act {
        self.calls(Some(words), Vec::new())
    }

    fn calls(&self, words: Option<&str>, calls: Vec<RawCall>) -> Act {
        self.act(words.map(|words| Part::Text(self.words(words))).into_iter().collect(), calls)
    }

    fn act(&self, parts: Vec<Part>, calls: Vec<RawCall>) -> Act {
        let state = &self.world.scenario().actor.states[self.detour.left];
        Act {
            state: self.detour.left,
            parts,
            finish: if calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCall },
            calls,
            spoken: Vec::new(),
            truth: truth(state, self.detour.visit),
            tells_user: false,
            ran_by_provider: Vec::new(),
            broken: None,
        }
    }

    /// What is said, in the language of the world.
    fn words(&self, name: &str) -> Arc<str> {
        let languages = &SAID[name];
        let variants = languages.get(&**self.world.language()).unwrap_or(&languages["en"]);
        let occasion = Occasion::State(self.detour.left);
        let draw = Draw::Phrase { phrase: name, occasion, visit: self.detour.visit };
        variants[self.world.draws().dice(draw).index(variants.len())].clone()
    }
}
