//! An answer that loses a call is still the provider's own: what its agent sends back is what the provider gave.

use balk::proxy::{Base, Proxy, Proxying};
use balk_guards::Sight;
use balk_guards::Stack;
use balk_guards::wire::{Answering, Asking, Dialect};
use serde_json::{Value, json};

use super::client::post;
use super::streamed::{ObeysCalls, said, view};
use crate::common::path_of;
use crate::common::server::{Script, Server};

fn proxy(server: &Server) -> Proxy {
    let guards = || Stack::new(vec![Box::new(ObeysCalls(Sight::Whole))]);
    let upstream = Base::parse(&server.url()).expect("an address");
    Proxy::start(Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) })
        .expect("a port is free")
}

/// What comes of an answer whose first call, which is this element of this list, is blocked.
#[track_caller]
fn check(dialect: Dialect, answer: &Value, list: &str, call: usize, change: impl Fn(&mut Value)) {
    let server = Server::of(vec![Script::json(200, &answer.to_string())]);
    let proxy = proxy(&server);
    let url = format!("{}/{}", proxy.url(), path_of(dialect, false));
    let got = post(&url, &dialect.request(&view(), &Asking::of("m")));
    let mut expected = answer.clone();
    expected.pointer_mut(list).and_then(Value::as_array_mut).expect("a list").remove(call);
    change(&mut expected);
    assert_eq!(serde_json::from_str::<Value>(&got.body).expect("it is JSON"), expected);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn reasoning_of_responses_keeps_its_id() {
    let call = |id: &str, tool: &str| {
        let own = format!("fc_{id}");
        json!({ "type": "function_call", "id": own, "call_id": id, "name": tool, "arguments": "{}" })
    };
    let answer = json!({
        "id": "resp_7", "object": "response", "created_at": 1.5, "status": "completed", "model": "m",
        "store": false,
        "output": [
            { "type": "reasoning", "id": "rs_7", "summary": [], "encrypted_content": "sealed for rs_7" },
            { "type": "web_search_call", "id": "ws_7", "status": "completed", "action": { "query": "x" } },
            call("a", "block"), call("b", "ls"),
        ],
        "usage": { "input_tokens": 5, "input_tokens_details": { "cached_tokens": 4 }, "output_tokens": 1 },
    });
    check(Dialect::Responses, &answer, "/output", 2, |_| {});
}

#[test]
fn what_tools_of_anthropic_did_and_its_counts_stay() {
    let call = |id: &str, tool: &str| json!({ "type": "tool_use", "id": id, "name": tool, "input": {} });
    let answer = json!({
        "id": "msg_7", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
        "content": [
            { "type": "server_tool_use", "id": "srvtoolu_7", "name": "web_search", "input": { "query": "x" } },
            { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_7",
              "content": [{ "encrypted_content": "e" }] },
            { "type": "text", "text": "Found.", "citations": [{ "encrypted_index": "i" }] },
            call("a", "block"), call("b", "ls"),
        ],
        "usage": { "input_tokens": 5, "cache_read_input_tokens": 100, "output_tokens": 5, "service_tier": "standard" },
        "container": { "id": "c" },
    });
    check(Dialect::Anthropic, &answer, "/content", 3, |_| {});
}

#[test]
fn the_first_call_of_gemini_stays_signed() {
    let call = |id: &str, tool: &str| json!({ "functionCall": { "id": id, "name": tool, "args": {} } });
    let mut signed = call("a", "block");
    signed["thoughtSignature"] = "s".into();
    let answer = json!({
        "candidates": [{
            "index": 0, "finishReason": "STOP", "groundingMetadata": { "x": 1 },
            "content": { "role": "model", "parts": [
                { "executableCode": { "code": "1" } }, signed, call("b", "ls"), { "codeExecutionResult": {} },
            ] },
        }],
        "usageMetadata": { "promptTokenCount": 5, "cachedContentTokenCount": 4 },
    });
    check(Dialect::Gemini, &answer, "/candidates/0/content/parts", 1, |it| {
        it["candidates"][0]["content"]["parts"][1]["thoughtSignature"] =
            "skip_thought_signature_validator".into();
    });
}

#[test]
fn what_routers_add_to_chat_stays() {
    let call = |id: &str, tool: &str| {
        let google = json!({ "google": { "thought_signature": id } });
        let function = json!({ "name": tool, "arguments": "{}" });
        json!({ "id": id, "type": "function", "function": function, "extra_content": google })
    };
    let answer = json!({
        "id": "chatcmpl-7", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": null, "reasoning_details": [{ "data": "e" }],
            "tool_calls": [call("a", "block"), call("b", "ls")],
        } }],
        "usage": { "prompt_tokens": 5, "prompt_tokens_details": { "cached_tokens": 4 }, "completion_tokens": 1 },
    });
    check(Dialect::OpenAi, &answer, "/choices/0/message/tool_calls", 0, |_| {});
}

#[test]
fn the_events_of_a_stream_are_the_providers() {
    for dialect in Dialect::ALL {
        let said = said("I look.", &["block", "ls"]);
        let events = dialect.events(&said, &Answering::of("resp_1", "m"));
        let text: String = events.iter().map(ToString::to_string).collect();
        let script =
            Script::with(200, "content-type: text/event-stream", &text.replace("data: {", "data: {\"x\":1,"));
        let server = Server::of(vec![script]);
        let proxy = proxy(&server);
        let url = format!("{}/{}", proxy.url(), path_of(dialect, true));
        let body = post(&url, &dialect.request(&view(), &Asking { stream: true, ..Asking::of("m") })).body;
        let own = |it: &&str| it.contains("data: {\"x\":1,") || it.contains("[DONE]");
        assert!(body.trim_end().split("\n\n").all(|it| own(&it)), "{dialect:?} {body}");
        assert!(!body.contains("\"block\""), "{dialect:?} {body}");
        let mut reader = dialect.stream();
        reader.feed(body.as_bytes());
        let read = reader.finish(&super::streamed::offer()).expect("an answer");
        assert_eq!((read.calls.len(), &read.calls[0].tool), (1, &"ls".into()), "{dialect:?}");
    }
}
