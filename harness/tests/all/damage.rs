//! A thousand flipped bits and a thousand changed digits, in a whole record, in one that a killed run left, and in kept
//! transcripts: every command that reads them says which file is damaged, and of a record in which line.

use std::fs;
use std::path::Path;

use rayon::prelude::*;
use tempfile::TempDir;

use crate::common::program::{balk, ran};
use crate::sealed::{bench, changes, does};

/// What a change is made to, and the commands that read it.
struct Damaged {
    file: &'static str,
    commands: &'static [&'static [&'static str]],
    /// Whether an error names a line; else it names a byte.
    in_lines: bool,
}

const READ: &[&[&str]] = &[
    &["RESUME"],
    &["merge", "a", "--out", "sum"],
    &["report", "a"],
    &["compare", "a", "b"],
    &["compare", "b", "a"],
    &["verify", "a"],
];
const KEPT: &[&[&str]] =
    &[&["RESUME"], &["merge", "a", "--out", "sum"], &["verify", "a"], &["replay", "a/transcripts"]];

const WHOLE: Damaged = Damaged { file: "a/bench.jsonl", commands: READ, in_lines: true };
const TRANSCRIPTS: Damaged =
    Damaged { file: "a/transcripts/repeating/64-127.jsonl.zst", commands: KEPT, in_lines: false };

/// A folder with two records: `a` is whole, or what is left of a part of it.
fn made(unfinished: bool) -> TempDir {
    let work = tempfile::tempdir().expect("a folder");
    does(work.path(), &bench(&["--out", "b"]));
    does(work.path(), &bench(if unfinished { &["--shard", "1/2", "--out", "a"] } else { &["--out", "a"] }));
    work
}

/// Makes every `step`-th change, and runs all commands on each.
fn check(unfinished: bool, damaged: &Damaged, step: usize) {
    let first = made(unfinished);
    let whole = fs::read(first.path().join(damaged.file)).expect("a file");
    let drawn: Vec<(usize, Vec<u8>)> = changes(&whole).step_by(step).collect();
    // Each thread has a folder of its own.
    drawn.par_iter().for_each_init(
        || made(unfinished),
        |work, (at, changed)| {
            fs::write(work.path().join(damaged.file), changed).expect("a file");
            let line = 1 + whole[..*at].iter().filter(|byte| **byte == b'\n').count();
            let place = if damaged.in_lines { format!(": line {line}: ") } else { "byte ".to_owned() };
            for command in damaged.commands {
                says(work.path(), command, [damaged.file, &place]);
            }
        },
    );
}

/// The command exits with the code of a bad file, names it and the place, and writes nothing.
fn says(work: &Path, command: &[&str], place: [&str; 2]) {
    let resume = bench(&["--out", "a", "--resume"]);
    let command = if command == ["RESUME"] { &resume[..] } else { command };
    let (code, out, err) = ran(&mut balk(work, command));
    assert!(
        code == 3 && place.iter().all(|it| err.contains(it)),
        "{command:?}: {code}, expected {place:?}\n{out}{err}"
    );
    assert!(!work.join("sum").exists(), "{command:?} merged what is damaged");
}

fn check_all(step: usize) {
    check(false, &WHOLE, step);
    check(true, &WHOLE, step);
    check(false, &TRANSCRIPTS, step);
}

#[test]
fn every_command_finds_a_change_and_says_where() {
    check_all(250);
}

#[test]
#[ignore = "two thousand changes, each read by several commands"]
fn every_command_finds_each_of_many_changes_and_says_where() {
    check_all(3);
}
