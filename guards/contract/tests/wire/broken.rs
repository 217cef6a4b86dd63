//! Streams that break.

use balk_contract::wire::{Dialect, STREAM_BYTES};
use balk_contract::{AttemptCause, AttemptFacts, FinishReason, Part};

use crate::common::{fed, finished, read, sse};

const DISCONNECTED: AttemptCause = AttemptCause::Disconnected;
const CUT: &str = "the stream ended before the answer did";

fn status(code: u16) -> AttemptCause {
    AttemptCause::Status { code, retry_after: None }
}

fn facts(progress: bool, output: bool, input: bool, call: bool) -> AttemptFacts {
    AttemptFacts {
        provider_progress: Some(progress),
        visible_output: Some(output),
        tool_input_started: Some(input),
        tool_call_materialized: Some(call),
        ..AttemptFacts::default()
    }
}

#[track_caller]
fn breaks(dialect: Dialect, events: &[&str], cause: AttemptCause, message: &str, facts: AttemptFacts) {
    let broken = read(dialect, events).unwrap_err();
    assert_eq!((broken.cause, &*broken.message, &broken.facts), (cause, message, &facts));
}

const TEXT: &str = r#"{"choices":[{"delta":{"content":"Let me look."}}]}"#;
const INPUT: &str = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls",
    "arguments":"{\"p\":"}}]}}]}"#;
const REST: &str = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]}"#;

#[test]
fn the_facts_say_how_far_an_answer_of_openai_came() {
    let opening = r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
    let none = facts(false, false, false, false);
    breaks(Dialect::OpenAi, &[], DISCONNECTED, CUT, none.clone());
    assert!(none.is_nothing());
    breaks(Dialect::OpenAi, &[opening], DISCONNECTED, CUT, facts(true, false, false, false));
    breaks(Dialect::OpenAi, &[opening, TEXT], DISCONNECTED, CUT, facts(true, true, false, false));
    breaks(Dialect::OpenAi, &[TEXT, INPUT], DISCONNECTED, CUT, facts(true, true, true, false));
    breaks(Dialect::OpenAi, &[TEXT, INPUT, REST], DISCONNECTED, CUT, facts(true, true, true, true));
}

const START: &str = r#"{"type":"message_start","message":{"usage":{"input_tokens":5}}}"#;
const BLOCK: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c",
    "name":"ls","input":{}}}"#;
const BLOCK_STOP: &str = r#"{"type":"content_block_stop","index":0}"#;

#[test]
fn the_facts_say_how_far_an_answer_of_anthropic_came() {
    let text = r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"So:"}}"#;
    breaks(Dialect::Anthropic, &[START], DISCONNECTED, CUT, facts(true, false, false, false));
    breaks(Dialect::Anthropic, &[START, text], DISCONNECTED, CUT, facts(true, true, false, false));
    breaks(Dialect::Anthropic, &[START, BLOCK], DISCONNECTED, CUT, facts(true, false, true, false));
    breaks(Dialect::Anthropic, &[BLOCK, BLOCK_STOP], DISCONNECTED, CUT, facts(true, false, true, true));
}

#[test]
fn a_tool_that_the_provider_ran_is_among_the_facts() {
    let search = r#"{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s",
        "name":"web_search","input":{}}}"#;
    let facts = AttemptFacts {
        tool_execution_started: Some(true),
        unsafe_side_effect_started: None,
        started: vec!["web_search".into()],
        ..facts(true, false, false, false)
    };
    breaks(Dialect::Anthropic, &[START, search], DISCONNECTED, CUT, facts);
}

#[test]
fn what_arrived_is_kept_with_the_calls_that_are_whole() {
    let second = r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"write",
        "arguments":"{"}}]}}]}"#;
    let partial = read(Dialect::OpenAi, &[TEXT, INPUT, REST, second]).unwrap_err().partial;
    assert_eq!(partial.parts, [Part::Text("Let me look.".into())]);
    assert_eq!(partial.calls.iter().map(|call| &*call.id).collect::<Vec<_>>(), ["a"]);
    assert_eq!(partial.finish, FinishReason::Error);
    let begun = r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"d","name":"ls",
        "input":{}}}"#;
    let partial = read(Dialect::Anthropic, &[START, BLOCK, BLOCK_STOP, begun]).unwrap_err().partial;
    assert_eq!(partial.calls.iter().map(|call| &*call.id).collect::<Vec<_>>(), ["c"]);
    assert_eq!((partial.finish, partial.usage.input_tokens), (FinishReason::Error, 5));
}

#[test]
fn an_error_in_the_stream_has_the_status_that_it_stands_for() {
    let cases = [
        (
            Dialect::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error",
            "message":"Overloaded"}}"#,
            529,
            "Overloaded",
        ),
        (
            Dialect::Anthropic,
            r#"{"type":"error","error":{"type":"api_error",
            "message":"Internal"}}"#,
            500,
            "Internal",
        ),
        (
            Dialect::OpenAi,
            r#"{"error":{"message":"Slow down.","type":"requests","param":null,
            "code":"rate_limit_exceeded"}}"#,
            429,
            "Slow down.",
        ),
        (
            Dialect::OpenAi,
            r#"{"error":{"message":"Too long.","type":"invalid_request_error",
            "code":null}}"#,
            400,
            "Too long.",
        ),
        (
            Dialect::OpenAi,
            r#"{"error":{"code":502,"message":"Bad gateway"},"choices":[{"index":0,
            "delta":{"content":""},"finish_reason":"error"}]}"#,
            502,
            "Bad gateway",
        ),
        (
            Dialect::OpenAi,
            r#"{"object":"error","message":"No such model.","type":"NotFoundError",
            "code":404}"#,
            404,
            "No such model.",
        ),
        (Dialect::OpenAi, r#"{"error":"out of memory"}"#, 500, "out of memory"),
        (Dialect::OpenAi, r#"{"error":{"type":"server_error"}}"#, 500, "server_error"),
        (Dialect::OpenAi, r#"{"error":{"why":[1]}}"#, 500, r#"{"why":[1]}"#),
    ];
    for (dialect, event, code, message) in cases {
        breaks(dialect, &[event], status(code), message, facts(true, false, false, false));
    }
}

#[test]
fn an_event_that_cannot_be_read_says_where() {
    let message = "an event of the stream cannot be read: choices[0].delta.content: invalid type: integer `3`, \
                   expected a string or an array of content parts at line 1 column 33";
    let event = r#"{"choices":[{"delta":{"content":3}}]}"#;
    breaks(Dialect::OpenAi, &[TEXT, event, "[DONE]"], DISCONNECTED, message, facts(true, true, false, false));
    let nameless = r#"{"choices":[{"delta":{"tool_calls":[{"id":"a"}]},"finish_reason":"tool_calls"}]}"#;
    let message = "an event of the stream cannot be read: choices[0].delta.tool_calls[0].function.name: expected a \
                   string, found nothing";
    breaks(Dialect::OpenAi, &[nameless], DISCONNECTED, message, facts(true, false, true, false));
}

#[test]
fn a_broken_stream_reads_as_a_sentence() {
    let broken = read(Dialect::OpenAi, &[TEXT]).unwrap_err();
    assert_eq!(broken.to_string(), format!("the connection was lost: {CUT}"));
}

#[test]
fn the_last_event_need_not_be_followed_by_an_empty_line() {
    let last = r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}"#;
    let stream = format!("data: {last}");
    assert!(fed(Dialect::OpenAi, [stream.as_bytes()]).1.is_ok());
    // If the stream breaks at such an event, its text was never shown.
    let (seen, end) = fed(Dialect::OpenAi, [format!("data: {TEXT}").as_bytes()]);
    let facts = end.unwrap_err().facts;
    assert_eq!((&*seen.text, facts.provider_progress, facts.visible_output), ("", Some(true), Some(false)));
    let cut = &stream[..stream.len() - 1];
    assert_eq!(&*fed(Dialect::OpenAi, [cut.as_bytes()]).1.unwrap_err().message, CUT);
}

#[test]
fn other_bytes_than_text_are_refused() {
    let broken = fed(Dialect::OpenAi, [&b"data: \xff\n\n"[..]]).1.unwrap_err();
    assert_eq!(&*broken.message, "expected UTF-8 in the stream, found other bytes");
    let page = fed(Dialect::OpenAi, [&b"<html>\n\nBad gateway"[..]]).1.unwrap_err();
    assert_eq!(&*page.message, CUT);
}

#[test]
fn a_stream_that_never_ends_is_an_error_and_no_event_is_read_twice() {
    let mut reader = Dialect::OpenAi.stream();
    let line = vec![b'a'; 1 << 20];
    let mut taken = 0;
    while !reader.is_over() {
        reader.feed(&line);
        taken += line.len();
    }
    assert!(taken > STREAM_BYTES);
    let mut reader2 = Dialect::OpenAi.stream();
    let event = sse(&[&format!(r#"{{"choices":[{{"delta":{{"content":"{}"}}}}]}}"#, "a".repeat(1 << 20))]);
    while !reader2.is_over() {
        reader2.feed(event.as_bytes());
    }
    for reader in [reader, reader2] {
        let message = format!("expected a stream of at most {STREAM_BYTES} bytes, found a longer one");
        assert_eq!(*finished(reader).unwrap_err().message, *message);
    }
}
