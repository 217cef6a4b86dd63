//! **duplicate**: the model repeats a call whose result cannot be new.
//!
//! *Detects* (spec D1) a call equal to an earlier one, by canonical arguments, if nothing can have changed since and
//! either the earlier result was an error, or a write that changed nothing (spec D5), or there were two equal results.
//! Results are compared without their volatile parts ([`identity`](crate::identity)).
//!
//! *Stays silent* (spec D7) if anything may have changed since: an edit before the same test, a write before the same
//! read (also within one completion), a call of unknown effect, a user's message; if results change (polling) or
//! arguments do (paging); if the answer is a picture, which no text holds; if the call waits for something
//! ([`progress`](crate::progress) is more patient); if the error looks temporary (time-outs, 503) and was seen fewer
//! than five times, or counts failures and was seen twice (a flaky test); if a call that did not fail returns after
//! another call (waiting for a job); and within one completion (parallel fan-out). A block lapses after some turns,
//! because a blocked call can never show that its result has changed. So it does where the user wants the repeat: they
//! gave a number of times, said "again", or spoke since a step was acknowledged (`call_memory.rs`); and where a small
//! change of a failed write mends what its error names (`failed_writes.rs`). A call that looks at something has a new
//! ladder after something else may have begun: it may look at another job (spec P4). The same call with something added
//! or taken away, and the same answer, has begun nothing.
//!
//! *Thresholds*: two equal results before a repeat counts, because the same call three times with an equal result is
//! stuck in 71 % of judged points (`docs/labels.md#what-single-rules-find`). A few words of a tool that is not known to
//! change anything may be the state of something ("scheduled", `{"status":"QUEUED"}`): twice as many, because a poll
//! without a pause looks like that, and four times as many of a log that stands still. What a file has in it is none.
//! A call whose answer has changed by itself is given three times as many: it looks at something that others change, or
//! is flaky. So is one of a request that asks to wait for something. A step in a direction or by one (`scroll`, `Tab`,
//! `undo`) is given four times as many. After a failure, the second call counts: recorded gpt-4 repeats a failing call
//! once in 3 % of cases and then continues to repeat it in 55, 63, 82 % (`docs/reactions.md#lock-in`), so feedback is
//! worth most at the first repeat.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::acknowledgement;
use crate::call_memory::{CallMemory, Remembered};
use crate::failed_writes::FailedWrites;
use crate::similarity::Ratio;
use balk_contract::key::CallKey;
use balk_contract::reading::Prospect;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::{
    Answer, Blocked, Completion, Decision, Effect, Entry, Guard, GuardFault, Intervention, InterventionKind,
    Note, Origin, Protocol, Purpose, Sight, Status, Subject, ToolCall, Verdict,
};

mod messages;

/// Settings of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DuplicateSettings {
    /// Equal results required before a repeat of a call that did not fail counts.
    pub equal_results: u32,
    /// Turns after which a block lapses and the call may run once more.
    pub lapse: u64,
    /// How similar, in percent, a write must be to a failed one to count as the same (strictly more than this); 100
    /// turns near-duplicates off.
    pub near_percent: u16,
    /// What the model is told, and what it must say.
    pub policy: DuplicatePolicy,
}

/// What the model is told, and what it must say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicatePolicy {
    /// Actionable feedback (spec D2); a different call settles it.
    Actionable,
    /// The plain notice (spec D6), on the same ladder; exists for comparison.
    Notice,
    /// Actionable feedback, and the model must announce a change in words before anything else counts (spec D3).
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
    /// Duplicates found in this run, so that each message has different words.
    met: u32,
    /// Strict: whether words are required, and whether the current completion lacks them.
    owed: bool,
    unsaid: bool,
    /// Strict: demands for words since they became required.
    demands: u8,
    /// The names on offer: no message to the model has another one (spec M2).
    tools: Vec<Arc<str>>,
    shell: Option<Arc<str>>,
    ask: Option<Arc<str>>,
    /// Whether a question in a message reaches the user: not where a tool ends the task.
    may_ask: bool,
}

const NAME: &str = "duplicate";
const VERSION: u64 = 13;
/// Tries allowed for a failure that may pass, in a row without a pause: the most that gRPC allows
/// (`docs/peers.md#other-rules`). A pause before a try allows one more.
const PASSING_TRIES: u32 = 5;
/// Demands for words in a row before `strict` gives way: two, like the corrections of the ladder.
const DEMANDS: u8 = 2;

impl Duplicate {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new("same-call", &[Rung::at(1, Step::Block)]),
        Rule::new("same-call-after-feedback", &[Rung::at(2, Step::Block)]),
        Rule::new("same-call-after-options", &[Rung::at(3, Step::Question)]),
        Rule::new("same-call-after-question", &[Rung::at(4, Step::Stop)]),
        Rule::new("words-first", &[Rung::counted(Step::Feedback)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: DuplicateSettings) -> Self {
        Self { settings, state: DuplicateState::default() }
    }

    /// If running this call is a duplicate, its family of calls and what is remembered about it.
    fn duplicate_of(&self, call: &ToolCall) -> Option<(CallKey, &Remembered)> {
        let key = self.state.failed_writes.family_of_last(call.key).unwrap_or(call.key);
        self.duplicate_in(key).or_else(|| {
            // A chain of small changes to a failed write is one family; its first call is remembered.
            let family = self.state.failed_writes.family_of(call, self.near()?)?;
            self.duplicate_in(family)
        })
    }

    /// Two writes are nearly the same above this similarity.
    fn near(&self) -> Option<Ratio> {
        Ratio::new(self.settings.near_percent.min(100), 100).filter(|_| self.settings.near_percent < 100)
    }

    fn duplicate_in(&self, family: CallKey) -> Option<(CallKey, &Remembered)> {
        let memory = &self.state.memory;
        let before = memory.get(family)?;
        // `progress` handles models that wait: it has its own patience and its own text.
        if before.waits || !memory.is_unchanged_since(before) || memory.may_be_wanted_again(before) {
            return None;
        }
        let (patience, equal) = (memory.patience(before), self.settings.equal_results);
        let needed = match (before.status, before.prospect) {
            _ if before.changed_nothing => 1,
            (_, Prospect::Passing) => equal.max(PASSING_TRIES).saturating_add(memory.pauses_since(before)),
            // A test may be flaky: three runs show that it is not.
            (Status::Error, _) if before.counts => equal.saturating_add(1),
            (Status::Error, Prospect::Lasting) => 1,
            // A tool that works whole or not at all has done nothing; any other may have done part of its work.
            (Status::Error, Prospect::Unknown)
                if matches!(before.effect, Effect::ReadOnly | Effect::IdempotentWrite) =>
            {
                1
            }
            (Status::Ok | Status::Unknown, _) if patience > 1 => {
                equal.saturating_mul(patience).saturating_add(memory.pauses_since(before))
            }
            (Status::Error, Prospect::Unknown) | (Status::Ok | Status::Unknown, _) => equal,
        };
        let needed = needed.max(memory.times_wanted(before));
        let level = memory.level(before);
        let idle = memory.turn().saturating_sub(before.turn.max(before.ladder.turn()));
        // A model that did something else in between may be checking whether a job has advanced.
        let may_check = before.status != Status::Error && !before.changed_nothing && !before.is_done_anew;
        if may_check && idle > 1 {
            return None;
        }
        let lapsed = level > 0 && idle > self.settings.lapse;
        (before.equal_results >= needed && !lapsed).then_some((family, before))
    }
}

impl Guard for Duplicate {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.state.memory.observe(entry);
        if let Some(near) = self.near() {
            self.state.failed_writes.observe(entry, near);
            // A nearly identical write ran, so its family ran.
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
                self.state.may_ask = start.protocol == Protocol::Text;
                self.state.tools = start.offer.tools().iter().map(|tool| tool.name.clone()).collect();
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
        let (mut blocked, mut asked) = (Vec::new(), None);
        for (at, call, (family, before)) in duplicates {
            match self.state.memory.level(before) {
                level @ (0 | 1) => {
                    let number = self.state.met.saturating_add(count(&blocked)).saturating_add(1);
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

    fn must_see(&self) -> Sight {
        if self.state.owed || self.state.unsaid { Sight::Whole } else { Sight::Calls }
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
    /// Folds the guard's own interventions.
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
            // A demand for words, which a stack without budget turns into a question.
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
