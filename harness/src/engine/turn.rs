//! One turn: attempt, review, run, settle, commit, and who speaks next; and how the last one ends.

use std::sync::Arc;

use balk_guards::{
    Answer, AttemptFailure, AttemptResponse, ChoiceKind, Completion, Conclusion, Decision, Entry,
    FailedAttempt, Guard, GuardFault, Intervention, InterventionKind, Limit, Note, Origin, Protocol,
    Question, Recovery, Settlement, Speaker, Termination, ToolResult, UserMessage, Verdict, Wait,
};
use balk_scenarios::{Drawer, Truth};

use super::trial::{Attempted, FailedFacts, Running};

impl Running<'_, '_, '_> {
    /// One turn; the termination if it was the last one.
    pub(super) fn turn(&mut self) -> Result<Option<Termination>, GuardFault> {
        if let Some(limit) = self.limit() {
            return Ok(Some(limit));
        }
        let completion = match self.attempt()? {
            Attempted::Whole(completion) => completion,
            Attempted::Broken => return Ok(None),
            Attempted::Ended(end) => return Ok(Some(end)),
        };
        let decision = self.guard.review(&completion)?;
        let Executed { results, finished, fatal } = self.execute(&completion, &decision.verdict);
        self.settle_and_commit(&completion, results)?;
        let passes = matches!(decision.verdict, Verdict::Pass | Verdict::Block(_));
        if let Err(end) = self.commit_decision(decision) {
            return Ok(Some(end));
        }
        Ok(match fatal {
            Some(error) => Some(Termination::FatalExecution(error)),
            None if passes && finished => Some(Termination::Finished),
            None if passes && completion.calls.is_empty() => self.yield_to_user(),
            None => None,
        })
    }

    /// Commits what a decision says; the end, if it is one or the user wants it.
    pub(super) fn commit_decision(&mut self, decision: Decision) -> Result<(), Termination> {
        if let Verdict::Ask(question) = &decision.verdict
            && self.no_question_left()
        {
            self.commit_notice(question.statement());
            return Err(Termination::Limit(Limit::Questions));
        }
        for intervention in decision.interventions(true) {
            self.commit_intervention(intervention);
        }
        match decision.verdict {
            Verdict::Stop(_) => Err(Termination::StoppedByGuard),
            Verdict::Ask(question) => self.ask(&question).map_or(Ok(()), Err),
            Verdict::Pass | Verdict::Block(_) | Verdict::Retry(_) | Verdict::Repair(_) => Ok(()),
        }
    }

    fn commit_notice(&mut self, note: Note) {
        self.commit_intervention(Intervention { kind: InterventionKind::Notice, note, seen: true });
    }

    /// Every call gets exactly one result, in call order.
    fn execute(&mut self, completion: &Completion, verdict: &Verdict) -> Executed {
        let mut executed = Executed::default();
        for (at, call) in completion.calls.iter().enumerate() {
            executed.results.push(match self.refusal(at, verdict) {
                Some(reason) => ToolResult::refused(call, &reason),
                None => {
                    let answer = self.environment.call(call);
                    self.spent.calls += 1;
                    executed.finished |= answer.finishes;
                    let result = ToolResult::executed(call, answer.status, answer.text);
                    if answer.fatal && executed.fatal.is_none() {
                        executed.fatal = Some(result.text.text().clone());
                    }
                    result
                }
            });
        }
        executed
    }

    /// Why a call does not run, if it does not: a verdict, a bound.
    pub(super) fn refusal(&self, at: usize, verdict: &Verdict) -> Option<String> {
        if let Some(reason) = verdict.refusal(at) {
            Some(reason.to_owned())
        } else if self.spent.calls >= self.world.scenario().limits.calls {
            Some("no more calls are allowed in this run.".to_owned())
        } else {
            None
        }
    }

    /// Asks about the results, and commits them with what guards say beside them.
    pub(super) fn settle_and_commit(
        &mut self,
        completion: &Completion,
        results: Vec<ToolResult>,
    ) -> Result<(), GuardFault> {
        let (results, notes) = self.settle(completion, results)?;
        for result in results {
            self.commit(Entry::Result(result));
        }
        for note in notes {
            self.commit_intervention(Intervention { kind: InterventionKind::Note, note, seen: true });
        }
        Ok(())
    }

    /// Asks about the results until nobody wants a call run again.
    fn settle(
        &mut self,
        completion: &Completion,
        mut results: Vec<ToolResult>,
    ) -> Result<(Vec<ToolResult>, Vec<Note>), GuardFault> {
        if results.iter().all(|it| it.origin == Origin::Synthetic) {
            return Ok((results, Vec::new()));
        }
        loop {
            match self.guard.settle(completion, &results)? {
                Settlement::Accept(notes) => return Ok((results, notes)),
                Settlement::Rerun { call, after } => {
                    let may_run =
                        results.get(call).is_some_and(|it| it.origin == Origin::Executed && it.tries < TRIES);
                    if !may_run || self.spent.calls >= self.world.scenario().limits.calls {
                        return Ok((results, Vec::new()));
                    }
                    self.ticks += after;
                    self.spent.calls += 1;
                    let result = &mut results[call];
                    let executed = self.environment.call(&result.call);
                    let again = ToolResult {
                        tries: result.tries + 1,
                        ..ToolResult::executed(&result.call, executed.status, executed.text)
                    };
                    let tried = std::mem::replace(result, again);
                    self.commit(Entry::Tried(tried));
                }
            }
        }
    }

    /// Decides about a failed attempt; the termination if the run ends over it.
    pub(super) fn failed_attempt(
        &mut self,
        failure: AttemptFailure,
        truth: Truth,
        unsafe_effect: bool,
    ) -> Result<Option<Termination>, GuardFault> {
        let attempt = failure.attempt;
        let recovery = self.guard.recover(&failure)?;
        let bound = attempt >= self.world.scenario().limits.attempts;
        // Nobody is asked whose answer would change nothing.
        let may_ask = !bound && !self.no_question_left();
        let resends = match &recovery {
            Some(Recovery::Resend { after }) if !bound => Some(self.drawn(*after)),
            Some(Recovery::Resend { .. } | Recovery::Ask(_) | Recovery::Stop(_)) | None => None,
        };
        let response = match (&recovery, resends) {
            (_, Some(after)) => AttemptResponse::Resent { after },
            (Some(Recovery::Ask(_)), None) if may_ask => AttemptResponse::Asked,
            (Some(Recovery::Ask(_) | Recovery::Resend { .. } | Recovery::Stop(_)) | None, None) => {
                AttemptResponse::Ended
            }
        };
        let why = match &*failure.message {
            "" => failure.cause.to_string().into(),
            _ => failure.message.clone(),
        };
        self.failed.push(FailedFacts { entry: self.entries.len(), truth, unsafe_effect });
        self.commit(Entry::Failed(FailedAttempt { failure, response }));
        self.ticks += resends.unwrap_or(0);
        Ok(match recovery {
            Some(Recovery::Resend { .. }) if bound => Some(Termination::Limit(Limit::Attempts)),
            Some(Recovery::Resend { .. }) => None,
            Some(Recovery::Ask(question)) if may_ask => {
                self.commit_intervention(question.intervention(true));
                self.ask(&question)
            }
            Some(Recovery::Ask(question)) => {
                self.commit_notice(question.statement());
                Some(Termination::Limit(if bound { Limit::Attempts } else { Limit::Questions }))
            }
            Some(Recovery::Stop(note)) => {
                self.commit_intervention(Intervention { kind: InterventionKind::Stop, note, seen: true });
                Some(Termination::StoppedByGuard)
            }
            None => Some(Termination::FatalExecution(why)),
        })
    }

    /// How long this wait is, by its number in the run.
    fn drawn(&self, wait: Wait) -> u64 {
        let waits = u32::try_from(self.failed.len()).unwrap_or(u32::MAX);
        let most = wait.at_most.max(wait.at_least);
        self.world.draws().source(Drawer::Loop, "wait", 0, waits).within(wait.at_least, most)
    }

    fn no_question_left(&self) -> bool {
        self.spent.questions >= self.world.scenario().limits.questions
    }

    /// Puts a committed question to the user.
    fn ask(&mut self, question: &Question) -> Option<Termination> {
        let Some((answer, sets)) = self.person.answer(question) else {
            return Some(Termination::StoppedByUser);
        };
        let stops = answer.choice == ChoiceKind::Stop;
        self.commit(Entry::Answer(answer));
        self.environment.set(sets);
        if stops { Some(Termination::StoppedByUser) } else { None }
    }

    /// What guards make of an end: the end itself, or nothing where the user wants it tried again.
    pub(super) fn conclude(&mut self, end: Termination) -> Result<Option<Termination>, GuardFault> {
        let Some(conclusion) = conclusion(self.guard, &end)? else { return Ok(Some(end)) };
        let question = conclusion.question().filter(|_| !self.no_question_left());
        let constraint = conclusion.gap.as_ref().and_then(|gap| gap.constraint.clone());
        let notice = conclusion.notice();
        self.commit(Entry::Conclusion(Arc::new(conclusion)));
        let Some(question) = question else {
            self.commit_intervention(Intervention {
                kind: InterventionKind::Notice,
                note: notice,
                seen: true,
            });
            return Ok(Some(end));
        };
        self.commit_intervention(question.intervention(true));
        let Some((answer, sets)) = self.person.answer(&question) else { return Ok(Some(end)) };
        let choice = answer.choice;
        self.commit(Entry::Answer(answer));
        self.environment.set(sets);
        Ok(match (choice, constraint) {
            (ChoiceKind::Constrain, Some(note)) => {
                self.commit_intervention(Intervention { kind: InterventionKind::Note, note, seen: true });
                None
            }
            _ => Some(end),
        })
    }

    /// The model sent no call: the user speaks or leaves, or the loop says to go on.
    fn yield_to_user(&mut self) -> Option<Termination> {
        let (from, text) = match self.world.scenario().protocol {
            Protocol::Tool => (Speaker::Loop, self.world.prompt().clone()),
            Protocol::Text => {
                let goal = self.environment.goal();
                match self.user.reply(goal) {
                    Some(text) => (Speaker::User, text),
                    None if goal => return Some(Termination::Finished),
                    None => return Some(Termination::StoppedByUser),
                }
            }
        };
        self.commit(Entry::User(UserMessage { from, text }));
        None
    }
}

/// What the calls of one completion came to.
#[derive(Default)]
struct Executed {
    results: Vec<ToolResult>,
    /// Whether the task was declared done.
    finished: bool,
    /// Why the agent cannot go on, where it cannot.
    fatal: Option<Arc<str>>,
}

/// What a guard makes of an end that is no success, and that the user did not choose.
pub(crate) fn conclusion(guard: &dyn Guard, end: &Termination) -> Answer<Option<Conclusion>> {
    match end {
        Termination::NoProgress | Termination::FatalExecution(_) | Termination::StoppedByGuard => {
            guard.conclude(end)
        }
        Termination::Limit(_) => Ok(guard.conclude(end)?.map(|mut conclusion| {
            // At its bound nothing is tried again.
            if let Some(gap) = &mut conclusion.gap {
                gap.constraint = None;
            }
            conclusion
        })),
        Termination::Finished | Termination::StoppedByUser | Termination::GuardFault(_) => Ok(None),
    }
}

/// How often one call is run in one turn, at most, whatever guards want.
pub const TRIES: u32 = 5;
