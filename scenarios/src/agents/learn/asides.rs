//! Requests that are not of the task.

use super::healthy::Aside;
use super::outline;
use super::proposal::{Evidence, Proposal, toml};
use crate::agents::profile::Profile;

/// The side calls, each by the beginning of its system text.
pub(super) fn proposals<'h>(known: &Profile, all: &'h [Aside]) -> Vec<Proposal<'h>> {
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
