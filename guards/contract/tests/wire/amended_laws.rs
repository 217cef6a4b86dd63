//! Whatever a provider answers, and whichever of its calls are taken out or mended: all else is what the provider sent,
//! and a client reads the same of a stream as of an answer in one piece.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_contract::wire::{Amendment, Answering, CallChange, Dialect, Form};
use balk_contract::{Completion, Part, RawCall, ToolCall};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::common::{fed, offer, sse};
use crate::drawn::{Answer, anthropic, openai};
use crate::drawn_items::{gemini, responses};

/// An answer with members that are not known.
fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![openai(), responses(), anthropic(), gemini()].prop_map(|mut it| {
        it.whole = with_more(&it.whole);
        it.events = it.events.iter().map(|event| with_more(event)).collect();
        if it.dialect == Dialect::Responses {
            let numbered =
                |(at, event): (usize, &String)| format!(r#"{{"sequence_number":{at},{}"#, &event[1..]);
            it.events = it.events.iter().enumerate().map(numbered).collect();
        }
        it
    })
}

fn with_more(json: &str) -> String {
    let calls =
        ["\"function\"", "\"function_call\"", "\"custom_tool_call\"", "\"tool_use\"", "\"server_tool_use\""];
    let mut text = json.replace(r#"{"functionCall":"#, r#"{ "thoughtSignature":"S\u003d","functionCall":"#);
    for kind in calls {
        text = text.replace(
            &format!("\"type\":{kind}"),
            &format!("\"type\":{kind} , \"extra\":{{\"l\":[1.50,{{}}]}}"),
        );
    }
    for usage in ["\"usage\":{", "\"usageMetadata\":{"] {
        text = text.replace(usage, &format!("{usage} \"cached\":{{\"n\":7}},"));
    }
    text
}

/// The list with the calls of an answer in one piece: what is around it, and its elements.
fn opened(dialect: Dialect, text: &str) -> (String, Vec<String>) {
    let path: &[&str] = match dialect {
        Dialect::OpenAi => &["choices", "message", "tool_calls"],
        Dialect::Responses => &["output"],
        Dialect::Anthropic => &["content"],
        Dialect::Gemini => &["candidates", "content", "parts"],
    };
    let mut at: &RawValue = serde_json::from_str(text).expect("JSON");
    for name in path {
        if at.get().starts_with('[') {
            at = serde_json::from_str::<Vec<&RawValue>>(at.get()).expect("a list")[0];
        }
        let members: BTreeMap<String, &RawValue> = serde_json::from_str(at.get()).expect("an object");
        let Some(member) = members.get(*name) else { return (text.to_owned(), Vec::new()) };
        at = member;
    }
    let elements: Vec<&RawValue> = serde_json::from_str(at.get()).expect("a list");
    let start = at.get().as_ptr().addr() - text.as_ptr().addr();
    let around = format!("{}{}", &text[..start], &text[start + at.get().len()..]);
    (around, elements.into_iter().map(|it| it.get().to_owned()).collect())
}

fn is_call(dialect: Dialect, element: &str) -> bool {
    match dialect {
        Dialect::OpenAi => true,
        Dialect::Responses => ["{\"type\":\"function_call\"", "{\"type\":\"custom_tool_call\""]
            .iter()
            .any(|it| element.starts_with(it)),
        Dialect::Anthropic => element.starts_with("{\"type\":\"tool_use\""),
        Dialect::Gemini => element.starts_with("{ \"thoughtSignature\""),
    }
}

fn read(dialect: Dialect, form: Form, body: &str) -> Completion {
    match form {
        Form::Whole => dialect.completion(body, &offer()).expect("a response"),
        Form::Stream => fed(dialect, [body.as_bytes()]).1.unwrap_or_else(|why| panic!("{why}: {body}")),
    }
}

/// The thinking, the text, and the calls. Blank texts are dropped and neighbouring texts of Gemini are one, so white
/// space does not count.
fn said(completion: &Completion) -> (String, String, Vec<[Arc<str>; 3]>) {
    let (mut thinking, mut said) = (String::new(), String::new());
    for part in &completion.parts {
        match part {
            Part::Thinking { text, signature } => {
                thinking.extend([&**text, signature.as_deref().unwrap_or_default()]);
            }
            Part::Text(text) => said.push_str(text),
        }
    }
    let call = |it: &Arc<ToolCall>| [it.id.clone(), it.tool.clone(), it.arguments.clone()];
    (squeezed(&thinking), squeezed(&said), completion.calls.iter().map(call).collect())
}

fn squeezed(text: &str) -> String {
    text.chars().filter(|it| !it.is_whitespace()).collect()
}

/// The answer in this form.
fn body(answer: &Answer, form: Form) -> String {
    let events: Vec<&str> = answer.events.iter().map(String::as_str).collect();
    match form {
        Form::Whole => answer.whole.clone(),
        Form::Stream => sse(&events).replace("data: {", ": alive\nevent: x\ndata: {"),
    }
}

fn answering() -> Answering {
    Answering::of("r", "m")
}

const FORMS: [Form; 2] = [Form::Whole, Form::Stream];

fn fates(answer: &Answer, which: &[bool], fate: impl Fn(&Arc<ToolCall>) -> CallChange) -> Vec<CallChange> {
    let calls = read(answer.dialect, Form::Whole, &answer.whole).calls;
    let which = which.iter().chain(std::iter::repeat(&false));
    calls.iter().zip(which).map(|(call, is)| if *is { fate(call) } else { CallChange::Stays }).collect()
}

/// The events of a stream without what says where they are.
fn events(body: &str) -> Vec<Value> {
    let data = body.lines().filter_map(|it| it.strip_prefix("data: "));
    let mut events: Vec<Value> = data.filter_map(|it| serde_json::from_str(it).ok()).collect();
    for event in &mut events {
        for name in ["index", "output_index", "sequence_number"] {
            event.as_object_mut().expect("an object").remove(name);
        }
    }
    events
}

proptest! {
    #[test]
    fn what_is_not_taken_out_is_what_the_provider_sent(answer in answer(), which in vec(any::<bool>(), 5)) {
        let dialect = answer.dialect;
        let calls = fates(&answer, &which, |_| CallChange::Goes);
        let change = Amendment { calls: calls.clone(), ..Amendment::default() };
        let amended = dialect.amended(Form::Whole, &answer.whole, &change, &answering()).expect("it can be");
        let (around, elements) = opened(dialect, &answer.whole);
        let mut fates = calls.iter();
        let left: Vec<String> = elements
            .into_iter()
            .filter(|it| !is_call(dialect, it) || fates.next() == Some(&CallChange::Stays))
            .collect();
        prop_assert_eq!(opened(dialect, &amended), (around, left));
        if !calls.contains(&CallChange::Goes) {
            prop_assert_eq!(amended, answer.whole);
        }
    }

    #[test]
    fn a_stream_and_an_answer_in_one_piece_lose_the_same(
        answer in answer(), which in vec(any::<bool>(), 5), text in select(vec!["", "\n\nNote."]),
    ) {
        let dialect = answer.dialect;
        // Text is put before the words of a refusal, and into an answer that says something.
        let has = |json: &str| answer.whole.contains(json);
        let text = if has("\"refusal\"") || has("\"output\":[]") { "" } else { text };
        let calls = fates(&answer, &which, |_| CallChange::Goes);
        let mut expected = read(dialect, Form::Whole, &answer.whole);
        let mut left = calls.iter();
        expected.calls.retain(|_| left.next() == Some(&CallChange::Stays));
        let mut expected = said(&expected);
        expected.1.push_str(text.trim_start());
        let change = Amendment { calls, text: text.to_owned(), sent: 0 };
        for form in FORMS {
            let amended = dialect.amended(form, &body(&answer, form), &change, &answering()).expect("it can be");
            prop_assert_eq!(&said(&read(dialect, form, &amended)), &expected, "{:?} {}", form, amended);
        }
    }

    #[test]
    fn a_mended_call_is_the_new_one_in_every_form(answer in answer(), which in vec(any::<bool>(), 5)) {
        let dialect = answer.dialect;
        let again = |call: &Arc<ToolCall>| {
            let raw = RawCall { id: call.id.clone(), tool: "write".into(), arguments: "{\"path\": \"b\"}".into() };
            CallChange::Becomes(ToolCall::new(raw, &offer()).into())
        };
        let calls = fates(&answer, &which, again);
        let mut expected = read(dialect, Form::Whole, &answer.whole);
        for (call, fate) in expected.calls.iter_mut().zip(&calls) {
            if let CallChange::Becomes(new) = fate {
                *call = new.clone();
            }
        }
        let change = Amendment { calls, ..Amendment::default() };
        for form in FORMS {
            let amended = dialect.amended(form, &body(&answer, form), &change, &answering()).expect("it can be");
            prop_assert_eq!(said(&read(dialect, form, &amended)), said(&expected), "{:?} {}", form, amended);
        }
    }

    #[test]
    fn events_of_what_is_left_are_the_providers_and_their_places_are_continuous(
        answer in prop_oneof![responses(), anthropic()], which in vec(any::<bool>(), 5),
    ) {
        let change = Amendment { calls: fates(&answer, &which, |_| CallChange::Goes), ..Amendment::default() };
        let before = body(&answer, Form::Stream);
        let amended =
            answer.dialect.amended(Form::Stream, &before, &change, &answering()).expect("it can be");
        let (mut before, mut after) = (events(&before), events(&amended));
        // The last response has all items, which the other laws are about.
        if answer.dialect == Dialect::Responses {
            before.pop();
            after.pop();
        }
        let mut rest = before.iter();
        prop_assert!(after.iter().all(|it| rest.any(|other| other == it)), "{}", amended);
        let places: BTreeSet<u64> = amended
            .lines()
            .filter_map(|it| serde_json::from_str::<Value>(it.strip_prefix("data: ")?).ok())
            .filter_map(|it| it["index"].as_u64().or(it["output_index"].as_u64()))
            .collect();
        prop_assert!(places.iter().copied().eq(0..places.len() as u64), "{:?}", places);
    }

    #[test]
    fn what_a_client_has_of_a_stream_stays(answer in answer(), cut: Index) {
        let whole = body(&answer, Form::Stream);
        // It has nothing of a call, and not the end.
        let ends: Vec<usize> = whole.match_indices("\n\n").map(|(at, _)| at + 2).collect();
        let first = ["\"tool_calls\"", "\"tool_use\"", "functionCall", "\"function_call\"", "\"custom_tool_call\""];
        let most = first.iter().filter_map(|it| whole.find(it)).min().unwrap_or(whole.len());
        let end = ["finish_reason\":\"", "message_delta", "response.completed", "response.incomplete", "finishReason"];
        let most = end.iter().filter_map(|it| whole.find(it)).min().unwrap_or(0).min(most);
        let ends: Vec<usize> = ends.into_iter().filter(|it| *it < most).collect();
        let sent = if ends.is_empty() { 0 } else { ends[cut.index(ends.len())] };
        let calls = fates(&answer, &[true; 5], |_| CallChange::Goes);
        let change = Amendment { calls, text: "Note.".to_owned(), sent };
        let amended = answer.dialect.amended(Form::Stream, &whole, &change, &answering());
        // Text is put before the words of a refusal, and into an answer that says something.
        let has = |json: &str| answer.whole.contains(json);
        prop_assert!(amended.is_some() || has("\"refusal\"") || has("\"output\":[]"));
        let Some(amended) = amended else { return Ok(()) };
        prop_assert!(amended.starts_with(&whole[..sent]), "{}", amended);
    }

    #[test]
    fn what_is_asked_is_done_or_it_is_said_that_it_cannot_be(
        answer in answer(), which in vec(0..3, 5), text in select(vec!["", "\n\nNote."]), cut: Index,
    ) {
        let (dialect, whole) = (answer.dialect, body(&answer, Form::Stream));
        let ends: Vec<usize> = whole.match_indices("\n\n").map(|(at, _)| at + 2).collect();
        let sent = ends[cut.index(ends.len())];
        let mut expected = read(dialect, Form::Whole, &answer.whole);
        let mut calls = Vec::new();
        for (call, which) in std::mem::take(&mut expected.calls).into_iter().zip(which) {
            match which {
                0 => calls.push(CallChange::Goes),
                1 => {
                    calls.push(CallChange::Stays);
                    expected.calls.push(call);
                }
                _ => {
                    let arguments = "{\"path\": \"b\"}".into();
                    let raw = RawCall { id: call.id.clone(), tool: "write".into(), arguments };
                    let new = Arc::new(ToolCall::new(raw, &offer()));
                    calls.push(CallChange::Becomes(new.clone()));
                    expected.calls.push(new);
                }
            }
        }
        let mut expected = said(&expected);
        expected.1.push_str(text.trim_start());
        let change = Amendment { calls, text: text.to_owned(), sent };
        if let Some(amended) = dialect.amended(Form::Stream, &whole, &change, &answering()) {
            prop_assert!(amended.starts_with(&whole[..sent]), "{}", amended);
            prop_assert_eq!(said(&read(dialect, Form::Stream, &amended)), expected, "{}", amended);
        }
    }
}
