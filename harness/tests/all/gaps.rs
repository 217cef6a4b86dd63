//! The traces of a run that could not reach its goal: gap reports, event log, link (spec H3, H4).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::program::{balk, ran, whole};
use balk_reports::records::{EntryRecord, GapReport, TrialRecord, gaps};
use balk_reports::report::LINK_CHARS_MAX;
use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::{Value, json};
use tempfile::TempDir;

fn empty() -> TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// A scenario whose first call cannot succeed.
fn scenario() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/no-such-input.toml").display().to_string()
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|it| it.expect("a file").path()).collect();
    all.sort();
    all
}

/// The printed schema of gap reports.
fn schema() -> (Schemas, SchemaIndex) {
    let (code, out, err) = ran(&mut balk(empty().path(), &["schema", "gap"]));
    assert_eq!((code, &*err), (0, ""));
    let mut compiler = Compiler::new();
    compiler
        .add_resource("file:///gap.json", serde_json::from_str(&out).expect("it is JSON"))
        .expect("a place of its own");
    let mut schemas = Schemas::new();
    let index = compiler.compile("file:///gap.json", &mut schemas).expect("it is a schema");
    insta::assert_snapshot!("schema", out);
    (schemas, index)
}

/// A report that the program wrote.
fn reported() -> (GapReport, String) {
    let folder = empty();
    let run = ["scenario", &scenario(), "--state-dir", "state"];
    assert_eq!(ran(&mut balk(folder.path(), &run)).0, 0);
    let [path] = &files(&folder.path().join("state/gaps"))[..] else { panic!("one report is written") };
    let text = fs::read_to_string(path).expect("it can be read");
    let report: GapReport = serde_json::from_str(&text).expect("it is a report");
    assert_eq!(path.file_name().and_then(|it| it.to_str()), Some(&*format!("gap-{}.json", report.id)));
    (report, text)
}

#[test]
fn h3_the_user_of_the_scenario_reports_what_is_lacking() {
    let (report, text) = reported();
    insta::assert_snapshot!("report", text);
    assert_eq!(reported(), (report, text), "the same run gives the same report");
}

#[test]
fn h3_the_link_says_what_was_set() {
    let folder = empty();
    let scenario = scenario();
    let set = ["--set", "limits.turns=9", "--set", "limits.calls=8"];
    let run = [&["scenario", &*scenario, "--state-dir", "state"], &set[..]].concat();
    let (_, out, _) = ran(&mut balk(folder.path(), &run));
    let lines = "%0A%20%20%20%20--set%20limits.turns%3D9%0A%20%20%20%20--set%20limits.calls%3D8%0A";
    assert!(out.contains(lines), "{out}");
}

#[test]
fn h3_nothing_is_written_unless_a_folder_is_named() {
    let folder = empty();
    let (_, out, err) =
        ran(balk(folder.path(), &["scenario", &scenario()]).env("BALK_STATE_DIR", folder.path()));
    assert!(files(folder.path()).is_empty(), "{out}{err}");
}

#[test]
fn h3_a_folder_that_cannot_be_written_to_loses_no_link() {
    let folder = empty();
    fs::write(folder.path().join("state"), "a file").expect("it can be written");
    let (code, out, err) = ran(&mut balk(folder.path(), &["scenario", &scenario(), "--state-dir", "state"]));
    assert_eq!(code, 3);
    assert!(out.contains("report it:\nhttps://agent.invalid/issues/new?title="), "{out}");
    assert!(
        out.contains("\nno repository is set, so this link leads nowhere: give one with --repository URL\n")
    );
    insta::with_settings!({filters => vec![("gap-[0-9a-f]{32}", "gap-ID")]}, {
        insta::assert_snapshot!("unwritable", err);
    });
}

#[test]
fn h4_the_event_log_is_the_record_with_the_gap() {
    let folder = empty();
    let run = ["scenario", &scenario(), "--events", "events.ndjson", "--format", "json"];
    let (code, out, err) = ran(&mut balk(folder.path(), &run));
    assert_eq!((code, &*err), (0, ""));
    let record: TrialRecord = serde_json::from_str(&out).expect("it is a record");
    let log = fs::read_to_string(folder.path().join("events.ndjson")).expect("it was written");
    let (entries, events): (Vec<Value>, Vec<Value>) = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .partition(|line: &Value| line.get("entry").is_some());
    let read: Vec<EntryRecord> =
        entries.into_iter().map(|it| serde_json::from_value(it).expect("an entry")).collect();
    assert_eq!(read, record.entries);
    let [gap] = &gaps(&record)[..] else { panic!("one gap") };
    assert_eq!(events, [json!({"event": "capability_gap", "report": gap.report})]);
    // It follows the conclusion, which has the failure unchanged.
    let lines: Vec<&str> = log.lines().collect();
    let at = lines.iter().position(|line| line.contains("capability_gap")).expect("it is there");
    assert!(lines[at - 1].contains(r#""end":{"fatal-execution":"error: no such file: data/sales.csv"}"#));
}

#[test]
fn h4_every_trial_can_be_logged() {
    let folder = empty();
    for scenario in ["abandonment", "transient-empty", "dialogue"] {
        let run = ["scenario", scenario, "--events", "events.ndjson", "--format", "json"];
        let (_, out, _) = ran(&mut balk(folder.path(), &run));
        let record: TrialRecord = serde_json::from_str(&out).expect("it is a record");
        let log = fs::read_to_string(folder.path().join("events.ndjson")).expect("it was written");
        let expected: String =
            record.entries.iter().map(|it| serde_json::to_string(it).expect("plain data") + "\n").collect();
        assert_eq!(log, expected, "{scenario}");
        fs::remove_file(folder.path().join("events.ndjson")).expect("it is there");
    }
    let nowhere = ["scenario", "dialogue", "--events", "nowhere/events.ndjson"];
    insta::assert_snapshot!("events_nowhere", whole(&mut balk(folder.path(), &nowhere)));
    let many = ["scenario", "dialogue", "--events", "events.ndjson", "--seeds", "0-1"];
    insta::assert_snapshot!("events_many", whole(&mut balk(folder.path(), &many)));
}

#[test]
fn h3_every_report_is_valid_and_none_other_is() {
    let (schemas, index) = schema();
    let valid = |it: &Value| schemas.validate(it, index).is_ok();
    let mut kinds = BTreeSet::new();
    let own = scenario();
    for (name, guard, seeds) in [
        ("repeating", "handoff", 0..6),
        ("truncated", "handoff", 0..12),
        ("near-duplicate-writer", "handoff", 0..6),
        ("capability-gap", "default", 0..9),
        ("missing-path", "default", 0..3),
        (&own, "default", 0..1),
    ] {
        for seed in seeds {
            let run = ["scenario", name, "--guard", guard, "--seed", &seed.to_string(), "--format", "json"];
            let (_, out, _) = ran(&mut balk(empty().path(), &run));
            let record: TrialRecord = serde_json::from_str(&out).expect("it is a record");
            for gap in gaps(&record) {
                let report = serde_json::to_value(&gap.report).expect("plain data");
                assert!(valid(&report), "{report}");
                kinds.insert(report["kind"].to_string());
            }
        }
    }
    let kinds: Vec<_> = kinds.into_iter().collect();
    assert_eq!(
        kinds,
        ["\"malformed-call\"", "\"missing-capability\"", "\"missing-input\"", "\"no-progress\""]
    );
    let example = include_str!("../../../reports/examples/gap-missing-capability.json");
    assert!(valid(&serde_json::from_str(example).expect("it is JSON")));
    let run = ["scenario", "capability-gap", "--seed", "5", "--format", "json"];
    let record: TrialRecord =
        serde_json::from_str(&ran(&mut balk(empty().path(), &run)).1).expect("it is a record");
    let today = gaps(&record).remove(0).report;
    assert_eq!(
        serde_json::from_str::<GapReport>(example).expect("it is a report"),
        today,
        "the example is stale"
    );

    let good = serde_json::to_value(reported().0).expect("plain data");
    assert!(valid(&good));
    for (member, value) in [
        ("schema", json!(2)),
        ("id", json!("76B0")),
        ("id", json!("G".repeat(32))),
        ("run", json!({"scenario": "a", "seed": "-1", "guard": "none"})),
        ("run", json!({"scenario": "a", "seed": "", "guard": "none"})),
        ("kind", json!("missing")),
        ("tried", json!([{"tool": "read"}])),
        ("end", json!("limit")),
        ("task", Value::Null),
        ("more", json!(1)),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        assert!(!valid(&bad), "{member}");
        let is_other_version = member == "schema";
        let read = serde_json::from_value::<GapReport>(bad).is_ok();
        assert_eq!(read, is_other_version, "{member}");
    }
}

#[test]
fn h3_a_report_is_explained_with_a_link() {
    let folder = empty();
    let (report, text) = reported();
    fs::write(folder.path().join("gap.json"), &text).expect("it can be written");
    let explain = ["explain", "gap", "gap.json", "--repository", "https://example.org/agent/"];
    let shown = whole(&mut balk(folder.path(), &explain));
    insta::assert_snapshot!("explained", shown);

    // The worst possible task: the page stays short, and the link within its limit.
    let worst = GapReport { task: "\"\n💥\u{1b}[31m".repeat(12_000), ..report };
    fs::write(folder.path().join("gap.json"), serde_json::to_string(&worst).expect("plain data"))
        .expect("it can be written");
    let (code, out, err) = ran(&mut balk(folder.path(), &explain));
    assert_eq!((code, &*err), (0, ""));
    let link = out.lines().last().expect("the link is last");
    assert!(link.starts_with("https://example.org/agent/issues/new?title=") && link.is_ascii(), "{link}");
    assert!((LINK_CHARS_MAX - 12..=LINK_CHARS_MAX).contains(&link.len()), "{}", link.len());
    assert!(out.len() < LINK_CHARS_MAX + 2_000 && !out.contains('\u{1b}'));
}

#[test]
fn reports_and_repositories_that_are_none() {
    let folder = empty();
    let (report, text) = reported();
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("it can be written");
    };
    write("good.json", &text);
    write("schema.json", &serde_json::to_string(&GapReport { schema: 2, ..report }).expect("plain data"));
    // A later version may have any form, with members in any order.
    write("later.json", "{\"area\": 51, \"schema\": 5000000000}");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut it: Value = serde_json::from_str(&text).expect("it is JSON");
        change(&mut it);
        it.to_string()
    };
    const FORGED: &str = "1, expected \u{1b}[31m\nreport it:\nhttps://example.com";
    write("id.json", &changed(&|it| it["id"] = json!(FORGED)));
    write("seed.json", &changed(&|it| it["run"]["seed"] = json!(FORGED)));
    write("forged-kind.json", &changed(&|it| it["kind"] = json!(FORGED)));
    write("forged-member.json", &changed(&|it| it[FORGED] = json!(1)));
    write("member.json", &text.replacen("\"missing\"", "\"mising\"", 1));
    write("kind.json", &text.replacen("missing-input", "missing-hat", 1));
    write("cut.json", &text[..text.len() / 2]);
    write("empty.json", "");
    let mut shown = String::new();
    for name in [
        "schema.json",
        "later.json",
        "member.json",
        "kind.json",
        "id.json",
        "seed.json",
        "forged-kind.json",
        "forged-member.json",
        "cut.json",
        "empty.json",
        "nowhere.json",
    ] {
        let (code, out, err) = ran(&mut balk(folder.path(), &["explain", "gap", name]));
        assert_eq!((code, &*out), (3, ""), "{name}");
        assert!(err.lines().count() <= 2 && !err.contains('\u{1b}'), "{err}");
        shown += &err;
    }
    insta::assert_snapshot!("bad_reports", shown);
    let long = format!("https://{}", "a".repeat(500));
    for url in ["", "example.org", "https://", "https://a b", "https://a/?x=1", "javascript:alert(1)", &long]
    {
        let (code, out, err) =
            ran(&mut balk(folder.path(), &["explain", "gap", "good.json", "--repository", url]));
        assert_eq!((code, &*out), (2, ""), "{url}: {err}");
    }
}
