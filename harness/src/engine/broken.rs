//! Attempts that break off: what the loop sees of them, and what is left of them.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, Effect, FinishReason, GuardFault, LOST, Origin, Status,
    Termination, ToolCall, ToolResult,
};
use balk_scenarios::{Act, Broken, Stage, Truth};

use super::trial::Running;

impl Running<'_, '_, '_> {
    /// Runs what the provider ran by itself; whether that may have changed something.
    pub(super) fn run_by_provider(&mut self, act: &Act) -> bool {
        let mut unsafe_effect = false;
        for raw in &act.ran_by_provider {
            let call = ToolCall::new(raw.clone(), self.world.offer());
            unsafe_effect |= call.effect != Effect::ReadOnly;
            self.environment.call(&call);
        }
        unsafe_effect
    }

    /// Commits the calls that came to run in a broken attempt, with what is known of their answers (spec R7);
    /// nothing where none came so far. They are judged like any others: what is refused does not run.
    pub(super) fn salvage(
        &mut self,
        act: &Act,
        broken: &Broken,
        attempt: u32,
    ) -> Result<Option<Salvaged>, GuardFault> {
        if broken.at < Stage::Running || act.calls.is_empty() {
            return Ok(None);
        }
        let left = Act { finish: FinishReason::Error, ..act.clone() };
        let completion = Arc::new(left.completion(self.world.offer()));
        self.commit_completion(&completion, act, attempt);
        let decision = self.guard.review(&completion)?;
        let mut results = Vec::with_capacity(completion.calls.len());
        for (at, call) in completion.calls.iter().enumerate() {
            results.push(match self.refusal(at, &decision.verdict) {
                Some(reason) => ToolResult::refused(call, &reason),
                None => self.run_and_lose(call, broken.at),
            });
        }
        let ran = results.iter().filter(|it| it.tries > 0).map(|it| it.call.clone()).collect();
        self.settle_and_commit(&completion, results)?;
        let end = self.commit_decision(decision).err();
        Ok(Some(Salvaged { ran, end }))
    }

    fn run_and_lose(&mut self, call: &Arc<ToolCall>, at: Stage) -> ToolResult {
        let answer = self.environment.call(call);
        self.spent.calls += 1;
        let result = ToolResult::executed(call, answer.status, answer.text);
        if at == Stage::Ran {
            return result;
        }
        ToolResult { origin: Origin::Missing, status: Status::Unknown, text: LOST.into(), ..result }
    }
}

/// What a broken attempt left.
pub(super) struct Salvaged {
    /// The calls that ran.
    pub(super) ran: Vec<Arc<ToolCall>>,
    /// The end, where a guard or the user wanted it.
    pub(super) end: Option<Termination>,
}

/// What the loop saw of an attempt that broke off, in which these calls ran.
pub(super) fn failure(
    attempt: u32,
    broken: &Broken,
    has_text: bool,
    ran: &[Arc<ToolCall>],
) -> AttemptFailure {
    let came_to = |stage| Some(broken.at >= stage);
    let facts = AttemptFacts {
        provider_progress: came_to(Stage::Progress),
        visible_output: Some(broken.at >= Stage::Output && has_text),
        tool_input_started: came_to(Stage::Input),
        tool_call_materialized: came_to(Stage::Call),
        tool_execution_started: Some(!ran.is_empty()),
        unsafe_side_effect_started: Some(ran.iter().any(|call| call.effect != Effect::ReadOnly)),
        started: ran.iter().map(|call| call.tool.clone()).collect(),
    };
    AttemptFailure { attempt, cause: broken.cause, message: broken.message.clone(), facts }
}

/// The same act, refused because it came before the time that the provider had given.
pub(super) fn refused(act: Act, ticks: u64) -> Act {
    let cause = AttemptCause::Status { code: 429, retry_after: Some(ticks) };
    let broken = Broken { cause, at: Stage::Nothing, message: "too early".into() };
    Act { truth: Truth::Faulted, broken: Some(broken), ran_by_provider: Vec::new(), ..act }
}
