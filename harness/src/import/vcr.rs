//! Cassettes of VCR (`interactions:` in YAML): recorded requests to the APIs of providers, and their responses.
//!
//! The path of the request says which API it is. Bodies are read parsed (`parsed_body`, as pydantic-ai writes them), or
//! as the text that was sent. Requests that go on from each other are one transcript. Requests to anything else are
//! passed over.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::bad::BadLine;
use super::conversations::Conversations;
use super::one_line::one_line;
use super::parse::paired;
use super::sink::Sink;
use super::{anthropic, openai_chat, responses};

/// How a file begins.
pub(super) const BEGINNING: &[u8] = b"interactions:";

#[derive(Deserialize)]
struct Cassette {
    interactions: Vec<Interaction>,
}

#[derive(Deserialize)]
struct Interaction {
    request: Half,
    response: Half,
}

#[derive(Deserialize)]
struct Half {
    uri: Option<String>,
    parsed_body: Option<Value>,
    body: Option<Value>,
}

/// Reads a cassette.
///
/// # Errors
/// It is none, or has no request to a model.
pub(super) fn cassette(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Cassette { interactions } = serde_saphyr::from_str(text).map_err(|error| {
        let why = format!("expected a cassette in YAML: {}", one_line(&error.to_string(), 160));
        BadLine::shape("interactions".into(), &why)
    })?;
    let mut conversations = Conversations::default();
    let mut found = false;
    for (at, Interaction { request, response }) in interactions.into_iter().enumerate() {
        let uri = request.uri.as_deref().unwrap_or_default();
        let path = uri.split('?').next().unwrap_or_default();
        let read = match path {
            path if path.ends_with("/chat/completions") => openai_chat::object,
            path if path.ends_with("/messages") => anthropic::object,
            path if path.ends_with("/responses") => responses::object,
            _ => continue,
        };
        found = true;
        let pair = serde_json::json!({ "request": request.json(), "response": response.json() });
        let mut one = Sink::default();
        if let Err(bad) = read(&pair.to_string(), &mut one) {
            one.bad(0, bad);
        }
        for (_, recording) in one.found {
            match recording {
                Ok(recording) => conversations.take(Arc::default(), recording),
                Err(bad) => sink.bad(0, bad.below(&format!("interactions[{at}]"))),
            }
        }
    }
    if !found {
        let why = "expected a request to `/chat/completions`, `/messages` or `/responses`, found none";
        return Err(BadLine::shape("interactions".into(), why));
    }
    conversations.finish(sink);
    Ok(())
}

impl Half {
    /// The body: an object, or the text of a stream.
    fn json(self) -> Value {
        if let Some(body) = self.parsed_body {
            return body;
        }
        let text = match self.body {
            Some(Value::Object(mut body)) => body.remove("string").unwrap_or(Value::Null),
            Some(body) => body,
            None => Value::Null,
        };
        text.as_str().and_then(|text| serde_json::from_str(&paired(text)).ok()).unwrap_or(text)
    }
}
