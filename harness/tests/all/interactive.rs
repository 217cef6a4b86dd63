//! A trial that a person takes part in, at a terminal and without one (spec H3).

#![cfg(target_os = "linux")]

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::program::{balk, ran, whole};
use crate::common::terminal::terminal;
use balk_guards::{Entry, Termination};
use balk_reports::records::{EntryRecord, TrialRecord, transcript};
use serde_json::Value;
use tempfile::TempDir;

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// Runs the program at a terminal on which these keys are pressed.
fn pressed(command: &mut Command, keys: &str) -> String {
    let (person, program) = terminal(keys);
    let shown = whole(command.stdin(program));
    drop(person);
    shown
}

/// A scenario whose first call cannot succeed, with a person to answer.
fn scenario(folder: &Path, more: &[&str]) -> Command {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/no-such-input.toml");
    fs::copy(file, folder.join("it.toml")).expect("it is there");
    balk(folder, &[&["scenario", "it.toml", "--interactive", "--state-dir", "state"], more].concat())
}

/// The keys that end the input.
const CTRL_D: &str = "\u{4}";

#[test]
fn h3_retry_resumes_in_place_as_the_next_turn() {
    let folder = empty();
    let shown = pressed(&mut scenario(folder.path(), &[]), "1\n");
    assert_eq!(shown, pressed(&mut scenario(folder.path(), &[]), "RETRY\n"), "by number or by word");
    insta::assert_snapshot!("retry", shown);
    assert!(!folder.path().join("state").exists(), "nothing was to be reported");

    let mut json = scenario(folder.path(), &["--format", "json"]);
    let (person, program) = terminal("retry\n");
    let (code, out, err) = ran(json.stdin(program));
    drop(person);
    assert_eq!(code, 0);
    assert!(err.contains("Choose, by number or word"), "{err}");
    let record: TrialRecord = serde_json::from_str(&out).expect("the record is the whole output");
    let entries = transcript(&record.entries).expect("it reads back");
    let at = |wanted: fn(&Entry) -> bool| entries.iter().position(wanted).expect("it is there");
    let concluded = at(|it| matches!(it, Entry::Conclusion(_)));
    assert!(matches!(entries[concluded + 2], Entry::Answer(_)));
    assert!(matches!(entries[concluded + 3], Entry::Intervention(_)), "the constraint");
    assert!(matches!(entries[concluded + 4], Entry::Completion(_)), "the next turn");
    assert_eq!(entries.last(), Some(&Entry::End(Termination::Finished)));
}

#[test]
fn h3_report_writes_the_report_and_gives_the_link() {
    let folder = empty();
    let run = || {
        let shown =
            pressed(&mut scenario(folder.path(), &["--repository", "https://example.org/a"]), "report\n");
        let files: Vec<_> = fs::read_dir(folder.path().join("state/gaps")).expect("a folder").collect();
        assert_eq!(files.len(), 1, "the same run reports the same");
        shown
    };
    insta::assert_snapshot!("report", run());
    run();
}

#[test]
fn h3_a_report_outlives_every_output() {
    let folder = empty();
    let state = folder.path().join("state");
    let run = |more: &[&str]| {
        let run = ["scenario", "capability-gap", "--seed", "20", "--state-dir", "state"];
        balk(folder.path(), &[&run[..], more].concat())
    };
    let gone = || {
        let (reader, writer) = io::pipe().expect("there are pipes");
        drop(reader);
        Stdio::from(writer)
    };
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").expect("it opens"));
    let kept = || {
        let kept = fs::read_dir(state.join("gaps")).map(|it| it.count()).unwrap_or_default();
        fs::remove_dir_all(&state).expect("the folder was made");
        kept
    };
    let (code, shown, err) = ran(&mut run(&[]));
    assert_eq!((code, &*err, kept()), (0, "", 1));
    let (code, out, err) = ran(&mut run(&["--events", "/dev/full"]));
    assert_eq!((code, kept()), (3, 1));
    assert_eq!(out, shown, "a log that takes nothing hides nothing");
    assert!(err.contains("No space left on device"), "{err}");
    for (output, code) in [(gone(), 0), (full(), 1)] {
        assert_eq!(
            (run(&[]).stdout(output).stderr(Stdio::null()).status().expect("it ends").code(), kept()),
            (Some(code), 1)
        );
    }
    for (output, code) in [(gone(), 0), (full(), 1)] {
        let mut help = balk(folder.path(), &["--help"]);
        let ended = help.stdout(output).stderr(Stdio::null()).status().expect("it ends");
        assert_eq!(ended.code(), Some(code), "help is like other output");
    }
    let chat = |more: &[&str]| pressed(&mut scenario(folder.path(), more), "report\n");
    let with_log = chat(&["--events", "/dev/full"]);
    assert_eq!(kept(), 1);
    let stdout = |shown: &str| shown.split("--- std").nth(1).map(str::to_owned);
    assert_eq!(stdout(&with_log), stdout(&chat(&[])), "nor from a person");
    assert!(with_log.starts_with("exit code: 3\n"), "{with_log}");
    assert_eq!(kept(), 1);
    // A lost report is reported, even if nothing reads the output.
    fs::write(&state, "a file").expect("it can be written");
    assert_eq!(run(&[]).stdout(gone()).stderr(Stdio::null()).status().expect("it ends").code(), Some(3));
}

#[test]
fn h3_stop_ends_gracefully() {
    let folder = empty();
    insta::assert_snapshot!("stop", pressed(&mut scenario(folder.path(), &[]), "stop\n"));
    assert!(!folder.path().join("state").exists());
}

#[test]
fn what_answers_nothing_is_asked_again_and_not_for_ever() {
    let folder = empty();
    let lines = |shown: &str| -> String {
        let from = shown.find("The options are:").expect("the question was put");
        shown[from..].lines().take_while(|line| !line.starts_with("outcome")).collect::<Vec<_>>().join("\n")
    };
    let shown = pressed(&mut scenario(folder.path(), &[]), "4\n0\nstop\n");
    insta::assert_snapshot!("again", lines(&shown));
    let shown = pressed(&mut scenario(folder.path(), &[]), "\n-1\nleave me alone\n3\n");
    assert!(shown.starts_with("exit code: 4"));
    insta::assert_snapshot!("never", lines(&shown));
}

#[test]
fn h3_without_anybody_nothing_waits() {
    let folder = empty();
    let nobody = whole(&mut scenario(folder.path(), &[]));
    insta::assert_snapshot!("nobody", nobody);
    // A pipe that is never closed is not a terminal, whatever it contains.
    let mut open = scenario(folder.path(), &[])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = open.stdin.take().expect("a pipe");
    pipe.write_all(b"1\n").expect("it takes a line");
    assert_eq!(open.wait().expect("it ends").code(), Some(4));
    drop(pipe);
    // A person who leaves.
    let left = pressed(&mut scenario(folder.path(), &[]), CTRL_D);
    assert!(left.starts_with("exit code: 4"));
    assert!(left.contains("to report this gap (missing input: data/sales.csv):\nhttps://"), "{left}");
}

#[test]
fn h4_the_chat_does_not_show_the_end_as_it_was_and_the_log_does() {
    let folder = empty();
    let shown = pressed(&mut scenario(folder.path(), &["--events", "events.ndjson"]), "stop\n");
    assert!(!shown.contains("could not go on"), "{shown}");
    let log = fs::read_to_string(folder.path().join("events.ndjson")).expect("it was written");
    assert!(log.contains("\"event\":\"capability_gap\""));
    assert!(log.ends_with(
        "{\"entry\":\"end\",\"termination\":{\"fatal-execution\":\"error: no such file: data/sales.csv\"}}\n"
    ));
}

#[test]
fn h4_a_run_that_is_killed_leaves_whole_lines() {
    let folder = empty();
    let (_person, program) = terminal("");
    let mut waiting = scenario(folder.path(), &["--events", "events.ndjson"])
        .stdin(program)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let log = || fs::read_to_string(folder.path().join("events.ndjson")).unwrap_or_default();
    let asked = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(50));
        log().contains("\"kind\":\"question\"")
    });
    waiting.kill().expect("it waits for an answer");
    waiting.wait().expect("it ends");
    assert!(asked, "the log is written while the run goes on");
    let log = log();
    assert!(log.ends_with('\n') && log.contains("\"event\":\"capability_gap\""));
    assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
}

#[test]
fn a_person_instructs_in_words_of_his_own() {
    let folder = empty();
    let run = ["scenario", "text-only", "--interactive", "--guard", "no-tools{limit=1}", "--format", "json"];
    let (person, program) = terminal("instruct\n\n  Call the tool now.  \nstop\n");
    let (_, out, err) = ran(balk(folder.path(), &run).stdin(program));
    drop(person);
    assert!(err.contains("Write it on one line: That is not an answer.\nWrite it on one line: "), "{err}");
    let record: TrialRecord = serde_json::from_str(&out).expect("it is a record");
    let answer = record.entries.iter().find_map(|it| {
        let EntryRecord::Answer(answer) = it else { return None };
        Some(&*answer.text)
    });
    assert_eq!(answer, Some("Call the tool now."));
}

#[test]
fn a_trial_without_questions_is_shown_and_judged() {
    let folder = empty();
    let run = ["scenario", "short-answer", "--interactive", "--seed", "3"];
    insta::assert_snapshot!("no_question", whole(&mut balk(folder.path(), &run)));
    let many = ["scenario", "short-answer", "--interactive", "--seeds", "0-1"];
    insta::assert_snapshot!("many", whole(&mut balk(folder.path(), &many)));
}
