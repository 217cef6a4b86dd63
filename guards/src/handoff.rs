//! **handoff**: what a person is told when a run ends without its goal, and what he can do about it.
//!
//! *Detects* nothing while the run goes on. Asked at its end (spec H1), it makes a handoff of two causes: a
//! failure that no retry can mend, and no progress. What is lacking is told from the failures that nothing
//! resolved; the rules and their order stand with the `kind` module. A failure counts as resolved as soon as
//! a later call of the same tool did not fail (spec H6), so no stale error is ever reported; where the run ends
//! softly, as soon as a later call of any tool worked.
//!
//! *Ends softly*, with the changes kept and said and without a gap, where something was changed since the
//! user last spoke or a call that may have changed something lost its answer, where a bound was reached while
//! the run still moved, and where the provider was not reachable and nobody has said so yet.
//!
//! *Stays silent* while the run goes on, about ends that the user or a broken guard caused, and where a guard
//! stopped the run over a failed attempt: its words have said all.
//!
//! *Thresholds*: two reads that bring nothing new make a loop, because the same call three times with an equal
//! result is stuck in 71 % of judged points (`docs/labels.md#what-single-rules-find`); a read that brings
//! something new takes back half of them. One retry in a run: a second one would be told the same.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::keep;
use balk_contract::{
    Answer, Conclusion, Entry, GapKind, Guard, Intervention, InterventionKind, Limit, Speaker, Termination,
};
use cause::Cause;
use kind::Evidence;
use lengths::{ERROR_CHARS, REQUEST_CHARS};
use messages::{CONSTRAINED, NAME};
use state::{HandoffState, Record};

mod broken;
mod cause;
mod changes;
mod kind;
mod lengths;
mod messages;
mod reads;
mod state;

/// How the guard is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HandoffSettings {
    /// Reads that bring nothing new, from which on they are called a loop (spec H6).
    pub repeated_reads: u32,
}

impl Default for HandoffSettings {
    fn default() -> Self {
        Self { repeated_reads: 2 }
    }
}

/// The guard; see the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Handoff {
    settings: HandoffSettings,
    state: HandoffState,
}

const VERSION: u64 = 1;

impl Handoff {
    /// What it can do.
    pub const RULES: &[Rule] = &[
        Rule::new("missing-capability", &[Rung::counted(Step::Conclusion)]),
        Rule::new("missing-input", &[Rung::counted(Step::Conclusion)]),
        Rule::new("malformed-call", &[Rung::counted(Step::Conclusion)]),
        Rule::new("no-progress", &[Rung::counted(Step::Conclusion)]),
        Rule::new("partial-work", &[Rung::counted(Step::Conclusion)]),
        Rule::new("provider", &[Rung::counted(Step::Conclusion)]),
        Rule::new("constrained", &[Rung::counted(Step::Note)]),
    ];

    /// The guard, set so.
    #[must_use]
    pub fn new(settings: HandoffSettings) -> Self {
        Self { settings, state: HandoffState::default() }
    }

    fn is_looping(&self) -> bool {
        self.state.reads.again() >= self.settings.repeated_reads.max(1)
    }

    /// Whether something ran since the user spoke, nothing is in the way, and it was no loop.
    fn is_moving(&self) -> bool {
        self.state.ran_at > self.state.spoke_at && self.state.obstacle().is_none() && !self.is_looping()
    }

    /// Why nothing moves.
    fn standstill(&self) -> Cause {
        match self.state.obstacle() {
            Some(record) => self.failure(record),
            None if self.is_looping() => Cause::reads(&self.state.reads),
            None => Cause::silence(),
        }
    }

    /// What the failure that ended the run is evidence of: that of the last turn, else the message alone.
    fn fatal(&self, message: &str) -> Cause {
        let of_turn = |it: &&Record| it.failed_at > self.state.answered_at;
        match self.state.obstacle().filter(of_turn) {
            Some(record) => self.failure(record),
            None => {
                let mut error = String::new();
                keep(&mut error, message, ERROR_CHARS);
                let evidence =
                    Evidence { call: None, is_absent: false, request: &self.state.request, error: &error };
                let (kind, missing) = kind::tell(&evidence);
                Cause::failure(kind, &missing, None, &error, &self.state.offer)
            }
        }
    }

    fn failure(&self, record: &Record) -> Cause {
        let kind = record.lacking.unwrap_or(GapKind::NoProgress);
        let tool = Some((&record.tool, record.in_a_row));
        Cause::failure(kind, &record.missing, tool, &record.error, &self.state.offer)
    }
}

impl Guard for Handoff {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.state.position += 1;
        let state = &mut self.state;
        match entry {
            Entry::Start(start) => state.offer = start.offer.clone(),
            Entry::User(message) if message.from == Speaker::User => {
                state.spoke_at = state.position;
                keep(&mut state.request, &message.text, REQUEST_CHARS);
                state.changes.of_request = 0;
                state.reads.clear();
            }
            Entry::Completion(_) => {
                state.answered_at = state.position;
                state.broken = None;
            }
            Entry::Failed(failed) => state.broke(failed),
            Entry::Result(result) => state.result(result),
            Entry::Compaction(_) => state.reads.clear(),
            Entry::Intervention(Intervention { kind: InterventionKind::Stop, .. }) => {
                if let Some(broken) = &mut state.broken {
                    broken.told = true;
                }
            }
            Entry::Intervention(Intervention { kind: InterventionKind::Note, note, .. })
                if note.guard == NAME && note.rule == CONSTRAINED =>
            {
                state.retried = true;
            }
            Entry::Conclusion(conclusion) if conclusion.note.guard == NAME => state.concluded += 1,
            Entry::User(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let cause = match (end, &self.state.broken) {
            (Termination::Finished | Termination::StoppedByUser | Termination::GuardFault(_), _)
            | (Termination::StoppedByGuard, Some(_)) => return Ok(None),
            (Termination::FatalExecution(_) | Termination::Limit(Limit::Attempts), Some(broken)) => {
                return Ok((!broken.told).then(|| self.state.provider(end, broken)));
            }
            (Termination::FatalExecution(message), None) => self.fatal(message),
            (Termination::NoProgress | Termination::StoppedByGuard | Termination::Limit(_), _)
                if self.state.changes.of_request > 0 =>
            {
                return Ok(Some(self.state.partial(end)));
            }
            (Termination::Limit(_), _) if self.is_moving() => return Ok(Some(self.state.partial(end))),
            (Termination::NoProgress | Termination::StoppedByGuard | Termination::Limit(_), _) => {
                self.standstill()
            }
        };
        Ok(Some(self.state.handoff(end, cause)))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
