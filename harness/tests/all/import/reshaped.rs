//! Changes of the values in a file, so that it stays JSON and gets past the parser.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

/// A change of one value in a file.
#[derive(Clone, Debug)]
pub(super) enum Reshape {
    /// Another value takes its place.
    Put(Index, Value),
    /// It changes places with another one.
    Swap(Index, Index),
    /// It takes the place of another one as well.
    Copy(Index, Index),
    /// It is in so many lists, or in so many objects.
    Wrap(Index, bool, usize),
    /// It is a text with JSON in it.
    Quote(Index),
    /// It is not there.
    Drop(Index),
    /// It comes so many times in its list.
    Repeat(Index, usize),
    /// It is a member with another name.
    Rename(Index, &'static str),
    /// It is a text, and has this in it.
    Insert(Index, Index, &'static str),
}

/// Texts that a reader looks for, and texts that no reader expects.
const TEXTS: [&str; 38] = [
    "",
    "\0",
    "\u{202e}",
    "\u{feff}",
    "e\u{301}",
    "\u{1f600}",
    "\r\n",
    "\n\n",
    "```",
    "```json\n{",
    "</",
    "<thinking>",
    "</thinking>",
    "<tool_call>",
    "<write_to_file><path>",
    "</write_to_file>",
    "<invoke name=\"x\">",
    "<![CDATA[",
    "[ERROR]",
    "Thought: ",
    "Action: ",
    "Action Input: {",
    "Observation: ",
    "Finish[",
    "execute[",
    "{\"a\":",
    "[{",
    "\\ud800",
    "'",
    "\"\"\"",
    "2026-13-45T99:99:99Z",
    "data: [DONE]",
    "99999999999999999999",
    "-0",
    "1e999",
    "../../x",
    "tool",
    "漢字",
];

/// Names that members of several formats have.
const NAMES: [&str; 16] = [
    "",
    "role",
    "content",
    "type",
    "id",
    "name",
    "text",
    "input",
    "tool_calls",
    "function",
    "arguments",
    "tool_call_id",
    "parts",
    "messages",
    "error",
    "output",
];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(vec![
            json!(null),
            json!(true),
            json!(-1),
            json!(0.1),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(f64::MAX),
            json!([]),
            json!({}),
            json!([[]]),
            json!([null, 1, "x", {}]),
            json!({"": null}),
            json!("x".repeat(10_000)),
        ]),
        select(TEXTS.to_vec()).prop_map(Value::from),
    ]
}

pub(super) fn reshape() -> impl Strategy<Value = Reshape> {
    let at = any::<Index>;
    prop_oneof![
        (at(), value()).prop_map(|(at, value)| Reshape::Put(at, value)),
        (at(), at()).prop_map(|(one, other)| Reshape::Swap(one, other)),
        (at(), at()).prop_map(|(from, to)| Reshape::Copy(from, to)),
        (at(), any::<bool>(), 1..120_usize).prop_map(|(at, list, depth)| Reshape::Wrap(at, list, depth)),
        at().prop_map(Reshape::Quote),
        at().prop_map(Reshape::Drop),
        (at(), 2..50_usize).prop_map(|(at, times)| Reshape::Repeat(at, times)),
        (at(), select(NAMES.to_vec())).prop_map(|(at, name)| Reshape::Rename(at, name)),
        (at(), at(), select(TEXTS.to_vec())).prop_map(|(at, place, text)| Reshape::Insert(at, place, text)),
    ]
}

/// The file with this change; as it is if it is not JSON.
pub(super) fn reshaped(bytes: Vec<u8>, change: &Reshape) -> Vec<u8> {
    let Some(mut file) = std::str::from_utf8(&bytes).ok().map(File::new) else { return bytes };
    let places = file.places();
    if places.is_empty() {
        return bytes;
    }
    let place = |at: &Index| at.get(&places);
    match change {
        Reshape::Put(at, value) => *file.value(place(at)) = value.clone(),
        Reshape::Swap(one, other) => {
            let [first, second] = [one, other].map(|it| file.value(place(it)).clone());
            *file.value(place(one)) = second;
            // Where one was inside of the other, its place may be gone.
            if let Some(value) = file.find(place(other)) {
                *value = first;
            }
        }
        Reshape::Copy(from, to) => *file.value(place(to)) = file.value(place(from)).clone(),
        Reshape::Wrap(at, list, depth) => {
            let value = file.value(place(at));
            for _ in 0..*depth {
                *value = if *list { json!([value.take()]) } else { json!({"content": value.take()}) };
            }
        }
        Reshape::Quote(at) => {
            let value = file.value(place(at));
            *value = Value::from(value.to_string());
        }
        Reshape::Drop(at) => file.member(place(at), |parent, key| match parent {
            Value::Object(members) => drop(members.remove(key)),
            Value::Array(all) => drop(all.remove(key.parse().expect("an index"))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }),
        Reshape::Repeat(at, times) => file.member(place(at), |parent, key| {
            if let Value::Array(all) = parent {
                let at: usize = key.parse().expect("an index");
                let more = vec![all[at].clone(); times - 1];
                all.splice(at..at, more);
            }
        }),
        Reshape::Rename(at, name) => file.member(place(at), |parent, key| {
            if let Value::Object(members) = parent {
                let value = members.remove(key).expect("it has this member");
                members.insert((*name).to_owned(), value);
            }
        }),
        Reshape::Insert(at, within, text) => {
            let texts: Vec<&Place> = places.iter().filter(|it| file.value(it).is_string()).collect();
            if let Some(at) = (!texts.is_empty()).then(|| at.get(&texts))
                && let Value::String(words) = file.value(at)
            {
                let ends: Vec<usize> = words.char_indices().map(|(at, _)| at).chain([words.len()]).collect();
                words.insert_str(*within.get(&ends), text);
            }
        }
    }
    file.written()
}

/// A file as one value, or as lines of which most are values.
struct File(Vec<Result<Value, String>>);

/// A line, and the JSON pointer (RFC 6901) of a value in it.
type Place = (usize, String);

impl File {
    fn new(text: &str) -> Self {
        match serde_json::from_str(text) {
            Ok(value) => Self(vec![Ok(value)]),
            Err(_) => {
                let line = |it: &str| serde_json::from_str(it).map_err(|_| it.to_owned());
                Self(text.lines().map(line).collect())
            }
        }
    }

    fn written(&self) -> Vec<u8> {
        let line = |it: &Result<Value, String>| match it {
            Ok(value) => format!("{value}\n"),
            Err(text) => format!("{text}\n"),
        };
        self.0.iter().map(line).collect::<String>().into_bytes()
    }

    fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for (nth, line) in self.0.iter().enumerate() {
            if let Ok(value) = line {
                collect(value, nth, String::new(), &mut places);
            }
        }
        places
    }

    fn find(&mut self, (line, pointer): &Place) -> Option<&mut Value> {
        self.0[*line].as_mut().ok()?.pointer_mut(pointer)
    }

    fn value(&mut self, place: &Place) -> &mut Value {
        self.find(place).expect("nothing has changed since the places were taken")
    }

    /// Changes the list or the object that this value is in, if it is in one.
    fn member(&mut self, (line, pointer): &Place, change: impl FnOnce(&mut Value, &str)) {
        if let Some((parent, key)) = pointer.rsplit_once('/') {
            let key = key.replace("~1", "/").replace("~0", "~");
            change(self.value(&(*line, parent.to_owned())), &key);
        }
    }
}

fn collect(value: &Value, line: usize, pointer: String, places: &mut Vec<Place>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(value, line, format!("{pointer}/{name}"), places);
            }
        }
        Value::Array(all) => {
            for (nth, value) in all.iter().enumerate() {
                collect(value, line, format!("{pointer}/{nth}"), places);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    places.push((line, pointer));
}
