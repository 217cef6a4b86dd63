//! Requests of clients that mean no good, or have gone wrong: an error with its place, and never a panic.

use std::sync::Arc;

use balk_contract::wire::{Asking, Dialect, Edit};
use balk_contract::{
    Completion, Entry, FinishReason, Message, Offer, Origin, Part, RawCall, Speaker, Status, ToolResult,
    Usage, UserMessage, View,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::common::offer;

/// A request with every kind of message.
fn request(dialect: Dialect) -> String {
    let call =
        |id: &str, arguments: &str| RawCall { id: id.into(), tool: "ls".into(), arguments: arguments.into() };
    let parts = [Part::Text("é".into()), Part::Thinking { text: "hm".into(), signature: Some("s".into()) }];
    let calls = [call("c1", r#"{"p": "\u00e9"}"#), call("c2", "[1]")];
    let said = Completion::new(parts, calls, FinishReason::ToolCall, Usage::default(), &offer());
    let result = |at: usize, status| {
        Entry::Result(ToolResult {
            call: said.calls[at].clone(),
            origin: Origin::Executed,
            status,
            tries: 1,
            text: "a\nb".into(),
        })
    };
    let user = |text: &str| Entry::User(UserMessage { from: Speaker::User, text: text.into() });
    let results = [result(0, Status::Ok), result(1, Status::Error)];
    let mut entries = vec![user("go"), Entry::Completion(said.clone().into())];
    entries.extend(results);
    entries.push(user("on"));
    let system = Some("Be brief.".into());
    dialect.request(&View::of(&entries), &Asking { system, stream: true, ..Asking::of("m") })
}

#[track_caller]
fn refused(dialect: Dialect, request: &str, place: &str, reason: &str) {
    let error = dialect.asked(request).unwrap_err();
    assert!(error.place == place && error.reason.starts_with(reason), "{error}");
    assert_eq!(dialect.seen(request, &Offer::default()).map(drop), Err(error));
}

#[test]
fn a_wrong_shape_is_an_error_with_its_place() {
    refused(Dialect::OpenAi, "[]", ".", "expected an object, found a list");
    refused(Dialect::OpenAi, r#"{"model":"m"}"#, ".", "missing field `messages`");
    refused(
        Dialect::OpenAi,
        r#"{"model":"m","messages":[{"role":"robot","content":"x"}]}"#,
        "messages[0].role",
        "unknown variant `robot`",
    );
    refused(
        Dialect::OpenAi,
        r#"{"model":"m","messages":[{"role":"user","content":3}]}"#,
        "messages[0].content",
        "invalid type: integer `3`, expected a string or an array of content parts",
    );
    refused(
        Dialect::Responses,
        r#"{"model":"m","input":[{"content":"x"}]}"#,
        "input[0].role",
        "expected a role, found nothing",
    );
    refused(
        Dialect::Responses,
        r#"{"model":"m","input":[{"type":"function_call","call_id":"c","name":"ls","arguments":{}}]}"#,
        "input[0].arguments",
        "expected a string, found `{}`",
    );
    refused(
        Dialect::Responses,
        r#"{"model":"m","input":[{"type":"function_call","name":"ls","arguments":"{}"}]}"#,
        "input[0].call_id",
        "expected a string, found nothing",
    );
    refused(
        Dialect::Anthropic,
        r#"{"model":"m","messages":[{"role":"system","content":"x"}]}"#,
        "messages[0].role",
        "unknown variant `system`",
    );
    refused(
        Dialect::Gemini,
        r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"ls","args":[1]}}]}]}"#,
        "contents[0].parts[0].functionCall.args",
        "expected an object, found `[1]`",
    );
    refused(
        Dialect::Gemini,
        r#"{"contents":[{"role":"assistant","parts":[]}]}"#,
        "contents[0].role",
        "unknown variant `assistant`",
    );
    refused(
        Dialect::Gemini,
        r#"{"contents":[],"tools":[{"functionDeclarations":[{}]}]}"#,
        "tools[0].functionDeclarations[0]",
        "missing field `name`",
    );
}

#[test]
fn what_others_may_leave_out_is_missing_in_a_function() {
    refused(Dialect::Responses, r#"{"input":"x"}"#, ".", "missing field `model`");
    refused(
        Dialect::OpenAi,
        r#"{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c"}]}]}"#,
        "messages[0].tool_calls[0]",
        "missing field `function`",
    );
    refused(
        Dialect::Anthropic,
        r#"{"model":"m","messages":[],"tools":[{"name":"ls"},{"type":"custom"}]}"#,
        "tools[1]",
        "missing field `name`",
    );
}

#[test]
fn a_member_that_comes_twice_is_an_error() {
    let twice = |dialect, request, place| refused(dialect, request, place, "duplicate field");
    twice(Dialect::OpenAi, r#"{"model":"m","messages":[],"messages":[]}"#, ".");
    twice(Dialect::Responses, r#"{"model":"m","input":[{"role":"user","role":"user"}]}"#, "input[0]");
    twice(Dialect::Anthropic, r#"{"model":"m","model":"n","messages":[]}"#, ".");
    twice(
        Dialect::Gemini,
        r#"{"contents":[],"tools":[{"functionDeclarations":[],"function_declarations":[]}]}"#,
        "tools[0]",
    );
    twice(
        Dialect::Gemini,
        r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"a"},"function_call":{"name":"b"}}]}]}"#,
        "contents[0].parts[0]",
    );
}

/// What the reader does not look into may be as deep as it likes; what it does is cut off by the parser.
#[test]
fn deep_json_is_an_error_or_read() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    let (array, object) = (deep("[", "]"), deep(r#"{"a":"#, "}"));
    for deep in [&array, &object] {
        for dialect in Dialect::ALL {
            let start = request(dialect);
            let start = start.strip_suffix('}').unwrap();
            assert!(dialect.asked(&format!(r#"{start},"metadata":{deep}}}"#)).is_ok(), "{dialect:?}");
            assert!(dialect.asked(deep).is_err());
        }
        let tool = format!(r#"{{"model":"m","messages":[],"tools":[{{"name":"a","input_schema":{deep}}}]}}"#);
        assert!(Dialect::Anthropic.asked(&tool).is_ok());
        let result = format!(r#"{{"functionResponse":{{"name":"ls","response":{deep}}}}}"#);
        assert!(Dialect::Gemini.asked(&format!(r#"{{"contents":[{{"parts":[{result}]}}]}}"#)).is_ok());
        let call = format!(r#"{{"type":"tool_use","id":"c","name":"ls","input":{deep}}}"#);
        let said = format!(r#"{{"model":"m","messages":[{{"role":"assistant","content":[{call}]}}]}}"#);
        assert_eq!(Dialect::Anthropic.asked(&said).is_ok(), deep.starts_with('{'));
    }
    let nested = format!(
        r#"{{"model":"m","input":[],"tools":[{}{}]}}"#,
        r#"{"type":"namespace","name":"n","tools":["#.repeat(1000),
        "]}".repeat(1000)
    );
    let error = Dialect::Responses.asked(&nested).unwrap_err();
    assert!(error.reason.starts_with("recursion limit exceeded"), "{error}");
}

/// Ten thousand tools of one name, or of names that become one, and as many calls of them.
#[test]
fn ten_thousand_tools_cost_no_more_than_their_number() {
    for name in ["t", "t.é"] {
        let tool = format!(r#"{{"name":"{name}","input_schema":{{"type":"object"}}}}"#);
        let call = |at: usize| format!(r#"{{"type":"tool_use","id":"c{at}","name":"{name}","input":{{}}}}"#);
        let calls: Vec<String> = (0..10_000).map(call).collect();
        let request = format!(
            r#"{{"model":"m","messages":[{{"role":"assistant","content":[{}]}}],"tools":[{}]}}"#,
            calls.join(","),
            vec![tool; 10_000].join(",")
        );
        let asked = Dialect::Anthropic.asked(&request).unwrap();
        let tools = asked.offer.tools();
        assert_eq!(tools.len(), 10_000);
        assert!(tools[9_999].name.ends_with("_10000"), "{}", tools[9_999].name);
    }
}

/// Every kind of edit, wherever it fits: no panic, and what comes of it can be read as well.
fn splices(dialect: Dialect, request: &str) {
    let said = Completion::new(
        [Part::Text("a".into())],
        [RawCall { id: "n.1".into(), tool: "ls".into(), arguments: "{}".into() }],
        FinishReason::ToolCall,
        Usage::default(),
        &offer(),
    );
    let said: Arc<Completion> = said.into();
    let result = Message::Result { id: "n.1".into(), text: "no".into(), is_error: true };
    let new = vec![Message::Assistant(said.clone()), result, Message::User("b".into())];
    let asked = dialect.asked(request);
    let count = asked.as_ref().map_or(4, |it| it.messages.len());
    let puts = (0..=count).map(|before| Edit::Put { before, messages: new.clone() });
    let kind = |kind: u8, at| match kind {
        0 => Edit::Calls { at, completion: said.clone() },
        1 => Edit::Replace { at, messages: new.clone() },
        _ => Edit::Replace { at, messages: Vec::new() },
    };
    for of in 0..3 {
        let others = (0..count)
            .filter(|&at| asked.as_ref().is_ok_and(|it| matches!(it.messages[at], Message::Assistant(_))));
        let others: Vec<Edit> = others.map(|at| kind(of, at)).collect();
        let mut each: Vec<Vec<Edit>> = puts.clone().map(|put| vec![put]).collect();
        each.push(puts.clone().chain(others.clone()).collect());
        each.push(others);
        for edits in each {
            match dialect.spliced(request, &edits) {
                Ok(spliced) => assert!(dialect.asked(&spliced).is_ok(), "{request}\n{spliced}"),
                // An array in place of an object cannot get other members.
                Err(error) => {
                    assert!(asked.is_err() || error.reason.contains("expected an object"), "{error}")
                }
            }
        }
    }
}

/// As many edits as messages, and one message with as many parts, calls or results.
#[test]
fn a_long_list_with_many_edits_is_read_and_written_once() {
    const COUNT: usize = 20_000;
    let many = |of: &dyn Fn(usize) -> String| (0..COUNT).map(of).collect::<Vec<_>>().join(",");
    let turns = many(&|at| {
        format!(r#"{{"role":"{}","content":"a"}}"#, if at % 2 == 0 { "user" } else { "assistant" })
    });
    let blocks = many(&|_| r#"{"type":"text","text":"a"}"#.to_owned());
    let requests = [
        (Dialect::OpenAi, format!(r#"{{"model":"m","messages":[{turns}]}}"#)),
        (Dialect::Responses, format!(r#"{{"model":"m","input":[{turns}]}}"#)),
        (Dialect::Anthropic, format!(r#"{{"model":"m","messages":[{turns}]}}"#)),
        (
            Dialect::Anthropic,
            format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{blocks}]}}]}}"#),
        ),
        (Dialect::OpenAi, format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{blocks}]}}]}}"#)),
    ];
    for (dialect, request) in requests {
        let note = || vec![Message::User("b".into())];
        let edits: Vec<Edit> =
            (0..=COUNT).rev().map(|before| Edit::Put { before, messages: note() }).collect();
        let spliced = dialect.spliced(&request, &edits).unwrap();
        assert_eq!(dialect.asked(&spliced).unwrap().messages.len(), 2 * COUNT + 1, "{dialect:?}");
    }
    // The results come in the wrong order, and wait for those of the client.
    let (calls, results) = (
        many(&|_| r#"{"functionCall":{"name":"ls"}}"#.to_owned()),
        many(&|_| r#"{"functionResponse":{"name":"ls"}}"#.to_owned()),
    );
    let request = format!(r#"{{"contents":[{{"role":"model","parts":[{calls}]}},{{"parts":[{results}]}}]}}"#);
    let call = |at: usize| RawCall { id: format!("n{at}").into(), tool: "ls".into(), arguments: "{}".into() };
    let said = Completion::new([], (0..COUNT).map(call), FinishReason::Stop, Usage::default(), &offer());
    let result =
        |at: usize| Message::Result { id: format!("n{at}").into(), text: "".into(), is_error: false };
    let edits = [
        Edit::Calls { at: 0, completion: said.into() },
        Edit::Put { before: 1, messages: (0..COUNT).rev().map(result).collect() },
    ];
    let spliced = Dialect::Gemini.spliced(&request, &edits).unwrap();
    assert_eq!(Dialect::Gemini.asked(&spliced).unwrap().messages.len(), 2 * COUNT + 1);
}

#[test]
fn an_array_in_place_of_an_object_is_refused_where_it_would_change() {
    let put = |before| [Edit::Put { before, messages: vec![Message::User("b".into())] }];
    let element = r#"{"model":"m","messages":[["user","go"],{"role":"assistant","content":"a"}]}"#;
    let error = Dialect::Anthropic.spliced(element, &put(1)).unwrap_err();
    assert_eq!(error.place, "messages[0]");
    assert!(error.reason.contains("expected an object"), "{error}");
    assert!(Dialect::Anthropic.spliced(element, &put(2)).is_ok());
    let request = r#"["m",64,null,[{"role":"user","content":"a"}]]"#;
    assert_eq!(Dialect::Anthropic.spliced(request, &put(0)).unwrap_err().place, ".");
}

const VALUES: [&str; 11] =
    ["null", "3", "-1e999", "\"\"", "\"x\"", "[]", "{}", "[{}]", "[null]", "true", "{\"type\":3}"];

proptest! {
    #[test]
    fn a_request_with_other_bytes_never_panics(
        dialect in select(Dialect::ALL.to_vec()),
        changes in vec((any::<Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut bytes = request(dialect).into_bytes();
        for (at, byte, change) in changes {
            let at = at.index(bytes.len());
            match change {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for dialect in Dialect::ALL {
            drop((dialect.asked(&text), dialect.seen(&text, &offer()), dialect.legal(&text)));
            drop(dialect.completion(&text, &offer()));
            splices(dialect, &text);
        }
    }

    #[test]
    fn a_request_whose_values_are_others_never_panics(
        dialect in select(Dialect::ALL.to_vec()),
        at: Index,
        value in select(VALUES.to_vec()),
    ) {
        // Every value begins after one of these.
        let request = request(dialect);
        let places: Vec<usize> =
            request.char_indices().filter(|(_, it)| matches!(it, ':' | '[' | ',')).map(|(at, _)| at + 1).collect();
        let at = places[at.index(places.len())];
        let mut rest = serde_json::Deserializer::from_str(&request[at..]).into_iter::<serde::de::IgnoredAny>();
        let is_value = rest.next().is_some_and(|it| it.is_ok());
        let after = at + rest.byte_offset();
        if is_value {
            let changed = format!("{}{value}{}", &request[..at], &request[after..]);
            drop((dialect.asked(&changed), dialect.seen(&changed, &offer()), dialect.legal(&changed)));
            splices(dialect, &changed);
        }
    }
}

#[test]
fn the_request_that_is_changed_here_is_a_whole_one() {
    for dialect in Dialect::ALL {
        let request = request(dialect);
        assert_eq!(dialect.legal(&request), Ok(Ok(())), "{request}");
        let asked = dialect.asked(&request).unwrap();
        assert_eq!(asked.messages.len(), 5, "{request}");
        assert_eq!(asked.system.as_deref(), Some("Be brief."));
        // Only these two say that a call failed.
        let failed = matches!(dialect, Dialect::Anthropic | Dialect::Gemini);
        let said = asked.messages.iter().any(|it| matches!(it, Message::Result { is_error: true, .. }));
        assert_eq!(said, failed);
        assert_eq!(asked.stream, dialect != Dialect::Gemini);
    }
}
