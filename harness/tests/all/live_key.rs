//! What `balk live` keeps of a key, and what it counts of answers that were lost.

use std::path::Path;

use serde_json::{Value, json};

use crate::common::program::{balk, ran};
use crate::common::server::{Script, Server};
use crate::live::{asked, fickle, files, folder, live};

const KEY: &str = "sk-0123456789-secret";

const LINE: [&str; 8] = ["--model", "m", "--trials", "1", "--suite", "text-only-chat", "--key-env", "A_KEY"];

/// No file below this folder has the key.
#[track_caller]
fn has_no_key(folder: &Path) {
    for (name, bytes) in files(folder) {
        let is_packed = name.extension().is_some_and(|it| it == "zst");
        let bytes = if is_packed { zstd::stream::decode_all(&bytes[..]).expect("it unpacks") } else { bytes };
        assert!(!String::from_utf8_lossy(&bytes).contains(KEY), "{}", name.display());
    }
}

#[test]
fn a_key_is_sent_to_the_server_and_stands_nowhere_else() {
    let (folder, server) = (folder(), Server::new(fickle));
    let url = server.url();
    let line = [&["live", "--endpoint", &url][..], &LINE, &["--out", "r"]].concat();
    let (code, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    assert_eq!(code, 0, "{err}");
    assert!(server.requests().iter().all(|it| it.header("authorization").is_some_and(|it| it.contains(KEY))));
    assert!(!out.contains(KEY) && !err.contains(KEY));
    has_no_key(&folder.path().join("r"));
    let (code, _, err) = ran(&mut balk(folder.path(), &line));
    assert!(code == 2 && err.contains("no variable `A_KEY`"), "{err}");
}

/// The key in two parts.
const PARTS: [&str; 2] = ["It is sk-0123", "456789-secret."];

/// The server sends these events, whatever it is asked: the key is in their parts, and nothing of that is kept.
#[track_caller]
fn is_none(api: &str, events: Vec<Value>) {
    let events: Vec<String> = events.iter().map(Value::to_string).collect();
    let answer = move |_, _: &_| Script::events(&events.iter().map(|it| &**it).collect::<Vec<_>>());
    let (folder, server) = (folder(), Server::new(answer));
    let url = server.url();
    let line = [&["live", "--endpoint", &url, "--api", api, "--stream"][..], &LINE, &["--out", "r"]].concat();
    let (code, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    assert!(code != 0 && err.contains("the answer has the key in it, in parts"), "{code}: {out}{err}");
    assert!(!out.contains(KEY) && !err.contains(KEY), "{out}{err}");
    has_no_key(folder.path());
}

/// The parts of a stream have no key, and the text that they make has.
#[test]
fn an_answer_of_a_chat_with_the_key_in_parts_is_none() {
    let whole = json!({"choices": [{"delta": {"content": "Done."}, "finish_reason": "stop"}]});
    let call = |function: Value| json!({"tool_calls": [{"index": 0, "id": "c", "function": function}]});
    let of_member = |name: &str| PARTS.map(|text| json!({name: text}));
    for deltas in [
        of_member("content"),
        of_member("reasoning_content"),
        of_member("reasoning"),
        of_member("refusal"),
        of_member("a_member_that_nobody_reads"),
        PARTS.map(|text| call(json!({"name": "read", "arguments": text}))),
        [call(json!({"name": "sk-0123"})), call(json!({"name": "456789-secret"}))],
        // In the parts of one event.
        [json!({}), json!({"content": PARTS.map(|text| json!({"type": "text", "text": text}))})],
    ] {
        let events = deltas.map(|delta| json!({"choices": [{"delta": delta}]}));
        is_none("openai", [&events[..], std::slice::from_ref(&whole)].concat());
    }
    let events = ["sk-0123", "456789-secret"].map(|id| json!({"id": id, "choices": []}));
    is_none("openai", [&events[..], &[whole]].concat());
}

#[test]
fn an_answer_of_anthropic_with_the_key_in_parts_is_none() {
    for (kind, member, delta) in [
        ("text", "text", "text_delta"),
        ("thinking", "thinking", "thinking_delta"),
        ("thinking", "signature", "signature_delta"),
        ("tool_use", "partial_json", "input_json_delta"),
    ] {
        let mut block = json!({"type": kind});
        match kind {
            "tool_use" => block = json!({"type": kind, "id": "c", "name": "read", "input": {}}),
            kind => block[kind] = "".into(),
        }
        let delta = |text: &str| json!({"type": delta, member: text});
        let part = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": delta(text)});
        is_none(
            "anthropic",
            vec![
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}),
                json!({"type": "content_block_start", "index": 0, "content_block": block}),
                part(PARTS[0]),
                part(PARTS[1]),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
                json!({"type": "message_stop"}),
            ],
        );
    }
}

#[test]
fn a_response_with_the_key_in_parts_is_none() {
    let message = json!({"type": "message", "role": "assistant", "content": []});
    let thought = json!({"type": "reasoning", "id": "r", "summary": []});
    let call = json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": ""});
    for (item, delta) in [
        (&message, "response.output_text.delta"),
        (&message, "response.refusal.delta"),
        (&message, "response.of_a_kind_that_nobody_reads"),
        (&thought, "response.reasoning_summary_text.delta"),
        (&thought, "response.reasoning_text.delta"),
        (&call, "response.function_call_arguments.delta"),
    ] {
        let part = |text: &str| json!({"type": delta, "output_index": 0, "delta": text});
        is_none(
            "responses",
            vec![
                json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
                part(PARTS[0]),
                part(PARTS[1]),
                json!({"type": "response.completed", "response": {"status": "completed", "output": []}}),
            ],
        );
    }
}

/// A provider may want to be paid for an answer that was lost on its way, and each try may take as much.
#[test]
fn answers_that_are_lost_count_with_all_that_they_may_take() {
    let lost = |at: usize, request: &_| {
        if at < 4 {
            fickle(at, request)
        } else {
            Script::raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")
        }
    };
    let (folder, server) = (folder(), Server::new(lost));
    let more = ["--guard", "default", "--max-tokens", "3000", "--budget-tokens", "9000", "--out", "r"];
    let (_, out, err) = live(folder.path(), &server, &more);
    let lost = asked(&server).len().saturating_sub(4);
    assert!((1..=3).contains(&lost), "{lost} lost: {out}{err}");
}

/// Trying again may take more than is left: then the budget is the reason, and not what the server said.
#[test]
fn a_budget_without_room_for_another_try_is_the_reason() {
    let lost = |at: usize, request: &_| {
        if at < 5 {
            fickle(at, request)
        } else {
            Script::raw("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{")
        }
    };
    let (folder, server) = (folder(), Server::new(lost));
    let url = server.url();
    let budget = ["--max-tokens", "30000", "--budget-tokens", "60000", "--out", "r"];
    let line = [&["live", "--endpoint", &url][..], &LINE, &budget].concat();
    let (_, out, err) = ran(balk(folder.path(), &line).env("A_KEY", KEY));
    assert_eq!(asked(&server).len(), 5, "{out}{err}");
    let says = err.contains("one more completion might exceed --budget-tokens");
    assert!(says && !err.contains("are not measured"), "{out}{err}");
}
