//! The loop of the README, which is the one below, in a run where everything happens that it has a branch for.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use balk_guards::wire::{Asking, Dialect};
use balk_guards::*;
use serde_json::json;

fn agent(task: &str, offer: Arc<Offer>, guards: Stack) -> Termination {
    let asking = Asking { stream: true, ..Asking::of(MODEL) };
    let start = Start { model: MODEL.into(), protocol: Protocol::Text, offer: offer.clone() };
    let mut run = Run::new(guards, start, task, Limits { turns: 50, ..Limits::NONE });
    loop {
        run.news().iter().for_each(show); // For the user, and for a recorder.
        match run.step() {
            Step::Model { .. } => match provider(&Dialect::OpenAi.request(run.view(), &asking)) {
                Ok(body) => {
                    let mut answer = Dialect::OpenAi.stream();
                    // It ends early if the connection breaks.
                    for bytes in body {
                        print(&answer.feed(&bytes).text);
                    }
                    match answer.finish(&offer) {
                        Ok(completion) => run.completed(completion),
                        Err(broken) => run.failed(broken.cause, broken.message, broken.facts),
                    }
                }
                Err((cause, said)) => run.failed(cause, said, AttemptFacts::default()), // No stream began.
            },
            Step::Tools { calls, .. } => run.executed(calls.iter().map(run_tool).collect::<Batch>()),
            Step::User(question) => run.answered(ask_user(&question)),
            Step::Wait(wait) => run.waited(sleep(wait)), // A random time in the range, in milliseconds.
            Step::Reply => run.end(Termination::Finished), // Or the user speaks: `run.said`.
            Step::Ended(end) => return end,
        }
    }
}

const MODEL: &str = "some-model";

/// What the loop did, a line each.
static LOG: Mutex<String> = Mutex::new(String::new());

fn log(line: &str) {
    writeln!(LOG.lock().expect("no test panicked"), "{line}").expect("a string takes all");
}

/// Sends one failing call twice, breaks off, looks elsewhere, cannot be reached, and is done.
fn provider(request: &str) -> Result<Vec<Vec<u8>>, (AttemptCause, &'static str)> {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let asked = ASKED.fetch_add(1, Relaxed);
    log(if request.contains("was called with these arguments") { "asks, with feedback" } else { "asks" });
    let call = |tool| {
        let function = json!({"name": tool, "arguments": "{\"target\": 1}"});
        json!({"tool_calls": [{"index": 0, "id": format!("c{asked}"), "type": "function", "function": function}]})
    };
    let (delta, finish) = match asked {
        0 | 1 => (call("build"), json!("tool_calls")),
        2 => (json!({"content": "Let me "}), json!(null)),
        3 => (call("ls"), json!("tool_calls")),
        4 => return Err((AttemptCause::Connect, "connection refused")),
        _ => (json!({"content": "It is built."}), json!("stop")),
    };
    let event = format!("data: {}\n\n", json!({"choices": [{"delta": delta, "finish_reason": finish}]}));
    Ok(event.as_bytes().chunks(7).map(<[u8]>::to_vec).collect())
}

fn run_tool(call: &Arc<ToolCall>) -> ToolResult {
    log(&format!("runs {}", call.tool));
    match &*call.tool {
        "build" => ToolResult::executed(call, Status::Error, "error: no such target"),
        _ => ToolResult::executed(call, Status::Ok, "Makefile"),
    }
}

fn print(text: &str) {
    if !text.is_empty() {
        log(&format!("prints {text}"));
    }
}

fn show(entry: &Entry) {
    if let Some(notice) = entry.notice() {
        log(&format!("shows {notice}"));
    }
}

fn sleep(wait: Wait) -> u64 {
    log("sleeps");
    wait.at_most
}

fn ask_user(question: &Question) -> UserAnswer {
    log(&format!("puts {}", question.note.text));
    UserAnswer { choice: ChoiceKind::Stop, text: "stop".into() }
}

#[test]
fn the_loop_of_the_readme_runs_and_is_shown_as_it_is() {
    let offer = Offer::new([
        Tool::new("build").effect(Effect::IdempotentWrite),
        Tool::new("ls").effect(Effect::ReadOnly).purpose(Purpose::Shell),
    ]);
    assert_eq!(agent("Build it.", Arc::new(offer), default_stack()), Termination::Finished);
    let log = LOG.lock().expect("no test panicked");
    let expected = [
        "asks",
        "runs build",
        "asks", // The model sends the same call again, which does not run.
        "asks, with feedback",
        "prints Let me ", // The stream breaks.
        "sleeps",
        "shows The text above is incomplete: the connection was lost: \"the stream ended before the answer did\". The \
         model is asked again and answers from the beginning, so you will see this part twice; only the text is \
         repeated.",
        "asks, with feedback",
        "runs ls",
        "asks, with feedback", // The provider refuses the connection.
        "sleeps",
        "asks, with feedback",
        "prints It is built.",
    ];
    assert_eq!(log.lines().collect::<Vec<_>>(), expected);
    let here = include_str!("readme.rs");
    let begins = here.find("fn agent(").expect("the loop is above");
    let ends = here[begins..].find("\n}\n").expect("it ends") + begins + 3;
    let readme = include_str!("../../README.md");
    assert!(readme.contains(&here[begins..ends]), "guards/README.md shows another loop than this file");
}
