//! Answers of the user, and how a run ends.

use std::mem;
use std::sync::Arc;

use super::due::{Asker, Due};
use super::{Run, fault};
use crate::attempt::AttemptResponse;
use crate::conclusion::Conclusion;
use crate::entry::{Entry, InterventionKind, UserAnswer};
use crate::guard::{Answer, Guard};
use crate::note::{ChoiceKind, Question, Termination};

impl<G: Guard> Run<G> {
    /// The user answered the question: with one of its choices, or with [`ChoiceKind::Stop`], which is always
    /// allowed.
    pub fn answered(&mut self, answer: UserAnswer) {
        let Some((question, asker)) = self.question("an answer") else { return };
        let choice = answer.choice;
        let is_open = choice == ChoiceKind::Stop || question.options.iter().any(|it| it.kind == choice);
        if !is_open {
            return self
                .broke(fault(format!("expected one of the choices of the question, found {choice:?}")));
        }
        self.commit(Entry::Answer(answer));
        match asker {
            Asker::Review | Asker::Attempt if choice == ChoiceKind::Stop => {
                self.close(Termination::StoppedByUser);
            }
            Asker::Review => self.turn_ends(false),
            Asker::Attempt => self.ask_again(),
            Asker::End(_, Some(constraint)) if choice == ChoiceKind::Constrain => {
                self.tell(InterventionKind::Note, constraint);
                self.next_turn();
            }
            Asker::End(end, _) => self.ended(end),
        }
    }

    /// The question cannot be answered, since there is no user: the run ends.
    pub fn unanswered(&mut self) {
        match self.question("that nobody answers") {
            None => {}
            Some((_, Asker::Review | Asker::Attempt)) => self.close(Termination::StoppedByUser),
            Some((_, Asker::End(end, _))) => self.ended(end),
        }
    }

    fn question(&mut self, found: &str) -> Option<(Question, Asker)> {
        match mem::replace(&mut self.due, Due::Reply) {
            Due::Answer { question, asker } => Some((question, asker)),
            due @ (Due::Model
            | Due::Tools
            | Due::Rerun { .. }
            | Due::Resend { .. }
            | Due::Reply
            | Due::Ended(_)) => {
                self.due = due;
                self.out_of_turn(found);
                None
            }
        }
    }

    /// The host ends the run: when the user or the loop is to speak, when the model is to be asked, or instead of
    /// waiting for another attempt.
    pub fn end(&mut self, end: Termination) {
        match mem::replace(&mut self.due, Due::Reply) {
            Due::Reply | Due::Model => self.close(end),
            Due::Resend { failure, .. } => {
                self.commit_failed(failure, AttemptResponse::Ended);
                self.close(end);
            }
            due @ (Due::Tools | Due::Rerun { .. } | Due::Answer { .. } | Due::Ended(_)) => {
                self.due = due;
                self.out_of_turn("the end of the run");
            }
        }
    }

    /// The run is about to end: guards may explain the end, and the user may want one more try.
    pub(super) fn close(&mut self, end: Termination) {
        let conclusion = match conclusion(&self.guard, &end) {
            Err(fault) => return self.broke(fault),
            Ok(None) => return self.ended(end),
            Ok(Some(conclusion)) => conclusion,
        };
        let question = conclusion.question().filter(|_| !self.no_question_left());
        let constraint = conclusion.gap.as_ref().and_then(|gap| gap.constraint.clone());
        let notice = conclusion.notice();
        self.commit(Entry::Conclusion(Arc::new(conclusion)));
        match question {
            None => {
                self.tell(InterventionKind::Notice, notice);
                self.ended(end);
            }
            Some(question) => {
                self.intervene(question.intervention(true));
                self.due = Due::Answer { question, asker: Asker::End(end, constraint) };
            }
        }
    }
}

/// A guard's explanation of an end. An end that the model or the user chose is no handoff: nothing is asked any more,
/// but the user may be told what is open.
///
/// # Errors
/// The guard broke.
pub fn conclusion(guard: &(impl Guard + ?Sized), end: &Termination) -> Answer<Option<Conclusion>> {
    match end {
        Termination::NoProgress | Termination::FatalExecution(_) | Termination::StoppedByGuard => {
            guard.conclude(end)
        }
        Termination::Limit(_) => Ok(guard.conclude(end)?.map(|mut conclusion| {
            // At a bound, nothing is tried again.
            if let Some(gap) = &mut conclusion.gap {
                gap.constraint = None;
            }
            conclusion
        })),
        Termination::Finished | Termination::StoppedByUser => {
            Ok(guard.conclude(end)?.filter(|conclusion| conclusion.gap.is_none()))
        }
        Termination::GuardFault(_) => Ok(None),
    }
}
