//! What the end of a run needs to know about the run.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::broken::Broken;
use super::changes::Changes;
use super::kind::{self, Evidence};
use super::lengths::{ERROR_CHARS, NAME_CHARS};
use super::reads::Reads;
use crate::change::Change;
use balk_contract::wording::{keep, one_line};
use balk_contract::{
    FailedAttempt, GapKind, Intervention, InterventionKind, Offer, Origin, Purpose, Status, ToolResult, Tried,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HandoffState {
    /// Number of folded entries; a position in the transcript.
    pub(super) position: u64,
    /// Where the user last spoke, and the beginning of their message.
    pub(super) spoke_at: u64,
    pub(super) request: String,
    /// The positions of the model's last answer, and of the last call that ran.
    pub(super) answered_at: u64,
    pub(super) ran_at: u64,
    /// The positions of the last call that worked, and of the last one that changed something.
    pub(super) worked_at: u64,
    pub(super) changed_at: u64,
    #[serde(with = "balk_contract::offered")]
    pub(super) offer: Arc<Offer>,
    /// In the order of the first call.
    pub(super) tools: Vec<Record>,
    pub(super) changes: Changes,
    pub(super) reads: Reads,
    /// The attempt that failed since the model last answered.
    pub(super) broken: Option<Broken>,
    /// Conclusions in this run, so that each message has different words.
    pub(super) concluded: u32,
    /// How much guards objected to since a call last worked.
    pub(super) objections: u8,
    /// Where the user was last told something.
    pub(super) told_at: u64,
    /// Whether the run was already retried with the existing tools.
    pub(super) retried: bool,
}

/// The outcomes of the calls of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) tool: Arc<str>,
    pub(super) calls: u32,
    pub(super) failures: u32,
    pub(super) in_a_row: u32,
    /// What the last failure is evidence of; `None` once a later call did not fail.
    pub(super) lacking: Option<GapKind>,
    pub(super) failed_at: u64,
    /// Empty if nothing is lacking; the buffers are reused.
    pub(super) missing: String,
    pub(super) error: String,
}

const TOOLS: usize = 64;
/// Objections that are told at the end: two refused texts, or one refused call or note.
pub(super) const OBJECTIONS: u8 = 2;

impl HandoffState {
    /// The failure that is the obstacle. Among failures that nothing resolved and that are later than the last
    /// change: the last one that shows what is lacking, else the last one. Only if there are none, an earlier one. A
    /// failure from before the user spoke counts only if nothing ran since.
    pub(super) fn obstacle(&self) -> Option<&Record> {
        self.obstacle_since(0)
    }

    /// The same for failures after a position.
    pub(super) fn obstacle_since(&self, position: u64) -> Option<&Record> {
        let Self { spoke_at, ran_at, changed_at, .. } = *self;
        let counts = |it: &&Record| it.lacking.is_some() && (it.failed_at > spoke_at || ran_at <= spoke_at);
        let weight =
            |it: &&Record| (it.failed_at > changed_at, it.lacking != Some(GapKind::NoProgress), it.failed_at);
        self.tools.iter().filter(|it| it.failed_at > position).filter(counts).max_by_key(weight)
    }

    pub(super) fn tried(&self) -> Vec<Tried> {
        let tried = |it: &Record| Tried {
            tool: it.tool.clone(),
            calls: it.calls,
            failures: it.failures,
            last_error: it.lacking.map(|_| it.error.as_str().into()),
        };
        self.tools.iter().map(tried).collect()
    }

    pub(super) fn result(&mut self, result: &ToolResult) {
        let call = &result.call;
        // A call that ends the task is no work on it.
        let is_end = || self.offer.get(&call.tool).is_some_and(|it| it.purpose == Purpose::Finish);
        if result.status != Status::Error && is_end() {
            return;
        }
        self.reads.observe(result);
        match (result.origin, result.status) {
            (Origin::Synthetic, _) => {
                // A call that never ran is evidence only by its structure, and weaker than a call that ran.
                let is_absent = self.is_absent(&call.tool);
                if kind::is_broken(call) || is_absent {
                    let at = self.place_of(&call.tool);
                    if self.tools[at].lacking.is_none() {
                        self.lacks(at, result, is_absent);
                    }
                }
            }
            (Origin::Executed, _) if result.is_failure() => {
                self.ran_at = self.position;
                let is_absent = self.is_absent(&call.tool);
                let at = self.place_of(&call.tool);
                let record = &mut self.tools[at];
                record.calls = record.calls.saturating_add(1);
                record.failures = record.failures.saturating_add(1);
                record.in_a_row = record.in_a_row.saturating_add(1);
                self.lacks(at, result, is_absent);
            }
            (Origin::Executed | Origin::Missing, _) => {
                self.ran_at = self.position;
                let at = self.place_of(&call.tool);
                self.tools[at].did_not_fail();
                self.changes.observe(result);
                if result.origin == Origin::Executed {
                    self.objections = 0;
                }
                if (result.origin, result.status) == (Origin::Executed, Status::Ok) {
                    self.worked_at = self.position;
                }
                if Change::of(result) == Change::Known {
                    self.changed_at = self.position;
                }
            }
        }
    }

    /// Counts what other guards said since a call last worked. A refused text alone is no sign that the model is
    /// stuck: it may have been its report.
    pub(super) fn objected(&mut self, intervention: &Intervention) {
        match intervention.kind {
            InterventionKind::Feedback => self.objections = self.objections.saturating_add(1),
            InterventionKind::Note | InterventionKind::Block => self.objections = OBJECTIONS,
            InterventionKind::Question(_) | InterventionKind::Notice | InterventionKind::Stop => {
                self.told_at = self.position;
            }
            InterventionKind::Repair(_) => {}
        }
    }

    pub(super) fn broke(&mut self, failed: &FailedAttempt) {
        let failure = &failed.failure;
        let mut cause = failure.cause.to_string();
        if !failure.message.trim().is_empty() {
            cause = format!("{cause}: {}", one_line(&failure.message, ERROR_CHARS));
        }
        let broken = Broken::new(cause, failure, &self.offer);
        self.broken = Some(broken);
    }

    /// Whether this tool is known not to exist: it is not on offer, and none of its calls ever worked.
    fn is_absent(&self, tool: &Arc<str>) -> bool {
        let worked = || self.tools.iter().any(|it| it.tool == *tool && it.calls > it.failures);
        !self.offer.tools().is_empty() && self.offer.get(tool).is_none() && !worked()
    }

    /// The index of this tool's record: its own, a free one, or that of the least important tool.
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

    /// Records what a failure is evidence of.
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
        self.calls = self.calls.saturating_add(1);
        self.in_a_row = 0;
        self.lacking = None;
        self.missing.clear();
        self.error.clear();
    }
}
