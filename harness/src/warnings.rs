//! What is doubtful in a scenario file and only trials show: a healthy actor that cannot do its task.
//!
//! Every stack refuses a call now and then. A healthy actor hears that, and does its task all the same. So each single
//! call of its course is refused once, and if the task is never done after that, the file says something that its
//! author did not mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::Entry;
use balk_scenarios::format::{Checked, Diagnostic, Severity};
use balk_scenarios::scenario::StateId;
use balk_scenarios::{Kind, Scenario, World, WorldOptions};

use crate::engine::{self, Trial, TruthChannel};
use refusing::RefuseOne;

mod refusing;

/// The seeds that are played.
const SEEDS: u64 = 12;

/// Calls with a number above this are not refused: a course so long does the same over and over.
const CALLS: usize = 60;

/// What trials show of the healthy actor of a file.
#[must_use]
pub fn played(checked: &Checked) -> Vec<Diagnostic> {
    let all = checked.scenarios.iter().enumerate();
    let controls = all.filter(|(_, it)| it.kind == Kind::Control && it.unreachable.is_none());
    controls.flat_map(|(at, scenario)| of_control(checked, at, scenario)).collect()
}

fn of_control(checked: &Checked, at: usize, scenario: &Arc<Scenario>) -> Vec<Diagnostic> {
    let undisturbed: Vec<(Arc<World>, Trial)> = (0..SEEDS)
        .map(|seed| World::draw(scenario, seed, WorldOptions::default()))
        .map(|world| {
            let trial = play(&world, None);
            (world, trial)
        })
        .filter(|(_, trial)| trial.goal)
        .collect();
    if undisturbed.is_empty() {
        let start = scenario.actor.start;
        return vec![Diagnostic {
            severity: Severity::Warning,
            message: format!("the healthy actor never does its task, in any of {SEEDS} seeds"),
            place: checked.state(at, start, "it starts here, and the goal never holds at the end"),
            related: None,
            help: vec!["play it: `balk scenario FILE#NAME`".into()],
            count: 1,
        }];
    }
    let mut refused: BTreeMap<(StateId, usize), (u32, u32)> = BTreeMap::new();
    for (world, trial) in &undisturbed {
        for (number, call) in calls(trial).into_iter().enumerate().take(CALLS) {
            let (done, played) = refused.entry(call).or_default();
            *done += u32::from(play(world, Some(number)).goal);
            *played += 1;
        }
    }
    let lost = refused.into_iter().filter(|(_, (done, _))| *done == 0);
    lost.map(|((state, call), (_, played))| Diagnostic {
        severity: Severity::Warning,
        message: "the healthy actor never does its task once this call was refused".into(),
        place: checked.state(at, state, &format!("call {} of this state; refused in {played} trials", call + 1)),
        related: None,
        help: vec![
            "a guard may refuse any call, and a refused call does not run: lead on with `when = \"refused\"`, to a \
             state that does it in another way"
                .into(),
        ],
        count: 1,
    })
    .collect()
}

/// The state of each call, and its place in the completion, in the order of the course.
fn calls(trial: &Trial) -> Vec<(StateId, usize)> {
    let turns = trial.turns.iter().filter_map(|turn| {
        let Entry::Completion(completion) = &trial.entries[turn.entry] else { return None };
        Some((turn.state?, completion.calls.len()))
    });
    turns.flat_map(|(state, calls)| (0..calls).map(move |call| (state, call))).collect()
}

/// The course of a world in which the call with this number is refused, from 0.
fn play(world: &Arc<World>, call: Option<usize>) -> Trial {
    engine::run(world, &mut RefuseOne::new(call), &TruthChannel::default())
}
