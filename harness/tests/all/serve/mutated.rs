//! Whatever is sent to whatever path: the server never fails, and an error has the form of its provider.

use std::sync::LazyLock;

use balk::serve::{Limits, Serve, Server};
use balk_guards::wire::Dialect;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::client::{TOOLS, opening, plain, send, serving, start};

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let limits = Limits { kept: usize::MAX, ..Limits::default() };
    start(Serve { limits, ..serving(vec![plain("")]) })
});

/// Every path that takes a body, and whose errors it has.
const ROUTES: [(&str, Dialect); 9] = [
    ("/v1/chat/completions", Dialect::OpenAi),
    ("/v1/responses", Dialect::Responses),
    ("/v1/responses/input_tokens", Dialect::Responses),
    ("/v1/messages", Dialect::Anthropic),
    ("/v1/messages/count_tokens", Dialect::Anthropic),
    ("/v1beta/models/m:generateContent", Dialect::Gemini),
    ("/v1beta/models/m:streamGenerateContent?alt=sse", Dialect::Gemini),
    ("/v1beta/models/m:streamGenerateContent", Dialect::Gemini),
    ("/v1beta/models/m:countTokens", Dialect::Gemini),
];

/// JSON with the words that requests have.
fn values() -> impl Strategy<Value = Value> {
    let word = || {
        prop::sample::select(vec![
            "role",
            "user",
            "assistant",
            "model",
            "tool",
            "content",
            "parts",
            "text",
            "type",
            "function",
            "name",
            "arguments",
            "tool_calls",
            "id",
            "tool_call_id",
            "input",
            "output",
            "call_id",
            "function_call",
            "messages",
            "tools",
            "contents",
            "functionCall",
            "functionResponse",
            "response",
            "args",
            "stream",
            "system",
            "bash",
            "tool_use",
            "tool_result",
            "tool_use_id",
            "previous_response_id",
            "thinking",
            "signature",
            "reasoning",
            "parameters",
            "input_schema",
            "functionDeclarations",
            "properties",
            "tool_choice",
            "is_error",
            "",
            "a",
        ])
        .prop_map(str::to_owned)
    };
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((word(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A history with a call and its result.
fn history(dialect: Dialect) -> Value {
    let mut request = opening(dialect, false, TOOLS);
    let more = match dialect {
        Dialect::OpenAi => json!([
            { "role": "assistant", "content": "a", "tool_calls": [
                { "id": "c", "type": "function", "function": { "name": "bash", "arguments": "{\"a\":1}" } },
            ] },
            { "role": "tool", "tool_call_id": "c", "content": "ok" },
        ]),
        Dialect::Responses => json!([
            { "type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "c", "output": "ok" },
        ]),
        Dialect::Anthropic => json!([
            { "role": "assistant", "content": [{ "type": "tool_use", "id": "c", "name": "bash", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c", "content": "ok" }] },
        ]),
        Dialect::Gemini => json!([
            { "role": "model", "parts": [{ "functionCall": { "name": "bash", "args": {} } }] },
            { "role": "user", "parts": [{ "functionResponse": { "name": "bash", "response": { "output": "ok" } } }] },
        ]),
    };
    let list = match dialect {
        Dialect::OpenAi | Dialect::Anthropic => "messages",
        Dialect::Responses => "input",
        Dialect::Gemini => "contents",
    };
    if let (Some(all), Value::Array(more)) = (request[list].as_array_mut(), more) {
        all.extend(more);
    }
    request
}

/// How many values are in a value, itself included.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.values().map(size).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Puts `new` in the place of the value with this number, or takes it away.
fn replace(value: &mut Value, at: &mut usize, new: &Option<Value>) -> bool {
    if *at == 0 {
        if let Some(new) = new {
            *value = new.clone();
        }
        return new.is_none();
    }
    *at -= 1;
    let mut gone = None;
    match value {
        Value::Array(all) => {
            for (place, it) in all.iter_mut().enumerate() {
                let inside = size(it);
                if *at < inside {
                    gone = replace(it, at, new).then_some(place);
                    break;
                }
                *at -= inside;
            }
            gone.map(|place| all.remove(place));
        }
        Value::Object(all) => {
            let mut gone = None;
            for (name, it) in all.iter_mut() {
                let inside = size(it);
                if *at < inside {
                    gone = replace(it, at, new).then(|| name.clone());
                    break;
                }
                *at -= inside;
            }
            gone.map(|name| all.remove(&name));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    false
}

fn check((path, dialect): (&str, Dialect), body: &[u8]) -> Result<(), TestCaseError> {
    let got = send(&SERVER, "POST", path, &[("x-balk-conversation", path)], body);
    prop_assert!(got.status == 200 || (400..500).contains(&got.status), "{path}: {got:?}");
    if got.status != 200 {
        prop_assert!(!got.error(dialect).is_empty(), "{path}: {got:?}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_legal_request_with_other_values_in_it(
        route in prop::sample::select(ROUTES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::option::of(values())), 1..4),
    ) {
        let mut request = history(route.1);
        for (at, new) in changes {
            let mut at = at.index(size(&request));
            replace(&mut request, &mut at, &new);
        }
        check(route, request.to_string().as_bytes())?;
    }

    #[test]
    fn any_json(route in prop::sample::select(ROUTES.to_vec()), value in values()) {
        check(route, value.to_string().as_bytes())?;
    }

    #[test]
    fn a_legal_request_with_other_bytes_in_it(
        route in prop::sample::select(ROUTES.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = history(route.1).to_string().into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check(route, &bytes)?;
    }
}
