//! Arguments of calls as agents send them: text, numbers, and lists of items.

use std::borrow::Cow;
use std::fmt::{self, Write};

use serde::de::{
    Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer},
};
use serde_json::{Map, Number, Value};

use crate::scenario::{ItemShape, Shape, ToolsetTool};

/// Writes one member of the object that is sent; the brace before it is there already.
pub(crate) fn write(out: &mut Vec<u8>, name: &str, shape: &Shape, value: &str) {
    // Enough for text in which one character in eight is escaped.
    out.reserve(name.len() + value.len() + value.len() / 8 + 16);
    if out.len() > 1 {
        out.extend_from_slice(b", ");
    }
    serde_json::to_writer(&mut *out, name).expect("a string is always JSON");
    out.extend_from_slice(b": ");
    match shape {
        Shape::Number if value.parse::<Number>().is_ok() => out.extend_from_slice(value.as_bytes()),
        Shape::Text | Shape::Number => serde_json::to_writer(out, value).expect("a string is always JSON"),
        Shape::Items(shape) => {
            serde_json::to_writer(out, &items(shape, value)).expect("a list is always JSON")
        }
    }
}

/// The marks of an item that is open, begun and done.
const MARKS: [&str; 3] = ["[ ]", "[-]", "[x]"];

/// The lines of a todo list as an agent sends them.
fn items(shape: &ItemShape, lines: &str) -> Value {
    let item = |(place, line): (usize, &str)| {
        let marked = MARKS.iter().position(|mark| line.starts_with(mark));
        let text = marked.map_or(line, |at| line[MARKS[at].len()..].trim_start());
        let mut members: Map<String, Value> =
            shape.constants.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        members.insert(shape.text.clone(), text.into());
        members.insert(shape.state.clone(), shape.words[marked.unwrap_or(0)].as_str().into());
        members.extend(shape.again.iter().map(|name| (name.clone(), text.into())));
        members.extend(shape.number.iter().map(|name| (name.clone(), (place + 1).into())));
        Value::Object(members)
    };
    lines.lines().filter(|line| !line.trim().is_empty()).enumerate().map(item).collect()
}

/// The lines of a list that an agent sent. `None` if it has not the form of one.
fn lines(shape: &ItemShape, sent: &Value) -> Option<String> {
    let mut lines = String::new();
    for item in sent.as_array()? {
        let state = item.get(&shape.state)?.as_str()?;
        let mark = MARKS[shape.words.iter().position(|word| word == state)?];
        let text = item.get(&shape.text)?.as_str()?;
        writeln!(lines, "{mark} {text}").expect("writing to a string never fails");
    }
    Some(lines)
}

/// An object as it was sent: few members, of which the last of a name counts.
#[derive(Debug)]
pub(crate) struct Sent<'t>(Vec<(Cow<'t, str>, Member<'t>)>);

/// A value that was sent; where nothing in a string is escaped, it is a part of that text.
#[derive(Debug)]
enum Member<'t> {
    Text(Cow<'t, str>),
    Other(Value),
}

impl<'t> Sent<'t> {
    /// What was sent to this tool, each value as the text that a scenario would write. If it has not the form that the
    /// tool wants, the error says what was expected.
    pub(crate) fn read(text: &'t str, tool: &ToolsetTool) -> Result<Self, String> {
        let Ok(mut sent) = serde_json::from_str::<Self>(text) else {
            return Err("expected an object of strings".to_owned());
        };
        for (name, member) in &mut sent.0 {
            let shape = tool.arguments.iter().position(|it| it == name).map(|at| &tool.shapes[at]);
            let text = match (shape, &*member) {
                (None | Some(Shape::Text), Member::Text(_)) => continue,
                (None | Some(Shape::Text), Member::Other(_)) => {
                    return Err("expected an object of strings".to_owned());
                }
                (Some(Shape::Number), Member::Other(Value::Number(number))) => number.to_string(),
                (Some(Shape::Number), Member::Text(_) | Member::Other(_)) => {
                    return Err(format!("`{name}` must be a number"));
                }
                (Some(Shape::Items(shape)), Member::Other(list)) => {
                    lines(shape, list).ok_or_else(|| malformed(name, shape))?
                }
                (Some(Shape::Items(shape)), Member::Text(_)) => return Err(malformed(name, shape)),
            };
            *member = Member::Text(text.into());
        }
        Ok(sent)
    }

    /// The text of a member.
    pub(crate) fn get(&self, wanted: &str) -> Option<&str> {
        let (_, value) = self.0.iter().rfind(|(name, _)| name == wanted)?;
        match value {
            Member::Text(text) => Some(text),
            Member::Other(_) => None,
        }
    }
}

fn malformed(name: &str, shape: &ItemShape) -> String {
    let [open, begun, done] = &shape.words;
    format!(
        "`{name}` must be a list of objects with `{}` and `{}` ({open}, {begun} or {done})",
        shape.text, shape.state
    )
}

impl<'t> Deserialize<'t> for Sent<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'t> Visitor<'t> for Members {
            type Value = Sent<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Sent<'t>, A::Error> {
                let mut members = Vec::with_capacity(2);
                while let Some((Text(name), value)) = map.next_entry()? {
                    members.push((name, value));
                }
                Ok(Sent(members))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

/// A string of JSON.
#[derive(serde::Deserialize)]
struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

impl<'t> Deserialize<'t> for Member<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'t> Visitor<'t> for Any {
            type Value = Member<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Member<'t>, E> {
                Ok(Member::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Member<'t>, E> {
                Ok(Member::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Member<'t>, E> {
                Ok(Member::Other(number.into()))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Member<'t>, E> {
                Ok(Member::Other(number.into()))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Member<'t>, E> {
                Ok(Member::Other(number.into()))
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<Member<'t>, E> {
                Ok(Member::Other(value.into()))
            }

            fn visit_unit<E: Error>(self) -> Result<Member<'t>, E> {
                Ok(Member::Other(Value::Null))
            }

            fn visit_seq<A: SeqAccess<'t>>(self, list: A) -> Result<Member<'t>, A::Error> {
                Value::deserialize(SeqAccessDeserializer::new(list)).map(Member::Other)
            }

            fn visit_map<A: MapAccess<'t>>(self, map: A) -> Result<Member<'t>, A::Error> {
                Value::deserialize(MapAccessDeserializer::new(map)).map(Member::Other)
            }
        }

        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo() -> ItemShape {
        ItemShape {
            text: "content".into(),
            state: "status".into(),
            words: ["pending".into(), "in_progress".into(), "completed".into()],
            again: Some("activeForm".into()),
            number: Some("id".into()),
            constants: vec![("priority".into(), "low".into())],
        }
    }

    #[test]
    fn a_todo_list_is_a_list_of_objects_and_reads_as_it_was_written() {
        let sent = items(&todo(), "[x] look\n\n[-] write\ntest\n");
        let expected = serde_json::json!([
            {"content": "look", "status": "completed", "activeForm": "look", "id": 1, "priority": "low"},
            {"content": "write", "status": "in_progress", "activeForm": "write", "id": 2, "priority": "low"},
            {"content": "test", "status": "pending", "activeForm": "test", "id": 3, "priority": "low"},
        ]);
        assert_eq!(sent, expected);
        assert_eq!(lines(&todo(), &sent).as_deref(), Some("[x] look\n[-] write\n[ ] test\n"));
        for bad in [
            serde_json::json!("a"),
            serde_json::json!(["a"]),
            serde_json::json!([{"content": "a", "status": "?"}]),
        ] {
            assert_eq!(lines(&todo(), &bad), None, "{bad}");
        }
    }

    #[test]
    fn only_a_number_is_sent_as_one() {
        let sent = |value| {
            let mut out = vec![b'{'];
            write(&mut out, "seconds", &Shape::Number, value);
            String::from_utf8(out).expect("JSON is text")
        };
        assert_eq!(sent("60"), r#"{"seconds": 60"#);
        assert_eq!(sent("a minute"), r#"{"seconds": "a minute""#);
    }
}
