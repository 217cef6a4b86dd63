//! Inputs without an end, and files that are none: every command that reads one says its bound, or what it is.

use std::fs;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::common::program::{balk, ran};

const LOG: &str = r#"{"messages": [{"role": "user", "content": "Go on."}]}"#;

#[track_caller]
fn refused(work: &Path, arguments: &[&str], code: i32, says: &str) {
    let (found, out, err) = ran(&mut balk(work, arguments));
    assert!(found == code && out.is_empty() && err.contains(says), "{arguments:?}: {found}\n{out}{err}");
}

#[test]
fn a_file_without_an_end_is_refused_by_every_command_that_reads_one_whole() {
    let work = tempfile::tempdir().expect("a folder");
    fs::write(work.path().join("log.jsonl"), LOG).expect("a file");
    // A device is no profile.
    let zeros = fs::File::create(work.path().join("zeros.toml")).expect("a file");
    zeros.set_len(1 << 40).expect("a file with nothing in it");
    for arguments in [
        &["check", "/dev/zero"][..],
        &["migrate", "/dev/zero"],
        &["scenario", "/dev/zero"],
        &["scenario", "paging", "--config", "/dev/zero"],
        &["scenario", "paging", "--set-from", "/dev/zero"],
        &["bench", "--suite", "/dev/zero", "--trials", "1"],
        &["replay", "log.jsonl", "--tools", "/dev/zero"],
        &["replay", "log.jsonl", "--labels", "/dev/zero"],
        &["explain", "retry", "/dev/zero"],
        &["explain", "gap", "/dev/zero"],
        &["serve", "paging", "--agent", "zeros.toml"],
        &["crash", "--agent", "zeros.toml", "--out", "out"],
    ] {
        refused(work.path(), arguments, 3, "of at most 32 MiB, found a longer one");
    }
    refused(work.path(), &["triage", "--merge", "/dev/zero"], 3, "16 MiB");
}

#[test]
fn numbers_that_no_machine_has_room_for_are_refused() {
    let work = tempfile::tempdir().expect("a folder");
    for command in ["bench", "hunt"] {
        refused(work.path(), &[command, "--trials", "99999999999"], 2, "99999999999 is not in 1..=");
    }
}

/// A record of a real model, without what is beside it.
fn copied(folder: &Path) {
    let reference =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/reference/live/smollm2/bench.jsonl");
    fs::create_dir(folder).expect("a folder");
    fs::copy(reference, folder.join("bench.jsonl")).expect("a copy");
}

/// No program writes to these pipes, so reading one would never end.
#[test]
fn a_pipe_in_place_of_a_file_that_is_looked_for_is_refused() {
    let work = tempfile::tempdir().expect("a folder");
    let pipe = |name: &str| {
        let path = work.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
    };
    pipe("run/bench.jsonl");
    pipe("crashed/runs.json");
    for command in ["report", "verify"] {
        refused(work.path(), &[command, "run"], 3, "no regular file");
    }
    refused(work.path(), &["report", "crashed"], 3, "crashed: ");
    refused(work.path(), &["verify", "crashed"], 3, "crashed/bench.jsonl: ");
    refused(work.path(), &["bench", "--out", "run", "--resume", "--trials", "1"], 3, "no regular file");
    for (name, command) in [
        ("judge.tsv", &["report", "live"][..]),
        ("meta.json", &["report", "live"]),
        ("instructions.json", &["report", "live"]),
        ("reactions.json", &["report", "live"]),
        ("reactions.toml", &["validity", "--live", "live"]),
        ("completions.jsonl.zst", &["live", "--offline", "live"]),
    ] {
        copied(&work.path().join("live"));
        pipe(&format!("live/{name}"));
        refused(work.path(), command, 3, &format!("live/{name}: cannot read: it is no regular file"));
        fs::remove_dir_all(work.path().join("live")).expect("a folder");
    }
    pipe("balk.toml");
    refused(work.path(), &["scenario", "paging"], 3, "balk.toml: expected a file with settings of guards");
}
