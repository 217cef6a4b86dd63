//! Folders that a stranger made: links and names in a record lead nowhere, and what cannot be read is said.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use balk_reports::records::seal::Sealing;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::value::RawValue;
use tempfile::TempDir;

use crate::common::program::{balk, ran};

const BENCH: [&str; 9] =
    ["bench", "--suite", "paging", "--guard", "default", "--seeds", "0-9", "--keep-transcripts", "all"];

fn empty() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[track_caller]
fn does(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    out + &err
}

/// The first half of a bench, so that there is something to go on with.
fn begun(work: &Path) {
    does(work, &[&BENCH, &["--out", "a", "--shard", "1/2"][..]].concat());
    does(work, &[&BENCH, &["--out", "b", "--shard", "2/2"][..]].concat());
}

#[test]
fn what_is_written_to_a_record_goes_nowhere_else() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    begun(work.path());
    fs::create_dir(at("outside")).expect("a folder");
    for part in ["meta.json", "bench.jsonl"] {
        let of_mine = at("outside").join(part);
        fs::copy(at("a").join(part), &of_mine).expect("a copy");
        fs::remove_file(at("a").join(part)).expect("it is there");
        symlink(format!("../outside/{part}"), at("a").join(part)).expect("a link");
        let before = fs::read(&of_mine).expect("a file");
        does(work.path(), &[&BENCH, &["--out", "a", "--shard", "1/2", "--resume"][..]].concat());
        assert_eq!(fs::read(&of_mine).expect("a file"), before, "{part}");
    }
    for part in ["transcripts", "transcripts/paging"] {
        fs::rename(at("a").join(part), at("aside")).expect("a folder");
        symlink(at("outside"), at("a").join(part)).expect("a link");
        for command in [["verify", "a"], ["merge", "a"]] {
            let (code, _, err) = ran(
                balk(work.path(), &command).args(["--out", "c"].iter().filter(|_| command[0] == "merge"))
            );
            assert!(
                code == 3 && err.contains("expected a part of the record, found a symbolic link"),
                "{err}"
            );
        }
        fs::remove_file(at("a").join(part)).expect("a link");
        fs::rename(at("aside"), at("a").join(part)).expect("a folder");
    }
}

/// A record that was sealed by somebody who means it names a pipe and a file as its scenario.
#[test]
fn a_record_names_no_file_that_is_read() {
    let work = empty();
    begun(work.path());
    let pipe = work.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
    fs::write(work.path().join("secret"), "machine a password b\n").expect("a file");
    let record = work.path().join("a/bench.jsonl");
    let text = fs::read_to_string(&record).expect("a record");
    for name in ["pipe", "secret"] {
        let path = work.path().join(name);
        let name = path.to_str().expect("a plain path");
        let lines = text.lines().map(|line| {
            let plain = format!("{}}}", line.rsplit_once(",\"s").expect("a checksum").0);
            RawValue::from_string(plain.replace("\"paging\"", &format!("\"{name}\""))).expect("JSON")
        });
        let lines: Vec<_> = lines.collect();
        let (last, lines) = lines.split_last().expect("a line");
        let mut out = Vec::new();
        let mut sealing = Sealing::new(&mut out);
        lines.iter().for_each(|line| sealing.line(line).expect("memory takes it"));
        sealing.last(last).expect("memory takes it");
        fs::write(&record, out).expect("a file");
        let said = does(work.path(), &["verify", "a"]);
        assert!(said.contains("is in a file, and a record does not say where"), "{said}");
        for command in [&["live", "--offline", "a"][..], &["validity", "--live", "a"]] {
            let (_, out, err) = ran(&mut balk(work.path(), command));
            assert!(!out.contains("password") && !err.contains("password"), "{command:?}: {out}{err}");
        }
    }
}

#[test]
fn an_event_log_that_cannot_be_written_is_named() {
    let work = empty();
    let (code, _, err) = ran(&mut balk(work.path(), &["scenario", "paging", "--events", "/dev/full"]));
    let expected = "error: /dev/full: expected a file that can be written, found ";
    assert!(code == 3 && err.contains(expected) && err.contains("once there is space"), "{code}: {err}");
}
