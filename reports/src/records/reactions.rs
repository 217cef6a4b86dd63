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
    /// Whether a scripted model balked in this model's place, under a stack. A place is where the stack spoke then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scripted: bool,
    /// At most so many places of a trial were used, its first ones; of scripted models, of a message.
    pub most_places: u32,
    /// The baselines in which places were looked for; of scripted models, the runs that have one.
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
    /// The rule of the stack that spoke or repaired first, as `guard/rule`; none where no rule did. Of scripted models,
    /// that of the place, with its level, for all messages that are tried there.
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

/// The greatest count of a row. Sums over all rows stay far below 2^64.
const COUNT_MAX: u64 = u32::MAX as u64;

impl ReactionCounts {
    /// The first inconsistency, if there is one. The statistics assume that there is none.
    fn odd(&self) -> Option<&'static str> {
        let Self { samples, calls, repaired_calls, moved, serves, named, named_called, done, unable, .. } =
            *self;
        let Self { saved, lost, pairs, .. } = *self;
        let all = [
            ("a number that is greater than any run counts", self.named().all(|(_, it)| it <= COUNT_MAX)),
            ("more completions of a kind than samples", {
                [calls, moved, serves, named, done, unable, pairs].into_iter().all(|it| it <= samples)
            }),
            ("more repaired calls than calls", repaired_calls <= calls),
            ("more calls of a named tool than messages that name one", named_called <= named),
            ("more pairs that differ than pairs", saved.saturating_add(lost) <= pairs),
        ];
        all.into_iter().find_map(|(what, holds)| (!holds).then_some(what))
    }
}

impl Reactions {
    /// The first row, from 1, whose counts no samples add up to, and why; an edited record may have one.
    #[must_use]
    pub fn odd(&self) -> Option<(usize, &'static str)> {
        (1..).zip(&self.rows).find_map(|(row, it)| Some((row, it.counts.odd()?)))
    }

    /// The message of a run without a guard: results alone, or what the user of the scenario says.
    pub const NONE: &'static str = "none";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_no_samples_add_up_to_are_odd() {
        let good = ReactionCounts {
            samples: 4,
            calls: 3,
            named: 2,
            saved: 1,
            lost: 2,
            pairs: 3,
            ..Default::default()
        };
        assert_eq!(good.odd(), None);
        let check = |name: &str, count: u64, expected: &str| {
            let mut counts = good;
            *counts.named_mut(name).expect("it is counted") = count;
            assert_eq!(counts.odd(), Some(expected), "{name}");
        };
        for name in ["calls", "moved", "serves", "named", "done", "unable", "pairs"] {
            check(name, 5, "more completions of a kind than samples");
        }
        check("repaired_calls", 4, "more repaired calls than calls");
        check("named_called", 3, "more calls of a named tool than messages that name one");
        check("saved", 2, "more pairs that differ than pairs");
        check("places", 1 << 32, "a number that is greater than any run counts");
    }
}
