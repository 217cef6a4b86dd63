//! What the parts of an answer say together: no part has a text that is cut between two.

use std::collections::BTreeMap;

use balk_contract::record::CompletionRecord;
use balk_contract::wire::{Form, Reply};
use balk_guards::Completion;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// All texts that a record gets of an answer: those of its body, and those of what was read from it. Each is joined
/// with those before it in the same place, such as the parts of a list, or one member of all events of a stream.
pub(super) fn texts(reply: &Reply, completion: Option<&Completion>) -> impl Iterator<Item = String> {
    let (mut body, mut read) = (Joined::default(), Joined::default());
    match reply.form {
        Form::Whole => body.json(&reply.body),
        Form::Stream => {
            let lines = reply.body.split(['\n', '\r']);
            lines.filter_map(|line| line.strip_prefix("data:")).for_each(|data| body.json(data));
        }
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
    /// Takes all texts of some JSON, if it is JSON. `[DONE]` is none.
    fn json(&mut self, text: &str) {
        if let Ok(value) = serde_json::from_str(text) {
            self.take(0, &value);
        }
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
