//! **qwen-code**: the part of qwen-code's loop detection that is always on, as documented at 00aa71b4a0 and
//! 78ee24857e (`docs/peers.md#qwen-code`).
//!
//! | seen since the user's prompt | the product | here |
//! |---|---|---|
//! | the same call, the fifth time in a row | halts the turn | the run ends |
//! | eight shell commands in a row whose every part only looks at git (`status`, `diff`, `ls-files`) | the same | the same |
//! | more than 100 calls, one of them at least six times | the same | the same |
//! | more than 1,000 calls | the same | the same |
//!
//! There is no nudge. Results matter for one tool only: a changed answer of `task_list` resets its count. Calls of a
//! broken attempt are not counted, because the resent request returns them again. Our key sorts members, as the
//! product does.
//!
//! *Left out*: other names of the same tool (they are the product's own tools), a configured cap of calls, the rules
//! that are off by default (the same pair six times, A-B three times, eight reads of fifteen, one name eight times,
//! thoughts, chanting), and truncated replies: the product asks again with a higher output limit, which a guard
//! cannot do. How often it asks again after a broken stream is not documented, so this rule has no opinion.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use super::memory::{Fingerprint, Streak};
use balk_contract::key::CallKey;
use balk_contract::{Answer, Completion, Decision, Entry, FinishReason, Guard, Subject, ToolCall, Verdict};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct QwenCode(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    now: Streaks,
    /// The streaks before the last completion, and its calls: to undo its counts if its attempt broke.
    before: Streaks,
    last: Vec<CallKey>,
    last_broke: bool,
    /// Why the last completion halts the turn.
    halt: Option<Why>,
    calls: u32,
    /// How often each call was made; at most as many calls as the turn may have.
    made: BTreeMap<CallKey, u32>,
    /// The last answer of the task list.
    tasks: Fingerprint,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Streaks {
    same: Streak<CallKey>,
    /// Commands in a row that only look at git.
    git: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Why {
    SameCall,
    GitOverview,
    Calls,
}

const NAME: &str = "qwen-code";
const VERSION: u64 = 1;
const SAME: u32 = 5;
const GIT: u32 = 8;
const CALLS: u32 = 100;
const CALLS_EVER: u32 = 1_000;
const MADE: u32 = 6;
/// How many calls of one completion are remembered, to undo their counts.
const LAST: usize = 64;
/// The one tool whose answers matter.
const TASKS: &str = "task_list";

impl State {
    fn call(&mut self, call: &ToolCall) -> Option<Why> {
        let same = self.now.same.push(call.key);
        self.now.git = if looks_at_git(call) { self.now.git.saturating_add(1) } else { 0 };
        self.calls = self.calls.saturating_add(1);
        if self.last.len() < LAST {
            self.last.push(call.key);
        }
        let may_count = self.made.len() < CALLS_EVER as usize || self.made.contains_key(&call.key);
        if may_count {
            let made = self.made.entry(call.key).or_default();
            *made = made.saturating_add(1);
        }
        if same >= SAME {
            Some(Why::SameCall)
        } else if self.now.git >= GIT {
            Some(Why::GitOverview)
        } else {
            let repeats = self.calls > CALLS && self.made.values().any(|made| *made >= MADE);
            (repeats || self.calls > CALLS_EVER).then_some(Why::Calls)
        }
    }

    fn take_back(&mut self) {
        self.now = self.before;
        for key in std::mem::take(&mut self.last) {
            self.calls = self.calls.saturating_sub(1);
            if let Some(made) = self.made.get_mut(&key) {
                *made = made.saturating_sub(1);
            }
        }
    }
}

/// Whether every part of a command only looks at git.
fn looks_at_git(call: &ToolCall) -> bool {
    if !call.arguments.contains("git ") {
        return false;
    }
    let arguments = serde_json::from_str::<Value>(&call.arguments).unwrap_or_default();
    let Some(command) = arguments["command"].as_str() else { return false };
    let parts = command.split(['\n', ';', '&', '|']).map(str::trim).filter(|part| !part.is_empty());
    let mut words = parts.map(|part| part.split_whitespace().take(2).collect::<Vec<_>>());
    words.all(|it| matches!(it[..], ["git", "status" | "diff" | "ls-files"]))
}

impl Guard for QwenCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        let state = &mut self.0;
        if let Entry::Completion(completion) = entry {
            state.before = state.now;
            state.last.clear();
            state.last_broke = completion.finish == FinishReason::Error;
            state.halt = None;
            for call in &completion.calls {
                let halt = state.call(call);
                state.halt = state.halt.or(halt);
            }
        }
        if let Entry::Result(result) = entry
            && &*result.call.tool == TASKS
        {
            let says = Fingerprint::of([&*result.text]);
            if state.tasks != says {
                state.now.same.restart(result.call.key);
            }
            state.tasks = says;
        }
        if let Entry::Failed(_) = entry
            && state.last_broke
        {
            state.take_back();
        }
        if is_from_user(entry) {
            *state = State::default();
        }
    }

    fn review(&self, _: &Completion) -> Answer<Decision> {
        let Some(why) = self.0.halt else { return Ok(Decision::pass()) };
        let (rule, what) = match why {
            Why::SameCall => ("same-call", format!("the same call was made {SAME} times in a row")),
            Why::GitOverview => ("git-overview", format!("{GIT} commands in a row only looked at git")),
            Why::Calls => ("calls", format!("{} calls were made in this turn", self.0.calls)),
        };
        let text = format!("Stopped: a potential loop was detected; {what}.");
        Ok(Verdict::Stop(note(NAME, rule, 1, Subject::Run, text)).into())
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
