//! The figures that an audit compares: each trial with a change beside the trial without it in the same world.
//!
//! A change that does nothing useful still alters what is drawn after it, so it betters a figure in about as many
//! trials as it worsens. A figure *notices* the change if it worsens in more trials than it betters, and if chance
//! would do that in at most one of a million cases (two-sided sign test): 21 trials if none is better.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Effect, Entry, FinishReason, InterventionKind, Origin, ToolCall};
use balk_reports::records::Grade;
use balk_reports::statistics::mcnemar;
use balk_scenarios::{Stuck, Truth};

use crate::engine::Trial;

/// A figure of a trial. Less of it is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// The goal is not met at the end.
    NotDone,
    /// The goal is not met, and the user does not know.
    NotTold,
    /// Stuck turns.
    StuckTurns,
    /// Interventions in healthy turns.
    FalseInterventions,
    /// Effects that should happen once and happened again.
    DoubleEffects,
    /// Questions about an attempt that could have been sent again.
    NeedlessQuestions,
    /// Tokens that the model reads and writes. Runs that end differently are not compared, because giving up is cheap.
    Tokens,
    /// Turns in which the user sees code that is in no file, and no word about that (spec A6).
    CodeInNoFile,
    /// Broken answers whose calls ran, and the model is not told so before its next turn (spec R7).
    RanUnsaid,
    /// Ends that the user is told about without any explanation of what blocks the task (spec H2).
    Unexplained,
}

/// Each figure, in the order of the measured values.
const FIGURES: [Figure; 10] = [
    Figure::NotDone,
    Figure::NotTold,
    Figure::StuckTurns,
    Figure::FalseInterventions,
    Figure::DoubleEffects,
    Figure::NeedlessQuestions,
    Figure::Tokens,
    Figure::CodeInNoFile,
    Figure::RanUnsaid,
    Figure::Unexplained,
];

impl Figure {
    /// The figure in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotDone => "not done",
            Self::NotTold => "not told",
            Self::StuckTurns => "stuck turns",
            Self::FalseInterventions => "false interventions",
            Self::DoubleEffects => "double effects",
            Self::NeedlessQuestions => "needless questions",
            Self::Tokens => "tokens",
            Self::CodeInNoFile => "code in no file",
            Self::RanUnsaid => "ran unsaid",
            Self::Unexplained => "unexplained",
        }
    }
}

/// The figures of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Measured {
    values: [u64; FIGURES.len()],
    /// How it ended: with the goal met, and with the user told.
    end: (bool, bool),
}

impl Measured {
    pub(super) fn of(trial: &Trial, grade: &Grade) -> Self {
        let said = Said::of(trial);
        let value = |figure| match figure {
            Figure::NotDone => u64::from(!grade.goal),
            Figure::NotTold => u64::from(grade.not_told()),
            Figure::StuckTurns => grade.stuck_turns.into(),
            Figure::FalseInterventions => grade.false_interventions.into(),
            Figure::DoubleEffects => grade.double_effects.into(),
            Figure::NeedlessQuestions => grade.needless_questions.into(),
            Figure::Tokens => grade.tokens_in + grade.tokens_out,
            Figure::CodeInNoFile => said.code_in_no_file,
            Figure::RanUnsaid => said.ran_unsaid,
            Figure::Unexplained => u64::from(grade.handed_over() && !said.explained),
        };
        Self { values: FIGURES.map(value), end: (grade.goal, grade.told) }
    }
}

/// What was left unsaid in a trial.
#[derive(Default)]
struct Said {
    code_in_no_file: u64,
    ran_unsaid: u64,
    explained: bool,
}

impl Said {
    fn of(trial: &Trial) -> Self {
        let mut said = Self::default();
        let mut truths = trial.turns.iter().map(|turn| turn.truth);
        // What somebody still has to be told about the last completion.
        let mut code = false;
        let (mut broken, mut ran): (bool, Vec<Arc<str>>) = (false, Vec::new());
        for entry in &trial.entries {
            match entry {
                Entry::Completion(it) => {
                    said.code_in_no_file += u64::from(code);
                    said.ran_unsaid += u64::from(!ran.is_empty());
                    ran.clear();
                    code = truths.next() == Some(Truth::Stuck(Stuck::Fence));
                    broken = it.finish == FinishReason::Error;
                }
                Entry::Result(it) if broken && it.origin == Origin::Executed && may_change(&it.call) => {
                    ran.push(Arc::clone(&it.call.tool));
                }
                Entry::Intervention(it) => {
                    match it.kind {
                        InterventionKind::Notice | InterventionKind::Question(_) | InterventionKind::Stop => {
                            code = false;
                        }
                        InterventionKind::Repair(_)
                        | InterventionKind::Feedback
                        | InterventionKind::Note
                        | InterventionKind::Block => {}
                    }
                    if it.message().is_some_and(|text| ran.iter().all(|tool| text.contains(&**tool))) {
                        ran.clear();
                    }
                }
                Entry::Conclusion(_) => said.explained = true,
                Entry::Start(_)
                | Entry::User(_)
                | Entry::Failed(_)
                | Entry::Tried(_)
                | Entry::Result(_)
                | Entry::Answer(_)
                | Entry::Compaction(_)
                | Entry::End(_) => {}
            }
        }
        said.code_in_no_file += u64::from(code);
        said
    }
}

/// Whether the call may have changed something.
fn may_change(call: &ToolCall) -> bool {
    call.effect != Effect::ReadOnly
}

/// A figure that differs more often in one direction than chance allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The scenario, or the suite.
    pub place: Arc<str>,
    /// The figure.
    pub figure: Figure,
    /// The trials with more of it under the change.
    pub worse: u64,
    /// The trials with less of it.
    pub better: u64,
}

/// How often each figure was worse and better under a change, by place.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(BTreeMap<(Arc<str>, Figure), (u64, u64)>);

impl Pairs {
    /// Counts the same world before and after the change.
    pub(super) fn add(&mut self, places: &[&Arc<str>], before: &Measured, after: &Measured) {
        for (at, figure) in FIGURES.into_iter().enumerate() {
            let (was, is) = (before.values[at], after.values[at]);
            if was == is || figure == Figure::Tokens && before.end != after.end {
                continue;
            }
            for place in places {
                let (worse, better) = self.0.entry((Arc::clone(place), figure)).or_default();
                *(if is > was { worse } else { better }) += 1;
            }
        }
    }

    /// The figures that got worse, and those that got better.
    pub(super) fn moved(&self) -> (Vec<Moved>, Vec<Moved>) {
        let sure = self.0.iter().filter(|(_, (worse, better))| mcnemar(*worse, *better) <= LEVEL);
        let moved = sure.map(|((place, figure), &(worse, better))| Moved {
            place: Arc::clone(place),
            figure: *figure,
            worse,
            better,
        });
        moved.partition(|it| it.worse > it.better)
    }
}

/// An audit makes up to 100,000 of these tests, most of them over too few pairs to find anything.
const LEVEL: f64 = 1e-6;
