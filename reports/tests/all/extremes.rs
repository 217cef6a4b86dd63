//! A record with any numbers is refused, or everything can be computed from it.

use balk_reports::records::seal::Sealing;
use balk_reports::records::{BadBench, Bench, Beside, SEEDS_MAX, Seeds};
use balk_reports::report::compare::{
    Comparison, comparison_as_document, comparison_as_json, comparison_as_page,
};
use balk_reports::report::document::{Screen, html, markdown, terminal};
use balk_reports::report::{Report, bench_report, csv, junit};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::common::{live, small};
use crate::page::page_of;

const EXTREMES: [u64; 7] =
    [u64::MAX, u64::MAX - 1, i64::MAX as u64, 1 << 53, 1 << 32, u32::MAX as u64, u16::MAX as u64];

/// All numbers of a line.
fn numbers<'v>(value: &'v mut Value, all: &mut Vec<&'v mut Value>) {
    match value {
        Value::Number(_) => all.push(value),
        Value::Array(items) => items.iter_mut().for_each(|it| numbers(it, all)),
        Value::Object(members) => members.values_mut().for_each(|it| numbers(it, all)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The record with these changes of numbers: which one, counted through the lines, and what it becomes.
fn changed(bench: &Bench, changes: &[(usize, u64)]) -> Vec<u8> {
    let mut written = Vec::new();
    bench.write(&mut written).expect("a vector takes all");
    let lines = String::from_utf8(written).expect("JSON");
    let mut lines: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).expect("JSON")).collect();
    let mut all = Vec::new();
    lines.iter_mut().for_each(|line| numbers(line, &mut all));
    let count = all.len();
    for (at, number) in changes {
        *all[at % count] = (*number).into();
    }
    sealed(lines)
}

/// These lines as a record, with checksums as if they had been written so.
fn sealed(mut lines: Vec<Value>) -> Vec<u8> {
    for line in &mut lines {
        let members = line.as_object_mut().expect("a line is an object");
        members.retain(|name, _| name != "sum" && name != "seal");
    }
    let mut out = Vec::new();
    let mut sealing = Sealing::new(&mut out);
    let last = lines.pop().expect("a record has lines");
    lines.iter().for_each(|line| sealing.line(line).expect("a vector takes all"));
    sealing.last(&last).expect("a vector takes all");
    out
}

/// Everything that is computed from a record.
fn use_all(bench: &Bench) {
    let tables = Report::new(bench, &Beside::default());
    let _ = markdown(&bench_report(&tables));
    let _ = csv::render(&tables);
    let _ = junit::render(&tables, &junit::safety(&tables));
    serde_json::to_string(&tables).expect("plain data");
    page_of(bench);
    let comparison = Comparison::new(bench, bench);
    let _ = terminal(
        &comparison_as_document(&comparison, ["a", "b"]),
        Screen { colour: false, columns: Some(80) },
    );
    let _ = html(&comparison_as_page(&comparison, ["a", "b"]));
    let _ = comparison_as_json(&comparison);
    // As many parts as anybody merges.
    let mut sum = bench.cells[0].clone();
    for _ in 0..64 {
        sum.add(&bench.cells[0]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_with_any_numbers_is_refused_with_its_line_or_has_a_report(
        changes in vec((any::<usize>(), prop::sample::select(&EXTREMES[..])), 1..4),
    ) {
        for bench in [small::bench(8), live::bench(2, 3)] {
            match Bench::read(&changed(&bench, &changes)[..]) {
                Ok(read) => use_all(&read),
                Err(BadBench::Line { .. }) => {}
                Err(BadBench::Io(error)) => panic!("nothing is read from a disk: {error}"),
            }
        }
    }
}

/// The message about a record in which this text is another.
#[track_caller]
fn check_refused(old: &str, new: &str, message: &str) {
    let written = String::from_utf8(changed(&small::bench(8), &[])).expect("JSON");
    assert!(written.contains(old), "{written}");
    let lines = written.replacen(old, new, 1);
    let lines = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let bad = Bench::read(&sealed(lines)[..]).expect_err("it is refused");
    assert_eq!(bad.to_string(), message);
}

#[test]
fn counts_that_no_trials_have_are_refused_where_they_are() {
    const EXPECTED: &str = "expected counts that trials can add up to, found";
    check_refused(
        r#""guard_faults":0"#,
        r#""guard_faults":9"#,
        &format!("line 2: {EXPECTED} more onsets, repeated effects or guard faults than trials"),
    );
    check_refused(
        r#""stuck_turns":"#,
        r#""stuck_turns":4294967296"#,
        &format!("line 2: {EXPECTED} a number that is greater than any bench counts"),
    );
    check_refused(
        r#""seeds":["0","63"]"#,
        r#""seeds":["0","10000000"]"#,
        "line 1: expected at most 10000000 seeds, found those from 0 to 10000000",
    );
    let stack = r#"{"about":"what peer does","guard":"peer"}"#;
    check_refused(
        stack,
        &vec![stack; 40_000].join(","),
        "line 1: expected at most 1000 stacks, found 40002 stacks",
    );
    let mut plan = small::bench(8).plan;
    plan.scenarios = vec![plan.scenarios[0].clone(); 40_000];
    let (expected, found) = plan.check_size().expect_err("it is too large");
    assert_eq!((&*expected, &*found), ("at most 100000 cells", "40000 scenarios with 3 stacks"));
}

/// A few bytes plan ten million seeds of each of many scenarios.
#[test]
fn whether_a_record_is_whole_takes_no_look_at_each_seed() {
    let mut bench = small::bench(small::SEEDS);
    assert!(bench.is_whole());
    bench.plan.seeds = [0, SEEDS_MAX - 1];
    bench.done = vec![Seeds::range(0, SEEDS_MAX - 1); 10_000];
    assert!(bench.is_whole());
    bench.done[9_999] = Seeds::range(0, SEEDS_MAX - 2);
    assert!(!bench.is_whole());
}

#[test]
fn a_line_of_any_length_is_read_to_a_bound() {
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let bad = Bench::read(endless).expect_err("it has no end").to_string();
    assert!(bad.ends_with("found one of more than 16 MiB"), "{bad}");
}
