//! A live bench: every stack on every world under every seed, with a real model.
//!
//! The unit is one seed of a world with all stacks, as in a simulated bench. The first stack is the baseline. Every
//! stack is played from the start; what an earlier one asked in the same place with the same bytes is in the record
//! already. So a stack shares everything with the baseline up to its first intervention, and a stack that never steps
//! in takes nothing.

use std::ops::ControlFlow;
use std::sync::Arc;

use balk_reports::records::{Bench, Cell, Grade, Outcome, Plan, PlannedLive, Seeds, Suite, TrialRecord};
use balk_scenarios::{Scenario, World, WorldOptions};
use rayon::ThreadPool;

use super::judge::Sample;
use super::model::{Model, Stop};
use super::play::{Asked, Played, play};
use super::units;
use crate::bench::{Matrix, Played as Block, Transcripts};
use crate::engine::TruthChannel;
use crate::error::Error;
use crate::grade;
use crate::guards::Recipe;

/// Receives the progress of a live bench.
pub trait Follow {
    /// These units are in the record now; `Break` ends the bench.
    ///
    /// # Errors
    /// What was played cannot be written.
    fn block(&mut self, bench: &Bench, played: Block<'_>) -> Result<ControlFlow<()>, Error>;

    /// A unit was not measured, and is not in the record; `Break` ends the bench.
    fn dropped(&mut self, scenario: &str, seed: u64, why: &Stop) -> ControlFlow<()>;

    /// Every world was played under one seed more; `Break` ends the bench.
    fn seed_done(&mut self, bench: &Bench) -> ControlFlow<()>;
}

/// The cells of one unit, with its transcripts and its interventions to judge.
type Unit = (Vec<Cell>, Transcripts, Sample);

/// Plays the wanted units of a plan on these threads, the first seed of every world, then the next. Returns
/// interventions to judge.
///
/// # Errors
/// Those of `follow`, and a record that cannot be written.
pub fn run(
    pool: &ThreadPool,
    matrix: &Matrix,
    model: &Model<'_>,
    bench: &mut Bench,
    is_wanted: impl Fn(usize, u64) -> bool + Sync,
    follow: &mut impl Follow,
) -> Result<Sample, Error> {
    let mut sample = Sample::default();
    let [from, to] = bench.plan.seeds;
    for seed in from..=to {
        let wanted = (0..bench.plan.scenarios.len()).filter(|&scenario| is_wanted(scenario, seed)).collect();
        let take = |scenario: usize, unit: Result<Unit, Stop>| {
            let label = bench.plan.scenarios[scenario].label();
            match unit {
                Ok((cells, kept, judged)) => {
                    sample.merge(judged);
                    bench.add(scenario, &Seeds::range(seed, seed), &cells).expect("each unit is played once");
                    follow.block(bench, Block { scenario: &label, units: 1, kept })
                }
                Err(Stop::Unkept(error)) => Err(error),
                Err(stop) => Ok(follow.dropped(&label, seed, &stop)),
            }
        };
        let flow = units::each(pool, wanted, |scenario| unit(matrix, model, scenario, seed), take)?;
        if flow.is_break() || follow.seed_done(bench).is_break() {
            break;
        }
    }
    Ok(sample)
}

/// One trial of a plan, with the stack in this place.
///
/// # Errors
/// There is no completion where one is needed.
pub fn trial(
    matrix: &Matrix,
    model: &Model<'_>,
    scenario: usize,
    seed: u64,
    stack: usize,
) -> Result<TrialRecord, Stop> {
    let drawn = matrix.scenario(scenario, seed);
    let world = world(matrix, &drawn, seed);
    let stack = &matrix.stacks[stack];
    let played = play(&world, &mut stack.stack(&TruthChannel::default()), model, &mut Asked::new())?;
    Ok(recorded(matrix, &world, scenario, stack, &played))
}

/// Plays one unit.
fn unit(matrix: &Matrix, model: &Model<'_>, place: usize, seed: u64) -> Result<Unit, Stop> {
    let scenario = matrix.scenario(place, seed);
    let world = world(matrix, &scenario, seed);
    let is_drawn = matrix.plan.scenarios[place].suite == Suite::Drawn;
    let mut asked = Asked::new();
    let mut baseline: Option<Grade> = None;
    let (mut cells, mut records, mut sample) = (Vec::new(), Vec::new(), Sample::default());
    for stack in &matrix.stacks {
        let played = play(&world, &mut stack.stack(&TruthChannel::default()), model, &mut asked)?;
        let mut cell = Cell { live: played.live, ..Cell::default() };
        played
            .interventions()
            .for_each(|(_, it, is_false)| cell.fired(&it.note.guard, &it.note.rule, is_false));
        let grade = &played.grade;
        cell.take(&Outcome {
            seed,
            language: world.language(),
            skeleton: is_drawn.then(|| world.skeleton()),
            grade,
            baseline: baseline.get_or_insert_with(|| grade.clone()),
            // There is no response model: the model is real.
            flat: grade,
            drawn: grade,
        });
        let label = matrix.plan.scenarios[place].label();
        let id = format!("{label}#{seed}@{}", stack.spec());
        let command = matrix.plan.trial(place, cells.len(), seed);
        sample.add(&id, &command, &played);
        records.push(recorded(matrix, &world, place, stack, &played));
        cells.push(cell);
    }
    Ok((cells, Transcripts::pack(seed, &records), sample))
}

pub(super) fn world(matrix: &Matrix, scenario: &Arc<Scenario>, seed: u64) -> Arc<World> {
    World::draw(scenario, seed, options(&matrix.plan))
}

/// What a live plan chooses for its worlds.
pub fn options(plan: &Plan) -> WorldOptions {
    let turns = plan.live.as_ref().and_then(PlannedLive::max_turns);
    WorldOptions { pools: plan.pools, turns, ..WorldOptions::default() }
}

fn recorded(
    matrix: &Matrix,
    world: &Arc<World>,
    place: usize,
    stack: &Recipe,
    played: &Played,
) -> TrialRecord {
    let record = grade::record(world, stack.spec(), matrix.set(place), &played.trial);
    TrialRecord { grade: played.grade.clone(), ..record }
}
