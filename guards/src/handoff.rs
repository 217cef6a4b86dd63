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

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use balk_contract::rules::{Rule, Rung, Step};
use balk_contract::wording::{keep, one_line};
use balk_contract::{
    Answer, Conclusion, Entry, FailedAttempt, GapKind, Guard, Intervention, InterventionKind, Limit, Offer,
    Origin, Speaker, Status, Termination, ToolResult, Tried,
};
use broken::Broken;
use changes::Changes;
use kind::Evidence;
use reads::Reads;
use words::Cause;

mod broken;
mod changes;
mod kind;
mod reads;
mod words;

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
    state: State,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// Entries folded; a position in the transcript.
    position: u64,
    /// Where the user last spoke, and the beginning of what he said.
    spoke_at: u64,
    request: String,
    /// Where the model last answered, and where a call of its last ran.
    answered_at: u64,
    ran_at: u64,
    /// Where a call last worked, and where one last changed something.
    worked_at: u64,
    changed_at: u64,
    #[serde(with = "balk_contract::offered")]
    offer: Arc<Offer>,
    /// In the order of the first call.
    tools: Vec<Record>,
    changes: Changes,
    reads: Reads,
    /// The attempt that failed since the model last answered.
    broken: Option<Broken>,
    /// Conclusions in this run, for words that differ each time.
    concluded: u32,
    /// Whether it was tried again with what there is.
    retried: bool,
}

/// What became of the calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    tool: Arc<str>,
    calls: u32,
    failures: u32,
    in_a_row: u32,
    /// What the last failure is evidence of; none once a call did not fail.
    lacking: Option<GapKind>,
    failed_at: u64,
    /// Empty where nothing is lacking; the buffers are used again.
    missing: String,
    error: String,
}

const NAME: &str = "handoff";
const VERSION: u64 = 1;
/// The rule of the note that a constrained retry begins with.
const CONSTRAINED: &str = "constrained";
const TOOLS: usize = 64;
/// Characters kept of an error, of a name, and of what the user said.
const ERROR_CHARS: usize = 300;
const NAME_CHARS: usize = 120;
const REQUEST_CHARS: usize = 2_000;

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
        Self { settings, state: State::default() }
    }

    /// The failure that stands in the way: of those that nothing resolved and no change left behind the last
    /// one that tells what is lacking, else the last one; only then one that was left behind. One from before
    /// the user spoke counts only where nothing ran since.
    fn obstacle(&self) -> Option<&Record> {
        self.obstacle_since(0)
    }

    /// The same of the failures after a position.
    fn obstacle_since(&self, position: u64) -> Option<&Record> {
        let State { spoke_at, ran_at, changed_at, .. } = self.state;
        let counts = |it: &&Record| it.lacking.is_some() && (it.failed_at > spoke_at || ran_at <= spoke_at);
        let weight =
            |it: &&Record| (it.failed_at > changed_at, it.lacking != Some(GapKind::NoProgress), it.failed_at);
        self.state.tools.iter().filter(|it| it.failed_at > position).filter(counts).max_by_key(weight)
    }

    fn is_looping(&self) -> bool {
        self.state.reads.again() >= self.settings.repeated_reads.max(1)
    }

    /// Whether something ran since the user spoke, nothing is in the way, and it was no loop.
    fn is_moving(&self) -> bool {
        self.state.ran_at > self.state.spoke_at && self.obstacle().is_none() && !self.is_looping()
    }

    /// Why nothing moves.
    fn standstill(&self) -> Cause {
        match self.obstacle() {
            Some(record) => self.failure(record),
            None if self.is_looping() => Cause::reads(&self.state.reads),
            None => Cause::silence(),
        }
    }

    /// What the failure that ended the run is evidence of: that of the last turn, else the message alone.
    fn fatal(&self, message: &str) -> Cause {
        let of_turn = |it: &&Record| it.failed_at > self.state.answered_at;
        match self.obstacle().filter(of_turn) {
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

    fn tried(&self) -> Vec<Tried> {
        let tried = |it: &Record| Tried {
            tool: it.tool.clone(),
            calls: it.calls,
            failures: it.failures,
            last_error: it.lacking.map(|_| it.error.as_str().into()),
        };
        self.state.tools.iter().map(tried).collect()
    }

    fn result(&mut self, result: &ToolResult) {
        let state = &mut self.state;
        state.reads.observe(result);
        let call = &result.call;
        match (result.origin, result.status) {
            (Origin::Synthetic, _) => {
                // What never ran tells something only by its structure, and less than what ran.
                let is_absent = state.is_absent(&call.tool);
                if kind::is_broken(call) || is_absent {
                    let at = state.place_of(&call.tool);
                    if state.tools[at].lacking.is_none() {
                        state.lacks(at, result, is_absent);
                    }
                }
            }
            (Origin::Executed, Status::Error) => {
                state.ran_at = state.position;
                let is_absent = state.is_absent(&call.tool);
                let at = state.place_of(&call.tool);
                let record = &mut state.tools[at];
                record.calls += 1;
                record.failures += 1;
                record.in_a_row += 1;
                state.lacks(at, result, is_absent);
            }
            (Origin::Executed, Status::Ok | Status::Unknown) | (Origin::Missing, _) => {
                state.ran_at = state.position;
                let at = state.place_of(&call.tool);
                state.tools[at].did_not_fail();
                state.changes.observe(result);
                if (result.origin, result.status) == (Origin::Executed, Status::Ok) {
                    state.worked_at = state.position;
                    if call.effect.is_known_change() {
                        state.changed_at = state.position;
                    }
                }
            }
        }
    }

    fn broke(&mut self, failed: &FailedAttempt) {
        let failure = &failed.failure;
        let mut cause = failure.cause.to_string();
        if !failure.message.trim().is_empty() {
            cause = format!("{cause}: {}", one_line(&failure.message, ERROR_CHARS));
        }
        let broken = Broken::new(cause, failure, &self.state.offer);
        self.state.broken = Some(broken);
    }
}

impl State {
    /// Whether this tool is known not to be there: not on offer, and none of its calls ever worked.
    fn is_absent(&self, tool: &Arc<str>) -> bool {
        let worked = || self.tools.iter().any(|it| it.tool == *tool && it.calls > it.failures);
        !self.offer.tools().is_empty() && self.offer.get(tool).is_none() && !worked()
    }

    /// The place of this tool's record: its own, a free one, or that of a tool that matters least.
    fn place_of(&mut self, tool: &Arc<str>) -> usize {
        if let Some(at) = self.tools.iter().position(|it| it.tool == *tool) {
            return at;
        }
        if self.tools.len() >= TOOLS {
            let least =
                (0..TOOLS).min_by_key(|&at| (self.tools[at].lacking.is_some(), self.tools[at].failed_at));
            self.tools.remove(least.unwrap_or(0));
        }
        self.tools.push(Record {
            tool: tool.clone(),
            calls: 0,
            failures: 0,
            in_a_row: 0,
            lacking: None,
            failed_at: 0,
            missing: String::new(),
            error: String::new(),
        });
        self.tools.len() - 1
    }

    /// Takes up what a failure is evidence of.
    fn lacks(&mut self, at: usize, result: &ToolResult, is_absent: bool) {
        let record = &mut self.tools[at];
        keep(&mut record.error, result.text.trim(), ERROR_CHARS);
        let evidence =
            Evidence { call: Some(&result.call), is_absent, request: &self.request, error: &record.error };
        let (kind, missing) = kind::tell(&evidence);
        keep(&mut record.missing, &missing, NAME_CHARS);
        record.lacking = Some(kind);
        record.failed_at = self.position;
    }
}

impl Record {
    fn did_not_fail(&mut self) {
        self.calls += 1;
        self.in_a_row = 0;
        self.lacking = None;
        self.missing.clear();
        self.error.clear();
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
            Entry::Failed(failed) => self.broke(failed),
            Entry::Result(result) => self.result(result),
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
                return Ok((!broken.told).then(|| self.provider(end, broken)));
            }
            (Termination::FatalExecution(message), None) => self.fatal(message),
            (Termination::NoProgress | Termination::StoppedByGuard | Termination::Limit(_), _)
                if self.state.changes.of_request > 0 =>
            {
                return Ok(Some(self.partial(end)));
            }
            (Termination::Limit(_), _) if self.is_moving() => return Ok(Some(self.partial(end))),
            (Termination::NoProgress | Termination::StoppedByGuard | Termination::Limit(_), _) => {
                self.standstill()
            }
        };
        Ok(Some(self.handoff(end, cause)))
    }

    fn save(&self) -> Value {
        balk_contract::state::seal(NAME, VERSION, &self.state)
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        self.state = balk_contract::state::open(NAME, VERSION, state)?;
        Ok(())
    }
}
