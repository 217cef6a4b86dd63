//! Folders that a stranger made: links and names in a record lead nowhere, and what cannot be read is said.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use crate::common::program::{balk, ran};
use crate::sealed::{does, resealed};

const BENCH: [&str; 9] =
    ["bench", "--suite", "paging", "--guard", "default", "--seeds", "0-9", "--keep-transcripts", "all"];

fn empty() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The first half of a bench, so that there is something to go on with.
fn begun(work: &Path, out: &str) {
    does(work, &[&BENCH, &["--out", out, "--shard", "1/2"][..]].concat());
}

#[test]
fn what_is_written_to_a_record_goes_nowhere_else() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    fs::create_dir(at("outside")).expect("a folder");
    for (out, part) in [("a", "meta.json"), ("b", "bench.jsonl")] {
        begun(work.path(), out);
        let (inside, mine) = (at(out).join(part), at("outside").join(part));
        fs::rename(&inside, &mine).expect("it is there");
        symlink(&mine, &inside).expect("a link");
        let before = fs::read(&mine).expect("a file");
        does(work.path(), &[&BENCH, &["--out", out, "--resume"][..]].concat());
        assert_eq!(fs::read(&mine).expect("a file"), before, "{part}");
        assert!(!inside.is_symlink(), "{part}");
    }
    begun(work.path(), "c");
    for part in ["transcripts", "transcripts/paging"] {
        fs::rename(at("c").join(part), at("aside")).expect("a folder");
        symlink(at("outside"), at("c").join(part)).expect("a link");
        let resume = [&BENCH, &["--out", "c", "--resume"][..]].concat();
        for command in [&resume[..], &["verify", "c"], &["merge", "c", "--out", "d"]] {
            let (code, _, err) = ran(&mut balk(work.path(), command));
            let is_said = err.contains("expected a part of the record, found a symbolic link");
            assert!(code == 3 && is_said, "{command:?}: {err}");
        }
        fs::remove_file(at("c").join(part)).expect("a link");
        fs::rename(at("aside"), at("c").join(part)).expect("a folder");
    }
}

/// The user names the page of a report; the pages of trials are beside it, in the folder of the record.
#[test]
fn pages_of_trials_are_written_nowhere_else() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    does(work.path(), &[&BENCH, &["--out", "a"][..]].concat());
    let report = ["report", "a", "--format", "html", "--out", "a/page.html"];
    does(work.path(), &report);
    let page =
        fs::read_dir(at("a/page-trials")).expect("a folder").next().expect("a page").expect("it is there");
    fs::write(at("mine"), "mine").expect("a file");
    fs::remove_file(page.path()).expect("it is there");
    symlink(at("mine"), page.path()).expect("a link");
    does(work.path(), &report);
    assert!(!page.path().is_symlink());
    fs::remove_dir_all(at("a/page-trials")).expect("a folder");
    fs::create_dir(at("outside")).expect("a folder");
    fs::write(at("outside/.balk-unfinished-a1b2c3"), "half").expect("a file");
    symlink(at("outside"), at("a/page-trials")).expect("a link");
    let (code, _, err) = ran(&mut balk(work.path(), &report));
    let is_said =
        err.contains("page-trials: expected a folder for the pages of trials, found a symbolic link");
    assert!(code == 3 && is_said, "{code}: {err}");
    assert_eq!(fs::read_dir(at("outside")).expect("a folder").count(), 1);
    assert_eq!(fs::read_to_string(at("mine")).expect("a file"), "mine");
}

/// A record that was sealed by somebody who means it names a pipe and a file as its scenario.
#[test]
fn a_record_names_no_file_that_is_read() {
    let work = empty();
    begun(work.path(), "a");
    let pipe = work.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
    fs::write(work.path().join("secret"), "machine a password b\n").expect("a file");
    // What is kept would be of another scenario, so nothing is.
    fs::remove_dir_all(work.path().join("a/transcripts")).expect("a folder");
    let keeps = ",\"transcripts\":\"all\"";
    let record = work.path().join("a/bench.jsonl");
    let text = fs::read_to_string(&record).expect("a record");
    for name in ["pipe", "secret"] {
        let path = work.path().join(name);
        let name = path.to_str().expect("a plain path");
        fs::write(&record, &text).expect("a file");
        resealed(&record, |line| line.replace("\"paging\"", &format!("\"{name}\"")).replace(keeps, ""));
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
