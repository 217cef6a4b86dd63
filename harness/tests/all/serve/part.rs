//! A test that plays the agent's part: it gets the task, asks what calls answer, and says what its user was told.

use std::time::Duration;

use balk::serve::{Server, Step};
use balk_guards::{Purpose, RawCall, ToolCall};
use balk_scenarios::{Environment, World, WorldOptions};
use serde_json::{Value, json};

use super::client::{exchange, get, request_bytes, send, serving, start, told};

/// An agent that has the tools of the world and keeps its history.
struct Played<'s> {
    server: &'s Server,
    path: String,
    task: Value,
    messages: Vec<Value>,
}

impl<'s> Played<'s> {
    fn new(server: &'s Server, name: &str) -> Self {
        let path = format!("/c/{name}");
        let task = send(server, "POST", &format!("{path}/_balk/begin"), &[], b"").fine();
        let messages = vec![json!({ "role": "user", "content": task["task"] })];
        Self { server, path, task, messages }
    }

    fn post(&self, what: &str, body: &str) -> Value {
        send(self.server, "POST", &format!("{}/_balk/{what}", self.path), &[], body.as_bytes()).fine()
    }

    fn verdict(&self) -> Value {
        get(self.server, &format!("{}/_balk/verdict", self.path)).fine()
    }

    /// Asks the model, and returns what it calls.
    fn asks(&mut self) -> Vec<Value> {
        let tools = self.task["tools"].as_array().expect("a list").iter();
        let tools: Vec<_> = tools.map(|it| json!({ "type": "function", "function": it })).collect();
        let body = json!({ "model": "m", "messages": self.messages, "tools": tools }).to_string();
        let path = format!("{}/v1/chat/completions", self.path);
        let answer = send(self.server, "POST", &path, &[], body.as_bytes()).fine();
        let message = answer["choices"][0]["message"].clone();
        self.messages.push(message.clone());
        message["tool_calls"].as_array().cloned().unwrap_or_default()
    }

    /// Works until its user has nothing more to say, or for so many requests.
    fn works(&mut self, most: usize) {
        for _ in 0..most {
            let calls = self.asks();
            for it in &calls {
                let call =
                    json!({ "tool": it["function"]["name"], "arguments": it["function"]["arguments"] });
                let answered = self.post("call", &call.to_string());
                assert_eq!(self.post("call", &call.to_string()), answered, "to ask changes nothing");
                let text = &answered["text"];
                self.messages.push(json!({ "role": "tool", "tool_call_id": it["id"], "content": text }));
            }
            if calls.is_empty() {
                let reply = get(self.server, &format!("{}/_balk/reply", self.path)).fine()["reply"].take();
                let Value::String(reply) = reply else { return };
                self.messages.push(json!({ "role": "user", "content": reply }));
            }
        }
    }
}

#[test]
fn calls_answer_what_the_world_answers() {
    let listed =
        |name| balk_scenarios::catalogue::find(name).expect("it is listed").read(&[]).expect("it is good");
    for (name, is_stuck) in [("abandonment", true), ("repeating", true), ("abandonment-control", false)] {
        let scenario = listed(name);
        let server = start(serving(vec![scenario.clone()]));
        let mut agent = Played::new(&server, "mine");
        agent.works(40);
        let steps = told(&server, "mine").steps;
        let world = server.world(Some("mine")).expect("it was played");
        let mut environment = Environment::new(&world);
        let mut expected = Vec::new();
        let mut results = Vec::new();
        for step in &steps {
            if let Step::Act { calls, .. } = step {
                expected.extend(calls.iter().map(|it| {
                    let raw =
                        RawCall { id: "".into(), tool: it.tool.clone(), arguments: it.arguments.clone() };
                    environment.call(&ToolCall::new(raw, world.offer())).text
                }));
            } else if let Step::Result { text, .. } = step {
                results.push(text.to_string());
            }
        }
        // The results of the last request that it may send are never shown.
        expected.truncate(results.len());
        assert_eq!(results, expected, "{name}");
        assert!(results.len() > 2, "{name}: {steps:?}");
        let verdict = agent.verdict();
        let (goal, stuck, recovered) = (&verdict["goal"], &verdict["stuck"], &verdict["recovered"]);
        assert_eq!((stuck, goal), (&json!(is_stuck), &json!(!is_stuck)), "{name}");
        assert_eq!(recovered, &json!(false), "{name}: a run that was never stuck has not recovered");
    }
}

/// White space and the order of members are the client's own.
#[test]
fn the_tools_that_begin_names_are_known_however_json_writes_them() {
    let listed = balk_scenarios::catalogue::find("rate-limited-control").expect("it is listed");
    let server = start(serving(vec![listed.read(&[]).expect("it is good")]));
    let agent = Played::new(&server, "mine");
    let tools = agent.task["tools"].as_array().expect("a list").iter();
    let tools: Vec<_> = tools.map(|it| json!({ "type": "function", "function": it })).collect();
    let body = json!({ "model": "m", "messages": agent.messages, "tools": tools });
    let body = serde_json::to_string_pretty(&body).expect("it is JSON");
    let got = send(&server, "POST", "/c/mine/v1/chat/completions", &[], body.as_bytes());
    assert!(!got.body.contains("no tool"), "{got:?}");
    assert!(matches!(told(&server, "mine").steps[..], [_, Step::Act { .. }]), "{got:?}");
}

#[test]
fn a_stuck_run_that_reaches_its_goal_has_recovered() {
    let scenario = balk_scenarios::catalogue::find("probe-listing").expect("it is listed");
    let server = start(serving(vec![scenario.read(&[]).expect("it is good")]));
    let mut agent = Played::new(&server, "mine");
    for _ in 0..12 {
        agent.works(1);
        let says =
            "You called no tool. Make the next call now: {\"name\": \"the tool's name\", \"arguments\": {}}";
        if !agent.messages.last().is_some_and(|it| it["role"] == "tool") {
            agent.messages.push(json!({ "role": "user", "content": says }));
        }
        if agent.verdict()["goal"] == true {
            break;
        }
    }
    let verdict = agent.verdict();
    assert_eq!(
        (&verdict["stuck"], &verdict["goal"], &verdict["recovered"]),
        (&json!(true), &json!(true), &json!(true))
    );
}

#[test]
fn the_user_was_told_by_what_the_agent_said_last() {
    let scenario = balk_scenarios::catalogue::find("abandonment").expect("it is listed");
    let server = start(serving(vec![scenario.read(&[]).expect("it is good")]));
    let mut agent = Played::new(&server, "mine");
    agent.asks();
    assert_eq!(agent.verdict()["told"], Value::Null);
    agent.post("said", "I worked on it.\nI stopped: the same call was repeated three times.\n");
    assert_eq!(agent.verdict()["told"], "I stopped: the same call was repeated three times.");
    agent.post("said", "All done.");
    assert_eq!(agent.verdict()["told"], Value::Null);
    agent.post("said", "I could not write the file.");
    assert_eq!(agent.verdict()["told"], "I could not write the file.");
    agent.post("reset", "");
    agent.messages.truncate(1);
    agent.asks();
    assert_eq!(agent.verdict()["told"], Value::Null);
}

#[test]
fn a_conversation_begins_with_its_task() {
    let read =
        |name| balk_scenarios::catalogue::find(name).expect("it is listed").read(&[]).expect("it is good");
    let server = start(serving(vec![read("repeating"), read("abandonment")]));
    let begin = |name: &str, body: &str| {
        send(&server, "POST", &format!("/c/{name}/_balk/begin"), &[], body.as_bytes())
    };
    let task = begin("abandonment:12", "").fine();
    assert_eq!((&task["scenario"], &task["seed"]), (&json!("abandonment"), &json!("12")));
    let world = World::draw(&read("abandonment"), 12, WorldOptions::default());
    assert_eq!(task["task"], **world.opening());
    let needed = world.offer().tools().iter().filter(|it| it.purpose != Purpose::Finish);
    let names: Vec<&str> = needed.map(|it| &*it.name).collect();
    let tools = task["tools"].as_array().expect("a list");
    assert_eq!(tools.iter().filter_map(|it| it["name"].as_str()).collect::<Vec<_>>(), names);
    // Words end the task, so the agent needs no tool that does.
    let begun = begin("repeating:7", "").fine();
    let finish = World::draw(&read("repeating"), 7, WorldOptions::default());
    let finish = finish.offer().tools().iter().find(|it| it.purpose == Purpose::Finish).expect("it is drawn");
    assert!(
        begun["tools"].as_array().expect("a list").iter().all(|it| it["name"] != *finish.name),
        "{begun}"
    );
    assert!(tools.iter().all(|it| it["parameters"]["type"] == "object"), "{tools:?}");
    assert_eq!(get(&server, "/c/abandonment:12/_balk/verdict").fine()["requests"], 0);

    let unknown = begin("unheard-of", "");
    assert_eq!(unknown.status, 404);
    assert!(unknown.body.contains("one of repeating, abandonment"), "{unknown:?}");
    for (what, body) in [("begin", "{\"folder\": \"a\"}"), ("call", "{}"), ("call", "write it")] {
        let refused = send(&server, "POST", &format!("/c/abandonment:12/_balk/{what}"), &[], body.as_bytes());
        assert_eq!(refused.status, 400, "{what} {body}");
        assert!(refused.body.contains("expected {"), "{refused:?}");
    }
    let call = json!({ "tool": "read_file", "arguments": { "path": "a" } }).to_string();
    let early = send(&server, "POST", "/c/abandonment:12/_balk/call", &[], call.as_bytes());
    assert_eq!(early.status, 409, "{early:?}");
    assert_eq!(get(&server, "/c/abandonment:12/_balk/begin").status, 405);
}

#[test]
fn tools_get_paths_in_the_folder_of_the_conversation() {
    let scenario = balk_scenarios::catalogue::find("abandonment").expect("it is listed");
    let server = start(serving(vec![scenario.read(&[]).expect("it is good")]));
    // A tool that says that it wants absolute paths gets them.
    let wants = |name: &str, about: &str, arguments: &[&str]| {
        let member = |it: &&str| {
            let about = if *it == "path" { "The absolute path to the file" } else { "" };
            ((*it).to_owned(), json!({ "type": "string", "description": about }))
        };
        let members: serde_json::Map<_, _> = arguments.iter().map(member).collect();
        let parameters = json!({ "type": "object", "properties": members, "required": arguments });
        json!({ "name": name, "description": about, "parameters": parameters })
    };
    for folder in ["/one/folder", "/another"] {
        let name = format!("in{}", folder.replace('/', "-"));
        let mut agent = Played::new(&server, &name);
        agent.post("begin", &json!({ "workspace": folder }).to_string());
        agent.task["tools"] = json!([
            wants("write_file", "Writes a file", &["path", "content"]),
            wants("read_file", "Reads a file", &["path"]),
            wants("run_shell_command", "Runs a command", &["command"]),
        ]);
        agent.works(3);
        let shown = json!(agent.messages).to_string();
        assert!(shown.contains(&format!("{folder}/")), "{shown}");
    }
}

/// The tools that `begin` names can play every scenario of the catalogue.
#[test]
fn every_scenario_can_be_played_with_the_tools_that_it_names() {
    let listed = balk_scenarios::catalogue::CATALOGUE.iter();
    let scenarios: Vec<_> = listed.map(|it| it.read(&[]).expect("it is good")).collect();
    let names: Vec<_> = scenarios.iter().map(|it| it.name.clone()).collect();
    let server = start(serving(scenarios));
    for name in names {
        let agent = Played::new(&server, &name);
        let tools = agent.task["tools"].as_array().expect("a list").iter();
        let tools: Vec<_> = tools.map(|it| json!({ "type": "function", "function": it })).collect();
        let mut body = json!({ "model": "m", "messages": agent.messages });
        if !tools.is_empty() {
            body["tools"] = tools.into();
        }
        let path = format!("/c/{name}/v1/chat/completions");
        let bytes = request_bytes("POST", &path, &[], body.to_string().as_bytes());
        // Some answers break off or never come: that is what they play.
        let got = exchange(&server, &bytes, Duration::from_millis(500));
        assert_ne!(got.status, 400, "{name}: {got:?}");
        assert_eq!(told(&server, &name).unbound, None, "{name}");
    }
}
