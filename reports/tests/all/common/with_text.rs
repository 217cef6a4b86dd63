//! Runs with one text in every place that a scenario, a model, a tool or a guard can put one.

use std::borrow::Cow;

use balk_contract::{FinishReason, Note, Origin, Part, Speaker, Status, Subject, Termination, Usage};
use balk_reports::records::{
    CallRecord, CompletionRecord, Drawn, EntryRecord, Grade, InterventionRecord, ResultRecord, SCHEMA, Stuck,
    TrialRecord, Truth, TurnRecord,
};
use balk_reports::report::document::figure::Figure;
use balk_reports::report::document::{Block, Document, folded};
use balk_reports::report::{Recorded, firing};

/// A trial.
pub(crate) fn trial_with(text: &str, guard: &str, intervenes: bool) -> TrialRecord {
    let called = CompletionRecord {
        parts: vec![Part::Text(text.into()), Part::Thinking { text: text.into(), signature: None }],
        calls: vec![CallRecord { id: text.into(), tool: text.into(), arguments: text.into(), effect: None }],
        finish: FinishReason::Stop,
        usage: Usage::default(),
    };
    let result = ResultRecord {
        call: text.into(),
        origin: Origin::Executed,
        status: Status::Error,
        tries: 1,
        text: text.into(),
    };
    let note = Note {
        guard: Cow::Owned(text.to_owned()),
        rule: Cow::Owned(text.to_owned()),
        level: 1,
        subject: Subject::Run,
        text: text.into(),
    };
    let intervention = InterventionRecord {
        kind: text.to_owned().into(),
        options: Vec::new(),
        completion: None,
        note,
        seen: true,
    };
    let mut entries = vec![
        EntryRecord::User { from: Speaker::User, text: text.into() },
        EntryRecord::Completion(called.clone()),
        EntryRecord::Result(result.clone()),
        EntryRecord::Completion(called),
        EntryRecord::Result(result),
    ];
    if intervenes {
        entries.push(EntryRecord::Intervention(intervention));
    }
    entries.push(EntryRecord::End { termination: Termination::FatalExecution(text.into()) });
    let turn = |entry, truth| TurnRecord { entry, truth, tells_user: false, failed_attempts: 0 };
    TrialRecord {
        schema: SCHEMA,
        balk: "0".into(),
        scenario: text.into(),
        skeleton: text.into(),
        seed: "7".into(),
        guard: guard.into(),
        set: Vec::new(),
        world: vec![Drawn { name: text.into(), value: text.into() }],
        entries,
        turns: vec![turn(1, Truth::Productive), turn(3, Truth::Stuck(Stuck::SameFailure))],
        failed: Vec::new(),
        grade: Grade { turns: 2, stuck_turns: 1, interventions: intervenes.into(), ..Grade::default() },
    }
}

/// The same trial as a recorded run, with firings in its margin.
pub(crate) fn recorded_with(text: &str) -> Document {
    let firings = vec![(1, firing(text, text, text, text)), (2, firing(text, "stop", text, text))];
    let entries = trial_with(text, text, true).entries;
    let (title, end) = (text.to_owned(), text.to_owned());
    let run = Recorded { title, entries, firings, stuck: vec![2..=2], start: 2, end };
    [
        Block::Heading { level: 1, text: text.into() },
        folded(text, [Block::Figure(Figure::Timeline(run.timeline()))]),
    ]
    .into()
}
