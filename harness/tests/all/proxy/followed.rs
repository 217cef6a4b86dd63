//! Requests of OpenAI Responses that follow an answer by its id, and show nothing of what was before it.

use balk::proxy::Proxy;
use balk_guards::wire::{Answering, Dialect};
use balk_guards::{Completion, FinishReason, Offer, Part, RawCall, Usage};
use serde_json::{Value, json};

use super::client::{post_with, proxy};
use crate::common::server::{Script, Server};

/// An answer with this id, this text, and calls of `ls` with these ids.
fn answer(id: &str, text: &str, calls: &[&str]) -> Script {
    let call = |it: &&str| RawCall { id: (*it).into(), tool: "ls".into(), arguments: "{}".into() };
    let (finish, usage, offer) = (FinishReason::ToolCall, Usage::default(), Offer::default());
    let completion =
        Completion::new([Part::Text(text.into())], calls.iter().map(call), finish, usage, &offer);
    Script::json(200, &Dialect::Responses.response(&completion, &Answering::of(id, "m")))
}

/// Sends a request with these members to a conversation.
fn send(proxy: &Proxy, (name, key): (&str, &str), more: Value) -> Value {
    let mut body = json!({ "model": "m", "tools": [{ "type": "function", "name": "ls" }] });
    body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    let got = post_with(key, &format!("{}/c/{name}/v1/responses", proxy.url()), &body.to_string());
    serde_json::from_str(&got.body).expect("it is JSON")
}

fn result(id: &str, text: &str) -> Value {
    json!({ "type": "function_call_output", "call_id": id, "output": text })
}

/// What the provider was sent, without what is the same in all requests.
fn sent(server: &Server) -> Vec<Value> {
    let read = |body: &str| {
        let mut body: Value = serde_json::from_str(body).expect("it is JSON");
        body.as_object_mut().expect("an object").retain(|name, _| !["model", "tools"].contains(&&**name));
        body
    };
    server.requests().iter().map(|it| read(&it.body)).collect()
}

const IT: (&str, &str) = ("it", "k");

#[test]
fn what_follows_an_answer_by_its_id_gets_what_its_agent_never_saw() {
    let (server, proxy) = proxy(vec![answer("resp_1", "block", &["a", "b"]), answer("resp_2", "done", &[])]);
    let shown = send(&proxy, IT, json!({ "input": "Do it." })).to_string();
    assert!(shown.contains(r#""call_id":"b""#) && !shown.contains(r#""call_id":"a""#), "{shown}");
    let next = json!({ "previous_response_id": "resp_1", "input": [result("b", "files")] });
    // A client sends a request again whose answer it lost.
    for _ in 0..2 {
        assert!(send(&proxy, IT, next.clone()).to_string().contains("done"));
    }
    let inputs: Vec<Value> = sent(&server)[1..].iter().map(|it| it["input"].clone()).collect();
    let both = json!([result("b", "files"), result("a", "Not run: no.")]);
    assert_eq!(inputs, [both.clone(), both]);
}

#[test]
fn an_id_leads_into_no_conversation_of_another_name_or_key() {
    let (server, proxy) = proxy(vec![answer("resp_1", "ask", &["a"]), answer("resp_2", "done", &[])]);
    send(&proxy, IT, json!({ "input": "Do it." }));
    let user = json!([{ "type": "message", "role": "user", "content": "4" }]);
    let next = json!({ "previous_response_id": "resp_1", "input": user });
    for other in [("it", "other"), ("other", "k"), ("other", "other")] {
        let shown = send(&proxy, other, next.clone()).to_string();
        assert!(shown.contains("done"), "{other:?} {shown}");
        assert_eq!(sent(&server).last(), Some(&next), "{other:?}");
    }
    let shown = send(&proxy, IT, next).to_string();
    assert!(shown.contains("The run has ended, as you asked."), "{shown}");
}

#[test]
fn an_id_that_several_sessions_have_leads_nowhere() {
    let (server, proxy) = proxy(vec![
        answer("resp_1", "fine", &["a"]),
        answer("resp_1", "ask", &["b"]),
        answer("resp_2", "done", &[]),
    ]);
    for task in ["Do it.", "Do that."] {
        send(&proxy, IT, json!({ "input": task }));
    }
    let next = json!({ "previous_response_id": "resp_1", "input": [result("a", "files")] });
    assert!(send(&proxy, IT, next.clone()).to_string().contains("done"));
    assert_eq!(sent(&server)[2], next);
}
