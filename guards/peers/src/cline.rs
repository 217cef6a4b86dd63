//! **cline**: the rules of Cline's classic extension, read line by line at efcec4b1c6 (2026-06-10;
//! `docs/peers.md#cline`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the same call, exactly the third time in a row | runs it, and adds to the next message: other arguments, or another tool | a note with the result |
//! | the fifth time | runs it, then counts the maximum of mistakes: the user is asked | the user is asked, and it does not run |
//! | text without a call | an automatic correction that is framed as an error; one mistake | a correction |
//! | the third mistake in a row | the user is asked (unattended: the task fails) | the user is asked |
//! | an empty reply | the automatic correction, three times, after 2, 4 and 8 s, and one mistake each; then the user is asked | the request again, because an empty reply leaves nothing to answer; it counts the mistakes |
//! | a broken request | the same, except for authentication and credit | the same |
//!
//! Results are ignored, and nothing is exempt: a polling model is told to change the arguments. Calls are equal if
//! tool and parameters are equal, without `task_progress`; a call that did not run counts too. A question clears both
//! counts. A call with unreadable arguments, or without one that is required, is a mistake; any other call clears the
//! mistakes, before its result is known.
//!
//! *Different from our key*: Cline's parameters are flat strings, so `1` and `1.0` differ there and are equal here.
//!
//! The correction does not depend on whether text may end the task: in the product only a tool ends it.
//!
//! *Left out*: advice about truncated writes and edits that do not match, and the mistakes that its tools find beyond
//! missing arguments (they are Cline's own); the reminder of how calls are written, for models that print them; context
//! truncation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::answer::{EndTools, Resends, ask, is_own_question, note, question};
use super::memory::Streak;
use super::messages::cline::{NO_TOOL, SAME_CALL};
use super::messages::fill;
use super::unexecuted::Tools;
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Settlement, Subject,
    ToolCall, ToolResult, Verdict,
};

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Cline(State);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    tools: Tools,
    ends: EndTools,
    calls: Streak<CallKey>,
    mistakes: u32,
}

const NAME: &str = "cline";
const VERSION: u64 = 2;
const SOFT: u32 = 3;
const HARD: u32 = 5;
const MISTAKES: u32 = 3;
const AGAIN: Resends = Resends { times: 3, first: 2_000, most: 8_000, jitter: 0 };

/// The member in which the model keeps its to-do list.
const BOOKKEEPING: &str = "task_progress";

/// The key of the call without the bookkeeping.
fn key_of(call: &ToolCall) -> CallKey {
    let lacks_it = !call.arguments.contains(BOOKKEEPING);
    let members = (!lacks_it).then(|| serde_json::from_str::<Map<String, Value>>(&call.arguments).ok());
    match members.flatten() {
        Some(mut members) => {
            members.remove(BOOKKEEPING);
            CallKey::of(&call.tool, &Value::Object(members).to_string())
        }
        None => call.key,
    }
}

/// Whether the model called nothing.
fn says_nothing(entry: &Entry) -> bool {
    match entry {
        Entry::Completion(completion) => completion.calls.is_empty(),
        Entry::Failed(it) => it.failure.cause == AttemptCause::Empty,
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => false,
    }
}

impl Cline {
    /// For each call of this completion, how often in a row it has been made.
    fn counts<'c>(&self, completion: &'c Completion) -> impl Iterator<Item = (&'c ToolCall, u32)> + use<'c> {
        let counts = self.0.calls.over(completion.calls.iter().map(|call| key_of(call)));
        completion.calls.iter().map(|call| &**call).zip(counts)
    }
}

impl Guard for Cline {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        let State { tools, ends, calls, mistakes } = &mut self.0;
        if let Entry::Start(start) = entry {
            (*tools, *ends) = (Tools::of(&start.offer), EndTools::of(&start.offer));
        }
        if says_nothing(entry) {
            *mistakes = mistakes.saturating_add(1);
        }
        if let Entry::Result(result) = entry {
            calls.push(key_of(&result.call));
            *mistakes = if tools.has_arguments(&result.call) { 0 } else { mistakes.saturating_add(1) };
        }
        if is_own_question(entry, NAME) {
            (*calls, *mistakes) = (Streak::default(), 0);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if let Some((call, count)) = self.counts(completion).find(|(_, count)| *count >= HARD) {
            let text = format!("`{}` was called {count} times in a row with the same arguments.", call.tool);
            return Ok(ask(note(NAME, "same-call", 2, Subject::Call(call.key), text)));
        }
        let mistakes = self.0.mistakes;
        if mistakes >= MISTAKES {
            let text = format!("The model made {mistakes} mistakes in a row and may not be up to the task.");
            return Ok(ask(note(NAME, "mistakes", mistakes, Subject::Run, text)));
        }
        if !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let text = self.0.ends.named_in(NO_TOOL);
        Ok(Verdict::Retry(note(NAME, "no-tool", mistakes, Subject::Run, text)).into())
    }

    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let repeated = self.counts(completion).find(|(_, count)| *count == SOFT);
        let told = repeated.map(|(call, count)| {
            let text = fill(SAME_CALL, &[("tool", &*call.tool), ("count", &count.to_string())]);
            note(NAME, "same-call", 1, Subject::Call(call.key), text)
        });
        Ok(Settlement::Accept(told.into_iter().collect()))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let is_refused = matches!(failure.cause, AttemptCause::Status { code: 401..=403, .. });
        let is_last = failure.cause == AttemptCause::Empty && self.0.mistakes.saturating_add(1) >= MISTAKES;
        let again = if is_refused || is_last { None } else { AGAIN.next(failure) };
        Ok(Some(again.unwrap_or_else(|| {
            let text = format!("The request failed {} times: {}.", failure.attempt, failure.cause);
            Recovery::Ask(question(note(NAME, "request-failed", failure.attempt, Subject::Run, text)))
        })))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
