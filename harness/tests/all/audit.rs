//! Every rung of every guard is reached in the catalogue, and no part of the default stack can be removed unnoticed.

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::program::{balk, ran, whole};
use balk::audit::{Audit, Audited, Change, Effect, beyond_trials};
use balk::guards::{Config, Registry};

/// Eighty seeds show what a removal does to the figures. The long checks run the command with more.
static AUDITED: LazyLock<Audited> = LazyLock::new(|| {
    let (registry, config) = (Registry::standard(), Config::default());
    let audit = Audit { registry: &registry, guard: "default", config: &config, seeds: 0..=79, few: 0..=10 };
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
fn every_rung_is_reached_that_a_trial_can_come_to() {
    let dead: Vec<String> = AUDITED.dead().map(ToString::to_string).collect();
    assert_eq!(dead, [""; 0], "see: balk audit");
    let excused = AUDITED.rows.iter().filter(|(row, _)| beyond_trials(row).is_some());
    for (row, reached) in excused {
        assert_eq!(*reached, None, "{row}: a trial reaches it");
    }
}

#[test]
fn nothing_is_done_that_no_table_declares() {
    assert_eq!(AUDITED.undeclared, []);
}

#[test]
fn every_removal_is_noticed() {
    let unnoticed = changes(|change, effect| change.is_removal() && !effect.is_noticed());
    check("removed without notice", &unnoticed, UNNOTICED);
}

#[test]
fn every_step_of_a_setting_is_seen() {
    let unseen = changes(|change, effect| !change.is_removal() && effect.differs.is_empty());
    check("changed without a trace", &unseen, UNSEEN);
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    let run = |format, jobs| {
        let arguments = ["audit", "--seeds", "3-3", "--format", format, "--jobs", jobs];
        ran(&mut balk(Path::new("."), &arguments))
    };
    let (code, out, err) = run("text", "1");
    assert_eq!((code, &*err), (4, ""), "one seed does not reach every rung");
    assert!(out.contains("fence-after-failures"), "{out}");
    assert_eq!(run("text", "2"), (code, out, err));
    let (code, out, err) = run("json", "2");
    assert_eq!((code, &*err), (4, ""));
    let rungs = out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
    assert_eq!(rungs.filter(|it| it.get("reached").is_some()).count(), AUDITED.rows.len());
}

/// Rungs of other guards are neither shown nor counted. One seed leaves rungs unreached, and the report says so.
#[test]
fn only_the_rungs_of_the_audited_guards_are_shown() {
    let arguments = ["audit", "--guard", "retry-safety", "--seeds", "3-3"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &arguments));
    assert_eq!((code, &*err), (4, ""), "{out}");
    let (rungs, rest) = out.split_once("\nchanges:").expect("the changes follow the rungs");
    let guards: Vec<&str> = rungs.lines().skip(4).filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(guards, ["retry-safety"], "{out}");
    let dead = "dead rungs, with 1 seed of each scenario (more seeds may reach them): ";
    assert!(rest.contains(dead), "{rest}");
    let alone = ["audit", "--guard", "empty-completion", "--seeds", "3-3"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &alone));
    assert_eq!((code, &*err), (0, ""), "{out}");
    assert!(out.contains("\ndead rungs: 0\n"), "{out}");
}

/// Recordings are read besides the trials, and an unreadable one is reported at the end.
#[test]
fn recordings_are_looked_through() {
    let here = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/good");
    let arguments = ["audit", "--seeds", "3-3", "--format", "json", here, "nowhere.jsonl"];
    let (code, out, err) = ran(&mut balk(Path::new("."), &arguments));
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("nowhere.jsonl: cannot read: "), "{err}");
    let found = out.lines().filter(|line| line.contains(r#""recorded":{"first":{"#)).count();
    assert!(found > 0, "{out}");
}

#[test]
fn help() {
    insta::assert_snapshot!("help", whole(&mut balk(Path::new("."), &["audit", "--help"])));
}

/// Removals that no expectation notices, with the reason that allows it.
const UNNOTICED: &Known = &[
    (
        "with it too few models come back as well, so no further expectation breaks",
        &[
            "abandonment: fence-after-failures, feedback at level 1: off",
            "abandonment: unacknowledged, feedback: off",
            "no-tools: no-call, feedback: off",
        ],
    ),
    (
        "the run ends all the same, and the handoff tells the user",
        &[
            "duplicate: same-call-after-question, stop at level 4: off",
            "empty-completion: attempts-spent, stop: off",
            "retry-safety: answer-cut-off, stop: off",
        ],
    ),
    (
        "the user was told before",
        &[
            "abandonment: files-not-created, notice at level 1: off",
            "handoff: malformed-call, conclusion: off",
        ],
    ),
    ("too few runs come to it, and other guards step in", &["no-tools: limit, question: off"]),
    ("the refusal behind it keeps things from being done twice", &["retry-safety: ran-already, note: off"]),
    ("what is lacking is lacking in the second try as well", &["handoff: constrained, note: off"]),
    (
        "without the note the refusal follows, or another rule intervenes",
        &[
            "progress: unknown-tool, note at level 1: off",
            "progress: invalid-arguments, note at level 1: off",
            "progress: growing-call, note at level 1: off",
            "progress: no-op, note at level 1: off",
            "progress: near-failure, note at level 1: off",
            "progress: wandering, note at level 1: off",
            "progress: repeat, note at level 1: off",
        ],
    ),
    (
        "earlier messages stop most models; the others reach the limit, and the handoff tells the user",
        &[
            "progress: unknown-tool, question at level 3: off",
            "progress: unknown-tool, stop at level 4: off",
            "progress: growing-call, block at level 2: off",
            "progress: cycle, block at level 2: off",
            "progress: cycle, question at level 3: off",
            "progress: cycle, stop at level 4: off",
            "progress: no-op, block at level 2: off",
            "progress: no-op, question at level 3: off",
            "progress: repeat, block at level 2: off",
            "progress: repeat, question at level 3: off",
            "progress: repeat, stop at level 4: off",
            "progress: rewrite, question at level 3: off",
            "progress: rewrite, stop at level 4: off",
            "progress: wandering, block at level 2: off",
            "progress: wandering, question at level 3: off",
            "progress: wandering, stop at level 4: off",
            "progress: same-failure, question at level 3: off",
            "progress: same-failure, stop at level 4: off",
            "progress: repeated-text, question at level 3: off",
        ],
    ),
    (
        "a growing call is nearly the one before, so each rule replaces the other",
        &["progress: grown-calls, 4 to 0", "progress: near-failures, 3 to 0"],
    ),
    (
        "`same-failure`, `cycle` and `duplicate` see such failures as well",
        &["progress: equal-failures, 3 to 0"],
    ),
    ("`duplicate` sees a repeated finish with the same words", &["progress: refused-ends, 3 to 0"]),
    ("`no-tools` corrects the first of them", &["progress: refused-replies, 2 to 0"]),
    (
        "a waiting model is not stuck, and no model of the catalogue polls ten times",
        &["progress: waits, 10 to 0"],
    ),
    (
        "what a correction brings back depends on its ways out, and other rules intervene as well",
        &["progress: wandering, 12 to 0"],
    ),
];

/// Steps of settings under which no transcript differs, with the reason that allows it.
const UNSEEN: &Known = &[
    (
        "`duplicate` sees a repeated finish with the same words",
        &["progress: refused-ends, 3 to 2", "progress: refused-ends, 3 to 4"],
    ),
    ("the default policy has no limit", &["abandonment: limit, 3 to 2", "abandonment: limit, 3 to 4"]),
    ("no model waits for a refusal to lapse", &["progress: lapse, 5 to 4", "progress: lapse, 5 to 6"]),
    (
        "`no-tools` corrects the first of them",
        &["progress: refused-replies, 2 to 1", "progress: refused-replies, 2 to 3"],
    ),
    ("no model of the catalogue polls ten times", &["progress: waits, 10 to 9", "progress: waits, 10 to 11"]),
    (
        "the stack's cap on questions comes first",
        &["no-tools: questions, 3 to 2", "no-tools: questions, 3 to 4"],
    ),
    ("no actor writes calls into text", &["no-tools: text-form, false to true"]),
    (
        "no two writes of the catalogue are so nearly equal",
        &["duplicate: near-percent, 90 to 89", "duplicate: near-percent, 90 to 91"],
    ),
    (
        "no run has so many broken attempts",
        &[
            "retry-safety: budget, 10 to 9",
            "retry-safety: budget, 10 to 11",
            "retry-safety: promised-retries, 3 to 2",
            "retry-safety: promised-retries, 3 to 4",
        ],
    ),
    (
        "no provider of the catalogue asks for a minute",
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
            "stack: questions, 3 to 4",
        ],
    ),
];
