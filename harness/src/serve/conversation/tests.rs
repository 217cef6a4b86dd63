//! What a conversation keeps, and what it counts of it.

use std::sync::atomic::AtomicUsize;

use balk_guards::wire::Dialect;
use balk_scenarios::catalogue;
use serde_json::{Value, json};

use super::super::script::{Scripts, Toolsets};
use super::super::site::Elsewhere;
use super::*;

/// A conversation of which the model repeats itself, and its task.
fn conversation() -> (Conversation, Value) {
    let scenario = catalogue::find("repeating").and_then(|it| it.read(&[]).ok()).expect("it is there");
    let scripts = Scripts { worlds: vec![scenario.into()], seed: 7, profile: None };
    let toolsets = Toolsets::new(&Arc::new(AtomicUsize::new(0)), usize::MAX);
    let Ok(script) = scripts.script("c", &Arc::new(toolsets)) else { panic!("there is one scenario") };
    let task = json!({ "role": "user", "content": &**script.drawn().opening() });
    (Conversation::new("c", script, Box::<Elsewhere>::default()), task)
}

/// The answer to these messages, as an agent shows it.
fn asks(conversation: &mut Conversation, messages: &[Value]) -> Value {
    let tool = |name: &str, members: &[&str]| {
        let members: serde_json::Map<_, _> =
            members.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
        let parameters = json!({ "type": "object", "properties": members });
        json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
    };
    let tools =
        [tool("bash", &["command"]), tool("read_file", &["path"]), tool("write_file", &["path", "content"])];
    let body = json!({ "model": "m", "messages": messages, "tools": tools }).to_string();
    let asked = Dialect::OpenAi.asked(&body).expect("it can be read");
    let completion = conversation.ask(&asked, || None).expect("it is answered").completion;
    let call = |it: &Arc<ToolCall>| {
        let function = json!({ "name": &*it.tool, "arguments": &*it.arguments });
        json!({ "id": &*it.id, "type": "function", "function": function })
    };
    let text = completion.texts().map(|it| &**it).collect::<String>();
    json!({ "role": "assistant", "content": text, "tool_calls": completion.calls.iter().map(call).collect::<Vec<_>>() })
}

/// A turn, and what it called.
fn results(turn: &Value) -> Vec<Value> {
    let calls = turn["tool_calls"].as_array().into_iter().flatten();
    let result = |it: &Value| json!({ "role": "tool", "tool_call_id": it["id"], "content": "error: no" });
    calls.map(result).collect()
}

/// An agent can show the turns of another one behind any text, and each text is another place.
#[test]
fn every_beginning_that_leads_to_an_act_counts() {
    let (mut conversation, task) = conversation();
    let (mut messages, mut turns) = (vec![task.clone()], Vec::new());
    for _ in 0..200 {
        let turn = asks(&mut conversation, &messages);
        messages.push(turn.clone());
        messages.extend(results(&turn));
        turns.push(turn);
    }
    let mut windows = vec![task];
    for (at, turn) in turns.iter().enumerate().skip(1).step_by(2) {
        windows.push(json!({ "role": "user", "content": format!("Window {at}.") }));
        windows.push(turn.clone());
        windows.extend(results(turn));
    }
    let before = (conversation.at.len(), conversation.kept());
    asks(&mut conversation, &windows);
    let (places, kept) = (conversation.at.len() - before.0, conversation.kept() - before.1);
    assert!(places > 50, "{places}");
    // A place has 24 bytes, and a map is about half full.
    assert!(kept > places * 40 + 2_048, "{places} places, {kept} bytes");
}
