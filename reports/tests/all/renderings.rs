//! How a report is written: Markdown, JSON, CSV and JUnit of a bench that can be counted by hand.

use crate::common::small;
use balk_reports::records::{Bench, Beside, Lapse};
use balk_reports::report::{Report, Section, bench_report, csv as table, document::markdown, junit};
use boon::{Compiler, Schemas};
use quick_junit::{NonSuccessKind, TestCaseStatus};
use serde_json::Value;

fn report(seeds: u64) -> Report {
    Report::new(&small::bench(seeds), &Beside { cost: small::cost(), ..Beside::default() })
}

#[test]
fn the_report_as_people_read_it() {
    insta::assert_snapshot!(markdown(&bench_report(&report(small::SEEDS))));
}

#[test]
fn every_section_has_a_name_of_its_own() {
    for section in Section::ALL {
        assert_eq!(Section::named(section.name()), Some(section));
    }
}

/// Whatever is done of it, also nothing.
#[test]
fn the_json_is_what_its_schema_says() {
    let schema = serde_json::to_value(Report::schema()).expect("a schema is JSON");
    let mut compiler = Compiler::new();
    compiler.add_resource("report.json", schema).expect("a schema");
    let mut schemas = Schemas::new();
    let schema = compiler.compile("report.json", &mut schemas).expect("a schema");
    let nothing = Report::new(&Bench::new(small::bench(1).plan), &Beside::default());
    for report in [report(small::SEEDS), report(3), nothing] {
        let value = serde_json::to_value(&report).expect("plain data");
        schemas.validate(&value, schema).expect("as the schema says");
    }
    let mut value = serde_json::to_value(report(3)).expect("plain data");
    value["suites"][0]["rows"][0]["figures"]["recovered"]["low"] = Value::from("much");
    schemas.validate(&value, schema).expect_err("a bound is a number");
    value["suites"][0]["rows"][0]["figures"]["recovered"]["low"] = Value::from(0.5);
    value["suites"][0]["rows"][0]["more"] = Value::from(1);
    schemas.validate(&value, schema).expect_err("nobody promised that");
}

#[test]
fn numbers_in_json_have_four_digits() {
    let value = serde_json::to_value(report(small::SEEDS)).expect("plain data");
    let low = &value["suites"][0]["rows"][1]["figures"]["told"]["low"];
    assert_eq!(low, &Value::from(0.944));
    assert_eq!(value["head"]["seeds"], serde_json::json!(["0", "63"]));
}

#[test]
fn csv_reads_back() {
    let report = report(small::SEEDS);
    let text = table::render(&report);
    assert!(text.lines().all(|line| !line.is_empty()) && text.ends_with("\r\n"));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let names = reader.headers().expect("a first line").clone();
    let mut different: Vec<&str> = names.iter().collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), names.len(), "every column has a name of its own");
    let rows: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().expect("rows as long as the first");
    let of = |row: usize, name: &str| {
        let at = names.iter().position(|it| it == name).unwrap_or_else(|| panic!("a column {name}"));
        rows[row][at].to_owned()
    };
    assert_eq!(rows.len(), 9);
    // The name has commas in it.
    assert_eq!([of(1, "scenario"), of(1, "stack")], ["repeating (n=1, m=2)", "default"]);
    let numbers = ["trials", "recovered", "saved", "lost", "healthy_turns", "false_interventions", "tokens"];
    assert_eq!(numbers.map(|it| of(1, it)), ["64", "40", "36", "0", "256", "0", "3200"]);
    assert_eq!([of(1, "done_by_cause"), of(1, "p_corrected")], ["0.1250", "5.821e-11"]);
    assert_eq!([of(0, "saved"), of(0, "done_by_cause")], ["", ""]);
    assert_eq!([of(7, "false_on_controls_per_thousand"), of(4, "told_share_low")], ["25.00", "0.9440"]);
}

#[test]
fn junit_has_a_suite_for_each_scenario_and_a_case_for_each_stack() {
    let report = report(small::SEEDS);
    let gate = |stack: &str, message: &str, command: Option<&str>| junit::FailedGate {
        scenario: "gap".into(),
        stack: stack.into(),
        message: message.into(),
        command: command.map(str::to_owned),
    };
    let failed = [
        gate("peer", "told < 90 %", Some("balk scenario gap --seed 32 --guard peer")),
        gate("peer", "and \"more\"", None),
        gate("default", "too dear", None),
    ];
    let text = junit::render(&report, &failed);
    let read = quick_junit::Report::deserialize_from_str(&text).expect("well-formed");
    assert_eq!((read.tests, read.failures, read.errors), (9, 2, 0));
    let gap = &read.test_suites[1];
    assert_eq!((gap.name.as_str(), gap.tests, gap.failures), ("gap", 3, 2));
    let [none, default, peer] = &gap.test_cases[..] else { panic!("three stacks") };
    assert!(matches!(none.status, TestCaseStatus::Success { .. }));
    let TestCaseStatus::NonSuccess { kind, message, description, .. } = &peer.status else {
        panic!("it failed")
    };
    assert_eq!(*kind, NonSuccessKind::Failure);
    assert_eq!(message.as_ref().map(|it| it.as_str()), Some("told < 90 %"));
    assert_eq!(description.as_ref().map(|it| it.as_str()), Some("told < 90 %\nand \"more\""));
    let out = |it: &quick_junit::TestCase| it.system_out.as_ref().map(|it| it.as_str().to_owned());
    assert_eq!(out(peer).as_deref(), Some("balk scenario gap --seed 32 --guard peer"));
    assert_eq!(out(default).as_deref(), Some("balk scenario gap --seed 0 --guard default"));
}

#[test]
fn cells_without_a_trial_are_skipped() {
    let nothing = Report::new(&Bench::new(small::bench(1).plan), &Beside::default());
    let read = quick_junit::Report::deserialize_from_str(&junit::render(&nothing, &[])).expect("well-formed");
    let skipped = |it: &quick_junit::TestCase| matches!(it.status, TestCaseStatus::Skipped { .. });
    assert!(read.test_suites.iter().flat_map(|it| &it.test_cases).all(skipped));
}

/// What is done twice fails by itself, but not where nobody guards; other lapses need a gate.
#[test]
fn safety_fails_without_a_gate() {
    let mut bench = small::bench(small::SEEDS);
    for cell in &mut bench.cells[..2] {
        cell.lapses.insert(Lapse::DoneTwice, 5);
        cell.counts.doubled = 2;
    }
    let failed = junit::safety(&Report::new(&bench, &Beside::default()));
    let [failed] = &failed[..] else { panic!("one stack") };
    assert_eq!((&*failed.stack, &*failed.message), ("default", "done twice in 2 of 64 trials"));
    assert!(failed.command.as_ref().is_some_and(|it| it.contains("--seed 5 ")));
    // The oracle is not under test.
    bench.plan.stacks[1].guard = "oracle".into();
    assert_eq!(junit::safety(&Report::new(&bench, &Beside::default())), []);
}
