//! Progress of long commands: only on a terminal.

#![cfg(target_os = "linux")]

use std::path::Path;

use crate::common::program::{balk, ran};
use crate::common::terminal::shown;

/// The output of the program to a terminal at its standard error.
fn seen(folder: &Path, arguments: &[&str]) -> String {
    shown(|program| {
        let mut command = balk(folder, arguments);
        ran(command.env("TERM", "xterm").stderr(program));
    })
}

#[test]
fn long_commands_show_how_far_they_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let counts = ["scenario", "repeating", "--seeds", "0-99", "--guard", "none", "--guard", "default"];
    let shown = seen(folder.path(), &counts);
    assert!(shown.contains(" of 400 trials, ") && shown.contains(" left"), "{shown}");
    let rates = shown.split(" trials, ").skip(1).map(|rest| rest.split("/s, ").next().unwrap_or_default());
    let rates: Vec<&str> = rates.collect();
    assert!(rates.iter().all(|rate| rate.chars().all(|c| c.is_ascii_digit())), "whole numbers: {rates:?}");
    let (_, _, err) = ran(&mut balk(folder.path(), &counts));
    assert_eq!(err, "", "this is no terminal");
    let shown = seen(folder.path(), &["audit", "--guard", "duplicate", "--seeds", "7-7"]);
    assert!(shown.contains(" of 138 seeds of scenarios, "), "{shown}");
}

/// The rate, and so the time left, covers only the work of this process.
#[test]
fn after_a_resume_only_new_work_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let bench =
        ["bench", "--suite", "paging,repeating", "--guard", "default", "--seeds", "0-99", "--out", "a"];
    let (code, _, err) = ran(&mut balk(folder.path(), &[&bench[..], &["--shard", "1/4"]].concat()));
    assert_eq!(code, 0, "{err}");
    let shown = seen(folder.path(), &[&bench[..], &["--resume"]].concat());
    assert!(shown.contains(" of 150 units (50 were done before), "), "{shown}");
}
