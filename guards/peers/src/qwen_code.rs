//! **qwen-code**: the part of qwen-code's loop detection that is always on, read line by line at 00aa71b4a0
//! (`docs/peers.md#qwen-code`).
//!
//! | seen since the user's prompt | the product | here |
//! |---|---|---|
//! | the same call, the fifth time in a row | halts the turn | the run ends |
//! | eight shell commands in a row that only look at git as a whole (`status`, `diff`, `ls-files`) | the same | the same |
//! | more than 100 calls, one of them at least six times | the same | the same |
//! | more than 1,000 calls | the same | the same |
//!
//! There is no nudge. A command looks at git as a whole if each of its parts does, with `-C` or `--no-pager` before
//! the subcommand; a diff of named files does not. Our key sorts members, as the product does.
//!
//! The answers of one tool matter, `task_list`: it reads what others change. Its fifth equal request in a row is a
//! loop only if all answers before were equal; otherwise the streak begins anew with this request. It counts among the
//! repeated calls only while its answers stay equal, and no longer once a reply has gone by without it.
//!
//! A request that is sent again begins the streaks and the repeated calls anew and takes back the calls of the broken
//! attempt.
//!
//! *Different*: the product looks at commands of `run_shell_command`; here at those of any tool that has a `command`.
//!
//! *Left out*: other names of the same tool (they are the product's own tools), a configured cap of calls, the rules
//! that are off by default (the same pair six times, A-B three times, eight reads of fifteen, one name eight times,
//! thoughts, chanting), the stubs in place of long answers (the product makes them), and truncated replies: the
//! product asks again with a higher output limit, which a guard cannot do. How often it asks again after a broken
//! stream is not part of the rule, so this rule has no opinion.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use super::git_overview::looks_at_git;
use super::memory::{Fingerprint, Streak};
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptCause, Completion, Decision, Entry, FinishReason, Guard, Origin, Subject, ToolCall,
    ToolResult, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct QwenCode(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    same: Streak<CallKey>,
    /// Commands in a row that only look at git.
    git: u32,
    calls: u32,
    /// The calls before the last completion.
    committed: u32,
    /// How often each call was made; at most as many calls as the turn may have.
    made: BTreeMap<CallKey, u32>,
    /// What the requests of the one tool brought, whose answers matter.
    polled: BTreeMap<CallKey, Polled>,
    /// Those of them that were answered since the last completion.
    answered: BTreeSet<CallKey>,
    last_broke: bool,
    /// Why the last completion halts the turn.
    halt: Option<Why>,
}

/// The answers to one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Polled {
    last: Option<Fingerprint>,
    /// Answers within the streak of the request.
    seen: u32,
    /// Those of them, in a row, that were like the answer before.
    unchanged: u32,
    /// Equal answers in a row, with other calls between them.
    equal: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Why {
    SameCall,
    GitOverview,
    Calls,
}

const NAME: &str = "qwen-code";
const VERSION: u64 = 2;
const SAME: u32 = 5;
const GIT: u32 = 8;
const CALLS: u32 = 100;
const CALLS_EVER: u32 = 1_000;
const MADE: u32 = 6;
/// How many requests of the task list are told apart.
const POLLED: usize = 64;
/// The one tool whose answers matter.
const TASKS: &str = "task_list";

impl Polled {
    /// The streak of its request begins anew.
    fn restart(&mut self) {
        (self.seen, self.unchanged) = (0, 0);
    }

    fn forget(&mut self) {
        self.restart();
        self.equal = 0;
    }

    fn answer(&mut self, answer: Fingerprint, in_streak: bool) {
        let is_first = self.last.is_none();
        let is_equal = self.last == Some(answer);
        self.last = Some(answer);
        if in_streak {
            self.seen = self.seen.saturating_add(1);
            self.unchanged = match (is_first, is_equal) {
                (true, _) => self.unchanged,
                (false, true) => self.unchanged.saturating_add(1),
                (false, false) => 0,
            };
        }
        self.equal = if is_first || is_equal { self.equal.saturating_add(1) } else { 1 };
    }

    /// Whether the answers show that this many requests in a row brought news.
    fn moves(&self, requests: u32) -> bool {
        let expected = requests.saturating_sub(1);
        self.seen >= expected && self.unchanged.saturating_add(1) < expected
    }
}

impl State {
    fn call(&mut self, call: &ToolCall) -> Option<Why> {
        let is_poll = &*call.tool == TASKS;
        self.calls = self.calls.saturating_add(1);
        let may_count = self.made.len() < CALLS_EVER as usize || self.made.contains_key(&call.key);
        if !is_poll && may_count {
            let made = self.made.entry(call.key).or_default();
            *made = made.saturating_add(1);
        }
        let same = self.streak(call);
        if same >= SAME {
            let polled = self.polled.get_mut(&call.key).filter(|it| is_poll && it.moves(same));
            let Some(polled) = polled else { return Some(Why::SameCall) };
            polled.restart();
            self.same.restart(call.key);
        }
        self.git = if looks_at_git(call) { self.git.saturating_add(1) } else { 0 };
        if self.git >= GIT {
            return Some(Why::GitOverview);
        }
        let is_stuck =
            self.made.values().any(|made| *made >= MADE) || self.polled.values().any(|it| it.equal >= MADE);
        ((self.calls > CALLS && is_stuck) || self.calls > CALLS_EVER).then_some(Why::Calls)
    }

    fn streak(&mut self, call: &ToolCall) -> u32 {
        let before = self.same.last();
        let count = self.same.push(call.key);
        if count == 1 {
            for key in before.into_iter().chain([call.key]) {
                self.polled.entry(key).and_modify(Polled::restart);
            }
        }
        count
    }

    fn completion(&mut self, completion: &Completion) {
        self.committed = self.calls;
        self.last_broke = completion.finish == FinishReason::Error;
        self.halt = None;
        for call in &completion.calls {
            let halt = self.call(call);
            self.halt = self.halt.or(halt);
        }
        if self.last_broke {
            return;
        }
        for (key, polled) in &mut self.polled {
            if !self.answered.contains(key) {
                polled.forget();
            }
        }
        self.answered.clear();
    }

    fn result(&mut self, result: &ToolResult) {
        let key = result.call.key;
        let may_count = self.polled.len() < POLLED || self.polled.contains_key(&key);
        if &*result.call.tool != TASKS || result.origin == Origin::Missing || !may_count {
            return;
        }
        self.answered.insert(key);
        let in_streak = self.same.last() == Some(key);
        self.polled.entry(key).or_default().answer(Fingerprint::of([&*result.text]), in_streak);
    }

    /// The request is sent again.
    fn again(&mut self) {
        if self.last_broke {
            self.calls = self.committed;
        }
        (self.same, self.git, self.last_broke) = (Streak::default(), 0, false);
        self.made.clear();
        self.answered.clear();
        self.polled.values_mut().for_each(Polled::forget);
    }
}

impl Guard for QwenCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(completion) = entry {
            self.0.completion(completion);
        }
        if let Entry::Result(result) = entry {
            self.0.result(result);
        }
        if let Entry::Failed(it) = entry
            && (self.0.last_broke || it.failure.cause == AttemptCause::Empty)
        {
            self.0.again();
        }
        if is_from_user(entry) {
            self.0 = State::default();
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
