//! Guards composed into one, with one budget for what they say.

use std::collections::BTreeSet;
use std::{fmt, mem};

use serde_json::{Value, json};

use crate::attempt::AttemptFailure;
use crate::completion::Completion;
use crate::conclusion::Conclusion;
use crate::entry::{Entry, Intervention, InterventionKind, ToolResult};
use crate::guard::{Answer, Decision, Guard, Recovery, Settlement, Sight, Verdict};
use crate::note::Question;
use crate::note::{Choice, Note, Termination};
use crate::rules::{Rule, Rung, Step};
use crate::wording::times;

use budget::{NAME, Spent, fault, member};

mod budget;

pub use budget::{Budget, Window};

/// Guards composed into one.
///
/// All members see everything and are asked everything. The strongest answer wins; ties go to the member that was
/// installed first. Blocks and notices are merged. A member whose verdict lost commits nothing, so its ladder does
/// not move. The order of the members never changes the kind of the answer.
///
/// The stack has one budget for corrective messages, for a request of the user and for any window of turns in it. Once
/// it is spent, a Retry becomes a question, and notes are dropped. Questions have their own cap; after it, the run
/// stops. Block, Ask and Stop are never dropped.
///
/// What was spent comes back in three ways (spec P4):
///
/// - **A request begins**: a message of the user that says something new, or any message of the user once something
///   moved. "Proceed." alone ([`is_nudge`](crate::nudge::is_nudge)), or what the user said before, begins none. A
///   request has the whole budget.
/// - **An answer to a question** that instructs with something new, or that switches to another model, gives all
///   corrections back, and no question.
/// - **Evidence of progress** ([`Evidence`](crate::Evidence)): some productive turns give one correction back, more of
///   them one question. So a long run with rare slips never runs out, and one that has to be corrected again and again
///   does.
///
/// While nothing moves, at most four budgets can be spent, whatever the user says. So the members together cannot nudge
/// or ask for ever.
///
/// Each intervention that the model or the user sees is logged through the `log` crate: a question (with its choices)
/// and a stop as an error, everything else as a warning.
pub struct Stack {
    members: Vec<Box<dyn Guard>>,
    budget: Budget,
    spent: Spent,
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: Vec<&str> = self.members.iter().map(|it| it.name()).collect();
        let Self { budget, spent, .. } = self;
        f.debug_struct("Stack")
            .field("members", &members)
            .field("budget", budget)
            .field("spent", spent)
            .finish()
    }
}

const VERSION: u64 = 2;

impl Stack {
    /// What the budget turns a member's verdict into. The note remains the member's.
    pub const RULES: &[Rule] = &[
        Rule::new("corrections-spent", &[Rung::counted(Step::Question)]),
        Rule::new("questions-spent", &[Rung::counted(Step::Stop)]),
    ];

    /// A stack with the default budget.
    #[must_use]
    pub fn new(members: Vec<Box<dyn Guard>>) -> Self {
        Self::with_budget(members, Budget::default())
    }

    /// A stack with its own budget.
    #[must_use]
    pub fn with_budget(members: Vec<Box<dyn Guard>>, budget: Budget) -> Self {
        Self { members, budget, spent: Spent::default() }
    }

    /// The stack with one more member, which is asked last.
    ///
    /// A stack as a member would have a budget of its own and log everything twice.
    #[must_use]
    pub fn with(mut self, member: impl Guard + 'static) -> Self {
        self.members.push(Box::new(member));
        self
    }

    /// A question if the budget still has one, else a stop.
    fn ask_or_stop(&self, question: Question) -> Verdict {
        if self.spent.may_ask(&self.budget) {
            Verdict::Ask(question)
        } else {
            Verdict::Stop(question.statement())
        }
    }

    /// What a Retry becomes when the corrections are spent.
    fn escalate(&self, note: Note) -> Verdict {
        // A member whose Retry became a question may say the same again: the count makes the two texts differ.
        let asked = match self.spent.questions() {
            0 => String::new(),
            before => format!(", nor did asking the user {}", times(before)),
        };
        let (corrections, since) = self.spent.corrections();
        self.ask_or_stop(Question {
            note: Note {
                text: format!(
                    "{corrections} corrections {since} did not bring the model back{asked}. The next one would have \
                     been: {}",
                    note.text
                )
                .into(),
                ..note
            },
            options: Choice::for_stuck("tell it what to do instead", false),
        })
    }
}

/// The members' decisions about a completion.
#[derive(Default)]
struct Objections {
    /// The strongest so far.
    strongest: Decision,
    /// The notices of members that pass; kept whatever wins.
    beside: Decision,
}

impl Objections {
    fn add(&mut self, decision: Decision) {
        let strength = decision.verdict.strength();
        if strength == 0 {
            join(&mut self.beside, decision);
        } else if strength > self.strongest.verdict.strength() {
            self.strongest = decision;
        } else {
            join(&mut self.strongest, decision);
        }
    }

    fn joined(mut self) -> Decision {
        join(&mut self.strongest, self.beside);
        self.strongest
    }
}

/// Merges a decision that is no stronger into the one that leads: blocks are merged, the notices of a Pass are kept,
/// and any other decision is dropped with its notices.
fn join(stands: &mut Decision, mut next: Decision) {
    match (&mut stands.verdict, &mut next.verdict) {
        (_, Verdict::Pass) => {}
        (Verdict::Block(first), Verdict::Block(second)) => {
            let has: BTreeSet<usize> = first.iter().map(|it| it.call).collect();
            second.retain(|it| !has.contains(&it.call));
            first.append(second);
            first.sort_by_key(|it| it.call);
        }
        (
            Verdict::Pass
            | Verdict::Block(_)
            | Verdict::Retry(_)
            | Verdict::Ask(_)
            | Verdict::Stop(_)
            | Verdict::Repair(_),
            _,
        ) => {
            return;
        }
    }
    stands.notices.append(&mut next.notices);
}

/// Spec N6: a question or a stop is logged as an alert (a question with its options), any other intervention as a
/// warning.
fn log(intervention: &Intervention) {
    if !intervention.seen {
        return;
    }
    let Note { guard, rule, level, text, .. } = &intervention.note;
    match &intervention.kind {
        InterventionKind::Question(options) => {
            let labels: Vec<&str> = options.iter().map(|it| &*it.label).collect();
            let labels = labels.join(" | ");
            log::error!(target: "balk", "{guard}: {rule} (level {level}), the user is asked [{labels}]: {text}");
        }
        InterventionKind::Stop => {
            log::error!(target: "balk", "{guard}: {rule} (level {level}), the run ends: {text}")
        }
        InterventionKind::Repair(_)
        | InterventionKind::Feedback
        | InterventionKind::Note
        | InterventionKind::Notice
        | InterventionKind::Block => {
            log::warn!(target: "balk", "{guard}: {rule} (level {level}): {text}")
        }
    }
}

#[warn(clippy::missing_trait_methods, reason = "a default here would hide what the members say")]
impl Guard for Stack {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        self.spent.observe(entry, &self.budget);
        if let Entry::Intervention(intervention) = entry {
            log(intervention);
        }
        for member in &mut self.members {
            member.observe(entry);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let mut objections: Option<Objections> = None;
        for member in &self.members {
            let answer = member.review(completion);
            // Nearly all answers are an empty pass, which owns nothing: skip its drop.
            if answer.as_ref().is_ok_and(Decision::owns_nothing) {
                mem::forget(answer);
                continue;
            }
            objections.get_or_insert_default().add(answer?);
        }
        let Some(objections) = objections else { return Ok(Decision::pass()) };
        let mut all = objections.joined();
        all.verdict = match all.verdict {
            Verdict::Retry(note) if self.spent.corrections_left(&self.budget) == 0 => self.escalate(note),
            Verdict::Ask(question) => self.ask_or_stop(question),
            kept @ (Verdict::Pass
            | Verdict::Block(_)
            | Verdict::Retry(_)
            | Verdict::Stop(_)
            | Verdict::Repair(_)) => kept,
        };
        Ok(all)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut notes = Vec::new();
        let mut rerun = None;
        for member in &self.members {
            match member.settle(completion, results)? {
                Settlement::Accept(more) if more.is_empty() => {}
                Settlement::Accept(more) => notes.extend(more),
                again @ Settlement::Rerun { .. } => rerun = rerun.or(Some(again)),
            }
        }
        if !notes.is_empty() {
            notes.truncate(self.spent.corrections_left(&self.budget));
        }
        Ok(rerun.unwrap_or(Settlement::Accept(notes)))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let mut best: Option<Recovery> = None;
        for member in &self.members {
            let Some(recovery) = member.recover(failure)? else { continue };
            if best.as_ref().is_none_or(|best| recovery.strength() > best.strength()) {
                best = Some(recovery);
            }
        }
        Ok(match best {
            Some(Recovery::Ask(question)) if !self.spent.may_ask(&self.budget) => {
                Some(Recovery::Stop(question.statement()))
            }
            other => other,
        })
    }

    /// A gap outranks a soft end; ties go to the first installed.
    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let mut best: Option<Conclusion> = None;
        for member in &self.members {
            let Some(conclusion) = member.conclude(end)? else { continue };
            if best.as_ref().is_none_or(|best| best.gap.is_none() && conclusion.gap.is_some()) {
                best = Some(conclusion);
            }
        }
        // A question that may resume the run counts against the budget like any other.
        if !self.spent.may_ask(&self.budget)
            && let Some(gap) = best.as_mut().and_then(|best| best.gap.as_mut())
        {
            gap.constraint = None;
        }
        Ok(best)
    }

    fn must_see(&self) -> Sight {
        self.members.iter().map(|it| it.must_see()).max().unwrap_or(Sight::Nothing)
    }

    fn save(&self) -> Value {
        json!({
            "guard": NAME,
            "version": VERSION,
            "spent": self.spent.save(),
            "members": self.members.iter().map(|it| json!([it.name(), it.save()])).collect::<Vec<_>>(),
        })
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        let mut state: Value = crate::state::open(NAME, VERSION, state)?;
        let spent = Spent::load(member(&mut state, "spent")?)?;
        let saved: Vec<(String, Value)> = member(&mut state, "members")?;
        let names: Vec<&str> = self.members.iter().map(|it| it.name()).collect();
        let theirs: Vec<&str> = saved.iter().map(|(name, _)| name.as_str()).collect();
        if names != theirs {
            return Err(fault(format!("expected the state of {names:?}, found that of {theirs:?}")));
        }
        // If one member refuses its state, the others must keep theirs.
        let before: Vec<Value> = self.members.iter().map(|it| it.save()).collect();
        for (at, (_, state)) in saved.into_iter().enumerate() {
            if let Err(refused) = self.members[at].load(state) {
                for (member, state) in self.members.iter_mut().zip(before).take(at) {
                    member.load(state)?;
                }
                return Err(refused);
            }
        }
        self.spent = spent;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAVED: &str = concat!(
        r#"{"guard":"stack","members":[],"#,
        r#""spent":{"back":[1,0],"evidence":[[7],true],"idle":[0,1],"messages":[8],"moved":true,"#,
        r#""productive":[5,1],"recent":[3,4],"request":[2,1],"turn":4},"version":2}"#
    );

    fn load(state: &str) -> Answer<Stack> {
        let mut stack = Stack::new(vec![]);
        stack.load(serde_json::from_str(state).expect("JSON"))?;
        Ok(stack)
    }

    #[test]
    fn a_saved_state_is_read_back_and_written_the_same() {
        assert_eq!(load(SAVED).expect("a state").save().to_string(), SAVED);
    }

    #[test]
    fn a_broken_state_is_refused_with_the_member_that_is_broken() {
        for (right, wrong, member) in [
            (r#""turn":4"#, r#""turn":-4"#, "turn"),
            (r#""recent":[3,4],"#, "", "recent"),
            (r#""members":[]"#, r#""members":[["one"]]"#, "members"),
        ] {
            let fault = load(&SAVED.replace(right, wrong)).expect_err("it is broken").to_string();
            let named = format!("guard stack: the saved state is broken: its member `{member}`: ");
            assert!(fault.starts_with(&named), "{fault}");
        }
    }
}
