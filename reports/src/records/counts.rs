//! Counts over trials. They are integers, so that shards add up to the same bytes as one run.

use balk_contract::record::Grade;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Defines a struct of counts that add up field by field.
macro_rules! counts {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)+
        }

        impl $name {
            /// The sums of both. A sum that is too great for its type stays at the greatest number.
            #[must_use]
            pub fn plus(&self, other: &Self) -> Self {
                Self { $($field: self.$field.saturating_add(other.$field),)+ }
            }

            /// Each count with its name, in the order of the fields.
            pub fn named(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($field), self.$field),)+].into_iter()
            }

            /// The count of this name.
            pub fn named_mut(&mut self, name: &str) -> Option<&mut u64> {
                [$((stringify!($field), &mut self.$field),)+]
                    .into_iter()
                    .find_map(|(it, count)| (it == name).then_some(count))
            }
        }
    };
}

pub(crate) use counts;

counts! {
    /// The counts of many trials of one scenario under one stack.
    Counts {
        /// Trials.
        trials,
        /// Trials that got stuck at least once.
        onsets,
        /// Trials whose goal held in the end.
        done,
        /// Of these, trials with an onset: they recovered.
        recovered,
        /// Of these, trials without an intervention or a resend after the onset.
        unprompted,
        /// Stuck trials without an intervention or a resend after the onset.
        missed,
        /// Trials whose goal did not hold and whose user was told.
        handed_over,
        /// Trials whose goal did not hold and whose user was not told.
        not_told,
        /// Interventions.
        interventions,
        /// Of these, in healthy turns. In a live record: those where the two rounds before changed the world.
        false_interventions,
        /// Healthy turns.
        healthy_turns,
        /// Turns in which the model was stuck.
        stuck_turns,
        /// Turns.
        turns,
        /// Calls that ran.
        calls,
        /// Estimated tokens sent to the model and written by it (bytes / 4).
        tokens,
        /// Resent requests.
        resends,
        /// Questions about failed attempts that could have been resent.
        needless_questions,
        /// Trials with at least one of these.
        asked_needlessly,
        /// Repeated effects that should happen once.
        double_effects,
        /// Trials with at least one of these.
        doubled,
        /// Trials in which a guard broke.
        guard_faults,
    }
}

impl Counts {
    /// Adds a trial.
    pub fn add(&mut self, grade: &Grade) {
        *self = self.plus(&Self {
            trials: 1,
            onsets: u64::from(grade.onset.is_some()),
            done: u64::from(grade.goal),
            recovered: u64::from(grade.recovered()),
            unprompted: u64::from(grade.recovered() && grade.first_help.is_none()),
            missed: u64::from(grade.onset.is_some() && grade.first_help.is_none()),
            handed_over: u64::from(grade.handed_over()),
            not_told: u64::from(grade.not_told()),
            interventions: grade.interventions.into(),
            false_interventions: grade.false_interventions.into(),
            healthy_turns: grade.healthy_turns.into(),
            stuck_turns: grade.stuck_turns.into(),
            turns: grade.turns.into(),
            calls: grade.calls.into(),
            tokens: grade.tokens_in + grade.tokens_out,
            resends: grade.resends.into(),
            needless_questions: grade.needless_questions.into(),
            asked_needlessly: u64::from(grade.needless_questions > 0),
            double_effects: grade.double_effects.into(),
            doubled: u64::from(grade.double_effects > 0),
            guard_faults: u64::from(grade.guard_fault),
        });
    }
}
