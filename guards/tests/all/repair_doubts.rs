//! Repairs against spec X2 and X3: what is made, asked about or left to the host where two readings are near.

use std::sync::Arc;

use crate::common::{Loop, calls, outline, says, text};
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

#[test]
fn x2_a_call_behind_one_line_is_made_if_it_changes_what_the_request_names() {
    let behind = |line: &str, path: &str| says(&format!("{line}\n{}", printed("append", path)));
    let asked = |run: &mut Loop, turn| matches!(run.turn(&turn).verdict, Verdict::Ask(_));
    let mut run = start();
    run.user("Write what you find into notes.md.");
    assert!(asked(&mut run, behind("Going on.", "other.md")), "another file");
    run.check(&behind("Going on.", "docs/notes.md"), "repair printed-call 1, notice printed-call 1");
    assert!(asked(&mut run, behind("On it.", "docs/notes.md")), "it was written already");
    let mut run = start();
    run.user("Write what you find into notes.md.");
    assert!(asked(&mut run, behind("Going on.\nThis is it.", "notes.md")), "two lines");
    let mut run = start();
    run.user("Write an example into notes.md.");
    assert!(asked(&mut run, behind("Going on.", "notes.md")), "an example was asked for");
}

#[test]
fn x3_names_that_share_a_namespace_alone_are_not_near() {
    let offer = Offer::new([Tool::new("filesystem_read_file"), Tool::new("filesystem_write_file")]);
    let start = || Loop::with_offer(CallRepair::default(), Arc::new(offer.clone()));
    start().check(&calls("filesystem_save", "{}"), "pass");
    start().check(&calls("filesystem_write_files", "{}"), "block unknown-tool 1");
    start().check(&calls("file_system_write_fil", "{}"), "block unknown-tool 1");
}

/// The tools of the next tests.
fn tools() -> Loop {
    let takes = |members: &[&str], required: usize| {
        let list: Vec<String> =
            members.iter().map(|it| format!("\"{it}\":{{\"type\":\"string\"}}")).collect();
        let required: Vec<String> = members[..required].iter().map(|it| format!("\"{it}\"")).collect();
        let (list, required) = (list.join(","), required.join(","));
        format!("{{\"type\":\"object\",\"properties\":{{{list}}},\"required\":[{required}]}}")
    };
    let offer = Offer::new([
        Tool::new("Read").effect(Effect::ReadOnly).parameters(&takes(&["file_path"], 1)),
        Tool::new("LS").effect(Effect::ReadOnly).parameters(&takes(&["path"], 1)),
        Tool::new("Write").effect(Effect::IdempotentWrite).parameters(&takes(&["file_path", "content"], 2)),
        Tool::new("Bash").effect(Effect::Write).parameters(&takes(&["command", "description"], 1)),
        Tool::new("Fetch").effect(Effect::ReadOnly).parameters(&takes(&["url"], 1)),
    ]);
    Loop::with_offer(CallRepair::default(), Arc::new(offer))
}

/// What the guard says about the third call of an unknown name in a request.
fn third(arguments: &str) -> String {
    let mut run = tools();
    run.check(&calls("browser_open", "{}").fails("unknown tool"), "pass");
    run.check(&calls("apply_patch", "{}").fails("unknown tool"), "pass");
    let said = run.turn(&calls("do_this", arguments));
    if outline(&said) == "pass" { "pass".into() } else { text(&said).to_string() }
}

#[test]
fn x3_the_third_unknown_name_is_answered_with_the_tools_that_take_what_the_call_gives() {
    let said = third(r#"{"path": "a.md", "text": "one\ntwo"}"#);
    let form = r#"Its form: {"name": "Write", "arguments": {"file_path": "…", "content": "…"}}"#;
    assert!(said.contains("taken by `Write`") && said.ends_with(form), "{said}");
    assert!(third(r#"{"cmd": "ls -la"}"#).contains("taken by `Bash`"));
    assert!(third(r#"{"path": "src"}"#).contains("taken by `Read` and `LS`"));
    assert!(third(r#"{"link": "https://example.org"}"#).contains("taken by `Fetch`"));
}

/// A call that gives nothing known, or what no tool takes, is for a tool that is missing.
#[test]
fn x3_no_tool_is_named_for_a_call_that_none_fits() {
    for arguments in ["{}", "[1]", r#"{"seat": "12A"}"#, r#"{"query": "weather"}"#, r#"{"command": "view"}"#]
    {
        assert_eq!(third(arguments), "pass", "{arguments}");
    }
    let mut run = tools();
    run.check(&calls("browser_open", "{}").fails("unknown tool"), "pass");
    run.check(&calls("apply_patch", "{}").fails("unknown tool"), "pass");
    run.user("Read the file notes.md.");
    run.check(&calls("do_this", r#"{"path": "src"}"#), "pass");
}
