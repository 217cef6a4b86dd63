//! Arguments of calls as agents send them: what a role says, in the form of the agent's own tool.

use std::fmt::Write;

use serde_json::{Map, Number, Value};

use crate::scenario::{Form, ItemShape, Shape, Slot};

pub(crate) use command::can as shell_can;
pub(crate) use sent::{agrees, read};

mod command;
mod sent;

/// What is sent to a tool of this form, as JSON. `values` are those of its role.
pub(crate) fn written(form: &Form, values: &[&str]) -> String {
    // Enough for text in which one character in eight is escaped.
    let bytes: usize = values.iter().map(|value| value.len() + value.len() / 8).sum();
    let mut out = Vec::with_capacity(bytes + 24 * (form.members.len() + 1));
    out.push(b'{');
    for (at, (name, slot)) in form.members.iter().enumerate() {
        if at > 0 {
            out.extend_from_slice(b", ");
        }
        json(&mut out, name);
        out.extend_from_slice(b": ");
        match slot {
            Slot::Value(at, Shape::Number) if values[*at].parse::<Number>().is_ok() => {
                out.extend_from_slice(values[*at].as_bytes());
            }
            Slot::Value(at, Shape::Text | Shape::Number) => json(&mut out, values[*at]),
            Slot::Value(..) | Slot::Command(_) | Slot::Fixed(_) | Slot::List(_) | Slot::Object(_) => {
                json(&mut out, &value(slot, values));
            }
        }
    }
    out.push(b'}');
    String::from_utf8(out).expect("JSON is text")
}

fn json(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) {
    serde_json::to_writer(out, value).expect("text, lists and objects are always JSON");
}

fn value(slot: &Slot, values: &[&str]) -> Value {
    match slot {
        Slot::Value(at, Shape::Text) => values[*at].into(),
        Slot::Value(at, Shape::Number) => {
            values[*at].parse::<Number>().map_or_else(|_| values[*at].into(), Value::Number)
        }
        Slot::Value(at, Shape::Items(shape)) => items(shape, values[*at]),
        Slot::Command(role) => command::written(*role, values).into(),
        Slot::Fixed(value) => value.clone(),
        Slot::List(all) => all.iter().map(|it| value(it, values)).collect(),
        Slot::Object(members) => members.iter().map(|(name, it)| (name.clone(), value(it, values))).collect(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Role;

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
        let form = Form { members: vec![("seconds".into(), Slot::Value(0, Shape::Number))] };
        assert_eq!(written(&form, &["60"]), r#"{"seconds": 60}"#);
        assert_eq!(written(&form, &["a minute"]), r#"{"seconds": "a minute"}"#);
    }

    /// A tool that takes a list of words, and one whose command has an object around it.
    #[test]
    fn a_nested_form_reads_as_it_was_written() {
        let flag = |text: &str| Slot::Fixed(text.into());
        let words = Slot::List(vec![flag("bash"), flag("-lc"), Slot::Value(0, Shape::Text)]);
        let form =
            Form { members: vec![("command".into(), words), ("login".into(), Slot::Fixed(true.into()))] };
        let sent = written(&form, &["ls \"a\""]);
        assert_eq!(sent, r#"{"command": ["bash","-lc","ls \"a\""], "login": true}"#);
        assert_eq!(read(&sent, Role::Shell, &form).expect("it has the form"), ["ls \"a\""]);

        let inner = Slot::Object(vec![("path".into(), Slot::Value(0, Shape::Text))]);
        let form = Form { members: vec![("files".into(), Slot::List(vec![inner]))] };
        let sent = written(&form, &["a b"]);
        assert_eq!(sent, r#"{"files": [{"path":"a b"}]}"#);
        assert_eq!(read(&sent, Role::Read, &form).expect("it has the form"), ["a b"]);
        let wrong = read(r#"{"files": []}"#, Role::Read, &form).expect_err("it has no file");
        assert_eq!(wrong, "`files` is missing");
    }

    #[test]
    fn a_command_does_what_a_role_does_and_is_read_as_that() {
        let form = |role| Form { members: vec![("command".into(), Slot::Command(role))] };
        let sent = written(&form(Role::Write), &["it's.txt", "a\n'b'\n"]);
        assert_eq!(sent, r#"{"command": "printf %s 'a\n'\\''b'\\''\n' > 'it'\\''s.txt'"}"#);
        let values = read(&sent, Role::Write, &form(Role::Write)).expect("it is a write");
        assert_eq!(values, ["it's.txt", "a\n'b'\n"]);
        let wrong = read(&sent, Role::Read, &form(Role::Read)).expect_err("it is no read");
        assert_eq!(wrong, "`command` does something else");
    }
}
