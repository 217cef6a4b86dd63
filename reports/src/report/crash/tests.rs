use std::collections::BTreeMap;

use super::*;
use crate::records::Kind;
use crate::records::crash::{Agent, CRASH_SCHEMA, InProcess, Left, Record, Run, Verdict, Word};
use crate::report::document::markdown;

fn verdict(word: Word) -> Verdict {
    Verdict {
        word,
        line: None,
        lie: word == Word::Silent,
        code: Some(0),
        runs: 1,
        requests: 1_234,
        tokens: [50_000, 1_000],
        identical_calls: 1,
        calls: [4, 4],
        same_acts: [5, 5],
        milliseconds: 2_070,
        ..Verdict::not_run(String::new())
    }
}

fn run(agent: &str, scenario: &str, kind: Kind, verdict: Verdict) -> Run {
    Run {
        agent: agent.into(),
        scenario: scenario.into(),
        kind,
        seed: "7".into(),
        folder: format!("{agent}/{scenario}-7"),
        record: Some("00".into()),
        verdict,
    }
}

/// Two agents: one with every remark, one without any.
fn record() -> Record {
    let agent =
        |name: &str, version: Option<&str>| Agent { name: name.into(), version: version.map(Into::into) };
    let told = Verdict {
        line: Some("stopped: `rm` | <b>was</b>\u{202e} refused\nmore".into()),
        code: Some(1),
        identical_calls: 5,
        interventions: vec![(3, "Do not\nrepeat".into()), (5, "…".into())],
        calls: [4, 3],
        same_acts: [2, 3],
        kept_cut: true,
        left: Left(BTreeMap::from([("sleep".into(), 2)])),
        waits: vec![500, 4_000],
        ..verdict(Word::Told)
    };
    let disturbed = Verdict { interventions: vec![(1, "Go on.".into())], ..verdict(Word::Reached) };
    let missing = Verdict::not_run("no tool for the role `remote`".into());
    let in_process = |stack: &str, word: Word, interventions: u32| InProcess {
        scenario: "repeating".into(),
        seed: "7".into(),
        stack: stack.into(),
        word,
        turns: 40,
        interventions,
    };
    Record {
        schema: CRASH_SCHEMA,
        balk: "0.1.0".into(),
        command: "balk crash --agent loud --agent quiet".into(),
        isolated: true,
        planned: 5,
        agents: vec![agent("loud", Some("1.2.3")), agent("quiet", None)],
        runs: vec![
            run("loud", "work", Kind::Control, disturbed),
            run("loud", "repeating", Kind::Stubborn, told),
            run("loud", "browsing", Kind::Control, missing),
            run("quiet", "repeating", Kind::Stubborn, verdict(Word::Silent)),
        ],
        in_process: vec![in_process("none", Word::RanOn, 0), in_process("default", Word::Told, 2)],
    }
}

#[test]
fn the_report_shows_what_stands_out_and_no_text_of_an_agent_breaks_it() {
    insta::assert_snapshot!(markdown(&crash_report(&Report::new(&[record()]))));
}

/// A verdict has the first ones of many, and their number.
#[test]
fn what_a_verdict_leaves_out_counts() {
    let many = Verdict {
        interventions: vec![(3, "Go on.".into())],
        more_interventions: 7,
        waits: vec![500, 4_000],
        more_waits: 3,
        ..verdict(Word::Reached)
    };
    let expected = "8 own words to its model, the first after act 3: Go on.; \
                    5 requests sent again, the first 2 of them after 500 to 4000 ms";
    assert_eq!(happened(&many).plain(), expected);
    let none = Verdict { interventions: Vec::new(), waits: Vec::new(), ..many.clone() };
    let expected = "7 own words to its model; 3 requests sent again";
    assert_eq!(happened(&none).plain(), expected);
    let mut record = record();
    for verdict in [many, none] {
        record.runs[0].verdict = verdict;
        assert!(record.runs[0].is_false_alarm());
        let text = csv(&Report::new(std::slice::from_ref(&record)));
        assert!(text.contains(",8,3,") || text.contains(",7,,"), "{text}");
    }
}

#[test]
fn repeats_are_compared_and_not_counted() {
    let (first, mut second) = (record(), record());
    second.runs[0].record = Some("01".into());
    second.runs[1].verdict.word = Word::Silent;
    second.runs[3].record = None;
    let report = Report::new(&[first, second]);
    assert_eq!((report.planned, report.played), (10, 8));
    assert_eq!(report.total(Kind::Stubborn).runs + report.total(Kind::Control).runs, 4);
    let repeats = report.repeats.expect("there are some");
    assert_eq!((repeats.of, repeats.same_record, repeats.same_word), (4, 2, 3));
    assert_eq!(repeats.different, ["loud work:7", "quiet repeating:7"]);
    assert_eq!(report.scenarios[0].in_process.len(), 2, "equal rows are one");
    assert_eq!(Report::new(&[record()]).repeats, None);
}

#[test]
fn one_line_a_run_in_csv() {
    let text = csv(&Report::new(&[record()]));
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(|it| it.expect("a row")).collect();
    let column = |name: &str| rows.iter().map(|it| it[name].clone()).collect::<Vec<_>>();
    assert_eq!(column("word"), ["told", "silent", "reached", "not-run"]);
    assert_eq!(column("in_process_default"), ["told", "told", "", ""]);
    assert_eq!(column("first_own_word_after"), ["3", "", "1", ""]);
    assert_eq!(column("false_alarm"), ["false", "false", "true", "false"]);
}

#[test]
fn junit_fails_what_a_user_would_not_want() {
    let text = junit(&Report::new(&[record()]));
    assert_eq!(text.matches("<failure").count(), 2, "{text}");
    assert!(
        text.contains(r#"<failure message="silent: "#) && text.contains(r#"<failure message="false-alarm: "#)
    );
    assert!(text.contains(r#"<skipped message="no tool for the role &apos;remote&apos;""#), "{text}");
}

/// A change of the form that an old reader would misread also changes its version.
#[test]
fn a_record_and_a_report_are_of_their_schemas() {
    let report = Report::new(&[record()]);
    let sealed = serde_json::to_value(record()).map(|mut it| {
        it["seal"] = "0123456789abcdef".into();
        it
    });
    let pairs = [
        (serde_json::to_value(schemars::schema_for!(Record)), sealed),
        (serde_json::to_value(Report::schema()), serde_json::to_value(&report)),
    ];
    for (schema, value) in pairs {
        let (schema, value) = (schema.expect("it is JSON"), value.expect("it is JSON"));
        let mut compiler = boon::Compiler::new();
        compiler.add_resource("a.json", schema).expect("it is a schema");
        let mut schemas = boon::Schemas::new();
        let index = compiler.compile("a.json", &mut schemas).expect("it is a schema");
        assert!(schemas.validate(&value, index).is_ok(), "{value:#}");
    }
    let text = serde_json::to_string(&record()).expect("it is JSON");
    assert_eq!(serde_json::from_str::<Record>(&text).ok(), Some(record()));
}
