//! Files and folders that commands write: what was there is kept, and one run writes at a time.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{balk, ran};
use tempfile::TempDir;

const BENCH: [&str; 7] = ["bench", "--suite", "paging", "--guard", "default", "--seeds", "0-1"];

/// A run of another agent.
const LOG: &str = r#"{"messages": [{"role": "user", "content": "Go on."}]}"#;

fn empty() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Runs the program, which does well.
#[track_caller]
fn does(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out + &err
}

/// Runs the program, which exits with this code and says this.
#[track_caller]
fn refused(work: &Path, arguments: &[&str], code: i32, says: &[&str]) {
    let (found, _, err) = ran(&mut balk(work, arguments));
    assert!(found == code && says.iter().all(|it| err.contains(it)), "{arguments:?}: {found}\n{err}");
}

fn bench<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&BENCH[..], more].concat()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|it| it.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_dash_is_standard_output() {
    let work = empty();
    does(work.path(), &bench(&["--out", "a"]));
    let report = does(work.path(), &["report", "a"]);
    assert_eq!(does(work.path(), &["report", "a", "--out", "-"]), report);
    assert_eq!(names(work.path()), ["a"]);
}

#[test]
fn an_event_log_replaces_nothing() {
    let work = empty();
    let play = ["scenario", "paging", "--events", "log"];
    does(work.path(), &play);
    let log = fs::read(work.path().join("log")).expect("a log");
    refused(work.path(), &play, 3, &["log: the file already exists"]);
    assert_eq!(fs::read(work.path().join("log")).expect("a log"), log);
}

/// Two runs into one folder: the second says who has it, and changes nothing.
#[test]
fn a_folder_has_one_writer() {
    let work = empty();
    does(work.path(), &bench(&["--out", "a"]));
    does(work.path(), &bench(&["--shard", "1/2", "--out", "b"]));
    let path = work.path().join("a/.balk-lock");
    fs::write(&path, "balk bench --out a (process 4711)\n").expect("a file");
    let lock = fs::File::open(&path).expect("a file");
    lock.try_lock().expect("the lock is free");
    let found = "found one that another run writes to: balk bench --out a (process 4711)";
    refused(
        work.path(),
        &bench(&["--out", "a", "--resume"]),
        3,
        &["a: expected a folder that no other run", found],
    );
    fs::remove_file(work.path().join("a/bench.jsonl")).expect("a record");
    fs::remove_file(work.path().join("a/meta.json")).expect("a file");
    for other in [bench(&["--out", "a"]), vec!["merge", "b", "--out", "a"]] {
        refused(work.path(), &other, 3, &[found]);
    }
    let serves = ["serve", "paging", "--log", "a"];
    refused(work.path(), &serves, 3, &[found]);
    assert_eq!(names(&work.path().join("a")), [".balk-lock"]);
    drop(lock);
    does(work.path(), &bench(&["--out", "a"]));
    assert_eq!(names(&work.path().join("a")), ["bench.jsonl", "meta.json"]);
}

/// Whatever a merge had written when it was killed, the same command ends in the same files.
#[test]
fn a_killed_merge_can_be_run_again() {
    let work = empty();
    let at = |name: &str| work.path().join(name);
    for part in ["1/2", "2/2"] {
        does(work.path(), &bench(&["--keep-transcripts", "all", "--shard", part, "--out", &part[..1]]));
    }
    let merge = ["merge", "1", "2", "--out", "whole"];
    does(work.path(), &merge);
    let whole = files(&at("whole"));
    assert_eq!(whole.len(), 2, "a record and a file of transcripts");
    // It begins with a record in which nothing is done, as a bench does, and ends with the whole one.
    does(work.path(), &bench(&["--keep-transcripts", "all", "--shard", "1/3", "--out", "begun"]));
    fs::remove_file(at("whole/bench.jsonl")).expect("it is there");
    fs::copy(at("begun/bench.jsonl"), at("whole/bench.jsonl")).expect("a copy");
    fs::write(at("whole/.balk-unfinished-a1b2c3"), "half").expect("a file");
    fs::write(at("whole/.balk-lock"), "balk merge (process 1)\n").expect("a file");
    fs::write(at("whole/transcripts/paging/.balk-unfinished-d4e5f6"), "half").expect("a file");
    does(work.path(), &merge);
    assert_eq!(files(&at("whole")), whole);
    // It may have been killed after all was written, and nothing says so.
    does(work.path(), &merge);
    assert_eq!(files(&at("whole")), whole);
    // That of a bench that keeps no transcripts is none.
    does(work.path(), &bench(&["--out", "own"]));
    for (part, out) in [("1", "whole"), ("2", "1"), ("1", "own")] {
        let before = files(&at(out));
        let says = format!("{out}: expected an empty or new folder, found the record of a bench");
        refused(work.path(), &["merge", part, "--out", out], 3, &[&says]);
        assert_eq!(files(&at(out)), before);
    }
    let says = "own: expected an empty or new folder, found the record of a bench";
    refused(work.path(), &["merge", "1", "2", "--out", "own"], 3, &[says]);
}

/// What a killed command left beside a file that it was to write is removed by the next one; what another one is about
/// to finish is not.
#[test]
fn what_a_killed_command_left_beside_its_file_is_removed() {
    const MINE: [&str; 3] = [".balk-config", ".balk-unfinished-notes.txt", ".balk-unfinished-a1b2c3d"];
    let work = empty();
    let at = |name: &str| work.path().join(name);
    does(work.path(), &bench(&["--keep-transcripts", "all", "--out", "a"]));
    fs::write(at("log.jsonl"), LOG).expect("a file");
    fs::write(at(".balk-unfinished-d4e5f6"), "half").expect("a file");
    let other = fs::File::open(at(".balk-unfinished-d4e5f6")).expect("a file");
    other.try_lock().expect("it is free");
    fs::write(at("text.md"), "<!-- balk report command -->\n<!-- end -->\n").expect("a file");
    fs::create_dir(at("man")).expect("a folder");
    for (command, folder) in [
        (&["report", "a", "--out", "a.md"][..], "."),
        (&["report", "a", "--format", "html", "--out", "a.html"], "."),
        (&["report", "a", "--format", "html", "--out", "a.html"], "a-trials"),
        (&["report", "a", "--splice", "text.md"], "."),
        (&["import", "log.jsonl", "--out", "b.jsonl"], "."),
        (&["triage", "log.jsonl", "--write-tools", "tools.toml"], "."),
        (&["init", "mine"], "."),
        (&["man", "--out", "man"], "man"),
    ] {
        let left = at(folder).join(".balk-unfinished-a1b2c3");
        fs::write(&left, "half").expect("a file");
        for mine in MINE {
            fs::write(at(folder).join(mine), "mine").expect("a file");
        }
        does(work.path(), command);
        assert!(!left.exists(), "{command:?}");
        assert!(at(".balk-unfinished-d4e5f6").exists(), "{command:?}");
        assert!(MINE.iter().all(|it| at(folder).join(it).exists()), "{command:?}");
    }
}

/// Where nothing was found to write, no file is in the way of the next try.
#[test]
fn an_import_of_nothing_leaves_no_file() {
    let work = empty();
    fs::write(work.path().join("bad.jsonl"), "{}\n").expect("a file");
    fs::write(work.path().join("log.jsonl"), LOG).expect("a file");
    refused(work.path(), &["import", "bad.jsonl", "--out", "x"], 3, &["bad.jsonl"]);
    assert!(!work.path().join("x").exists());
    does(work.path(), &["import", "log.jsonl", "--out", "x"]);
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for name in names(folder) {
        let path = folder.join(name);
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push((path.clone(), fs::read(&path).expect("a file")));
        }
    }
    found
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::process::{Command, Stdio};
    use std::thread;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    /// A user without rights.
    const NOBODY: u32 = 65534;

    /// A search takes long, so what stands in the way of its folder is said before.
    #[test]
    fn a_folder_that_a_hunt_cannot_write_is_refused_at_once() {
        let work = empty();
        fs::create_dir(work.path().join("there")).expect("a folder");
        symlink("there", work.path().join("link")).expect("a link");
        let link = ["link", "link/", "link/.", "./link//./"].map(|out| (out, "a symbolic link"));
        for (out, found) in link.into_iter().chain([("..", "one without a name of its own")]) {
            let hunt = ["hunt", "--guard", "default", "--trials", "10000000", "--out", out];
            let says = format!("{out}: expected a new or empty folder, found {found}");
            refused(work.path(), &hunt, 3, &[&says]);
        }
    }

    #[test]
    fn a_starter_for_tools_goes_through_a_device() {
        let work = empty();
        fs::write(work.path().join("log.jsonl"), LOG).expect("a file");
        does(work.path(), &["triage", "log.jsonl", "--write-tools", "/dev/null"]);
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
    }

    #[test]
    fn a_report_goes_through_a_pipe_and_keeps_it() {
        let work = empty();
        does(work.path(), &bench(&["--out", "a"]));
        let report = does(work.path(), &["report", "a"]);
        let pipe = work.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe can be made");
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).expect("it can be read")
        });
        does(work.path(), &["report", "a", "--out", "pipe"]);
        assert_eq!(reader.join().expect("it ends"), report);
        assert!(!fs::metadata(&pipe).expect("it is there").is_file());
        // A device has no folder beside it.
        does(work.path(), &["report", "a", "--format", "html", "--out", "/dev/null"]);
        assert!(!fs::metadata("/dev/null").expect("it is there").is_file());
    }

    #[test]
    fn a_spliced_file_keeps_its_mode() {
        let work = empty();
        does(work.path(), &bench(&["--out", "a"]));
        let notes = work.path().join("notes.md");
        fs::write(&notes, "<!-- balk report command -->\n<!-- end -->\n").expect("a file");
        fs::set_permissions(&notes, fs::Permissions::from_mode(0o600)).expect("it is ours");
        does(work.path(), &["report", "a", "--splice", "notes.md"]);
        assert_eq!(fs::metadata(&notes).expect("it is there").permissions().mode() & 0o777, 0o600);
        assert!(fs::read_to_string(&notes).expect("text").contains("balk bench"));
    }

    /// Who may write to a folder may not always read it.
    #[test]
    fn a_folder_that_cannot_be_read_can_be_written_to() {
        let work = empty();
        does(work.path(), &bench(&["--out", "a"]));
        let (folder, program) = (work.path().join("drop"), work.path().join("program"));
        fs::create_dir(&folder).expect("a folder");
        for (path, mode) in [(work.path(), 0o755), (&folder, 0o333)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        fs::copy(env!("CARGO_BIN_EXE_balk"), &program).expect("a copy");
        fs::write(work.path().join("log.jsonl"), LOG).expect("a file");
        for command in
            [&["report", "a", "--out", "drop/a.md"][..], &["import", "log.jsonl", "--out", "drop/b"]]
        {
            let mut balk = Command::new(&program);
            let balk = balk.current_dir(work.path()).args(command).stdin(Stdio::null());
            if rustix::process::geteuid().is_root() {
                // It may read everything.
                std::os::unix::process::CommandExt::uid(balk, NOBODY);
            }
            let (code, _, err) = ran(balk);
            assert_eq!(code, 0, "{command:?}: {err}");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("it is ours");
        assert_eq!(names(&folder), ["a.md", "b"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let work = empty();
        let folder = work.path().join("runs");
        fs::create_dir(&folder).expect("a folder");
        symlink("gone.jsonl", folder.join("b.jsonl")).expect("a link");
        let record = does(work.path(), &["scenario", "paging", "--format", "json"]);
        fs::write(folder.join("a.jsonl"), record).expect("a file");
        let said = does(work.path(), &["replay", "runs"]);
        assert!(said.contains("runs/b.jsonl: left out: a link that leads nowhere"), "{said}");
    }

    /// The system sends a signal to a program whose file gets too long, which would end it without a word.
    #[test]
    fn a_file_that_gets_too_long_is_an_error() {
        let work = empty();
        let program = env!("CARGO_BIN_EXE_balk");
        let mut shell = Command::new("sh");
        let command = format!("ulimit -f 1; exec {program} {} --out a", BENCH.join(" "));
        let (code, _, err) = ran(shell.current_dir(work.path()).args(["-c", &command]).stdin(Stdio::null()));
        assert_eq!(code, 3, "{err}");
        assert!(err.contains("expected a writable file") && err.contains("once there is space"), "{err}");
    }
}
