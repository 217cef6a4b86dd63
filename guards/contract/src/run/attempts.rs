//! Attempts at a completion: those that return one, and those that fail.

use std::sync::Arc;

use super::Run;
use super::due::{Asker, Due};
use crate::attempt::{AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, FailedAttempt};
use crate::completion::{Completion, FinishReason};
use crate::entry::{Entry, InterventionKind};
use crate::guard::{Guard, Recovery};
use crate::note::{Limit, Note, Termination};

impl<G: Guard> Run<G> {
    /// The model answered. An empty answer is a failed attempt.
    pub fn completed(&mut self, completion: impl Into<Arc<Completion>>) {
        if !self.takes_attempt("a completion") {
            return;
        }
        let completion = completion.into();
        if completion.is_empty() {
            return self.attempt_failed(AttemptFailure::empty(self.attempt));
        }
        self.begin_turn(completion, None);
    }

    /// The attempt failed: the cause, the message of the provider or the network (empty if there was none), and how
    /// far it got.
    pub fn failed(&mut self, cause: AttemptCause, message: impl Into<Arc<str>>, facts: AttemptFacts) {
        if self.takes_attempt("a failed attempt") {
            let message = message.into();
            self.attempt_failed(AttemptFailure { attempt: self.attempt, cause, message, facts });
        }
    }

    /// The attempt broke after complete calls had arrived that the host runs at once. `completion` is what arrived.
    /// The run commits it with [`FinishReason::Error`] and judges it like any other; then its calls are due, and
    /// finally the attempt counts as failed. The run adds to the facts which calls ran. A guard whose repair leaves
    /// no call breaks. An attempt without a complete call is one that [`failed`](Self::failed).
    pub fn interrupted(
        &mut self,
        completion: Completion,
        cause: AttemptCause,
        message: impl Into<Arc<str>>,
        facts: AttemptFacts,
    ) {
        if self.takes_attempt("a broken attempt") {
            let failure = AttemptFailure { attempt: self.attempt, cause, message: message.into(), facts };
            let completion = Completion { finish: FinishReason::Error, ..completion };
            self.begin_turn(Arc::new(completion), Some(failure));
        }
    }

    /// Whether asking the model was due; if so, counts the attempt.
    fn takes_attempt(&mut self, found: &str) -> bool {
        let is_due = matches!(self.due, Due::Model);
        if is_due {
            self.attempt = self.attempt.saturating_add(1);
        } else {
            self.out_of_turn(found);
        }
        is_due
    }

    /// Asks what to do about a failed attempt.
    pub(super) fn attempt_failed(&mut self, failure: AttemptFailure) {
        let recovery = match self.guard.recover(&failure) {
            Ok(recovery) => recovery,
            Err(fault) => return self.broke(fault),
        };
        let is_last = failure.attempt >= self.limits.attempts;
        // A question whose answer would change nothing is not asked.
        let may_ask = !is_last && !self.no_question_left();
        match recovery {
            Some(Recovery::Resend { after, notice }) if !is_last => {
                self.due = Due::Resend { failure, after, notice };
            }
            Some(Recovery::Resend { .. }) => {
                self.commit_failed(failure, AttemptResponse::Ended);
                self.close(Termination::Limit(Limit::Attempts));
            }
            Some(Recovery::Ask(question)) if may_ask => {
                self.commit_failed(failure, AttemptResponse::Asked);
                self.intervene(question.intervention(true));
                self.due = Due::Answer { question, asker: Asker::Attempt };
            }
            Some(Recovery::Ask(question)) => {
                self.commit_failed(failure, AttemptResponse::Ended);
                self.tell(InterventionKind::Notice, question.statement());
                self.close(Termination::Limit(if is_last { Limit::Attempts } else { Limit::Questions }));
            }
            Some(Recovery::Stop(note)) => {
                self.commit_failed(failure, AttemptResponse::Ended);
                self.tell(InterventionKind::Stop, note);
                self.close(Termination::StoppedByGuard);
            }
            None => {
                let why = match &*failure.message {
                    "" => failure.cause.to_string().into(),
                    _ => failure.message.clone(),
                };
                self.commit_failed(failure, AttemptResponse::Ended);
                self.close(Termination::FatalExecution(why));
            }
        }
    }

    pub(super) fn commit_failed(&mut self, failure: AttemptFailure, response: AttemptResponse) {
        self.commit(Entry::Failed(FailedAttempt { failure, response }));
    }

    /// The wait before a resend is over.
    pub(super) fn resend(&mut self, failure: AttemptFailure, after: u64, notice: Option<Note>) {
        self.commit_failed(failure, AttemptResponse::Resent { after });
        if let Some(notice) = notice {
            self.tell(InterventionKind::Notice, notice);
        }
        self.ask_again();
    }

    /// The model is asked again: in the same turn or, if calls ran in the broken attempt, in a new one.
    pub(super) fn ask_again(&mut self) {
        if self.turn.is_some() {
            return self.next_turn();
        }
        let messages = self.view.messages().len();
        let (times, seen) = self.asked;
        self.asked = (if messages == seen { times.saturating_add(1) } else { 1 }, messages);
        self.due = Due::Model;
    }
}
