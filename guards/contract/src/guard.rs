//! The contract of a guard: a fold over committed entries, and a few questions.
//!
//! Only [`Guard::observe`] changes a guard's state, so replaying a transcript rebuilds it exactly. A guard learns its
//! own earlier interventions as entries, like everything else. The questions take `&self`. Each question has its own
//! answer type, so an answer that makes no sense does not compile.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::attempt::{AttemptFailure, Wait};
use crate::completion::Completion;
use crate::conclusion::Conclusion;
use crate::entry::{Entry, Intervention, InterventionKind, ToolResult};
use crate::note::{Note, Question, Termination};

/// Something that watches an agent loop and may step in.
pub trait Guard: Send + Sync {
    /// A stable kebab-case name, used on the command line, in records and in reports.
    fn name(&self) -> &str;

    /// Folds one committed entry. Called once for every entry, in order.
    fn observe(&mut self, entry: &Entry);

    /// Judges a committed completion before any of its tools runs.
    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let _ = completion;
        Ok(Decision::pass())
    }

    /// Judges the results of the executed calls of a completion, before they are committed.
    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let _ = (completion, results);
        Ok(Settlement::Accept(Vec::new()))
    }

    /// Says what to do about a failed attempt; `None` means no opinion.
    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let _ = failure;
        Ok(None)
    }

    /// Explains an end so that a person can act on it (spec H1, C2); `None` means no opinion. About an end that the
    /// model or the user chose, only a conclusion without a gap counts.
    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let _ = end;
        Ok(None)
    }

    /// What it must see of the next completion before it can object to it, or say anything about it. A host that shows
    /// text as it arrives holds back no more than that.
    fn must_see(&self) -> Sight {
        Sight::Whole
    }

    /// The state, with a version, so that an agent can restart in the middle of a run.
    fn save(&self) -> Value {
        Value::Null
    }

    /// Restores a state that [`save`](Guard::save) returned.
    ///
    /// # Errors
    /// The state belongs to another guard or version; the guard is then unchanged.
    fn load(&mut self, state: Value) -> Answer<()> {
        if state.is_null() {
            return Ok(());
        }
        let reason = format!("expected null, for a guard without a state, found {state}");
        Err(GuardFault { guard: self.name().into(), reason })
    }
}

/// How much of a completion a guard must see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    /// Nothing: it passes, whatever it says.
    Nothing,
    /// The calls: it passes if it has none, whatever its text.
    Calls,
    /// All of it.
    Whole,
}

/// A guard's answer. A guard that runs in another process can fail; one in this process never does.
pub type Answer<T> = Result<T, GuardFault>;

/// A guard broke. This outranks every verdict: the run ends, and not as a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardFault {
    /// The guard's name.
    pub guard: String,
    /// What broke, and what was expected.
    pub reason: String,
}

impl fmt::Display for GuardFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "guard {}: {}", self.guard, self.reason)
    }
}

impl std::error::Error for GuardFault {}

/// A guard's answer about a completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Whether the turn may continue.
    pub verdict: Verdict,
    /// What the user is told in addition.
    pub notices: Vec<Note>,
}

/// The main part of a decision, weakest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// Continue.
    #[default]
    Pass,
    /// Run all calls except these.
    Block(Vec<Blocked>),
    /// Run nothing, tell the model why, and ask it again.
    Retry(Note),
    /// Run nothing, and ask the user.
    Ask(Question),
    /// Run nothing, and end the run.
    Stop(Note),
    /// Judge, run and send this completion instead.
    Repair(Repair),
}

/// A completion rewritten to what it evidently meant: a printed call becomes a call, or a name or arguments are
/// corrected.
///
/// It is committed in addition to the original completion, and all guards are asked about it again. A guard may
/// repair one completion once; a second repair is a guard fault. So is one that leaves no call of an attempt that
/// broke ([`Run::interrupted`](crate::Run::interrupted)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// Which guard repaired it, and why.
    pub note: Note,
    /// The completion that replaces the original.
    pub completion: Arc<Completion>,
}

impl Repair {
    /// Whether the calls stay as they were in the completion that it replaces. What follows in a recording of the
    /// original may then follow the repaired one as well.
    pub fn keeps_calls(&self, of: &Completion) -> bool {
        self.completion.calls == of.calls
    }
}

/// A refused call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// Its index in the completion.
    pub call: usize,
    /// The result that the model gets for it.
    pub note: Note,
}

/// A guard's answer about the results of a completion, weakest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// Commit them, and add these notes for the model.
    Accept(Vec<Note>),
    /// Run one call again first.
    Rerun {
        /// Its index in the completion.
        call: usize,
        /// Ticks to wait before the call.
        after: u64,
    },
}

/// A guard's answer about a failed attempt, weakest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// Ask the model again: with the same request or, if calls ran in the broken attempt, with their results added.
    Resend {
        /// How long to wait before the request.
        after: Wait,
        /// What the user is told when the wait is over, if there is anything to tell.
        notice: Option<Note>,
    },
    /// Ask the user.
    Ask(Question),
    /// End the run.
    Stop(Note),
}

impl Decision {
    /// No objection.
    #[must_use]
    pub fn pass() -> Self {
        Self::default()
    }

    /// True if neither the model nor the user will see anything of it.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        matches!(self.verdict, Verdict::Pass) && self.notices.is_empty()
    }

    /// A pass without allocated memory.
    #[inline]
    pub(crate) fn owns_nothing(&self) -> bool {
        let Self { verdict, notices } = self;
        matches!(verdict, Verdict::Pass) && notices.capacity() == 0
    }

    /// What is committed for this decision, in order. The loop and the replay share this function, so a record of
    /// entries is a record of decisions.
    #[must_use]
    pub fn interventions(&self, seen: bool) -> Vec<Intervention> {
        let of = |kind, note: &Note| Intervention { kind, note: note.clone(), seen };
        let mut all = match &self.verdict {
            Verdict::Pass => Vec::new(),
            Verdict::Block(blocked) => {
                blocked.iter().map(|it| of(InterventionKind::Block, &it.note)).collect()
            }
            Verdict::Retry(note) => vec![of(InterventionKind::Feedback, note)],
            Verdict::Ask(question) => vec![question.intervention(seen)],
            Verdict::Stop(note) => vec![of(InterventionKind::Stop, note)],
            Verdict::Repair(Repair { note, completion }) => {
                vec![of(InterventionKind::Repair(completion.clone()), note)]
            }
        };
        all.extend(self.notices.iter().map(|note| of(InterventionKind::Notice, note)));
        all
    }
}

impl From<Verdict> for Decision {
    fn from(verdict: Verdict) -> Self {
        Self { verdict, ..Self::default() }
    }
}

/// Why a call of a refused completion did not run: a message in the user's role gives the reason.
pub const SEE_BELOW: &str = "the whole turn was refused; see below.";
/// Why a call did not run while the user was asked: the answer follows in the user's role.
pub const ASKED_FIRST: &str = "the user is asked first.";

impl Verdict {
    /// For each of so many calls of the completion, why it does not run, if it does not.
    #[must_use]
    pub fn refusals(&self, calls: usize) -> Vec<Option<&str>> {
        let all = match self {
            Self::Pass | Self::Repair(_) => None,
            Self::Block(blocked) => {
                let mut refusals = vec![None; calls];
                for it in blocked {
                    if let Some(refusal @ None) = refusals.get_mut(it.call) {
                        *refusal = Some(&*it.note.text);
                    }
                }
                return refusals;
            }
            Self::Retry(_) => Some(SEE_BELOW),
            Self::Ask(_) => Some(ASKED_FIRST),
            Self::Stop(_) => Some("the run ends here."),
        };
        vec![all; calls]
    }

    /// Strength, for comparison: Repair > Stop > Ask > Retry > Block > Pass. A repair comes first because the other
    /// guards judge the repaired completion.
    #[must_use]
    pub const fn strength(&self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Block(_) => 1,
            Self::Retry(_) => 2,
            Self::Ask(_) => 3,
            Self::Stop(_) => 4,
            Self::Repair(_) => 5,
        }
    }
}

impl Recovery {
    /// Ask the model again after this wait, without a word to the user.
    #[must_use]
    pub const fn resend(after: Wait) -> Self {
        Self::Resend { after, notice: None }
    }

    /// Strength, for comparison: Stop > Ask > Resend.
    #[must_use]
    pub const fn strength(&self) -> u8 {
        match self {
            Self::Resend { .. } => 1,
            Self::Ask(_) => 2,
            Self::Stop(_) => 3,
        }
    }
}

/// The guard that never objects: the baseline row of every table.
impl Guard for () {
    fn name(&self) -> &'static str {
        "none"
    }

    fn observe(&mut self, _: &Entry) {}

    fn must_see(&self) -> Sight {
        Sight::Nothing
    }
}

#[warn(clippy::missing_trait_methods, reason = "a method that is not passed on is lost")]
impl<G: Guard + ?Sized> Guard for Box<G> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn observe(&mut self, entry: &Entry) {
        (**self).observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        (**self).review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        (**self).settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        (**self).recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        (**self).conclude(end)
    }

    fn must_see(&self) -> Sight {
        (**self).must_see()
    }

    fn save(&self) -> Value {
        (**self).save()
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        (**self).load(state)
    }
}

#[warn(clippy::missing_trait_methods, reason = "a method that is not passed on is lost")]
impl<G: Guard + ?Sized> Guard for &mut G {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn observe(&mut self, entry: &Entry) {
        (**self).observe(entry);
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        (**self).review(completion)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        (**self).settle(completion, results)
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        (**self).recover(failure)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        (**self).conclude(end)
    }

    fn must_see(&self) -> Sight {
        (**self).must_see()
    }

    fn save(&self) -> Value {
        (**self).save()
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        (**self).load(state)
    }
}
