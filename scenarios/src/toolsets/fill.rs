//! The form of a role's arguments in a tool of a real agent, from the tool's own schema.
//!
//! A value of the role goes into the member whose name says that it is meant, or into the only one left that must be
//! there. Other members that must be there get a value of their type that means as little as possible. Members that
//! may be left out are left out. So what is sent has everything that is `required`, each of its `type`.

use serde_json::{Map, Value};

use super::names::{Means, means, squeezed};
use super::schema::{Node, Type};
use super::todo;
use crate::scenario::{Form, Role, Shape, Slot};

/// The form in which this tool takes the values of this role. `None` if one of them has no place, or if a member that
/// must be there means something that the role does not say.
pub(super) fn form(schema: &Value, role: Role) -> Option<Form> {
    let filling = Filling { role, nth: 0 };
    let arguments = 0..role.arguments().len();
    filling.object(Node::new(schema), &arguments.collect::<Vec<_>>(), DEPTH).map(|members| Form { members })
}

/// Schemas that are deeper are not filled.
const DEPTH: usize = 6;

#[derive(Clone, Copy)]
struct Filling {
    role: Role,
    /// The place in a list, so that no two items are the same.
    nth: usize,
}

impl Filling {
    /// The members of an object that takes these arguments.
    fn object(self, object: Node<'_>, arguments: &[usize], depth: usize) -> Option<Vec<(String, Slot)>> {
        let depth = depth.checked_sub(1)?;
        let mut members: Vec<(String, Slot)> = Vec::new();
        for &argument in arguments {
            let canonical = self.role.arguments()[argument];
            let free = |name: &str| members.iter().all(|(it, _)| it != name);
            let mut named: Vec<(usize, bool, &str, Slot)> = object
                .members()
                .filter(|(name, _)| free(name))
                .filter_map(|(name, node)| {
                    let rank = Means::of(self.role, canonical).rank(name)?;
                    let slot = self.place(name, node, argument, depth)?;
                    Some((rank, !object.requires(name), name, slot))
                })
                .collect();
            named.sort_by_key(|(rank, may_be_left_out, ..)| (*may_be_left_out, *rank));
            let found = match named.into_iter().next() {
                Some((.., name, slot)) => Some((name, slot)),
                None => self.only_one_left(object, &members, argument, depth),
            };
            match found {
                Some((name, slot)) => members.push((name.to_owned(), slot)),
                None if self.can_be_dropped() => {}
                None => return None,
            }
        }
        for (name, node) in object.required() {
            if members.iter().all(|(it, _)| it != name) {
                members.push((name.to_owned(), Slot::Fixed(self.required(name, node, depth)?)));
            }
        }
        Some(members)
    }

    /// A tool that ends the task, lists files or has nothing to do with the task may take nothing.
    fn can_be_dropped(self) -> bool {
        matches!(self.role, Role::Finish | Role::List | Role::Distractor)
    }

    /// The only member left that must be there and that can have the argument.
    fn only_one_left<'s>(
        self,
        object: Node<'s>,
        members: &[(String, Slot)],
        argument: usize,
        depth: usize,
    ) -> Option<(&'s str, Slot)> {
        let mut left = object.required().filter(|(name, _)| members.iter().all(|(it, _)| it != name));
        let (name, node) = left.next().filter(|(_, node)| !node.nullable)?;
        let is_open = self.role != Role::Shell && left.next().is_none() && means(name).is_none();
        is_open.then(|| self.place(name, node, argument, depth)).flatten().map(|slot| (name, slot))
    }

    /// The place for an argument in a value of this type.
    fn place(self, name: &str, node: Node<'_>, argument: usize, depth: usize) -> Option<Slot> {
        if node.choices().is_some() {
            return None;
        }
        let is_number = self.role == Role::Wait;
        let is_list = self.role == Role::Plan;
        match node.of_type() {
            Type::Text | Type::Any if !is_list => Some(Slot::Value(argument, Shape::Text)),
            // A time to wait is positive.
            Type::Integer | Type::Number if is_number && node.whole(1) >= 1 => {
                Some(Slot::Value(argument, Shape::Number))
            }
            Type::List if is_list => {
                let (item, _) = node.items();
                todo::shape(item).map(|shape| Slot::Value(argument, Shape::Items(shape)))
            }
            Type::List => {
                let (item, least) = node.items();
                let is_text = matches!(item.of_type(), Type::Text | Type::Any) && item.choices().is_none();
                let one = if item.of_type() == Type::Object {
                    Slot::Object(self.object(item, &[argument], depth)?)
                } else if is_text {
                    Slot::Value(argument, Shape::Text)
                } else {
                    return None;
                };
                // A list of words is what the system runs, so the shell is the first of them.
                let is_words = self.role == Role::Shell && !name.ends_with('s') && least <= 3;
                let shell = ["bash", "-lc"].map(|word| Slot::Fixed(word.into()));
                let before = if is_words && item.of_type() == Type::Text { &shell[..] } else { &[] };
                let missing = before.len() + 1..filled(least)?;
                let more =
                    missing.map(|nth| Self { nth, ..self }.required(name, item, depth).map(Slot::Fixed));
                let more: Option<Vec<Slot>> = more.collect();
                Some(Slot::List(before.iter().cloned().chain([one]).chain(more?).collect()))
            }
            Type::Text
            | Type::Any
            | Type::Integer
            | Type::Number
            | Type::Boolean
            | Type::Object
            | Type::Null => None,
        }
    }

    /// A value for a member that must be there, and that no argument goes into.
    fn required(self, name: &str, node: Node<'_>, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        if let Some(choices) = node.choices() {
            return self.choice(name, choices);
        }
        if node.nullable {
            return Some(Value::Null);
        }
        if self.means_more(name) {
            return None;
        }
        let kind = node.of_type();
        if let Some(default) = node.default().filter(|it| is_of(it, kind)) {
            return Some(default.clone());
        }
        Some(match kind {
            Type::Text | Type::Any => self.text(name),
            Type::Integer | Type::Number => node.whole(number(name)).into(),
            // Whether it is done, whether it went well; whether a file may be there.
            Type::Boolean => (self.role == Role::Finish || squeezed(name).contains("overwrite")).into(),
            Type::Null => Value::Null,
            Type::List => {
                let (item, least) = node.items();
                let nth = |nth| Self { nth, ..self }.required(name, item, depth);
                (0..filled(least)?).map(nth).collect::<Option<_>>()?
            }
            Type::Object => {
                let members = node.required();
                let filled =
                    members.map(|(name, it)| Some((name.to_owned(), self.required(name, it, depth)?)));
                Value::Object(filled.collect::<Option<Map<String, Value>>>()?)
            }
        })
    }

    /// One of several words: what the role does, or the first.
    fn choice(self, name: &str, choices: &[Value]) -> Option<Value> {
        let does = |choice: &&Value| choice.as_str().is_some_and(|it| self.does().contains(&it));
        let is_what_to_do = matches!(means(name), Some(Means::Command | Means::Action));
        match choices.iter().find(does) {
            Some(found) => Some(found.clone()),
            // A tool that does several things, and not this one.
            None if is_what_to_do && choices.len() > 1 && !self.does().is_empty() => None,
            None => choices.first().cloned(),
        }
    }

    /// What the role does, in the words of tools that do several things.
    fn does(self) -> &'static [&'static str] {
        match self.role {
            Role::Write => &["create", "write", "overwrite"],
            Role::Edit => &["str_replace", "replace", "edit"],
            Role::Read => &["view", "read", "open"],
            Role::List => &["list", "ls", "view"],
            Role::Plan => &["write", "set", "update"],
            Role::Shell => &["run", "execute", "exec"],
            Role::Delegate | Role::Wait | Role::Ask | Role::Remote | Role::Finish | Role::Distractor => &[],
        }
    }

    /// Whether a member that must be there means something that this role does not say.
    fn means_more(self, name: &str) -> bool {
        let Some(meant) = means(name) else { return false };
        match self.role {
            Role::Write => meant == Means::Old,
            Role::Read | Role::List => matches!(meant, Means::Old | Means::Content | Means::Command),
            Role::Ask | Role::Finish => {
                matches!(meant, Means::Old | Means::Content | Means::Command | Means::Path)
            }
            Role::Edit
            | Role::Shell
            | Role::Delegate
            | Role::Wait
            | Role::Plan
            | Role::Remote
            | Role::Distractor => false,
        }
    }

    /// A text that says little.
    fn text(self, name: &str) -> Value {
        let number = self.nth + 1;
        if means(name).is_some_and(|it| matches!(it, Means::Path | Means::Folder)) {
            return ".".into();
        } else if squeezed(name).ends_with("id") {
            return number.to_string().into();
        }
        let text = match self.role {
            Role::Write => "Write a file",
            Role::Edit => "Edit a file",
            Role::Read => "Read a file",
            Role::List => "List files",
            Role::Shell => "Run a command",
            Role::Delegate => "Delegate a task",
            Role::Wait => "Wait",
            Role::Plan => "Update the plan",
            Role::Ask => "A question",
            Role::Remote => "Create a record",
            Role::Finish => "The task is done",
            Role::Distractor => "Look it up",
        };
        if self.nth == 0 { text.into() } else { format!("{text} {number}").into() }
    }
}

/// A number that means little: 1, or a time that is long enough.
fn number(name: &str) -> i64 {
    let name = name.to_ascii_lowercase();
    match name.contains("timeout") {
        true if name.contains("ms") || name.contains("milli") => 30_000,
        true => 30,
        false => 1,
    }
}

fn is_of(value: &Value, kind: Type) -> bool {
    match kind {
        Type::Text => value.is_string(),
        Type::Integer => value.is_i64() || value.is_u64(),
        Type::Number => value.is_number(),
        Type::Boolean => value.is_boolean(),
        Type::List => value.is_array(),
        // What is in it is not checked.
        Type::Object => false,
        Type::Null => value.is_null(),
        Type::Any => true,
    }
}

/// The items of a list that must be there, unless they are more than a call is worth.
fn filled(least: usize) -> Option<usize> {
    (least <= MOST_ITEMS).then_some(least)
}

const MOST_ITEMS: usize = 4;
