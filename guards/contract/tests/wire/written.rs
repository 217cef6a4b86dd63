//! Answers as a server writes them: the events say what the whole response says.

use balk_contract::wire::{Answering, Dialect, Event, Framing};
use balk_contract::{Completion, FinishReason, Part, RawCall, Usage};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::common::{fed, offer};
use crate::drawn::text;

fn part() -> impl Strategy<Value = Part> {
    let thinking = (text(), option::of("[A-Za-z0-9+/=]{1,8}")).prop_map(|(text, signature)| Part::Thinking {
        text: text.into(),
        signature: signature.map(Into::into),
    });
    prop_oneof![2 => text().prop_map(|text| Part::Text(text.into())), 1 => thinking]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("{}".to_owned()),
        Just(String::new()),
        Just("{\"b\": 100000000000000000001, \"a\": 1.0, \"a\": 1, \"c\": 1e999}".to_owned()),
        Just("{\"__raw_arguments\":\"x\"}".to_owned()),
        Just("{\"lone\": \"\\ud800\"}".to_owned()),
        Just("[1,\n2]".to_owned()),
        text().prop_map(|text| format!("{{\"path\": {}}}", serde_json::to_string(&text).unwrap())),
        text(),
    ]
}

fn completion() -> impl Strategy<Value = Completion> {
    let call = ("call_[a-z0-9]{4}|f\\.a:0", select(vec!["ls", "write", "other"]), arguments());
    let finish = select(vec![
        FinishReason::Stop,
        FinishReason::Length,
        FinishReason::ToolCall,
        FinishReason::ContentFilter,
        FinishReason::Error,
        FinishReason::NotGiven,
    ]);
    (vec(part(), 0..4), vec(call, 0..4), finish, any::<(u32, u32)>()).prop_map(
        |(parts, calls, finish, (input, output))| {
            let calls = calls.iter().map(|(id, tool, arguments)| RawCall {
                id: id.as_str().into(),
                tool: (*tool).into(),
                arguments: arguments.as_str().into(),
            });
            let usage = Usage { input_tokens: input.into(), output_tokens: output.into() };
            Completion::new(parts, calls, finish, usage, &offer())
        },
    )
}

fn answering(piece: usize) -> Answering {
    Answering {
        created: 1_700_000_000,
        include_usage: true,
        piece: piece.try_into().expect("a piece has a character"),
        ..Answering::of("resp_1", "m")
    }
}

/// The events, as a server sends them.
fn sent(events: &[Event]) -> String {
    events.iter().map(ToString::to_string).collect()
}

/// The completion, as far as a stream keeps its texts apart.
fn joined(dialect: Dialect, mut completion: Completion) -> Completion {
    let mut parts: Vec<Part> = Vec::new();
    for part in std::mem::take(&mut completion.parts) {
        match (parts.last_mut(), part) {
            (Some(Part::Text(last)), Part::Text(text)) => *last = format!("{last}{text}").into(),
            (
                Some(Part::Thinking { text: last, signature: seal @ None }),
                Part::Thinking { text, signature },
            ) if dialect == Dialect::Gemini => {
                *last = format!("{last}{text}").into();
                *seal = signature;
            }
            (_, part) => parts.push(part),
        }
    }
    Completion { parts, ..completion }
}

proptest! {
    #[test]
    fn the_events_bring_the_completion_of_the_whole_response(completion in completion(), piece in 1_usize..20) {
        for dialect in Dialect::ALL {
            let answering = answering(piece);
            let whole = dialect.completion(&dialect.response(&completion, &answering), &offer()).unwrap();
            let whole = match dialect {
                Dialect::Gemini => joined(dialect, whole),
                // Clients of OpenAI's chat take one text alone, also in an answer that is whole.
                Dialect::OpenAi | Dialect::Responses | Dialect::Anthropic => whole,
            };
            let events = dialect.events(&completion, &answering);
            let stream = sent(&events);
            let (seen, read) = fed(dialect, [stream.as_bytes()]);
            let shown: String = whole.texts().map(|text| &**text).collect();
            prop_assert_eq!(read, Ok(whole), "{} {}", dialect.response(&completion, &answering), stream);
            prop_assert_eq!(seen.text, shown);
            for event in &events {
                prop_assert!(!event.data.contains(['\n', '\r']), "{:?}", event);
            }
        }
    }

    #[test]
    fn the_array_of_gemini_is_its_stream(completion in completion(), piece in 1_usize..20) {
        let events = Dialect::Gemini.events(&completion, &answering(piece));
        let frames = events.iter().enumerate().map(|(at, event)| Framing::Array.frame(at, event));
        let array: String = frames.chain([Framing::Array.end().to_owned()]).collect();
        let (_, read) = fed(Dialect::Gemini, [sent(&events).as_bytes()]);
        prop_assert_eq!(Dialect::Gemini.completion(&array, &offer()), Ok(read.unwrap()), "{}", array);
    }

    #[test]
    fn a_stream_without_its_last_events_is_broken_or_says_the_same(completion in completion(), left_out in 1_usize..4) {
        for dialect in Dialect::ALL {
            let events = dialect.events(&completion, &answering(8));
            let (_, all) = fed(dialect, [sent(&events).as_bytes()]);
            let stream = sent(&events[..events.len().saturating_sub(left_out)]);
            let (_, cut) = fed(dialect, [stream.as_bytes()]);
            if let Ok(cut) = cut {
                // Of OpenAI chat, tokens may be what is missing.
                let all = all.unwrap();
                prop_assert_eq!(Completion { usage: all.usage, ..cut }, all, "{:?}", dialect);
            }
        }
    }
}

fn two_calls() -> Completion {
    let call = |id: &str, tool: &str, arguments: &str| RawCall {
        id: id.into(),
        tool: tool.into(),
        arguments: arguments.into(),
    };
    let parts =
        [Part::Thinking { text: "hm".into(), signature: Some("EqQB".into()) }, Part::Text("Looking.".into())];
    let calls = [call("c1", "ls", r#"{"p": 1.0}"#), call("c2", "write", "{}")];
    let usage = Usage { input_tokens: 20, output_tokens: 5 };
    Completion::new(parts, calls, FinishReason::ToolCall, usage, &offer())
}

#[track_caller]
fn writes(dialect: Dialect, expected: &[(&str, &str)]) {
    let answering = Answering { created: 7, include_usage: true, ..Answering::of("x1", "m") };
    let events = dialect.events(&two_calls(), &answering);
    let events: Vec<_> = events.iter().map(|it| (it.name.unwrap_or_default(), &*it.data)).collect();
    assert_eq!(events, expected);
}

#[test]
fn chat_in_chunks_with_the_tokens_before_the_end() {
    let chunk = |rest: &str| {
        format!(r#"{{"id":"x1","object":"chat.completion.chunk","created":7,"model":"m","choices":[{rest}}}"#)
    };
    let delta = |delta: &str, finish: &str| {
        chunk(&format!(r#"{{"index":0,"delta":{delta},"finish_reason":{finish}}}],"usage":null"#))
    };
    let call = |rest: &str| delta(&format!(r#"{{"tool_calls":[{rest}]}}"#), "null");
    let expected = [
        delta(r#"{"role":"assistant","content":""}"#, "null"),
        delta(r#"{"reasoning_content":"hm"}"#, "null"),
        delta(r#"{"content":"Looking."}"#, "null"),
        call(r#"{"index":0,"id":"c1","type":"function","function":{"name":"ls","arguments":""}}"#),
        call(r#"{"index":0,"function":{"arguments":"{\"p\": 1.0}"}}"#),
        call(r#"{"index":1,"id":"c2","type":"function","function":{"name":"write","arguments":""}}"#),
        call(r#"{"index":1,"function":{"arguments":"{}"}}"#),
        delta("{}", r#""tool_calls""#),
        chunk(r#"],"usage":{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}"#),
        "[DONE]".to_owned(),
    ];
    writes(Dialect::OpenAi, &expected.each_ref().map(|it| ("", &**it)));
    let plain = Dialect::OpenAi.events(&two_calls(), &Answering::of("x1", "m"));
    assert!(plain.iter().all(|it| !it.data.contains("usage")), "the counts were not asked for: {plain:?}");
    assert_eq!(plain.len(), expected.len() - 1);
}

#[test]
fn anthropic_in_named_events_with_a_ping() {
    let start =
        r#"{"type":"message_start","message":{"id":"x1","type":"message","role":"assistant","model":"m","#
            .to_owned()
            + r#""content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":20,"#
            + r#""cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}"#;
    let thinking =
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","#
            .to_owned()
            + r#""signature":""}}"#;
    let delta = |at: u8, delta: &str| {
        format!(r#"{{"type":"content_block_delta","index":{at},"delta":{{"type":{delta}}}}}"#)
    };
    let begin = |at: u8, block: &str| {
        format!(r#"{{"type":"content_block_start","index":{at},"content_block":{{{block}}}}}"#)
    };
    let stop = |at: u8| format!(r#"{{"type":"content_block_stop","index":{at}}}"#);
    let end = r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"#
        .to_owned()
        + r#""usage":{"output_tokens":5}}"#;
    let expected = [
        ("message_start", start),
        ("ping", r#"{"type":"ping"}"#.to_owned()),
        ("content_block_start", thinking),
        ("content_block_delta", delta(0, r#""thinking_delta","thinking":"hm""#)),
        ("content_block_delta", delta(0, r#""signature_delta","signature":"EqQB""#)),
        ("content_block_stop", stop(0)),
        ("content_block_start", begin(1, r#""type":"text","text":"""#)),
        ("content_block_delta", delta(1, r#""text_delta","text":"Looking.""#)),
        ("content_block_stop", stop(1)),
        ("content_block_start", begin(2, r#""type":"tool_use","id":"c1","name":"ls","input":{}"#)),
        ("content_block_delta", delta(2, r#""input_json_delta","partial_json":"{\"p\": 1.0}""#)),
        ("content_block_stop", stop(2)),
        ("content_block_start", begin(3, r#""type":"tool_use","id":"c2","name":"write","input":{}"#)),
        ("content_block_stop", stop(3)),
        ("message_delta", end),
        ("message_stop", r#"{"type":"message_stop"}"#.to_owned()),
    ];
    writes(Dialect::Anthropic, &expected.each_ref().map(|(name, data)| (*name, &**data)));
}

#[test]
fn gemini_in_pieces_that_are_responses() {
    let piece = |part: &str, end: &str, answer: u8| {
        let candidate = format!(r#"{{"content":{{"parts":[{part}],"role":"model"}}{end},"index":0}}"#);
        let counts = format!(r#""promptTokenCount":20,"candidatesTokenCount":{answer}"#);
        let usage = format!(r#""usageMetadata":{{{counts},"totalTokenCount":{}}}"#, 20 + answer);
        format!(r#"{{"candidates":[{candidate}],{usage},"modelVersion":"m","responseId":"x1"}}"#)
    };
    let call = |call: &str| format!(r#"{{"functionCall":{{{call}}}}}"#);
    let expected = [
        piece(r#"{"text":"hm","thought":true,"thoughtSignature":"EqQB"}"#, "", 0),
        piece(r#"{"text":"Looking."}"#, "", 0),
        piece(&call(r#""id":"c1","name":"ls","args":{"p": 1.0}"#), "", 0),
        piece(&call(r#""id":"c2","name":"write","args":{}"#), r#","finishReason":"STOP""#, 5),
    ];
    writes(Dialect::Gemini, &expected.each_ref().map(|it| ("", &**it)));
}

#[test]
fn responses_in_named_and_numbered_events() {
    let answering = Answering { created: 7, previous: Some("x0".into()), ..Answering::of("x1", "m") };
    let events = Dialect::Responses.events(&two_calls(), &answering);
    let read: Vec<serde_json::Value> =
        events.iter().map(|it| serde_json::from_str(&it.data).unwrap()).collect();
    for (at, (event, read)) in events.iter().zip(&read).enumerate() {
        assert_eq!(read["type"].as_str(), event.name);
        assert_eq!(read["sequence_number"], at);
    }
    let brief: Vec<String> = read
        .iter()
        .map(|it| {
            let kind = it["type"].as_str().unwrap().strip_prefix("response.").unwrap();
            let members =
                ["output_index", "item_id", "content_index", "summary_index", "delta", "text", "arguments"];
            let said = members.iter().filter_map(|name| Some(format!(" {}", it.get(name)?)));
            format!("{kind}{}", said.collect::<String>())
        })
        .collect();
    assert_eq!(
        brief,
        [
            "created",
            "in_progress",
            "output_item.added 0",
            r#"reasoning_summary_part.added 0 "rs_x1_0" 0"#,
            r#"reasoning_summary_text.delta 0 "rs_x1_0" 0 "hm""#,
            r#"reasoning_summary_text.done 0 "rs_x1_0" 0 "hm""#,
            r#"reasoning_summary_part.done 0 "rs_x1_0" 0"#,
            "output_item.done 0",
            "output_item.added 1",
            r#"content_part.added 1 "msg_x1_1" 0"#,
            r#"output_text.delta 1 "msg_x1_1" 0 "Looking.""#,
            r#"output_text.done 1 "msg_x1_1" 0 "Looking.""#,
            r#"content_part.done 1 "msg_x1_1" 0"#,
            "output_item.done 1",
            "output_item.added 2",
            r#"function_call_arguments.delta 2 "fc_x1_2" "{\"p\": 1.0}""#,
            r#"function_call_arguments.done 2 "fc_x1_2" "{\"p\": 1.0}""#,
            "output_item.done 2",
            "output_item.added 3",
            r#"function_call_arguments.delta 3 "fc_x1_3" "{}""#,
            r#"function_call_arguments.done 3 "fc_x1_3" "{}""#,
            "output_item.done 3",
            "completed",
        ]
    );
    let whole: serde_json::Value =
        serde_json::from_str(&Dialect::Responses.response(&two_calls(), &answering)).unwrap();
    assert_eq!(read.last().unwrap()["response"], whole);
    assert_eq!((&whole["created_at"], &whole["previous_response_id"]), (&7.into(), &"x0".into()));
    assert_eq!(
        (&read[0]["response"]["status"], &read[0]["response"]["usage"]),
        (&"in_progress".into(), &().into())
    );
}

/// Clients of Anthropic put the pieces of an input together themselves, so these may be anything.
#[test]
fn arguments_that_break_off_are_streamed_as_they_are() {
    let call = RawCall { id: "c".into(), tool: "ls".into(), arguments: "{\"p\": \"a".into() };
    let completion = Completion::new([], [call], FinishReason::Length, Usage::default(), &offer());
    let events = Dialect::Anthropic.events(&completion, &Answering::of("x", "m"));
    let delta = r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","#.to_owned()
        + r#""partial_json":"{\"p\": \"a"}}"#;
    assert_eq!(events[3].data, delta);
    assert_eq!(fed(Dialect::Anthropic, [sent(&events).as_bytes()]).1, Ok(completion));
}

#[test]
fn line_breaks_between_tokens_do_not_split_an_event() {
    let call = RawCall { id: "c".into(), tool: "ls".into(), arguments: "{\n\r \"p\": \"a\\nb\"}".into() };
    let completion = Completion::new([], [call], FinishReason::ToolCall, Usage::default(), &offer());
    let events = Dialect::Gemini.events(&completion, &Answering::of("x", "m"));
    let (_, read) = fed(Dialect::Gemini, [sent(&events).as_bytes()]);
    let read = read.unwrap();
    assert_eq!(&*read.calls[0].arguments, "{   \"p\": \"a\\nb\"}");
    assert_eq!(read.calls[0].key, completion.calls[0].key);
}
