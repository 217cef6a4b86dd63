//! `balk label`, with a reader who is played: what a line of standard input says.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use balk::replay::labels::{self, Label, Point, Weight};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::program::{balk, ran, wait_for};
use crate::readers::point;

/// A run that reads a file so often in vain, and then other files.
fn run(id: &str, outcome: &str, in_vain: usize, more: usize) -> String {
    let mut messages = vec![json!({"role": "user", "content": "Find the plan."})];
    let mut call = |path: &str, result: &str| {
        let id = format!("c{}", messages.len());
        let arguments = json!({"path": path}).to_string();
        let function = json!({"name": "read_file", "arguments": arguments});
        messages.push(json!({"role": "assistant", "tool_calls": [{"id": id, "function": function}]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
    };
    for _ in 0..in_vain {
        call("plan.txt", "no such file");
    }
    for at in 0..more {
        call(&format!("notes-{at}.txt"), &format!("note {at} of many"));
    }
    messages.push(json!({"role": "assistant", "content": "Here is what I found."}));
    json!({"id": id, "model": "secret-model-9", "outcome": outcome, "messages": messages}).to_string()
}

/// A folder with two files of runs: stuck ones and quiet ones, resolved and not.
fn logs() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("logs")).expect("a folder");
    let write = |name: &str, runs: &[String]| {
        fs::write(folder.path().join("logs").join(name), runs.join("\n")).expect("a file");
    };
    let stuck =
        |at: usize| run(&format!("stuck-{at}"), if at == 0 { "resolved" } else { "failed" }, 4 + at, 12);
    let quiet =
        |at: usize| run(&format!("quiet-{at}"), if at == 0 { "failed" } else { "resolved" }, 0, 6 + at);
    write("secret-a.jsonl", &[0, 1, 2].map(stuck));
    write("secret-b.jsonl", &[0, 1, 2].map(quiet));
    folder
}

const PLACES: usize = 12;

/// Runs `balk label` with these lines typed: exit code, what was shown, what was said beside it.
fn label(folder: &Path, threads: &str, more: &[&str], typed: &str) -> (i32, String, String) {
    let arguments =
        [&["label", "logs", "--places", "12", "--out", "ann.tsv", "--reader", "ann"], more].concat();
    let mut command = balk(folder, &arguments);
    let command = command.env("RAYON_NUM_THREADS", threads);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that refuses its arguments reads nothing.
    let _ = child.stdin.take().expect("it is piped").write_all(typed.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code().expect("it is not killed"), text(output.stdout), text(output.stderr))
}

fn points(folder: &Path) -> Vec<Point> {
    labels::read(&folder.join("ann.tsv")).expect("a file of labels")
}

#[test]
fn a_reader_judges_all_places_and_a_replay_reads_the_file() {
    let folder = logs();
    let (code, shown, said) = label(folder.path(), "2", &[], &"l\n".repeat(PLACES));
    assert_eq!(code, 0, "{said}");
    assert_eq!(shown.matches("══ place ").count(), PLACES, "{shown}");
    assert!(said.contains("12 of 12 places are judged: 0 stuck, 12 legit, 0 unsure"), "{said}");
    assert!(said.contains("replay logs --labels ann.tsv"), "{said}");

    let points = points(folder.path());
    let control = |control: bool| points.iter().filter(move |it| it.control == control);
    // Each of the three stuck runs has one stretch, so these are all firings, and the weight of each is 1.
    assert_eq!(control(false).map(|it| it.weight).collect::<Vec<_>>(), [Weight(1_000); 3]);
    let healthy = control(true).filter(|it| it.trajectory.starts_with("quiet")).count();
    assert!(healthy > 0 && healthy < control(true).count(), "decoys of quiet runs, and of others");

    let arguments = ["replay", "logs", "--labels", "ann.tsv", "--guard", "default", "--format", "json"];
    let output = balk(folder.path(), &arguments).output().expect("the program starts");
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let judged: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|it: &Value| it["type"] == "judged-point")
        .collect();
    assert_eq!(judged.len(), PLACES, "{lines}");
    for it in judged {
        let is_hit = it["found"] == "hit";
        assert_eq!(is_hit, it["control"] == false, "firings are hit, and decoys are not: {it}");
    }
}

#[test]
fn each_place_can_be_shown_again() {
    let folder = logs();
    label(folder.path(), "1", &[], "l\n");
    let place = points(folder.path())[0].place.clone().expect("it has a place");
    let output = balk(folder.path(), &["triage", "--show", &place]).output().expect("the program starts");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(shown.contains(">>>"), "{place}: {shown}");
}

/// A list in one line has all its runs there.
#[test]
fn each_place_names_its_run_among_those_of_one_line() {
    let folder = logs();
    let runs: Vec<String> = (0..6).map(|at| run(&format!("{at}"), "failed", 4 + at, 12)).collect();
    fs::remove_dir_all(folder.path().join("logs")).expect("it is there");
    fs::write(folder.path().join("logs"), format!("[{}]", runs.join(", "))).expect("a file");
    let (code, _, said) = label(folder.path(), "2", &[], &"l\n".repeat(PLACES));
    assert_eq!(code, 0, "{said}");
    for Point { trajectory, message, place, .. } in points(folder.path()) {
        let nth = if &*trajectory == "0" {
            String::new()
        } else {
            format!(".{}", 1 + trajectory.parse::<u64>().expect("a number"))
        };
        assert_eq!(place, Some(format!("logs:1{nth}:{message}").into()));
    }
    // A file from before places had the number goes on.
    let file = folder.path().join("ann.tsv");
    let kept = fs::read_to_string(&file).expect("a file");
    let before = (2..=6).fold(kept.clone(), |text, nth| text.replace(&format!("logs:1.{nth}:"), "logs:1:"));
    assert_ne!(before, kept);
    fs::write(&file, before).expect("it can be written");
    assert_eq!(label(folder.path(), "2", &[], "b\nl\n").0, 0);
}

#[test]
fn a_sample_depends_on_the_seed_and_on_nothing_else() {
    let drawn = |threads: &str, more: &[&str], rename: bool| {
        let folder = logs();
        let at = |name: &str| folder.path().join("logs").join(name);
        if rename {
            fs::rename(at("secret-a.jsonl"), at("z.jsonl")).expect("it is there");
        }
        let (_, shown, said) = label(folder.path(), threads, more, &"u\n".repeat(PLACES));
        let ids = points(folder.path()).into_iter().map(|it| (it.trajectory, it.message, it.weight));
        assert_eq!(shown.matches("══ place ").count(), PLACES, "{said}");
        (shown, ids.collect::<Vec<_>>())
    };
    let first = drawn("1", &[], false);
    assert_eq!(first, drawn("4", &[], false), "on other threads");
    assert_eq!(first, drawn("2", &[], true), "in another order of files");
    assert_ne!(first.1, drawn("2", &["--seed", "7"], false).1, "with another seed");
}

#[test]
fn nothing_shown_says_why_a_place_was_drawn() {
    let folder = logs();
    let (_, shown, said) = label(folder.path(), "2", &[], &"s\n".repeat(PLACES));
    // The words of the run are shown, so they are none of these.
    for word in [
        "secret",
        "model-9",
        "resolved",
        "quiet",
        "stuck-",
        "default",
        "duplicate",
        "progress",
        "same-call",
        "repeat",
        "control",
        "decoy",
        "weight",
    ] {
        assert!(!shown.contains(word), "`{word}`: {shown}");
    }
    assert!(!said.contains("duplicate") && !said.contains("secret"), "{said}");
    assert!(
        shown.contains("no such file") && shown.contains("note 3 of many") && shown.contains(">>>"),
        "{shown}"
    );
    // Firings come among decoys.
    let controls: Vec<bool> = points(folder.path()).iter().map(|it| it.control).collect();
    assert!(controls.windows(2).filter(|pair| pair[0] != pair[1]).count() > 1, "{controls:?}");
}

#[test]
fn a_reader_goes_on_where_they_stopped() {
    let whole = logs();
    let all = ["s3 #cycle @1 two queries", "l", "u1", "s", "l", "l", "l", "s", "u", "l", "l", "l"]
        .map(|it| format!("{it}\n"));
    assert_eq!(label(whole.path(), "2", &[], &all.concat()).0, 0);

    let folder = logs();
    let (code, _, said) = label(folder.path(), "2", &[], &format!("{}{}q\n", all[0], all[1]));
    assert!(code == 0 && said.contains("2 of 12 places are judged"), "{said}");
    assert!(said.contains("the same command goes on: ") && said.contains("label logs --places 12"), "{said}");
    // The input ends without a word.
    let (code, shown, said) = label(folder.path(), "1", &[], &all[2]);
    assert!(code == 0 && said.contains("3 of 12 places are judged"), "{said}");
    assert!(shown.contains("══ place 3 of 12, 2 judged") && !shown.contains("══ place 2 of 12"), "{shown}");
    // The reader goes back to the third, changes their mind twice, and goes on with the fourth.
    let (_, shown, _) = label(folder.path(), "4", &[], &format!("b\ns wrong\nb\n{}q\n", all[2]));
    assert_eq!(shown.matches("══ place 3 of 12").count(), 2, "{shown}");
    assert!(
        shown.contains("── judged so far: unsure") && shown.contains("── judged so far: stuck"),
        "{shown}"
    );
    assert_eq!(label(folder.path(), "2", &[], &all[3..].concat()).0, 0);
    let file = |folder: &TempDir| fs::read_to_string(folder.path().join("ann.tsv")).expect("a file");
    assert_eq!(file(&folder), file(&whole), "the same bytes as without a stop");
    // All is judged, so nothing is asked any more.
    let (code, shown, said) = label(folder.path(), "2", &[], "");
    assert!(code == 0 && shown.is_empty() && said.contains("12 of 12"), "{shown}{said}");
}

#[test]
fn a_program_that_is_killed_has_kept_what_was_judged() {
    let folder = logs();
    let arguments = ["label", "logs", "--places", "12", "--out", "ann.tsv", "--reader", "ann"];
    let mut child = balk(folder.path(), &arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut typed = child.stdin.take().expect("it is piped");
    typed.write_all(b"s\nl\n").expect("it reads");
    let file = folder.path().join("ann.tsv");
    wait_for("the second judgement", || labels::read(&file).is_ok_and(|it| it.len() == 2));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    drop(typed);
    let (_, shown, _) = label(folder.path(), "2", &[], "q\n");
    assert!(shown.contains("══ place 3 of 12, 2 judged"), "{shown}");
    assert_eq!(
        points(folder.path()).iter().map(|it| it.label).collect::<Vec<_>>(),
        [Label::Stuck, Label::Legit]
    );
}

#[test]
fn a_file_that_something_else_wrote_meanwhile_is_left_as_it_is() {
    let folder = logs();
    let arguments = ["label", "logs", "--places", "12", "--out", "ann.tsv", "--reader", "ann"];
    let mut child = balk(folder.path(), &arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut typed = child.stdin.take().expect("it is piped");
    typed.write_all(b"s\n").expect("it reads");
    wait_for("the judgement", || labels::read(&folder.path().join("ann.tsv")).is_ok_and(|it| it.len() == 1));
    // Another session goes on in the same file.
    label(folder.path(), "2", &[], "l\nl\nq\n");
    typed.write_all(b"s\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("it was changed meanwhile, and this judgement is not kept"), "{said}");
    assert_eq!(points(folder.path()).len(), 3);
}

#[test]
fn another_sample_in_the_same_file_is_refused() {
    let folder = logs();
    let begin = |more: &[&str]| label(folder.path(), "2", more, "l\n");
    assert_eq!(begin(&[]).0, 0);
    let kept = fs::read(folder.path().join("ann.tsv")).expect("a file");
    let refused = |more: &[&str], expected: &str| {
        let (code, shown, said) = begin(more);
        assert!(
            code == 3 && shown.is_empty() && said.contains(expected) && said.contains("hint: "),
            "{said}"
        );
        assert!(said.contains("ann.tsv: line 1: "), "{said}");
    };
    refused(&["--seed", "7"], "expected seed 7, found seed 1024");
    refused(&["--protocol", "tool"], "another version of Balk, or with other settings");
    let other = |from: &str, to: &str| {
        let file = folder.path().join("ann.tsv");
        let text = String::from_utf8(kept.clone()).expect("UTF-8").replacen(from, to, 1);
        fs::write(file, text).expect("it can be written");
    };
    other(r#""reader":"ann""#, r#""reader":"ben""#);
    refused(&[], "expected reader ann, found reader ben");
    other(r#""places":12"#, r#""places":13"#);
    refused(&[], "expected places 12, found places 13");
    other(r#""version":1"#, r#""version":2"#);
    refused(&[], "expected version 1 of the plan, found 2");
    fs::write(folder.path().join("ann.tsv"), &kept).expect("it can be written");
    let log = folder.path().join("logs/secret-b.jsonl");
    let text = fs::read_to_string(&log).expect("it is there");
    fs::write(&log, text.replace("note 3", "Note 3")).expect("it can be written");
    refused(&[], "expected log logs/secret-b.jsonl with the digest");
    fs::remove_file(&log).expect("it is there");
    refused(&[], "expected number of log files 1, found number of log files 2");
    assert_eq!(fs::read(folder.path().join("ann.tsv")).expect("a file"), kept, "nothing was changed");

    // A file of somebody else, and one with a line that is not of the sample.
    let folder = logs();
    fs::write(folder.path().join("ann.tsv"), "notes\n").expect("it can be written");
    let (code, _, said) = label(folder.path(), "2", &[], "l\n");
    assert!(
        code == 3 && said.contains("expected a file that `balk label` began, found another one"),
        "{said}"
    );
    fs::remove_file(folder.path().join("ann.tsv")).expect("it is there");
    label(folder.path(), "2", &[], "l\n");
    let text = fs::read_to_string(folder.path().join("ann.tsv")).expect("a file");
    fs::write(folder.path().join("ann.tsv"), text.replace("stuck-", "other-").replace("quiet-", "other-"))
        .expect("a file");
    let (code, _, said) = label(folder.path(), "2", &[], "l\n");
    assert!(
        code == 3 && said.contains("ann.tsv: line 3: expected a place of the sample, found message"),
        "{said}"
    );
}

#[test]
fn how_a_place_was_drawn_and_where_it_is_are_no_matter_of_the_file() {
    let folder = logs();
    label(folder.path(), "2", &[], "l\nl\n");
    let file = folder.path().join("ann.tsv");
    let kept = fs::read_to_string(&file).expect("a file");
    let go_on = |change: fn(&mut Point)| {
        let (plan, mut points) =
            (kept.lines().next().expect("a plan"), labels::parse(&kept).expect("points"));
        change(&mut points[1]);
        fs::write(&file, format!("{plan}\n{}", labels::text(&points))).expect("it can be written");
        let (code, _, said) = label(folder.path(), "2", &[], "l\n");
        (code, said)
    };
    for change in [|it: &mut Point| it.weight.0 += 1, |it: &mut Point| it.control = !it.control] {
        let (code, said) = go_on(change);
        assert!(code == 3 && said.contains("ann.tsv: line 4: expected control "), "{said}");
        assert!(said.contains(", as the place was drawn, found control "), "{said}");
    }
    assert_eq!(go_on(|it| it.place = Some("elsewhere:1:2".into())).0, 0);
    assert_eq!(points(folder.path())[..2], labels::parse(&kept).expect("points"));
}

#[test]
fn the_file_may_lie_among_the_logs_and_is_tried_before_they_are_read() {
    let folder = logs();
    fs::write(folder.path().join("typed"), "l\n").expect("a file");
    let label = |out: &str| {
        let typed = fs::File::open(folder.path().join("typed")).expect("a file");
        let arguments = ["label", "logs", "--places", "12", "--out", out, "--reader", "ann"];
        ran(balk(folder.path(), &arguments).stdin(typed))
    };
    for judged in [1, 2] {
        let (code, _, said) = label("logs/ann.log");
        assert_eq!(code, 0, "{said}");
        let points = labels::read(&folder.path().join("logs/ann.log"));
        assert_eq!(points.expect("a file of labels").len(), judged);
    }
    // Nothing can be made there, not even by root.
    #[cfg(target_os = "linux")]
    {
        let (code, shown, said) = label("/proc/ann.tsv");
        assert!(code == 3 && shown.is_empty(), "{shown}{said}");
        assert!(
            said.starts_with("error: /proc/ann.tsv: expected a file that can be written, found"),
            "{said}"
        );
    }
}

#[test]
fn what_cannot_be_judged_says_what_to_do() {
    let folder = logs();
    let (code, _, said) = label(folder.path(), "2", &[], "");
    assert!(
        code == 2 && said.contains("standard input: expected a judgement a line") && said.contains("hint"),
        "{said}"
    );
    assert!(!folder.path().join("ann.tsv").exists(), "nothing was judged");
    // What is no answer is asked again.
    let (code, shown, _) = label(folder.path(), "2", &[], "stuk\n?\nl\nq\n");
    assert!(code == 0 && shown.contains("expected s, l, u, b, q or ?, found `stuk`"), "{shown}");
    assert!(shown.contains("Would stepping in now"), "the guide: {shown}");
    assert_eq!(points(folder.path()).len(), 1);

    let (code, _, said) = label(folder.path(), "2", &["--places", "3"], "l\n");
    assert!(code == 2, "--places twice: {said}");
    let fails = |arguments: &[&str], expected: &str| {
        let more = ["--out", "b.tsv", "--reader", "ann"];
        let output = balk(folder.path(), &[arguments, &more].concat()).output().expect("the program starts");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(said.contains(expected), "{said}");
        output.status.code()
    };
    assert_eq!(fails(&["label", "logs", "--places", "3"], "--places: expected at least"), Some(2));
    assert_eq!(fails(&["label", "-"], "standard input: expected the reader's judgements"), Some(2));
    fs::create_dir(folder.path().join("empty")).expect("a folder");
    assert_eq!(fails(&["label", "empty"], "empty: expected files with transcripts"), Some(3));
    assert_eq!(fails(&["label", "nothing"], "nothing: cannot read"), Some(3));
    let nameless = run("", "failed", 4, 2);
    fs::write(folder.path().join("nameless.jsonl"), nameless).expect("a file");
    assert_eq!(fails(&["label", "nameless.jsonl"], "left out (runs without an id): 1"), Some(3));
    assert_eq!(fails(&["label", "nameless.jsonl"], "expected runs with an id"), Some(3));
}

#[test]
fn two_readers_are_compared() {
    let folder = logs();
    label(folder.path(), "2", &[], &format!("{}s the same\nq\n", "l\n".repeat(8)));
    fs::rename(folder.path().join("ann.tsv"), folder.path().join("first.tsv")).expect("it is there");
    label(folder.path(), "2", &[], &format!("l\nu why not\n{}s\nl\n", "l\n".repeat(6)));
    let agreement = |more: &[&str]| {
        let arguments = [&["label", "--agreement", "first.tsv", "ann.tsv"], more].concat();
        let output = balk(folder.path(), &arguments).output().expect("the program starts");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    insta::assert_snapshot!("agreement", agreement(&[]));
    let json: Value = serde_json::from_str(&agreement(&["--format", "json"])).expect("JSON");
    assert_eq!((&json["same"]["count"], &json["same"]["of"]), (&json!(8), &json!(9)));
    // One legit and one unsure: 8 of 9, and by chance (8·7 + 1·1) / 81.
    assert_eq!(json["kappa"]["kappa"].as_f64().expect("a number"), 0.625);
    assert_eq!(json["apart"][0]["labels"], json!(["legit", "unsure"]));
    assert_eq!(json["apart"][0]["reasons"], json!(["-", "why not"]));
    assert!(json["apart"][0]["place"].as_str().expect("a place").starts_with("logs/secret-"), "{json}");
    assert_eq!(json["alone"], json!([[], [json["alone"][1][0]]]), "one place has the second reader alone");

    fs::write(folder.path().join("other.tsv"), labels::text(&[point(("x", 1), Label::Legit)]))
        .expect("a file");
    let output =
        balk(folder.path(), &["label", "--agreement", "ann.tsv", "other.tsv"]).output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        output.status.code() == Some(3) && said.contains("other.tsv: expected places that ann.tsv judges"),
        "{said}"
    );
}
