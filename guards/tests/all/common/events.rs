//! Arbitrary transcripts, as a loop or a recorded run may produce them.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, AttemptResponse, ChoiceKind, Compaction, Completion,
    Conclusion, Entry, FailedAttempt, FinishReason, Intervention, InterventionKind, Note, Offer, Origin,
    Part, Protocol, RawCall, Speaker, Start, Status, Subject, Termination, ToolResult, Usage, UserAnswer,
    UserMessage,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{bare_offer, offer};

/// One piece of a foreign transcript.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Turn { completion: Arc<Completion>, results: Vec<ToolResult>, own: Option<bool> },
    Other(Entry),
}

pub(crate) fn text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        4 => Just("no space left".to_owned()),
        4 => Just("```python\nx\n```".to_owned()),
        1 => Just("I cannot do it because it fails. Instead, I will check.".to_owned()),
        1 => Just("connection timed out, still running".to_owned()),
        1 => Just("I'll list the files now:".to_owned()),
        1 => Just("<read>\n{\"tool\": \"read\", \"arguments\": {}}</read>".to_owned()),
        1 => Just("{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.py\"}}".to_owned()),
        1 => Just("Like this, as JSON: <tool_call>{\"name\": \"deploy\", \"arguments\": {}}</tool_call>".to_owned()),
        1 => Just(String::new()),
        1 => Just("é\u{1}```\n".repeat(250)),
        2 => any::<String>(),
    ]
}

pub(crate) fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(r#"{"path":"a.py"}"#.to_owned()),
        1 => Just(r#"{ "path" : "a.py" }"#.to_owned()),
        1 => Just(r#"{"path":100000000000000000001}"#.to_owned()),
        1 => Just(r#"{"path":"a"#.to_owned()),
        1 => Just(r#"{'path':'a.py',"#.to_owned()),
        1 => Just(r#"{'path':'a.py'"#.to_owned()),
        1 => Just(String::new()),
        1 => Just("[[1,2],null]".to_owned()),
        1 => any::<String>(),
        1 => "[a-c]{1}".prop_map(|name| format!(r#"{{"file":"{name}"}}"#)),
        2 => "[xé]{20,24}".prop_map(|text| format!(r#"{{"path":"a.py","content":"{text}"}}"#)),
    ]
}

pub(crate) fn tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => Just("write_file"),
        1 => Just("append"),
        2 => Just("read"),
        1 => Just("bash"),
        1 => Just("not.offered"),
        1 => Just("Write-File"),
    ]
}

pub(crate) fn status() -> impl Strategy<Value = Status> {
    prop_oneof![3 => Just(Status::Error), 2 => Just(Status::Ok), 1 => Just(Status::Unknown)]
}

pub(crate) fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![6 => Just(Origin::Executed), 1 => Just(Origin::Synthetic), 1 => Just(Origin::Missing)]
}

pub(crate) fn finish() -> impl Strategy<Value = FinishReason> {
    prop_oneof![
        2 => Just(FinishReason::NotGiven),
        2 => Just(FinishReason::Stop),
        1 => Just(FinishReason::ToolCall),
        2 => Just(FinishReason::Length),
        1 => Just(FinishReason::ContentFilter),
        1 => Just(FinishReason::Error),
    ]
}

pub(crate) fn completion() -> impl Strategy<Value = Arc<Completion>> {
    let part = (text(), any::<bool>()).prop_map(|(text, thinking)| {
        if thinking { Part::Thinking { text: text.into(), signature: None } } else { Part::Text(text.into()) }
    });
    (vec(part, 0..3), vec((tool(), arguments()), 0..3), finish()).prop_map(|(parts, calls, finish)| {
        // Foreign providers reuse ids.
        let raw = |(tool, arguments): (&str, String)| RawCall {
            id: "call".into(),
            tool: tool.into(),
            arguments: arguments.into(),
        };
        let calls = calls.into_iter().map(raw);
        Arc::new(Completion::new(parts, calls, finish, Usage::default(), &offer()))
    })
}

pub(crate) fn turn() -> impl Strategy<Value = Event> {
    let result = (status(), origin(), text(), 0_u32..6);
    (completion(), vec(result, 0..4), any::<Option<bool>>()).prop_map(|(completion, answers, own)| {
        // Too few results leave calls without one; too many answer the same call again.
        let calls = completion.calls.iter().cycle();
        let results = calls
            .zip(answers)
            .map(|(call, (status, origin, text, tries))| ToolResult {
                call: call.clone(),
                origin,
                status,
                tries,
                text: text.into(),
            })
            .collect();
        Event::Turn { completion, results, own }
    })
}

pub(crate) fn intervention() -> impl Strategy<Value = Entry> {
    let guard = prop_oneof![
        Just("abandonment"),
        Just("duplicate"),
        Just("no-tools"),
        Just("empty-completion"),
        Just("retry-safety"),
        Just("handoff"),
        Just("progress"),
        Just("repair"),
        Just("stack"),
        Just("cline"),
        Just("roo-code"),
        Just("hermes-like"),
        Just("other"),
    ];
    let kind = prop_oneof![
        Just(InterventionKind::Feedback),
        Just(InterventionKind::Note),
        Just(InterventionKind::Question(vec![])),
        Just(InterventionKind::Notice),
        Just(InterventionKind::Block),
        completion().prop_map(InterventionKind::Repair),
        Just(InterventionKind::Stop),
    ];
    let subject = prop_oneof![
        Just(Subject::Run),
        tool().prop_map(|tool| Subject::Tool(tool.into())),
        completion().prop_map(|it| it.calls.first().map_or(Subject::Run, |call| Subject::Call(call.key))),
    ];
    (guard, kind, any::<u8>(), subject, text(), any::<bool>()).prop_map(
        |(guard, kind, level, subject, text, seen)| {
            let rules = ["constrained", "waiting", "cycle", "repeat", "same-failure", "wandering", "r"];
            let rule = rules[usize::from(level) % rules.len()];
            let note = Note { guard: guard.into(), rule: rule.into(), level, subject, text: text.into() };
            Entry::Intervention(Intervention { kind, note, seen })
        },
    )
}

pub(crate) fn start(protocol: Protocol, offer: Arc<Offer>) -> Entry {
    Entry::Start(Start { model: "test".into(), protocol, offer })
}

pub(crate) fn cause() -> impl Strategy<Value = AttemptCause> {
    let status = || (400..600_u16, any::<Option<u64>>());
    prop_oneof![
        Just(AttemptCause::Empty),
        Just(AttemptCause::Connect),
        Just(AttemptCause::TimedOut),
        Just(AttemptCause::Disconnected),
        status().prop_map(|(code, retry_after)| AttemptCause::Status { code, retry_after }),
    ]
}

pub(crate) fn failure() -> impl Strategy<Value = AttemptFailure> {
    let facts = (any::<[Option<bool>; 6]>(), vec(tool(), 0..3), any::<bool>());
    (any::<u32>(), cause(), text(), facts).prop_map(|(attempt, cause, message, (facts, started, nothing))| {
        let [progress, visible, input, call, execution, change] = facts;
        let facts = AttemptFacts {
            provider_progress: progress,
            visible_output: visible,
            tool_input_started: input,
            tool_call_materialized: call,
            tool_execution_started: execution,
            unsafe_side_effect_started: change,
            started: started.into_iter().map(Arc::from).collect(),
        };
        let facts = if nothing { AttemptFacts::default() } else { facts };
        AttemptFailure { attempt, cause, message: message.into(), facts }
    })
}

pub(crate) fn response() -> impl Strategy<Value = AttemptResponse> {
    prop_oneof![
        any::<u64>().prop_map(|after| AttemptResponse::Resent { after }),
        Just(AttemptResponse::Asked),
        Just(AttemptResponse::Ended),
    ]
}

pub(crate) fn other() -> impl Strategy<Value = Entry> {
    prop_oneof![
        4 => intervention(),
        2 => (any::<bool>(), text()).prop_map(|(user, text)| {
            let from = if user { Speaker::User } else { Speaker::Loop };
            Entry::User(UserMessage { from, text: text.into() })
        }),
        2 => any::<[bool; 2]>().prop_map(|[bare, tool]| {
            let protocol = if tool { Protocol::Tool } else { Protocol::Text };
            start(protocol, if bare { bare_offer() } else { offer() })
        }),
        2 => (failure(), response()).prop_map(|(failure, response)| {
            Entry::Failed(FailedAttempt { failure, response })
        }),
        1 => text().prop_map(|text| {
            Entry::Answer(UserAnswer { choice: ChoiceKind::Continue, text: text.into() })
        }),
        1 => text().prop_map(|text| Entry::Compaction(Compaction { summary: text.into() })),
        1 => text().prop_map(|text| {
            let note = Note {
                guard: "handoff".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: text.into(),
            };
            Entry::Conclusion(Arc::new(Conclusion { end: Termination::NoProgress, note, gap: None }))
        }),
        1 => Just(Entry::End(Termination::Finished)),
    ]
}

pub(crate) fn events() -> impl Strategy<Value = Vec<Event>> {
    vec(prop_oneof![3 => turn(), 1 => other().prop_map(Event::Other)], 0..30)
}
