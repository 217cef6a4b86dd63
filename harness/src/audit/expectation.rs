//! What the catalogue expects of a stack, as counts over trials.
//!
//! The tests of the catalogue hold the default stack to these bounds, over more seeds.

use std::collections::BTreeMap;

use balk_guards::{Entry, FinishReason, InterventionKind, Origin, Protocol, Termination};
use balk_reports::records::Grade;
use balk_scenarios::{Kind, Scenario};

use crate::engine::Trial;
use crate::grade;

/// Something that is expected of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// Stubborn: nine in ten of as many as the oracle brings back are brought back. Not of the same seeds: once one
    /// of the two has spoken, a seed's further draws are others.
    BroughtBack,
    /// Stubborn: on average at most ten turns of a run are stuck. The most patient rule about failures speaks after
    /// six, and a cycle of up to six rounds must come round.
    BackSoon,
    /// Stubborn: whoever is not brought back is handed over; the user knows.
    DoneOrTold,
    /// Where the goal cannot be reached: the user learns it, in every run, under its name.
    SaidByName,
    /// Control: the task is done, and nobody is stuck.
    WorkDone,
    /// Control that ends by a tool: nobody steps in.
    LeftAlone,
    /// Controls that end by a text, by language: at most five interventions in a thousand turns.
    SeldomDisturbed,
    /// Nothing happens twice that was to happen once.
    NothingTwice,
    /// Nobody is asked about an attempt that could have been sent again.
    AskedForAReason,
    /// No call runs that was cut off (spec E3).
    NothingCutOffRuns,
}

impl Expectation {
    /// The expectation in a few words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BroughtBack => "brought back",
            Self::BackSoon => "back soon",
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

    /// Whether it holds where so many of so many are missed; a tenth of a few trials is rounded up.
    #[must_use]
    pub const fn holds(self, missed: u64, of: u64) -> bool {
        match self {
            Self::BroughtBack => missed <= of.div_ceil(10),
            Self::BackSoon => missed <= 10 * of,
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

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The scenario, or the language of several.
    pub place: String,
    /// Which.
    pub expectation: Expectation,
    /// What is missed: a number of trials, of how many; for [`Expectation::BackSoon`] stuck turns in trials, for
    /// [`Expectation::SeldomDisturbed`] interventions in turns.
    pub missed: (u64, u64),
}

impl Broken {
    /// Whether it is the same expectation of the same place.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        self.place == other.place && self.expectation == other.expectation
    }
}

/// What matters of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    grade: Grade,
    /// Whether the oracle brings this one back.
    could: bool,
    /// Whether an end without the goal was said, and under its name.
    named: bool,
    /// Whether a call ran that was cut off.
    cut_off_ran: bool,
    /// The language where text may end the task; else empty.
    language: String,
}

impl Facts {
    pub(super) fn of(scenario: &Scenario, trial: &Trial, could: bool, language: &str) -> Self {
        let named = scenario.unreachable.as_deref().is_none_or(|expected| is_named(trial, expected));
        let cut_off_ran = cut_off_ran(trial);
        Self { grade: grade::grade(trial), could, named, cut_off_ran, language: language.into() }
    }
}

/// Whether every word about the end of a run is this one, and there is one, unless the model said so itself.
fn is_named(trial: &Trial, expected: &str) -> bool {
    let mut said = trial.turns.iter().any(|turn| turn.tells_user);
    for entry in &trial.entries {
        let rule = match entry {
            Entry::Conclusion(it) => &it.note.rule,
            // Where the provider is what failed, whoever stops over it has said so.
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

/// Whether the last call of a completion ran that ended at the output limit.
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

/// Counts of what is missed.
#[derive(Clone, Debug, Default)]
pub(super) struct Tallies(BTreeMap<(Expectation, String), Tally>);

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    missed: u64,
    /// What was had where it was not expected, and stands against what was missed.
    beyond: u64,
    of: u64,
}

impl Tallies {
    /// Counts one trial.
    pub(super) fn add(&mut self, name: &str, scenario: &Scenario, facts: &Facts) {
        let Facts { grade, could, named, cut_off_ran, language } = facts;
        let mut add = |expectation, place: &str, more: Tally| {
            let tally = self.0.entry((expectation, place.into())).or_default();
            tally.missed += more.missed;
            tally.beyond += more.beyond;
            tally.of += more.of;
        };
        let mut expect = |expectation, holds: bool| {
            add(expectation, name, Tally { missed: u64::from(!holds), beyond: 0, of: 1 });
        };
        expect(Expectation::NothingTwice, grade.double_effects == 0);
        expect(Expectation::AskedForAReason, grade.needless_questions == 0);
        expect(Expectation::NothingCutOffRuns, !cut_off_ran);
        if scenario.unreachable.is_some() {
            expect(Expectation::SaidByName, *named);
        }
        match scenario.kind {
            Kind::Stubborn => {
                expect(Expectation::DoneOrTold, !grade.not_told());
                if scenario.unreachable.is_none() {
                    let is_back = grade.recovered();
                    let tally = Tally {
                        missed: u64::from(*could && !is_back),
                        beyond: u64::from(is_back && !could),
                        of: u64::from(*could),
                    };
                    add(Expectation::BroughtBack, name, tally);
                    let tally = Tally { missed: grade.stuck_turns.into(), beyond: 0, of: 1 };
                    add(Expectation::BackSoon, name, tally);
                }
            }
            Kind::Control => {
                let done = grade.goal != scenario.unreachable.is_some() && grade.onset.is_none();
                expect(Expectation::WorkDone, done);
                match scenario.protocol {
                    // What stands at the end of a run that could not reach its goal disturbs nobody.
                    Protocol::Tool => expect(
                        Expectation::LeftAlone,
                        grade.interventions <= u32::from(scenario.unreachable.is_some()),
                    ),
                    Protocol::Text => add(
                        Expectation::SeldomDisturbed,
                        language,
                        Tally {
                            missed: grade.interventions.into(),
                            beyond: 0,
                            of: grade.healthy_turns.into(),
                        },
                    ),
                }
            }
        }
    }

    /// What does not hold.
    pub(super) fn broken(&self) -> Vec<Broken> {
        let counts = self.0.iter().map(|((expectation, place), tally)| Broken {
            place: place.clone(),
            expectation: *expectation,
            missed: (tally.missed.saturating_sub(tally.beyond), tally.of),
        });
        counts.filter(|it| !it.expectation.holds(it.missed.0, it.missed.1)).collect()
    }
}
