//! Parts of a record that were removed.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use crate::sealed::{bench, does, empty, made, refused, resealed};

/// What was kept has to be there.
#[test]
fn kept_transcripts_that_were_removed_are_missed() {
    let work = made();
    let at = |name: &str| work.path().join("a/transcripts").join(name);
    let says = "a/transcripts/paging: expected the kept transcripts of 8 seeds, found those of ";
    let resume = bench(&["--out", "a", "--resume"]);
    for (name, found) in [("paging/0-63.jsonl.zst", "4"), ("paging/64-127.jsonl.zst", "0"), ("paging", "0")] {
        fs::remove_file(at(name)).or_else(|_| fs::remove_dir(at(name))).expect("it is there");
        for command in [
            &resume[..],
            &["merge", "a", "--out", "sum"],
            &["verify", "a"],
            &["report", "a", "--format", "html", "--out", "page.html"],
            &["replay", "a"],
            &["replay", "a/transcripts"],
        ] {
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

/// Older builds did not say which transcripts they kept. What one of today says, it keeps to.
#[test]
fn a_record_that_does_not_say_what_it_keeps_goes_on_under_another_build() {
    let work = empty();
    for part in ["1/2", "2/2"] {
        does(work.path(), &bench(&["--shard", part, "--out", &part[..1]]));
    }
    let any = ["--out", "1", "--resume", "--any-build"];
    let plan = |change: &dyn Fn(&mut Map<String, Value>)| {
        resealed(&work.path().join("1/bench.jsonl"), |line| {
            let mut line: Value = serde_json::from_str(line).expect("JSON");
            line.get_mut("plan").and_then(Value::as_object_mut).into_iter().for_each(change);
            line.to_string()
        });
    };
    plan(&|it| drop(it.insert("build".into(), "another".into())));
    let keeps_none = ["bench", "--suite", "paging,repeating", "--guard", "default", "--seeds", "60-67"];
    refused(work.path(), &[&keeps_none[..], &any].concat(), 3, "give the same --keep-transcripts");
    plan(&|it| drop(it.remove("transcripts")));
    does(work.path(), &["merge", "1", "2", "--out", "sum", "--any-build"]);
    does(work.path(), &["merge", "2", "1", "--out", "turned", "--any-build"]);
    does(work.path(), &bench(&any));
    for out in ["1", "sum", "turned"] {
        let said = does(work.path(), &["verify", out]);
        assert!(said.contains("16 kept seeds with transcripts\n"), "{said}");
    }
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
