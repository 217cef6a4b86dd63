//! Sums over clusters of trials, for intervals that treat the cluster as the unit.
//!
//! In a written scenario the whole cell is one cluster. In a drawn world the skeleton is, and a cell has too many to
//! keep sums of each. So skeletons are put into [`GROUPS`] groups by a hash of their ids. A group has whole skeletons,
//! so groups are independent if skeletons are. They do not depend on the order of the trials, and shards add up.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::records::counts::counts;

/// The number of groups of skeletons in a cell.
pub const GROUPS: usize = 32;

counts! {
    /// The sums of one cluster. Each is explained where the cell has it.
    Sums {
        /// Trials.
        trials,
        /// Trials that got stuck at least once.
        onsets,
        /// Trials whose goal held in the end.
        done,
        /// Of these, trials with an onset.
        recovered,
        /// Of these, trials without an intervention or a resend after the onset.
        unprompted,
        /// Stuck trials without an intervention or a resend after the onset.
        missed,
        /// Stuck trials without an intervention or a resend soon after the onset.
        late,
        /// Trials whose goal did not hold and whose user was told.
        handed_over,
        /// Trials whose goal did not hold and whose user was not told.
        not_told,
        /// Interventions in healthy turns.
        false_interventions,
        /// Healthy turns.
        healthy_turns,
        /// Trials with a repeated effect that should happen once.
        doubled,
        /// Trials in which a guard broke.
        guard_faults,
        /// Estimated tokens.
        tokens,
        /// Trials whose goal holds here, but not under the baseline.
        saved,
        /// Trials whose goal holds under the baseline, but not here.
        lost,
        /// Turns of the trials whose goal holds here and under the baseline.
        kept_turns,
        /// Turns of the same trials under the baseline.
        kept_turns_before,
        /// Stuck trials under the flat response model.
        flat_onsets,
        /// Recovered trials under the flat response model.
        flat_recovered,
        /// Stuck trials with drawn parameters.
        drawn_onsets,
        /// Recovered trials with drawn parameters.
        drawn_recovered,
    }
}

/// The sums of each group. A record has them by name, and leaves out sums that are 0 in every group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, Vec<u64>>", into = "BTreeMap<String, Vec<u64>>")]
pub struct Groups([Sums; GROUPS]);

impl Default for Groups {
    fn default() -> Self {
        Self([Sums::default(); GROUPS])
    }
}

impl Groups {
    /// The sums of each group; some may have no trial.
    #[must_use]
    pub const fn sums(&self) -> &[Sums; GROUPS] {
        &self.0
    }

    /// The sums of all groups.
    #[must_use]
    pub fn total(&self) -> Sums {
        self.0.iter().fold(Sums::default(), |sum, more| sum.plus(more))
    }

    pub(super) fn add(&mut self, skeleton: &str, trial: &Sums) {
        let group = &mut self.0[(xxh3_64(skeleton.as_bytes()) % GROUPS as u64) as usize];
        *group = group.plus(trial);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, more)| *mine = mine.plus(more));
    }
}

impl From<Groups> for BTreeMap<String, Vec<u64>> {
    fn from(Groups(groups): Groups) -> Self {
        let mut columns = Self::new();
        for (at, sums) in groups.iter().enumerate() {
            for (name, count) in sums.named().filter(|(_, count)| *count > 0) {
                columns.entry(name.to_owned()).or_insert_with(|| vec![0; GROUPS])[at] = count;
            }
        }
        columns
    }
}

impl TryFrom<BTreeMap<String, Vec<u64>>> for Groups {
    type Error = String;

    fn try_from(columns: BTreeMap<String, Vec<u64>>) -> Result<Self, String> {
        let mut groups = Self::default();
        for (name, counts) in columns {
            if counts.len() != GROUPS {
                return Err(format!("expected {GROUPS} counts of `{name}`, found {}", counts.len()));
            }
            for (sums, count) in groups.0.iter_mut().zip(counts) {
                let sum = sums.named_mut(&name);
                *sum.ok_or_else(|| format!("expected a sum that groups have, found `{name}`"))? = count;
            }
        }
        Ok(groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(skeletons: impl Iterator<Item = u64>) -> Groups {
        let mut groups = Groups::default();
        for at in skeletons {
            groups
                .add(&format!("plan+slip@{}", at % 50), &Sums { trials: 1, done: at % 2, ..Sums::default() });
        }
        groups
    }

    #[test]
    fn shards_add_up_in_any_order_and_read_back() {
        let whole = groups(0..200);
        let mut parts = groups(120..200);
        parts.merge(&groups(0..120));
        assert_eq!(parts, whole);
        assert_eq!(groups((0..200).rev()), whole);
        assert_eq!(whole.total(), Sums { trials: 200, done: 100, ..Sums::default() });
        let text = serde_json::to_string(&whole).expect("plain numbers");
        assert!(text.len() < 300 && !text.contains("lost"), "{text}");
        assert_eq!(serde_json::from_str::<Groups>(&text).expect("as written"), whole);
    }

    #[test]
    fn a_skeleton_is_in_one_group() {
        let groups = groups((0..200).map(|at| 50 * at));
        assert_eq!(groups.sums().iter().filter(|it| it.trials > 0).count(), 1);
    }

    #[test]
    fn sums_that_groups_do_not_have_are_refused() {
        let read = |text: &str| serde_json::from_str::<Groups>(text).expect_err("no groups").to_string();
        assert!(read(r#"{"done":[1]}"#).starts_with("expected 32 counts of `done`, found 1"));
        let many = format!(r#"{{"gone":[0{}]}}"#, ",0".repeat(31));
        assert!(read(&many).starts_with("expected a sum that groups have, found `gone`"));
    }
}
