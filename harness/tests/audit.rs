//! That every rung of every guard is reached in the catalogue, and that nothing of the default stack can be taken
//! away without anybody's notice.

mod common;
#[path = "common/program.rs"]
mod program;

use std::fmt::Write;
use std::path::Path;
use std::sync::LazyLock;

use balk::audit::{Audit, Audited, Change, Effect};
use balk::config::Config;
use common::seeds;
use program::{balk, ran};

/// A tenth of the seeds of other tests: every one is run under every change.
static AUDITED: LazyLock<Audited> = LazyLock::new(|| {
    let seeds = 0..=seeds().end() / 10;
    Audit { guard: "default", config: &Config::default(), seeds }.run().expect("the guards are known")
});

/// Whether no more than the usual seeds are run: then the lists below have no row too many.
fn exact() -> bool {
    *seeds().end() < 100
}

/// Fails where something was found that is not known, and where something is known that is found no more.
#[track_caller]
fn check(what: &str, found: &[String], known: &[(&str, &str)]) {
    let mut wrong = String::new();
    for it in found.iter().filter(|it| known.iter().all(|(known, _)| known != it)) {
        writeln!(wrong, "{what}: {it}").expect("writing to a string never fails");
    }
    for (it, why) in known.iter().filter(|(known, _)| exact() && found.iter().all(|it| it != known)) {
        writeln!(wrong, "no longer {what}, take it off the list: {it} ({why})")
            .expect("writing to a string never fails");
    }
    assert!(wrong.is_empty(), "{wrong}see: balk audit");
}

fn changes(wanted: fn(&Change, &Effect) -> bool) -> Vec<String> {
    let which = AUDITED.changes.iter().filter(|(change, effect)| wanted(change, effect));
    which.map(|(change, _)| change.to_string()).collect()
}

#[test]
fn every_rung_is_reached() {
    let dead: Vec<String> = AUDITED.dead().map(ToString::to_string).collect();
    check("dead", &dead, DEAD);
}

#[test]
fn nothing_is_done_that_no_table_declares() {
    assert_eq!(AUDITED.undeclared, []);
}

#[test]
fn every_removal_is_noticed() {
    let unnoticed = changes(|change, effect| change.is_removal() && effect.noticed.is_empty());
    check("removed without notice", &unnoticed, UNNOTICED);
}

#[test]
fn every_step_of_a_setting_is_seen() {
    let unseen = changes(|change, effect| !change.is_removal() && effect.differs.is_empty());
    check("changed without a trace", &unseen, UNSEEN);
}

#[test]
fn the_report_is_the_same_for_any_number_of_threads() {
    for format in ["text", "json"] {
        let on = |jobs| {
            let arguments = ["audit", "--seeds", "3-3", "--format", format, "--jobs", jobs];
            ran(&mut balk(Path::new("."), &arguments))
        };
        let (code, out, err) = on("1");
        assert_eq!((code, &*err), (4, ""), "one seed does not reach every rung");
        assert!(out.contains("fence-after-failures"), "{out}");
        assert_eq!(on("2"), (code, out, err));
    }
}

/// Rungs that nothing in the catalogue reaches, and why that is so.
const DEAD: &[(&str, &str)] = &[];

/// Removals that no expectation notices, and why that may be.
const UNNOTICED: &[(&str, &str)] = &[];

/// Steps of settings under which no transcript differs, and why that may be.
const UNSEEN: &[(&str, &str)] = &[];
