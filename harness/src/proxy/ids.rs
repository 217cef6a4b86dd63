//! How a provider named its answer, for an answer that takes its place.

use std::sync::Arc;

use balk_guards::wire::{Answering, Asked, event_data};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

/// The id of an answer, its model, and when it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ids {
    pub(super) id: Arc<str>,
    pub(super) model: Arc<str>,
    pub(super) created: u64,
}

/// The members of an answer, or of the first event of its stream, that have them: `message` of Anthropic's stream,
/// `response` of OpenAI's. Some servers write times with a fraction.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Said {
    #[serde(deserialize_with = "readable")]
    id: Option<Arc<str>>,
    #[serde(rename = "responseId", deserialize_with = "readable")]
    response_id: Option<Arc<str>>,
    #[serde(deserialize_with = "readable")]
    model: Option<Arc<str>>,
    #[serde(rename = "modelVersion", deserialize_with = "readable")]
    model_version: Option<Arc<str>>,
    #[serde(deserialize_with = "readable")]
    created: Option<f64>,
    #[serde(deserialize_with = "readable")]
    created_at: Option<f64>,
    #[serde(deserialize_with = "readable")]
    response: Option<Box<Said>>,
    #[serde(deserialize_with = "readable")]
    message: Option<Box<Said>>,
}

/// A member that has another form is none, and says nothing against the others.
fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(T::deserialize(Value::deserialize(deserializer)?).ok())
}

impl Ids {
    /// As this body has them. A body that lacks them has empty ones.
    pub(super) fn of(body: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(body) else { return Self::default() };
        let whole = || serde_json::from_str::<Said>(text).ok();
        let array = || serde_json::from_str::<Vec<Said>>(text).ok()?.into_iter().next();
        let event = || event_data(text).find_map(|it| serde_json::from_str::<Said>(&it).ok());
        let said = match text.trim_start().chars().next() {
            Some('{') => whole(),
            Some('[') => array(),
            Some(_) | None => event(),
        };
        let mut said = said.unwrap_or_default();
        if let Some(inner) = said.response.take().or_else(|| said.message.take()) {
            said = *inner;
        }
        let created = said.created.or(said.created_at).unwrap_or_default();
        Self {
            id: said.id.or(said.response_id).unwrap_or_default(),
            model: said.model.or(said.model_version).unwrap_or_default(),
            created: created as u64,
        }
    }

    /// What an answer in place of this one says beside its completion. `own` is its id if no provider gave one.
    pub(super) fn answering(&self, asked: &Asked, own: &str) -> Answering {
        let id = if self.id.is_empty() { own } else { &self.id };
        let mut answering = Answering { created: self.created, ..asked.answering(id) };
        if !self.model.is_empty() {
            answering.model = self.model.clone();
        }
        answering
    }
}

/// The id of an answer that no provider gave to the request with this body.
pub(super) fn own(body: &[u8]) -> Arc<str> {
    format!("balk_{:032x}", xxh3_128(body)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str, id: &str, model: &str, created: u64) {
        assert_eq!(Ids::of(body.as_bytes()), Ids { id: id.into(), model: model.into(), created });
    }

    #[test]
    fn every_dialect_names_its_answers() {
        check(r#"{"id":"chatcmpl-1","created":5,"model":"m","choices":[]}"#, "chatcmpl-1", "m", 5);
        check("data: {\"id\":\"a\",\"created\":5,\"model\":\"m\"}\n\ndata: [DONE]\n\n", "a", "m", 5);
        check(r#"{"id":"resp_1","created_at":7,"model":"m","output":[]}"#, "resp_1", "m", 7);
        check(
            concat!(
                "event: response.created\n",
                r#"data: {"type":"response.created","response":{"id":"resp_1","created_at":7,"model":"m"}}"#,
                "\n\n",
            ),
            "resp_1",
            "m",
            7,
        );
        check(
            concat!(
                "event: message_start\n",
                r#"data: {"type":"message_start","message":{"id":"msg_1","model":"m"}}"#,
                "\n\n",
            ),
            "msg_1",
            "m",
            0,
        );
        // By the standard, the lines of data of an event are one, and CR ends a line.
        check("data: {\"id\":\ndata: \"a\",\"model\":\"m\"}\n\n", "a", "m", 0);
        check("event: x\rdata: {\"id\":\"a\",\"model\":\"m\"}\r\r", "a", "m", 0);
        check(r#"[{"responseId":"r","modelVersion":"m","candidates":[]}]"#, "r", "m", 0);
        check(r#"{"id":"r","created_at":1741476777.5,"created":"now","model":7}"#, "r", "", 1_741_476_777);
        check(r#"{"id":null,"responseId":"r","model":"m","modelVersion":"n","message":"done"}"#, "r", "m", 0);
        check(r#"{"response":null,"message":{"id":"msg_1","model":"m"}}"#, "msg_1", "m", 0);
        check("<html>", "", "", 0);
        check("", "", "", 0);
    }
}
