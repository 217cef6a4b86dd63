//! `exec:` on the command line: in every command that takes stacks.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;

use super::{asked, hello, mirror, quoted, says, sh};
use crate::common::program::{balk, ran};
use crate::common::server::Server;
use crate::proxy::client::{answers, post};

/// The example with this guard, as a stack.
fn mirrored(guard: &str) -> String {
    format!("exec:{} {guard}", quoted(&mirror().display().to_string()))
}

/// The output of a command that ends well.
#[track_caller]
fn fine(folder: &Path, arguments: &[&str], threads: &str) -> String {
    let (code, out, err) = ran(balk(folder, arguments).env("RAYON_NUM_THREADS", threads));
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    out
}

#[test]
fn many_trials_give_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = format!("{},{}", mirrored("duplicate"), mirrored("no-tools"));
    let many = ["scenario", "repeating", "--seeds", "0-29", "--guard", &spec, "--format", "json"];
    let on = |threads| fine(folder.path(), &many, threads);
    let counts = on("1");
    assert_eq!(counts, on("3"));
    let here =
        ["scenario", "repeating", "--seeds", "0-29", "--guard", "duplicate,no-tools", "--format", "json"];
    let counts_of = |json: &str| {
        let line = |it| serde_json::from_str::<serde_json::Value>(it).expect("it is JSON");
        json.lines().map(|it| line(it)["counts"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(counts_of(&counts), counts_of(&fine(folder.path(), &here, "2")), "as in this process");

    let bench = |out: &str, threads: &str| {
        let arguments = ["bench", "--suite", "repeating,text-only", "--guard", &spec, "--trials", "12"];
        fine(
            folder.path(),
            &[&arguments[..], &["--keep-transcripts", "all", "--out", out]].concat(),
            threads,
        );
        let kept = folder.path().join(out).join("transcripts/repeating/0-63.jsonl.zst");
        let record = fs::read(folder.path().join(out).join("bench.jsonl")).expect("a record");
        (record, fs::read(kept).expect("transcripts"))
    };
    assert!(bench("one", "1") == bench("three", "3"), "the same bytes");

    // The stack decides in a replay as it did in the trials.
    let replayed = fine(folder.path(), &["replay", "one/transcripts", "--guard", &spec], "2");
    assert!(!replayed.contains("differ"), "{replayed}");
}

/// Parts that two programs made are no whole.
#[test]
fn a_script_that_was_changed_between_two_parts_is_noticed() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |more: &str| {
        let pass = says(r#"{"review":{"verdict":"pass"}}"#);
        fs::write(folder.path().join("g.sh"), asked(&pass) + more).expect("it can be written");
    };
    let spec = "exec:sh g.sh";
    let bench = ["bench", "--suite", "repeating", "--trials", "4", "--guard", spec];
    let refused = |arguments: &[&str], expected: &str| {
        let (code, out, err) = ran(&mut balk(folder.path(), arguments));
        assert!(code == 3 && err.contains(expected), "{code}: {out}{err}");
    };
    write("");
    fine(folder.path(), &[&bench[..], &["--shard", "1/2", "--out", "1"]].concat(), "1");
    write("\n# changed");
    fine(folder.path(), &[&bench[..], &["--shard", "2/2", "--out", "2"]].concat(), "1");
    let changed =
        "the command of a guard names g.sh, which was changed: measure all of it again, or restore it";
    refused(&["merge", "1", "2", "--out", "sum"], changed);
    refused(&[&bench[..], &["--out", "1", "--resume"]].concat(), changed);
    refused(
        &["verify", "1", "--guard", spec],
        "the command of a guard names g.sh, which was changed since then",
    );
    fine(folder.path(), &["verify", "2", "--guard", spec], "1");
}

/// A log of a guard is another one after each part.
#[test]
fn what_a_guard_writes_is_no_part_of_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let pass = says(r#"{"review":{"verdict":"pass"}}"#);
    let logs = asked(&format!(r#"echo asked >> "$2"; {pass}"#));
    fs::write(folder.path().join("g.sh"), logs).expect("it can be written");
    let spec = "exec:sh g.sh --log g.log";
    let bench = ["bench", "--suite", "repeating", "--trials", "4", "--guard", spec];
    let part = |nth: &str, out: &str| {
        let (code, out, err) =
            ran(&mut balk(folder.path(), &[&bench[..], &["--shard", nth, "--out", out]].concat()));
        assert_eq!(code, 0, "{out}{err}");
        (fs::read(folder.path().join("g.log")).expect("it was asked"), err)
    };
    let (first, second) = (part("1/2", "1"), part("2/2", "2"));
    assert!(first.0 != second.0, "the log grows");
    fine(folder.path(), &["merge", "1", "2", "--out", "sum"], "1");
    fine(folder.path(), &[&bench[..], &["--out", "1", "--resume"]].concat(), "1");
    fine(folder.path(), &["verify", "sum", "--guard", spec], "1");
    let read = |out: &str| fs::read(folder.path().join(out).join("bench.jsonl")).expect("a record");
    assert!(read("sum") == read("1"), "the same bytes");
    assert!(second.1.contains("\nfiles that may not change: g.sh\n"), "{}", second.1);
}

/// A record or a scenario is read, and its writer cannot have a command run.
#[test]
fn a_command_in_a_file_is_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let pass = says(r#"{"review":{"verdict":"pass"}}"#);
    let spec = format!("exec:{}", sh(&format!(": > started; {}", asked(&pass))));
    let record = fine(folder.path(), &["scenario", "repeating", "--guard", &spec, "--format", "json"], "1");
    fs::write(folder.path().join("record.jsonl"), record).expect("it can be written");
    let started = folder.path().join("started");
    fs::remove_file(&started).expect("it was started");
    let (code, out, err) = ran(&mut balk(folder.path(), &["replay", "record.jsonl"]));
    assert_eq!(code, 3, "{out}{err}");
    let said = format!("{out}{err}");
    assert!(said.contains("is a command in a file; to run it, name the same stack with --guard"), "{said}");
    assert!(!started.exists(), "it was not run");
    fine(folder.path(), &["replay", "record.jsonl", "--guard", &spec], "1");
    assert!(started.exists());

    let bench = ["bench", "--suite", "repeating", "--trials", "2", "--guard", &spec, "--out", "bench"];
    fine(folder.path(), &bench, "1");
    fs::remove_file(&started).expect("it was started");
    let said = fine(folder.path(), &["verify", "bench"], "1");
    assert!(
        said.contains("no trial was played again: a record may not start the command of `exec:"),
        "{said}"
    );
    assert!(!started.exists(), "it was not run");
    fine(folder.path(), &["verify", "bench", "--guard", &spec], "1");
    fs::remove_file(&started).expect("it was started");

    let scenario = include_str!("../../scenarios/no-such-input.toml");
    let calls = r#"calls = [{ tool = "shell", arguments = { command = ": > started" } }]"#;
    let read = r#"calls = [{ tool = "read", arguments = { path = "data/sales.csv" } }]"#;
    fs::write(folder.path().join("calls.toml"), scenario.replace(read, calls)).expect("it can be written");
    let played = fine(folder.path(), &["scenario", "calls.toml", "--seed", "7"], "1");
    assert!(played.contains(": > started"), "{played}");
    for key in ["guard", "exec", "command", "phraser"] {
        let asks = scenario.replace("format = 2", &format!("format = 2\n{key} = {spec:?}"));
        fs::write(folder.path().join("asks.toml"), asks).expect("it can be written");
        let (code, out, err) = ran(&mut balk(folder.path(), &["scenario", "asks.toml", "--seed", "7"]));
        assert!(code == 3 && err.contains(key), "{code}: {out}{err}");
    }
    assert!(!started.exists(), "it was not run");
}

#[test]
fn verify_finds_guards_that_answer_by_chance_or_remember_an_earlier_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let verify = |spec: &str| {
        let arguments = ["verify", "text-only", "--seeds", "0-3", "--guard", spec];
        ran(balk(folder.path(), &arguments).env("RAYON_NUM_THREADS", "2"))
    };
    let pass = r#"echo '{"review":{"verdict":"pass"}}'"#;
    let retry = r#"echo '{"review":{"verdict":{"retry":{"rule":"r","text":"Again."}}}}'"#;
    let chance = "$(($(od -An -N1 -tu1 /dev/urandom) % 2))";
    let by =
        |test: &str| format!("exec:{}", sh(&asked(&format!("if [ {test} ]; then {pass}; else {retry}; fi"))));
    let by_chance = by(&format!("{chance} = 0"));
    let remembers = {
        let loop_ = format!(
            "{}; n=0; while read -r l; do case $l in '{{\"review\"'*) n=$((n + 1)); if [ $n -lt 9 ]; then {pass}; else \
             {retry}; fi;; esac; done",
            hello("\"review\"")
        );
        format!("exec:{}", sh(&loop_))
    };
    for spec in [&by_chance, &remembers] {
        let (code, out, err) = verify(spec);
        assert_eq!(code, 7, "{out}{err}");
        assert!(out.contains("text-only: not deterministic at entry "), "{out}");
        assert!(
            out.contains("must follow from the entries of its run alone: from no clock and no chance, and"),
            "{out}"
        );
        assert!(out.contains(&format!(" --guard {} --format json\n", quoted(spec))), "{out}");
    }
    let (code, out, err) = verify(&mirrored("no-tools"));
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(out.starts_with("text-only: 4 trials, the same bytes twice; "), "{out}");
}

#[test]
fn a_stack_may_have_guards_of_both_kinds_and_each_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let scenario = |spec: &str| {
        ran(&mut balk(folder.path(), &["scenario", "repeating", "--seed", "3", "--guard", spec]))
    };
    let shown = |out: &str| {
        let (_, after) = out.split_once("\ndrawn: ").expect("the head has the world");
        after.split("\nrun again: ").next().unwrap_or_default().to_owned()
    };
    let mixed = format!("default,{}", mirrored("pass"));
    let (code, out, err) = scenario(&mixed);
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(out.contains(&format!("--guard {}", quoted(&mixed))), "{out}");
    assert_eq!(shown(&out), shown(&scenario("default").1));

    let (code, _, err) = scenario(&format!("default,{}", mirrored("duplicate")));
    assert_eq!(code, 2);
    assert!(
        err.starts_with("error: --guard: expected each guard of a stack once, found `duplicate` twice in "),
        "{err}"
    );
    let (code, _, err) = ran(&mut balk(folder.path(), &["audit", "--guard", &mirrored("duplicate")]));
    assert_eq!(code, 2);
    assert!(err.contains("expected guards that declare their rungs, which no command does"), "{err}");
    let through = format!("proxy={}", mirrored("duplicate"));
    let (code, _, err) = ran(&mut balk(folder.path(), &["crash", "--cmd", "true", "--through", &through]));
    assert_eq!(code, 2);
    assert!(err.contains("expected a stack without commands, whose processes would be taken for"), "{err}");
}

#[test]
fn limits_come_from_the_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("limits.toml"), "[exec]\nanswer-ms = 200\n").expect("it can be written");
    let spec = format!("exec:{}", sh(&asked("sleep 1000")));
    let arguments = ["scenario", "repeating", "--guard", &spec, "--config", "limits.toml"];
    let (code, out, _) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!(code, 6);
    assert!(out.contains("found no line within 200 ms"), "{out}");
    fs::write(folder.path().join("bad.toml"), "[exec]\nanswer = 200\n").expect("it can be written");
    let arguments = ["verify", "repeating", "--seeds", "0-0", "--guard", &spec, "--config", "bad.toml"];
    let (code, _, err) = ran(&mut balk(folder.path(), &arguments));
    assert!(code == 3 && err.contains("bad.toml") && err.contains("answer"), "{code}: {err}");
}

/// Wherever a stack can be named.
#[test]
fn every_command_takes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = mirrored("duplicate");
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good/demo.jsonl");
    fine(folder.path(), &["replay", demo, "--guard", &spec], "2");
    fine(
        folder.path(),
        &["hunt", "--guard", &spec, "--for", "missed", "--trials", "20", "--out", "finds"],
        "2",
    );
    let shrink = ["shrink", "repeating", "--seed", "3", "--guard", &spec, "--shows", "guard-fault"];
    let (code, out, err) = ran(&mut balk(folder.path(), &shrink));
    assert!(code == 4 || code == 2, "it shows no fault, so nothing is shrunk: {code} {out}{err}");
    let good = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good");
    let labels = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/labels/good.tsv");
    let simulated = ["--suite", "drawn/same-call", "--seeds", "0-9", "--guard", &spec];
    fine(
        folder.path(),
        &[&["validity", good, "--labels", labels, "--protocol", "tool"], &simulated[..]].concat(),
        "2",
    );
    let server = Server::new(|_, _| answers("I will write it now.", &[]));
    let url = server.url();
    let live = ["live", "--endpoint", &url, "--model", "m", "--trials", "1", "--suite", "text-only-chat"];
    fine(folder.path(), &[&live[..], &["--guard", &spec, "--out", "live"]].concat(), "2");

    let arguments = ["proxy", "--upstream", &url, "--guard", &spec, "--until-input-ends"];
    let mut command = balk(folder.path(), &arguments);
    let mut proxy = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut shown = String::new();
    let output = proxy.stdout.take().expect("it is piped");
    BufReader::new(output).read_line(&mut shown).expect("it prints where it listens");
    let answer = post(&format!("{}/v1/chat/completions", shown.trim()), TO_WRITE);
    drop(proxy.stdin.take());
    assert!(format!("{answer:?}").contains("I will write it now."), "{answer:?}");
    assert!(proxy.wait().expect("it ends").success());
}

/// A request of an agent.
const TO_WRITE: &str = r#"{"model":"m","messages":[{"role":"user","content":"Write notes.txt."}],
    "tools":[{"type":"function","function":{"name":"write","parameters":{"type":"object"}}}]}"#;
