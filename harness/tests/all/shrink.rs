//! `balk shrink`: the result is small, shows the same problem, and does not shrink again.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::program::{balk, ran, whole};
use crate::common::recipe::recipe;
use balk::shrink::{Case, Shows, Shrunk, Unfit, shrink};
use balk::simulate::Simulation;
use balk_scenarios::{Scenario, WorldOptions, catalogue, format, toolsets};

fn catalogued(name: &str) -> &'static str {
    catalogue::find(name).expect("the catalogue has it").text
}

/// A job that is polled repeatedly, declared healthy: every intervention in it is false.
fn planted() -> String {
    let text = catalogued("ignores-everything");
    let (text, _) = text.split_once("\n[healthy]\n").expect("it has a healthy actor at its end");
    let text = text.replace("[stubborn", "[healthy").replace("[[stubborn", "[[healthy");
    let text = text.replace("is = \"stuck\", how = \"identical-call\"", "is = \"productive\"");
    assert!(!text.contains("is = \"stuck\""), "all of it is healthy");
    text
}

#[track_caller]
fn shrunk(text: &str, seed: u64, guard: &str, shows: &str, tries: u32) -> Result<Shrunk, Unfit> {
    let shows: Shows = shows.parse().expect("something to show");
    let (stack, contrasts) = (recipe(guard), ["none", "oracle"].map(recipe));
    let (stack, contrasts) = (&stack, &contrasts);
    let (scenario, options, stop) = (&read(text), WorldOptions::default(), &AtomicBool::new(false));
    shrink(&Case { text, scenario, seed, stack, contrasts, options, shows: &shows, tries, stop }, |_| ())
}

fn read(text: &str) -> Arc<Scenario> {
    let all = format::parse("shrunk.toml", text, toolsets::catalogue()).expect("a good scenario");
    all.into_iter().next().expect("it has an actor")
}

/// Whether the trial of a text shows this problem.
fn is_shown(text: &str, seed: u64, guard: &str, shows: &str) -> bool {
    let (scenario, recipe) = (read(text), recipe(guard));
    let simulation = Simulation::new(&scenario, &recipe, WorldOptions::default());
    let shows: Shows = shows.parse().expect("something to show");
    shows.is_in(&simulation.trial(&simulation.world(seed)))
}

const ENOUGH: u32 = 2_000;
const FALSE: &str = "false-intervention";

#[test]
fn a_planted_failure_is_all_that_is_left() {
    let found = shrunk(&planted(), 1024, "default", FALSE, ENOUGH).expect("it shows it");
    assert!(found.is_smallest);
    insta::assert_snapshot!(format!("seed {}, {} tries\n{}", found.seed, found.tries, found.text));
}

/// Scenario, seed, stack and problem.
const CASES: [(&str, u64, &str, &str); 5] = [
    ("ignores-everything", 1024, "default", "rule=duplicate:same-call-after-options"),
    ("text-only", 1024, "none", "not-recovered"),
    ("text-only", 1024, "none", "not-told"),
    ("rate-limited", 3, "none", "not-told"),
    ("broken-while-writing", 3, "retry-safety=fast-path", "rule=retry-safety:unsafe-execution-started"),
];

#[test]
fn what_is_left_shows_the_same_and_does_not_shrink_again() {
    for (name, seed, guard, shows) in CASES {
        let text = catalogued(name);
        let found = shrunk(text, seed, guard, shows, ENOUGH).unwrap_or_else(|it| panic!("{name}: {it:?}"));
        assert!(found.is_smallest && found.seed <= seed, "{name}");
        assert!(found.text.lines().count() * 2 < text.lines().count(), "{name}:\n{}", found.text);
        assert!(is_shown(&found.text, found.seed, guard, shows), "{name}");
        let again = shrunk(&found.text, found.seed, guard, shows, ENOUGH).expect("it shows it");
        assert_eq!((again.text, again.seed), (found.text, found.seed), "{name}");
    }
}

#[test]
fn the_same_trial_shrinks_to_the_same_bytes() {
    let run = || shrunk(&planted(), 77, "default", FALSE, ENOUGH).expect("it shows it");
    assert_eq!(run(), run());
}

/// Within one turn nothing recovers: the runs that the oracle recovers at the start, it also recovers at the end.
#[test]
fn what_the_oracle_does_not_show_it_does_not_show_at_the_end() {
    for (name, seed, shows) in [("text-only", 1024, "not-recovered"), ("text-only", 1024, "not-told")] {
        let found = shrunk(catalogued(name), seed, "none", shows, ENOUGH).expect("it shows it");
        assert!(!is_shown(&found.text, found.seed, "oracle", shows), "{name}, {shows}:\n{}", found.text);
    }
}

/// In a run of `outage` neither the baseline nor the oracle tells the user, so neither is a contrast.
#[test]
fn whether_anything_tells_why_is_said() {
    let shrunk =
        |name: &str, shows: &str| shrunk(catalogued(name), 1, "none", shows, 3).expect("it shows it");
    assert!(!shrunk("outage", "not-told").has_contrast);
    assert!(shrunk("abandonment", "not-recovered").has_contrast);
}

/// A smaller trial could also be disturbed by another guard, in an empty completion; that would be another problem.
#[test]
fn a_false_intervention_stays_under_its_rule() {
    let found = shrunk(&planted(), 1024, "default", FALSE, ENOUGH).expect("it shows it");
    let json = serde_json::to_string(&found.record).expect("JSON");
    assert!(json.contains("\"guard\":\"duplicate\",\"rule\":\"same-call\""), "{json}");
}

#[test]
fn tries_are_bounded() {
    let found = shrunk(&planted(), 1024, "default", FALSE, 5).expect("it shows it");
    assert!(found.tries == 5 && !found.is_smallest);
    assert!(is_shown(&found.text, found.seed, "default", FALSE));
    assert!(found.text.len() < planted().len());
}

#[test]
fn a_trial_without_it_is_refused_with_what_it_shows() {
    let unfit = shrunk(&planted(), 1024, "default", "guard-fault", ENOUGH).expect_err("no guard breaks");
    let Unfit(others) = unfit;
    assert_eq!(others[0].to_string(), FALSE);
    let work = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!(whole(&mut balk(
        work.path(),
        &["shrink", "ignores-everything", "--shows", "not-told", "--set", "limits.turns=20"],
    )));
}

#[test]
fn a_command_line_that_makes_no_sense_is_refused() {
    let work = tempfile::tempdir().expect("a folder");
    let refused = |arguments: &[&str], code: i32, says: &str| {
        let (found, out, err) = ran(&mut balk(work.path(), &[&["shrink"], arguments].concat()));
        assert!(found == code && out.is_empty() && err.contains(says), "{arguments:?}: {found}\n{err}");
    };
    refused(&["text-only", "--shows", "not-tol"], 2, "expected one of done-twice, guard-fault, not-told");
    refused(&["text-onl", "--shows", "not-told"], 2, "did you mean `text-only`?");
    refused(&["text-only", "--shows", "not-told", "--guard", "duplicat"], 2, "did you mean `duplicate`?");
    refused(&["text-only", "--shows", "not-told", "--set", "limits.turn=3"], 2, "limits.turn");
    fs::write(work.path().join("scenario.toml"), "mine").expect("a file");
    refused(&["text-only", "--shows", "not-told", "--guard", "none", "--out", "."], 3, "scenario.toml");
    assert_eq!(fs::read_to_string(work.path().join("scenario.toml")).expect("a file"), "mine");
    // Nothing can be made there, not even by root; it is said before anything is tried.
    #[cfg(target_os = "linux")]
    {
        let place = ["text-only", "--shows", "not-told", "--guard", "none", "--out", "/proc/small"];
        let (code, _, err) = ran(&mut balk(work.path(), &[&["shrink"], &place[..]].concat()));
        assert!(code == 3 && !err.contains(" tries: "), "{err}");
        assert!(
            err.starts_with("error: /proc/small: expected a folder that can be written to, found"),
            "{err}"
        );
    }
}

/// The written files are valid, and the printed command shows the problem again.
#[test]
fn the_command_that_is_printed_shows_it_again() {
    let work = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| ran(&mut balk(work.path(), arguments));
    fs::write(work.path().join("planted.toml"), planted()).expect("a file");
    let arguments =
        ["shrink", "planted.toml", "--shows", FALSE, "--set", "limits.turns=20", "--out", "small"];
    let (code, out, err) = run(&arguments);
    assert_eq!((code, &*out), (0, ""), "{err}");
    let command = err.lines().last().and_then(|it| it.strip_prefix("shows false-intervention: balk "));
    let command: Vec<&str> = command.expect("it ends with the command").split(' ').collect();
    let (code, record, _) = run(&[&command[..], &["--format", "json"]].concat());
    let record: serde_json::Value = serde_json::from_str(&record).expect("a record");
    assert_eq!(code, 0);
    assert_ne!(record["grade"]["false_interventions"], 0);
    assert_eq!(run(&["check", "small/scenario.toml"]).0, 0);
    let transcript = fs::read_to_string(work.path().join("small/transcript.txt")).expect("it is there");
    assert!(transcript.starts_with("shows false-intervention\n"), "{transcript}");
    // Without a folder the same scenario goes to standard output.
    let (_, out, _) = run(&arguments[..arguments.len() - 2]);
    assert_eq!(
        out,
        fs::read_to_string(Path::new(work.path()).join("small/scenario.toml")).expect("it is there")
    );
}
