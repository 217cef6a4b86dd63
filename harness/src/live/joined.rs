//! What the parts of an answer say together: no part has a text that is cut between two.

use std::collections::BTreeMap;

use balk_contract::record::CompletionRecord;
use balk_contract::wire::{Form, Reply, event_data};
use balk_guards::Completion;
use serde_json::{Deserializer, Value};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// All texts that a record gets of an answer: those of its body, and those of what was read from it. Each is joined
/// with those before it in the same place, such as the parts of a list, or one member of all events of a stream.
pub(super) fn texts(reply: &Reply, completion: Option<&Completion>) -> impl Iterator<Item = String> {
    let (mut body, mut read) = (Joined::default(), Joined::default());
    match reply.form {
        Form::Whole => body.json(&reply.body),
        // The last event counts as well if nothing ends it.
        Form::Stream => event_data(&format!("{}\n\n", reply.body)).for_each(|data| body.json(&data)),
    }
    if let Some(completion) = completion {
        let record = serde_json::to_value(CompletionRecord::from(completion)).expect("plain data");
        read.take(0, &record);
    }
    body.0.into_values().chain(read.0.into_values())
}

/// Texts by their place: a digest of the names of the members that lead to it.
#[derive(Default)]
struct Joined(BTreeMap<u64, String>);

impl Joined {
    /// Takes all texts of some JSON, also of several values, up to what is none, such as `[DONE]`.
    fn json(&mut self, text: &str) {
        let values = Deserializer::from_str(text).into_iter();
        values.map_while(Result::ok).for_each(|value| self.take(0, &value));
    }

    fn take(&mut self, place: u64, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
            Value::String(text) => self.0.entry(place).or_default().push_str(text),
            Value::Array(parts) => parts.iter().for_each(|it| self.take(place, it)),
            Value::Object(members) => {
                for (name, value) in members {
                    self.take(xxh3_64_with_seed(name.as_bytes(), place), value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(body: &str) {
        let reply = Reply { status: 200, retry_after: None, form: Form::Stream, body: body.into() };
        let texts: Vec<String> = texts(&reply, None).collect();
        assert_eq!(texts, ["sk-0123456789"], "{body}");
    }

    #[test]
    fn texts_of_a_stream_are_joined_however_its_events_are_written() {
        check("data: {\"x\":\"sk-0123\"}\n\ndata:{\"x\":\"456789\"}\n\ndata: [DONE]\n\n");
        check("data: {\"x\":\ndata: \"sk-0123\"}\r\n\r\ndata: {\rdata: \"x\":\"456789\"}\r\r");
        check("data: {\"x\":\"sk-0123\"}\ndata: {\"x\":\"456789\"}\n\n");
        check("data: {\"x\":\"sk-0123\"}\n\ndata: {\"x\":\ndata: \"456789\"}");
        check("data: {\"x\":\"sk-0123\"}\ndata: {\"x\":\"456789\"}");
    }
}
