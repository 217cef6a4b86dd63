//! Any answers, failures and results in a run: its laws hold, and it always says what is next.
#![no_main]

mod draws;

use balk_guards::{
    AttemptCause, AttemptFacts, Completion, FinishReason, Limits, Offer, Part, Protocol, RawCall, Run,
    Speaker, Start, Status, Step, Termination, Tool, ToolResult, Usage, UserMessage, default_stack,
};
use draws::Draws;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut draws = Draws(bytes);
    let tools = ["read_file", "write_file", "run_shell_command"];
    let offer = std::sync::Arc::new(Offer::new(tools.map(Tool::new)));
    let start = Start { model: "m".into(), protocol: Protocol::Text, offer: offer.clone() };
    let task = draws.text();
    let mut run = Run::new(default_stack(), start, task, Limits { turns: 200, ..Limits::NONE });
    for _ in 0..1_000 {
        match run.step() {
            Step::Model { .. } if draws.0.is_empty() => run.end(Termination::Finished),
            Step::Model { .. } => match draws.byte() % 8 {
                0 => run.failed(AttemptCause::Disconnected, draws.text(), AttemptFacts::default()),
                1 => run.said(UserMessage { from: Speaker::User, text: draws.text().into() }),
                kind => {
                    let text = Part::Text(draws.text().into());
                    let call = |nth: u8, draws: &mut Draws<'_>| RawCall {
                        id: nth.to_string().into(),
                        tool: tools.get(usize::from(draws.byte() % 4)).copied().unwrap_or("no_tool").into(),
                        arguments: draws.text().into(),
                    };
                    let calls: Vec<RawCall> = (0..kind % 3).map(|nth| call(nth, &mut draws)).collect();
                    run.completed(Completion::new(
                        [text],
                        calls,
                        FinishReason::NotGiven,
                        Usage::default(),
                        &offer,
                    ));
                }
            },
            Step::Tools { calls, .. } => {
                let status = [Status::Ok, Status::Error, Status::Unknown];
                let mut ran =
                    |call| ToolResult::executed(call, status[usize::from(draws.byte() % 3)], draws.text());
                run.executed(calls.iter().map(&mut ran).collect::<Vec<_>>());
            }
            Step::User(question) => match question.answered_by(&draws.text().into()) {
                Some(answer) => run.answered(answer),
                None => run.unanswered(),
            },
            Step::Wait(wait) => run.waited(wait.at_least),
            Step::Reply => run.said(UserMessage { from: Speaker::User, text: draws.text().into() }),
            Step::Ended(end) => {
                assert!(!matches!(end, Termination::GuardFault(_)), "{end:?}");
                return;
            }
        }
    }
});
