//! Real kills of a bench and a merge at drawn moments: the same command then ends in the same bytes, and leaves no
//! other files. The schedules of `harness/src/cli/bench/tests.rs` reach each step; kills reach what lies between them.

use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::common::files;
use crate::common::program::{balk, ran};

const SIGNALS: [Signal; 4] = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP];

const BENCH: [&str; 9] = [
    "bench",
    "--suite",
    "alternating,paging,text-only-chat",
    "--guard",
    "default",
    "--seeds",
    "0-149",
    "--keep-transcripts",
    "all",
];

/// The longest wait before a kill, in microseconds: about as long as one of these runs takes.
const WAIT_MAX: u64 = 400_000;

/// Runs a command until it ends by itself; before that, it is killed three times. Returns how often it was killed
/// while it ran.
fn killed(work: &Path, arguments: &[&str], seed: u64) -> u64 {
    let mut kills = 0;
    for nth in 0..3 {
        let draw = |what: u64| xxh3_64_with_seed(&what.to_le_bytes(), seed * 3 + nth);
        let mut running =
            balk(work, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        thread::sleep(Duration::from_micros(draw(0) % WAIT_MAX));
        let signal = SIGNALS[draw(1) as usize % SIGNALS.len()];
        if running.try_wait().expect("a child").is_none() {
            kill_process(Pid::from_child(&running), signal).expect("it is running");
            kills += 1;
        }
        running.wait().expect("it ends");
    }
    kills
}

/// Every file below a folder, if it is there, by its name in it. What differs from run to run is left out.
fn made(folder: &Path) -> Vec<(String, Vec<u8>)> {
    if !folder.exists() {
        return Vec::new();
    }
    let found = files(folder).into_iter().map(|(path, bytes)| {
        let name = path.strip_prefix(folder).expect("it is below");
        (name.to_string_lossy().into_owned(), bytes)
    });
    found.filter(|(name, _)| name != "meta.json").collect()
}

/// Kills come until there were so many.
fn check(most: u64) {
    let work = tempfile::tempdir().expect("a folder");
    let at = |name: &str| work.path().join(name);
    let does = |arguments: &[&str]| {
        let (code, _, err) = ran(&mut balk(work.path(), arguments));
        assert_eq!(code, 0, "{arguments:?}: {err}");
    };
    does(&[&BENCH, &["--out", "whole"][..]].concat());
    for part in ["1/2", "2/2"] {
        does(&[&BENCH, &["--shard", part, "--out", &part[..1]][..]].concat());
    }
    let whole = made(&at("whole"));
    assert!(whole.len() > 3, "a record, and transcripts of three scenarios");
    let (mut kills, mut round) = (0, 0);
    while kills < most {
        let bench = [&BENCH, &["--out", "bench", "--resume"][..]].concat();
        let merge = vec!["merge", "1", "2", "--out", "merge"];
        for (nth, (out, command)) in (0..).zip([("bench", bench), ("merge", merge)]) {
            if out == "bench" {
                std::fs::create_dir(at(out)).expect("a folder");
            }
            kills += killed(work.path(), &command, 2 * round + nth);
            does(&command);
            assert!(
                made(&at(out)) == whole,
                "{out}, round {round}: other bytes than those of an undisturbed run"
            );
            std::fs::remove_dir_all(at(out)).expect("a folder");
        }
        round += 1;
    }
}

#[test]
fn after_kills_at_any_moment_the_bytes_are_the_same() {
    check(8);
}

#[test]
#[ignore = "a thousand kills"]
fn after_a_thousand_kills_the_bytes_are_the_same() {
    check(1_000);
}
