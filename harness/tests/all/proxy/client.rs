//! A guard that obeys the model, a provider that says what a test wants, and a client that keeps its history.

use std::sync::Arc;
use std::time::Duration;

use balk::proxy::{Base, Proxy, Proxying};
use balk_guards::{
    Answer, AttemptCause, AttemptFailure, Blocked, Choice, Completion, Conclusion, Decision, Entry,
    FinishReason, Gap, GapKind, Guard, GuardFault, Note, Offer, Question, RawCall, Recovery, Repair, Stack,
    Subject, Termination, Usage, Verdict, Wait,
};
use serde_json::{Value, json};

use crate::common::server::{Request, Script, Server};

/// A guard that does what the model's text says.
#[derive(Default)]
pub(crate) struct Obeys {
    /// What the model said last.
    said: String,
}

pub(crate) fn note(text: &str) -> Note {
    Note { guard: "obeys".into(), rule: "r".into(), level: 1, subject: Subject::Run, text: text.into() }
}

impl Guard for Obeys {
    fn name(&self) -> &'static str {
        "obeys"
    }

    fn observe(&mut self, entry: &Entry) {
        if let Entry::Completion(it) = entry {
            self.said = it.texts().map(|it| &**it).collect();
        }
    }

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let text: String = completion.texts().map(|it| &**it).collect();
        let verdict = match &*text {
            "retry" => Verdict::Retry(note("Say it again.")),
            "effect" => Verdict::Retry(note(&format!("It is {:?}.", completion.calls[0].effect))),
            "block" => Verdict::Block(vec![Blocked { call: 0, note: note("no.") }]),
            "stop" | "gap" | "stop, open" => Verdict::Stop(note("It is stopped.")),
            "ask" => Verdict::Ask(Question {
                note: note("What now?"),
                options: Choice::for_stuck("say what to do", true),
            }),
            "repair" => {
                let call = RawCall { id: "made".into(), tool: "ls".into(), arguments: "{}".into() };
                let (finish, usage) = (FinishReason::ToolCall, Usage::default());
                let offer = Offer::default();
                let completion = Arc::new(Completion::new([], [call], finish, usage, &offer));
                Verdict::Repair(Repair { note: note("made"), completion })
            }
            "notice" => {
                return Ok(Decision { notices: vec![note("You should know.")], ..Decision::pass() });
            }
            "break" => {
                return Err(GuardFault { guard: "obeys".into(), reason: "it broke".into() });
            }
            _ => Verdict::Pass,
        };
        Ok(verdict.into())
    }

    /// A gap, after which the model may try again; or that something is open.
    fn conclude(&self, end: &Termination) -> Answer<Option<Conclusion>> {
        let gap = (self.said == "gap").then(|| Gap {
            kind: GapKind::NoProgress,
            missing: "".into(),
            tried: Vec::new(),
            explanation: "".into(),
            could_do: Vec::new(),
            resume: "".into(),
            constraint: Some(note("Only with what there is.")),
        });
        let lacks = if gap.is_some() { "It lacks a tool." } else { "Something is open." };
        let conclusion = Conclusion { end: end.clone(), note: note(lacks), gap };
        Ok(["gap", "open", "stop, open"].contains(&&*self.said).then_some(conclusion))
    }

    fn recover(&self, failure: &AttemptFailure) -> Answer<Option<Recovery>> {
        let is_refused = matches!(failure.cause, AttemptCause::Status { code: 400..500, .. });
        Ok((failure.attempt < 3 && !is_refused).then_some(Recovery::resend(Wait::exactly(0))))
    }
}

pub(crate) fn proxying(server: &Server) -> Proxying {
    let guards = || Stack::new(vec![Box::new(Obeys::default())]);
    let upstream = Base::parse(&server.url()).expect("an address");
    Proxying { guards: Some(Box::new(guards)), ..Proxying::new(upstream) }
}

/// A proxy before a provider that gives these answers.
pub(crate) fn proxy(scripts: Vec<Script>) -> (Server, Proxy) {
    let server = Server::of(scripts);
    let proxy = Proxy::start(proxying(&server)).expect("a port is free");
    (server, proxy)
}

/// An answer of OpenAI chat.
pub(crate) fn says(text: &str, calls: &[(&str, &str)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, tool)| json!({ "id": id, "type": "function", "function": { "name": tool, "arguments": "{}" } }))
        .collect();
    let mut message = json!({ "role": "assistant", "content": text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    // An unknown member, and unusual white space.
    let usage = r#"{"prompt_tokens":7,"completion_tokens":3}"#;
    format!(r#"{{"id":"chatcmpl-1", "x":1.0,"choices":[{{"index":0,"message":{message}}}],"usage":{usage}}}"#)
}

pub(crate) fn answers(text: &str, calls: &[(&str, &str)]) -> Script {
    Script::json(200, &says(text, calls))
}

/// A client, which keeps its history.
pub(crate) struct Client {
    url: String,
    pub(crate) messages: Vec<Value>,
    /// The tokens of the last answer.
    pub(crate) usage: Value,
    pub(crate) key: String,
    traceparent: Option<&'static str>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) retry_after: Option<String>,
    /// Their names, sorted, without those of one connection.
    pub(crate) headers: Vec<String>,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn new(proxy: &Proxy) -> Self {
        Self::at(&proxy.url(), None)
    }

    /// A client of the proxy at this address, whose requests are in the trace that `traceparent` names.
    pub(crate) fn at(url: &str, traceparent: Option<&'static str>) -> Self {
        let messages = vec![json!({ "role": "user", "content": "Do it." })];
        Self {
            url: format!("{url}/c/it/v1/chat/completions"),
            messages,
            usage: Value::Null,
            key: "k".into(),
            traceparent,
        }
    }

    pub(crate) fn send(&self) -> Got {
        let tool = |name: &str| json!({ "type": "function", "function": { "name": name } });
        let member = json!({ "type": "string" });
        let schema = json!({ "type": "object", "properties": { "path": member, "content": member } });
        let mut write = tool("write_file");
        write["function"]["parameters"] = schema;
        let tools = [tool("ls"), tool("rm"), write];
        let body = json!({ "model": "m", "tools": tools, "messages": self.messages });
        posted(&self.url, &body.to_string(), &self.key, self.traceparent)
    }

    /// The message of the assistant that comes back, which the history has from now on.
    pub(crate) fn asks(&mut self) -> Value {
        let got = self.send();
        assert_eq!(got.status, 200, "{got:?}");
        let body: Value = serde_json::from_str(&got.body).expect("it is JSON");
        let message = body["choices"][0]["message"].clone();
        self.usage = body["usage"].clone();
        self.messages.push(message.clone());
        message
    }

    pub(crate) fn result(&mut self, id: &str, text: &str) {
        self.messages.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
    }

    pub(crate) fn user(&mut self, text: &str) {
        self.messages.push(json!({ "role": "user", "content": text }));
    }
}

pub(crate) fn post(url: &str, body: &str) -> Got {
    posted(url, body, "k", None)
}

/// What a client with this key gets.
pub(crate) fn post_with(key: &str, url: &str, body: &str) -> Got {
    posted(url, body, key, None)
}

fn posted(url: &str, body: &str, key: &str, traceparent: Option<&str>) -> Got {
    let http = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(20)))
        .build()
        .new_agent();
    let mut post = http
        .post(url)
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {key}"))
        .header("te", "x");
    if let Some(traceparent) = traceparent {
        post = post.header("traceparent", traceparent);
    }
    let mut response = post.send(body).expect("the proxy answers");
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").map(|it| it.to_str().expect("text").to_owned());
    let names = response.headers().keys().map(ToString::to_string);
    let of_connection = ["connection", "content-length", "date", "transfer-encoding"];
    let mut headers: Vec<String> = names.filter(|it| !of_connection.contains(&&**it)).collect();
    headers.sort();
    Got { status, retry_after, headers, body: response.body_mut().read_to_string().unwrap_or_default() }
}

/// What the model was shown in a request: roles, and texts or the ids of calls.
pub(crate) fn shown(request: &Request) -> Vec<String> {
    let body: Value = serde_json::from_str(&request.body).expect("it is JSON");
    let messages = body["messages"].as_array().expect("a list").iter();
    let shown = |it: &Value| {
        let calls = it["tool_calls"].as_array().cloned().unwrap_or_default();
        let ids: Vec<&str> = calls.iter().map(|it| it["id"].as_str().expect("an id")).collect();
        let text = it["content"].as_str().unwrap_or_default();
        format!("{}: {text} {}", it["role"].as_str().expect("a role"), ids.join(",")).trim_end().to_owned()
    };
    messages.map(shown).collect()
}
