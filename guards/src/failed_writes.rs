//! The writes that failed: their content, and whether a new one is nearly the same (spec D5).
//!
//! A change is small, too, where it mends what the error names: a bracket, a line, a name. Such a *fix* is no
//! near-duplicate. What tells it from a cosmetic change is the error: it gives a line of the content, or a word that
//! the change adds or takes away, or the brackets balance otherwise than before. A fix is one the first time: if the
//! write fails in the same way again, or as it did before the last fix, the error is not about what is changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::change::Change;
use crate::failure::Failure;
use crate::similarity::{Nearness, Profile, Ratio, common_prefix, common_suffix};
use balk_contract::key::CallKey;
use balk_contract::{Entry, Origin, ResultKey, Status, ToolCall, ToolResult};

/// How many failed writes are kept, each for a different file: an agent seldom works on more at once.
const WRITES: usize = 8;

/// Bytes of an error that are kept, and numbers in it that may be a line.
const ERROR_BYTES: usize = 400;
const NUMBERS: usize = 8;
/// How many different failures of one file are mended one after another; a model that meets more of them is guessing.
const FAILURES: usize = 4;

/// The last failed writes, one for each tool and file; any possible change clears the list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FailedWrites {
    writes: Vec<FailedWrite>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct FailedWrite {
    tool: Arc<str>,
    /// The first of the nearly identical calls: its key names their family.
    family: CallKey,
    /// The last of them.
    last: CallKey,
    path: String,
    /// All arguments except the content: a write to another place, or that replaces another text, is another write.
    beside: CallKey,
    /// The longest text among the arguments.
    content: Profile<String>,
    /// How it failed, as far as that is compared with a change of its content.
    error: String,
    /// How the last of the nearly identical calls failed, each way once.
    failures: Vec<Way>,
    /// Whether one of these ways came twice.
    is_alike: bool,
}

/// How a write failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Way {
    key: ResultKey,
    /// `None` if the error says too little.
    failure: Option<Failure>,
}

impl Way {
    fn is_alike(&self, other: &Self) -> bool {
        self.key == other.key || self.failure.zip(other.failure).is_some_and(|(it, other)| it.is_alike(other))
    }
}

/// What a call would write; the members are as in [`FailedWrite`].
struct Written {
    path: String,
    beside: CallKey,
    content: Profile<String>,
}

impl FailedWrites {
    /// The family of a call, if a write of the same tool to the same file failed, nothing has changed since, and the
    /// similarity of the content is above the ratio. Makes at most one full comparison.
    pub(crate) fn family_of(&self, call: &ToolCall, above: Ratio) -> Option<CallKey> {
        if !call.effect.is_known_change() || self.writes.iter().all(|it| it.tool != call.tool) {
            return None;
        }
        let written = written(call)?;
        let before = self.writes.iter().find(|it| it.is_of(call, &written))?;
        (before.is_near(&written, above) && !before.is_fixed_by(&written)).then_some(before.family)
    }

    /// The family of a call that is the last write of its file and failed.
    pub(crate) fn family_of_last(&self, call: CallKey) -> Option<CallKey> {
        self.writes.iter().find(|it| it.last == call).map(|it| it.family)
    }

    /// Folds one entry.
    pub(crate) fn observe(&mut self, entry: &Entry, above: Ratio) {
        match entry {
            Entry::Result(result) => self.result(result, above),
            Entry::Compaction(_) => self.writes.clear(),
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => {}
        }
    }

    fn result(&mut self, result: &ToolResult, above: Ratio) {
        let call = &result.call;
        if Change::of(result) != Change::Nothing {
            self.writes.clear();
        } else if (result.origin, result.status) == (Origin::Executed, Status::Error)
            && call.effect.is_known_change()
            && let Some(written) = written(call)
        {
            self.keep(result, written, above);
        }
    }

    fn keep(&mut self, result: &ToolResult, written: Written, above: Ratio) {
        let call = &result.call;
        let at = self.writes.iter().position(|it| it.is_of(call, &written));
        let before = at.map(|at| self.writes.remove(at));
        // A chain of small changes can lead far from its start, so each write is compared with the last one.
        let before = before.filter(|it| it.is_near(&written, above));
        let (family, mut failures) = before.map_or((call.key, Vec::new()), |it| (it.family, it.failures));
        let way = Way { key: result.text.key(), failure: Failure::of(result) };
        let is_alike = failures.iter().any(|it| it.is_alike(&way));
        if !is_alike && failures.len() < FAILURES {
            failures.push(way);
        }
        // After a fix that led to another error, the answer to the first call says nothing about the next one.
        let family = if is_alike { family } else { call.key };
        if self.writes.len() == WRITES {
            self.writes.remove(0);
        }
        let Written { path, beside, content } = written;
        let (tool, last) = (call.tool.clone(), call.key);
        let error = result.text[..result.text.floor_char_boundary(ERROR_BYTES)].to_owned();
        let write = FailedWrite { tool, family, last, path, beside, content, error, failures, is_alike };
        self.writes.push(write);
    }
}

impl FailedWrite {
    /// Whether the call uses the same tool on the same file.
    fn is_of(&self, call: &ToolCall, written: &Written) -> bool {
        self.tool == call.tool && self.path == written.path
    }

    fn is_near(&self, written: &Written, above: Ratio) -> bool {
        self.beside == written.beside && self.content.nearness(&written.content, above) == Nearness::Near
    }

    /// Whether what the write changes is what the error names.
    fn is_fixed_by(&self, written: &Written) -> bool {
        let (old, new) = (self.content.text(), written.content.text());
        if self.is_alike || self.failures.len() >= FAILURES || old == new {
            return false;
        }
        let (before, removed, added) = difference(old, new);
        names_a_line(&self.error, before.lines().count(), removed.lines().count())
            || balance(removed) != balance(added)
            || names_a_change(&self.error, removed, added)
    }
}

fn written(call: &ToolCall) -> Option<Written> {
    let path = call.path()?;
    let Value::Object(mut members) = serde_json::from_str(&call.arguments).ok()? else { return None };
    let texts = members.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let (name, _) = texts.filter(|(_, text)| *text != path).max_by_key(|(_, text)| text.len())?;
    let name = name.clone();
    let Some(Value::String(content)) = members.remove(&name) else { return None };
    let beside = CallKey::of(&call.tool, &Value::Object(members).to_string());
    Some(Written { path, beside, content: Profile::new(content) })
}

/// What is before the lines in which two texts differ, and these lines, from the first to the last.
fn difference<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str, &'t str) {
    let start = common_prefix(old.as_bytes(), new.as_bytes());
    let start = old.as_bytes()[..start].iter().rposition(|it| *it == b'\n').map_or(0, |at| at + 1);
    let (before, old, new) = (&old[..start], &old[start..], &new[start..]);
    let end = common_suffix(old.as_bytes(), new.as_bytes());
    let common = &old.as_bytes()[old.len() - end..];
    let end = common.iter().position(|it| *it == b'\n').map_or(0, |at| common.len() - at);
    (before, &old[..old.len() - end], &new[..new.len() - end])
}

/// How many brackets of each kind are open at the end.
fn balance(text: &str) -> [i64; 3] {
    let mut open = [0; 3];
    for byte in text.bytes() {
        match byte {
            b'(' => open[0] += 1,
            b')' => open[0] -= 1,
            b'[' => open[1] += 1,
            b']' => open[1] -= 1,
            b'{' => open[2] += 1,
            b'}' => open[2] -= 1,
            _ => {}
        }
    }
    open
}

/// Whether an error has a word that a change adds or takes away.
fn names_a_change(error: &str, removed: &str, added: &str) -> bool {
    let error = error.to_lowercase();
    let named: BTreeSet<&str> = words(&error).collect();
    let [removed, added] = [removed, added].map(str::to_lowercase);
    let (removed, added): (BTreeSet<_>, BTreeSet<_>) = (words(&removed).collect(), words(&added).collect());
    removed.symmetric_difference(&added).any(|it| named.contains(it))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|it| it.len() > 1)
}

/// Whether an error gives one of these lines or one beside them, in the form of compilers (`a.ts:9:1`, `a.ts(9,1)`) or
/// after a word ("line 9", "Zeile 9", "第9行"). In a clock, there is a digit before the colon.
fn names_a_line(error: &str, before: usize, changed: usize) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let numbers = error.char_indices().filter(|(at, c)| is_digit(*c) && !error[..*at].ends_with(is_digit));
    numbers.take(NUMBERS).any(|(at, _)| {
        let (before_it, number) = error.split_at(at);
        let number = &number[..number.find(|c| !is_digit(c)).unwrap_or(number.len())];
        let is_there = |it: usize| before <= it && it <= before.saturating_add(changed).saturating_add(1);
        let of_place = || {
            let place = before_it.strip_suffix([':', '(']);
            place.is_some_and(|it| it.ends_with(char::is_alphabetic))
        };
        let after_word = || {
            let said = before_it.trim_end_matches([' ', ':', '#']).to_lowercase();
            let word = said.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            LINE.contains(&word) || said.ends_with(['第', '行'])
        };
        number.parse().is_ok_and(is_there) && (of_place() || after_word())
    })
}

/// Words before the number of a line.
const LINE: [&str; 9] = ["line", "ln", "zeile", "línea", "ligne", "linha", "riga", "строка", "строке"];
