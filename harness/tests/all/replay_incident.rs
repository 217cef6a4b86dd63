//! The abandoned write tool (`docs/field.md`) as another agent would record it, without a word about what its tools can
//! change (spec A3).

use std::fs;
use std::path::Path;

use crate::common::program::{balk, ran};
use serde_json::{Value, json};

const TOOL: &str = "filesystem.write_file";
const DIAGNOSTICS: &str = "rolled back: the file has errors: cannot find package `arcade`";

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

fn fence(code: &str) -> Value {
    json!({ "role": "assistant", "content": format!("Here it is:\n```python\n{code}\n```\n") })
}

/// A call with its result.
fn called(id: &str, tool: &str, arguments: &Value, is_error: bool, result: &str) -> [Value; 2] {
    let function = json!({ "name": tool, "arguments": arguments.to_string() });
    [
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "function": function }] }),
        json!({ "role": "tool", "tool_call_id": id, "content": result, "is_error": is_error }),
    ]
}

/// Five writes are rolled back, the sixth is refused by the agent itself; then there is only code.
fn incident() -> Vec<Value> {
    let mut messages = vec![user("Write a game with a ball into ball.py.")];
    for nth in 1..=6 {
        let arguments =
            json!({ "path": "ball.py", "content": format!("import arcade\nspeed = {}\n", nth.min(5)) });
        let result =
            if nth == 6 { "You already called this tool with the same arguments." } else { DIAGNOSTICS };
        messages.extend(called(&format!("c{nth}"), TOOL, &arguments, true, result));
    }
    messages.extend([fence("import arcade"), user("Proceed"), fence("arcade.run()"), user("Proceed")]);
    messages.extend([fence("speed = 9"), user("Where are the files?")]);
    messages
}

/// What `balk replay` prints as JSON about one transcript.
fn replayed(messages: &[Value], more: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let line = json!({ "id": "incident", "messages": messages }).to_string();
    fs::write(folder.path().join("run.jsonl"), line).expect("it can be written");
    fs::write(folder.path().join("tools.toml"), "\"*\" = \"read-only\"\n").expect("it can be written");
    let arguments = [&["replay", "run.jsonl", "--format", "json"], more].concat();
    let (code, out, err) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!((code, &*err), (0, ""), "{out}");
    out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect()
}

/// The firings of the guard, each with its turn.
fn firings(lines: &[Value]) -> Vec<String> {
    let ours = lines.iter().filter(|it| it["guard"] == "abandonment");
    ours.map(|it| format!("{} {} {}", it["turn"], it["rule"].as_str().expect("a rule"), it["level"]))
        .collect()
}

#[test]
fn a3_the_incident_fires_without_declared_effects() {
    for guard in ["abandonment", "default"] {
        let lines = replayed(&incident(), &["--guard", guard]);
        let expected = [
            "7 fence-after-failures 1",
            "7 files-not-created 1",
            "8 unacknowledged 2",
            "8 files-not-created 2",
            "9 files-not-created 2",
        ];
        assert_eq!(firings(&lines), expected, "{guard}");
        let first = lines[..].iter().find(|it| it["rule"] == "files-not-created").expect("a notice");
        let why = first["why"].as_str().expect("a text");
        for part in ["ball.py", "failed 6 times", "seems to write"] {
            assert!(why.contains(part), "{why}");
        }
    }
}

#[test]
fn a3_what_is_declared_is_not_guessed() {
    let lines = replayed(&incident(), &["--guard", "abandonment", "--tools", "tools.toml"]);
    assert_eq!(firings(&lines), [""; 0]);
}

#[test]
fn a3_a_guard_that_is_blind_says_so() {
    let mut messages = vec![user("Which trains go north?")];
    messages.extend(called("c1", "find_trains", &json!({ "to": "north" }), false, "two"));
    let blind = |messages: &[Value], more: &[&str]| {
        replayed(messages, more).pop().expect("a summary")["blind"].clone()
    };
    assert_eq!(blind(&messages, &[]), 1);
    assert_eq!(blind(&messages, &["--guard", "duplicate"]), Value::Null, "the guard is not asked");
    assert_eq!(blind(&messages, &["--tools", "tools.toml"]), Value::Null, "an effect is declared");
    assert_eq!(blind(&incident(), &[]), Value::Null, "a tool seems to write");
    assert_eq!(blind(&messages[..1], &[]), Value::Null, "nothing was called");
}

/// For people, too.
#[test]
fn a3_the_summary_says_it_in_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let messages = called("c1", "find_trains", &json!({ "to": "north" }), false, "two");
    fs::write(folder.path().join("run.jsonl"), json!({ "messages": messages }).to_string()).expect("a file");
    let (_, out, _) = ran(&mut balk(Path::new(folder.path()), &["replay", "run.jsonl"]));
    assert!(out.contains("abandonment is blind: no tool is known or seems to write  "), "{out}");
}
