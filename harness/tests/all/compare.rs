//! `balk compare`: what changed from one record to another, and how certain that is.

use std::path::Path;
use std::process::Stdio;

use crate::common::program::{balk, ran, whole};
use serde_json::Value;
use tempfile::TempDir;

const SUITE: &str = "alternating,paging,capability-gap,text-only-chat";

fn bench(work: &Path, out: &str, more: &[&str]) {
    let arguments = [&["bench", "--suite", SUITE, "--out", out], more].concat();
    let (code, _, err) = ran(&mut balk(work, &arguments));
    assert_eq!(code, 0, "{err}");
}

/// A bench, and two with fewer turns, the second of them with other seeds.
fn records() -> TempDir {
    let work = tempfile::tempdir().expect("a folder");
    bench(work.path(), "a", &["--guard", "default", "--guard", "no-tools", "--seeds", "0-63"]);
    let less = ["--guard", "default", "--guard", "duplicate", "--set", "limits.turns=12"];
    bench(work.path(), "b", &[&less[..], &["--seeds", "0-63"]].concat());
    bench(work.path(), "c", &[&less[..], &["--seeds", "64-127"]].concat());
    work
}

fn compare(work: &Path, more: &[&str]) -> (i32, String, String) {
    ran(balk(work, &[&["compare"], more].concat()).env_remove("GITHUB_ACTIONS"))
}

fn json(work: &Path, one: &str, two: &str) -> Value {
    let (code, out, err) = compare(work, &[one, two, "--format", "json"]);
    assert_eq!((code, &*err), (0, ""));
    serde_json::from_str(&out).expect("one object")
}

/// One figure of one cell.
fn figure<'v>(compared: &'v Value, scenario: &str, stack: &str, figure: &str) -> &'v Value {
    let cells = compared["cells"].as_array().expect("cells");
    let cell = cells.iter().find(|it| it["scenario"] == scenario && it["stack"] == stack);
    &cell.unwrap_or_else(|| panic!("{scenario} with {stack}"))[figure]
}

fn number(value: &Value) -> f64 {
    value.as_str().expect("text").parse().expect("a number")
}

#[test]
fn what_changed_is_said_in_tables() {
    let work = records();
    let mut command = balk(work.path(), &["compare", "a", "b"]);
    insta::assert_snapshot!(whole(command.env_remove("GITHUB_ACTIONS")));
}

/// Exchanging A and B reverses the sign of each change.
#[test]
fn a_comparison_turned_round_has_the_other_signs() {
    let work = records();
    let (there, back) = (json(work.path(), "a", "b"), json(work.path(), "b", "a"));
    for scenario in ["alternating", "paging"] {
        let of = |compared| figure(compared, scenario, "default", "done").clone();
        let (there, back) = (of(&there), of(&back));
        assert!(number(&there["change"]) < 0.0, "{scenario}: {there}");
        assert_eq!(there["before"], back["after"]);
        for (one, other) in [("/change", "/change"), ("/bounds/0", "/bounds/1"), ("/bounds/1", "/bounds/0")] {
            let [one, other] = [there.pointer(one), back.pointer(other)].map(|it| number(it.expect("text")));
            assert!((one + other).abs() < 1e-12, "{scenario}: {one} and {other}");
        }
        assert_eq!(there["p"], back["p"]);
    }
    let same = json(work.path(), "a", "a");
    assert_eq!((&same["notes"], &same["only"]), (&Value::Array(vec![]), &Value::Array(vec![])));
    for cell in same["cells"].as_array().expect("cells") {
        for name in ["recovery", "done"] {
            assert!(
                cell[name].is_null() || (cell[name]["change"] == "0" && cell[name]["p"] == "1"),
                "{cell}"
            );
        }
    }
}

/// Equal seeds are pairs; different seeds are not, and give wider intervals.
#[test]
fn pairs_are_compared_as_pairs_only_where_the_seeds_are_the_same() {
    let work = records();
    let (pairs, others) = (json(work.path(), "a", "b"), json(work.path(), "a", "c"));
    let of = |compared| figure(compared, "paging", "none", "done").clone();
    assert_eq!((of(&pairs)["paired"].clone(), of(&others)["paired"].clone()), (true.into(), false.into()));
    // Some of its trials never get stuck, so the stuck ones may be different ones.
    assert_eq!(figure(&pairs, "alternating", "none", "recovery")["paired"], false);
    assert!(
        others["notes"].to_string().contains("planned seeds: 0-63 in A, 64-127 in B"),
        "{}",
        others["notes"]
    );
}

/// With other pools the same seeds draw other worlds: no trial of one record is the pair of one of the other.
#[test]
fn drawn_worlds_of_other_skeletons_are_no_pairs() {
    let work = tempfile::tempdir().expect("a folder");
    for (out, more) in [("open", &[][..]), ("reserve", &["--reserve"])] {
        let bench = ["bench", "--suite", "drawn/same-call", "--guard", "default", "--trials", "20"];
        let (code, _, err) = ran(&mut balk(work.path(), &[&bench[..], &["--out", out], more].concat()));
        assert_eq!(code, 0, "{err}");
    }
    for (two, paired) in [("open", true), ("reserve", false)] {
        let compared = json(work.path(), "open", two);
        assert_eq!(figure(&compared, "drawn/same-call", "default", "done")["paired"], paired, "{two}");
    }
}

/// Rates have no p-value that could be corrected.
#[test]
fn a_mark_of_a_plot_is_called_corrected_only_where_it_is() {
    let work = tempfile::tempdir().expect("a folder");
    for (out, seeds) in [("a", "0-63"), ("b", "64-127")] {
        let bench =
            ["bench", "--suite", "alternating,paging,text-only-chat", "--guard", "cline", "--out", out];
        let (code, _, err) = ran(&mut balk(work.path(), &[&bench[..], &["--seeds", seeds]].concat()));
        assert_eq!(code, 0, "{err}");
    }
    let (_, page, _) = compare(work.path(), &["a", "b", "--format", "html"]);
    let count = |words: &str| page.matches(&format!("B minus A, with 95 % intervals. {words}")).count();
    assert_eq!(count("A filled mark is significant after correction."), 2);
    assert_eq!(count("The interval of a filled mark excludes 0; it is not corrected for "), 1);
}

/// A gate passes because of what was compared, not because nothing was.
#[test]
fn a_gate_on_a_change_needs_a_cell_in_both_records() {
    let work = records();
    for gate in ["duplicate: recovery_change<-0.01", "duplicate@paging: false_rate_change>1"] {
        let (code, out, err) = compare(work.path(), &["a", "b", "--fail-on", gate]);
        assert!(code == 2 && out.is_empty(), "{gate}: {code}\n{out}{err}");
        assert!(err.contains("expected the change of a cell in both records, found `duplicate"), "{err}");
    }
    // What is in B alone is passed over where other cells are in both; counts need one record.
    for gate in ["done_change < -0.9", "duplicate: guard_faults>0"] {
        let (code, out, err) = compare(work.path(), &["a", "b", "--fail-on", gate]);
        assert_eq!(code, 0, "{gate}: {out}{err}");
    }
}

#[test]
fn what_has_no_meaning_in_a_cell_is_not_compared() {
    let work = records();
    let compared = json(work.path(), "a", "b");
    assert!(figure(&compared, "paging", "default", "recovery").is_null(), "a control");
    assert!(figure(&compared, "capability-gap", "default", "done").is_null(), "no goal in reach");
    let stacks = compared["only"].to_string();
    assert!(stacks.contains("stacks only in A: no-tools") && stacks.contains("stacks only in B: duplicate"));
}

/// Among many cells one p-value is small by chance: no cell is called different by its own p-value alone.
#[test]
fn p_values_are_corrected_for_all_cells() {
    let work = records();
    let text = compare(work.path(), &["a", "b"]).1;
    assert!(
        text.contains("comparisons; p-values are corrected for them (Holm), intervals are not"),
        "{text}"
    );
    let compared = json(work.path(), "a", "b");
    let p: Vec<f64> = compared["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .filter(|cell| !cell["done"].is_null())
        .map(|cell| number(&cell["done"]["p"]))
        .collect();
    // The baseline and the default stack of three scenarios with a reachable goal.
    assert_eq!(p.len(), 6);
    // Among fewer cells the same difference is stronger evidence.
    let fewer = ["bench", "--suite", "paging", "--guard", "default", "--seeds", "0-63", "--out", "fewer"];
    assert_eq!(ran(&mut balk(work.path(), &fewer)).0, 0);
    let p_of = |compared: &Value| number(&figure(compared, "paging", "none", "done")["p"]);
    assert!(p_of(&json(work.path(), "fewer", "b")) < p_of(&compared));
}

#[test]
fn gates_judge_the_second_record_and_the_change_to_it() {
    let work = records();
    let check = |gates: &[&str], code: i32| {
        let (found, out, err) = compare(work.path(), &[&["a", "b"], gates].concat());
        assert_eq!(found, code, "{gates:?}\n{out}{err}");
        out
    };
    let out = check(&["--fail-on", "default@paging: done_change < -0.1", "--gate", "refuted"], 4);
    assert!(out.contains("failed: paging with default: done_change -0."), "{out}");
    check(&["--fail-on", "default@paging: done_change > 0", "--gate", "refuted"], 0);
    check(&["--fail-on", "default@paging: done_change < -0.9"], 0);
    // No visible difference is not certainty: 64 trials leave open that some are lost.
    check(&["--fail-on", "default@text-only-chat: done_change < -0.01"], 4);
    check(&["--fail-on", "default@text-only-chat: done_change < -0.01", "--gate", "refuted"], 0);
    check(&["--fail-on", "false_rate_change > 1000", "--fail-on", "double_effects>0"], 0);
    check(&["--fail-on", "default@alternating: recovery_change < 0", "--gate", "refuted"], 4);
    let (code, _, err) = compare(work.path(), &["a", "b", "--fail-on", "no-tools: done<1"]);
    assert!(code == 2 && err.contains("expected a measured stack, found `no-tools`"), "{err}");
    // Nothing ran in the second record, so nothing is known to be no worse.
    let shard = ["bench", "--suite", "paging,text-only-chat", "--guard", "default", "--seeds", "0-63"];
    let shard = [&shard[..], &["--shard", "1/100", "--out", "empty"]].concat();
    assert_eq!(ran(&mut balk(work.path(), &shard)).0, 0);
    for gate in ["done_change < -0.9", "double_effects > 0"] {
        let failing =
            |more: &[&str]| compare(work.path(), &[&["a", "empty", "--fail-on", gate], more].concat()).0;
        assert_eq!((failing(&[]), failing(&["--gate", "refuted"])), (4, 0), "{gate}");
    }
    // The reader of the output is gone.
    let mut unread = balk(work.path(), &["compare", "a", "empty", "--fail-on", "double_effects > 0"]);
    let mut unread = unread.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
    drop(unread.stdout.take());
    assert_eq!(unread.wait().expect("it ends").code(), Some(4));
    let (code, _, err) = compare(work.path(), &["a", "nothing"]);
    assert!(code == 3 && err.contains("nothing: expected a folder of balk bench"), "{err}");
}
