//! Literal lines in, readable entries out.

use std::fmt::Write as _;

use balk::import::{Format, Outcome, Setting, ToolTable};
use balk_guards::{Entry, Protocol};

use super::{failed_attempt, log_of, read, read_as};

/// The entries of these messages, one per line: message index and entry.
fn log(messages: &str, setting: &Setting) -> String {
    log_of(&format!(r#"{{"id": "t", "model": "m", "outcome": "failed", "messages": [{messages}]}}"#), setting)
}

#[track_caller]
fn check(messages: &str, expected: &str) {
    assert_eq!(log(messages, &Setting::default()).trim_end(), expected);
}

/// One call in the neutral form.
fn call(id: &str, tool: &str) -> String {
    format!(r#"{{"id": "{id}", "type": "function", "function": {{"name": "{tool}", "arguments": "{{}}"}}}}"#)
}

fn calls(ids: &[&str]) -> String {
    let calls: Vec<_> = ids.iter().map(|id| call(id, "ls")).collect();
    format!(r#"{{"role": "assistant", "content": null, "tool_calls": [{}]}}"#, calls.join(", "))
}

fn result(id: &str, text: &str, rest: &str) -> String {
    format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": "{text}"{rest}}}"#)
}

#[test]
fn messages_become_entries() {
    let messages = [
        r#"{"role": "system", "content": "be good"}"#.into(),
        r#"{"role": "user", "content": "list it"}"#.into(),
        calls(&["a", "b", "c"]),
        result("a", "x", r#", "is_error": false"#),
        result("b", "y", r#", "is_error": true, "name": "ls""#),
        result("c", "z", r#", "is_error": null"#),
        r#"{"role": "assistant", "content": "done", "tool_calls": []}"#.into(),
    ];
    check(
        &messages.join(", "),
        "0 start m Text [\"ls=ls Unknown Other\"]\n\
         1 user User list it\n\
         2 completion [] [\"a ls {} Unknown\", \"b ls {} Unknown\", \"c ls {} Unknown\"]\n\
         3 result of a ls: Executed Ok 1 \"x\"\n\
         4 result of b ls: Executed Error 1 \"y\"\n\
         5 result of c ls: Executed Unknown 1 \"z\"\n\
         6 completion [\"done\"] []\n\
         Oddities { missing_results: 0, late_results: 0, reused_ids: 0, unknown_status: 1, empty_messages: 0 }",
    );
}

#[test]
fn results_come_in_call_order_and_before_what_the_user_said_meanwhile() {
    let said = r#"{"role": "user", "content": "wait"}"#.to_owned();
    let ok = |id| result(id, id, r#", "is_error": false"#);
    let messages = [calls(&["a", "b"]), ok("b"), said, ok("a")];
    check(
        &messages.join(", "),
        "0 start m Text [\"ls=ls Unknown Other\"]\n\
         0 completion [] [\"a ls {} Unknown\", \"b ls {} Unknown\"]\n\
         3 result of a ls: Executed Ok 1 \"a\"\n\
         1 result of b ls: Executed Ok 1 \"b\"\n\
         2 user User wait",
    );
}

#[test]
fn missing_late_and_reused_are_states() {
    let ok = |id, text| result(id, text, r#", "is_error": false"#);
    let messages = [
        calls(&["a", "b"]),
        ok("b", "1"),
        calls(&["b", "b"]),
        ok("a", "late"),
        ok("b", "2"),
        ok("b", "3"),
        ok("b", "one too many"),
        calls(&["z"]),
    ];
    check(
        &messages.join(", "),
        "0 start m Text [\"ls=ls Unknown Other\"]\n\
         0 completion [] [\"a ls {} Unknown\", \"b ls {} Unknown\"]\n\
         0 result of a ls: Missing Unknown 0 \"\"\n\
         1 result of b ls: Executed Ok 1 \"1\"\n\
         2 completion [] [\"b ls {} Unknown\", \"b ls {} Unknown\"]\n\
         4 result of b ls: Executed Ok 1 \"2\"\n\
         5 result of b ls: Executed Ok 1 \"3\"\n\
         7 completion [] [\"z ls {} Unknown\"]\n\
         7 result of z ls: Missing Unknown 0 \"\"\n\
         Oddities { missing_results: 2, late_results: 2, reused_ids: 2, unknown_status: 0, empty_messages: 0 }",
    );
}

#[test]
fn an_empty_message_is_a_failed_attempt() {
    let empty = r#"{"role": "assistant", "content": " \n"}"#.to_owned();
    let text = r#"{"role": "assistant", "content": "hm"}"#.to_owned();
    let complaint = r#"{"role": "user", "content": "say something"}"#.to_owned();
    let messages = [empty.clone(), complaint, empty.clone(), text, empty];
    check(
        &messages.join(", "),
        &format!(
            "0 start m Text []\n0 {}\n1 user User say something\n2 {}\n3 completion [\"hm\"] []\n4 {}\n\
             Oddities {{ missing_results: 0, late_results: 0, reused_ids: 0, unknown_status: 0, \
             empty_messages: 3 }}",
            failed_attempt(1),
            failed_attempt(2),
            failed_attempt(1)
        ),
    );
}

#[test]
fn the_offer_holds_the_tools_that_occur_under_legal_names() {
    let tools =
        ToolTable::parse("\"fs.*\" = \"read-only\"\nend = { effect = \"external\", purpose = \"finish\" }")
            .expect("the table is good");
    let setting = Setting { protocol: Protocol::Tool, tools };
    let calls = [call("1", "fs.read"), call("2", "fs_read"), call("3", "end"), call("4", "fs.read")];
    let message = format!(r#"{{"role": "assistant", "tool_calls": [{}]}}"#, calls.join(", "));
    let log = log(&message, &setting);
    let lines: Vec<_> = log.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "0 start m Tool [\"fs_read=fs.read ReadOnly Other\", \"fs_read_2=fs_read Unknown Other\", \
             \"end=end External Finish\"]",
            "0 completion [] [\"1 fs_read {} ReadOnly\", \"2 fs_read_2 {} Unknown\", \"3 end {} External\", \
             \"4 fs_read {} ReadOnly\"]"
        ]
    );
}

#[test]
fn the_head_may_be_bare_and_further_members_are_passed_over() {
    let line =
        "\u{feff}{\"messages\": [{\"role\": \"user\", \"content\": \"\", \"extra\": [[{}]]}], \"note\": {}}";
    let recorded = read(line.as_bytes(), &Setting::default()).expect("the line is good");
    assert_eq!((&*recorded.id, &*recorded.model, recorded.outcome), ("", "", Outcome::Unknown));
    assert_eq!(recorded.entries.len(), 2);
}

#[test]
fn reasons() {
    let deep = format!(r#"{{"messages": {}"#, "[".repeat(100_000));
    let deep_extra = format!(r#"{{"messages": [], "note": {}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    let long = format!(r#"{{"messages": "{}"}}"#, "a".repeat(100_000));
    let orphan = format!(r#"{{"messages": [{}]}}"#, result("nobody", "x", ""));
    let lines: &[&[u8]] = &[
        b"not json at all",
        b"{\"messages\": [",
        b"{\"messages\": []} {}",
        b"\x00\x01\x02",
        b"{\"messages\": [], \"id\": \"\xff\"}",
        b"[]",
        b"3",
        b"{}",
        br#"{"messages": {}}"#,
        br#"{"messages": [["user", "hi"]]}"#,
        br#"{"messages": [{"content": "hi"}]}"#,
        br#"{"messages": [{"role": "critic", "content": "hi"}]}"#,
        br#"{"messages": [{"role": "user"}]}"#,
        br#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]}"#,
        br#"{"messages": [{"role": "tool", "content": "x"}]}"#,
        br#"{"messages": [{"role": "assistant", "tool_calls": [{"id": 7}]}]}"#,
        br#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "7"}]}]}"#,
        concat!(
            r#"{"messages": [{"role": "assistant", "tool_calls": [{"id": "7", "#,
            r#""function": {"name": "ls", "arguments": {}}}]}]}"#
        )
        .as_bytes(),
        br#"{"messages": [{"role": "tool", "content": "x", "tool_call_id": "1", "is_error": "yes"}]}"#,
        br#"{"messages": [], "outcome": "won"}"#,
        br#"{"messages": [], "messages": []}"#,
        br#"{"messages": [{"role": "user", "content": "\ud800"}]}"#,
        orphan.as_bytes(),
        long.as_bytes(),
        deep.as_bytes(),
        deep_extra.as_bytes(),
    ];
    let mut all = String::new();
    for line in lines {
        let head: String = String::from_utf8_lossy(line).chars().take(90).collect();
        let found = match read_as(line, Format::OpenAiChat) {
            Ok(_) => "fine".to_owned(),
            Err(bad) => bad.to_string(),
        };
        writeln!(all, "{}\n    {found}", head.escape_debug()).expect("a string takes what is written");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_tools_of_a_request_are_on_offer_whatever_its_form() {
    let schema = r#"{"type": "object", "required": ["path"]}"#;
    for tool in [
        format!(r#"{{"type": "function", "function": {{"name": "look", "parameters": {schema}}}}}"#),
        format!(r#"{{"type": "function", "name": "look", "parameters": {schema}}}"#),
        format!(r#"{{"name": "look", "description": "Looks.", "input_schema": {schema}}}"#),
        format!(r#"{{"functionDeclarations": [{{"name": "look", "parametersJsonSchema": {schema}}}]}}"#),
    ] {
        let line = format!(
            r#"{{"tools": [{tool}, {{"type": "web_search"}}], "messages": [{}, {}]}}"#,
            calls(&["a"]),
            result("a", "x", r#", "is_error": false"#)
        );
        let recorded = read(line.as_bytes(), &Setting::default()).unwrap_or_else(|bad| panic!("{bad}"));
        let Entry::Start(start) = &recorded.entries[0].entry else { panic!("a run begins with its start") };
        let names: Vec<&str> = start.offer.tools().iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["look", "ls"], "{line}");
        assert_eq!(start.offer.tools()[0].parameters.required().len(), 1, "{line}");
    }
}

#[test]
fn a_content_of_parts_is_its_texts() {
    let image = r#"{"type": "image_url", "image_url": {"url": "data:"}}"#;
    let parts =
        format!(r#"[{{"type": "text", "text": "list "}}, {image}, {{"type": "input_text", "text": "it"}}]"#);
    check(
        &format!(r#"{{"role": "developer", "content": "be good"}}, {{"role": "user", "content": {parts}}}"#),
        "0 start m Text []\n1 user User list it",
    );
    let of_anthropic = r#"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}]}"#;
    let said = log(of_anthropic, &Setting::default());
    assert_eq!(
        said,
        "orphan-result: messages[0].content[0].tool_use_id: expected the id of an earlier call, found `a`"
    );
}
