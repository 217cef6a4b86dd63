//! `balk.toml` in the current folder or above has settings of guards, and a printed command names it.

use std::fs;
use std::path::Path;

use crate::common::program::{balk, ran};

const TRIAL: [&str; 6] = ["scenario", "text-only", "--seeds", "0-19", "--guard", "no-tools"];

/// The row of counts, the printed command, and standard error.
fn counted(folder: &Path, more: &[&str]) -> (String, String, String) {
    let (code, out, err) = ran(&mut balk(folder, &[&TRIAL[..], more].concat()));
    assert_eq!(code, 0, "{err}");
    let line = |begins: &str| out.lines().find(|line| line.starts_with(begins)).expect("a line").to_owned();
    (line("no-tools"), line("run again: "), err)
}

#[test]
fn the_nearest_file_is_read_and_named_and_the_one_that_is_asked_for_wins() {
    let folder = tempfile::tempdir().expect("a folder");
    let below = folder.path().join("a/b");
    fs::create_dir_all(&below).expect("folders");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("it can be written");
    write("a/other.toml", "[no-tools]\nlimit = 1\n");
    let (plain, again, err) = counted(&below, &[]);
    assert_eq!((&*again, &*err), ("run again: balk scenario text-only --seeds 0-19 --guard no-tools", ""));

    write("balk.toml", "[no-tools]\nlimit = 6\n");
    let (row, again, err) = counted(&below, &[]);
    assert_ne!(row, plain, "a longer limit is a longer wait");
    assert!(again.ends_with(" --config ../../balk.toml"), "{again}");
    assert_eq!(err, "settings of guards: ../../balk.toml\n");
    let (same, ..) = counted(&below, &["--config", "../../balk.toml"]);
    assert_eq!(same, row);

    let (other, again, err) = counted(&below, &["--config", "../other.toml"]);
    assert_ne!(other, row);
    assert!(again.ends_with(" --config ../other.toml"), "{again}");
    assert_eq!(err, "");

    write("a/balk.toml", "[no-tools]\nlimits = 6\n");
    let (code, _, err) = ran(&mut balk(&below, &TRIAL));
    assert_eq!(code, 3);
    assert!(err.contains("../balk.toml: expected settings that the guard accepts"), "{err}");
}
