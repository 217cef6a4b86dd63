//! What is written is read again as it was.

use std::sync::Arc;

use balk::import::{
    Format, Joiner, Listed, Made, Message, Of, Outcome, Recording, Source, atif, neutral, reading,
};
use balk_guards::{Status, Usage};
use jiff::Timestamp;
use proptest::prelude::*;

use super::logs;

fn read(line: &str, format: Format) -> Recording {
    let (found, mut all) = reading::read(line.as_bytes(), None).expect("memory can be read");
    assert_eq!((found, all.len()), (Some(format), 1), "{line}\n{all:?}");
    all.remove(0).1.unwrap_or_else(|bad| panic!("{bad}\n{line}"))
}

/// ATIF has no difference between an empty text and none.
fn without_empty_texts(mut recording: Recording) -> Recording {
    for message in &mut recording.messages {
        if let Message::Assistant(said) = message {
            said.text = said.text.take().filter(|text| !text.is_empty());
        }
    }
    recording
}

#[track_caller]
fn check(recording: Recording) {
    let source = Source { file: "a file", line: 7 };
    for source in [None, Some(source)] {
        let line = neutral(&recording, source);
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(read(&line, Format::OpenAiChat), recording, "{line}");
    }
    let line = atif(&recording);
    assert!(!line.contains('\n'), "{line}");
    // A trajectory without steps has nothing to be known by.
    if !recording.messages.is_empty() {
        assert_eq!(read(&line, Format::Atif), without_empty_texts(recording), "{line}");
    }
}

#[test]
fn every_log_survives() {
    for (_, bytes) in logs() {
        let (_, found) = reading::read(&bytes[..], None).expect("memory can be read");
        for recording in found.into_iter().filter_map(|(_, found)| found.ok()) {
            let mut recording = recording;
            // A schema may lose white space.
            for tool in &mut recording.tools {
                tool.parameters = tool.parameters.take().map(|it| it.replace(['\n', '\r'], " ").into());
            }
            check(recording);
        }
    }
}

fn text() -> impl Strategy<Value = Arc<str>> {
    prop_oneof!["[a-z ]{0,9}", "\\PC{0,9}", Just("a\n\u{0}\u{2028}\"\\".to_owned())].prop_map(Arc::from)
}

/// A step of a conversation.
#[derive(Clone, Debug)]
enum Step {
    System(Arc<str>),
    User(Arc<str>),
    Said(Option<Arc<str>>, Option<Arc<str>>, Vec<Made>),
    /// The result of the call with this number, counted back from the last.
    Result(usize, Status, Arc<str>),
}

fn made((id, tool, arguments): (Option<Arc<str>>, Arc<str>, Arc<str>)) -> Made {
    Made { id, tool, arguments }
}

fn step() -> impl Strategy<Value = Step> {
    let id = prop::option::of("[ab]{1,2}".prop_map(Arc::from));
    let arguments = prop_oneof![
        Just(Arc::from("{}")),
        Just(Arc::from("{\"b\": 1.0e3,\"a\":[null]}")),
        Just(Arc::from("{\n}")),
        text()
    ];
    let calls = prop::collection::vec((id, "[a-z.]{1,5}".prop_map(Arc::from), arguments), 0..4);
    let status = prop_oneof![Just(Status::Ok), Just(Status::Error), Just(Status::Unknown)];
    prop_oneof![
        text().prop_filter("a system text says something", |it| !it.is_empty()).prop_map(Step::System),
        text().prop_map(Step::User),
        (prop::option::of(text()), prop::option::of(text()), calls).prop_map(|(thinking, text, calls)| {
            Step::Said(thinking, text, calls.into_iter().map(made).collect())
        }),
        (0..5_usize, status, text()).prop_map(|(back, status, text)| Step::Result(back, status, text)),
    ]
}

fn recordings() -> impl Strategy<Value = Recording> {
    let outcome = prop_oneof![Just(Outcome::Resolved), Just(Outcome::Failed), Just(Outcome::Unknown)];
    let schema = prop::option::of(Just(Arc::from("{\"type\": \"object\"}")));
    let tool = (text(), text(), schema).prop_map(|(name, description, parameters)| Listed {
        name,
        description,
        parameters,
    });
    let time = prop::option::of(
        (0..4_000_000_000_000_i64).prop_map(|it| Timestamp::from_millisecond(it).expect("it is in this age")),
    );
    let usage =
        (0..9_u64, 0..9_u64).prop_map(|(input_tokens, output_tokens)| Usage { input_tokens, output_tokens });
    let steps = prop::collection::vec((step(), time, usage), 0..12);
    (text(), text(), outcome, prop::collection::vec(tool, 0..3), steps).prop_map(
        |(id, model, outcome, tools, steps)| {
            let mut joiner = Joiner::default();
            let mut ids: Vec<Arc<str>> = Vec::new();
            for (step, time, usage) in steps {
                joiner.at(time);
                match step {
                    Step::System(text) => joiner.system(text),
                    Step::User(text) => joiner.user(text),
                    Step::Said(thinking, text, calls) => {
                        let calls = calls.into_iter().map(|made| {
                            let id = made.id.unwrap_or_else(|| format!("call {}", ids.len()).into());
                            ids.push(id.clone());
                            Made { id: Some(id), ..made }
                        });
                        let calls = calls.collect();
                        joiner.assistant(thinking, text, calls);
                        joiner.used(usage);
                    }
                    Step::Result(back, status, text) => {
                        if let Some(id) = ids.iter().rev().nth(back) {
                            let joined = joiner.result(Of::Id(id.clone()), status, text, String::new);
                            joined.expect("the call is there");
                        }
                    }
                }
            }
            joiner.into(Recording { id, model, outcome, tools, ..Recording::default() })
        },
    )
}

proptest! {
    #[test]
    fn every_recording_survives(recording in recordings()) {
        check(recording);
    }
}
