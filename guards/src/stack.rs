//! Guards composed into one, with the one budget over what they say.

use serde_json::{Value, json};

use crate::completion::Completion;
use crate::entry::{
    AttemptFailure, Choice, ChoiceKind, Entry, Intervention, InterventionKind, Note, ToolResult,
};
use crate::guard::{Answer, Decision, Guard, GuardFault, Question, Recovery, Settlement, Verdict};

/// Guards composed into one.
///
/// All members see everything and are asked everything; the strongest answer stands, ties go to the first
/// installed. Blocks, notices and withheld tools are united. A member whose verdict lost commits nothing,
/// so its ladder does not move. Permuting the members never changes the kind of the answer.
///
/// The stack owns the one budget over corrective messages: spent, a Retry becomes a question, and notes are
/// dropped; questions have a cap of their own, then the run stops. Block, Ask and Stop are never dropped.
pub struct Stack {
    members: Vec<Box<dyn Guard>>,
    budget: Budget,
    spent: Spent,
}

/// How much a stack may say in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Corrective messages to the model (feedback and notes).
    pub corrections: u32,
    /// Questions to the user. Three is the cap of the field design (spec N4).
    pub questions: u32,
}

impl Default for Budget {
    /// Twelve corrections: recorded models that did not move after four in a row moved in under 10 % of
    /// later ones, and a run seldom holds more than three stretches (`reactions.md`, 1 and 7).
    fn default() -> Self {
        Self { corrections: 12, questions: 3 }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    corrections: u32,
    questions: u32,
}

const NAME: &str = "stack";
const VERSION: u64 = 1;

impl Stack {
    /// A stack with the default budget.
    #[must_use]
    pub fn new(members: Vec<Box<dyn Guard>>) -> Self {
        Self::with_budget(members, Budget::default())
    }

    /// A stack with a budget of its own.
    #[must_use]
    pub fn with_budget(members: Vec<Box<dyn Guard>>, budget: Budget) -> Self {
        Self { members, budget, spent: Spent::default() }
    }

    /// A question where the budget still has one, else the end.
    fn ask_or_stop(&self, question: Question) -> Verdict {
        if self.spent.questions < self.budget.questions {
            Verdict::Ask(question)
        } else {
            Verdict::Stop(question.note)
        }
    }

    /// What a Retry becomes when the corrections are spent.
    fn escalate(&self, note: Note) -> Verdict {
        self.ask_or_stop(Question {
            note: Note {
                text: format!(
                    "{} corrections in this run did not bring the model back. The last one would have \
                     been: {}",
                    self.spent.corrections, note.text
                )
                .into(),
                ..note
            },
            options: vec![
                Choice { kind: ChoiceKind::Instruct, label: "tell it what to do instead".into() },
                Choice { kind: ChoiceKind::Stop, label: "end the run".into() },
            ],
        })
    }
}

/// Takes a decision that is no stronger into the one that stands: blocks are united, what stands beside a
/// Pass is kept, and any other loses, with all that stands beside it.
fn join(stands: &mut Decision, mut next: Decision) {
    match (&mut stands.verdict, &mut next.verdict) {
        (_, Verdict::Pass) => {}
        (Verdict::Block(first), Verdict::Block(second)) => {
            second.retain(|it| first.iter().all(|has| has.call != it.call));
            first.append(second);
            first.sort_by_key(|it| it.call);
        }
        (Verdict::Pass | Verdict::Block(_) | Verdict::Retry(_) | Verdict::Ask(_) | Verdict::Stop(_), _) => {
            return;
        }
    }
    stands.notices.append(&mut next.notices);
    next.withhold.retain(|it| stands.withhold.iter().all(|has| has.tool != it.tool));
    stands.withhold.append(&mut next.withhold);
}

impl Guard for Stack {
    fn name(&self) -> &'static str {
        NAME
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Intervention(Intervention { kind, .. }) = entry {
            match kind {
                InterventionKind::Feedback | InterventionKind::Note => self.spent.corrections += 1,
                InterventionKind::Question(_) => self.spent.questions += 1,
                InterventionKind::Notice
                | InterventionKind::Block
                | InterventionKind::Withheld(_)
                | InterventionKind::Stop => {}
            }
        }
        for member in &mut self.members {
            member.observe(entry);
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        // Members that pass come last: what stands beside a Pass is kept, whoever wins.
        let mut all = Decision::pass();
        let mut beside = Decision::pass();
        for member in &self.members {
            let decision = member.review(completion)?;
            let strength = decision.verdict.strength();
            if strength == 0 {
                join(&mut beside, decision);
            } else if strength > all.verdict.strength() {
                all = decision;
            } else {
                join(&mut all, decision);
            }
        }
        join(&mut all, beside);
        all.verdict = match all.verdict {
            Verdict::Retry(note) if self.spent.corrections >= self.budget.corrections => self.escalate(note),
            Verdict::Ask(question) => self.ask_or_stop(question),
            kept @ (Verdict::Pass | Verdict::Block(_) | Verdict::Retry(_) | Verdict::Stop(_)) => kept,
        };
        Ok(all)
    }

    fn settle(&self, completion: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        let mut notes = Vec::new();
        let mut rerun = None;
        for member in &self.members {
            match member.settle(completion, results)? {
                Settlement::Accept(more) => notes.extend(more),
                again @ Settlement::Rerun { .. } => rerun = rerun.or(Some(again)),
            }
        }
        let left = self.budget.corrections.saturating_sub(self.spent.corrections);
        notes.truncate(usize::try_from(left).unwrap_or(usize::MAX));
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
            Some(Recovery::Ask(question)) if self.spent.questions >= self.budget.questions => {
                Some(Recovery::Stop(question.note))
            }
            other => other,
        })
    }

    fn save(&self) -> Value {
        json!({
            "guard": NAME,
            "version": VERSION,
            "corrections": self.spent.corrections,
            "questions": self.spent.questions,
            "members": self.members.iter().map(|it| json!([it.name(), it.save()])).collect::<Vec<_>>(),
        })
    }

    fn load(&mut self, state: Value) -> Answer<()> {
        let fault = |reason: String| GuardFault { guard: NAME.into(), reason };
        let saved: Saved = crate::state::open(NAME, VERSION, state)?;
        let names: Vec<&str> = self.members.iter().map(|it| it.name()).collect();
        let theirs: Vec<&str> = saved.members.iter().map(|(name, _)| name.as_str()).collect();
        if names != theirs {
            return Err(fault(format!("expected the state of {names:?}, found that of {theirs:?}")));
        }
        // A member that refuses must leave the others as they were.
        let before: Vec<Value> = self.members.iter().map(|it| it.save()).collect();
        for (at, (_, state)) in saved.members.into_iter().enumerate() {
            if let Err(refused) = self.members[at].load(state) {
                for (member, state) in self.members.iter_mut().zip(before).take(at) {
                    member.load(state)?;
                }
                return Err(refused);
            }
        }
        self.spent = Spent { corrections: saved.corrections, questions: saved.questions };
        Ok(())
    }
}

#[derive(serde::Deserialize)]
struct Saved {
    corrections: u32,
    questions: u32,
    members: Vec<(String, Value)>,
}
