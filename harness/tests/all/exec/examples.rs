//! The examples of the documents, in Python and JavaScript.

use std::fs;
use std::path::{Path, PathBuf};

use balk_reports::records::{EntryRecord, TrialRecord};

use super::{quoted, runs};
use crate::common::program::{balk, ran};

const EXAMPLES: [(&str, &str); 2] = [("python3", "third_call.py"), ("node", "third_call.mjs")];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guards").join(name)
}

/// The example as a stack; none where its language is missing, which is said.
fn spec((language, file): (&str, &str)) -> Option<String> {
    runs(language, file).then(|| format!("exec:{language} {}", quoted(&path(file).display().to_string())))
}

#[test]
fn examples_are_short() {
    for (_, file) in EXAMPLES {
        let lines = fs::read_to_string(path(file)).expect("it is there").lines().count();
        assert!(lines < 40, "{file}: {lines}");
    }
}

fn record(scenario: &str, seed: &str, spec: &str) -> TrialRecord {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["scenario", scenario, "--seed", seed, "--guard", spec, "--format", "json"];
    let (code, out, err) = ran(&mut balk(folder.path(), &arguments));
    assert_eq!((code, &*err), (0, ""), "{spec}: {out}");
    serde_json::from_str(&out).expect("it is a record")
}

/// They block what is repeated in vain, leave healthy work alone, and do the same.
#[test]
fn examples_guard() {
    let mut records = Vec::new();
    for spec in EXAMPLES.into_iter().filter_map(spec) {
        let of = ["repeating", "long-build", "volatile-output-loop-control"]
            .map(|scenario| record(scenario, "3", &spec).entries);
        let blocked = |entries: &[EntryRecord]| {
            let is_block =
                |it: &&EntryRecord| matches!(it, EntryRecord::Intervention(it) if it.kind == "block");
            entries.iter().filter(is_block).count()
        };
        assert!(blocked(&of[0]) > 0, "{spec}");
        assert_eq!([&of[1], &of[2]].map(|it| blocked(it)), [0, 0], "{spec}: a job may be polled");
        records.push(of);
    }
    assert!(records.windows(2).all(|pair| pair[0] == pair[1]), "both do the same");
}
