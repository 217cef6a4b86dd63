//! **empty-completion**: the model answers nothing, or is cut off.
//!
//! *Detects* an attempt that returned nothing at all (spec E1, E4: white space is nothing), and a completion that
//! ended because of its length (spec E3).
//!
//! *Sends* the same request again after an empty attempt, up to the allowed attempts; then it ends the run with a
//! clear message. The view does not change. An answer that was cut off is never requested again unchanged. A call that
//! was cut off does not run, and the model is asked to begin it again, smaller. The same goes for a text that ends in
//! the middle of a code block, an object, a tag or a printed call (`empty_completion/cut.rs`): a live run that was
//! asked to go on there lost its call. Only prose is to be continued, or said in fewer words.
//!
//! *Stays silent* about refusals and filtered answers (spec E4), and about thinking without an answer, because the
//! same request would return it again (spec E2: it counts as a message that calls no tool).
//!
//! *Thresholds*: three attempts come from the field (`docs/peers.md#cline`, `docs/peers.md#kimi-cli`). After an empty
//! message of gpt-4o, the next is empty in 11 %, and the one after that in 40 % (`docs/reactions.md#empty-replies`),
//! so a fourth attempt is no longer worth its cost. Two hints about length in a row, then a question.

mod cut;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use cut::Open;

use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::times;
use balk_contract::{
    Answer, AttemptCause, AttemptFailure, Blocked, Choice, Completion, Decision, Entry, FinishReason, Guard,
    Intervention, InterventionKind, Note, Question, Recovery, Speaker, Subject, UserMessage, Verdict, Wait,
};

/// Settings of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EmptyCompletionSettings {
    /// Empty answers to one request before the run ends. Attempts that broke in between do not count.
    pub attempts: u32,
    /// Ticks (ms) to wait before the request is sent again.
    pub wait: u64,
    /// Completions in a row that may be cut off before the user is asked.
    pub truncations: u32,
}

impl Default for EmptyCompletionSettings {
    fn default() -> Self {
        Self { attempts: 3, wait: 500, truncations: 3 }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct EmptyCompletion {
    settings: EmptyCompletionSettings,
    state: EmptyCompletionState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct EmptyCompletionState {
    /// Empty answers since the last completion, or since the user last spoke.
    empty: u32,
    /// Completions in a row that ended because of their length.
    truncated: u32,
    /// Hints and questions of this run, so that each message has different words.
    spoken: u32,
}

const NAME: &str = "empty-completion";
const VERSION: u64 = 2;

impl EmptyCompletion {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::resend(AttemptCause::Empty),
        Rule::new("attempts-spent", &[Rung::counted(Step::Stop)]),
        Rule::new("truncated-call", &[Rung::counted(Step::Block)]),
        Rule::new("truncated-text", &[Rung::counted(Step::Feedback)]),
        Rule::new("truncated-again", &[Rung::counted(Step::Question)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: EmptyCompletionSettings) -> Self {
        Self { settings, state: EmptyCompletionState::default() }
    }

    fn note(&self, rule: &'static str, text: String) -> Note {
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level: u8::try_from(self.state.truncated.max(1)).unwrap_or(u8::MAX),
            subject: Subject::Run,
            text: text.into(),
        }
    }

    fn again(&self) -> String {
        match self.state.spoken {
            0 => String::new(),
            before => format!(" This has happened {} before in this run.", times(before)),
        }
    }

    fn question(&self) -> Question {
        let cut = match self.state.truncated {
            1 => "The last answer was cut off".into(),
            many => format!("{many} answers in a row were cut off"),
        };
        let text = format!("{cut} at the model's output limit.{} How should it continue?", self.again());
        Question {
            note: self.note("truncated-again", text),
            options: Choice::for_stuck("say how to make it smaller", false),
        }
    }

    /// The verdict about a call that was cut off. It is the last one, because a model writes its calls in order.
    fn cut_call(&self, at: usize, tool: &str) -> Verdict {
        let text = format!(
            "your answer reached the output limit in the middle of this call of `{tool}`, so its arguments are \
             incomplete.{} Begin it again with part of the content, and add the rest in later calls that do not \
             replace what is there, or send less content.",
            self.again()
        );
        Verdict::Block(vec![Blocked { call: at, note: self.note("truncated-call", text) }])
    }

    /// What a text left open is never continued: the pieces would not fit together (spec E3).
    fn cut_text(&self, completion: &Completion) -> Verdict {
        let again = self.again();
        let text = match completion.texts().last().map(|text| Open::of(text)) {
            None => format!(
                "You reached the output limit before you answered.{again} Keep it shorter: think briefly, and take \
                 one step or make one call at a time."
            ),
            Some(Open::Prose) => format!(
                "Your last message reached the output limit before it was complete.{again} Continue where it \
                 stopped, or say it in fewer words; do not start again."
            ),
            Some(open @ (Open::Block | Open::Markup)) => {
                let what = if open == Open::Block { "a code block" } else { "a call or an object" };
                format!(
                    "Your last message reached the output limit in the middle of {what}, so that is incomplete and \
                     nothing came of it.{again} Do not continue it. Begin again with less: break it into smaller \
                     parts, and send only the first part now, as a call of its own."
                )
            }
        };
        Verdict::Retry(self.note("truncated-text", text))
    }
}

impl Guard for EmptyCompletion {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        match entry {
            Entry::Completion(completion) => {
                self.state.empty = 0;
                let cut = completion.finish == FinishReason::Length;
                self.state.truncated = if cut { self.state.truncated.saturating_add(1) } else { 0 };
            }
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => match kind {
                InterventionKind::Feedback | InterventionKind::Block | InterventionKind::Question(_) => {
                    self.state.spoken = self.state.spoken.saturating_add(1);
                }
                InterventionKind::Note
                | InterventionKind::Notice
                | InterventionKind::Repair(_)
                | InterventionKind::Stop => {}
            },
            Entry::Failed(failed) if failed.failure.cause == AttemptCause::Empty => {
                self.state.empty = self.state.empty.saturating_add(1);
            }
            Entry::User(UserMessage { from: Speaker::User, .. }) | Entry::Answer(_) => self.state.empty = 0,
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if completion.finish != FinishReason::Length {
            return Ok(Decision::pass());
        }
        if self.state.truncated >= self.settings.truncations {
            return Ok(Verdict::Ask(self.question()).into());
        }
        Ok(match completion.calls.last() {
            Some(call) => self.cut_call(completion.calls.len() - 1, &call.tool),
            None => self.cut_text(completion),
        }
        .into())
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        Ok(match failure.cause {
            AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected
            | AttemptCause::Status { .. } => None,
            AttemptCause::Empty => {
                let empty = self.state.empty.saturating_add(1);
                if empty < self.settings.attempts {
                    let after = self.settings.wait.saturating_mul(u64::from(empty));
                    return Ok(Some(Recovery::resend(Wait::exactly(after))));
                }
                let text = format!(
                    "Stopped: the model gave an empty answer {} in a row. Nothing was done in this turn; \
                     earlier work is kept.",
                    times(empty)
                );
                Some(Recovery::Stop(self.note("attempts-spent", text)))
            }
        })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
