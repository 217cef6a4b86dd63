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

#[test]
fn what_follows_an_answer_of_the_proxys_own_goes_on_from_the_last_one_of_its_provider() {
    let (server, proxy) = proxy(vec![answer("resp_1", "ask", &["a"]), answer("resp_2", "done", &[])]);
    let user = |text: &str| json!({ "type": "message", "role": "user", "content": text });
    let follows = |id: &Value, text: &str| json!({ "previous_response_id": id, "input": [user(text)] });
    let question = send(&proxy, IT, json!({ "input": "Do it." }));
    let ended = send(&proxy, IT, follows(&question["id"], "4"));
    assert!(ended.to_string().contains("The run has ended, as you asked."), "{ended}");
    assert_eq!(server.requests().len(), 1);
    // A client sends a request again whose answer it lost.
    for _ in 0..2 {
        let done = send(&proxy, IT, follows(&ended["id"], "Then do that."));
        assert_eq!((&done["id"], done.to_string().contains("done")), (&json!("resp_2"), true), "{done}");
    }
    let refused = result("a", "Not run: the user is asked first.");
    let then = json!([refused, user("4"), user("Then do that.")]);
    let on = json!({ "previous_response_id": "resp_1", "input": then });
    assert_eq!(sent(&server)[1..], [on.clone(), on]);
    send(&proxy, IT, follows(&json!("resp_2"), "Thanks."));
    assert_eq!(sent(&server)[3], follows(&json!("resp_2"), "Thanks."));
}

#[test]
fn each_answer_of_the_proxys_own_has_another_id() {
    let (server, proxy) = proxy(vec![answer("resp_1", "ask", &[]), answer("resp_2", "ask", &[])]);
    let follows = |id: &Value, text: &str| json!({ "previous_response_id": id, "input": text });
    let ends = |task: &str| {
        let question = send(&proxy, IT, json!({ "input": task }));
        send(&proxy, IT, follows(&question["id"], "4"))["id"].clone()
    };
    let (first, second) = (ends("Do it."), ends("Do that."));
    assert_ne!(first, second);
    for (own, last) in [(&first, "resp_1"), (&second, "resp_2")] {
        send(&proxy, IT, follows(own, "Go on."));
        assert_eq!(sent(&server).last().expect("it was sent")["previous_response_id"], *last);
    }
}

#[test]
fn a_history_that_its_provider_keeps_passes() {
    let (server, proxy) = proxy(vec![answer("resp_1", "retry", &[])]);
    let reference = json!([{ "type": "item_reference", "id": "msg_1" }]);
    for (more, counts) in [
        (json!({ "input": "Do it.", "conversation": "conv_1" }), "conversation"),
        (json!({ "input": "Do it.", "conversation": { "id": "conv_1" } }), "conversation"),
        (json!({ "input": reference }), "item-reference"),
        // Its type may be left out.
        (json!({ "input": [{ "id": "msg_1" }] }), "item-reference"),
    ] {
        let before = proxy.counted().passed.get(counts).copied().unwrap_or_default();
        assert_eq!(send(&proxy, IT, more.clone())["id"], "resp_1");
        assert_eq!(sent(&server).last(), Some(&more));
        assert_eq!(proxy.counted().passed.get(counts), Some(&(before + 1)));
    }
    assert_eq!((server.requests().len(), proxy.counted().turns), (4, 0));
    let why = proxy.unread().expect("guards did not see it");
    assert!(why.ends_with("its provider keeps its history (`conversation`)"), "{why}");
}
