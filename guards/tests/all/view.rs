//! A repair in a view: the request reads as if the model had sent the repaired completion in the first place.

use std::sync::Arc;

use balk_guards::wire::{Asking, Dialect};
use balk_guards::{
    Completion, Entry, FinishReason, Intervention, InterventionKind, Message, Note, Offer, Part, Protocol,
    RawCall, Speaker, Start, Status, Subject, ToolResult, Transcript, Usage, UserMessage, View,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// A completion of a text, and calls with these ids.
type Said = (&'static str, Vec<&'static str>);

fn completion((text, ids): &Said) -> Arc<Completion> {
    let call = |id: &&'static str| RawCall { id: (*id).into(), tool: "read".into(), arguments: "{}".into() };
    let parts = [Part::Text((*text).into())];
    let (finish, offer) = (FinishReason::ToolCall, Offer::default());
    Arc::new(Completion::new(parts, ids.iter().map(call), finish, Usage::default(), &offer))
}

fn repair(completion: &Arc<Completion>, seen: bool) -> Entry {
    let note = Note { guard: "g".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: "".into() };
    Entry::Intervention(Intervention { kind: InterventionKind::Repair(completion.clone()), note, seen })
}

fn user(text: &str) -> Entry {
    Entry::User(UserMessage { from: Speaker::User, text: text.into() })
}

/// One turn: what the model said, and the repairs of it in order. Every call of the last one has a result, and the
/// user may speak.
#[derive(Clone, Debug)]
struct Turn {
    said: Vec<Said>,
    user: bool,
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let text = prop_oneof![Just(""), Just("  "), Just("hm"), Just("done")];
    let id = prop_oneof![4 => Just("a"), 2 => Just("b"), 1 => Just("a_2"), 1 => Just("")];
    let said = (text, vec(id, 0..3));
    vec((vec(said, 1..4), any::<bool>()).prop_map(|(said, user)| Turn { said, user }), 0..6)
}

/// The entries of these turns, with every repair, or with only the last repair of each turn as the model's
/// completion.
fn transcript(turns: &[Turn], repaired: bool) -> Transcript {
    let offer = Arc::new(Offer::default());
    let start = Start { model: "m".into(), protocol: Protocol::Text, offer };
    let mut all = vec![Entry::Start(start), user("hello")];
    for turn in turns {
        let said: Vec<_> = turn.said.iter().map(completion).collect();
        let last = said.last().expect("a turn has a completion");
        if repaired {
            all.push(Entry::Completion(said[0].clone()));
            all.extend(said[1..].iter().map(|it| repair(it, true)));
        } else {
            all.push(Entry::Completion(last.clone()));
        }
        all.extend(last.calls.iter().map(|it| Entry::Result(ToolResult::executed(it, Status::Ok, "ok"))));
        all.extend(turn.user.then(|| user("go on")));
    }
    all.push(user("and then?"));
    all
}

proptest! {
    #[test]
    fn a_repair_reads_as_what_the_model_said(turns in turns()) {
        let view = View::of(&transcript(&turns, true));
        let said = View::of(&transcript(&turns, false));
        prop_assert_eq!(view.messages(), said.messages());
        for dialect in Dialect::ALL {
            let request = dialect.request(&view, &Asking::of("m"));
            prop_assert_eq!(dialect.legal(&request), Ok(Ok(())), "{}", &request);
        }
    }

    #[test]
    fn a_repair_that_the_model_never_saw_changes_nothing(turns in turns()) {
        let mut entries = transcript(&turns, true);
        let before = View::of(&entries);
        entries.push(repair(&completion(&("mended", vec!["a"])), false));
        prop_assert_eq!(&View::of(&entries), &before);
    }
}

#[track_caller]
fn check(entries: &[Entry], expected: &[Message]) {
    let view = View::of(entries);
    let neutral: Vec<_> = view.messages().iter().map(Message::neutral).collect();
    assert_eq!(neutral, expected);
}

fn assistant(said: Said) -> Message {
    Message::Assistant(completion(&said)).neutral()
}

#[test]
fn a_repair_takes_the_place_of_what_was_said_and_its_calls_are_answered() {
    let (said, made) = (completion(&("I will read it: read()", vec![])), completion(&("", vec!["a"])));
    let result = Entry::Result(ToolResult::executed(&made.calls[0], Status::Ok, "found"));
    let entries = [user("go"), Entry::Completion(said), repair(&made, true), result];
    let answer = Message::Result { id: "a".into(), text: "found".into(), is_error: false };
    check(&entries, &[Message::User("go".into()), assistant(("", vec!["a"])), answer]);
}

#[test]
fn a_repair_to_nothing_takes_the_message_away() {
    let entries =
        [user("go"), Entry::Completion(completion(&("hm", vec!["a"]))), repair(&Arc::default(), true)];
    check(&entries, &[Message::User("go".into())]);
}

#[test]
fn of_two_completions_in_one_message_only_the_last_is_repaired() {
    let entries = [
        Entry::Completion(completion(&("one", vec!["a"]))),
        Entry::Completion(completion(&("two", vec!["b"]))),
        repair(&completion(&("three", vec![])), true),
    ];
    let said = Message::Assistant(Arc::new(Completion {
        parts: vec![Part::Text("one".into()), Part::Text("three".into())],
        calls: completion(&("", vec!["a"])).calls.clone(),
        finish: FinishReason::NotGiven,
        usage: Usage::default(),
    }));
    check(&entries, &[said]);
}
