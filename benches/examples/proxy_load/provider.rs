//! A provider whose answers are those of a healthy run, and the tools that its calls are for.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Request, Response};
use balk_benches::served::{Failure, serve};
use balk_guards::ToolCall;
use http_body::Frame;
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::time::{Sleep, sleep};

use crate::listen::listen;
use crate::size::TURNS;

/// Events with text in a stream, and the pause before each.
const EVENTS: usize = 5;
const PAUSE: Duration = Duration::from_millis(10);

/// Serves as a provider, whose answer depends on how many results a request has.
pub(crate) fn serve_provider() -> Result<(), Failure> {
    let answers: Arc<[Bytes]> = (0..=TURNS).map(|turn| Bytes::from(answer(turn))).collect();
    let (address, _runtime) = listen(move |request: Request<Incoming>| {
        let answers = answers.clone();
        async move {
            let body = whole(request.into_body()).await;
            let has = |text: &str| body.matches(text).count();
            if has("\"stream\":true") > 0 {
                let mut response = Response::new(Body::new(Events::new()));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
                return response;
            }
            let turn = has("\"role\":\"tool\"").min(TURNS);
            let mut response = Response::new(Body::from(answers[turn].clone()));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            response
        }
    })?;
    serve(address, |_| ())
}

async fn whole(mut body: Incoming) -> String {
    let mut bytes = Vec::new();
    while let Some(Ok(frame)) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        bytes.extend_from_slice(frame.data_ref().map_or(&[], |it| it));
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The provider's answer in this turn: files are written, and read in the turn after.
fn answer(turn: usize) -> String {
    let path = format!("src/part_{}.rs", turn / 2);
    let (name, arguments) = if turn.is_multiple_of(2) {
        ("write_file", json!({ "path": path, "content": content(&path) }))
    } else {
        ("read_file", json!({ "path": path }))
    };
    let function = json!({ "name": name, "arguments": arguments.to_string() });
    let call = json!({ "id": format!("call_{turn}"), "type": "function", "function": function });
    let text = format!("Step {turn}: {name} of {path}.");
    let message = json!({ "role": "assistant", "content": text, "tool_calls": [call] });
    let choice = json!({ "index": 0, "message": message, "finish_reason": "tool_calls" });
    let usage = json!({ "prompt_tokens": 900 + turn, "completion_tokens": 90, "total_tokens": 990 + turn });
    json!({ "id": format!("chatcmpl-{turn}"), "object": "chat.completion", "created": 1_790_000_000, "model": "m",
        "choices": [choice], "usage": usage })
    .to_string()
}

/// What the file at this path has.
fn content(path: &str) -> String {
    let name = path.trim_end_matches(".rs").replace(['/', '.'], "_");
    let line =
        |nth: usize| format!("pub fn {name}_{nth}(x: u64) -> u64 {{ x * {} }}\n", path.len() * 7 + nth);
    (0..12).map(line).collect()
}

/// What the tools of the clients say.
pub(crate) fn run(call: &ToolCall) -> String {
    let path = call.path().unwrap_or_default();
    if &*call.tool == "read_file" {
        content(&path)
    } else {
        format!("wrote {} bytes to {path}", call.arguments.len())
    }
}

/// What the clients offer.
pub(crate) fn tools() -> Value {
    let tool = |name: &str, names: &[&str]| {
        let members: serde_json::Map<_, _> =
            names.iter().map(|it| ((*it).to_owned(), json!({ "type": "string" }))).collect();
        let parameters = json!({ "type": "object", "properties": members, "required": names });
        json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
    };
    json!([tool("read_file", &["path"]), tool("write_file", &["path", "content"])])
}

/// An answer as a stream of events, with a pause before each that has text.
struct Events {
    sent: usize,
    pause: Pin<Box<Sleep>>,
}

impl Events {
    fn new() -> Self {
        Self { sent: 0, pause: Box::pin(sleep(Duration::ZERO)) }
    }

    fn text(nth: usize) -> String {
        let chunk = |delta: Value, finish: Value| {
            let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
            let chunk = json!({ "id": "chatcmpl-s", "object": "chat.completion.chunk", "created": 1_790_000_000,
                "model": "m", "choices": [choice] });
            format!("data: {chunk}\n\n")
        };
        match nth {
            0 => chunk(json!({ "role": "assistant" }), Value::Null),
            1..=EVENTS => chunk(json!({ "content": format!("word {nth} ") }), Value::Null),
            _ => chunk(json!({}), json!("stop")) + "data: [DONE]\n\n",
        }
    }
}

impl HttpBody for Events {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        ready!(self.pause.as_mut().poll(cx));
        if self.sent > EVENTS + 1 {
            return Poll::Ready(None);
        }
        let text = Self::text(self.sent);
        self.sent += 1;
        self.pause = Box::pin(sleep(if self.sent <= EVENTS { PAUSE } else { Duration::ZERO }));
        Poll::Ready(Some(Ok(Frame::data(text.into()))))
    }
}
