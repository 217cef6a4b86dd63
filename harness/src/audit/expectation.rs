//! What the catalogue expects of a stack, as counts over trials.
//!
//! The bounds are those that the tests of the catalogue hold the default stack to.

use std::collections::BTreeMap;

use balk_guards::{Entry, FinishReason, InterventionKind, Origin, Protocol, Termination};
use balk_reports::Grade;
use balk_scenarios::{Kind, Scenario};

use crate::engine::Trial;
use crate::grade;

/// Something that is expected of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expectation {
    /// Stubborn: nine in ten of those that the oracle brings back are brought back.
    BroughtBack,
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
}

/// An expectation that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The scenario, or the language of several.
    pub place: String,
    /// Which.
    pub expectation: Expectation,
    /// What is missed: a number of trials, of how many; for [`Expectation::SeldomDisturbed`] interventions in
    /// turns.
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
pub(super) struct Tallies(BTreeMap<(Expectation, String), (u64, u64)>);

impl Tallies {
    /// Counts one trial.
    pub(super) fn add(&mut self, name: &str, scenario: &Scenario, facts: &Facts) {
        let Facts { grade, could, named, cut_off_ran, language } = facts;
        let mut miss = |expectation, place: &str, missed: u64, of: u64| {
            let tally = self.0.entry((expectation, place.into())).or_default();
            tally.0 += missed;
            tally.1 += of;
        };
        let mut expect = |expectation, holds: bool| miss(expectation, name, u64::from(!holds), 1);
        expect(Expectation::NothingTwice, grade.double_effects == 0);
        expect(Expectation::AskedForAReason, grade.needless_questions == 0);
        expect(Expectation::NothingCutOffRuns, !cut_off_ran);
        if scenario.unreachable.is_some() {
            expect(Expectation::SaidByName, *named);
        }
        match scenario.kind {
            Kind::Stubborn => {
                expect(Expectation::DoneOrTold, !grade.not_told());
                if *could && scenario.unreachable.is_none() {
                    expect(Expectation::BroughtBack, grade.recovered());
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
                    Protocol::Text => miss(
                        Expectation::SeldomDisturbed,
                        language,
                        grade.interventions.into(),
                        grade.healthy_turns.into(),
                    ),
                }
            }
        }
    }

    /// What does not hold.
    pub(super) fn broken(&self) -> Vec<Broken> {
        let holds = |expectation, (missed, of): (u64, u64)| match expectation {
            Expectation::BroughtBack => 10 * missed <= of,
            Expectation::SeldomDisturbed => 1_000 * missed <= 5 * of,
            Expectation::DoneOrTold
            | Expectation::SaidByName
            | Expectation::WorkDone
            | Expectation::LeftAlone
            | Expectation::NothingTwice
            | Expectation::AskedForAReason
            | Expectation::NothingCutOffRuns => missed == 0,
        };
        self.0
            .iter()
            .filter(|((expectation, _), tally)| !holds(*expectation, **tally))
            .map(|((expectation, place), tally)| Broken {
                place: place.clone(),
                expectation: *expectation,
                missed: *tally,
            })
            .collect()
    }
}
