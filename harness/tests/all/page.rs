//! Pages: of a bench with its kept trials, of one trial, of a comparison.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::program::{balk, ran};

/// The output of a command that must succeed.
#[track_caller]
fn printed(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!(code, 0, "{arguments:?}: {err}");
    out
}

/// A folder with the record of a small bench in `a`, and transcripts of its failures.
fn recorded() -> TempDir {
    let work = tempfile::tempdir().expect("a directory can be made");
    let bench =
        ["bench", "--suite", "abandonment,paging", "--guard", "cline", "--seeds", "0-9", "--out", "a"];
    printed(work.path(), &[&bench[..], &["--keep-transcripts", "failing"]].concat());
    work
}

/// The names of the files in a folder; none if it is missing.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| name(entry.expect("it can be read"))).collect()
}

#[test]
fn kept_trials_are_pages_beside_the_page_of_their_bench() {
    let work = recorded();
    let report = ["report", "a", "--format", "html"];
    let alone = printed(work.path(), &report);
    assert!(alone.starts_with("<!DOCTYPE html>") && !alone.contains("-trials/"));
    printed(work.path(), &[&report[..], &["--out", "b/my page.html"]].concat());
    let page = fs::read_to_string(work.path().join("b/my page.html")).expect("a page");
    let trials = work.path().join("b/my page-trials");
    let names = files(&trials);
    assert!(!names.is_empty());
    for name in &names {
        assert!(page.contains(&format!("\"my%20page-trials/{name}\"")), "{name} has no link");
        let trial = fs::read_to_string(trials.join(name)).expect("a page");
        assert!(trial.contains("turn by turn") && trial.ends_with("</html>\n"), "{name}");
    }
    assert_eq!(page.matches("my%20page-trials/").count(), names.len());
    printed(work.path(), &["report", "a", "--out", "c/page.md"]);
    assert!(files(&work.path().join("c/page-trials")).is_empty(), "Markdown has no pages beside it");
}

#[test]
fn a_kept_trial_that_was_changed_is_named() {
    let work = recorded();
    let folder = work.path().join("a/transcripts/abandonment");
    let file = folder.join(&files(&folder)[0]);
    let mut bytes = fs::read(&file).expect("a file");
    bytes[40] ^= 1;
    fs::write(&file, bytes).expect("it can be written");
    let (code, _, err) =
        ran(&mut balk(work.path(), &["report", "a", "--format", "html", "--out", "page.html"]));
    assert!(code == 3 && err.contains("expected kept transcripts as they were written"), "{err}");
}

#[test]
fn a_trial_is_a_page_with_both_runs() {
    let work = tempfile::tempdir().expect("a directory can be made");
    let of = |guard: &str| {
        printed(
            work.path(),
            &["scenario", "abandonment", "--seed", "3", "--guard", guard, "--format", "html"],
        )
    };
    let page = of("default");
    for words in ["without a guard", "with default", "the same in both", "stuck: same failure", "⚑ "] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!of("none").contains("the same in both"));
    for more in [&["--seeds", "0-3"][..], &["--interactive"]] {
        let line = [&["scenario", "abandonment", "--format", "html"], more].concat();
        let (code, out, err) = ran(&mut balk(work.path(), &line));
        assert!(code == 2 && out.is_empty() && err.contains("--format html"), "{more:?}: {err}");
    }
}

#[test]
fn a_comparison_is_a_page_with_a_forest_plot() {
    let work = recorded();
    let bench =
        ["bench", "--suite", "abandonment,paging", "--guard", "cline", "--seeds", "0-9", "--out", "b"];
    printed(work.path(), &[&bench[..], &["--set", "limits.turns=6"]].concat());
    let page = printed(work.path(), &["compare", "a", "b", "--format", "html"]);
    for words in
        ["What changed from one record to another", "class=\"zero\"", "abandonment", "limits.turns=6"]
    {
        assert!(page.contains(words), "{words}");
    }
    let same = printed(work.path(), &["compare", "a", "a", "--format", "html"]);
    assert!(same.contains("No cell changed") && !same.contains("class=\"zero\""));
}
