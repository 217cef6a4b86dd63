//! Gates of `balk bench`, and its output without gates.

use std::path::Path;
use std::process::Stdio;

use crate::common::program::{balk, ran, whole};

/// A plan with lapses, recoveries, a control, and an unreachable goal.
const MATRIX: [&str; 9] = [
    "bench",
    "--suite",
    "repeating,paging,capability-gap",
    "--guard",
    "duplicate",
    "--guard",
    "oracle",
    "--seeds",
    "0-31",
];

fn bench(work: &Path, more: &[&str]) -> (i32, String, String) {
    // The tests themselves may run on GitHub.
    ran(balk(work, &[&MATRIX, more].concat()).env_remove("GITHUB_ACTIONS"))
}

#[test]
fn without_gates_each_stack_has_a_line_for_what_went_wrong() {
    let work = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!(bench(work.path(), &[]).1);
}

#[test]
fn every_cell_that_fails_is_named_with_the_trial_to_look_at() {
    let work = tempfile::tempdir().expect("a folder");
    let gates =
        ["--fail-on", "recovery<0.99", "--fail-on", "@control: not_told>0", "--fail-on", "not_told>0"];
    let mut command = balk(work.path(), &[&MATRIX[..], &gates].concat());
    insta::assert_snapshot!(whole(command.env_remove("GITHUB_ACTIONS")));
}

#[test]
fn the_record_is_written_before_the_gates_are_judged() {
    let work = tempfile::tempdir().expect("a folder");
    let (code, _, err) = bench(work.path(), &["--out", "a", "--fail-on", "none: done<1"]);
    assert_eq!(code, 4, "{err}");
    assert!(work.path().join("a/bench.jsonl").exists());
}

#[test]
fn gates_that_no_cell_fails_end_well() {
    let work = tempfile::tempdir().expect("a folder");
    let check = |gates: &[&str], code: i32| {
        let (found, out, err) = bench(work.path(), gates);
        assert_eq!(found, code, "{gates:?}\n{out}{err}");
        out
    };
    check(&["--fail-on", "guard_faults>0", "--fail-on", "double_effects>0"], 0);
    // After 32 trials the rate is not certainly above 0.9, so the gate fails. It is not certainly below either, so it
    // is not refuted.
    check(&["--fail-on", "oracle@repeating: recovery<0.9"], 4);
    check(&["--fail-on", "oracle@repeating: recovery<0.9", "--gate", "refuted"], 0);
    // The oracle and the baseline are not under test.
    check(&["--fail-on", "@capability-gap: not_told>0", "--gate", "refuted"], 4);
    check(&["--fail-on", "none@repeating: lost>0"], 0);
    // In these runs there is nothing to tell the user.
    let (code, _, err) = bench(work.path(), &["--fail-on", "oracle@paging: told<1"]);
    assert_eq!(code, 0);
    let note = "note: the gate oracle@paging: told < 1 has no cell to judge; 1 cell has nothing to count";
    assert!(err.contains(note), "{err}");
    // Beside cells that are judged, it is said as well.
    let gate = ["--fail-on", "oracle: told<0.01", "--gate", "refuted"];
    let (code, out, err) = bench(work.path(), &gate);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("gate oracle: told < 0.01: 0 of 2 cells fail; 1 cell has nothing to count\n"),
        "{out}"
    );
}

/// A reader who stops after the first lines must not make a gate pass.
#[test]
fn a_gate_fails_whether_or_not_anybody_reads_why() {
    let work = tempfile::tempdir().expect("a folder");
    let arguments = [&MATRIX[..], &["--fail-on", "none: done<1"]].concat();
    let mut command = balk(work.path(), &arguments);
    let mut running = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    drop(running.stdout.take());
    assert_eq!(running.wait().expect("it ends").code(), Some(4));
}

#[test]
fn github_is_told_in_its_own_way_beside_the_text() {
    let work = tempfile::tempdir().expect("a folder");
    let arguments = [&MATRIX[..], &["--fail-on", "not_told>0"]].concat();
    let plain = ran(balk(work.path(), &arguments).env_remove("GITHUB_ACTIONS")).1;
    let (code, shown, aside) = ran(balk(work.path(), &arguments).env("GITHUB_ACTIONS", "true"));
    assert_eq!((code, &shown), (4, &plain));
    let told: Vec<&str> = aside.lines().filter(|line| line.starts_with("::error title=")).collect();
    assert_eq!(told.len(), plain.matches("failed: ").count());
    assert!(told.iter().all(|line| line.contains("%0Asee: balk scenario ")), "{told:?}");
}

#[test]
fn what_is_no_gate_is_refused_before_anything_is_run() {
    let work = tempfile::tempdir().expect("a folder");
    let refused = |gate: &str, says: &str| {
        let (code, out, err) = bench(work.path(), &["--out", "a", "--fail-on", gate]);
        assert!(code == 2 && out.is_empty() && err.contains(says), "{gate}: {code}\n{err}");
        assert!(!work.path().join("a").exists());
    };
    refused("recovry<0.9", "did you mean `recovery`?");
    refused("recovery", "expected METRIC OP NUMBER");
    refused("duplicat: done<1", "did you mean `duplicate`?");
    refused("@pagin: done<1", "did you mean `paging`?");
    refused("done_change<0", "see `balk compare`");
    refused("@control: recovery<1", "a control has nothing to recover");
}

/// A part without seeds has nothing to show that a gate holds, and one that goes on judges what others did.
#[test]
fn gates_judge_a_part_without_seeds_too() {
    let work = tempfile::tempdir().expect("a folder");
    let part = |nth: &str, more: &[&str]| {
        let bench = ["bench", "--suite", "repeating", "--guard", "default", "--seeds", "0-1", "--shard", nth];
        ran(balk(work.path(), &[&bench[..], more].concat()).env_remove("GITHUB_ACTIONS"))
    };
    let gate = ["--fail-on", "default: recovery<1"];
    let (code, out, err) = part("1/3", &gate);
    assert_eq!(code, 4, "{out}{err}");
    assert!(out.contains("default: recovery unknown, nothing to count; fails the gate"), "{out}");
    assert_eq!(part("1/3", &[&gate[..], &["--gate", "refuted"]].concat()).0, 0);
    let gate = [&gate[..], &["--out", "a"]].concat();
    assert_eq!(part("2/3", &gate).0, 4);
    assert_eq!(part("1/3", &[&gate[..], &["--resume"]].concat()).0, 4);
    assert_eq!(part("1/3", &["--out", "b"]).0, 0);
}
