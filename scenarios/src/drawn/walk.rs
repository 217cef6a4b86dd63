//! A plan played alone: without guards, to its end.

use std::sync::Arc;

use balk_contract::{
    Batch, Entry, Guard, Protocol, Run, Speaker, Start, Status, Step, Termination, ToolCall, ToolResult,
    UserMessage,
};

use crate::actor::Actor;
use crate::environment::Environment;
use crate::scenario::{StateId, Truth};
use crate::user::User;
use crate::world::World;

/// One turn of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// The state of the actor.
    pub(super) state: StateId,
    /// The number of its visit.
    pub(super) visit: u32,
    /// What really goes on.
    pub(super) truth: Truth,
    /// Whether a call of it failed.
    pub(super) failed: bool,
    /// Whether its calls, sent again at once, would answer the same and change nothing.
    pub(super) still: bool,
    /// Whether the goal holds before it.
    pub(super) done_before: bool,
    /// Whether it changed the world, or let time pass.
    pub(super) moved: bool,
    /// What its calls were answered, or what the user said to it.
    pub(super) answers: Vec<Arc<str>>,
}

/// A plan's course.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Walk {
    /// Its turns, in order.
    pub(super) rounds: Vec<Round>,
    /// Whether the goal holds at the end.
    pub(super) goal: bool,
}

/// Plays the world's actor alone.
pub(super) fn walk(world: &Arc<World>) -> Walk {
    let scenario = world.scenario();
    let start = Start { model: "plan".into(), protocol: scenario.protocol, offer: world.offer().clone() };
    let (mut actor, mut environment, mut user) =
        (Actor::new(world), Environment::new(world), User::new(world));
    let mut said = String::new();
    let mut run = Run::new(Silent, start, user.opening(), scenario.limits);
    let mut rounds: Vec<Round> = Vec::new();
    loop {
        run.news();
        match run.step() {
            Step::Model { asked } => {
                actor.catch_up(run.view().messages());
                let act = actor.act(asked);
                let (state, visit) = actor.at();
                rounds.push(Round {
                    state,
                    visit,
                    truth: act.truth,
                    failed: false,
                    still: false,
                    done_before: environment.goal(),
                    moved: false,
                    answers: Vec::new(),
                });
                let completion = act.completion(world.offer());
                said = completion.texts().map(|text| &**text).collect();
                run.completed(completion);
            }
            Step::Tools { calls, .. } => {
                let round = rounds.last_mut().expect("a call follows a completion");
                run.executed(executed(round, &calls, &mut environment));
            }
            Step::Reply if scenario.protocol == Protocol::Tool => {
                run.said(UserMessage { from: Speaker::Loop, text: world.prompt().clone() });
            }
            Step::Reply => match user.reply(&said, &mut environment) {
                Some(text) => {
                    rounds.last_mut().expect("a reply follows a completion").answers.push(text.clone());
                    run.said(UserMessage { from: Speaker::User, text });
                }
                None => run.end(Termination::Finished),
            },
            Step::Wait(wait) => run.waited(wait.at_least),
            Step::User(_) => run.unanswered(),
            Step::Ended(_) => break,
        }
    }
    Walk { rounds, goal: environment.goal() }
}

/// Runs the calls of a round, and looks what they would do again.
fn executed(round: &mut Round, calls: &[Arc<ToolCall>], environment: &mut Environment) -> Batch {
    let before = environment.clone();
    let mut batch = Batch::default();
    for call in calls {
        let answer = environment.call(call);
        round.failed |= answer.status == Status::Error;
        round.moved |= answer.ticks > 0;
        batch.finished |= answer.finishes;
        let result = ToolResult::executed(call, answer.status, answer.text);
        round.answers.push(result.text.text().clone());
        batch.results.push(result);
    }
    round.moved |= !environment.is_like(&before);
    let mut again = environment.clone();
    round.still = (0..TIMES).all(|_| {
        calls.iter().zip(&round.answers).all(|(call, first)| same_but_digits(&again.call(call).text, first))
            && again.is_like(environment)
    });
    batch
}

/// How often a call is tried again before it counts as standing still.
const TIMES: u32 = 6;

/// Equal except for hexadecimal digits: clocks, counters and ids.
fn same_but_digits(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| text.bytes().filter(|byte| !byte.is_ascii_hexdigit()));
    one.eq(other)
}

/// A guard that never speaks.
#[derive(Debug)]
struct Silent;

impl Guard for Silent {
    fn name(&self) -> &'static str {
        "silent"
    }

    fn observe(&mut self, _: &Entry) {}
}
