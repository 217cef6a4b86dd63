//! **kimi-cli**: the repetition rule of kimi-cli, read line by line at 4a550effdf (2026-07-16;
//! `docs/peers.md#kimi-cli`).
//!
//! | the same call in a row | the product | here |
//! |---|---|---|
//! | 3 and 4 times | a mild reminder at the end of the result | a note with it |
//! | 5 to 7 times | a reminder with tool, count and arguments, which forbids the same call | a note with it |
//! | 8 to 11 times | a dead end: no more calls; write what the problem is, what was tried, what is needed | a note with it |
//! | 12 times | runs it, adds the dead end, then ends the turn | the run ends, and it does not run |
//! | an empty reply, one of only thinking, or a status of 429, 500, 502, 503 or 504 | sends the request again, twice, after 0.3 to 1.1 s | the same, except for thinking |
//! | a connection that fails | sends the request again at once, if the provider recovers; the second failure is final | the same |
//!
//! Each equal call of one step counts, but only the first of them is executed and can get a reminder, and only if an
//! earlier step made the call, too. A call of a tool that does not exist, or with arguments that are no JSON, does not
//! count and breaks nothing; after a step without a call that counts, everything begins anew. Results are ignored,
//! and nothing is exempt: a run that polls with the same arguments ends at the twelfth look. A new user message resets
//! the count. Our key is what the product compares: name and canonical arguments.
//!
//! *Left out*: one execution for equal calls of one step (a guard cannot give a call the result of another), a resend
//! after thinking without an answer (here, nothing committed is sent again), a fresh token after a status of 401, the
//! limit of 1,000 steps. The product repeats all arguments; here 500 characters of them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{is_from_user, note};
use super::memory::Streak;
use super::messages::kimi_cli::{FIRST, SECOND, THIRD};
use super::messages::{fill, quoted};
use super::unexecuted::Tools;
use balk_contract::key::{CallKey, Shape};
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Settlement, Subject,
    ToolCall, ToolResult, Verdict, Wait,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct KimiCli(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    tools: Tools,
    calls: Streak<CallKey>,
    /// The calls of the current step that count.
    step: BTreeSet<CallKey>,
}

const NAME: &str = "kimi-cli";
const VERSION: u64 = 2;
const MILD: u32 = 3;
const DETAILED: u32 = 5;
const DEAD_END: u32 = 8;
const STOP: u32 = 12;
/// Resends of one request.
const AGAIN: u32 = 2;
/// Ticks (ms) before the first; the wait doubles.
const FIRST_WAIT: u64 = 300;
/// At most so many ticks are added to a wait.
const JITTER: u64 = 500;

impl State {
    /// How often in a row this call has now been made; `None` if it does not count, or if the step made it before.
    fn push(&mut self, call: &ToolCall) -> Option<u32> {
        if !self.tools.has(&call.tool) || call.shape == Shape::NotJson {
            return None;
        }
        let count = self.calls.push(call.key);
        self.step.insert(call.key).then_some(count)
    }

    /// For each call that can get a reminder, how often in a row it has been made.
    fn counts<'c>(
        mut self,
        completion: &'c Completion,
    ) -> impl Iterator<Item = (&'c ToolCall, u32)> + use<'c> {
        completion.calls.iter().filter_map(move |call| Some((&**call, self.push(call)?)))
    }
}

/// The reminder for a call that is made this often in a row, with its level.
fn reminder(call: &ToolCall, count: u32) -> Option<(u32, String)> {
    match count {
        0..MILD | STOP.. => None,
        MILD..DETAILED => Some((1, FIRST.into())),
        DETAILED..DEAD_END => {
            let canonical = serde_json::from_str::<Value>(&call.arguments).map(|it| it.to_string());
            let arguments = quoted(canonical.as_deref().unwrap_or(&call.arguments));
            let holes = [("tool", &*call.tool), ("count", &count.to_string()), ("arguments", &arguments)];
            Some((2, fill(SECOND, &holes)))
        }
        DEAD_END..STOP => Some((3, THIRD.into())),
    }
}

impl Guard for KimiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Start(start) = entry {
            self.0.tools = Tools::of(&start.offer);
        }
        if let Entry::Completion(_) = entry
            && std::mem::take(&mut self.0.step).is_empty()
        {
            self.0.calls = Streak::default();
        }
        if let Entry::Result(result) = entry {
            self.0.push(&result.call);
        }
        if is_from_user(entry) {
            (self.0.calls, self.0.step) = Default::default();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some((call, count)) = self.0.clone().counts(completion).find(|(_, count)| *count >= STOP) else {
            return Ok(Decision::pass());
        };
        let text =
            format!("Stopped: `{}` was called {count} times in a row with the same arguments.", call.tool);
        Ok(Verdict::Stop(note(NAME, "same-call", 4, Subject::Call(call.key), text)).into())
    }

    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let told = self.0.clone().counts(completion).filter_map(|(call, count)| {
            let (level, text) = reminder(call, count)?;
            Some(note(NAME, "same-call", level, Subject::Call(call.key), text))
        });
        Ok(Settlement::Accept(told.collect()))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let (times, first, jitter) = match failure.cause {
            AttemptCause::Empty | AttemptCause::Status { code: 429 | 500 | 502..=504, .. } => {
                (AGAIN, FIRST_WAIT, JITTER)
            }
            AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => (1, 0, 0),
            AttemptCause::Status { .. } => (0, 0, 0),
        };
        let wait = first << failure.attempt.saturating_sub(1).min(AGAIN);
        let after = Wait { at_least: wait, at_most: wait + jitter };
        Ok((failure.attempt <= times).then_some(Recovery::resend(after)))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
