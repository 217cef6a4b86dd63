//! What tools act on, and what each does to it where no rule says otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::executed::{Executed, done, failed};
use crate::scenario::template::{Piece, Template};
use crate::scenario::{Answers, Role, TICKS_PER_SECOND};

/// Files, facts, records and the todo list. A server keeps the state after every act, so what did not change is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) files: Arc<BTreeMap<String, String>>,
    /// The facts that hold, and since which tick.
    pub(super) facts: Arc<BTreeMap<String, u64>>,
    /// How often each remote record was created.
    pub(super) records: Arc<BTreeMap<String, u32>>,
    /// The todo list, one item a line.
    pub(super) todo: Arc<str>,
}

/// The canonical names of the arguments of a call, with their values.
type Arguments<'t> = [(&'t str, &'t str)];

impl State {
    pub(super) fn new(
        files: impl Iterator<Item = (String, String)>,
        facts: impl Iterator<Item = String>,
    ) -> Self {
        Self {
            files: Arc::new(files.collect()),
            facts: Arc::new(facts.map(|fact| (fact, 0)).collect()),
            records: Arc::default(),
            todo: "".into(),
        }
    }

    /// About how many bytes it takes that it does not share with this one: each part is copied as a whole once
    /// something in it changes.
    pub(super) fn bytes_beside(&self, other: Option<&Self>) -> usize {
        // An entry of a map beside its texts.
        const ENTRY: usize = 96;
        let mut bytes = 0;
        if !other.is_some_and(|it| Arc::ptr_eq(&self.files, &it.files)) {
            bytes += self.files.iter().map(|(path, text)| path.len() + text.len() + ENTRY).sum::<usize>();
        }
        if !other.is_some_and(|it| Arc::ptr_eq(&self.facts, &it.facts)) {
            bytes += self.facts.keys().map(|fact| fact.len() + ENTRY).sum::<usize>();
        }
        if !other.is_some_and(|it| Arc::ptr_eq(&self.records, &it.records)) {
            bytes += self.records.keys().map(|name| name.len() + ENTRY).sum::<usize>();
        }
        if !other.is_some_and(|it| Arc::ptr_eq(&self.todo, &it.todo)) {
            bytes += self.todo.len();
        }
        bytes
    }

    /// Does what a tool of this role does.
    pub(super) fn run(&mut self, role: Role, answers: &Answers, arguments: &Arguments<'_>) -> Executed {
        let first = value(arguments, 0);
        match role {
            Role::Write => self.write(answers, arguments),
            Role::Edit => self.edit(answers, arguments),
            Role::Read => match self.files.get(first) {
                Some(content) => done(content.clone()),
                None => failed(format!("error: no such file: {first}")),
            },
            Role::List => done(self.names(first)),
            // Every shell knows this one.
            Role::Shell if first == "ls" => done(self.names(".")),
            Role::Shell => {
                let command = first.split_whitespace().next().unwrap_or("");
                failed(format!("sh: 1: {command}: not found"))
            }
            Role::Delegate => done("(no report)".into()),
            Role::Wait => match first.parse::<u64>() {
                Ok(seconds) => Executed {
                    ticks: seconds.saturating_mul(TICKS_PER_SECOND),
                    ..done(said(&answers.done, arguments, 0, || format!("waited {first} seconds")))
                },
                Err(_) => failed(format!("error: cannot wait {first} seconds: expected a whole number")),
            },
            Role::Plan => self.plan(answers, arguments),
            Role::Ask => done("(no answer)".into()),
            Role::Remote => {
                *Arc::make_mut(&mut self.records).entry(first.to_owned()).or_default() += 1;
                done(format!("created {first}"))
            }
            Role::Finish => Executed { finishes: true, ..done("done".into()) },
            Role::Distractor => done("no results".into()),
        }
    }

    /// The names of the files in a folder.
    fn names(&self, folder: &str) -> String {
        let inside = |path: &&String| matches!(folder, "" | "." | "/") || path.starts_with(folder);
        let names: Vec<&str> = self.files.keys().filter(inside).map(String::as_str).collect();
        if names.is_empty() { "(empty)".into() } else { names.join("\n") }
    }

    fn write(&mut self, answers: &Answers, arguments: &Arguments<'_>) -> Executed {
        let (path, content) = (value(arguments, 0), value(arguments, 1));
        if let Some(unchanged) = &answers.unchanged
            && self.files.get(path).is_some_and(|it| it == content)
        {
            return done(filled(unchanged, arguments, 0));
        }
        Arc::make_mut(&mut self.files).insert(path.to_owned(), content.to_owned());
        done(said(&answers.done, arguments, 0, || format!("wrote {} bytes to {path}", content.len())))
    }

    fn edit(&mut self, answers: &Answers, arguments: &Arguments<'_>) -> Executed {
        let (path, old, new) = (value(arguments, 0), value(arguments, 1), value(arguments, 2));
        let Some(content) = self.files.get(path) else {
            return failed(said(&answers.missing, arguments, 0, || format!("error: no such file: {path}")));
        };
        if old == new {
            return match (&answers.same, &answers.unchanged) {
                (None, Some(unchanged)) => done(filled(unchanged, arguments, 0)),
                (same, _) => failed(said(same, arguments, 0, || {
                    "error: nothing to change: the old text and the new one are the same".to_owned()
                })),
            };
        }
        let count = if old.is_empty() { 0 } else { content.matches(old).count() };
        match count {
            0 => failed(said(&answers.not_found, arguments, 0, || {
                format!("error: the text to replace was not found in {path}")
            })),
            1 => {
                let edited = content.replacen(old, new, 1);
                Arc::make_mut(&mut self.files).insert(path.to_owned(), edited);
                done(said(&answers.done, arguments, 1, || format!("edited {path}")))
            }
            _ => failed(said(&answers.found_twice, arguments, count, || {
                format!("error: the text to replace was found {count} times in {path}; it must be unique")
            })),
        }
    }

    fn plan(&mut self, answers: &Answers, arguments: &Arguments<'_>) -> Executed {
        let items = value(arguments, 0);
        if let Some(unchanged) = &answers.unchanged
            && *self.todo == *items
        {
            return done(filled(unchanged, arguments, 0));
        }
        self.todo = items.into();
        done(said(&answers.done, arguments, 0, || "todo list updated".to_owned()))
    }
}

fn value<'t>(arguments: &Arguments<'t>, at: usize) -> &'t str {
    arguments.get(at).map_or("", |(_, value)| value)
}

/// The agent's own words, or those of the role.
fn said(
    own: &Option<Template>,
    arguments: &Arguments<'_>,
    count: usize,
    of_role: impl FnOnce() -> String,
) -> String {
    own.as_ref().map_or_else(of_role, |own| filled(own, arguments, count))
}

/// An answer in the agent's own words. It has plain text and arguments, and nothing else.
fn filled(answer: &Template, arguments: &Arguments<'_>, count: usize) -> String {
    let mut text = String::new();
    for piece in &answer.pieces {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Argument(name) if name == COUNT => text.push_str(&count.to_string()),
            Piece::Argument(name) => {
                text.push_str(arguments.iter().find(|(it, _)| it == name).map_or("", |(_, value)| value));
            }
            Piece::Field(..)
            | Piece::Number(_)
            | Piece::Code
            | Piece::Draft
            | Piece::Clock
            | Piece::Hex
            | Piece::Visit
            | Piece::OwnStep
            | Piece::Step(_)
            | Piece::EachVisit(..)
            | Piece::Applied
            | Piece::Seconds(_)
            | Piece::Tool(_)
            | Piece::ToolArgument(..) => {}
        }
    }
    text
}

/// How often a text was found goes by this name in an answer.
const COUNT: &str = "count";
