//! The expectations about a stack, as counts over trials.
//!
//! The tests of the catalogue check the default stack against these bounds, over more seeds.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::{Entry, FinishReason, InterventionKind, Origin, Protocol, Termination};
use balk_reports::records::Grade;
use balk_scenarios::{Kind, Scenario};

use super::figure::Measured;
use crate::engine::Trial;
use crate::grade;

/// An expectation about a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// Stubborn: every run that is not recovered is handed over; the user knows.
    DoneOrTold,
    /// Unreachable goal: the user is told in every run, and the message names the cause.
    SaidByName,
    /// Control: the task is done, and the model is never stuck.
    WorkDone,
    /// Control that ends by a tool: no guard intervenes.
    LeftAlone,
    /// Controls that end by a text, by language: at most five interventions per thousand turns.
    SeldomDisturbed,
    /// No effect that should happen once happens twice.
    NothingTwice,
    /// The user is never asked about an attempt that could have been sent again.
    AskedForAReason,
    /// No truncated call runs (spec E3).
    NothingCutOffRuns,
}

impl Expectation {
    /// The expectation in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DoneOrTold => "done or told",
            Self::SaidByName => "said by name",
            Self::WorkDone => "work done",
            Self::LeftAlone => "left alone",
            Self::SeldomDisturbed => "seldom disturbed",
            Self::NothingTwice => "nothing twice",
            Self::AskedForAReason => "asked for a reason",
            Self::NothingCutOffRuns => "nothing cut off runs",
        }
    }

    /// Whether the expectation is met with `missed` misses among `of`.
    #[must_use]
    pub const fn holds(self, missed: u64, of: u64) -> bool {
        match self {
            Self::SeldomDisturbed => 1_000 * missed <= 5 * of,
            Self::DoneOrTold
            | Self::SaidByName
            | Self::WorkDone
            | Self::LeftAlone
            | Self::NothingTwice
            | Self::AskedForAReason
            | Self::NothingCutOffRuns => missed == 0,
        }
    }
}

/// An expectation that is not met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The scenario, or the language of several.
    pub place: Arc<str>,
    /// The expectation.
    pub expectation: Expectation,
    /// The misses and the total: trials, of trials; for [`Expectation::SeldomDisturbed`] interventions, of turns.
    pub missed: (u64, u64),
}

impl Broken {
    /// Whether both are about the same expectation of the same place.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.place == other.place && self.expectation == other.expectation
    }
}

/// The facts about one trial that expectations need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    grade: Grade,
    pub(super) measured: Measured,
    /// Whether the user was told about an end without the goal, and told its cause.
    named: bool,
    /// Whether a truncated call ran.
    cut_off_ran: bool,
    /// The language if text may end the task; else empty.
    language: Arc<str>,
}

impl Facts {
    pub(super) fn of(scenario: &Scenario, trial: &Trial, language: &Arc<str>) -> Self {
        let named = scenario.unreachable.as_deref().is_none_or(|expected| is_named(trial, expected));
        let cut_off_ran = cut_off_ran(trial);
        let grade = grade::grade(trial);
        let measured = Measured::of(trial, &grade);
        Self { grade, measured, named, cut_off_ran, language: Arc::clone(language) }
    }
}

/// Whether the model itself told the user, or there are messages about the end of the run and each of them names this
/// cause.
fn is_named(trial: &Trial, expected: &str) -> bool {
    let mut said = trial.turns.iter().any(|turn| turn.tells_user);
    for entry in &trial.entries {
        let rule = match entry {
            Entry::Conclusion(it) => &it.note.rule,
            // If the provider failed, a stop by this guard tells the user so.
            Entry::Intervention(it)
                if it.kind == InterventionKind::Stop && it.note.guard == "retry-safety" =>
            {
                &it.note.rule
            }
            Entry::End(Termination::Finished) if !said => return false,
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::End(_) => continue,
        };
        if *rule != expected {
            return false;
        }
        said = true;
    }
    said
}

/// Whether the last call of a completion ran although the completion ended at the output limit.
fn cut_off_ran(trial: &Trial) -> bool {
    let mut cut_off = None;
    trial.entries.iter().any(|entry| match entry {
        Entry::Completion(it) => {
            cut_off = it.calls.last().filter(|_| it.finish == FinishReason::Length);
            false
        }
        Entry::Result(it) => {
            it.origin == Origin::Executed && cut_off.is_some_and(|call| call.id == it.call.id)
        }
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => false,
    })
}

/// Counts of misses.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies(BTreeMap<(Expectation, Arc<str>), Tally>);

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    missed: u64,
    of: u64,
}

impl Tallies {
    /// Counts one trial, in a written scenario or in a drawn world, of which less is expected.
    pub(super) fn add(&mut self, name: &Arc<str>, written: Option<&Scenario>, facts: &Facts) {
        let Facts { grade, measured: _, named, cut_off_ran, language } = facts;
        let mut add = |expectation, place: &Arc<str>, more: Tally| {
            let tally = self.0.entry((expectation, Arc::clone(place))).or_default();
            tally.missed += more.missed;
            tally.of += more.of;
        };
        let mut expect = |expectation, holds: bool| {
            add(expectation, name, Tally { missed: u64::from(!holds), of: 1 });
        };
        expect(Expectation::NothingTwice, grade.double_effects == 0);
        expect(Expectation::AskedForAReason, grade.needless_questions == 0);
        expect(Expectation::NothingCutOffRuns, !cut_off_ran);
        let Some(scenario) = written else { return };
        if scenario.unreachable.is_some() {
            expect(Expectation::SaidByName, *named);
        }
        match scenario.kind {
            Kind::Stubborn => expect(Expectation::DoneOrTold, !grade.not_told()),
            Kind::Control => {
                let done = grade.goal != scenario.unreachable.is_some() && grade.onset.is_none();
                expect(Expectation::WorkDone, done);
                match scenario.protocol {
                    // A message at the end of a run that could not reach its goal interrupts no work.
                    Protocol::Tool => expect(
                        Expectation::LeftAlone,
                        grade.interventions <= u32::from(scenario.unreachable.is_some()),
                    ),
                    Protocol::Text => add(
                        Expectation::SeldomDisturbed,
                        language,
                        Tally { missed: grade.interventions.into(), of: grade.healthy_turns.into() },
                    ),
                }
            }
        }
    }

    /// The expectations that are not met.
    pub(super) fn broken(&self) -> Vec<Broken> {
        let counts = self.0.iter().map(|((expectation, place), tally)| Broken {
            place: Arc::clone(place),
            expectation: *expectation,
            missed: (tally.missed, tally.of),
        });
        counts.filter(|it| !it.expectation.holds(it.missed.0, it.missed.1)).collect()
    }
}
