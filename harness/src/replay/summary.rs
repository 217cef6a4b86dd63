//! The sums over many replayed transcripts.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;

use super::fold::What;
use super::own::Own;
use super::run::{Found, Item, Replayed};
use crate::import::{Format, Oddities, Outcome, one_line};

/// The sums. Integers only, so that parts add up to the same bytes as the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Everything.
    pub total: Counts,
    /// By source file.
    pub by_source: BTreeMap<String, Counts>,
    /// Files by the name of their format, where a file has one as a whole.
    pub by_format: BTreeMap<&'static str, u64>,
    /// By the model's name. At most [`MODELS_MAX`] names; later ones are counted under [`OTHER_MODELS`].
    pub by_model: BTreeMap<String, Counts>,
    /// By how the run ended.
    pub by_outcome: BTreeMap<Outcome, Counts>,
    /// By guard.
    pub by_guard: BTreeMap<String, GuardCounts>,
    /// By guard and rule. A guard's stretch counts for the rule that opened it.
    pub by_rule: BTreeMap<(String, String), GuardCounts>,
    /// The defects of the recordings.
    pub oddities: Oddities,
    /// Calls that guards would have run again.
    pub reruns: u64,
    /// Requests that guards would have sent again.
    pub resends: u64,
    /// Transcripts that go on after a guard would have ended the run.
    pub ended: u64,
    /// Turns after that. They are in no other count.
    pub turns_after_end: u64,
    /// Transcripts in which `abandonment` sees nothing.
    pub blind: u64,
    /// Transcripts that ended with a guard fault.
    pub guard_faults: u64,
    /// Our own records, which are not in the counts above.
    pub own: OwnCounts,
    /// Lines that cannot be used, by reason.
    pub bad_lines: BTreeMap<&'static str, u64>,
    /// Files that could not be opened or read to their end.
    pub broken_files: u64,
}

/// The maximum number of model names: input of any size must not fill the memory with them.
pub const MODELS_MAX: usize = 1_000;

/// The name under which further models are counted.
pub const OTHER_MODELS: &str = "(other models)";

/// The name for transcripts without a model.
pub const NO_MODEL: &str = "(no model)";

/// Counts of what was folded and what fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Transcripts.
    pub transcripts: u64,
    /// Completions.
    pub turns: u64,
    /// Calls.
    pub calls: u64,
    /// Firings.
    pub firings: u64,
    /// Stretches of firings of any guards.
    pub stretches: u64,
}

/// The firings of one guard, or of one of its rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GuardCounts {
    /// Transcripts with a firing.
    pub transcripts: u64,
    /// Firings.
    pub firings: u64,
    /// Stretches of this guard's firings.
    pub stretches: u64,
}

/// Results of our own records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OwnCounts {
    /// Records.
    pub records: u64,
    /// Records whose own guards were asked; the answers must be the recorded ones.
    pub held: u64,
    /// Completions in them.
    pub turns: u64,
    /// Records in which the guards would act differently.
    pub differing: u64,
    /// Records among `held` that differ.
    pub broken: u64,
}

impl AddAssign for OwnCounts {
    fn add_assign(&mut self, other: Self) {
        let Self { records, held, turns, differing, broken } = other;
        self.records += records;
        self.held += held;
        self.turns += turns;
        self.differing += differing;
        self.broken += broken;
    }
}

impl Summary {
    /// Whether no line could be used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total.transcripts + self.own.records == 0
    }

    /// Counts one line of a file.
    pub fn add(&mut self, source: &str, item: &Item) {
        match &item.found {
            Ok(Found::Foreign(replayed)) => self.add_transcript(source, replayed),
            Ok(Found::Own(own)) => self.add_own(own),
            Err(bad) => *self.bad_lines.entry(bad.reason()).or_default() += 1,
        }
    }

    /// Counts a file that was read.
    pub fn add_file(&mut self, format: Option<Format>) {
        if let Some(format) = format {
            *self.by_format.entry(format.name()).or_default() += 1;
        }
    }

    /// The number of lines that could not be used.
    #[must_use]
    pub fn bad_line_count(&self) -> u64 {
        self.bad_lines.values().sum()
    }

    fn add_transcript(&mut self, source: &str, it: &Replayed) {
        let model = self.model_key(&it.model);
        let mut counts =
            Counts { transcripts: 1, turns: it.folded.turns, calls: it.folded.calls, ..Counts::default() };
        let mut guards: BTreeMap<String, GuardCounts> = BTreeMap::new();
        let mut rules: BTreeMap<(String, String), GuardCounts> = BTreeMap::new();
        for event in &it.folded.events {
            match &event.what {
                What::Rerun { .. } => self.reruns += 1,
                What::Resend { .. } => self.resends += 1,
                What::Fired(firing) => {
                    counts.firings += 1;
                    counts.stretches += u64::from(firing.opens_stretch);
                    let one = GuardCounts {
                        transcripts: 0,
                        firings: 1,
                        stretches: u64::from(firing.opens_guard_stretch),
                    };
                    let (guard, rule) = (firing.note.guard.to_string(), firing.note.rule.to_string());
                    *rules.entry((guard.clone(), rule)).or_default() += one;
                    *guards.entry(guard).or_default() += one;
                }
            }
        }
        merge(&mut self.by_guard, guards);
        merge(&mut self.by_rule, rules);
        self.total += counts;
        *self.by_source.entry(source.into()).or_default() += counts;
        *self.by_model.entry(model).or_default() += counts;
        *self.by_outcome.entry(it.outcome).or_default() += counts;
        self.oddities += it.oddities;
        let turns_after_end = it.folded.end.map_or(0, |end| end.turns_after);
        self.ended += u64::from(turns_after_end > 0);
        self.turns_after_end += turns_after_end;
        self.blind += u64::from(it.blind);
        self.guard_faults += u64::from(it.folded.fault.is_some());
    }

    fn add_own(&mut self, own: &Own) {
        let differs = u64::from(own.difference().is_some());
        let held = u64::from(own.is_held_to_record());
        self.own +=
            OwnCounts { records: 1, held, turns: own.turns, differing: differs, broken: held * differs };
        self.guard_faults += u64::from(own.fault.is_some());
    }

    fn model_key(&self, model: &str) -> String {
        let model = if model.trim().is_empty() { NO_MODEL.into() } else { one_line(model, 80) };
        if self.by_model.len() < MODELS_MAX || self.by_model.contains_key(&model) {
            model
        } else {
            OTHER_MODELS.into()
        }
    }
}

/// Adds the counts of one transcript.
fn merge<K: Ord>(all: &mut BTreeMap<K, GuardCounts>, one: BTreeMap<K, GuardCounts>) {
    for (key, counts) in one {
        *all.entry(key).or_default() += GuardCounts { transcripts: 1, ..counts };
    }
}

impl Counts {
    /// Stretches per million turns, rounded; divided by 1,000, the rate per 1,000 turns with three decimals.
    #[must_use]
    pub fn stretches_per_million_turns(&self) -> u64 {
        (self.stretches * 2_000_000 + self.turns).checked_div(2 * self.turns).unwrap_or(0)
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        let Self { transcripts, turns, calls, firings, stretches } = other;
        self.transcripts += transcripts;
        self.turns += turns;
        self.calls += calls;
        self.firings += firings;
        self.stretches += stretches;
    }
}

impl AddAssign for GuardCounts {
    fn add_assign(&mut self, other: Self) {
        let Self { transcripts, firings, stretches } = other;
        self.transcripts += transcripts;
        self.firings += firings;
        self.stretches += stretches;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_names_cannot_fill_the_memory() {
        let mut summary = Summary::default();
        for n in 0..MODELS_MAX + 7 {
            let it = Replayed {
                id: "".into(),
                model: if n == 0 { " ".into() } else { format!("{n}").into() },
                outcome: Outcome::Unknown,
                replies: Vec::new(),
                oddities: Oddities::default(),
                times: Vec::new(),
                entries: Vec::new(),
                folded: super::super::fold::Folded::default(),
                blind: false,
            };
            summary.add("file", &Item { line: 1, found: Ok(Found::Foreign(it)) });
        }
        assert_eq!(summary.by_model.len(), MODELS_MAX + 1);
        assert_eq!(summary.by_model[OTHER_MODELS].transcripts, 7);
        assert_eq!(summary.by_model[NO_MODEL].transcripts, 1);
    }
}
