//! **handoff**: what a person is told when a run ends without reaching its goal, and what they can do about it.
//!
//! *Detects* nothing during the run. When asked at the end (spec H1), it makes a handoff for two reasons: a failure
//! that no retry can fix, and no progress. Unresolved failures show what is missing; the `kind` module has the rules
//! and their order. A failure counts as resolved as soon as a later call of the same tool did not fail (spec H6), so
//! no stale error is ever reported; at a soft end, a later success of any tool is enough.
//!
//! *Ends softly*, without a gap and with the changes kept and reported, if something changed since the user last
//! spoke, or a call that may have changed something lost its answer; if a bound was reached while the run was still
//! making progress; and if the provider was unreachable and the user has not been told yet.
//!
//! *Says* where the model or the user ends the run that nothing worked since a guard last objected to a call, or to two
//! texts in a row (spec C2). One refused text may have been the report, and the end is then what the correction asked
//! for.
//!
//! *Stays silent* during the run, about ends that a broken guard caused, about other ends that the user or the model
//! chose, and if a guard stopped the run over a failed attempt, because its message already said everything.
//!
//! *Thresholds*: two reads that return nothing new make a loop, because the same call three times with an equal
//! result is stuck in 71 % of judged points (`docs/labels.md#what-single-rules-find`); a read that returns something
//! new halves the count. One retry in a request of the user, because a second one would get
//! the same message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use balk_contract::nudge::is_nudge;
use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::keep;
use balk_contract::{
    Answer, Conclusion, Entry, GapKind, Guard, Intervention, InterventionKind, Limit, Speaker, Termination,
};
use kind::Evidence;
use lengths::{ERROR_CHARS, REQUEST_CHARS};
use messages::{CONSTRAINED, NAME};
use reason::Reason;
use state::{HandoffState, Record};

mod broken;
mod changes;
mod kind;
mod lengths;
mod messages;
mod reads;
mod reason;
mod state;

/// Settings of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HandoffSettings {
    /// Reads that return nothing new before they count as a loop (spec H6).
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

const VERSION: u64 = 2;

impl Handoff {
    /// The rules of this guard.
    pub const RULES: &[Rule] = &[
        Rule::new("missing-capability", &[Rung::counted(Step::Conclusion)]),
        Rule::new("missing-input", &[Rung::counted(Step::Conclusion)]),
        Rule::new("malformed-call", &[Rung::counted(Step::Conclusion)]),
        Rule::new("no-progress", &[Rung::counted(Step::Conclusion)]),
        Rule::new("partial-work", &[Rung::counted(Step::Conclusion)]),
        Rule::new("unheeded", &[Rung::counted(Step::Conclusion)]),
        Rule::new("provider", &[Rung::counted(Step::Conclusion)]),
        Rule::new("constrained", &[Rung::counted(Step::Note)]),
    ];

    /// A guard with these settings.
    #[must_use]
    pub fn new(settings: HandoffSettings) -> Self {
        Self { settings, state: HandoffState::default() }
    }

    fn is_looping(&self) -> bool {
        self.state.reads.again() >= self.settings.repeated_reads.max(1)
    }

    /// Whether something ran since the user spoke, without an obstacle and without a loop.
    fn is_moving(&self) -> bool {
        self.state.ran_at > self.state.spoke_at && self.state.obstacle().is_none() && !self.is_looping()
    }

    /// Why there is no progress.
    fn standstill(&self) -> Reason {
        match self.state.obstacle() {
            Some(record) => self.failure(record),
            None if self.is_looping() => Reason::reads(&self.state.reads),
            None => Reason::silence(),
        }
    }

    /// The reason behind the failure that ended the run: the failure of the last turn, else the message alone.
    fn fatal(&self, message: &str) -> Reason {
        let of_turn = |it: &&Record| it.failed_at > self.state.answered_at;
        match self.state.obstacle().filter(of_turn) {
            Some(record) => self.failure(record),
            None => {
                let mut error = String::new();
                keep(&mut error, message, ERROR_CHARS);
                let evidence =
                    Evidence { call: None, is_absent: false, request: &self.state.request, error: &error };
                let (kind, missing) = kind::tell(&evidence);
                Reason::failure(kind, &missing, None, &error, &self.state.offer)
            }
        }
    }

    fn failure(&self, record: &Record) -> Reason {
        let kind = record.lacking.unwrap_or(GapKind::NoProgress);
        let tool = Some((&record.tool, record.in_a_row));
        Reason::failure(kind, &record.missing, tool, &record.error, &self.state.offer)
    }
}

impl Guard for Handoff {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.state.position = self.state.position.saturating_add(1);
        let state = &mut self.state;
        if let Entry::Intervention(it) = entry
            && it.note.guard != NAME
        {
            state.objected(it);
        }
        match entry {
            Entry::Start(start) => state.offer = start.offer.clone(),
            Entry::User(message) if message.from == Speaker::User => {
                state.spoke_at = state.position;
                keep(&mut state.request, &message.text, REQUEST_CHARS);
                state.changes.of_request = 0;
                let is_nudge = is_nudge(&message.text);
                state.retried &= is_nudge;
                state.objections *= u8::from(is_nudge);
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
            Entry::Conclusion(conclusion) if conclusion.note.guard == NAME => {
                state.concluded = state.concluded.saturating_add(1)
            }
            Entry::User(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
            Entry::Answer(_) => state.objections = 0,
        }
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let reason = match (end, &self.state.broken) {
            (Termination::Finished | Termination::StoppedByUser, _) => {
                return Ok(self.state.unheeded(end));
            }
            (Termination::GuardFault(_), _) | (Termination::StoppedByGuard, Some(_)) => return Ok(None),
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
        Ok(Some(self.state.handoff(end, reason)))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
