//! What clients make a server keep counts, whatever it is.

use balk::serve::{Limits, Serve, Step};
use balk_guards::wire::Dialect;
use serde_json::{Value, json};

use super::client::{self, TOOLS, opening, path, plain, send, serving, start, told};

/// How many of these requests are answered before there is no room for more, where all conversations may take 1 MiB.
/// Each has the name of its conversation.
fn until_refused(profile: Option<&str>, request: impl Fn(usize) -> (String, Value)) -> Option<usize> {
    let limits = Limits { kept: 1 << 20, ..Limits::default() };
    let mut serve = Serve { limits, ..serving(vec![plain("")]) };
    serve.scripts.profile = profile.map(client::profile);
    let server = start(serve);
    (0..100).position(|at| {
        let (name, body) = request(at);
        let path = format!("/c/{name}{}", path(Dialect::OpenAi, false));
        send(&server, "POST", &path, &[], body.to_string().as_bytes()).status == 403
    })
}

/// Each of these requests is some 100 kB long, and most of it is kept.
#[test]
fn all_that_a_request_leaves_counts() {
    let long = "x".repeat(100_000);
    let user = |text: &str| json!({ "role": "user", "content": text });
    let with = |more: Vec<Value>| {
        let mut body = opening(Dialect::OpenAi, false, TOOLS);
        body["messages"].as_array_mut().expect("a list").extend(more);
        body
    };
    let tool = |name: String, about: &str| {
        let parameters = json!({ "type": "object", "properties": {} });
        let function = json!({ "name": name, "description": about, "parameters": parameters });
        json!({ "type": "function", "function": function })
    };
    let call = json!({ "name": "read_file", "arguments": "{\"path\":\"README.md\"}" });
    let turn =
        json!({ "role": "assistant", "tool_calls": [{ "id": "a", "type": "function", "function": call }] });
    let worked = [turn, json!({ "role": "tool", "tool_call_id": "a", "content": "Notes." })];
    let corrected = |at: usize| {
        let more = if at == 0 { Vec::new() } else { [&worked[..], &[user(&long)]].concat() };
        ("mine".to_owned(), with(more))
    };
    let summed = |at: usize| {
        if at == 0 {
            return ("mine".to_owned(), with(Vec::new()));
        }
        let mut body = with([&worked[..], &[user(&format!("{at} {long}")), user("Sum up.")]].concat());
        let system = json!({ "role": "system", "content": "You summarise." });
        body["messages"].as_array_mut().expect("a list").insert(0, system);
        ("mine".to_owned(), body)
    };
    let described = |at: usize| {
        let mut body = with(Vec::new());
        let tools = body["tools"].as_array_mut().expect("a list");
        tools.push(tool("other".to_owned(), &format!("{at} {long}")));
        (format!("c{at}"), body)
    };
    let summary = "[[side_call]]\nname = \"summary\"\nsystem = \"You summarise\"\n";
    for (what, refused) in [
        ("a correction, with each act after it", until_refused(None, corrected)),
        ("what is summed up", until_refused(Some(summary), summed)),
        ("many short texts", until_refused(None, |at| (format!("c{at}"), with(vec![user("x"); 3_000])))),
        ("the tools of a conversation", until_refused(None, described)),
    ] {
        assert!(refused.is_some_and(|it| (2..=20).contains(&it)), "{what}: {refused:?}");
    }
}

/// Conversations of one agent share its tools, and what they took is free with the last one of them.
#[test]
fn tools_that_are_shared_count_once() {
    let limits = Limits { kept: 1 << 20, ..Limits::default() };
    let server = start(Serve { limits, ..serving(vec![plain("")]) });
    let ask = |name: &str, about: &str| {
        let mut body = opening(Dialect::OpenAi, false, TOOLS);
        body["tools"][0]["function"]["description"] = about.into();
        let path = format!("/c/{name}{}", path(Dialect::OpenAi, false));
        send(&server, "POST", &path, &[], body.to_string().as_bytes()).status
    };
    for round in 0..3 {
        let about = round.to_string().repeat(400_000);
        let name = |at: usize| format!("c{round}-{at}");
        assert_eq!((0..10).map(|at| ask(&name(at), &about)).collect::<Vec<_>>(), [200; 10]);
        for at in 0..10 {
            send(&server, "POST", &format!("/c/{}/_balk/reset", name(at)), &[], b"").fine();
        }
    }
}

/// Each act and each side call has its arrival: an agent waits before these.
#[test]
fn a_request_that_is_refused_leaves_no_arrival() {
    let server = start(serving(vec![plain("")]));
    let ask = |tools: &[(&str, &[&str])], previous: Option<&str>| {
        let mut body = opening(Dialect::Responses, false, tools);
        if let Some(id) = previous {
            body["previous_response_id"] = id.into();
        }
        send(
            &server,
            "POST",
            &format!("/c/mine{}", path(Dialect::Responses, false)),
            &[],
            body.to_string().as_bytes(),
        )
        .status
    };
    let set_title: &[(&str, &[&str])] = &[("set_title", &["title"])];
    let statuses = [
        ask(set_title, None),
        ask(TOOLS, None),
        ask(TOOLS, Some("balk_mine_99")),
        ask(&[], None),
        ask(TOOLS, None),
    ];
    assert_eq!(statuses, [400, 200, 400, 200, 200]);
    let told = told(&server, "mine");
    let is_answer = |it: &&Step| matches!(it, Step::Act { .. } | Step::Side { .. });
    assert_eq!(told.steps.iter().filter(is_answer).count(), 3);
    assert_eq!((told.arrivals.len(), told.handling.len()), (3, 3));
}
