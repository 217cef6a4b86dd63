//! A client that sees every byte of an answer and how its connection ends, and an agent that keeps a history.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use balk::serve::{Scripts, Serve, Server, Step, Told};
use balk_guards::wire::Dialect;
use balk_scenarios::agents::{self, Profile};
use balk_scenarios::{Scenario, format, toolsets};
use serde_json::{Value, json};

/// What a client sees.
#[derive(Debug)]
pub(super) struct Got {
    /// 0 if no status came.
    pub(super) status: u16,
    /// The names in small letters.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: String,
    pub(super) end: End,
}

/// How an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Whole,
    /// The connection was reset.
    Reset,
    /// The connection was closed in good order, before the answer was whole.
    Closed,
    /// Nothing more came.
    Waits,
}

impl Got {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| &**value)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The answer of a client's request that the model answers.
    #[track_caller]
    pub(super) fn fine(self) -> Value {
        assert_eq!((self.status, self.end), (200, End::Whole), "{self:?}");
        self.json()
    }

    /// The message of an error that has the form of its provider.
    #[track_caller]
    pub(super) fn error(&self, dialect: Dialect) -> String {
        let body = self.json();
        let error = &body["error"];
        match dialect {
            Dialect::OpenAi | Dialect::Responses => assert!(error["type"].is_string(), "{self:?}"),
            Dialect::Anthropic => {
                assert_eq!(body["type"], "error", "{self:?}");
                assert!(error["type"].is_string(), "{self:?}");
            }
            Dialect::Gemini => {
                assert_eq!(error["code"], self.status, "{self:?}");
                assert!(error["status"].is_string(), "{self:?}");
            }
        }
        error["message"].as_str().unwrap_or_else(|| panic!("no message: {self:?}")).to_owned()
    }

    fn of(bytes: &[u8], end: End) -> Self {
        let Some(head) = bytes.windows(4).position(|it| it == b"\r\n\r\n") else {
            return Self { status: 0, headers: Vec::new(), body: String::from_utf8_lossy(bytes).into(), end };
        };
        let (head, rest) = (String::from_utf8_lossy(&bytes[..head]).into_owned(), &bytes[head + 4..]);
        let mut lines = head.lines();
        let status = lines.next().and_then(|it| it.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
        let headers: Vec<_> = lines
            .filter_map(|it| it.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let mut got = Self { status, headers, body: String::new(), end };
        let (body, is_whole) =
            match got.header("content-length").map(|it| it.parse::<usize>().expect("a length")) {
                Some(length) => (rest.to_vec(), rest.len() == length),
                None => chunks(rest),
            };
        got.body = String::from_utf8_lossy(&body).into_owned();
        if is_whole {
            got.end = End::Whole;
        }
        got
    }
}

/// The body in chunks, and whether the last one came.
fn chunks(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let size = str::from_utf8(&rest[..end]).ok().and_then(|it| usize::from_str_radix(it, 16).ok());
        let Some(size) = size else { break };
        if size == 0 {
            return (body, true);
        }
        rest = &rest[end + 2..];
        body.extend_from_slice(&rest[..size.min(rest.len())]);
        rest = rest.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

pub(super) fn address(server: &Server) -> SocketAddr {
    server.url().trim_start_matches("http://").parse().expect("an address")
}

/// Waits this long for more.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// Sends bytes, and reads what comes.
pub(super) fn exchange(server: &Server, bytes: &[u8], patience: Duration) -> Got {
    let mut stream = TcpStream::connect(address(server)).expect("a connection");
    // A server may refuse what it has not read yet.
    let _ = stream.write_all(bytes);
    receive(&mut stream, patience)
}

pub(super) fn receive(stream: &mut TcpStream, patience: Duration) -> Got {
    stream.set_read_timeout(Some(patience)).expect("a patience");
    let (mut all, mut piece) = (Vec::new(), [0; 65_536]);
    loop {
        match stream.read(&mut piece) {
            Ok(0) => return Got::of(&all, End::Closed),
            Ok(more) => all.extend_from_slice(&piece[..more]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Got::of(&all, End::Waits);
            }
            Err(_) => return Got::of(&all, End::Reset),
        }
    }
}

/// The bytes of a request over a connection that ends with it.
pub(super) fn request_bytes(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

pub(super) fn send(server: &Server, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Got {
    exchange(server, &request_bytes(method, path, headers, body), PATIENCE)
}

pub(super) fn get(server: &Server, path: &str) -> Got {
    send(server, "GET", path, &[], b"")
}

/// Where a provider takes requests.
pub(super) fn path(dialect: Dialect, stream: bool) -> &'static str {
    match (dialect, stream) {
        (Dialect::OpenAi, _) => "/v1/chat/completions",
        (Dialect::Responses, _) => "/v1/responses",
        (Dialect::Anthropic, _) => "/v1/messages",
        (Dialect::Gemini, false) => "/v1beta/models/balk-actor:generateContent",
        (Dialect::Gemini, true) => "/v1beta/models/balk-actor:streamGenerateContent?alt=sse",
    }
}

/// A first request with these tools, by their names and the names of their arguments.
pub(super) fn opening(dialect: Dialect, stream: bool, tools: &[(&str, &[&str])]) -> Value {
    let schema = |arguments: &[&str]| {
        let members = arguments.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" })));
        json!({ "type": "object", "properties": members.collect::<serde_json::Map<_, _>>(), "required": arguments })
    };
    let tools: Vec<Value> = tools
        .iter()
        .map(|&(name, arguments)| match dialect {
            Dialect::OpenAi => {
                json!({ "type": "function", "function": { "name": name, "parameters": schema(arguments) } })
            }
            Dialect::Responses => {
                json!({ "type": "function", "name": name, "parameters": schema(arguments) })
            }
            Dialect::Anthropic => json!({ "name": name, "input_schema": schema(arguments) }),
            Dialect::Gemini => json!({ "name": name, "parameters": schema(arguments) }),
        })
        .collect();
    let said = json!([{ "role": "user", "content": TASK }]);
    match dialect {
        Dialect::OpenAi => json!({
            "model": "m",
            "stream": stream,
            "stream_options": { "include_usage": stream },
            "messages": said,
            "tools": tools,
        }),
        Dialect::Responses => json!({ "model": "m", "stream": stream, "input": said, "tools": tools }),
        Dialect::Anthropic => {
            json!({ "model": "m", "max_tokens": 99, "stream": stream, "messages": said, "tools": tools })
        }
        Dialect::Gemini => json!({
            "contents": [{ "role": "user", "parts": [{ "text": TASK }] }],
            "tools": [{ "functionDeclarations": tools }],
        }),
    }
}

pub(super) const TASK: &str = "Write notes.txt.";

/// Tools that can play every role of [`plain`].
pub(super) const TOOLS: &[(&str, &[&str])] =
    &[("bash", &["command"]), ("read_file", &["path"]), ("write_file", &["path", "content"])];

/// A scenario: looks, writes, says that it is done. `look` says more about its first state, such as how it breaks off.
pub(super) fn plain(look: &str) -> Arc<Scenario> {
    scenario(&plain_text(look))
}

pub(super) fn scenario(text: &str) -> Arc<Scenario> {
    let read = format::parse("plain.toml", text, toolsets::catalogue());
    read.unwrap_or_else(|wrong| panic!("{wrong}")).remove(0)
}

/// The same, as a file has it.
pub(super) fn plain_text(look: &str) -> String {
    PLAIN.replace("# look\n", look)
}

const PLAIN: &str = include_str!("plain.toml");

/// Plays scenarios.
pub(super) fn serving(scenarios: Vec<Arc<Scenario>>) -> Serve {
    let worlds = scenarios.into_iter().map(Into::into).collect();
    Serve::new(Scripts { worlds, seed: 7, profile: None })
}

pub(super) fn start(serve: Serve) -> Server {
    Server::start(serve).expect("a port is free")
}

pub(super) fn profile(text: &str) -> Arc<Profile> {
    let head = "format = 1\nagent = \"made-up\"\nversion = \"1\"\n";
    let read = agents::parse("made-up.toml", &format!("{head}{text}"));
    Arc::new(read.unwrap_or_else(|wrong| panic!("{wrong}")))
}

/// An agent that speaks OpenAI chat and keeps its history.
#[derive(Clone)]
pub(super) struct Agent<'s> {
    server: &'s Server,
    path: String,
    pub(super) request: Value,
}

impl<'s> Agent<'s> {
    pub(super) fn new(server: &'s Server, conversation: &str) -> Self {
        let path = format!("/c/{conversation}{}", path(Dialect::OpenAi, false));
        Self { server, path, request: opening(Dialect::OpenAi, false, TOOLS) }
    }

    pub(super) fn messages(&mut self) -> &mut Vec<Value> {
        self.request["messages"].as_array_mut().expect("a list")
    }

    /// Sends its history, and keeps nothing of the answer.
    pub(super) fn sends(&self) -> Got {
        send(self.server, "POST", &self.path, &[], self.request.to_string().as_bytes())
    }

    /// Sends its history, and adds the answer to it: returns its text and the tools that it calls.
    #[track_caller]
    pub(super) fn asks(&mut self) -> (String, Vec<String>) {
        let message = self.sends().fine()["choices"][0]["message"].take();
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        let names = calls.iter().map(|it| it["function"]["name"].as_str().expect("a name").to_owned());
        let said = (message["content"].as_str().unwrap_or_default().to_owned(), names.collect());
        self.messages().push(message);
        said
    }

    /// Answers every call of the last message.
    pub(super) fn answers(&mut self, text: &str) {
        let last = self.messages().last().expect("a message").clone();
        for call in last["tool_calls"].as_array().into_iter().flatten() {
            let result = json!({ "role": "tool", "tool_call_id": call["id"], "content": text });
            self.messages().push(result);
        }
    }

    pub(super) fn says(&mut self, text: &str) {
        self.messages().push(json!({ "role": "user", "content": text }));
    }
}

#[track_caller]
pub(super) fn told(server: &Server, conversation: &str) -> Told {
    server.told(Some(conversation)).unwrap_or_else(|| panic!("no conversation {conversation}"))
}

/// The steps as short words: `look 1.1` is the first attempt at the first visit. What only says how the agent's
/// requests look is left out.
#[track_caller]
pub(super) fn steps(server: &Server, conversation: &str) -> Vec<String> {
    let short = |step: &Step| {
        Some(match step {
            Step::Act { state, visit, attempt, .. } => format!("{state} {visit}.{attempt}"),
            Step::Result { text, .. } => format!("result {text}"),
            Step::User { text, .. } => format!("user {text}"),
            Step::Intervention { text, .. } => format!("intervention {text}"),
            Step::Opened { .. } | Step::System { .. } => return None,
            Step::Side { name, .. } => format!("side {name}"),
            Step::History { how } => format!("{how:?}"),
        })
    };
    told(server, conversation).steps.iter().filter_map(short).collect()
}
