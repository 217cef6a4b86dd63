//! **naive-abandonment**, **naive-no-tools**, **naive-duplicate**, **naive-retry**: the four field designs (spec A3,
//! N1, D1, R3) as one would build them after a quick reading, without the conditions of our guards.
//!
//! | name | what is seen | what it does |
//! |---|---|---|
//! | `naive-abandonment` | three calls failed, at any time and of any tool, and now there is a fence without a call | corrects it, each time |
//! | `naive-no-tools` | text without a call | corrects it, each time |
//! | `naive-duplicate` | a call that was answered before, at any time | refuses it, for ever |
//! | `naive-retry` | an attempt broke, in any way | sends the request again at once |

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::note;
use super::memory::Recent;
use balk_contract::key::CallKey;
use balk_contract::{
    Answer, AttemptFailure, Blocked, Completion, Decision, Entry, Guard, Origin, Recovery, Sight, Status,
    Subject, Verdict, Wait,
};

const VERSION: u64 = 1;

/// Settings of the naive version of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NaiveAbandonmentSettings {
    /// Failed calls before a fence is refused (spec A3).
    pub failures: u32,
}

impl Default for NaiveAbandonmentSettings {
    fn default() -> Self {
        Self { failures: 3 }
    }
}

/// Spec A3 without its conditions; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct NaiveAbandonment {
    settings: NaiveAbandonmentSettings,
    state: Failures,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Failures {
    failed: u32,
}

const ABANDONMENT: &str = "naive-abandonment";

impl NaiveAbandonment {
    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: NaiveAbandonmentSettings) -> Self {
        Self { settings, state: Failures::default() }
    }
}

impl Guard for NaiveAbandonment {
    fn name(&self) -> &'static str {
        ABANDONMENT
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry
            && result.origin == Origin::Executed
            && result.status == Status::Error
        {
            self.state.failed = self.state.failed.saturating_add(1);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let failed = self.state.failed;
        let is_fenced = completion.texts().any(|text| has_fence(text));
        if failed < self.settings.failures || !is_fenced || !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let text = format!("{failed} calls failed. Use the tools instead of showing code.");
        Ok(Verdict::Retry(note(ABANDONMENT, "fence", 1, Subject::Run, text)).into())
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(ABANDONMENT, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(ABANDONMENT, VERSION, state)?;
        Ok(())
    }
}

/// Spec N1 without its conditions; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct NaiveNoTools;

const NO_TOOLS: &str = "naive-no-tools";

impl Guard for NaiveNoTools {
    fn name(&self) -> &'static str {
        NO_TOOLS
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if !completion.has_text() || !completion.calls.is_empty() {
            return Ok(Decision::pass());
        }
        let text = "No tool was used. Call one.";
        Ok(Verdict::Retry(note(NO_TOOLS, "no-call", 1, Subject::Run, text.into())).into())
    }
}

/// Spec D1 without its conditions; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct NaiveDuplicate(Calls);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Calls {
    /// More than a run has.
    seen: Recent<CallKey, 4_096>,
}

const DUPLICATE: &str = "naive-duplicate";

impl Guard for NaiveDuplicate {
    fn name(&self) -> &'static str {
        DUPLICATE
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Result(result) = entry
            && result.origin != Origin::Synthetic
            && !self.0.seen.iter().any(|key| *key == result.call.key)
        {
            self.0.seen.push(result.call.key);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let calls = completion.calls.iter().enumerate();
        let again = calls.filter(|(_, call)| self.0.seen.iter().any(|key| *key == call.key));
        let blocked: Vec<_> = again
            .map(|(at, call)| {
                let text = format!("`{}` was already called with the same arguments.", call.tool);
                Blocked { call: at, note: note(DUPLICATE, "same-call", 1, Subject::Call(call.key), text) }
            })
            .collect();
        Ok(if blocked.is_empty() { Decision::pass() } else { Verdict::Block(blocked).into() })
    }

    fn must_see(&self) -> Sight {
        Sight::Calls
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(DUPLICATE, VERSION, &self.0)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.0 = balk_contract::state::open(DUPLICATE, VERSION, state)?;
        Ok(())
    }
}

/// Spec R3 and R4 without their conditions; see the [module](self).
#[derive(Clone, Copy, Debug, Default)]
pub struct NaiveRetry;

impl Guard for NaiveRetry {
    fn name(&self) -> &'static str {
        "naive-retry"
    }

    fn observe(&mut self, _: &Entry) {}

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(Some(Recovery::resend(Wait::exactly(0))))
    }

    fn must_see(&self) -> Sight {
        Sight::Nothing
    }
}

/// Whether a line opens a code block: three backticks or tildes, read naively (no quotes, lists or indented code).
fn has_fence(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| line.starts_with("```") || line.starts_with("~~~"))
}
