//! `--set path=value`: an edit of the file's text before it is read.
//!
//! The value replaces one in the file and must have its type. A string may be written without quotes. Because the text
//! is edited, and not the model, every check of a file also applies to a setting. `actor` is the table of the
//! played actor, and `actor.NAME` is short for one of its parameters, and for a key of the table `response`.

use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{COMMAND_LINE, Diagnostic, Diagnostics, Place, Severity};
use super::report::{did_you_mean, listed};
use super::source::{Origin, Source};
use super::syntax::explain;
use crate::nearest::nearest;

/// The text before the path there.
const OPTION: &str = "--set ";

/// One `--set`, as it was typed.
struct Argument<'a> {
    shown: Arc<str>,
    path: &'a str,
    value: &'a str,
    /// The table of the played actor.
    table: &'a str,
}

/// A part of a path without its quotes, and its place in the path.
struct Segment {
    name: String,
    at: Range<usize>,
}

/// Replaces one value of the file.
pub(super) fn apply(source: &mut Source, path: &str, value: &str, table: &str) -> Result<(), Diagnostics> {
    let argument = Argument { shown: format!("{OPTION}{path}={value}").into(), path, value, table };
    let read = DeTable::parse(source.text()).map_err(|error| {
        Diagnostics::new(vec![explain(source, error.message(), error.span().unwrap_or_default(), &[])])
    })?;
    let span = read.span();
    let root = Spanned::new(span, DeValue::Table(read.into_inner()));
    let target = argument.target(&root)?;
    let (new, at) = argument.replacement(target, source.text())?;
    let span = target.span();
    let origin = Origin { name: COMMAND_LINE.into(), text: argument.shown };
    source.replace(span, &new, origin, at);
    Ok(())
}

impl Argument<'_> {
    /// The value that the path leads to.
    fn target<'t, 'i>(
        &self,
        root: &'t Spanned<DeValue<'i>>,
    ) -> Result<&'t Spanned<DeValue<'i>>, Diagnostics> {
        let segments = segments(self.path);
        let mut place = root;
        for (index, segment) in segments.iter().enumerate() {
            let of_actor = segments[0].name == ACTOR;
            let name = if of_actor && index == 0 { self.table } else { &segment.name };
            let next = child(place.get_ref(), name).or_else(|| {
                let short = index == 1 && segments.len() == 2 && of_actor;
                short.then(|| self.of_the_actor(root, name)).flatten()
            });
            place = next.ok_or_else(|| self.unknown(root, place, segment))?;
        }
        Ok(place)
    }

    fn of_the_actor<'t, 'i>(
        &self,
        root: &'t Spanned<DeValue<'i>>,
        name: &str,
    ) -> Option<&'t Spanned<DeValue<'i>>> {
        let of = |table: &[&str]| {
            let table = table.iter().try_fold(root, |place, key| child(place.get_ref(), key))?;
            child(table.get_ref(), name)
        };
        of(&[self.table, PARAMETERS]).or_else(|| of(&[RESPONSE]))
    }

    fn unknown(
        &self,
        root: &Spanned<DeValue<'_>>,
        reached: &Spanned<DeValue<'_>>,
        segment: &Segment,
    ) -> Diagnostics {
        let mut known = Vec::new();
        paths(root, "", &mut known);
        // The other actor does not play.
        known.retain(|(path, _)| {
            let table = segments(path).swap_remove(0).name;
            table == self.table || !TABLES.contains(&&*table)
        });
        for (path, _) in &mut known {
            if let Some(below) =
                path.strip_prefix(self.table).filter(|it| it.is_empty() || it.starts_with('.'))
            {
                *path = format!("{ACTOR}{below}");
            }
        }
        let short = known.iter().filter_map(|(path, _)| {
            let tables = [[ACTOR, PARAMETERS].join("."), RESPONSE.to_owned()];
            let below =
                |table: &String| path.strip_prefix(table.as_str())?.strip_prefix('.').map(str::to_owned);
            tables.iter().find_map(below)
        });
        let short: Vec<String> = short.map(|name| format!("{ACTOR}.{name}")).collect();
        let known = short.iter().chain(known.iter().map(|(path, _)| path));
        let known: Vec<&str> = known.map(String::as_str).collect();
        let here = children(reached.get_ref());
        let here: Vec<&str> = here.iter().map(|(name, _)| name.as_str()).collect();
        let near = did_you_mean(self.path, &known).or_else(|| self.with_a_near_end(&known));
        let help = near.unwrap_or_else(|| {
            if here.is_empty() {
                "there is nothing below it".to_owned()
            } else {
                format!("known here: {}", listed(&here, "and"))
            }
        });
        let at = OPTION.len() + segment.at.start..OPTION.len() + segment.at.end;
        let label = format!("the file has no `{}` here", segment.name);
        self.error(at, format!("unknown path `{}`", self.path), label)
            .with_help(help)
            .with_help("`--set` changes values of the file and cannot add any".to_owned())
            .into()
    }

    /// "did you mean …?", if the path has no dot and the last part of a known path is near.
    fn with_a_near_end(&self, known: &[&str]) -> Option<String> {
        let end = |path: &&str| path.rsplit('.').next().unwrap_or_default().to_owned();
        let ends: Vec<String> = known.iter().map(end).collect();
        let near = nearest(self.path, ends.iter().map(String::as_str))?;
        let at = ends.iter().position(|it| it == near)?;
        Some(format!("did you mean `{}`?", known[at]))
    }

    /// The text that replaces the target, and its place in the argument.
    fn replacement(
        &self,
        target: &Spanned<DeValue<'_>>,
        file: &str,
    ) -> Result<(String, Range<usize>), Diagnostics> {
        let start = self.shown.len() - self.value.len();
        let whole = start..self.shown.len();
        if is_section(target, file) {
            let mut below = Vec::new();
            paths(target, self.path, &mut below);
            let mut keys: Vec<&str> = Vec::new();
            for (path, _) in below.iter().filter(|(_, value)| !is_section(value, file)) {
                // Listing a value is enough; its parts need not be listed.
                let inside = |key: &&str| path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
                if !keys.last().is_some_and(inside) {
                    keys.push(path);
                }
            }
            let path = OPTION.len()..OPTION.len() + self.path.len();
            return Err(self
                .error(path, format!("`{}` is not a value", self.path), "a section of the file".to_owned())
                .with_help(format!("set one of {}", listed(&keys, "or")))
                .into());
        }
        let either = segments(self.path).last().is_some_and(|segment| segment.name == "visits");
        let old = target.get_ref();
        let wants_text = matches!(old, DeValue::String(_)) || either;
        match DeValue::parse(self.value) {
            Ok(new)
                if new.get_ref().same_type(old)
                    || (either && new.get_ref().is_integer() | new.get_ref().is_str()) =>
            {
                let part = new.span();
                Ok((self.value[part.clone()].to_owned(), start + part.start..start + part.end))
            }
            Ok(new) => {
                let (wanted, got) = (old.type_str(), new.get_ref().type_str());
                let mut error = self.error(
                    whole,
                    format!("wrong type for `{}`", self.path),
                    format!("expected {}, got {}", with_article(wanted), with_article(got)),
                );
                if wants_text {
                    error = error.with_help(format!("in quotes it is a string: '\"{}\"'", self.value));
                }
                Err(error.into())
            }
            Err(_) if wants_text && !self.value.starts_with(['"', '\'']) => {
                Ok((toml::Value::String(self.value.to_owned()).to_string(), whole))
            }
            Err(_) => {
                let wanted = with_article(old.type_str());
                let label = match self.value.chars().next() {
                    None => format!("expected {wanted}, got nothing"),
                    Some('"' | '\'') if wants_text => "the quote is not closed".to_owned(),
                    Some(_) => format!("this is not {wanted}"),
                };
                Err(self
                    .error(whole, format!("wrong value for `{}`", self.path), label)
                    .with_help(format!("the file has: {}", file.get(target.span()).unwrap_or_default()))
                    .into())
            }
        }
    }

    fn error(&self, span: Range<usize>, message: String, label: String) -> Diagnostic {
        let place = Place { origin: COMMAND_LINE.into(), text: Arc::clone(&self.shown), span, label };
        Diagnostic { severity: Severity::Error, message, place, related: None, help: Vec::new(), count: 1 }
    }
}

impl Diagnostic {
    fn with_help(mut self, line: String) -> Self {
        self.help.push(line);
        self
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::new(vec![diagnostic])
    }
}

/// The name of the played actor's table in a path.
const ACTOR: &str = "actor";

/// The tables that it may be.
const TABLES: [&str; 2] = ["stubborn", "healthy"];

/// `actor.NAME` is short for a key of the actor's table of this name, or of the second one, at the top of the file.
const PARAMETERS: &str = "parameters";
const RESPONSE: &str = "response";

/// The parts between the dots. A part in double quotes may contain dots.
fn segments(path: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut name = String::new();
    let mut start = 0;
    let mut quoted = false;
    for (at, c) in path.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => {
                segments.push(Segment { name: std::mem::take(&mut name), at: start..at });
                start = at + 1;
            }
            c => name.push(c),
        }
    }
    segments.push(Segment { name, at: start..path.len() });
    segments
}

/// The value below this one that a part of a path names: a key of a table, or in a list an index from 0 or the `name`
/// of a table.
fn child<'t, 'i>(value: &'t DeValue<'i>, name: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    if let (DeValue::Array(items), Ok(index)) = (value, name.parse::<usize>()) {
        return items.get(index);
    }
    children(value).into_iter().find(|(key, _)| key == name).map(|(_, child)| child)
}

/// The values directly below this one, by name.
fn children<'t, 'i>(value: &'t DeValue<'i>) -> Vec<(String, &'t Spanned<DeValue<'i>>)> {
    match value {
        DeValue::Table(table) => {
            table.iter().map(|(key, value)| (key.get_ref().to_string(), value)).collect()
        }
        DeValue::Array(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let name = item.get_ref().get("name").and_then(|name| name.get_ref().as_str());
                (name.map_or_else(|| index.to_string(), str::to_owned), item)
            })
            .collect(),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => Vec::new(),
    }
}

/// Every path below a value, with its value.
fn paths<'t, 'i>(
    value: &'t Spanned<DeValue<'i>>,
    before: &str,
    all: &mut Vec<(String, &'t Spanned<DeValue<'i>>)>,
) {
    for (name, child) in children(value.get_ref()) {
        let name = if name.contains('.') { format!("\"{name}\"") } else { name };
        let path = if before.is_empty() { name } else { format!("{before}.{name}") };
        all.push((path.clone(), child));
        paths(child, &path, all);
    }
}

/// Whether a value is written as `[section]` or `[[section]]`, which cannot be replaced.
fn is_section(value: &Spanned<DeValue<'_>>, file: &str) -> bool {
    let starts = |value: &Spanned<DeValue<'_>>, with: char| {
        file.get(value.span()).is_some_and(|text| text.starts_with(with))
    };
    match value.get_ref() {
        DeValue::Table(_) => !starts(value, '{'),
        DeValue::Array(items) => items.iter().any(|item| item.get_ref().is_table() && !starts(item, '{')),
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => false,
    }
}

fn with_article(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}
