//! Parts of a record that were removed.

use std::fs;
use std::path::Path;

use crate::sealed::{bench, does, empty, made, refused};

/// What was kept has to be there.
#[test]
fn kept_transcripts_that_were_removed_are_missed() {
    let work = made();
    let at = |name: &str| work.path().join("a/transcripts").join(name);
    let says = "a/transcripts/paging: expected the kept transcripts of 8 seeds, found those of ";
    let resume = bench(&["--out", "a", "--resume"]);
    for (name, found) in [("paging/0-63.jsonl.zst", "4"), ("paging/64-127.jsonl.zst", "0"), ("paging", "0")] {
        fs::remove_file(at(name)).or_else(|_| fs::remove_dir(at(name))).expect("it is there");
        for command in [&resume[..], &["merge", "a", "--out", "sum"], &["verify", "a"]] {
            refused(work.path(), command, 3, &format!("{says}{found}"));
        }
    }
    let failing = ["bench", "--suite", "repeating", "--guard", "default", "--seeds", "0-9"];
    does(work.path(), &[&failing[..], &["--keep-transcripts", "failing", "--out", "f"]].concat());
    does(work.path(), &["verify", "f"]);
    // Without the option, parts of the record would have none.
    let other = [&failing[..], &["--out", "f", "--resume"]].concat();
    refused(work.path(), &other, 3, "give the same --keep-transcripts");
    fs::remove_dir_all(work.path().join("f/transcripts")).expect("some failed");
    refused(work.path(), &["verify", "f"], 3, "f/transcripts/repeating: expected the kept transcripts of ");
}

#[test]
fn completions_that_were_removed_are_missed() {
    let work = empty();
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/reference/live/smollm2");
    fs::create_dir(work.path().join("r")).expect("a folder");
    for name in ["bench.jsonl", "meta.json"] {
        fs::copy(reference.join(name), work.path().join("r").join(name)).expect("a copy");
    }
    let says = "r/completions.jsonl.zst: expected the completions of ";
    refused(work.path(), &["verify", "r"], 3, says);
}
