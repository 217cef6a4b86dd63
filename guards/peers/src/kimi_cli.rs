//! **kimi-cli**: the repetition rule of kimi-cli, as documented at 4a550effdf (2026-07-16; `docs/peers.md#kimi-cli`).
//!
//! | the same call in a row | the product | here |
//! |---|---|---|
//! | 3 and 4 times | a mild reminder at the end of the result | a note with it |
//! | 5 to 7 times | a reminder with tool, count and arguments | a note with it |
//! | 8 to 11 times | a dead end: no more calls; write what the problem is, what was tried, what is needed | a note with it |
//! | 12 times | runs it, then ends the turn | the run ends, and it does not run (as in the product since PR #2651) |
//! | an empty reply or a broken request | sends the request again, three times, after 0.3 to 5 s | the same |
//!
//! Equal calls of one completion count once. Results are ignored, and nothing is exempt: a run that polls with the
//! same arguments ends at the twelfth look. A new user message resets the count. Our key is what the product
//! compares: name and canonical arguments.
//!
//! *Left out*: one execution for equal calls of one completion (a guard cannot give a call the result of another), a
//! resend after thinking without an answer (here, nothing committed is sent again), the limit of 1,000 steps.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Resends, is_from_user, may_pass, note};
use super::memory::Streak;
use balk_contract::key::CallKey;
use balk_contract::wording::excerpt;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Settlement, Subject,
    ToolCall, ToolResult, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct KimiCli(State);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    calls: Streak<CallKey>,
    /// Whether the last call was made in the current completion.
    is_same_step: bool,
}

const NAME: &str = "kimi-cli";
const VERSION: u64 = 1;
const MILD: u32 = 3;
const DETAILED: u32 = 5;
const DEAD_END: u32 = 8;
const STOP: u32 = 12;
const AGAIN: Resends = Resends { times: 3, first: 300, most: 5_000, jitter: 0 };
/// Characters of the arguments that are shown.
const ARGUMENT_CHARS: usize = 500;

impl State {
    /// How often in a row this call has now been made; `None` if it was already counted in this completion.
    fn push(&mut self, key: CallKey) -> Option<u32> {
        let is_counted = self.is_same_step && self.calls.is_at(key);
        self.is_same_step = true;
        (!is_counted).then(|| self.calls.push(key))
    }

    fn counts<'c>(
        mut self,
        completion: &'c Completion,
    ) -> impl Iterator<Item = (&'c ToolCall, u32)> + use<'c> {
        completion.calls.iter().filter_map(move |call| Some((&**call, self.push(call.key)?)))
    }
}

/// The reminder for a call that is made this often in a row, with its level.
fn reminder(call: &ToolCall, count: u32) -> Option<(u32, String)> {
    let tool = &call.tool;
    match count {
        0..MILD | STOP.. => None,
        MILD..DETAILED => {
            let text = "The same call was made several times in a row. Look at what it has answered, and \
                        think about whether to make it again.";
            Some((1, text.into()))
        }
        DETAILED..DEAD_END => {
            let arguments = excerpt(&call.arguments, ARGUMENT_CHARS);
            let text = format!(
                "`{tool}` was called {count} times in a row with the same arguments: {arguments}\nIts \
                 answers will not be others. Change the arguments, or take another way."
            );
            Some((2, text))
        }
        DEAD_END..STOP => {
            let text = format!(
                "This is a dead end: `{tool}` was called {count} times in a row with the same arguments. \
                 Call no more tools. Write a message: what the problem is, what you have tried, and which \
                 information or decision you need."
            );
            Some((3, text))
        }
    }
}

impl Guard for KimiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(_) = entry {
            self.0.is_same_step = false;
        }
        if let Entry::Result(result) = entry {
            self.0.push(result.call.key);
        }
        if is_from_user(entry) {
            self.0 = State::default();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let Some((call, count)) = self.0.counts(completion).find(|(_, count)| *count >= STOP) else {
            return Ok(Decision::pass());
        };
        let text =
            format!("Stopped: `{}` was called {count} times in a row with the same arguments.", call.tool);
        Ok(Verdict::Stop(note(NAME, "same-call", 4, Subject::Call(call.key), text)).into())
    }

    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let told = self.0.counts(completion).filter_map(|(call, count)| {
            let (level, text) = reminder(call, count)?;
            Some(note(NAME, "same-call", level, Subject::Call(call.key), text))
        });
        Ok(Settlement::Accept(told.collect()))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let is_retried = failure.cause == AttemptCause::Empty || may_pass(failure.cause);
        Ok(if is_retried { AGAIN.next(failure) } else { None })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
