//! What healthy runs of an agent show that its profile does not say yet.
//!
//! Nothing goes wrong in a healthy run, so what is neither of the user nor of a tool is the agent's habit: a text that
//! it adds, what it puts around a result, a request that is not of the task. A person reviews what is proposed, because
//! a guard that fires in a healthy run looks just like a habit.

use std::collections::BTreeSet;
use std::sync::Arc;

use toml_edit::value;

use super::profile::{Place, Profile};
use super::read::parse;
use crate::format::diagnostic::Diagnostics;

mod added;
mod around;
mod outline;

#[cfg(test)]
mod tests;

/// A text that an agent showed its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The name of the run.
    pub run: Arc<str>,
    /// Where it was.
    pub place: Place,
    /// The text, as the profile leaves it.
    pub text: Arc<str>,
    /// What the user or the tool said there. `None` is a text of the agent alone.
    pub said: Option<Arc<str>>,
    /// Whether it is the result of a call that failed.
    pub failed: bool,
}

/// A request that is not of the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aside {
    /// The name of the run.
    pub run: Arc<str>,
    /// How its system text begins.
    pub system: Arc<str>,
    /// Whether it has tools.
    pub tools: bool,
}

/// What healthy runs of an agent show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Healthy {
    /// How many runs there were.
    pub runs: usize,
    /// Texts that are not just what the user or a tool said.
    pub shown: Vec<Shown>,
    /// Requests that are not of the task.
    pub asides: Vec<Aside>,
}

/// What was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The profile: as it was, and after it what is new.
    pub profile: String,
    /// How many tables are new.
    pub new: usize,
    /// Texts that still have something of the agent: it says that in too few runs, or in ways that no pattern tells.
    pub left: Vec<Shown>,
}

/// A text that has more than what was said.
struct Open<'h> {
    shown: &'h Shown,
    /// The text, as the profile leaves it.
    text: String,
}

impl Open<'_> {
    /// Whether the agent added something. A tool that says the same in words of its own added nothing.
    fn has_more(&self) -> bool {
        self.shown.said.as_deref().is_none_or(|said| self.text.contains(said.trim()))
    }
}

/// What was seen of a proposal.
#[derive(Default)]
struct Evidence<'h> {
    runs: BTreeSet<&'h str>,
    times: usize,
}

/// A proposal: its table, without its header, and what speaks for it.
struct Proposal<'h> {
    header: &'static str,
    keys: Vec<(&'static str, toml_edit::Value)>,
    evidence: Evidence<'h>,
}

/// Adds to a profile what healthy runs show. Only what two runs have in common is taken for a habit, unless there is
/// only one.
///
/// # Errors
/// The text is no profile.
pub fn learn(file_name: &str, text: &str, healthy: &Healthy) -> Result<Learnt, Diagnostics> {
    let needed = healthy.runs.min(2);
    let is_habit = |it: &Proposal<'_>| it.evidence.runs.len() >= needed;
    let mut profile = text.trim_end().to_owned() + "\n";
    let known = parse(file_name, text)?;
    let mut new = 0;
    for aside in asides(&known, &healthy.asides).into_iter().filter(is_habit) {
        profile += &aside.table(healthy.runs);
        new += 1;
    }
    // What is below a text of the agent is seen once that is removed.
    loop {
        let before = new;
        for proposals in [added::proposals, around::proposals] {
            let mut left = open(&parse(file_name, &profile)?, &healthy.shown);
            let found = proposals(&left, needed);
            let tables: Vec<String> =
                found.into_iter().filter(is_habit).map(|it| it.table(healthy.runs)).collect();
            for table in tables {
                let longer = profile.clone() + &table;
                let open = open(&parse(file_name, &longer)?, &healthy.shown);
                // A table that is of no use is not kept. So it ends: each one makes some text shorter.
                if weight(&open) < weight(&left) {
                    (profile, left, new) = (longer, open, new + 1);
                }
            }
        }
        if new == before {
            let open = open(&parse(file_name, &profile)?, &healthy.shown);
            let left = open.iter().filter(|it| it.has_more()).map(|it| it.shown.clone()).collect();
            return Ok(Learnt { profile, new, left });
        }
    }
}

/// How many bytes are not explained.
fn weight(open: &[Open<'_>]) -> usize {
    open.iter().map(|it| it.text.len()).sum()
}

/// The texts of which a profile leaves more than what was said.
fn open<'h>(profile: &Profile, shown: &'h [Shown]) -> Vec<Open<'h>> {
    let open = |shown: &'h Shown| {
        let text = profile.plain(shown.place, &shown.text).text.trim().to_owned();
        let said = shown.said.as_deref().unwrap_or_default().trim();
        let is_part = || text.len() >= PART && said.contains(&text);
        (text != said && !is_part()).then_some(Open { shown, text })
    };
    shown.iter().filter_map(open).collect()
}

/// Where an agent shows only a part of a long text, so much of it tells which part.
const PART: usize = 200;

impl Proposal<'_> {
    /// The table, with a comment that says how often it was seen, and in how many of all runs.
    fn table(&self, all: usize) -> String {
        let Self { header, keys, evidence: Evidence { runs, times } } = self;
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        let comment = format!("\n# Seen {times}, in {} of {all} healthy runs.\n[[{header}]]\n", runs.len());
        let lines = keys.iter().map(|(key, value)| format!("{key} = {}\n", value.to_string().trim()));
        comment + &lines.collect::<String>()
    }
}

impl<'h> Evidence<'h> {
    fn saw(&mut self, run: &'h str) {
        self.runs.insert(run);
        self.times += 1;
    }
}

/// A text as a value of TOML: with its own lines, if it has several.
fn toml(text: &str) -> toml_edit::Value {
    value(text).into_value().expect("a text is a value")
}

fn name(place: Place) -> toml_edit::Value {
    toml(match place {
        Place::User => "user",
        Place::Result => "result",
    })
}

/// The side calls, each by the beginning of its system text.
fn asides<'h>(known: &Profile, all: &'h [Aside]) -> Vec<Proposal<'h>> {
    let mut found: Vec<(String, bool, Evidence<'h>)> = Vec::new();
    for Aside { run, system, tools } in all {
        let text = outline::head(system).trim_end();
        if text.is_empty() || known.side_call(system, usize::from(*tools)).is_some() {
            continue;
        }
        match found.iter_mut().find(|(it, has, _)| it == text && has == tools) {
            Some((_, _, evidence)) => evidence.saw(run),
            None => {
                let mut evidence = Evidence::default();
                evidence.saw(run);
                found.push((text.to_owned(), *tools, evidence));
            }
        }
    }
    let proposal = |(system, tools, evidence): (String, bool, Evidence<'h>)| {
        let name = PURPOSES.iter().find(|(word, _)| system.to_lowercase().contains(word));
        let mut keys = vec![("name", toml(name.map_or("side", |(_, name)| name))), ("system", toml(&system))];
        // A request of the task has tools in most agents, so having some says nothing.
        if !tools {
            keys.push(("tools", false.into()));
        }
        Proposal { header: "side_call", keys, evidence }
    };
    found.into_iter().map(proposal).collect()
}

/// What a system text asks for, by a word in it, and the name of the side call. A summary is answered with one.
const PURPOSES: [(&str, &str); 6] = [
    ("title", "title"),
    ("summar", "summary"),
    ("compact", "summary"),
    ("memor", "memory"),
    ("loop", "loop"),
    ("suggest", "suggestions"),
];
