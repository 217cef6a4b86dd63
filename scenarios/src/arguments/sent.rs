//! What was sent to a tool, each value as the text that a scenario would write.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor,
    value::{MapAccessDeserializer, SeqAccessDeserializer},
};
use serde_json::Value;

use super::command;
use super::todo::lines;
use crate::scenario::{Form, ItemShape, Role, Shape, Slot};

/// The values of the role, in the order of its arguments. If what was sent has not the form that the tool wants, the
/// error says what was expected.
pub(crate) fn read<'t>(text: &'t str, role: Role, form: &Form) -> Result<Vec<Cow<'t, str>>, String> {
    let Ok(Sent(mut sent)) = serde_json::from_str(text) else {
        return Err("expected an object of strings".to_owned());
    };
    for (name, member) in &mut sent {
        match form.members.iter().find(|(it, _)| *it == **name) {
            Some((_, slot)) => understand(name, slot, member)?,
            None if matches!(member, Member::Text(_)) => {}
            None => return Err("expected an object of strings".to_owned()),
        }
    }
    let mut values = vec![None; role.arguments().len()];
    for (name, slot) in &form.members {
        // The last member of a name counts.
        if let Some((_, member)) = sent.iter_mut().rfind(|(it, _)| *it == **name) {
            collect(name, slot, member, &mut values)?;
        }
    }
    let values = values.into_iter().enumerate().map(|(at, value)| match (value, form.name(at)) {
        (Some(value), _) => Ok(value),
        (None, Some(name)) => Err(format!("`{name}` is missing")),
        // The tool does not ask for it.
        (None, None) => Ok(Cow::Borrowed("")),
    });
    values.collect()
}

/// Whether what was sent has all that is the same in every call of this form. It tells the roles of one tool apart.
pub(crate) fn agrees(text: &str, form: &Form) -> bool {
    fn is_like(slot: &Slot, sent: &Value) -> bool {
        match slot {
            Slot::Value(..) | Slot::Command(_) => true,
            Slot::Fixed(value) => value == sent,
            Slot::List(all) => sent.as_array().is_some_and(|sent| {
                sent.len() == all.len() && all.iter().zip(sent).all(|(slot, sent)| is_like(slot, sent))
            }),
            Slot::Object(members) => members.iter().all(|(name, slot)| is_like(slot, &sent[name.as_str()])),
        }
    }
    let sent = serde_json::from_str(text).unwrap_or(Value::Null);
    form.members.iter().all(|(name, slot)| is_like(slot, &sent[name.as_str()]))
}

/// Turns a member into the text that a scenario would write, if the slot is one for text.
fn understand(name: &str, slot: &Slot, member: &mut Member<'_>) -> Result<(), String> {
    let text = match (slot, &*member) {
        (Slot::Value(_, Shape::Text) | Slot::Fixed(Value::String(_)), Member::Text(_)) => return Ok(()),
        (Slot::Value(_, Shape::Text) | Slot::Fixed(Value::String(_)), Member::Other(_)) => {
            return Err("expected an object of strings".to_owned());
        }
        (Slot::Value(_, Shape::Number), Member::Other(Value::Number(number))) => number.to_string(),
        (Slot::Value(_, Shape::Number), Member::Text(_) | Member::Other(_)) => {
            return Err(format!("`{name}` must be a number"));
        }
        (Slot::Value(_, Shape::Items(shape)), Member::Other(list)) => {
            lines(shape, list).ok_or_else(|| malformed(name, shape))?
        }
        (Slot::Value(_, Shape::Items(shape)), Member::Text(_)) => return Err(malformed(name, shape)),
        (Slot::Command(_) | Slot::Fixed(_) | Slot::List(_) | Slot::Object(_), _) => return Ok(()),
    };
    *member = Member::Text(text.into());
    Ok(())
}

/// Takes the values out of a member.
fn collect<'t>(
    name: &str,
    slot: &Slot,
    member: &mut Member<'t>,
    values: &mut [Option<Cow<'t, str>>],
) -> Result<(), String> {
    match (slot, member) {
        (Slot::Value(at, _), Member::Text(text)) => values[*at] = Some(std::mem::take(text)),
        (Slot::Command(role), Member::Text(text)) => {
            let read = command::read(*role, text).ok_or_else(|| format!("`{name}` does something else"))?;
            values.iter_mut().zip(read).for_each(|(value, read)| *value = Some(read.into()));
        }
        (Slot::List(all), Member::Other(Value::Array(sent))) => {
            for (slot, value) in all.iter().zip(sent) {
                inside(name, slot, value, values)?;
            }
        }
        (Slot::Object(members), Member::Other(Value::Object(sent))) => {
            for (inner, slot) in members {
                if let Some(value) = sent.get_mut(inner) {
                    inside(name, slot, value, values)?;
                }
            }
        }
        // What is missing is told by the value that it leaves out.
        (
            Slot::Value(..) | Slot::Command(_) | Slot::Fixed(_) | Slot::List(_) | Slot::Object(_),
            Member::Text(_) | Member::Other(_),
        ) => {}
    }
    Ok(())
}

/// The same for a value inside a member.
fn inside(
    name: &str,
    slot: &Slot,
    value: &mut Value,
    values: &mut [Option<Cow<'_, str>>],
) -> Result<(), String> {
    let mut member = match value.as_str() {
        Some(text) => Member::Text(text.to_owned().into()),
        None => Member::Other(value.take()),
    };
    understand(name, slot, &mut member)?;
    collect(name, slot, &mut member, values)
}

fn malformed(name: &str, shape: &ItemShape) -> String {
    let [open, begun, done] = &shape.words;
    format!(
        "`{name}` must be a list of objects with `{}` and `{}` ({open}, {begun} or {done})",
        shape.text, shape.state
    )
}

/// An object as it was sent: few members, of which the last of a name counts.
#[derive(Debug)]
struct Sent<'t>(Vec<(Cow<'t, str>, Member<'t>)>);

/// A value that was sent; where nothing in a string is escaped, it is a part of that text.
#[derive(Debug)]
enum Member<'t> {
    Text(Cow<'t, str>),
    Other(Value),
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
