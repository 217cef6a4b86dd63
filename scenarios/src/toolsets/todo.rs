//! The items of a todo list, from the schema of a tool.

use super::names::squeezed;
use super::schema::{Node, Type};
use crate::scenario::ItemShape;

/// How an item is sent. `None` if the schema does not say enough, or asks for something else.
pub(super) fn shape(item: Node<'_>) -> Option<ItemShape> {
    let of = |names: &[&str]| {
        let is_one = |name: &str| names.contains(&&*squeezed(name));
        names.first()?;
        item.members()
            .filter(|(name, _)| is_one(name))
            .min_by_key(|(name, _)| names.iter().position(|it| *it == squeezed(name)).unwrap_or(names.len()))
    };
    let (text, _) = of(&TEXT).filter(|(_, node)| node.of_type() == Type::Text)?;
    let (state, states) = of(&STATE).filter(|(_, node)| node.of_type() == Type::Text)?;
    let words = match states.choices() {
        None => [OPEN[0], BEGUN[0], DONE[0]].map(str::to_owned),
        Some(choices) => {
            let find = |words: &[&str]| {
                let mut said = choices.iter().filter_map(|it| it.as_str());
                said.find(|it| words.contains(&it.to_ascii_lowercase().replace(['-', ' '], "_").as_str()))
            };
            [find(&OPEN)?, find(&BEGUN)?, find(&DONE)?].map(str::to_owned)
        }
    };
    let mut shape = ItemShape {
        text: text.into(),
        state: state.into(),
        words,
        again: None,
        number: None,
        constants: Vec::new(),
    };
    for (name, node) in item.required().filter(|(name, _)| *name != text && *name != state) {
        match node.of_type() {
            Type::Text => match node.choices() {
                Some(choices) => shape.constants.push((name.into(), choices.first()?.as_str()?.into())),
                None if shape.again.is_none() => shape.again = Some(name.into()),
                None => shape.constants.push((name.into(), "item".into())),
            },
            Type::Integer | Type::Number if shape.number.is_none() => shape.number = Some(name.into()),
            Type::Integer
            | Type::Number
            | Type::Boolean
            | Type::List
            | Type::Object
            | Type::Null
            | Type::Any => return None,
        }
    }
    Some(shape)
}

/// Names of the members of an item, without capitals and punctuation.
const TEXT: [&str; 8] = ["content", "text", "step", "title", "task", "description", "label", "name"];
const STATE: [&str; 2] = ["status", "state"];

const OPEN: [&str; 4] = ["pending", "todo", "open", "not_started"];
const BEGUN: [&str; 4] = ["in_progress", "active", "started", "doing"];
const DONE: [&str; 4] = ["completed", "done", "complete", "finished"];
