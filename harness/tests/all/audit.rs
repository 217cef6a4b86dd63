//! Every rung of every guard is reached, and no part of the default stack can be removed unnoticed.

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::program::{balk, ran, whole};
use balk::audit::{Audit, Audited, Change, Effect, beyond_trials, rows};
use balk::guards::{Config, Registry};

/// Eighty seeds show what a removal does to the figures. That takes minutes, so what looks at this audit is left to the
/// long checks; here, `guards/tests/all/rungs.rs` removes each rung and demands that a named test turns red.
static AUDITED: LazyLock<Audited> = LazyLock::new(|| {
    let (registry, config) = (Registry::standard(), Config::default());
    let audit = Audit {
        registry: &registry,
        guard: "default",
        config: &config,
        seeds: 0..=79,
        few: 0..=10,
        reactions: None,
    };
    audit.run(&|| ()).expect("the guards are known")
});

/// Known findings, by the reason that allows them.
type Known = [(&'static str, &'static [&'static str])];

/// Fails on a finding that is not known, and on a known one that is no longer found.
#[track_caller]
fn check(what: &str, found: &[String], known: &Known) {
    let mut wrong = String::new();
    let is_known = |it: &str| known.iter().any(|(_, known)| known.contains(&it));
    for it in found.iter().filter(|it| !is_known(it)) {
        writeln!(wrong, "{what}: {it}").expect("writing to a string never fails");
    }
    for (why, known) in known {
        for it in known.iter().filter(|known| found.iter().all(|it| it != *known)) {
            writeln!(wrong, "no longer {what}, take it off the list: {it} ({why})")
                .expect("writing to a string never fails");
        }
    }
    assert!(wrong.is_empty(), "{wrong}see: balk audit");
}

fn changes(wanted: fn(&Change, &Effect) -> bool) -> Vec<String> {
    let which = AUDITED.changes.iter().filter(|(change, effect)| wanted(change, effect));
    which.map(|(change, _)| change.to_string()).collect()
}

#[test]
#[ignore = "audits all guards with 80 seeds"]
fn every_rung_is_reached_that_a_trial_can_come_to() {
    let dead: Vec<String> = AUDITED.dead().map(ToString::to_string).collect();
    assert_eq!(dead, [""; 0], "see: balk audit");
    let excused = AUDITED.rows.iter().filter(|(row, _)| beyond_trials(row).is_some());
    for (row, reached) in excused {
        assert_eq!(*reached, None, "{row}: a trial reaches it");
    }
}

#[test]
#[ignore = "audits all guards with 80 seeds"]
fn nothing_is_done_that_no_table_declares() {
    assert_eq!(AUDITED.undeclared, []);
}

/// A figure notices, or a test of the guards: `guards/tests/all/rungs.rs` removes each rung of the table and demands
/// that the named test turns red.
#[test]
#[ignore = "audits all guards with 80 seeds"]
fn every_removal_is_noticed() {
    let held = held();
    let mut unnoticed = changes(|change, effect| change.is_removal() && !effect.is_noticed());
    unnoticed.retain(|it| !held.iter().any(|rung| *it == format!("{rung}: off")));
    check("removed without notice", &unnoticed, UNNOTICED);
    let excused: usize = UNNOTICED.iter().map(|(_, which)| which.len()).sum();
    assert!(excused <= 10, "{excused} removals are excused");
}

/// The rungs that tests of the guards notice.
fn held() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../guards/tests/rungs.tsv");
    let text = std::fs::read_to_string(path).expect("the table of the guards' tests");
    text.lines().skip(1).map(|line| line.split('\t').next().expect("a rung").to_owned()).collect()
}

#[test]
#[ignore = "audits all guards with 80 seeds"]
fn every_step_of_a_setting_is_seen() {
    let unseen = changes(|change, effect| !change.is_removal() && effect.differs.is_empty());
    check("changed without a trace", &unseen, UNSEEN);
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let run = |jobs| {
        let arguments = ["audit", "--guard", "abandonment", "--seeds", "3-3", "--jobs", jobs];
        ran(&mut balk(Path::new("."), &arguments))
    };
    let (code, out, err) = run("1");
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(out.contains("fence-after-failures"), "{out}");
    assert_eq!(run("2"), (code, out, err));
}

/// Rungs of other guards are neither shown nor counted. One seed leaves rungs unreached, and the report says so.
#[test]
fn only_the_rungs_of_the_audited_guards_are_shown() {
    let arguments = ["audit", "--guard", "handoff", "--seeds", "3-3"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &arguments));
    assert_eq!((code, &*err), (4, ""), "{out}");
    let (rungs, rest) = out.split_once("\nchanges:").expect("the changes follow the rungs");
    let guards: Vec<&str> = rungs.lines().skip(4).filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(guards, ["handoff"], "{out}");
    let dead = "dead rungs, with 1 seed of each scenario (more seeds may reach them): ";
    assert!(rest.contains(dead), "{rest}");
    let alone = ["audit", "--guard", "empty-completion", "--seeds", "3-3"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &alone));
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(out.contains("\ndead rungs: 0\n"), "{out}");
}

/// What has no guard or no transcript is refused before anything is measured.
#[test]
fn nothing_to_audit_or_to_look_through_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    std::fs::write(folder.path().join("void.jsonl"), "").expect("a file");
    std::fs::write(folder.path().join("bad.jsonl"), "no JSON\n").expect("a file");
    for (arguments, expected_code, expected) in [
        (&["--guard", "none"][..], 2, "--guard: expected a guard to change, found `none`"),
        (&["void.jsonl"], 3, "error: expected transcripts, found none"),
        (&["bad.jsonl"], 3, "error: expected transcripts, found none"),
        (&["empty"], 3, "error: expected transcripts, found none"),
        (&["nowhere"], 3, "nowhere: cannot read: "),
    ] {
        let line = [&["audit", "--seeds", "0-0"], arguments].concat();
        let (code, out, err) = ran(&mut balk(folder.path(), &line));
        assert!(code == expected_code && out.is_empty() && err.contains(expected), "{code}: {out}{err}");
    }
}

/// Recordings are read besides the trials, and an unreadable one is in the exit code.
#[test]
fn recordings_are_looked_through() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good");
    let arguments =
        ["audit", "--guard", "duplicate", "--seeds", "3-3", "--format", "json", here, "nowhere.jsonl"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &arguments));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("nowhere.jsonl: cannot read: "), "{err}");
    let found = out.lines().filter(|line| line.contains(r#""recorded":{"first":{"#)).count();
    assert!(found > 0, "{out}");
    let lines = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
    let declared = rows(&Registry::standard()).iter().filter(|row| &*row.guard == "duplicate").count();
    assert_eq!(lines.filter(|it| it.get("reached").is_some()).count(), declared);
}

#[test]
fn help() {
    insta::assert_snapshot!("help", whole(&mut balk(Path::new("."), &["audit", "--help"])));
}

/// Removals that neither a figure nor a test of the guards notices, with the reason that allows it. What remains are
/// settings that turn a rule off whose rungs, each removed alone, turn a test of the guards red.
const UNNOTICED: &Known = &[
    (
        "a growing call is nearly the one before, so each of the two rules replaces the other",
        &["progress: grown-calls, 4 to 0", "progress: near-calls, 3 to 0"],
    ),
    (
        "`same-failure`, `cycle` and `duplicate` find equal failures as well",
        &["progress: equal-failures, 3 to 0"],
    ),
    (
        "`cycle`, `repeat` and `persisting-failure` find writes to and fro as well",
        &["progress: returns, 2 to 0"],
    ),
    ("`no-tools` corrects the first replies that are refused", &["progress: refused-replies, 2 to 0"]),
    ("`no-tools` corrects the same text sooner", &["progress: same-texts, 3 to 0"]),
];

/// Steps of settings under which no transcript differs, with the reason that allows it.
const UNSEEN: &Known = &[
    ("the default policy has no limit", &["abandonment: limit, 3 to 2", "abandonment: limit, 3 to 4"]),
    (
        "no model waits for a refusal to lapse",
        &["duplicate: lapse, 5 to 6", "progress: lapse, 5 to 4", "progress: lapse, 5 to 6"],
    ),
    (
        "`no-tools` corrects the first of them",
        &["progress: refused-replies, 2 to 1", "progress: refused-replies, 2 to 3"],
    ),
    ("no user is asked so often", &["no-tools: questions, 3 to 2", "no-tools: questions, 3 to 4"]),
    ("no call grows so often and is nearly equal no sooner", &["progress: grown-calls, 4 to 5"]),
    ("no model sends a whole program once that failed before", &["progress: whole-failures, 2 to 1"]),
    (
        "no two writes are so nearly equal",
        &["duplicate: near-percent, 90 to 89", "duplicate: near-percent, 90 to 91"],
    ),
    (
        "no run has so many broken attempts",
        &[
            "retry-safety: questions, 3 to 2",
            "retry-safety: questions, 3 to 4",
            "retry-safety: total-wait, 180000 to 179999",
            "retry-safety: total-wait, 180000 to 180001",
        ],
    ),
    (
        "no provider asks for a minute",
        &["retry-safety: max-wait, 60000 to 59999", "retry-safety: max-wait, 60000 to 60001"],
    ),
    (
        "no run ends after so many reads",
        &["handoff: repeated-reads, 2 to 1", "handoff: repeated-reads, 2 to 3"],
    ),
    (
        "no run spends its corrections",
        &[
            "stack: corrections, 12 to 11",
            "stack: corrections, 12 to 13",
            "stack: window.turns, 10 to 9",
            "stack: window.turns, 10 to 11",
            "stack: window.corrections, 6 to 5",
            "stack: window.corrections, 6 to 7",
        ],
    ),
];
