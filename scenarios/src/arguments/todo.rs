//! Todo lists: a list of objects for an agent, a line for each item in a scenario.

use std::fmt::Write;

use serde_json::{Map, Value};

use crate::scenario::ItemShape;

/// The marks of an item that is open, begun and done.
const MARKS: [&str; 3] = ["[ ]", "[-]", "[x]"];

/// The lines of a todo list as an agent sends them.
pub(super) fn items(shape: &ItemShape, lines: &str) -> Value {
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
pub(super) fn lines(shape: &ItemShape, sent: &Value) -> Option<String> {
    let mut lines = String::new();
    for item in sent.as_array()? {
        let state = item.get(&shape.state)?.as_str()?;
        let mark = MARKS[shape.words.iter().position(|word| word == state)?];
        let text = item.get(&shape.text)?.as_str()?;
        writeln!(lines, "{mark} {text}").expect("writing to a string never fails");
    }
    Some(lines)
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
}
