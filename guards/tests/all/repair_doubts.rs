//! Repairs against spec X2 and X3: what is made, asked about or left to the host where two readings are near.

use std::sync::Arc;

use crate::common::{Loop, calls, outline, says};
use balk_guards::{CallRepair, Effect, Offer, Tool, Verdict};

fn start() -> Loop {
    let file = r#"{"type":"object","properties":{"path":{"type":"string"},"lines":{"type":"integer"}},
        "required":["path"]}"#;
    let offer = Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).parameters(file),
        Tool::new("append").effect(Effect::Write).parameters(file),
        Tool::new("search").effect(Effect::ReadOnly).parameters(file).provider_executed(),
    ]);
    Loop::with_offer(CallRepair::default(), Arc::new(offer))
}

fn printed(tool: &str, path: &str) -> String {
    format!(r#"{{"name": "{tool}", "arguments": {{"path": "{path}"}}}}"#)
}

#[test]
fn x2_a_text_behind_the_call_speaks_about_it() {
    let call = says(&printed("read", "a"));
    start().check(&call, "repair printed-call 1");
    start().check(&call.and_says("This is how it looks."), "pass");
    let two = says(&printed("read", "a")).and_says(&printed("read", "b"));
    start().check(&two, "pass");
}

#[test]
fn x2_two_looks_at_one_file_are_no_alternatives_and_two_changes_are() {
    let list = |tool: &str| {
        let call =
            |lines: u32| format!(r#"{{"name": "{tool}", "arguments": {{"path": "a", "lines": {lines}}}}}"#);
        says(&format!("[{}, {}]", call(1), call(2)))
    };
    start().check(&list("read"), "repair printed-call 1");
    start().check(&list("append"), "pass");
}

#[test]
fn x2_several_calls_that_are_no_list_are_asked_about() {
    let two = |tool: &str| says(&format!("{}\n{}", printed(tool, "a"), printed(tool, "b")));
    start().check(&two("read"), "repair printed-call 1");
    assert!(matches!(start().turn(&two("append")).verdict, Verdict::Ask(_)));
}

#[test]
fn x2_a_long_text_introduces_no_call() {
    let behind = |text: &str| says(&format!("{text}\n{}", printed("read", "a")));
    start().check(&behind("This is what I do next:"), "repair printed-call 1");
    start().check(&behind(&"This is what I do next, and why I do it: ".repeat(12)), "pass");
}

/// A tool of the provider is never called in its place. A name that is nearly its name is answered with it.
#[test]
fn x3_a_call_of_a_tool_of_the_provider_is_not_made() {
    let said = start().turn(&calls("Search", r#"{"path":"a"}"#));
    assert_eq!(outline(&said), "block unknown-tool 1");
}

/// The host runs a tool that it does not offer, though its name is nearly one on offer.
#[test]
fn x3_a_name_that_worked_is_no_misspelling_in_the_next_request_either() {
    let mut run = start();
    run.check(&calls("reads", "{}"), "block unknown-tool 1");
    run.check(&calls("reads", "{}").answers("three files"), "pass");
    run.user("Read the file notes.md.");
    run.check(&calls("reads", "{}").answers("three files"), "pass");
}

#[test]
fn x3_unreadable_arguments_are_answered_once_in_a_request() {
    let mut run = start();
    let broken = || calls("read", "{'file': 'a'}").fails("invalid");
    for expected in ["pass", "pass", "block arguments 1", "pass", "pass"] {
        run.check(&broken(), expected);
    }
}
