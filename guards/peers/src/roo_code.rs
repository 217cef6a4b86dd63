//! **roo-code**: the rules of Roo Code, read line by line at cb83656718 (2026-04-14;
//! `docs/peers.md#roo-code`).
//!
//! | seen | the product | here |
//! |---|---|---|
//! | the same call, once more than the limit (three run, the fourth does not) | does not run it: the result says that the limit was reached and another approach is needed, and the user is asked | the user is asked, nothing runs |
//! | text without a call, the first in a row | a correction, without a mistake | a correction |
//! | each further one | a correction, an error that the user sees, one mistake | a correction and a notice |
//! | the third mistake in a row | the user is asked | the user is asked |
//! | an empty reply or a broken request | sends the request again without a limit (with automatic approval), after 5 s, doubled up to 600 s | the same, within the bounds of the run |
//!
//! The limit is a setting; zero turns the rule off. The question resets the count of calls. Results are ignored, and
//! nothing is exempt: a tool that returns the next page each time is refused like any other. Calls are compared as
//! stable JSON of name and parameters, as with our key, except for the spelling of numbers. A call of an unknown tool,
//! with unreadable arguments, or without one that is required, is a mistake; any other call clears the mistakes (as in
//! Cline, where this rule comes from). A call of an unknown tool does not count among the repeated ones.
//!
//! The correction does not depend on whether text may end the task: in the product only a tool ends it.
//!
//! *Left out*: counts for each file of edits that do not match and other mistakes that its tools find (they are Roo
//! Code's own), calls written as XML, the limits of requests and cost, and context truncation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{EndTools, Resends, ask, is_own_question, note};
use super::memory::Streak;
use super::messages::roo_code::NO_TOOL;
use super::unexecuted::Tools;
use balk_contract::key::CallKey;
use balk_contract::{Answer, AttemptFailure, Completion, Decision, Entry, Guard, Recovery, Subject, Verdict};

/// Settings of the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RooCodeSettings {
    /// How often the same call may run in a row; zero means no limit.
    pub limit: u32,
}

impl Default for RooCodeSettings {
    fn default() -> Self {
        Self { limit: 3 }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct RooCode {
    settings: RooCodeSettings,
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    tools: Tools,
    ends: EndTools,
    calls: Streak<CallKey>,
    /// Completions in a row without a call.
    without_call: u32,
    mistakes: u32,
}

const NAME: &str = "roo-code";
const VERSION: u64 = 2;
const MISTAKES: u32 = 3;
const AGAIN: Resends = Resends { times: u32::MAX, first: 5_000, most: 600_000, jitter: 0 };

impl RooCode {
    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: RooCodeSettings) -> Self {
        Self { settings, state: State::default() }
    }
}

impl Guard for RooCode {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        let State { tools, ends, calls, without_call, mistakes } = &mut self.state;
        if let Entry::Start(start) = entry {
            (*tools, *ends) = (Tools::of(&start.offer), EndTools::of(&start.offer));
        }
        if let Entry::Completion(completion) = entry {
            *without_call = if completion.calls.is_empty() { without_call.saturating_add(1) } else { 0 };
            if *without_call > 1 {
                *mistakes = mistakes.saturating_add(1);
            }
        }
        if let Entry::Result(result) = entry {
            let is_known = tools.has(&result.call.tool);
            if is_known {
                calls.push(result.call.key);
            }
            let is_right = is_known && tools.has_arguments(&result.call);
            *mistakes = if is_right { 0 } else { mistakes.saturating_add(1) };
        }
        if is_own_question(entry, NAME) {
            (*calls, *mistakes) = (Streak::default(), 0);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let State { ref tools, ref ends, calls, without_call, mistakes } = self.state;
        let known: Vec<_> = completion.calls.iter().filter(|call| tools.has(&call.tool)).collect();
        let mut counts = known.iter().zip(calls.over(known.iter().map(|it| it.key)));
        let limit = self.settings.limit;
        if let Some((call, count)) = counts.find(|(_, count)| limit > 0 && *count > limit) {
            let text = format!(
                "The limit of repetitions is reached for `{}`: {count} equal calls in a row. Another \
                 approach is needed.",
                call.tool
            );
            return Ok(ask(note(NAME, "same-call", 1, Subject::Call(call.key), text)));
        }
        if mistakes >= MISTAKES {
            let text = format!("The model made {mistakes} mistakes in a row and seems to be in trouble.");
            return Ok(ask(note(NAME, "mistakes", mistakes, Subject::Run, text)));
        }
        if !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let text = ends.named_in(NO_TOOL);
        let mut decision: Decision =
            Verdict::Retry(note(NAME, "no-tool", without_call, Subject::Run, text)).into();
        if without_call > 1 {
            let text = format!("The model used no tool in {without_call} replies in a row.");
            decision.notices.push(note(NAME, "no-tool", without_call, Subject::Run, text));
        }
        Ok(decision)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(AGAIN.next(failure))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
