//! Arguments of calls as agents send them: what a role says, in the form of the agent's own tool.

use serde_json::{Number, Value};

use crate::scenario::{Form, Shape, Slot};

pub(crate) use command::can as shell_can;
pub(crate) use sent::{agrees, read};

mod command;
mod sent;
mod todo;

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
        Slot::Value(at, Shape::Items(shape)) => todo::items(shape, values[*at]),
        Slot::Command(role) => command::written(*role, values)
            .unwrap_or_else(|| {
                panic!("the form has a command for the role {role:?}, but `command::written` has none")
            })
            .into(),
        Slot::Fixed(value) => value.clone(),
        Slot::List(all) => all.iter().map(|it| value(it, values)).collect(),
        Slot::Object(members) => members.iter().map(|(name, it)| (name.clone(), value(it, values))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Role;

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
    #[should_panic(expected = "a command for the role Delegate, but `command::written` has none")]
    fn a_role_without_a_command_is_not_sent_as_another() {
        written(&Form { members: vec![("command".into(), Slot::Command(Role::Delegate))] }, &["a task"]);
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
