//! The time of a turn with the stack `default` in Rust, for comparison with the bindings: `guard_turns BYTES TURNS`.
//!
//! In each turn the model writes a file of so many bytes, and the tool says so. Prints nanoseconds a turn, the fastest
//! of seven runs.

use std::hint::black_box;
use std::sync::Arc;

use balk_guards::{
    Completion, Effect, FinishReason, Limits, Offer, Protocol, RawCall, Run, Start, Status, Step, Tool,
    ToolResult, Usage, default_stack,
};

#[expect(clippy::print_stdout, reason = "the figure is what it is run for")]
#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn main() {
    let mut numbers = std::env::args().skip(1).map(|it| it.parse::<usize>().expect("a number"));
    let (bytes, turns) = (numbers.next().expect("BYTES"), numbers.next().expect("TURNS"));
    let offer: Arc<Offer> = Offer::new([Tool::new("write_file").effect(Effect::Write)]).into();
    let written: Vec<String> = (0..turns).map(|turn| arguments(turn, bytes)).collect();
    // Each run begins before the last one is freed, so that all but the first have memory that was used before.
    let mut last = None;
    let fastest = (0..7).map(|_| {
        let start = Start { model: "some-model".into(), protocol: Protocol::Text, offer: offer.clone() };
        let mut run = Run::new(default_stack(), start, "Write the files.", Limits::NONE);
        let begun = std::time::Instant::now();
        for (turn, arguments) in written.iter().enumerate() {
            let call = RawCall {
                id: turn.to_string().into(),
                tool: "write_file".into(),
                arguments: arguments.as_str().into(),
            };
            let finish = FinishReason::ToolCall;
            run.completed(Completion::new([], [call], finish, Usage::default(), &offer));
            let Step::Tools { calls, .. } = run.step() else { panic!("{:?}", run.step()) };
            let ran = calls.iter().map(|it| ToolResult::executed(it, Status::Ok, "written"));
            run.executed(ran.collect::<Vec<_>>());
        }
        black_box((run.news().len(), &last));
        let time = begun.elapsed().as_nanos() / turns as u128;
        last = Some(run);
        time
    });
    println!("{}", fastest.min().expect("seven runs"));
}

fn arguments(turn: usize, bytes: usize) -> String {
    let line = format!("line {turn} of a program that grows");
    let content: String = std::iter::repeat_n(line, bytes / 33 + 1).collect::<Vec<_>>().join("\\n");
    // Not within an escape.
    let content = content[..bytes.min(content.len())].trim_end_matches('\\');
    format!(r#"{{"path":"src/part{turn}.py","content":"{content}"}}"#)
}
