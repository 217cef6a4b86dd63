//! A guard that always gives the same answer, as one in another process may.

use balk::exec::Reader;
use balk::exec::lines::FromGuard;
use balk_guards::{
    Answer, AttemptCause, AttemptFacts, AttemptFailure, Completion, Conclusion, Decision, Entry,
    FinishReason, Guard, GuardFault, Limits, Offer, Part, Protocol, RawCall, Recovery, Run, Settlement,
    Stack, Start, Status, Step, Termination, Tool, ToolCall, ToolResult, Usage,
};
use std::sync::Arc;

struct Says {
    line: FromGuard,
    offer: Arc<Offer>,
}

impl Says {
    fn read<T>(
        &self,
        calls: &[Arc<ToolCall>],
        of: impl FnOnce(&Reader<'_>) -> Result<T, String>,
    ) -> Answer<T> {
        let reader = Reader { guard: self.name(), offer: &self.offer, calls };
        of(&reader).map_err(|reason| GuardFault { guard: self.name().to_owned(), reason })
    }
}

impl Guard for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let FromGuard::Review(said) = &self.line else { return Ok(Decision::pass()) };
        self.read(&completion.calls, |it| it.decision(said.clone()))
    }

    fn settle(&self, completion: &Completion, _: &[ToolResult]) -> Answer<Settlement> {
        let FromGuard::Settle(said) = &self.line else { return Ok(Settlement::Accept(Vec::new())) };
        self.read(&completion.calls, |it| it.settlement(said.clone()))
    }

    fn recover(&self, _: &AttemptFailure) -> Answer<Option<Recovery>> {
        let FromGuard::Recover(Some(said)) = &self.line else { return Ok(None) };
        self.read(&[], |it| it.recovery(said.clone())).map(Some)
    }

    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let FromGuard::Conclude(Some(said)) = &self.line else { return Ok(None) };
        self.read(&[], |it| it.conclusion(said.clone(), end)).map(Some)
    }
}

/// A run with this answer to everything comes to its end.
pub fn plays(line: FromGuard) {
    let offer = Arc::new(Offer::new(["read_file", "write_file"].map(Tool::new)));
    let start = Start { model: "m".into(), protocol: Protocol::Text, offer: offer.clone() };
    let stack = Stack::new(vec![Box::new(Says { line, offer: offer.clone() })]);
    let limits = Limits { turns: 3, attempts: 3, calls: 9, interventions: 9, questions: 3 };
    let mut run = Run::new(stack, start, "Read a.", limits);
    let call = |nth: u8, tool: &str| RawCall {
        id: nth.to_string().into(),
        tool: tool.into(),
        arguments: r#"{"path":"a"}"#.into(),
    };
    for asked in 0..100 {
        match run.step() {
            Step::Model { .. } if asked == 0 => {
                run.failed(AttemptCause::Disconnected, "gone", AttemptFacts::default());
            }
            Step::Model { .. } => {
                let calls = [call(0, "read_file"), call(1, "write_file")];
                let text = Part::Text("I read it.".into());
                run.completed(Completion::new([text], calls, FinishReason::Stop, Usage::default(), &offer));
            }
            Step::Tools { calls, .. } => {
                let ran = |call| ToolResult::executed(call, Status::Ok, "a");
                run.executed(calls.iter().map(ran).collect::<Vec<_>>());
            }
            Step::User(question) => match question.answered_by(&"1".into()) {
                Some(answer) => run.answered(answer),
                None => run.unanswered(),
            },
            Step::Wait(wait) => run.waited(wait.at_least),
            Step::Reply => run.end(Termination::Finished),
            Step::Ended(_) => return,
        }
    }
    panic!("the run has limits, and goes on: {:?}", run.step());
}
