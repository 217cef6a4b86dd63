//! Kept transcripts that are not those of the record: of another scenario, of other values, or fewer.

use std::fs;

use crate::sealed::{bench, does, empty, made, refused, resealed};

/// Under the name of another one, the checksums of a file are right.
#[test]
fn a_file_of_another_scenario_does_not_pass() {
    let work = made();
    let at = |name: &str| work.path().join("a/transcripts").join(name);
    let resume = bench(&["--out", "a", "--resume"]);
    let [one, other] = ["paging/0-63.jsonl.zst", "repeating/0-63.jsonl.zst"].map(at);
    let swap = || {
        for (from, to) in [(&one, &at("one")), (&other, &one), (&at("one"), &other)] {
            fs::rename(from, to).expect("it is there");
        }
    };
    swap();
    for command in [&resume[..], &["merge", "a", "--out", "sum"], &["verify", "a"]] {
        let says =
            "paging/0-63.jsonl.zst: expected the records of seed 60 of paging, found one of seed 60 of rep";
        refused(work.path(), command, 3, says);
    }
    let page = ["report", "a", "--format", "html", "--out", "a.html"];
    refused(work.path(), &page, 3, "0-63.jsonl.zst: expected the records of seed 60 of ");
    swap();
    // So are they for the same scenario with other values.
    let set = ["--out", "b", "--set", "limits.turns=7"];
    does(work.path(), &bench(&set));
    fs::copy(work.path().join("b/transcripts/paging/0-63.jsonl.zst"), &one).expect("a copy");
    refused(work.path(), &["verify", "a"], 3, "found one of seed 60 of paging with limits.turns=7");
    fs::remove_dir_all(work.path().join("a/transcripts")).expect("a folder");
    does(work.path(), &bench(&["--out", "c"]));
    fs::rename(work.path().join("c/transcripts"), work.path().join("a/transcripts")).expect("a folder");
    does(work.path(), &["verify", "a"]);
}

/// A part of what was kept is found to be missing, however often trials failed in one way.
#[test]
fn failing_transcripts_that_were_removed_are_counted() {
    let work = empty();
    let failing = |more: &[&str]| {
        let bench = ["bench", "--suite", "polling-with-changing-output,paging", "--guard", "cline"];
        let kept = ["--seeds", "0-79", "--keep-transcripts", "failing"];
        does(work.path(), &[&bench[..], &kept, more].concat());
    };
    failing(&["--out", "whole"]);
    failing(&["--shard", "1/2", "--out", "one"]);
    failing(&["--shard", "2/2", "--out", "two"]);
    does(work.path(), &["merge", "one", "two", "--out", "sum"]);
    let read = |name: &str| fs::read(work.path().join(name).join("bench.jsonl")).expect("a record");
    assert_eq!(read("sum"), read("whole"));
    does(work.path(), &["verify", "sum"]);
    let record = String::from_utf8(read("sum")).expect("JSON");
    let file = work.path().join("sum/transcripts/polling-with-changing-output/64-127.jsonl.zst");
    fs::rename(&file, work.path().join("removed")).expect("some failed");
    let says = "sum/transcripts/polling-with-changing-output: expected the kept transcripts of ";
    for command in [&["merge", "sum", "--out", "other"][..], &["verify", "sum"]] {
        refused(work.path(), command, 3, says);
    }
    // An older build did not count them, so no more is known than that some failed.
    assert!(record.contains(",\"kept\":["), "{record}");
    resealed(&work.path().join("sum/bench.jsonl"), |line| match line.split_once(",\"kept\":") {
        Some((before, _)) => format!("{before}}}"),
        None => line.to_owned(),
    });
    does(work.path(), &["verify", "sum"]);
}
