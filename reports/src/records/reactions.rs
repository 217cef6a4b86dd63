//! What brought a real model back, message by message: the record of `balk live --react`.

use std::collections::BTreeSet;

use balk_contract::record::Truth;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::counts::counts;

/// The version of the record of reactions. It rises when an old reader would misread a new record.
pub const REACTIONS_SCHEMA: u32 = 2;

/// How a real model took messages after it balked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reactions {
    /// [`REACTIONS_SCHEMA`].
    pub schema: u32,
    /// The version of Balk that asked.
    pub balk: String,
    /// The model, as requests name it.
    pub model: String,
    /// How often the next completion was sampled under each message.
    pub samples: u32,
    /// At most so many places of a trial were used, its first ones.
    pub most_places: u32,
    /// The baselines in which places were looked for.
    pub trials: u64,
    /// The counts, in the order of the messages; of each message by world, and by how the model balked.
    pub rows: Vec<ReactionRow>,
}

/// The counts of one message in one world, of one rule, after one kind of balking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReactionRow {
    /// A stack as on the command line, whose message it is; `none` for the loop's own words, or `Proceed.` for these
    /// words of the user.
    pub message: String,
    /// Whether the same message came a second time, because the model called no tool after the first.
    pub again: bool,
    /// The rule of the stack that spoke or repaired first, as `guard/rule`; none where no rule did.
    pub rule: Option<String>,
    /// The world.
    pub world: String,
    /// How the model balked.
    pub balked: Truth,
    /// The counts.
    pub counts: ReactionCounts,
}

counts! {
    /// How a model took one message.
    ReactionCounts {
        /// Places where the message could come.
        places,
        /// Of these, places where the stack said nothing.
        silent,
        /// Of these, places where the stack rewrote the completion: no message.
        repaired,
        /// Of these, places where the run ended.
        ended,
        /// Completions that were sampled at the other places.
        samples,
        /// Of these, completions with a call.
        calls,
        /// Of these, completions that have their call from the stack's repair.
        repaired_calls,
        /// Completions with a call that did not only send a call again that had moved nothing.
        moved,
        /// Completions whose calls served the task.
        serves,
        /// Completions with a call after a message that names a tool.
        named,
        /// Of these, completions whose first call is of the tool that is named first.
        named_called,
        /// Completions that say the task is done.
        done,
        /// Completions that say the task cannot be done.
        unable,
        /// Samples that served the task where the sample of the same number after `Proceed.` did not.
        saved,
        /// Samples that did not serve the task where the sample of the same number after `Proceed.` did.
        lost,
        /// All such pairs of samples.
        pairs,
    }
}

impl Reactions {
    /// The words of the user that every message is compared to.
    pub const PROCEED: &'static str = "Proceed.";

    /// The messages in order, each with whether it came again.
    #[must_use]
    pub fn messages(&self) -> Vec<(&str, bool)> {
        let mut messages: Vec<(&str, bool)> = Vec::new();
        for row in &self.rows {
            let message = (&*row.message, row.again);
            if !messages.contains(&message) {
                messages.push(message);
            }
        }
        messages
    }

    /// The rules of a message in order of their names.
    #[must_use]
    pub fn rules(&self, message: (&str, bool)) -> BTreeSet<&str> {
        let rows = self.rows.iter().filter(|it| (&*it.message, it.again) == message);
        rows.filter_map(|it| it.rule.as_deref()).collect()
    }

    /// The counts of these messages, one for each world.
    #[must_use]
    pub fn by_world(&self, messages: &[(&str, bool)]) -> Vec<ReactionCounts> {
        self.worlds(|row| messages.contains(&(&*row.message, row.again)))
    }

    /// The counts of the rows that are wanted, one for each world.
    #[must_use]
    pub fn worlds(&self, is_wanted: impl Fn(&ReactionRow) -> bool) -> Vec<ReactionCounts> {
        let mut worlds: Vec<(&str, ReactionCounts)> = Vec::new();
        for row in self.rows.iter().filter(|it| is_wanted(it)) {
            match worlds.iter_mut().find(|(world, _)| *world == row.world) {
                Some((_, counts)) => *counts = counts.plus(&row.counts),
                None => worlds.push((&row.world, row.counts)),
            }
        }
        worlds.into_iter().map(|(_, counts)| counts).collect()
    }
}
