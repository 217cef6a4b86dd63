//! `balk report`: every format of one record, sections spliced into a file, and refusals.

use std::fs;
use std::path::Path;

use crate::common::program::{balk, ran, whole};
use boon::{Compiler, Schemas};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with the record of a small bench in `a`.
fn recorded() -> TempDir {
    let work = tempfile::tempdir().expect("a directory can be made");
    let arguments = [
        "bench",
        "--suite",
        "repeating,capability-gap,paging",
        "--guard",
        "default",
        "--guard=duplicate=strict",
        "--seeds",
        "0-31",
        "--out",
        "a",
    ];
    let (code, _, err) = ran(&mut balk(work.path(), &arguments));
    assert_eq!(code, 0, "{err}");
    // The measured cost of an optimised build differs on every machine.
    fs::remove_file(work.path().join("a/meta.json")).expect("it was written");
    work
}

#[track_caller]
fn printed(work: &Path, arguments: &[&str]) -> String {
    let (code, out, err) = ran(&mut balk(work, arguments));
    assert_eq!((code, &*err), (0, ""), "{arguments:?}");
    out
}

fn read(work: &TempDir, name: &str) -> String {
    fs::read_to_string(work.path().join(name)).expect("a file")
}

#[test]
fn a_report_of_a_real_record() {
    let work = recorded();
    insta::assert_snapshot!(printed(work.path(), &["report", "a"]));
}

#[test]
fn a_file_gets_what_standard_output_gets() {
    let work = recorded();
    for (format, begins) in [
        ("markdown", "# Bench report\n"),
        ("html", "<!DOCTYPE html>\n"),
        ("json", "{\n"),
        ("csv", "scenario,suite,kind,"),
        ("junit", "<?xml "),
    ] {
        let out = printed(work.path(), &["report", "a", "--format", format]);
        assert!(out.starts_with(begins), "{format}");
        assert_eq!(printed(work.path(), &["report", "a", "--format", format, "--out", "b/report"]), "");
        assert_eq!(read(&work, "b/report"), out);
    }
}

#[test]
fn the_json_is_what_the_printed_schema_says() {
    let work = recorded();
    let value = |arguments: &[&str]| -> Value {
        serde_json::from_str(&printed(work.path(), arguments)).expect("JSON")
    };
    let mut compiler = Compiler::new();
    compiler.add_resource("report.json", value(&["schema", "report"])).expect("a schema");
    let mut schemas = Schemas::new();
    let schema = compiler.compile("report.json", &mut schemas).expect("a schema");
    let mut report = value(&["report", "a", "--format", "json"]);
    schemas.validate(&report, schema).expect("as the schema says");
    report["schema"] = Value::from(3);
    schemas.validate(&report, schema).expect_err("another version");
}

#[test]
fn what_was_measured_of_cost_is_shown() {
    let work = recorded();
    let cost = || {
        let mark = "<!-- balk report cost -->\n<!-- end -->\n";
        fs::write(work.path().join("cost.md"), mark).expect("a file");
        printed(work.path(), &["report", "a", "--splice", "cost.md"]);
        read(&work, "cost.md")
    };
    assert!(cost().contains("The cost of this record was not measured."));
    let timed = r#"{"guard":"default","what":"read","bytes":400,"turns":9,
        "p50_ns":300,"p99_ns":1000,"anchor_p50_ns":40}"#;
    fs::write(work.path().join("a/meta.json"), format!(
        r#"{{"command":"balk bench","host":{{"cpu":null,"os":"linux","arch":"x86_64"}},"threads":2,"profile":"release",
            "units":9,"taken_ms":1,"units_per_second":9000,"timed":[{timed}]}}"#
    ))
        .expect("a file");
    let counted = r#"[{"guard":"default","what":"written","bytes":400,"instructions":900}]"#;
    fs::write(work.path().join("a/instructions.json"), counted).expect("a file");
    let text = cost();
    assert!(text.contains("| `default`, read | 400 | 9 | 300 | 1,000 | 40 | 7.500 | 25.00 |"), "{text}");
    assert!(text.contains("| `default`, written | 400 | 900 | 2.250 |"), "{text}");
    fs::write(work.path().join("a/instructions.json"), "[{}]").expect("a file");
    let (code, _, err) = ran(&mut balk(work.path(), &["report", "a"]));
    assert!(code == 3 && err.contains("a/instructions.json: expected counts of instructions"), "{err}");
}

#[test]
fn sections_are_put_into_a_file_and_nothing_else_changes() {
    let work = recorded();
    let text = "# Mine \r\n\n<!-- balk report command -->\nold\n<!-- end -->\nwords\t\n\
                <!-- balk report stacks -->\n<!-- end -->\nno end of line";
    fs::write(work.path().join("README.md"), text).expect("a file");
    let splice = ["report", "a", "--splice", "README.md"];
    assert_eq!(printed(work.path(), &splice), "");
    let once = read(&work, "README.md");
    assert!(
        once.starts_with("# Mine \r\n\n<!-- balk report command -->\n\n```console\nbalk bench "),
        "{once}"
    );
    assert!(once.contains("<!-- end -->\nwords\t\n<!-- balk report stacks -->\n\n| stack |"), "{once}");
    assert!(once.ends_with("\n\n<!-- end -->\nno end of line"), "{once}");
    assert!(!once.contains("\nold\n"));
    printed(work.path(), &splice);
    assert_eq!(read(&work, "README.md"), once);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let work = recorded();
    fs::write(work.path().join("real.md"), "<!-- balk report command -->\n<!-- end -->\n").expect("a file");
    std::os::unix::fs::symlink("real.md", work.path().join("link.md")).expect("a link");
    printed(work.path(), &["report", "a", "--splice", "link.md"]);
    assert!(work.path().join("link.md").is_symlink());
    assert!(read(&work, "real.md").contains("balk bench"));
}

#[test]
fn what_cannot_be_done_is_refused_and_nothing_is_touched() {
    let work = recorded();
    let mut shown = String::new();
    let broken = [
        (
            "unknown",
            "a\n<!-- balk report stack -->\n<!-- end -->\n<!-- balk report command -->\n<!-- end -->\n",
        ),
        ("unclosed", "<!-- balk report command -->\n<!-- end -->\n<!-- balk report stacks -->\n"),
        ("none", "nothing to put anything\n"),
    ];
    for (name, text) in broken {
        let file = format!("{name}.md");
        fs::write(work.path().join(&file), text).expect("a file");
        shown.push_str(&whole(&mut balk(work.path(), &["report", "a", "--splice", &file])));
        assert_eq!(read(&work, &file), text);
    }
    for arguments in [
        &["report", "b"][..],
        &["report", "a", "--splice", "missing.md"],
        &["report", "a", "--out", "a/bench.jsonl/report.md"],
    ] {
        let (code, out, err) = ran(&mut balk(work.path(), arguments));
        assert!(code == 3 && out.is_empty() && err.starts_with("error: "), "{arguments:?}: {err}");
    }
    let record = read(&work, "a/bench.jsonl");
    let (code, _, err) = ran(&mut balk(work.path(), &["report", "a", "--out", "a/bench.jsonl"]));
    assert!(code == 3 && err.contains("found a part of the record that the report shows"), "{err}");
    assert_eq!(read(&work, "a/bench.jsonl"), record);
    let (code, ..) = ran(&mut balk(work.path(), &["report", "a", "--splice", "none.md", "--out", "b"]));
    assert_eq!(code, 2);
    insta::assert_snapshot!(shown);
}

/// A record has a place for files that are not there yet, and a new folder in it is a part of it.
#[test]
fn nothing_is_written_where_a_record_has_its_files() {
    let work = recorded();
    let held = |out: &str| {
        let (code, _, err) = ran(&mut balk(work.path(), &["report", "a", "--out", out]));
        assert!(
            code == 3 && err.contains("found a part of the record that the report shows"),
            "{out}: {code} {err}"
        );
    };
    fs::create_dir(work.path().join("b")).expect("a folder");
    for out in [
        "a/judge.tsv",
        "a/reactions.json",
        "a/instructions.json",
        "a/transcripts",
        "a/transcripts/new/x.md",
        "a/transcripts/new/er/x.md",
        "a/new/../transcripts/new/x.md",
        "b/../a/./judge.tsv/x.md",
    ] {
        held(out);
        fs::create_dir_all(work.path().join("a/transcripts")).expect("a folder");
        held(out);
        fs::remove_dir_all(work.path().join("a/transcripts")).expect("a folder");
    }
    held(&work.path().join("a/judge.tsv").display().to_string());
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a", work.path().join("link")).expect("a link");
        held("link/judge.tsv");
        held("link/transcripts/new/x.md");
    }
    assert_eq!(fs::read_dir(work.path().join("a")).expect("a folder").count(), 1, "the record");
    for out in ["a/report.md", "a/new/x.md", "a/transcripts-new/x.md", "b/transcripts/x.md"] {
        assert_eq!(printed(work.path(), &["report", "a", "--out", out]), "");
    }
}
