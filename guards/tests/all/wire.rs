//! For all entries that a loop can commit: every view is a legal request in every dialect, and every dialect reads it
//! back unchanged.

use std::sync::Arc;

use balk_guards::wire::{Answering, Asking, Dialect, Seen};
use balk_guards::{
    AttemptFailure, AttemptResponse, Choice, ChoiceKind, Compaction, Completion, Effect, Entry,
    FailedAttempt, FinishReason, Intervention, InterventionKind, Message, Note, Offer, Origin, Part,
    Protocol, RawCall, Speaker, Start, Status, Subject, Tool, ToolResult, Transcript, Usage, UserAnswer,
    UserMessage, View,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn offer() -> Arc<Offer> {
    Arc::new(Offer::new([
        Tool::new("read").effect(Effect::ReadOnly).description("Reads a file."),
        Tool::new("fs.write").effect(Effect::Write).parameters("{\n  \"type\": \"object\",\n  \"b\": 1.0 }"),
        Tool::new("finish").parameters("no schema at all"),
    ]))
}

/// Their names, once they are legal.
const TOOLS: [&str; 3] = ["read", "fs_write", "finish"];

/// One turn of the loop.
#[derive(Clone, Debug)]
struct Turn {
    failed: u32,
    parts: Vec<Part>,
    calls: Calls,
    finish: FinishReason,
    /// A guard's repair of the completion.
    repair: Option<(Vec<Part>, Calls)>,
    results: Vec<(String, Status, bool)>,
    ending: Ending,
    extra: Option<Extra>,
}

/// The id, the tool and the arguments of each call.
type Calls = Vec<(String, String, String)>;

/// The entry after the completion and its results, because of which the model is asked again.
#[derive(Clone, Debug)]
enum Ending {
    User(Vec<String>),
    Feedback(String),
    Question(String),
    Compaction(String),
    /// The calls are compacted away before they have results.
    CompactionBeforeResults(String),
}

/// Entries that are in no view, or that come beside the results.
#[derive(Clone, Debug)]
enum Extra {
    Note(String),
    NoteBeforeResults(String),
    Notice(String),
    Unseen(String),
    Tried,
}

fn text() -> impl Strategy<Value = String> + Clone {
    prop_oneof![
        4 => "[a-zé\u{1F600}\"\\\\ \n]{1,12}",
        1 => "[ \n\t\u{a0}]{0,3}",
        1 => Just("(the assistant speaks first)".to_owned()),
        1 => any::<String>(),
    ]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("  ".to_owned()),
        Just("{}".to_owned()),
        Just(" {\"a\": 1} \n".to_owned()),
        Just("{\n  \"b\": 100000000000000000001,\n  \"a\": 1.0, \"a\": 1, \"c\": 1e999\n}".to_owned()),
        Just("{\"__raw_arguments\":\"x\"}".to_owned()),
        Just("{\"__raw_arguments\":\"{\\\"__raw_arguments\\\":\\\"\\\"}\"}".to_owned()),
        Just("{\"__raw_arguments\":\"x\",\"__raw_arguments\":\"y\"}".to_owned()),
        Just("{\"lone\": \"\\ud800\"}".to_owned()),
        Just("[1, 2]".to_owned()),
        Just("null".to_owned()),
        Just("\"text\"".to_owned()),
        Just("{\"path\": \"a".to_owned()),
        Just("{} trailing".to_owned()),
        Just("[".repeat(200)),
        Just(format!("{}1{}", "{\"a\":".repeat(300), "}".repeat(300))),
        "\\{\"[a-z]{1,3}\": ?-?[1-9][0-9]{0,30}(\\.[0-9]{1,3})?\\}",
        text(),
        any::<String>(),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        2 => text().prop_map(|text| Part::Text(text.into())),
        1 => (text(), option::of("[A-Za-z0-9+/=]{1,8}|redacted_thinking:x")).prop_map(|(text, signature)| {
            Part::Thinking { text: text.into(), signature: signature.map(Into::into) }
        }),
    ]
}

fn call() -> impl Strategy<Value = (String, String, String)> {
    let id = prop_oneof![
        4 => "call_[a-z0-9]{4}",
        1 => "call_[01]|functions\\.read:[01]|hex-|hex-61| ?|toolu_[A-Z]{3}",
    ];
    let tool = prop_oneof![
        3 => Just("read".to_owned()),
        1 => "fs\\.write|fs_write|finish|no such tool|é{70}| ?",
    ];
    (id, tool, arguments())
}

fn finish() -> impl Strategy<Value = FinishReason> {
    prop_oneof![
        Just(FinishReason::Stop),
        Just(FinishReason::Length),
        Just(FinishReason::ToolCall),
        Just(FinishReason::ContentFilter),
        Just(FinishReason::Error),
        Just(FinishReason::NotGiven),
    ]
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        4 => vec(text(), 1..3).prop_map(Ending::User),
        2 => text().prop_map(Ending::Feedback),
        1 => text().prop_map(Ending::Question),
        1 => text().prop_map(Ending::Compaction),
        1 => text().prop_map(Ending::CompactionBeforeResults),
    ]
}

fn extra() -> impl Strategy<Value = Extra> {
    prop_oneof![
        text().prop_map(Extra::Note),
        text().prop_map(Extra::NoteBeforeResults),
        text().prop_map(Extra::Notice),
        text().prop_map(Extra::Unseen),
        Just(Extra::Tried),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    let status = prop_oneof![Just(Status::Ok), Just(Status::Error), Just(Status::Unknown)];
    let results = vec((text(), status, any::<bool>()), 3);
    let said = || (vec(part(), 0..=3), vec(call(), 0..=3));
    let repair = option::weighted(0.2, said());
    (0..2_u32, said(), finish(), repair, results, ending(), option::of(extra())).prop_map(
        |(failed, (parts, calls), finish, repair, results, ending, extra)| Turn {
            failed,
            parts,
            calls,
            finish,
            repair,
            results,
            ending,
            extra,
        },
    )
}

fn note(text: &str) -> Note {
    Note { guard: "g".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: text.into() }
}

fn intervention(kind: InterventionKind, text: &str, seen: bool) -> Entry {
    Entry::Intervention(Intervention { kind, note: note(text), seen })
}

fn user(text: &str) -> Entry {
    Entry::User(UserMessage { from: Speaker::User, text: text.into() })
}

fn completion(turn: &Turn, offer: &Offer) -> Completion {
    said(&turn.parts, &turn.calls, turn.finish, offer)
}

fn said(parts: &[Part], calls: &Calls, finish: FinishReason, offer: &Offer) -> Completion {
    let calls = calls.iter().map(|(id, tool, arguments)| RawCall {
        id: id.as_str().into(),
        tool: tool.as_str().into(),
        arguments: arguments.as_str().into(),
    });
    let usage = Usage { input_tokens: 3, output_tokens: 4 };
    Completion::new(parts.to_vec(), calls, finish, usage, offer)
}

/// The entries that the loop commits for one turn.
fn commit(turn: &Turn, offer: &Offer, transcript: &mut Transcript) {
    for attempt in 1..=turn.failed {
        let failure = AttemptFailure::empty(attempt);
        let response = AttemptResponse::Resent { after: 1 };
        transcript.push(Entry::Failed(FailedAttempt { failure, response }));
    }
    let mut completion = Arc::new(completion(turn, offer));
    transcript.push(Entry::Completion(completion.clone()));
    if let Some((parts, calls)) = &turn.repair {
        completion = Arc::new(said(parts, calls, turn.finish, offer));
        transcript.push(intervention(InterventionKind::Repair(completion.clone()), "mended", true));
    }
    if let Ending::CompactionBeforeResults(summary) = &turn.ending {
        transcript.push(Entry::Compaction(Compaction { summary: summary.as_str().into() }));
    }
    if let Some(Extra::NoteBeforeResults(text)) = &turn.extra {
        transcript.push(intervention(InterventionKind::Note, text, true));
    }
    for (call, (text, status, executed)) in completion.calls.iter().zip(&turn.results) {
        let result = ToolResult {
            call: call.clone(),
            origin: if *executed { Origin::Executed } else { Origin::Synthetic },
            status: *status,
            tries: u32::from(*executed),
            text: text.as_str().into(),
        };
        if let Some(Extra::Tried) = turn.extra {
            transcript.push(Entry::Tried(result.clone()));
        }
        transcript.push(Entry::Result(result));
    }
    match &turn.extra {
        Some(Extra::Note(text)) => transcript.push(intervention(InterventionKind::Note, text, true)),
        Some(Extra::Notice(text)) => transcript.push(intervention(InterventionKind::Notice, text, true)),
        Some(Extra::Unseen(text)) => transcript.push(intervention(InterventionKind::Feedback, text, false)),
        Some(Extra::NoteBeforeResults(_) | Extra::Tried) | None => {}
    }
    match &turn.ending {
        Ending::User(texts) => transcript.extend(texts.iter().map(|text| user(text))),
        Ending::Feedback(text) => transcript.push(intervention(InterventionKind::Feedback, text, true)),
        Ending::Question(text) => {
            let options = vec![Choice { kind: ChoiceKind::Continue, label: "go on".into() }];
            transcript.push(intervention(InterventionKind::Question(options), "which?", true));
            let answer = UserAnswer { choice: ChoiceKind::Continue, text: text.as_str().into() };
            transcript.push(Entry::Answer(answer));
        }
        Ending::Compaction(summary) => {
            transcript.push(Entry::Compaction(Compaction { summary: summary.as_str().into() }));
        }
        Ending::CompactionBeforeResults(_) => {}
    }
}

/// The entries up to each request: a start, with or without a first message of the user, and whole turns.
fn requests(opening: Option<&str>, turns: &[Turn]) -> Vec<Transcript> {
    let offer = offer();
    let start = Start { model: "m".into(), protocol: Protocol::Text, offer: offer.clone() };
    let mut transcript = vec![Entry::Start(start)];
    let mut requests = Vec::new();
    if let Some(text) = opening {
        transcript.push(user(text));
        requests.push(transcript.clone());
    }
    for turn in turns {
        commit(turn, &offer, &mut transcript);
        requests.push(transcript.clone());
    }
    requests
}

/// The messages as a server reads them, in brief.
fn asked(dialect: Dialect, request: &str) -> Vec<String> {
    let asked = dialect.asked(request).expect("a request");
    assert_eq!(asked.offer.tools().iter().map(|it| &*it.name).collect::<Vec<_>>(), TOOLS);
    brief(&asked.messages, true)
}

/// What messages say; with `flags`, also whether a result is known to be one of a failure.
fn brief(messages: &[Message], flags: bool) -> Vec<String> {
    let said = |message: &Message| match message {
        Message::User(text) => format!("user {text}"),
        Message::Assistant(it) => {
            let calls = it.calls.iter().map(|it| format!("{} {} {}", it.id, it.tool, it.arguments));
            format!("{:?} {:?}", it.texts().collect::<Vec<_>>(), calls.collect::<Vec<_>>())
        }
        Message::Result { id, text, is_error } => format!("{id} {} {text}", *is_error && flags),
    };
    messages.iter().map(said).collect()
}

/// The reason why it stopped where a dialect has one word for a natural end and for calls.
fn stopped(completion: &Completion) -> FinishReason {
    match completion.finish {
        FinishReason::Stop | FinishReason::ToolCall if completion.calls.is_empty() => FinishReason::Stop,
        FinishReason::Stop | FinishReason::ToolCall => FinishReason::ToolCall,
        FinishReason::Length | FinishReason::ContentFilter | FinishReason::Error | FinishReason::NotGiven => {
            completion.finish
        }
    }
}

proptest! {
    #[test]
    fn every_view_is_legal_and_comes_back_unchanged(opening in option::of(text()), turns in vec(turn(), 1..5)) {
        let offer = offer();
        let mut incremental = View::default();
        let mut taken = 0;
        for transcript in requests(opening.as_deref(), &turns) {
            for entry in &transcript[taken..] {
                incremental.push(entry);
            }
            taken = transcript.len();
            let view = View::of(&transcript);
            prop_assert_eq!(&incremental, &view);
            let seen = Seen::of(&view);
            for dialect in Dialect::ALL {
                let request = dialect.request(&view, &Asking::of("m"));
                prop_assert_eq!(dialect.legal(&request), Ok(Ok(())), "{}", &request);
                prop_assert_eq!(dialect.seen(&request, &offer), Ok(seen.clone()), "{}", &request);
                let flags = matches!(dialect, Dialect::Anthropic | Dialect::Gemini);
                prop_assert_eq!(asked(dialect, &request), brief(view.messages(), flags), "{}", &request);
            }
        }
    }

    #[test]
    fn a_completion_comes_back_unchanged_from_anthropic(turn in turn()) {
        let offer = offer();
        let completion = completion(&turn, &offer);
        let response = Dialect::Anthropic.response(&completion, &Answering::of("r1", "m"));
        prop_assert_eq!(Dialect::Anthropic.completion(&response, &offer), Ok(completion), "{}", response);
    }

    #[test]
    fn a_completion_comes_back_from_openai_as_one_text_and_without_the_seals_on_its_thinking(turn in turn()) {
        let offer = offer();
        let completion = completion(&turn, &offer);
        let response = Dialect::OpenAi.response(&completion, &Answering::of("r1", "m"));
        let back = Dialect::OpenAi.completion(&response, &offer).unwrap();
        let text = |it: &Completion| it.texts().map(|text| &**text).collect::<String>();
        prop_assert_eq!(text(&back), text(&completion));
        prop_assert_eq!(&back.calls, &completion.calls);
        prop_assert_eq!((back.finish, back.usage), (completion.finish, completion.usage));
        if back.parts.len() == back.texts().count() {
            let thoughts = completion.parts.iter().any(|part| match part {
                Part::Text(_) => false,
                Part::Thinking { text, .. } => !text.trim().is_empty(),
            });
            prop_assert!(!thoughts);
        }
    }

    #[test]
    fn a_completion_comes_back_from_responses_but_for_thinking_without_a_word_or_a_seal(turn in turn()) {
        let offer = offer();
        let mut completion = completion(&turn, &offer);
        completion.parts.retain(|part| *part != Part::Thinking { text: "".into(), signature: None });
        completion.finish = stopped(&completion);
        let response = Dialect::Responses.response(&completion, &Answering::of("r1", "m"));
        prop_assert_eq!(Dialect::Responses.completion(&response, &offer), Ok(completion), "{}", response);
    }

    #[test]
    fn a_completion_comes_back_from_gemini(turn in turn()) {
        let offer = offer();
        let mut completion = completion(&turn, &offer);
        completion.finish = stopped(&completion);
        let response = Dialect::Gemini.response(&completion, &Answering::of("r1", "m"));
        prop_assert_eq!(Dialect::Gemini.completion(&response, &offer), Ok(completion), "{}", response);
    }

    #[test]
    fn reading_never_panics(json in any::<String>()) {
        for dialect in Dialect::ALL {
            drop(dialect.seen(&json, &Offer::default()));
            drop(dialect.completion(&json, &Offer::default()));
            drop(dialect.asked(&json));
        }
    }
}
