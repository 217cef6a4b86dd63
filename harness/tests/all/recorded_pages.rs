//! Pages of recorded runs: `balk triage` and `balk replay` with `--format html`.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::common::program::{balk, ran};

/// The output of a command that must succeed.
#[track_caller]
fn printed(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out
}

/// A run that makes a call so often, each time with the same result, with this text wherever a log can have one.
fn run(text: &str, times: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": format!("Find it. {text}")})];
    let arguments = json!({"path": text}).to_string();
    for nth in 0..times {
        let id = format!("c{nth}{text}");
        let function = json!({"name": "read_file", "arguments": arguments});
        messages.push(json!({"role": "assistant", "content": format!("Reading. {text}"), "tool_calls": [
            {"id": id, "function": function}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": format!("error: none. {text}"),
            "is_error": true}));
    }
    messages.push(json!({"role": "assistant", "content": format!("Done. {text}")}));
    json!({"id": text, "model": text, "outcome": "failed", "messages": messages}).to_string()
}

/// Both pages of a log.
fn pages(log: &str) -> [String; 2] {
    let work = tempfile::tempdir().expect("a directory can be made");
    fs::write(work.path().join("log.jsonl"), log).expect("it can be written");
    ["triage", "replay"].map(|command| printed(work.path(), &[command, "log.jsonl", "--format", "html"]))
}

/// The names of all tags, in order. Texts are escaped, so a tag begins and ends where it seems to.
fn tags(page: &str) -> Vec<&str> {
    let name = |it: &'_ str| it.find([' ', '>']).unwrap_or(it.len());
    page.split('<').skip(1).map(|it| &it[..name(it)]).collect()
}

#[test]
fn texts_of_a_log_stay_texts() {
    let hostile = [
        "</script><script>alert(1)</script>",
        "<!--",
        "--><img src=x onerror=alert(1)>",
        "</style></title></svg>",
        "\" onload=\"alert(1)",
        "' onfocus='alert(1)",
        "&lt;b&gt; &amp; &#60;",
        "\u{202e}\u{2066}\u{61c}\u{1b}[31m\u{0}\u{85}\u{fffe}",
    ];
    let logs = |texts: &[&str]| texts.iter().map(|it| run(it, 6)).collect::<Vec<_>>().join("\n");
    // Each model has a row of its own.
    let expected = pages(&logs(&["text a", "b", "c", "d", "e", "f", "g", "h"]));
    for (page, plain) in pages(&logs(&hostile)).iter().zip(&expected) {
        assert_eq!(tags(page), tags(plain));
        let acts =
            |c: char| matches!(c, '\u{202e}' | '\u{2066}' | '\u{61c}' | '\u{1b}' | '\u{85}' | '\u{fffe}');
        assert!(!page.contains(acts) && page.contains("⟨U+202E⟩"));
        assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    }
}

#[test]
fn the_worst_runs_are_shown_turn_by_turn_with_firings_in_the_margin() {
    let [triage, replay] = pages(&[run("a", 1), run("b", 12), run("c", 7)].join("\n"));
    assert!(triage.contains("<h1>2 of 3 recorded runs were stuck</h1>"), "{triage}");
    assert_eq!(triage.matches("class=\"trial\"").count(), 2, "a run that was not stuck is only counted");
    let [first, second] = ["log.jsonl:2:", "log.jsonl:3:"].map(|it| triage.find(it).expect("a place"));
    assert!(first < second);
    for page in [&triage, &replay] {
        let at =
            page.find("<div class=\"margin\"><p class=\"fired\">⚑ duplicate: block to the model (same-call)");
        assert!(
            page[at.expect("a firing")..].contains("<p class=\"would\" dir=\"auto\">`read_file` was called")
        );
        assert!(page.contains(">as recorded</text>") && page.contains(">firing</text>"));
    }
    assert!(triage.contains("class=\"sign stuck\"") && !replay.contains("class=\"sign stuck\""));
    assert!(replay.contains("All runs in which they would have done something"));
}

#[test]
fn a_page_of_a_replay_has_a_bounded_number_of_runs() {
    let log: Vec<String> = (0..23).map(|nth| run("a", if nth == 22 { 9 } else { 3 })).collect();
    let [_, page] = pages(&log.join("\n"));
    assert_eq!(page.matches("class=\"trial\"").count(), 20);
    assert!(page.contains("The 20 runs in which they would have done most. 3 more are left out here"));
    assert!(page.contains("1. <code>log.jsonl:23</code>") && page.contains("2. <code>log.jsonl:1</code>"));
    assert!(!page.contains("log.jsonl:20</code>"), "of equal runs the first ones are shown");
}

#[test]
fn records_of_trials_are_shown_with_what_other_guards_decide() {
    let work = tempfile::tempdir().expect("a directory can be made");
    let record = ["scenario", "repeating", "--seed", "38", "--guard", "cline", "--format", "json"];
    fs::write(work.path().join("own.jsonl"), printed(work.path(), &record)).expect("it can be written");
    let asked =
        |guard: &str| printed(work.path(), &["replay", "own.jsonl", "--guard", guard, "--format", "html"]);
    let page = asked("default");
    for words in ["⚑ found: duplicate: ", "guard cline, asked default · ", "own records"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(asked("none").contains("⚑ found: nothing"));
    // Its own guards decide as recorded, so there is nothing to show.
    let page = printed(work.path(), &["replay", "own.jsonl", "--format", "html"]);
    assert!(!page.contains("class=\"trial\"") && page.contains("own records"));
    let page = printed(work.path(), &["triage", "own.jsonl", "--format", "html"]);
    assert!(page.contains("<h1>1 of 1 recorded runs were stuck</h1>"));
}
