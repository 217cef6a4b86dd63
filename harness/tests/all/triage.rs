//! `balk triage` from the outside.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Runs `balk` in this directory: exit code, standard output, standard error.
fn balk(directory: &Path, threads: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_balk"));
    let program = program.current_dir(directory).env("RAYON_NUM_THREADS", threads).args(arguments);
    let output = program.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8");
    (output.status.code().expect("it is not killed"), text(&output.stdout), text(&output.stderr))
}

/// A run that makes a call so often, each time with the same result, and says that it is done.
fn run(id: &str, outcome: &str, times: usize) -> String {
    repeated(id, outcome, times, &json!({"content": "secret: no such file", "is_error": true}))
}

/// The same with this result.
fn repeated(id: &str, outcome: &str, times: usize, result: &Value) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Find the secret plan."})];
    for nth in 0..times {
        let id = format!("c{nth}");
        let function = json!({"name": "read_file", "arguments": "{\"path\": \"secret.txt\"}"});
        messages.push(json!({"role": "assistant", "tool_calls": [{"id": id, "function": function}]}));
        let mut answer = json!({"role": "tool", "tool_call_id": id});
        answer.as_object_mut().expect("an object").extend(result.as_object().expect("an object").clone());
        messages.push(answer);
    }
    messages.push(json!({"role": "assistant", "content": "Here is what I found."}));
    json!({"id": id, "outcome": outcome, "messages": messages}).to_string()
}

/// A folder with two stuck runs and one that is not.
fn pile() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = [run("short", "resolved", 1), run("worst", "failed", 12), run("stuck", "failed", 7)];
    fs::write(folder.path().join("a.jsonl"), lines.join("\n")).expect("a file");
    folder
}

#[test]
fn the_worst_run_is_first_whatever_the_number_of_threads() {
    let pile = pile();
    let one = balk(pile.path(), "1", &["triage", "a.jsonl"]);
    assert_eq!(one, balk(pile.path(), "4", &["triage", "a.jsonl"]));
    let (exit, json, _) = balk(pile.path(), "2", &["triage", "a.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let worst = json["worst"].as_array().expect("a list");
    let ids: Vec<Option<&str>> = worst.iter().map(|it| it["id"].as_str()).collect();
    assert_eq!((exit, ids), (0, vec![Some("worst"), Some("stuck")]), "{}", one.1);
    assert_eq!((&json["counts"]["runs"], &json["counts"]["stuck_runs"]), (&json!(3), &json!(2)));
    let first = one.1.lines().find(|line| line.starts_with("  1  ")).expect("there is a worst run");
    assert!(first.starts_with("  1  a.jsonl:2:") && first.contains(" of 13 turns stuck"), "{}", one.1);
}

/// A pile of which a part cannot be read does not look like a whole one, and says no more than a person reads.
#[test]
fn bad_lines_are_counted_and_the_first_of_a_file_are_shown() {
    let pile = pile();
    fs::write(pile.path().join("b.jsonl"), format!("{}\n{}", run("fine", "failed", 1), "no\n".repeat(30)))
        .expect("a file");
    let (exit, text, err) = balk(pile.path(), "1", &["triage", "b.jsonl", "a.jsonl", "b.jsonl"]);
    assert_eq!((exit, err.matches(": not-json").count()), (0, 40), "{err}");
    assert_eq!(err.matches("b.jsonl: 10 more bad lines, not shown\n").count(), 2, "{err}");
    assert!(text.contains("; what is in 60 bad lines (`balk import` says why)"), "{text}");
    let (_, page, _) = balk(pile.path(), "1", &["triage", "b.jsonl", "--format", "html"]);
    assert!(page.contains("what is in 30 bad lines"), "{page}");
    assert!(!balk(pile.path(), "1", &["triage", "a.jsonl"]).1.contains("bad lines"));
}

/// Guards would have ended this run several times. Those that start anew need turns to see the same again, and the
/// loop is one all the same.
#[test]
fn a_loop_is_one_stretch_although_guards_would_have_ended_it() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("a.jsonl"),
        repeated("loop", "failed", 30, &json!({"content": "nothing found"})),
    )
    .expect("a file");
    let (_, json, _) = balk(folder.path(), "1", &["triage", "a.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let [stuck, first] =
        ["turns_stuck", "first_turn"].map(|it| json["worst"][0][it].as_u64().expect("a number"));
    assert_eq!([first, stuck], [3, 28], "{json}");
}

/// With so many tools, guards start anew too seldom to be asked about all of a long loop.
#[test]
fn a_loop_that_is_not_looked_at_to_its_end_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let tool = |nth: usize| json!({"type": "function", "function": {"name": format!("tool{nth}")}});
    let with_tools = |tools: usize, turns: usize| {
        let line = repeated("loop", "failed", turns, &json!({"content": "nothing found"}));
        let mut run: Value = serde_json::from_str(&line).expect("JSON");
        run["tools"] = (0..tools).map(tool).collect();
        run.to_string()
    };
    let lines = [with_tools(2_000, 700), with_tools(20, 700)];
    fs::write(folder.path().join("a.jsonl"), lines.join("\n")).expect("a file");
    let (_, text, _) = balk(folder.path(), "2", &["triage", "a.jsonl"]);
    let why = "the last part of 1 runs (the guards would have ended them too often)";
    assert!(text.contains(why) && text.contains("698 of 701 turns stuck"), "{text}");
}

/// Each message takes ten minutes, each answer costs 110 tokens.
#[test]
fn what_came_after_the_first_firing_is_counted_in_tokens_and_time() {
    let mut run: Value = serde_json::from_str(&run("timed", "failed", 12)).expect("JSON");
    let messages = run["messages"].as_array_mut().expect("a list");
    for (at, message) in messages.iter_mut().enumerate() {
        message["timestamp"] = json!(1_767_225_600 + 600 * at);
        message["usage"] = json!({"input_tokens": 100, "output_tokens": 10});
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.jsonl"), run.to_string()).expect("a file");
    let (_, json, _) = balk(folder.path(), "1", &["triage", "a.jsonl", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let worst = &json["worst"][0];
    let (turn, turns) = (worst["first_turn"].as_u64().expect("a turn"), worst["turns_after"].as_u64());
    assert_eq!(turns, Some(13 - turn));
    assert_eq!(worst["tokens_after"], 110 * (13 - turn), "{worst}");
    assert_eq!(worst["seconds_after"], 600 * (24 - (2 * turn - 1) + 1), "{worst}");
    let (_, text, _) = balk(folder.path(), "1", &["triage", "a.jsonl"]);
    let told = "after the first firing 11 turns, 1210 tokens, 3h 40m; failed";
    assert!(text.contains(told) && text.contains("the times of 0 of 1 runs"), "{text}");
    // One answer without a count, and nothing is known of the sum.
    run["messages"][23].as_object_mut().expect("an object").remove("usage");
    fs::write(folder.path().join("a.jsonl"), run.to_string()).expect("a file");
    let (_, text, _) = balk(folder.path(), "1", &["triage", "a.jsonl"]);
    assert!(text.contains("11 turns, ~") && text.contains("the tokens of 0 of 1 runs"), "{text}");
}

#[test]
fn a_place_is_printed_and_contents_are_kept_out() {
    let pile = pile();
    let (_, shown, _) = balk(pile.path(), "1", &["triage", "--show", "a.jsonl:2:5"]);
    assert!(shown.contains("no such file"), "{shown}");
    let (_, hidden, _) = balk(pile.path(), "1", &["triage", "--show", "a.jsonl:2:5", "--redact"]);
    assert!(hidden.contains("read_file") && !hidden.contains("secret"), "{hidden}");
    let (_, text, _) = balk(pile.path(), "1", &["triage", "a.jsonl", "--redact"]);
    assert!(text.contains("read_file") && !text.contains("secret"), "{text}");
    let (exit, _, said) = balk(pile.path(), "1", &["triage", "--show", "a.jsonl:9:5"]);
    assert!(exit == 3 && said.contains("line 9"), "{said}");
}

/// A list in one line has all its runs there.
#[test]
fn each_of_several_runs_on_a_line_has_a_place_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = [run("fine", "resolved", 1), run("stuck", "failed", 7), run("worst", "failed", 12)];
    fs::write(folder.path().join("a.json"), format!("[{}]", runs.join(","))).expect("a file");
    let (_, text, _) = balk(folder.path(), "1", &["triage", "a.json"]);
    let places: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("  a.json:")).map(|it| it.1).collect();
    assert!(places[0].starts_with("1.3:3 ") && places[1].starts_with("1.2:3 "), "{text}");
    let shown = |place| balk(folder.path(), "1", &["triage", "--show", place]);
    assert!(shown("a.json:1:3").1.contains("Here is what I found."), "the first is short");
    assert!(shown("a.json:1.3:24").1.contains("Here is what I found."), "the third is the longest");
    assert!(!shown("a.json:1.2:3").1.contains("Here is what I found."));
    let (exit, _, said) = shown("a.json:1.4:3");
    assert!(exit == 3 && said.contains("line 1"), "{said}");
    let (exit, _, said) = shown("a.json:1.2:99");
    assert!(exit == 3 && said.contains("expected a message with the number 99, found none"), "{said}");
}

/// The syntax and the words are those of the gates of a bench.
#[test]
fn gates_fail_and_name_the_worst_place() {
    let pile = pile();
    let gated = |gate: &str| balk(pile.path(), "1", &["triage", "a.jsonl", "--fail-on", gate]);
    let exits =
        ["stuck_runs>0", "stuck_runs>2", "stuck_runs >= 2", "stuck_turns < 5/2"].map(|it| gated(it).0);
    assert_eq!(exits, [4, 0, 4, 0]);
    let (_, out, _) = gated("stuck_runs>0");
    let told =
        "failed: triage: stuck_runs 2; fails the gate stuck_runs > 0\n  see: balk triage --show a.jsonl:2:";
    assert!(out.contains(told) && out.ends_with("gate stuck_runs > 0: fails\n"), "{out}");
    let (exit, _, said) = gated("stuck_rnus>0");
    assert!(exit == 2 && said.contains("did you mean `stuck_runs`?"), "{said}");
    let (exit, _, said) = gated("stuck_runs");
    assert!(exit == 2 && said.contains("as in stuck_runs>0 or stuck_turns>20"), "{said}");
    // Where standard output is for programs, it has nothing else.
    let json = ["triage", "a.jsonl", "--fail-on", "stuck_runs>0", "--format", "json"];
    let (exit, out, said) = balk(pile.path(), "1", &json);
    let is_json = serde_json::from_str::<Value>(&out).is_ok();
    assert!(exit == 4 && is_json && said.contains("gate stuck_runs > 0: fails"), "{out}{said}");
}

#[test]
fn a_table_of_tools_is_written_and_never_replaced() {
    let pile = pile();
    let write = ["triage", "a.jsonl", "--write-tools", "tools.toml"];
    assert_eq!(balk(pile.path(), "1", &write).0, 0);
    let table = pile.path().join("tools.toml");
    let written = fs::read_to_string(&table).expect("a file");
    assert!(written.contains("\"read_file\" = \"read-only\" # a guess"), "{written}");
    assert_eq!(balk(pile.path(), "1", &["triage", "a.jsonl", "--tools", "tools.toml"]).0, 0);
    fs::write(&table, "corrected by hand").expect("it can be written");
    let (exit, out, said) = balk(pile.path(), "1", &write);
    assert_eq!((exit, &*out), (3, ""), "{said}");
    assert!(said.contains("tools.toml: the file already exists\n  hint: name another file"), "{said}");
    assert_eq!(fs::read_to_string(&table).expect("a file"), "corrected by hand");
}

/// A part whose job failed has no run, and no gate may hold because of that.
#[test]
fn an_empty_part_is_no_part() {
    let pile = pile();
    fs::write(pile.path().join("failed.json"), "").expect("a file");
    let (exit, part, said) = balk(pile.path(), "1", &["triage", "a.jsonl", "--format", "json"]);
    assert_eq!(exit, 0, "{said}");
    fs::write(pile.path().join("part.json"), part).expect("a file");
    let merge = ["triage", "--merge", "part.json", "failed.json", "--fail-on", "stuck_runs>100"];
    let (exit, _, said) = balk(pile.path(), "1", &merge);
    assert!(exit == 3 && said.contains("failed.json: ") && said.contains("found an empty file"), "{said}");
}

#[test]
fn where_no_run_is_there_is_an_error_and_no_table() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("b.jsonl"), "{").expect("a file");
    fs::write(folder.path().join("void"), "").expect("a file");
    for (input, expected) in [
        ("nothing", "nothing: cannot read: "),
        (".", "expected transcripts, found none"),
        ("b.jsonl", "expected transcripts, found none"),
        ("void", "expected transcripts, found none"),
    ] {
        let (exit, out, said) = balk(folder.path(), "1", &["triage", input]);
        assert!(exit == 3 && out.is_empty() && said.contains(expected), "{input}: {exit} {out}{said}");
    }
}

/// The parts have what one run would not keep: each its own worst runs.
#[test]
fn parts_are_merged_to_the_bytes_of_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = |arguments: &[&str]| balk(folder.path(), "1", &[&["triage"], arguments].concat());
    let mut parts = String::new();
    for part in 0..3 {
        let lines: Vec<String> = (0..6)
            .map(|nth| run(&format!("{part}-{nth}"), ["resolved", "failed"][nth % 2], 2 * nth))
            .collect();
        fs::write(folder.path().join(format!("{part}.jsonl")), lines.join("\n") + "\nno JSON\n")
            .expect("a file");
        parts += &call(&[&format!("{part}.jsonl"), "--format", "json"]).1;
    }
    fs::write(folder.path().join("parts"), parts).expect("a file");
    for format in ["json", "text"] {
        let (exit, whole, _) = call(&["0.jsonl", "1.jsonl", "2.jsonl", "--format", format]);
        assert_eq!(call(&["--merge", "parts", "--format", format]), (exit, whole, String::new()));
    }
    let (exit, page, _) = call(&["--merge", "parts", "--format", "html"]);
    assert!(exit == 0 && page.contains("12 of 18 recorded runs were stuck"), "{page}");
    assert_eq!(call(&["--merge", "parts", "--fail-on", "stuck_runs>11"]).0, 4);
    let (exit, out, said) = call(&["--merge", "0.jsonl"]);
    assert!(
        exit == 3 && out.is_empty() && said.contains("expected what `balk triage --format json` wrote"),
        "{said}"
    );
    assert_eq!(call(&["--merge", "parts", "--redact"]).0, 2);
}

/// Every number of a value but the sums, which are checked, at its greatest.
fn greatest(value: &mut Value) {
    match value {
        Value::Number(_) => *value = u64::MAX.into(),
        Value::Array(all) => all.iter_mut().for_each(greatest),
        Value::Object(all) => {
            all.iter_mut()
                .filter(|(name, _)| !name.starts_with("disturbed"))
                .for_each(|(_, it)| greatest(it));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[test]
fn a_forged_part_is_refused_with_its_line_or_merged() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = |arguments: &[&str]| balk(folder.path(), "1", &[&["triage"], arguments].concat());
    fs::write(folder.path().join("a.jsonl"), run("a", "resolved", 8)).expect("a file");
    let part = call(&["a.jsonl", "--format", "json"]).1;
    let mut forged: Value = serde_json::from_str(&part).expect("JSON");
    // More than there are, and fewer than are among the worst.
    for stuck in [99, 0] {
        forged["counts"]["stuck_runs"] = stuck.into();
        fs::write(folder.path().join("forged"), format!("{part}{forged}\n")).expect("a file");
        let (exit, out, said) = call(&["--merge", "forged"]);
        assert!(exit == 3 && out.is_empty() && said.contains("forged: line 2: expected what"), "{said}");
    }
    greatest(&mut forged);
    fs::write(folder.path().join("forged"), format!("{forged}\n{forged}\n")).expect("a file");
    for format in ["text", "json", "html"] {
        let (exit, out, said) = call(&["--merge", "forged", "--format", format]);
        // Files that were broken are among the counts.
        assert!(exit == 3 && out.contains("a.jsonl"), "{format}: {exit} {said}");
    }
    fs::write(folder.path().join("nothing"), "").expect("a file");
    let (exit, out, said) = call(&["--merge", "nothing"]);
    assert!(exit == 3 && out.is_empty() && said.starts_with("error: nothing: expected what"), "{said}");
}
