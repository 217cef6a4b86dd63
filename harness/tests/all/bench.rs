//! The record of a bench: the same bytes with any number of parts and threads, and after any number of kills.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::files;
use crate::common::program::{balk, ran, whole};
use crate::sealed::resealed;
use balk_reports::records::{Meta, Work};
use tempfile::TempDir;

/// A small matrix with interventions, false interventions, languages and a broken attempt.
const MATRIX: [&str; 6] = [
    "bench",
    "--suite",
    "alternating,paging,text-only-chat,rate-limited",
    "--guard",
    "default",
    "--guard=no-tools{limit=2},duplicate=notice",
];

fn run(directory: &Path, more: &[&str]) -> (i32, String, String) {
    ran(&mut balk(directory, &[&MATRIX, more].concat()))
}

/// Runs the matrix and returns its record.
fn record(directory: &Path, out: &str, more: &[&str]) -> String {
    let (code, _, err) = run(directory, &[&["--out", out], more].concat());
    assert_eq!(code, 0, "{err}");
    fs::read_to_string(directory.join(out).join("bench.jsonl")).expect("a record")
}

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// Debug and release builds run this test and find the same file.
#[test]
fn a_record_is_the_same_bytes_in_every_build() {
    let digests = [(r#""(build|sum|seal)":"[0-9a-f]{16}""#, r#""$1":"…""#)];
    insta::with_settings!({ filters => digests }, {
        insta::assert_snapshot!(record(empty().path(), "a", &["--seeds", "3-6"]));
    });
}

#[test]
fn what_is_run_is_said_first() {
    let arguments = [&MATRIX, &["--seeds", "0-9", "--shard", "2/3"][..]].concat();
    insta::assert_snapshot!(whole(&mut balk(empty().path(), &arguments)));
}

#[test]
fn threads_do_not_matter() {
    let work = empty();
    let one = record(work.path(), "one", &["--jobs", "1"]);
    assert_eq!(one, record(work.path(), "two", &["--jobs", "2"]));
    assert_eq!(one, record(work.path(), "seven", &["--jobs", "7"]));
}

#[test]
fn parts_merged_in_any_order_are_the_whole() {
    let work = empty();
    let keep = ["--seeds", "0-40", "--keep-transcripts", "failing"];
    let whole = record(work.path(), "whole", &keep);
    let names: Vec<String> = (1..=7).map(|nth| format!("part{nth}")).collect();
    for (nth, name) in (1..).zip(&names) {
        record(work.path(), name, &[&keep[..], &["--shard", &format!("{nth}/7")]].concat());
    }
    for (out, order) in [("a", [0, 1, 2, 3, 4, 5, 6]), ("b", [6, 2, 0, 5, 1, 4, 3])] {
        let mut arguments = vec!["merge", "--out", out];
        arguments.extend(order.map(|at| &*names[at]));
        let (code, _, err) = ran(&mut balk(work.path(), &arguments));
        assert_eq!((code, &*err), (0, ""));
        assert_eq!(fs::read_to_string(work.path().join(out).join("bench.jsonl")).expect("a record"), whole);
        assert!(work.path().join("whole/transcripts").exists(), "some trials fail");
        assert_eq!(made(work.path(), out), made(work.path(), "whole"));
    }
}

/// A truncated part is refused before anything is written.
#[test]
fn kept_transcripts_are_replayed_and_have_to_be_whole() {
    let work = empty();
    record(work.path(), "a", &["--seeds", "60-69", "--keep-transcripts", "all"]);
    let names: Vec<_> =
        files(&work.path().join("a/transcripts/paging")).into_iter().map(|(path, _)| path).collect();
    assert!(names[0].ends_with("0-63.jsonl.zst") && names[1].ends_with("64-127.jsonl.zst"), "{names:?}");
    let (code, out, err) =
        ran(&mut balk(work.path(), &["replay", "a/transcripts/paging", "--format", "json"]));
    assert_eq!(code, 0, "{err}");
    let summary: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
    assert_eq!(summary["own_records"]["held"], 3 * 10, "{summary}");
    let whole = fs::read(&names[1]).expect("a file");
    fs::write(&names[1], &whole[..whole.len() - 1]).expect("a file");
    refused(work.path(), &["merge", "a", "--out", "b"], 3, "64-127.jsonl.zst: byte ");
    let again =
        [&MATRIX, &["--seeds", "60-69", "--keep-transcripts", "all", "--out", "a", "--resume"][..]].concat();
    refused(work.path(), &again, 3, "64-127.jsonl.zst: byte ");
}

/// Whenever the kill comes, before the first write or after the end, the resumed bench ends with the same bytes.
#[test]
fn a_run_that_was_killed_three_times_ends_in_the_same_bytes() {
    let work = empty();
    let seeds = ["--seeds", "0-299", "--keep-transcripts", "failing"];
    let whole = record(work.path(), "whole", &seeds);
    let path = work.path().join("killed/bench.jsonl");
    let arguments = [&MATRIX, &seeds[..], &["--out", "killed", "--resume"]].concat();
    fs::create_dir(work.path().join("killed")).expect("a folder");
    for kill in 0..3 {
        let before = fs::read(&path).ok();
        let mut running = balk(work.path(), &arguments).stderr(Stdio::null()).spawn().expect("it starts");
        // The first kill comes at once; the others after another write, or after the end of the run.
        while kill > 0 && fs::read(&path).ok() == before && running.try_wait().expect("a child").is_none() {
            std::thread::yield_now();
        }
        running.kill().expect("it can be killed");
        running.wait().expect("it ends");
        if let Ok(text) = fs::read_to_string(&path) {
            assert!(
                text.contains("\"cells\":12,\"kept\":[") && text.ends_with("\"}\n"),
                "whole at every time"
            );
        }
    }
    let (code, _, err) = ran(&mut balk(work.path(), &arguments));
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::read_to_string(&path).expect("a record"), whole);
    let kept = |out| made(work.path(), out).into_iter().filter(|(path, _)| path.starts_with("transcripts"));
    let zst = |(path, _): &(PathBuf, _)| path.extension().is_some_and(|it| it == "zst");
    assert!(kept("whole").count() > 4);
    assert!(kept("killed").filter(zst).eq(kept("whole")));
}

#[test]
fn a_run_that_is_done_is_done() {
    let work = empty();
    let first = record(work.path(), "a", &["--seeds", "0-9"]);
    assert_eq!(first, record(work.path(), "a", &["--seeds", "0-9", "--resume"]));
}

/// The description of how a record was made is beside it, and remains if nothing more is run.
#[test]
fn how_a_record_was_made_stands_beside_it() {
    let work = empty();
    let arguments = ["--seeds", "0-2", "--jobs", "1", "--set", "limits.turns=9"];
    record(work.path(), "a b", &arguments);
    let path = work.path().join("a b/meta.json");
    let written = fs::read_to_string(&path).expect("a file");
    let meta: Meta = serde_json::from_str(&written).expect("what is written can be read");
    let tail = "--guard default '--guard=no-tools{limit=2},duplicate=notice' --out 'a b' --seeds 0-2 --jobs 1 \
                --set limits.turns=9";
    assert!(meta.command.ends_with(tail), "{}", meta.command);
    assert_eq!((meta.units, meta.threads, &*meta.host.os), (4 * 3, 1, std::env::consts::OS));
    // Only optimised builds are measured: three stacks, three sizes, and every kind of work.
    assert_eq!(meta.timed.len(), if cfg!(debug_assertions) { 0 } else { 3 * 3 * Work::ALL.len() });
    record(work.path(), "a b", &[&arguments[..], &["--resume"]].concat());
    assert_eq!(fs::read_to_string(&path).expect("a file"), written);
}

/// The command is refused, and changes nothing.
#[track_caller]
fn refused(work: &Path, arguments: &[&str], code: i32, says: &str) {
    let before = files(work);
    let (found, out, err) = ran(&mut balk(work, arguments));
    assert!(found == code && out.is_empty() && err.contains(says), "{arguments:?}: {found}\n{err}");
    assert_eq!(files(work), before);
}

#[test]
fn a_folder_that_holds_something_is_left_alone() {
    let work = empty();
    fs::create_dir(work.path().join("mine")).expect("a folder");
    fs::write(work.path().join("mine/thesis.txt"), "all of it").expect("a file");
    record(work.path(), "a", &["--seeds", "0-1"]);
    let run = |more: &[&'static str]| [&MATRIX, &["--seeds", "0-1"][..], more].concat();
    refused(work.path(), &run(&["--out", "mine"]), 3, "expected an empty or new folder, found other files");
    refused(work.path(), &run(&["--out", "mine", "--resume"]), 3, "found other files");
    refused(work.path(), &run(&["--out", "a"]), 3, "with --resume");
    refused(work.path(), &run(&["--out", "new", "--resume"]), 2, "found no folder new");
    assert!(!work.path().join("new").exists());
    refused(work.path(), &["merge", "a", "--out", "mine"], 3, "found other files");
    refused(work.path(), &["merge", "a", "--out", "a"], 3, "with --resume");
    refused(work.path(), &run(&["--out", "mine/thesis.txt"]), 3, "mine/thesis.txt");
}

#[test]
fn records_of_other_plans_are_refused_by_name() {
    let work = empty();
    record(work.path(), "a", &["--seeds", "0-1"]);
    record(work.path(), "set", &["--seeds", "0-1", "--set", "limits.turns=9"]);
    let resume = [&MATRIX, &["--seeds", "0-2", "--out", "a", "--resume"][..]].concat();
    refused(
        work.path(),
        &resume,
        3,
        "expected the same plan as on the command line, with seeds.1 \"2\", found \"1\"",
    );
    refused(
        work.path(),
        &["merge", "a", "set", "--out", "b"],
        3,
        "set/bench.jsonl: expected the plan of a/bench.jsonl",
    );
    refused(work.path(), &["merge", "a", "a", "--out", "b"], 3, "found seed 0 of alternating twice");
    refused(
        work.path(),
        &["merge", "nothing", "--out", "b"],
        3,
        "nothing/bench.jsonl: expected the record of a bench",
    );
    let cut = fs::read_to_string(work.path().join("a/bench.jsonl")).expect("a record");
    fs::write(work.path().join("a/bench.jsonl"), &cut[..cut.len() / 2]).expect("a file");
    refused(work.path(), &["merge", "a", "--out", "b"], 3, "a/bench.jsonl: line ");
    fs::write(work.path().join("a/bench.jsonl"), cut).expect("a file");
    let record = work.path().join("a/bench.jsonl");
    resealed(&record, |line| line.replacen("\"schema\":3", "\"schema\":1", 1));
    refused(work.path(), &["merge", "a", "--out", "b"], 3, "read it with the version of Balk that wrote it");
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    let work = empty();
    let run = |more: &[&'static str]| [&["bench"], more].concat();
    refused(work.path(), &run(&["--suite", "alternatin"]), 2, "did you mean `alternating`?");
    refused(work.path(), &run(&["--suite", "paging,paging"]), 2, "scenarios with different names");
    refused(work.path(), &run(&["--guard", "duplicat"]), 2, "did you mean `duplicate`?");
    refused(work.path(), &run(&["--suite", "paging", "--set", "limits.turn=9"]), 2, "limits.turn");
    refused(work.path(), &run(&["--shard", "3/2"]), 2, "expected m/n");
    refused(work.path(), &run(&["--sweep", "limits.turns=9"]), 2, "expected KEY=A..B:STEP");
    refused(work.path(), &run(&["--keep-transcripts", "all"]), 2, "--out");
    refused(work.path(), &run(&["--trials", "0"]), 2, "--trials");
    refused(work.path(), &run(&["--jobs", "10000"]), 2, "--jobs");
}

/// Kept transcripts of two scenarios would be in one folder, and the later ones in place of the earlier ones.
#[test]
fn scenarios_whose_transcripts_would_share_a_folder_are_refused_where_some_are_kept() {
    let work = empty();
    assert_eq!(ran(&mut balk(work.path(), &["init", "drawn-same-call"])).0, 0);
    let bench =
        ["bench", "--suite", "drawn/same-call,drawn-same-call.toml", "--guard", "none", "--trials", "1"];
    let keep = [&bench[..], &["--out", "a", "--keep-transcripts", "all"]].concat();
    let says = "scenarios with folders of different names, found `drawn/same-call` and `drawn-same-call`";
    refused(work.path(), &keep, 2, says);
    assert!(!work.path().join("a").exists());
    let (code, _, err) = ran(&mut balk(work.path(), &[&bench[..], &["--out", "a"]].concat()));
    assert_eq!(code, 0, "{err}");
}

/// A sweep is one scenario for each value, with the same draws.
#[test]
fn a_sweep_moves_one_number() {
    let work = empty();
    let sweep = ["bench", "--suite", "repeating", "--guard", "oracle", "--seeds", "0-49", "--out", "a"];
    let (code, _, err) =
        ran(&mut balk(work.path(), &[&sweep[..], &["--sweep", "actor.stubbornness=0..1:1/2"]].concat()));
    assert_eq!(code, 0, "{err}");
    let text = fs::read_to_string(work.path().join("a/bench.jsonl")).expect("a record");
    let done: Vec<u64> = text
        .lines()
        .filter(|line| line.contains("\"scenario\"") && line.contains("\"stack\":\"oracle\""))
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).expect("JSON")["cell"]["counts"]["done"].as_u64()
        })
        .map(|done| done.expect("a count"))
        .collect();
    assert_eq!(done.len(), 3);
    assert!(done[0] > done[1] && done[1] > done[2], "{done:?}");
}

/// A disk with only a few free blocks, simulated by the file size limit of a shell.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_what_was_written_can_be_gone_on_with() {
    let work = empty();
    let run = "bench --suite paging,text-only-chat --guard default --seeds 0-69 --keep-transcripts all --out";
    let limited = |blocks: u32, out: &str| {
        let program = env!("CARGO_BIN_EXE_balk");
        let command = format!("ulimit -f {blocks}; exec {program} {run} {out}");
        let mut shell = std::process::Command::new("sh");
        ran(shell.current_dir(work.path()).args(["-c", &command]))
    };
    // No room for the record; then room for it, but not for transcripts.
    for (blocks, out, hint) in [(1, "none", "nothing is kept so far; start again"), (24, "some", "--resume")]
    {
        let (code, _, err) = limited(blocks, out);
        assert_eq!(code, 3, "{err}");
        assert!(err.contains("expected a writable file") && err.contains(hint), "{err}");
        let left = files(&work.path().join(out));
        assert_eq!(left.iter().any(|(path, _)| path.ends_with("bench.jsonl")), out == "some");
        assert!(left.iter().all(|(path, _)| path.extension().is_some_and(|it| it != "tmp")), "{left:?}");
    }
    let whole: Vec<&str> = run.split(' ').collect();
    for (out, more) in [("whole", &[][..]), ("none", &["--resume"]), ("some", &["--resume"])] {
        let (code, _, err) = ran(&mut balk(work.path(), &[&whole[..], &[out], more].concat()));
        assert_eq!(code, 0, "{err}");
    }
    for out in ["none", "some"] {
        assert_eq!(made(work.path(), out), made(work.path(), "whole"));
    }
}

/// The files of a bench, except the description of how they were made.
fn made(work: &Path, out: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = work.join(out);
    let relative =
        |(path, bytes): (PathBuf, _)| (path.strip_prefix(&folder).expect("below").to_owned(), bytes);
    files(&folder).into_iter().map(relative).filter(|(path, _)| !path.ends_with("meta.json")).collect()
}

/// More parts than seeds: parts without seeds say so, and can be merged like the others.
#[test]
fn a_part_without_seeds_is_a_part() {
    let work = empty();
    record(work.path(), "whole", &["--seeds", "0-2"]);
    for nth in 1..=5 {
        record(work.path(), &nth.to_string(), &["--seeds", "0-2", "--shard", &format!("{nth}/5")]);
    }
    let (code, _, err) = ran(&mut balk(work.path(), &["merge", "1", "2", "3", "4", "5", "--out", "sum"]));
    assert_eq!((code, &*err), (0, ""));
    assert_eq!(made(work.path(), "sum"), made(work.path(), "whole"));
}

/// A run that was killed while it wrote a file leaves an unfinished file beside it.
#[test]
fn what_a_killed_run_left_is_passed_over() {
    let work = empty();
    let keep = ["--seeds", "0-9", "--keep-transcripts", "all"];
    record(work.path(), "whole", &keep);
    fs::create_dir(work.path().join("a")).expect("a folder");
    fs::write(work.path().join("a/.balk-unfinished-a1b2c3"), "half").expect("a file");
    record(work.path(), "a", &[&keep[..], &["--resume"]].concat());
    fs::write(work.path().join("a/transcripts/paging/.balk-unfinished-d4e5f6"), "half").expect("a file");
    let (code, _, err) = ran(&mut balk(work.path(), &["merge", "a", "--out", "b"]));
    assert_eq!((code, &*err), (0, ""));
    assert_eq!(made(work.path(), "b"), made(work.path(), "whole"));
}
