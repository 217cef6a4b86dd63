//! `balk live --react`: what brings a model back, against a server whose answers are known.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::program::{balk, ran};
use crate::common::server::{Script, Server};

/// A server whose model calls a tool only where the last message has this word, and else announces it. Without a word
/// it always sends the same call.
fn server(word: &'static str) -> Server {
    Server::new(move |_, request| {
        if request.line.starts_with("GET") {
            return Script::json(200, r#"{"data": [{"id": "m"}]}"#);
        }
        let asked: Value = serde_json::from_str(&request.body).expect("a request");
        let messages = asked["messages"].as_array().expect("messages");
        let (count, last) = (messages.len(), messages[messages.len() - 1].to_string());
        let message = if last.contains(word) {
            let tools = asked["tools"].as_array().expect("tools");
            let names = tools.iter().filter_map(|it| it["function"]["name"].as_str());
            let reads = names.into_iter().find(|it| it.contains("read")).expect("a tool that reads");
            let path = if word.is_empty() { "a.md".to_owned() } else { format!("{count}.md") };
            let arguments = json!({ "path": path, "file_path": path, "filePath": path }).to_string();
            json!({ "tool_calls": [{ "id": "x", "function": { "name": reads, "arguments": arguments } }] })
        } else {
            // Guards have other words for a text that comes again.
            let what =
                ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "last"][count / 2 % 8];
            json!({ "content": format!("I would read the {what} file now.") })
        };
        Script::json(200, &json!({"choices": [{"message": message}]}).to_string())
    })
}

/// The result of `balk live --react` with these arguments, in the form exit code, output, errors.
fn react(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    ran(&mut balk(folder, &[&["live", "--react"], arguments].concat()))
}

/// The arguments that measure two trials of a world.
fn measure<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["--endpoint", url, "--model", "m", "--suite", "text-only", "--trials", "2", "--out", "d"];
    [&fixed[..], more].concat()
}

/// Of each message, in all its rows: whether it came again, and the places, silent places, samples, calls, calls that
/// serve the task.
fn counts(folder: &Path) -> Vec<(String, bool, [u64; 5])> {
    let text = fs::read_to_string(folder.join("d/reactions.json")).expect("it is written");
    let record: Value = serde_json::from_str(&text).expect("it is JSON");
    let of = |row: &Value| {
        let names = ["places", "silent", "samples", "calls", "serves"];
        let counts = names.map(|name| row["counts"][name].as_u64().expect("a count"));
        (row["message"].as_str().expect("a name").to_owned(), row["again"] == true, counts)
    };
    let mut all: Vec<(String, bool, [u64; 5])> = Vec::new();
    for (message, again, counts) in record["rows"].as_array().expect("rows").iter().map(of) {
        match all.iter_mut().find(|it| (&it.0, it.1) == (&message, again)) {
            Some((_, _, sum)) => *sum = std::array::from_fn(|at| sum[at] + counts[at]),
            None => all.push((message, again, counts)),
        }
    }
    all
}

fn row(message: &str, again: bool, counts: [u64; 5]) -> (String, bool, [u64; 5]) {
    (message.to_owned(), again, counts)
}

#[test]
fn a_model_that_only_the_users_word_moves_gives_exactly_these_counts() {
    let (server, folder) = (server("\"Proceed.\""), tempfile::tempdir().expect("a folder"));
    let (code, out, err) = react(folder.path(), &measure(&server.url(), &[]));
    assert_eq!(code, 0, "{out}{err}");
    // Four places in each of two trials, with two samples each.
    let expected = [
        row("none", false, [8, 0, 16, 0, 0]),
        row("Proceed.", false, [8, 0, 16, 16, 16]),
        row("default", false, [8, 0, 16, 0, 0]),
        row("default", true, [8, 0, 16, 0, 0]),
    ];
    assert_eq!(counts(folder.path()), expected);
    for line in ["Proceed.             8       0       16", "default, again       8       0       16"] {
        assert!(out.contains(line), "{out}");
    }
}

#[test]
fn where_the_words_of_a_stack_bring_a_call_they_do_not_come_again() {
    let (server, folder) = (server("calls no tool"), tempfile::tempdir().expect("a folder"));
    let (code, out, err) = react(folder.path(), &measure(&server.url(), &["--samples", "1"]));
    assert_eq!(code, 0, "{out}{err}");
    // From the third text on, the stack asks the user, whose answer has other words.
    let expected = [
        row("none", false, [8, 0, 8, 0, 0]),
        row("Proceed.", false, [8, 0, 8, 0, 0]),
        row("default", false, [8, 0, 8, 4, 4]),
        row("default", true, [4, 0, 4, 0, 0]),
    ];
    assert_eq!(counts(folder.path()), expected);
    assert!(out.contains("+50.0"), "{out}");
}

#[test]
fn an_equal_call_is_a_call_that_serves_nothing_and_silent_stacks_are_not_sampled() {
    let (server, folder) = (server(""), tempfile::tempdir().expect("a folder"));
    let (code, out, err) = react(folder.path(), &measure(&server.url(), &["--guard", "cline"]));
    assert_eq!(code, 0, "{out}{err}");
    // The third equal call is the first place: this stack warns there, is silent at the fourth, and asks at the fifth.
    let expected = [
        row("none", false, [8, 0, 16, 16, 0]),
        row("Proceed.", false, [8, 0, 16, 16, 0]),
        row("cline", false, [8, 2, 12, 12, 0]),
    ];
    assert_eq!(counts(folder.path()), expected);
}

#[test]
fn nothing_is_asked_for_twice_and_the_record_gives_the_same_bytes_without_a_model() {
    let (server, folder) = (server("\"Proceed.\""), tempfile::tempdir().expect("a folder"));
    let read = |name: &str| fs::read(folder.path().join(name)).expect("it is written");
    let (_, first, _) = react(folder.path(), &measure(&server.url(), &["--samples", "1"]));
    let (reactions, completions) = (read("d/reactions.json"), read("d/completions.jsonl.zst"));

    let before = server.requests().len();
    let (code, again, err) = react(folder.path(), &measure(&server.url(), &["--samples", "1", "--resume"]));
    assert_eq!((code, &again), (0, &first), "{err}");
    assert_eq!((&read("d/reactions.json"), &read("d/completions.jsonl.zst")), (&reactions, &completions));
    assert!(server.requests()[before..].iter().all(|it| !it.line.starts_with("POST")), "a request");
    drop(server);

    let (code, _, err) = react(folder.path(), &["--offline", "d", "--out", "e"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(read("e/reactions.json"), reactions);
    assert_eq!(read("e/reactions.toml"), read("d/reactions.toml"));

    // The record has one sample of each, and no server can be asked for another.
    let (code, _, err) = react(folder.path(), &["--offline", "d", "--samples", "2"]);
    assert_eq!(code, 4, "{err}");
    let why =
        "2 of 2 units have no reactions; the first: text-only, seed 0: the record has no sample of turn 2";
    assert!(err.contains(why), "{err}");
}

/// The arguments that measure the messages which come to scripted models in this world.
fn messages<'a>(url: &'a str, suite: &'a str) -> [&'a str; 14] {
    let [trials, samples] = [["--trials", "6"], ["--samples", "1"]];
    [
        "live",
        "--messages",
        "--endpoint",
        url,
        "--model",
        "m",
        "--suite",
        suite,
        trials[0],
        trials[1],
        samples[0],
        samples[1],
        "--out",
        "d",
    ]
}

#[test]
fn messages_to_scripted_models_are_tried_where_they_came() {
    let (server, folder) = (server("calls no tool"), tempfile::tempdir().expect("a folder"));
    let (code, out, err) = ran(&mut balk(folder.path(), &messages(&server.url(), "text-only")));
    assert_eq!(code, 0, "{out}{err}");
    // Only the first message has these words. It has the four places that a message has at most; two of the six models
    // come to another one.
    let expected = [
        row("none", false, [6, 0, 6, 0, 0]),
        row("Proceed.", false, [6, 0, 6, 0, 0]),
        row("default", false, [6, 0, 6, 4, 4]),
    ];
    assert_eq!(counts(folder.path()), expected);
    let rows = |name: &str| out.lines().filter(|it| it.starts_with(name)).count();
    let names = ["no-tools/no-call ", "no-tools/no-call, level 2 ", "no-tools/limit, level 3 "];
    assert_eq!(names.map(rows), [1, 1, 1], "{out}");
    drop(server);

    let read = |name: &str| fs::read(folder.path().join(name)).expect("it is written");
    let again = ["live", "--offline", "d", "--out", "e", "--jobs", "3"];
    let (code, _, err) = ran(&mut balk(folder.path(), &again));
    assert_eq!(code, 0, "{err}");
    assert_eq!(read("e/reactions.json"), read("d/reactions.json"));

    // No trial is played, so a gate would pass whatever the model does.
    let (code, _, err) =
        ran(&mut balk(folder.path(), &["live", "--offline", "d", "--fail-on", "recovery<0.9"]));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--fail-on: expected a record with trials"), "{err}");
}

#[test]
fn messages_need_a_scripted_model_that_balks() {
    let (server, folder) = (server(""), tempfile::tempdir().expect("a folder"));
    let (code, _, err) = ran(&mut balk(folder.path(), &messages(&server.url(), "paging")));
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("a scenario whose scripted model balks"), "{err}");
    assert!(!folder.path().join("d").exists(), "{err}");
}
