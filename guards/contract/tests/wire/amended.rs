//! What is asked of an answer is done, or it is said that it cannot be.

use balk_contract::wire::{Amendment, Answering, CallChange, Dialect, Form};
use balk_contract::{RawCall, ToolCall};

use crate::common::{fed, offer, sse};

/// A call of `write` with new arguments.
fn written(id: &str) -> CallChange {
    let raw = RawCall { id: id.into(), tool: "write".into(), arguments: r#"{"path":"b"}"#.into() };
    CallChange::Becomes(ToolCall::new(raw, &offer()).into())
}

fn amended(dialect: Dialect, body: &str, change: &Amendment) -> Option<String> {
    dialect.amended(Form::Stream, body, change, &Answering::of("r", "m"))
}

/// The names and the arguments of the calls in a stream.
fn calls(dialect: Dialect, body: &str) -> Vec<(String, String)> {
    let read = fed(dialect, [body.as_bytes()]).1.expect("an answer");
    read.calls.iter().map(|it| (it.tool.to_string(), it.arguments.to_string())).collect()
}

#[track_caller]
fn is_mended(dialect: Dialect, events: &[&str]) -> String {
    let change = Amendment { calls: vec![written("c")], ..Amendment::default() };
    let amended = amended(dialect, &sse(events), &change).expect("it can be");
    assert_eq!(calls(dialect, &amended), [("write".to_owned(), r#"{"path":"b"}"#.to_owned())]);
    amended
}

fn chunk(delta: &str) -> String {
    format!(r#"{{"id":"a","choices":[{{"index":0,"delta":{delta},"finish_reason":null}}]}}"#)
}

const CHAT_END: &str = r#"{"id":"a","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;

#[test]
fn a_call_of_a_chat_whose_pieces_have_no_arguments_is_mended() {
    let piece = r#"{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ls"}}]}"#;
    is_mended(Dialect::OpenAi, &[&chunk(piece), CHAT_END, "[DONE]"]);
}

#[test]
fn a_call_of_anthropic_without_input_gets_an_event_with_it() {
    let start = |input: &str| {
        let block = format!(r#"{{"type":"tool_use","id":"c","name":"ls"{input}}}"#);
        format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#)
    };
    let begins =
        r#"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}"#;
    let stop = r#"{"type":"content_block_stop","index":0}"#;
    let ends = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#;
    let over = r#"{"type":"message_stop"}"#;
    for input in [r#","input":{}"#, r#","input":{"path":"a"}"#] {
        is_mended(Dialect::Anthropic, &[begins, &start(input), stop, ends, over]);
    }
    let amended = is_mended(Dialect::Anthropic, &[begins, &start(r#","input":{}"#), stop, ends, over]);
    let delta = r#"{"type":"input_json_delta","partial_json":"{\"path\":\"b\"}"}"#;
    let delta = format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#);
    let expected = format!("event: content_block_delta\ndata: {delta}\n\ndata: {stop}\n\n");
    assert!(amended.contains(&expected), "{amended}");
}

#[test]
fn a_text_that_has_no_place_any_more_is_not_left_out_in_silence() {
    let text = chunk(r#"{"content":"I look."}"#);
    let usage = r#"{"id":"a","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let (begun, rest) = (
        sse(&[&text, r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#]),
        sse(&[usage, "[DONE]"]),
    );
    let body = begun.clone() + &rest;
    let with = |sent: usize| {
        let change = Amendment { text: "\n\nNote.".to_owned(), sent, ..Amendment::default() };
        amended(Dialect::OpenAi, &body, &change)
    };
    assert!(with(0).expect("there is room").contains("Note."));
    assert_eq!(with(begun.len()), None);
}

#[test]
fn a_call_that_a_client_has_is_not_taken_out() {
    let call = r#"{"type":"function_call","id":"fc","call_id":"c","name":"ls","arguments":"{}"}"#;
    let done = format!(r#"{{"type":"response.output_item.done","output_index":0,"item":{call}}}"#);
    let message =
        r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]}"#;
    let message = format!(r#"{{"type":"response.output_item.done","output_index":1,"item":{message}}}"#);
    let end = format!(
        r#"{{"type":"response.completed","response":{{"id":"r","status":"completed","output":[{call}]}}}}"#
    );
    let begun = sse(&[&done]);
    let body = begun.clone() + &sse(&[&message, &end]);
    for (fate, sent) in [(CallChange::Goes, begun.len()), (written("c"), begun.len())] {
        let change = Amendment { calls: vec![fate.clone()], text: String::new(), sent };
        assert_eq!(amended(Dialect::Responses, &body, &change), None, "{fate:?}");
    }
    // More than there is.
    let change = Amendment { calls: vec![CallChange::Stays], text: String::new(), sent: body.len() + 1 };
    assert_eq!(amended(Dialect::Responses, &body, &change), None);
}

#[test]
fn a_call_in_a_namespace_does_not_become_one_outside() {
    let call = |more: &str| {
        format!(r#"{{"type":"function_call","id":"fc","call_id":"c","name":"ls","arguments":"{{}}"{more}}}"#)
    };
    let change = Amendment { calls: vec![written("c")], ..Amendment::default() };
    for (more, can_be) in [("", true), (r#","namespace":null"#, true), (r#","namespace":"n""#, false)] {
        let whole = format!(r#"{{"id":"r","status":"completed","output":[{}]}}"#, call(more));
        let answering = Answering::of("r", "m");
        let amended = Dialect::Responses.amended(Form::Whole, &whole, &change, &answering);
        assert_eq!(amended.is_some(), can_be, "{more}");
    }
}

#[test]
fn a_text_below_an_answer_that_has_no_place_for_it_is_none() {
    let change = Amendment { text: "Note.".to_owned(), ..Amendment::default() };
    let refuses =
        r#"{"choices":[{"index":0,"message":{"role":"assistant","refusal":"No."},"finish_reason":"stop"}]}"#;
    let empty = r#"{"id":"r","status":"completed","output":[]}"#;
    for (dialect, body) in [(Dialect::OpenAi, refuses), (Dialect::Responses, empty)] {
        assert_eq!(
            dialect.amended(Form::Whole, body, &change, &Answering::of("r", "m")),
            None,
            "{dialect:?}"
        );
    }
}

#[test]
fn what_cannot_be_read_is_not_changed() {
    let none = Amendment::default();
    for dialect in Dialect::ALL {
        for (form, body) in
            [(Form::Whole, "[]"), (Form::Whole, "{"), (Form::Stream, "data: {\n\n"), (Form::Stream, "")]
        {
            assert_eq!(
                dialect.amended(form, body, &none, &Answering::of("r", "m")),
                None,
                "{dialect:?} {body}"
            );
        }
    }
}
