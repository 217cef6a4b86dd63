//! `--redact` keeps contents out of whatever is printed, in every form.

use std::fs;

use serde_json::json;

use crate::common::program::{balk, ran};

const SECRET: &str = "hunter2";

/// A log that has a secret wherever a text can be: in two runs, and in lines that cannot be used.
fn log() -> String {
    let call = |id: &str| {
        let arguments = json!({"path": SECRET}).to_string();
        json!({"role": "assistant", "content": format!("I open {SECRET}."), "tool_calls": [
            {"id": id, "function": {"name": "read_file", "arguments": arguments}}]})
    };
    let mut messages = vec![json!({"role": "user", "content": format!("Open {SECRET}.")})];
    for nth in 0..8 {
        let id = format!("c{nth}");
        messages.push(call(&id));
        messages
            .push(json!({"role": "tool", "tool_call_id": id, "content": format!("{SECRET}: no such file"),
            "is_error": true}));
    }
    let tools = json!([{"type": "function", "function": {"name": "read_file", "description": SECRET,
        "parameters": {"type": "object", "properties": {SECRET: {"type": "string"}}}}}]);
    let stuck = json!({"id": "stuck", "outcome": "failed", "messages": messages, "tools": tools});
    let orphan = json!({"messages": [{"role": "tool", "tool_call_id": SECRET, "content": "a"}]});
    let shape = json!({"messages": SECRET});
    let role = json!({"messages": [{"role": SECRET, "content": "a"}]});
    let bad = format!("{{\"messages\": [{{\"role\": \"user\", \"content\": {SECRET}}}]}}");
    [stuck.to_string(), orphan.to_string(), shape.to_string(), role.to_string(), bad].join("\n")
}

#[test]
fn no_content_is_printed() {
    let work = tempfile::tempdir().expect("a directory can be made");
    fs::write(work.path().join("log.jsonl"), log()).expect("it can be written");
    let labels = format!(
        "trajectory_id\tmessage_index\tlabel\tkind\tonset\tconfidence\tcontrol\tweight\treason\n\
         stuck\t7\tlegit\tequal\t-\t3\t0\t1\tit opens {SECRET}\n"
    );
    fs::write(work.path().join("labels.tsv"), labels).expect("it can be written");
    let mut lines = vec![vec!["triage", "--show", "log.jsonl:1:5"]];
    for format in ["text", "json", "html"] {
        lines.push(vec!["triage", "log.jsonl", "--format", format]);
        lines.push(vec!["replay", "log.jsonl", "--labels", "labels.tsv", "--format", format]);
    }
    for line in lines {
        let printed = |more: &[&str]| {
            let (code, out, err) = ran(&mut balk(work.path(), &[&line, more].concat()));
            assert_eq!(code, 0, "{line:?}: {err}");
            [out, err]
        };
        let is_secret = |it: &String| it.contains(SECRET);
        let open = printed(&[]);
        assert!(open.iter().any(is_secret), "{line:?}: the test has no secret to keep");
        let redacted = printed(&["--redact"]);
        assert!(!redacted.iter().any(is_secret), "{line:?}: {redacted:?}");
        assert!(redacted[0].contains("read_file"), "{line:?}: names of tools stay: {}", redacted[0]);
    }
}

/// The reason of a bad line can quote it; the line, and the kind of the reason, stay.
#[test]
fn bad_lines_are_named_without_what_they_quote() {
    let work = tempfile::tempdir().expect("a directory can be made");
    fs::write(work.path().join("log.jsonl"), log()).expect("it can be written");
    for command in ["triage", "replay"] {
        let (_, _, open) = ran(&mut balk(work.path(), &[command, "log.jsonl"]));
        assert!(open.matches(SECRET).count() >= 3, "{open}");
        let (_, _, said) = ran(&mut balk(work.path(), &[command, "log.jsonl", "--redact"]));
        insta::assert_snapshot!("bad_lines", said);
    }
}

#[test]
fn records_of_trials_are_redacted_as_well() {
    let work = tempfile::tempdir().expect("a directory can be made");
    let record = ["scenario", "repeating", "--seed", "38", "--guard", "cline", "--format", "json"];
    let (_, record, _) = ran(&mut balk(work.path(), &record));
    fs::write(work.path().join("own.jsonl"), record).expect("it can be written");
    for (command, format) in [("replay", "json"), ("replay", "html"), ("triage", "json"), ("triage", "html")]
    {
        let line = [command, "own.jsonl", "--format", format];
        let asked: &[&str] = if command == "replay" { &["--guard", "default"] } else { &[] };
        let printed = |more: &[&str]| ran(&mut balk(work.path(), &[&line[..], asked, more].concat())).1;
        let has_content = |it: &str| it.contains("cargo xtask dist");
        assert!(has_content(&printed(&[])) && !has_content(&printed(&["--redact"])), "{line:?}");
    }
}
