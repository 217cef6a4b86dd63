//! One turn: attempt, review, run, settle, commit, and who speaks next.

use balk_guards::{
    AttemptCause, AttemptFailure, AttemptResponse, ChoiceKind, Completion, Entry, FailedAttempt, GuardFault,
    Intervention, InterventionKind, Limit, Note, Origin, Protocol, Question, Recovery, Settlement, Speaker,
    Termination, ToolCall, ToolResult, UserMessage, Verdict,
};
use balk_scenarios::LOOP_PROMPT;

use super::trial::Running;

impl Running<'_, '_, '_> {
    /// One turn; the termination if it was the last one.
    pub(super) fn turn(&mut self) -> Result<Option<Termination>, GuardFault> {
        if let Some(limit) = self.limit() {
            return Ok(Some(limit));
        }
        let completion = match self.attempt()? {
            Ok(completion) => completion,
            Err(end) => return Ok(Some(end)),
        };
        let decision = self.guard.review(&completion)?;
        let (results, finished) = self.execute(&completion, &decision.verdict);
        let (results, notes) = self.settle(&completion, results)?;
        for result in results {
            self.commit(Entry::Result(result));
        }
        for note in notes {
            self.commit_intervention(Intervention { kind: InterventionKind::Note, note, seen: true });
        }
        if matches!(decision.verdict, Verdict::Ask(_)) && self.no_question_left() {
            return Ok(Some(Termination::Limit(Limit::Questions)));
        }
        for intervention in decision.interventions(true) {
            self.commit_intervention(intervention);
        }
        Ok(match decision.verdict {
            Verdict::Stop(_) => Some(Termination::StoppedByGuard),
            Verdict::Ask(question) => self.ask(&question),
            Verdict::Retry(_) => None,
            Verdict::Pass | Verdict::Block(_) if finished => Some(Termination::Finished),
            Verdict::Pass | Verdict::Block(_) if completion.calls.is_empty() => self.yield_to_user(),
            Verdict::Pass | Verdict::Block(_) => None,
        })
    }

    /// Every call gets exactly one result, in call order; whether the task was declared done.
    fn execute(&mut self, completion: &Completion, verdict: &Verdict) -> (Vec<ToolResult>, bool) {
        let mut finished = false;
        let results = completion.calls.iter().enumerate().map(|(at, call)| {
            if let Some(reason) = self.refusal(at, call, verdict) {
                return ToolResult::refused(call, &reason);
            }
            let executed = self.environment.call(call);
            self.spent.calls += 1;
            finished |= executed.finishes;
            ToolResult::executed(call, executed.status, executed.text)
        });
        (results.collect(), finished)
    }

    /// Why a call does not run, if it does not: a verdict, a withheld tool, a bound.
    fn refusal(&self, at: usize, call: &ToolCall, verdict: &Verdict) -> Option<String> {
        if let Some(reason) = verdict.refusal(at) {
            Some(reason.to_owned())
        } else if self.withheld(&call.tool) {
            Some(format!("`{}` is not offered in this turn.", call.tool))
        } else if self.spent.calls >= self.world.scenario().limits.calls {
            Some("no more calls are allowed in this run.".to_owned())
        } else {
            None
        }
    }

    /// Whether a guard took this tool out of the offer that the last completion answers.
    fn withheld(&self, tool: &str) -> bool {
        let before = self.turns.last().map_or(0, |turn| turn.entry);
        self.entries[..before]
            .iter()
            .rev()
            .take_while(|entry| !matches!(entry, Entry::Completion(_)))
            .any(|entry| {
                matches!(entry, Entry::Intervention(Intervention { kind: InterventionKind::Withheld(name), .. })
                    if **name == *tool)
            })
    }

    /// Asks about the results until nobody wants a call run again.
    fn settle(
        &mut self,
        completion: &Completion,
        mut results: Vec<ToolResult>,
    ) -> Result<(Vec<ToolResult>, Vec<Note>), GuardFault> {
        if results.iter().all(|it| it.origin != Origin::Executed) {
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
    pub(super) fn failed_attempt(&mut self, attempt: u32) -> Result<Option<Termination>, GuardFault> {
        let failure = AttemptFailure::empty(attempt);
        let recovery = self.guard.recover(&failure)?;
        let bound = attempt >= self.world.scenario().limits.attempts;
        let response = match &recovery {
            Some(Recovery::Resend { after }) if !bound => AttemptResponse::Resent { after: *after },
            Some(Recovery::Ask(_)) => AttemptResponse::Asked,
            Some(Recovery::Resend { .. } | Recovery::Stop(_)) | None => AttemptResponse::Ended,
        };
        self.commit(Entry::Failed(FailedAttempt { failure, response }));
        Ok(match recovery {
            Some(Recovery::Resend { .. }) if bound => Some(Termination::Limit(Limit::Attempts)),
            Some(Recovery::Resend { after }) => {
                self.ticks += after;
                None
            }
            Some(Recovery::Ask(_)) if self.no_question_left() => Some(Termination::Limit(Limit::Questions)),
            Some(Recovery::Ask(question)) => {
                self.commit_intervention(question.intervention(true));
                let end = self.ask(&question);
                if bound { end.or(Some(Termination::Limit(Limit::Attempts))) } else { end }
            }
            Some(Recovery::Stop(note)) => {
                self.commit_intervention(Intervention { kind: InterventionKind::Stop, note, seen: true });
                Some(Termination::StoppedByGuard)
            }
            None => Some(Termination::FatalExecution("the model answered nothing".into())),
        })
    }

    fn no_question_left(&self) -> bool {
        self.spent.questions >= self.world.scenario().limits.questions
    }

    /// Puts a committed question to the user.
    fn ask(&mut self, question: &Question) -> Option<Termination> {
        let (answer, sets) = self.user.answer(&question.options);
        let stops = answer.choice == ChoiceKind::Stop;
        self.commit(Entry::Answer(answer));
        self.environment.set(sets);
        if stops { Some(Termination::StoppedByUser) } else { None }
    }

    /// The model sent no call: the user speaks or leaves, or the loop says to go on.
    fn yield_to_user(&mut self) -> Option<Termination> {
        let (from, text) = match self.world.scenario().protocol {
            Protocol::Tool => (Speaker::Loop, LOOP_PROMPT.into()),
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

/// How often one call is run in one turn, at most, whatever guards want.
pub const TRIES: u32 = 5;
