//! What is proposed for a profile, and what speaks for it.

use std::collections::BTreeSet;

use toml_edit::value;

use super::healthy::Shown;
use crate::agents::profile::{Place, Profile};

/// A text that has more than what was said.
pub(super) struct Open<'h> {
    pub(super) shown: &'h Shown,
    /// The text, as the profile leaves it.
    pub(super) text: String,
}

impl Open<'_> {
    /// Whether the agent added something. A tool that says the same in words of its own added nothing.
    pub(super) fn has_more(&self) -> bool {
        self.shown.said.as_deref().is_none_or(|said| self.text.contains(said.trim()))
    }
}

/// What was seen of a proposal.
#[derive(Default)]
pub(super) struct Evidence<'h> {
    pub(super) runs: BTreeSet<&'h str>,
    pub(super) times: usize,
}

/// A proposal: its table, without its header, and what speaks for it.
pub(super) struct Proposal<'h> {
    pub(super) header: &'static str,
    pub(super) keys: Vec<(&'static str, toml_edit::Value)>,
    pub(super) evidence: Evidence<'h>,
}

/// How many bytes are not explained.
pub(super) fn weight(open: &[Open<'_>]) -> usize {
    open.iter().map(|it| it.text.len()).sum()
}

/// The texts of which a profile leaves more than what was said.
pub(super) fn open<'h>(profile: &Profile, shown: &'h [Shown]) -> Vec<Open<'h>> {
    let open = |shown: &'h Shown| {
        let text = profile.plain(shown.place, &shown.text).text.trim().to_owned();
        let said = shown.said.as_deref().unwrap_or_default().trim();
        let is_part = || text.len() >= PART && said.contains(&text);
        (text != said && !is_part()).then_some(Open { shown, text })
    };
    shown.iter().filter_map(open).collect()
}

/// Where an agent shows only a part of a long text, so much of it tells which part.
pub(super) const PART: usize = 200;

impl Proposal<'_> {
    /// The table, with a comment that says how often it was seen, and in how many of all runs.
    pub(super) fn table(&self, all: usize) -> String {
        let Self { header, keys, evidence: Evidence { runs, times } } = self;
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        let comment = format!("\n# Seen {times}, in {} of {all} healthy runs.\n[[{header}]]\n", runs.len());
        let lines = keys.iter().map(|(key, value)| format!("{key} = {}\n", value.to_string().trim()));
        comment + &lines.collect::<String>()
    }
}

impl<'h> Evidence<'h> {
    pub(super) fn saw(&mut self, run: &'h str) {
        self.runs.insert(run);
        self.times += 1;
    }
}

/// A text as a value of TOML: with its own lines, if it has several.
pub(super) fn toml(text: &str) -> toml_edit::Value {
    value(text).into_value().expect("a text is a value")
}

pub(super) fn name(place: Place) -> toml_edit::Value {
    toml(match place {
        Place::User => "user",
        Place::Result => "result",
    })
}
