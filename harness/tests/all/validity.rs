//! `balk validity`: simulated detection beside recorded detection, and simulated recovery beside that of a live model.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::program::{balk, ran, whole};
use crate::common::server::{Request, Script, Server};

fn validity(more: &[&str]) -> std::process::Command {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let asked = ["validity", "good", "--labels", "labels/good.tsv", "--protocol", "tool"];
    balk(&folder, &[&asked[..], more].concat())
}

#[test]
fn both_sides_stand_side_by_side() {
    let arguments = ["--guard", "no-tools", "--guard", "default", "--guard", "cline", "--seeds", "0-99"];
    insta::assert_snapshot!("validity", whole(&mut validity(&arguments)));
}

/// Runs of a plan alone count for disturbance only, and runs of a slip for detection only.
#[test]
fn simulated_detection_is_that_of_the_slip() {
    let json = |suite: &str, guard: &str| {
        let arguments = ["--suite", suite, "--guard", guard, "--seeds", "0-49", "--format", "json"];
        let (code, out, err) = ran(&mut validity(&arguments));
        assert_eq!((code, &*err), (0, ""));
        serde_json::from_str::<serde_json::Value>(&out).expect("it is JSON")
    };
    let stretches = |it: &serde_json::Value| it["stacks"][0]["simulated_stretches"].clone();
    // No run of a plan alone is stuck, and every run of a slip is.
    let healthy = json("drawn/page-through", "naive-duplicate");
    assert_eq!(healthy["stacks"][0]["simulated"], "0.0000");
    assert!(stretches(&healthy)[1].as_u64() > Some(0), "{healthy}");
    let stuck = json("drawn/same-call", "naive-duplicate");
    assert_eq!(stretches(&stuck), serde_json::json!([0, 0]));
}

#[test]
fn halves_share_no_trajectory_and_make_the_whole() {
    let weight = |half: &str| {
        let arguments = ["--guard", "none", "--seeds", "0-0", "--half", half, "--format", "json"];
        let (code, out, err) = ran(&mut validity(&arguments));
        assert_eq!((code, &*err), (0, ""));
        let it: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
        it["weight"].as_u64().expect("a weight")
    };
    assert_eq!(weight("even") + weight("odd"), weight("all"));
}

#[test]
fn what_cannot_be_used_is_refused() {
    for (arguments, expected) in [
        (&["--guard", "nobody"][..], "expected a known guard, found `nobody`"),
        (&["--suite", "nowhere"], "expected a scenario's name or file, found `nowhere`"),
        (&["--seeds", "9-1"], "expected two seeds"),
    ] {
        let (code, _, err) = ran(&mut validity(arguments));
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}

/// A comparison with nothing says nothing.
#[test]
fn recordings_without_a_transcript_or_a_judged_point_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
    write("void.jsonl", "");
    write("bad.jsonl", "no JSON\n");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let good = |name: &str| tests.join(name).display().to_string();
    let (runs, judged, others) = (good("good"), good("labels/good.tsv"), good("labels/elsewhere.tsv"));
    for (log, labels, expected) in [
        ("void.jsonl", &judged, "error: expected transcripts, found none"),
        ("bad.jsonl", &judged, "error: expected transcripts, found none"),
        (&runs, &others, "expected a judged point of one of these transcripts, found none"),
    ] {
        let line = ["validity", log, "--labels", labels, "--seeds", "0-0", "--guard", "none"];
        let (code, out, err) = ran(&mut balk(folder.path(), &line));
        assert!(code == 3 && out.is_empty() && err.contains(expected), "{code}: {out}{err}");
    }
    // No message is stuck, so no kind is compared.
    let legit = std::fs::read_to_string(&judged).expect("labels").replace("\tstuck\t", "\tlegit\t");
    write("legit.tsv", &legit);
    let line = ["validity", &runs, "--labels", "legit.tsv", "--seeds", "0-0", "--guard", "none"];
    let (code, out, err) = ran(&mut balk(folder.path(), &line));
    assert!(code == 0 && out.contains("No stuck point was replayed, so no kind is compared."), "{out}{err}");
}

/// Worlds of a live record: stubborn ones with a goal in reach, one with a goal out of reach, and healthy work.
const WORLDS: &str = "text-only,transient-empty,abandonment,successful-no-op,missing-path,drawn/debug";

/// A model that announces, until a guard names a tool; in most tasks this helps it, and it does what it takes.
fn announces(_: usize, request: &Request) -> Script {
    if request.line.starts_with("GET") {
        return Script::json(200, r#"{"data": [{"id": "m"}]}"#);
    }
    let asked: Value = serde_json::from_str(&request.body).expect("a request");
    let messages = asked["messages"].as_array().expect("messages");
    let task = messages[1]["content"].as_str().expect("a task");
    let last = &messages[messages.len() - 1];
    let tools = asked["tools"].as_array().expect("tools");
    let calls = match last["role"].as_str() {
        Some("tool") => vec![call(tools, &["summary", "result", "message"], "It is done.")],
        _ if last["content"].to_string().contains("tool") && !task.len().is_multiple_of(4) => {
            let files = task.split_whitespace().map(|it| it.trim_end_matches(['.', ',', ';', '?', '`']));
            let files = files.filter(|it| it.contains('.'));
            let commands = task.split('`').skip(1).step_by(2);
            let write = files.map(|it| call(tools, &["path", "file_path", "filePath", "target_file"], it));
            write.chain(commands.map(|it| call(tools, &["command", "cmd"], it))).collect()
        }
        _ => Vec::new(),
    };
    let calls: Vec<Value> = calls.into_iter().flatten().collect();
    let text = format!("I would work on it now. ({})", messages.len());
    let message = if calls.is_empty() { json!({ "content": text }) } else { json!({ "tool_calls": calls }) };
    Script::json(200, &json!({ "choices": [{ "message": message }] }).to_string())
}

/// A call of the last tool that has an argument of one of these names, with this value. Other arguments are text.
fn call(tools: &[Value], names: &[&str], value: &str) -> Option<Value> {
    let properties = |tool: &Value| tool["function"]["parameters"]["properties"].as_object().cloned();
    let has =
        |tool: &&Value| properties(tool).is_some_and(|all| names.iter().any(|it| all.contains_key(*it)));
    let tool = tools.iter().filter(has).max_by_key(|it| properties(it).map_or(0, |all| all.len()))?;
    let fill = |(name, _): (String, Value)| {
        let text = if names.contains(&&*name) { value } else { "7 11 42 90 315 1248" };
        (name, Value::from(text))
    };
    let arguments: serde_json::Map<_, _> = properties(tool)?.into_iter().map(fill).collect();
    let function =
        json!({ "name": tool["function"]["name"], "arguments": Value::from(arguments).to_string() });
    Some(json!({ "id": "x", "function": function }))
}

/// The record of a live run with this model, in the folder `d`.
fn recorded(more: &[&str]) -> TempDir {
    let (server, folder) = (Server::new(announces), tempfile::tempdir().expect("a folder"));
    let url = server.url();
    let first =
        ["live", "--endpoint", &url, "--model", "m", "--suite", WORLDS, "--trials", "3", "--out", "d"];
    let (code, out, err) = ran(&mut balk(folder.path(), &[&first[..], more].concat()));
    assert_eq!(code, 0, "{out}{err}");
    folder
}

/// The stacks of the record, with reactions.
const REACTING: [&str; 7] = ["--react", "--samples", "1", "--guard", "default", "--guard", "cline"];

/// The comparison of the record in `d` as JSON.
fn compared(folder: &TempDir, more: &[&str]) -> Value {
    let asked = ["validity", "--live", "d", "--seeds", "0-29", "--format", "json"];
    let (code, out, err) = ran(&mut balk(folder.path(), &[&asked[..], more].concat()));
    assert_eq!((code, &*err), (0, ""), "{out}");
    serde_json::from_str(&out).expect("it is JSON")
}

#[test]
fn a_live_record_stands_beside_the_simulation() {
    let folder = recorded(&REACTING);
    let live = |more: &[&str]| {
        let asked = ["validity", "--live", "d", "--seeds", "0-29"];
        whole(&mut balk(folder.path(), &[&asked[..], more].concat()))
    };
    insta::assert_snapshot!("live", live(&[]));
    insta::assert_snapshot!("live_half", live(&["--half", "even", "--guard", "default"]));
    // Each half has its own worlds, and the other one's reactions.
    let halves = ["even", "odd"].map(|half| compared(&folder, &["--half", half]));
    let all = compared(&folder, &[]);
    for what in ["worlds", "stuck_runs", "stuck_runs_without_counterpart"] {
        let [even, odd, all] = [&halves[0], &halves[1], &all].map(|it| it[what].as_u64().expect("a count"));
        assert_eq!(even + odd, all, "{what}");
    }
    let from = |it: &Value| it["fitted_from"].as_str().expect("a text").to_owned();
    assert!(from(&all).contains("reactions.toml, from the worlds that are compared"), "{}", from(&all));
    for (half, other) in halves.iter().zip(["the odd half", "the even half"]) {
        assert!(from(half).starts_with(other), "{}", from(half));
    }
    let (code, _, err) = ran(&mut balk(folder.path(), &["validity", "--live", "d", "--guard", "duplicate"]));
    let expected = "--guard: expected a stack of the record: none, default, cline, found `duplicate`";
    assert!(code == 2 && err.contains(expected), "{code} {err}");
    // The same numbers from a named file, and none without reactions.
    std::fs::copy(folder.path().join("d/reactions.toml"), folder.path().join("f.toml")).expect("a copy");
    let named = compared(&folder, &["--set-from", "f.toml"]);
    assert_eq!((&named["fitted_from"], &named["stacks"]), (&json!("f.toml"), &all["stacks"]));
    std::fs::remove_file(folder.path().join("d/reactions.toml")).expect("it is there");
    let assumed = compared(&folder, &[]);
    assert_eq!((&assumed["fitted_from"], &assumed["fitted_is_near"]), (&Value::Null, &Value::Null));
    let default = &assumed["stacks"][1]["recovered"];
    assert_eq!(
        (&default["fitted"], &default["assumed"]),
        (&Value::Null, &all["stacks"][1]["recovered"]["assumed"])
    );
}

#[test]
fn what_is_no_live_record_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let bench =
        ["bench", "--suite", "text-only", "--trials", "1", "--guard", "default", "--out", "simulated"];
    let (code, _, err) = ran(&mut balk(folder.path(), &bench));
    assert_eq!(code, 0, "{err}");
    for (arguments, expected_code, expected) in [
        (&["--live", "nowhere"][..], 3, "expected the record of a bench, found "),
        (
            &["--live", "simulated"],
            3,
            "expected the record of a live run, found the record of a simulated one",
        ),
        (&["--live", "simulated", "a.jsonl"], 2, "cannot be used with"),
        (&["--live", "simulated", "--labels", "a.tsv"], 2, "cannot be used with"),
        (&["--live", "simulated", "--suite", "drawn"], 2, "cannot be used with"),
        (&["--live", "simulated", "--protocol", "tool"], 2, "cannot be used with"),
        (&["--labels", "a.tsv"], 2, "required"),
        (&["a.jsonl", "--labels", "a.tsv", "--set-from", "f.toml"], 2, "cannot be used with"),
    ] {
        let (code, _, err) = ran(&mut balk(folder.path(), &[&["validity"], arguments].concat()));
        assert_eq!(code, expected_code, "{err}");
        assert!(err.contains(expected), "{err}");
    }
}
