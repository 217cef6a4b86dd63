//! `balk live` against a server that plays a model.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Mutex, mpsc};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::program::{balk, ran, wait_for};
use crate::common::server::{Request, Script, Server};

/// Requests of the probe that the record asks for itself, before or after.
const PROBED: usize = 3;

/// What one completion takes, as the server counts it.
const TOKENS: [u64; 2] = [90, 10];

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// A completion that no other request gets: mostly an announcement, sometimes a call of the first tool.
pub(crate) fn fickle(at: usize, request: &Request) -> Script {
    let request: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let tool = &request["tools"][0]["function"]["name"];
    let message = if at % 4 == 3 {
        let function = json!({"name": tool, "arguments": json!({"n": at}).to_string()});
        json!({"content": null, "tool_calls": [{"id": format!("x{at}"), "type": "function", "function": function}]})
    } else {
        json!({"content": format!("I will write the file now. ({at})")})
    };
    let usage = json!({"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1]});
    Script::json(
        200,
        &json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}).to_string(),
    )
}

/// Runs on three worlds with two seeds each.
pub(crate) fn live(folder: &Path, server: &Server, more: &[&str]) -> (i32, String, String) {
    let url = server.url();
    let first = ["live", "--endpoint", &url, "--model", "m", "--trials", "2", "--suite"];
    let suite = ["text-only-chat,abandonment,repeating"];
    ran(&mut balk(folder, &[&first[..], &suite, more].concat()))
}

/// The requests for completions.
pub(crate) fn asked(server: &Server) -> Vec<String> {
    let all = server.requests().into_iter();
    all.filter(|it| it.line.starts_with("POST")).map(|it| it.body).collect()
}

/// Every file below a folder, with its path in it.
pub(crate) fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below").to_owned();
                found.push((name, fs::read(&path).expect("it is there")));
            }
        }
    }
    found.sort();
    found
}

/// The trials of a record, by world and seed: one for each stack, in order.
fn trials(record: &Path) -> Vec<Vec<Value>> {
    let packed = files(&record.join("transcripts"));
    let mut units: Vec<Vec<Value>> = Vec::new();
    for (_, bytes) in packed {
        let text =
            String::from_utf8(zstd::stream::decode_all(&bytes[..]).expect("it unpacks")).expect("UTF-8");
        for line in text.lines() {
            let trial: Value = serde_json::from_str(line).expect("JSON");
            if trial["guard"] == "none" {
                units.push(Vec::new());
            }
            units.last_mut().expect("the baseline is first").push(trial);
        }
    }
    units
}

/// Whether a stack speaks here, in a run or at its end.
fn is_intervention(entry: &Value) -> bool {
    entry["entry"] == "intervention" || entry["entry"] == "conclusion"
}

/// The cells of a record: scenario, stack, and what they took.
fn taken(record: &Path) -> Vec<(String, String, Value)> {
    let text = fs::read_to_string(record.join("bench.jsonl")).expect("a record");
    let cells = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let name = |it: &Value| it.as_str().expect("a name").to_owned();
    cells
        .filter(|it| it.get("cell").is_some())
        .map(|it| (name(&it["scenario"]), name(&it["stack"]), it["cell"]["live"].clone()))
        .collect()
}

#[test]
fn pairs_share_all_before_the_first_intervention_on_a_server_that_never_repeats_itself() {
    let (folder, server) = (folder(), Server::new(fickle));
    let stacks = ["--guard", "default", "--guard", "cline", "--guard", "duplicate", "--out", "r"];
    let (code, out, err) = live(folder.path(), &server, &stacks);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("the same request twice: different answers"), "{err}");
    assert!(out.contains("default"), "{out}");
    let record = folder.path().join("r");
    let units = trials(&record);
    assert_eq!(units.len(), 6);
    let mut diverged = 0;
    for unit in &units {
        let entries = |it: &Value| it["entries"].as_array().expect("entries").clone();
        let baseline = entries(&unit[0]);
        for trial in &unit[1..] {
            let own = entries(trial);
            let shared = own.iter().position(is_intervention).unwrap_or(own.len());
            assert_eq!(own[..shared], baseline[..shared], "{} {}", trial["scenario"], trial["guard"]);
            diverged += usize::from(shared < own.len() && own != baseline);
        }
    }
    assert!(diverged > 3, "{diverged} trials differ from the baseline");
    // Nothing was asked twice, but for the probe.
    let requests = asked(&server);
    assert_eq!(requests.iter().collect::<BTreeSet<_>>().len(), requests.len() - PROBED);
}

#[test]
fn a_stack_that_never_steps_in_takes_nothing() {
    let (folder, server) = (folder(), Server::new(fickle));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "duplicate", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    let record = folder.path().join("r");
    let cells = taken(&record);
    let mut fresh = 0;
    for unit in cells.chunks(2) {
        let [(_, none, baseline), (scenario, stack, guarded)] = unit else { panic!("two stacks") };
        assert_eq!((&**none, &**stack), ("none", "duplicate"));
        assert_eq!(guarded["fresh"], 0, "{scenario}");
        assert_eq!((&guarded["shared"], &guarded["shared_in"]), (&baseline["fresh"], &baseline["fresh_in"]));
        fresh += baseline["fresh"].as_u64().expect("a count");
    }
    assert_eq!(fresh, (asked(&server).len() - PROBED) as u64);
}

#[test]
fn a_record_is_played_again_without_the_model_byte_for_byte() {
    let (folder, server) = (folder(), Server::new(fickle));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    drop(server);
    let (code, _, err) =
        ran(&mut balk(folder.path(), &["live", "--offline", "r", "--out", "again", "--jobs", "3"]));
    assert_eq!(code, 0, "{err}");
    let [first, again] = ["r", "again"].map(|it| files(&folder.path().join(it)));
    let only_live =
        |name: &Path| ["meta.json", "completions.jsonl.zst"].iter().any(|it| name == Path::new(it));
    let first: Vec<_> = first.into_iter().filter(|(name, _)| !only_live(name)).collect();
    assert!(first.len() >= 4, "the counts and three worlds");
    assert_eq!(first, again);
    // One trial, as text.
    let show = ["live", "--offline", "r", "--show", "abandonment:1", "--guard", "default"];
    let (code, out, err) = ran(&mut balk(folder.path(), &show));
    assert!(code == 0 && out.contains("I will write the file now."), "{out}{err}");
}

#[test]
fn one_trial_is_shown_under_any_stack() {
    let (folder, server) = (folder(), Server::new(fickle));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    let show = |guard: &str| {
        let line = ["live", "--offline", "r", "--show", "abandonment:1", "--guard", guard];
        ran(&mut balk(folder.path(), &line))
    };
    for guard in ["none", "default"] {
        let (code, out, err) = show(guard);
        assert_eq!(code, 0, "{err}");
        let said = [&format!("abandonment · seed 1 · guard {guard}"), "by the world: ", "in doubt)"];
        assert!(said.iter().all(|it| out.contains(*it)), "{out}");
    }
    let (code, _, err) = show("oracle");
    assert!(code == 2 && err.contains("no script knows"), "{err}");
    let line = ["live", "--offline", "r", "--guard", "none"];
    let (code, _, err) = ran(&mut balk(folder.path(), &line));
    assert!(code == 2 && err.contains("a stack beside `none`, which is always measured"), "{err}");
}

/// A model prints one call again and again. Under a guard that makes printed calls, it repeats a call; else it talks.
#[test]
fn a_repaired_completion_counts_as_what_it_was_made_into() {
    let prints = |_: usize, request: &Request| {
        let request: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let call = json!({"name": request["tools"][0]["function"]["name"], "arguments": {"n": 1}});
        let message = json!({"content": call.to_string()});
        Script::json(200, &json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string())
    };
    let (folder, server) = (folder(), Server::new(prints));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "forge", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    for (guard, is_call) in [("forge", true), ("none", false)] {
        let line = ["live", "--offline", "r", "--show", "abandonment:0", "--guard", guard];
        let (code, out, err) = ran(&mut balk(folder.path(), &line));
        assert_eq!(code, 0, "{err}");
        assert_eq!(out.contains("by the world: stuck: identical call"), is_call, "{guard}: {out}");
    }
}

#[test]
fn another_guard_asks_for_completions_that_nobody_recorded() {
    let (folder, server) = (folder(), Server::new(fickle));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "duplicate", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = ran(&mut balk(folder.path(), &["live", "--offline", "r", "--guard", "default"]));
    assert_eq!(code, 4, "{err}");
    assert!(err.contains(" of 6 units are not measured; the first: "), "{err}");
    assert!(err.contains(": the record has no completion for turn "), "{err}");
}

#[test]
fn a_killed_run_goes_on_and_asks_for_nothing_twice() {
    const ANSWERED: usize = 9;
    let folder = folder();
    let first = Server::new(|at, request| {
        let script = fickle(at, request);
        // The first request asks for the models.
        if at <= ANSWERED { script } else { Script::raw("").hang() }
    });
    let url = first.url();
    let command = ["live", "--endpoint", &url, "--model", "m", "--trials", "2", "--suite"];
    let more = ["text-only-chat,abandonment,repeating", "--guard", "default", "--out", "r"];
    let mut running = balk(folder.path(), &[&command[..], &more].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    wait_for("a request without an answer", || asked(&first).len() > ANSWERED);
    running.kill().expect("it runs");
    running.wait().expect("it ends");
    let before = asked(&first);

    let second = Server::new(|at, request| fickle(at + 1_000, request));
    let (code, _, err) = live(folder.path(), &second, &["--guard", "default", "--out", "r", "--resume"]);
    assert_eq!(code, 0, "{err}");
    let after = asked(&second);
    // The second to the fourth request are the probe.
    let answered: Vec<&String> = before[..1].iter().chain(&before[1 + PROBED..ANSWERED]).collect();
    assert!(after.iter().all(|it| !answered.contains(&it)), "an answered request came again");
    let meta = fs::read_to_string(folder.path().join("r/meta.json")).expect("the runs are described");
    let meta: Value = serde_json::from_str(&meta).expect("JSON");
    let [killed, whole] = [0, 1].map(|run| &meta["live"][run]);
    assert_eq!([&killed["stopped"], &whole["stopped"]], ["it was killed", ""]);
    assert!(killed["repeats"].is_object() && whole["repeats"].is_null(), "the server was asked once: {meta}");
    assert_eq!(after.iter().collect::<BTreeSet<_>>().len(), after.len());
    let text = fs::read_to_string(folder.path().join("r/bench.jsonl")).expect("a record");
    assert!(text.contains("\n{\"done\":[\"0-1\",\"0-1\",\"0-1\"],\"cells\":6,\"seal\":\""), "{text}");
}

/// The user presses Ctrl-C while the first world is played.
#[cfg(unix)]
#[test]
fn after_ctrl_c_nothing_more_is_asked_for_and_resume_goes_on() {
    use rustix::process::{Pid, Signal, kill_process};

    const ANSWERED: usize = 6;
    let folder = folder();
    let (go, pressed) = mpsc::channel::<()>();
    let pressed = Mutex::new(pressed);
    let server = Server::new(move |at, request| {
        // The first request asks for the models.
        if at == ANSWERED + 1 {
            pressed.lock().expect("one waits").recv().expect("the test goes on");
        }
        fickle(at, request)
    });
    let url = server.url();
    let command = ["live", "--endpoint", &url, "--model", "m", "--trials", "1", "--suite"];
    let command =
        [&command[..], &["text-only-chat,abandonment,repeating", "--guard", "default", "--out", "r"]];
    let mut running = balk(folder.path(), &command.concat());
    let mut running =
        running.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for("a request that waits", || asked(&server).len() > ANSWERED);
    kill_process(Pid::from_child(&running), Signal::INT).expect("it runs");
    // What it waits for is said before the answer comes.
    let mut said = BufReader::new(running.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let waits = "interrupted: waiting for the requests under way, at most 600 s; Ctrl-C again ends at once";
    let mut err: Vec<String> = said.by_ref().take_while(|line| line != waits).collect();
    go.send(()).expect("the server waits");
    err.extend(said);
    let err = err.join("\n");
    let ended = running.wait_with_output().expect("it ends");
    assert!(ended.status.code() == Some(130) && err.contains("--resume"), "{err}");
    // The signal may come a moment after the answer.
    let before = asked(&server);
    assert!(before.len() <= ANSWERED + 3, "{} requests", before.len());

    let (code, _, err) = ran(&mut balk(folder.path(), &[&command.concat()[..], &["--resume"]].concat()));
    assert_eq!(code, 0, "{err}");
    let all = asked(&server);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len() + PROBED - 1, all.len(), "a request came twice");
    let text = fs::read_to_string(folder.path().join("r/bench.jsonl")).expect("a record");
    assert!(text.contains("\n{\"done\":[\"0\",\"0\",\"0\"],\"cells\":6,\"seal\":\""), "{text}");
}

#[test]
fn a_budget_of_tokens_is_never_exceeded_and_a_greater_one_goes_on() {
    let (folder, server) = (folder(), Server::new(fickle));
    let budget = ["--guard", "default", "--max-tokens", "10", "--budget-tokens", "9000", "--out", "r"];
    let (code, _, err) = live(folder.path(), &server, &budget);
    assert!(code == 0 && err.contains("one more completion might exceed --budget-tokens"), "{code} {err}");
    let taken = asked(&server).len() as u64 * TOKENS.iter().sum::<u64>();
    assert!(taken <= 9_000 && taken > 0, "{taken}");
    let more = ["--guard", "default", "--max-tokens", "10", "--out", "r", "--resume"];
    let (code, _, err) = live(folder.path(), &server, &more);
    assert_eq!(code, 0, "{err}");
    let text = fs::read_to_string(folder.path().join("r/bench.jsonl")).expect("a record");
    assert!(text.contains("\n{\"done\":[\"0-1\",\"0-1\",\"0-1\"],\"cells\":6,\"seal\":\""), "{text}");
}

/// How many completions each trial of a record has.
fn turns(record: &Path) -> Vec<usize> {
    let is_completion = |it: &&Value| it["entry"] == "completion";
    let count =
        |trial: &Value| trial["entries"].as_array().expect("entries").iter().filter(is_completion).count();
    trials(record).iter().flatten().map(count).collect()
}

#[test]
fn max_turns_bounds_every_trial_also_when_it_is_played_again() {
    let (folder, server) = (folder(), Server::new(fickle));
    let command = ["--guard", "default", "--max-turns", "3", "--out", "r"];
    let (code, _, err) = live(folder.path(), &server, &command);
    assert_eq!(code, 0, "{err}");
    assert_eq!(turns(&folder.path().join("r")).into_iter().max(), Some(3));
    let (code, _, err) = ran(&mut balk(folder.path(), &["live", "--offline", "r", "--out", "again"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(turns(&folder.path().join("again")), turns(&folder.path().join("r")));
    let (_, report, _) = ran(&mut balk(folder.path(), &["report", "again"]));
    assert!(report.contains("`max_turns=3`"), "{report}");
}

#[test]
fn an_endpoint_that_answers_no_more_is_given_up() {
    let refused = || Script::with(404, "content-type: text/html", "<p>No.</p>");
    let server =
        Server::new(move |at, request| if at < 2 + PROBED { fickle(at, request) } else { refused() });
    let folder = folder();
    let (code, out, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r"]);
    assert!(code == 1 && out.is_empty(), "{out} {err}");
    assert!(err.contains("3 of 6 units are not measured; the first: ") && err.contains("404"), "{err}");
    assert!(err.contains("no unit ended, so there is no table"), "{err}");
}

#[test]
fn a_first_request_that_is_refused_ends_the_run_before_anything_is_written() {
    let models = || Script::json(200, r#"{"data":[{"id":"other","owned_by":"lab"}]}"#);
    let server = Server::new(move |_, request| match request.line.starts_with("GET") {
        true => models(),
        false => Script::json(404, r#"{"error":{"message":"no such model"}}"#),
    });
    let folder = folder();
    let (code, _, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r"]);
    let expected =
        "--endpoint: expected an answer to the first request, found the provider refused with status 404";
    assert!(
        code == 2 && err.contains(expected) && err.contains("the server lists these models: other (lab)"),
        "{err}"
    );
    assert_eq!(asked(&server).len(), 1);
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_server_that_is_not_there_is_said_at_once() {
    let (folder, server) = (folder(), Server::new(fickle));
    let url = server.url();
    drop(server);
    let (code, _, err) = ran(&mut balk(folder.path(), &["live", "--endpoint", &url, "--model", "m"]));
    assert!(
        code == 2 && err.contains("--endpoint: expected a server, found the connection failed"),
        "{code} {err}"
    );
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_resumed_run_with_fewer_worlds_says_what_it_leaves_out() {
    let (folder, server) = (folder(), Server::new(fickle));
    let (code, _, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r"]);
    assert_eq!(code, 0, "{err}");
    let url = server.url();
    let line = ["live", "--endpoint", &url, "--model", "m", "--guard", "default", "--out", "r", "--resume"];
    let fewer = ["--suite", "repeating,text-only-chat", "--trials", "1"];
    let (code, _, err) = ran(&mut balk(folder.path(), &[&line[..], &fewer].concat()));
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("trials of text-only-chat (1), abandonment (2), repeating (1)"), "{err}");
    let before = asked(&server).len();
    let (code, _, err) = live(folder.path(), &server, &["--guard", "default", "--out", "r", "--resume"]);
    assert!(code == 0 && !err.contains("left out"), "{err}");
    assert_eq!(asked(&server).len(), before, "all completions are still there");
}

#[test]
fn what_is_told_the_truth_of_scripts_cannot_be_measured() {
    let (folder, server) = (folder(), Server::new(fickle));
    for (more, expected) in [
        (&["--guard", "oracle"][..], "--guard: expected a stack that is told nothing"),
        (&["--guard", "default", "--suite", "drawn/same-call"], "slips, which are for scripted actors"),
    ] {
        let url = server.url();
        let line = [&["live", "--endpoint", &url, "--model", "m"], more].concat();
        let (code, _, err) = ran(&mut balk(folder.path(), &line));
        assert!(code == 2 && err.contains(expected), "{code} {err}");
    }
    assert!(asked(&server).is_empty() && files(folder.path()).is_empty());
}
