//! **duplicate**: the model sends a call again that cannot answer anything new.
//!
//! *Detects* (spec D1) a call equal to an earlier one, by canonical arguments, when nothing can have changed
//! since and the earlier result was an error (on the second call), or two equal results were seen (on the
//! third). Results are compared without their volatile parts ([`identity`](crate::identity)).
//!
//! *Stays silent* (spec D7) where anything may have changed since: an edit before the same test, a write before
//! the same read, also where both are in one completion, a call of unknown effect, a message of the user; where
//! results change (polling) or arguments do (paging); where the call waits for something
//! ([`progress`](crate::progress) is more patient); where the error reads like a passing one (time-outs, 503) and
//! was seen less than three times; where a call that did not fail comes back after something else was done
//! (waiting for a job); and within one completion (parallel fan-out). A block lapses after some turns: a blocked
//! call never shows that its result has changed.
//!
//! *Thresholds*: two equal results before a repeat counts, because the same call three times with an equal
//! result is stuck in 71 % of judged points (`docs/labels.md#what-single-rules-find`). After a failure the
//! second call counts: recorded gpt-4 repeats a failing call once in 3 % of cases and then stays with 55, 63,
//! 82 % (`docs/reactions.md#lock-in`), so the first repeat is where speaking is worth most.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement;
use crate::call_memory::{CallMemory, Remembered};
use crate::failed_writes::FailedWrites;
use crate::failure::reads_as_passing;
use crate::similarity::Ratio;
use balk_contract::key::{CallKey, Shape};
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::{excerpt, first_line, pretty};
use balk_contract::{
    Answer, Blocked, Choice, Completion, Decision, Effect, Entry, Guard, GuardFault, Intervention,
    InterventionKind, Note, Origin, Purpose, Question, Status, Subject, ToolCall, Verdict,
};

/// How the guard is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DuplicateSettings {
    /// Equal results that must have been seen before a repeat of a call that did not fail counts.
    pub equal_results: u32,
    /// Turns after which a block lapses and the call may run once more.
    pub lapse: u64,
    /// How similar, in percent, what is written must be to what was written and failed, to count as the same
    /// (more than this, exactly); 100 leaves near-duplicates alone.
    pub near_percent: u16,
    /// What the model is told, and what it owes.
    pub policy: DuplicatePolicy,
}

/// What the model is told, and what it owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicatePolicy {
    /// Feedback to act on (spec D2); a different call settles it.
    Actionable,
    /// The plain notice (spec D6), on the same ladder: there to be measured against.
    Notice,
    /// Feedback to act on, and words that announce a change before anything else counts (spec D3).
    Strict,
}

impl Default for DuplicateSettings {
    fn default() -> Self {
        Self { equal_results: 2, lapse: 5, near_percent: 90, policy: DuplicatePolicy::Actionable }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Duplicate {
    settings: DuplicateSettings,
    state: DuplicateState,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct DuplicateState {
    #[serde(rename = "recall")]
    memory: CallMemory,
    failed_writes: FailedWrites,
    /// Duplicates met in this run, for words that differ each time.
    met: u32,
    /// Strict: whether words are owed, and whether the completion at hand brings none.
    owed: bool,
    unsaid: bool,
    /// Strict: demands for words since they are owed.
    demands: u8,
    shell: Option<Arc<str>>,
    ask: Option<Arc<str>>,
}

const NAME: &str = "duplicate";
const VERSION: u64 = 2;
/// Characters of pretty arguments that feedback shows (spec D2).
const ARGUMENT_CHARS: usize = 500;
/// Tries that a failure which may pass by itself is worth: the three attempts of shipped agents
/// (`docs/peers.md#cline`, `docs/peers.md#kimi-cli`).
const PASSING_TRIES: u32 = 3;
/// Demands for words in a row before `strict` gives way; two, as the ladder has two corrections.
const DEMANDS: u8 = 2;

impl Duplicate {
    /// What it can do.
    pub const RULES: &[Rule] = &[
        Rule::new("same-call", &[Rung::at(1, Step::Block)]),
        Rule::new("same-call-after-feedback", &[Rung::at(2, Step::Block)]),
        Rule::new("same-call-after-options", &[Rung::at(3, Step::Question)]),
        Rule::new("same-call-after-question", &[Rung::at(4, Step::Stop)]),
        Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
    ];

    /// The guard, set so.
    #[must_use]
    pub fn new(settings: DuplicateSettings) -> Self {
        Self { settings, state: DuplicateState::default() }
    }

    /// The family of calls that this one belongs to and what is remembered about it, if running it is a
    /// duplicate.
    fn duplicate_of(&self, call: &ToolCall) -> Option<(CallKey, &Remembered)> {
        let key = self.state.failed_writes.family_of_last(call.key).unwrap_or(call.key);
        self.duplicate_in(key).or_else(|| {
            // A chain of small changes to a write that failed: one family, whose first call is remembered.
            let family = self.state.failed_writes.family_of(call, self.near()?)?;
            self.duplicate_in(family)
        })
    }

    /// Above which similarity two writes are nearly the same.
    fn near(&self) -> Option<Ratio> {
        Ratio::new(self.settings.near_percent.min(100), 100).filter(|_| self.settings.near_percent < 100)
    }

    fn duplicate_in(&self, family: CallKey) -> Option<(CallKey, &Remembered)> {
        let memory = &self.state.memory;
        let before = memory.get(family)?;
        // Who waits has a patience of its own, and a text of its own: `progress` sees to it.
        if before.waits || !memory.is_unchanged_since(before) {
            return None;
        }
        let needed = match before.status {
            Status::Error if reads_as_passing(&before.result) => {
                self.settings.equal_results.max(PASSING_TRIES)
            }
            Status::Error if !says_nothing(before) => 1,
            Status::Error | Status::Ok | Status::Unknown => self.settings.equal_results,
        };
        let level = memory.level(before);
        let idle = memory.turn().saturating_sub(before.turn.max(before.ladder.turn()));
        // Who did something else meanwhile may be looking whether a job has come on.
        if before.status != Status::Error && idle > 1 {
            return None;
        }
        let lapsed = level > 0 && idle > self.settings.lapse;
        (before.equal_results >= needed && !lapsed).then_some((family, before))
    }

    fn note(&self, family: CallKey, level: u8, text: String) -> Note {
        let rule = match level {
            1 => "same-call",
            2 => "same-call-after-feedback",
            3 => "same-call-after-options",
            _ => "same-call-after-question",
        };
        Note {
            guard: NAME.into(),
            rule: rule.into(),
            level,
            subject: Subject::Call(family),
            text: text.into(),
        }
    }

    fn text(&self, call: &ToolCall, family: CallKey, before: &Remembered, level: u8, number: u32) -> String {
        match (self.settings.policy, level) {
            (DuplicatePolicy::Notice, _) => {
                format!("`{}` was already called with the same arguments.", call.tool)
            }
            (DuplicatePolicy::Actionable | DuplicatePolicy::Strict, 1) => {
                self.feedback(call, family, before, number)
            }
            (DuplicatePolicy::Actionable | DuplicatePolicy::Strict, _) => self.options(call, before, number),
        }
    }

    /// Spec D2: all that is needed to do something else.
    fn feedback(&self, call: &ToolCall, family: CallKey, before: &Remembered, number: u32) -> String {
        let arguments = match call.shape {
            Shape::Object | Shape::OtherJson => excerpt(&pretty(&call.arguments), ARGUMENT_CHARS),
            Shape::NotJson => excerpt(&call.arguments, ARGUMENT_CHARS),
        };
        let (how, then) = match before.status {
            Status::Error => (
                "failed",
                "That call failed, and nothing has changed since, so it will fail again. Read the error, \
                 find out what it depends on, and change that or the arguments.",
            ),
            Status::Ok => {
                ("succeeded", "That call succeeded: its answer is above. Use it and take the next step.")
            }
            Status::Unknown => (
                "was answered",
                "If the answer above is a failure, change what caused it or the arguments; if it is a \
                 success, use it and take the next step.",
            ),
        };
        format!(
            "`{tool}` was called with {same} arguments in turn {turn}, and nothing has changed since (duplicate \
             {number} in this run).\n\nArguments:\n{arguments}\n\nIt {how} with:\n{result}\n\n{then} \
             If you are stuck, say what the obstacle is.\n\nDo not send this call again with the same \
             arguments. What will you do differently?",
            tool = call.tool,
            same = if call.key == family { "these" } else { "nearly these" },
            turn = before.turn,
            result = before.result,
        )
    }

    /// Spec D4, second rung: explicit options.
    fn options(&self, call: &ToolCall, before: &Remembered, number: u32) -> String {
        let look = match &self.state.shell {
            Some(shell) if *shell != call.tool => format!("inspect what it depends on with `{shell}`"),
            _ => "inspect what it depends on with a read-only call".into(),
        };
        let ask = match &self.state.ask {
            Some(ask) if *ask != call.tool => format!("ask the user with `{ask}`"),
            _ => "ask the user".into(),
        };
        format!(
            "this is the same call of `{tool}` again (duplicate {number} in this run). It answered \"{error}\" \
             and would answer the same again. Choose one:\n1. send other arguments, or call another of your \
             tools\n2. {look}\n3. {ask} for what is missing\n4. say that the task cannot be completed, and \
             why\n\nDo not send this call again with the same arguments: the next time, the user is asked \
             instead.",
            tool = call.tool,
            error = first_line(&before.result, 160),
        )
    }

    fn question(&self, call: &ToolCall, family: CallKey, before: &Remembered) -> Question {
        let text = match self.settings.policy {
            DuplicatePolicy::Notice => {
                format!("The model calls `{}` with the same arguments over and over.", call.tool)
            }
            DuplicatePolicy::Actionable | DuplicatePolicy::Strict => format!(
                "The model keeps sending the same call of `{}`, although it was told twice that nothing has \
                 changed (duplicate {} in this run). The call answered: {}. What should it do?",
                call.tool,
                self.state.met + 1,
                first_line(&before.result, 300),
            ),
        };
        Question {
            note: self.note(family, 3, text),
            options: Choice::for_stuck("say what it should do instead", true),
        }
    }

    fn stop(&self, call: &ToolCall, family: CallKey, before: &Remembered) -> Note {
        let text = format!(
            "Stopped: the model kept sending the same call of `{}`, {} times after it was told not to, although \
             it was given options and the user was asked. The work of that call is not done. It answered: {}.",
            call.tool,
            self.state.memory.level(before),
            first_line(&before.result, 300),
        );
        self.note(family, 4, text)
    }

    /// Strict: the words that are owed.
    fn demand(&self) -> Note {
        Note {
            guard: NAME.into(),
            rule: "words-first".into(),
            level: self.state.demands + 1,
            subject: Subject::Run,
            text: format!(
                "First say in one sentence what you will do differently, then call a tool (reminder {} of \
                 {DEMANDS}).",
                self.state.demands + 1
            )
            .into(),
        }
    }
}

/// True for a failure that is no proof of another one: a call of a tool that may do its work by halves, with
/// no word of what went wrong (`grep` without a hit, a command cut short).
fn says_nothing(call: &Remembered) -> bool {
    !matches!(call.effect, Effect::ReadOnly | Effect::IdempotentWrite) && call.result.trim().is_empty()
}

impl Guard for Duplicate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.state.memory.observe(entry);
        if let Some(near) = self.near() {
            self.state.failed_writes.observe(entry, near);
            // A write that is nearly the same ran: its family did.
            if let Entry::Result(result) = entry
                && let Some(family) = self.state.failed_writes.family_of_last(result.call.key)
                && result.origin == Origin::Executed
            {
                self.state.memory.ran(family);
            }
        }
        match entry {
            Entry::Start(start) => {
                let name = |purpose| start.offer.first(purpose).map(|tool| tool.name.clone());
                self.state.shell = name(Purpose::Shell);
                self.state.ask = name(Purpose::AskUser);
            }
            Entry::Completion(completion) if self.state.owed => {
                let said = completion.texts().any(|text| acknowledgement::announces_a_change(text));
                self.state.owed = !said;
                self.state.unsaid = !said;
            }
            Entry::Intervention(Intervention { kind, note, .. }) if note.guard == NAME => {
                self.spoke(kind, note);
            }
            Entry::Completion(_)
            | Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        if self.state.unsaid {
            return Ok(Verdict::Retry(self.demand()).into());
        }
        let mut duplicates = completion.judged(|call| self.duplicate_of(call)).peekable();
        if duplicates.peek().is_none() {
            return Ok(Decision::pass());
        }
        let mut blocked = Vec::new();
        let mut asked = None;
        for (at, call, (family, before)) in duplicates {
            match self.state.memory.level(before) {
                level @ (0 | 1) => {
                    let number = self.state.met + count(&blocked) + 1;
                    let text = self.text(call, family, before, level + 1, number);
                    blocked.push(Blocked { call: at, note: self.note(family, level + 1, text) });
                }
                2 => asked = asked.or(Some((call, family, before))),
                _ => return Ok(Verdict::Stop(self.stop(call, family, before)).into()),
            }
        }
        Ok(match asked {
            Some((call, family, before)) => Verdict::Ask(self.question(call, family, before)).into(),
            None => Verdict::Block(blocked).into(),
        })
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        let state: DuplicateState = balk_contract::state::open(NAME, VERSION, state)?;
        let memory = state.memory.restored().ok_or_else(|| GuardFault {
            guard: NAME.into(),
            reason: "the saved state is broken: its keys do not fit its calls".into(),
        })?;
        self.state = DuplicateState { memory, ..state };
        Ok(())
    }
}

impl Duplicate {
    /// Folds what the guard itself did.
    fn spoke(&mut self, kind: &InterventionKind, note: &Note) {
        match note.subject {
            Subject::Call(key) => {
                self.state.memory.escalated(key, note.level);
                self.state.met = self.state.met.saturating_add(1);
                if *kind == InterventionKind::Block {
                    self.state.owed = self.settings.policy == DuplicatePolicy::Strict;
                    self.state.demands = 0;
                }
            }
            // A demand for words; a stack without budget makes a question of it.
            Subject::Run => {
                self.state.demands = self.state.demands.saturating_add(1);
                self.state.unsaid = false;
                self.state.owed = self.state.demands < DEMANDS;
            }
            Subject::Tool(_) => {}
        }
    }
}

fn count(blocked: &[Blocked]) -> u32 {
    u32::try_from(blocked.len()).unwrap_or(u32::MAX)
}
