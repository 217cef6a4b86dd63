//! A bench that is ended with Ctrl-C: its output, and that nothing is lost.

#![cfg(unix)]

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::program::{balk, ran, wait_for};
use rustix::process::{Pid, Signal, kill_process};

const BENCH: [&str; 6] = ["bench", "--suite", "paging,repeating", "--guard", "default", "--seeds"];

/// Starts a bench whose output goes to pipes.
fn started(folder: &Path, more: &[&str]) -> Child {
    let mut command = balk(folder, &[&BENCH, more].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// A program prints what it will run, or what it found, once it catches Ctrl-C.
fn wait_for_its_first_words(running: &mut Child) {
    let err = running.stderr.as_mut().expect("it has a pipe");
    err.read_exact(&mut [0]).expect("it says something");
}

fn press_ctrl_c(running: &Child) {
    kill_process(Pid::from_child(running), Signal::INT).expect("it is running");
}

/// The result: exit code, standard output, standard error.
fn ended(running: Child) -> (Option<i32>, String, String) {
    let output = running.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_command_that_is_shown_goes_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |out: &str| fs::read(folder.path().join(out).join("bench.jsonl")).ok();
    let (code, out, err) =
        ran(&mut balk(folder.path(), &[&BENCH[..], &["0-999", "--out", "whole"]].concat()));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("next: balk report whole\n"), "{out}");

    let running = started(folder.path(), &["0-999", "--out", "a b"]);
    wait_for("a record", || record("a b").is_some());
    press_ctrl_c(&running);
    let (code, out, err) = ended(running);
    assert_eq!((code, &*out), (Some(130), ""), "{err}");
    assert!(err.contains(" of 2000 units are done and kept in a b\n"), "{err}");
    let shown = err.lines().find_map(|line| line.strip_prefix("continue with: ")).expect("it says how");
    assert!(shown.ends_with("--seeds 0-999 --out 'a b' --resume"), "{shown}");

    let shell = || {
        let mut shell = Command::new("/bin/sh");
        let program = Path::new(env!("CARGO_BIN_EXE_balk")).parent().expect("it has a folder");
        shell.current_dir(folder.path()).env("PATH", program);
        shell
    };

    // Twice at once: nothing more is printed or written, and the written record is whole.
    let before = record("a b");
    let resumed = shell()
        .args(["-c", &format!("exec {shown}")])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the shell starts");
    wait_for("a newer record", || record("a b") != before);
    press_ctrl_c(&resumed);
    press_ctrl_c(&resumed);
    let (code, _, err) = ended(resumed);
    assert!(code == Some(130), "{err}");

    let (code, _, err) = ran(shell().args(["-c", shown]).stdin(Stdio::null()));
    assert_eq!(code, 0, "{err}");
    assert!(record("a b").is_some() && record("a b") == record("whole"));
}

#[test]
fn without_a_folder_nothing_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = started(folder.path(), &["0-99999"]);
    wait_for_its_first_words(&mut running);
    press_ctrl_c(&running);
    let (code, out, err) = ended(running);
    assert_eq!((code, &*out), (Some(130), ""), "{err}");
    assert!(err.contains(" of 200000 units: without --out DIR nothing is kept\n"), "{err}");
}

/// What is not finished is not there.
#[test]
fn an_interrupted_hunt_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = balk(folder.path(), &["hunt", "--trials", "10000000", "--out", "finds"]);
    let mut running =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for_its_first_words(&mut running);
    press_ctrl_c(&running);
    let (code, out, err) = ended(running);
    assert_eq!((code, &*out), (Some(130), ""), "{err}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
