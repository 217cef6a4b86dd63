//! A trial in progress: a scripted actor in the model's place.

use std::sync::Arc;

use balk_guards::{AttemptCause, Effect, Entry, Guard, ToolCall};
use balk_scenarios::scenario::StateId;
use balk_scenarios::{Act, Actor, Broken, Stage, Truth, World};

use super::broken::{facts, refused};
use super::host::{Due, Host};
use super::person::Person;
use super::truth_channel::TruthChannel;

/// Facts about a turn that no guard sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    /// The index of its completion in the transcript.
    pub entry: usize,
    /// The actor's state; a live model has none.
    pub state: Option<StateId>,
    /// What was really going on.
    pub truth: Truth,
    /// Whether the model honestly told the user that the task is not done.
    pub tells_user: bool,
    /// Attempts that failed before the completion.
    pub failed_attempts: u32,
    /// Bytes of the view that the completion answers.
    pub view_bytes: u64,
}

/// Facts about a failed attempt that no guard sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedFacts {
    /// Its index in the transcript.
    pub entry: usize,
    /// What was really going on.
    pub truth: Truth,
    /// Whether something ran in it, seen or unseen, that may have changed something.
    pub unsafe_effect: bool,
}

/// A run whose model is the actor of its scenario.
pub(super) struct Running<'t> {
    world: Arc<World>,
    channel: &'t TruthChannel,
    pub(super) host: Host<'t>,
    actor: Actor,
    pub(super) turns: Vec<TurnFacts>,
    pub(super) failed: Vec<FailedFacts>,
    /// The tick from which the provider answers again.
    refused_until: u64,
}

impl<'t> Running<'t> {
    pub(super) fn new(
        world: &Arc<World>,
        guard: &'t mut dyn Guard,
        channel: &'t TruthChannel,
        person: &'t mut dyn Person,
        see: &'t mut dyn FnMut(&Entry),
    ) -> Self {
        Self {
            world: world.clone(),
            channel,
            host: Host::new(world, MODEL, guard, person, see),
            actor: Actor::new(world),
            turns: Vec::with_capacity(SHORT_RUN),
            failed: Vec::new(),
            refused_until: 0,
        }
    }

    /// Plays the run to its end.
    pub(super) fn play(&mut self) {
        loop {
            let due = self.host.next();
            if let Some(failed) = self.failed.last_mut() {
                failed.unsafe_effect |= self.host.broke_unsafely();
            }
            match due {
                Due::Completion { asked } => self.answer(asked),
                Due::Summary => {
                    self.actor.catch_up(self.host.view().messages());
                    let summary = self.actor.summarise();
                    self.host.summarises(summary.into());
                }
                Due::Over => return,
            }
        }
    }

    fn answer(&mut self, asked: u32) {
        self.actor.catch_up(self.host.view().messages());
        let mut act = self.actor.act(asked);
        let now = self.host.environment().now();
        if now < self.refused_until {
            act = refused(act, self.refused_until - now);
        } else if let Some(AttemptCause::Status { retry_after: Some(after), .. }) =
            act.broken.as_ref().map(|it| it.cause)
        {
            self.refused_until = now + after;
        }
        let unseen = self.run_by_provider(&act);
        self.channel.tell(act.truth, unseen && act.broken.is_some());
        let completion = act.completion(self.world.offer());
        match &act.broken {
            None if completion.is_empty() => self.fails(act.truth, unseen),
            None => self.completes(&act),
            Some(broken) => return self.breaks(&act, broken, unseen),
        }
        self.host.completed(completion);
        act.spoken.iter().for_each(|it| self.host.hears(it));
    }

    /// Runs the calls that the provider runs itself; returns whether they may have changed something.
    fn run_by_provider(&mut self, act: &Act) -> bool {
        let mut unsafe_effect = false;
        for raw in &act.ran_by_provider {
            let call = ToolCall::new(raw.clone(), self.world.offer());
            unsafe_effect |= call.effect != Effect::ReadOnly;
            self.host.environment_mut().call(&call);
        }
        unsafe_effect
    }

    /// Breaks an attempt. Calls that had begun to run are run.
    fn breaks(&mut self, act: &Act, broken: &Broken, unseen: bool) {
        let completion = act.completion(self.world.offer());
        let facts = facts(broken, completion.has_text());
        if broken.at < Stage::Running || act.calls.is_empty() {
            self.fails(act.truth, unseen);
            self.host.broke(broken.cause, broken.message.clone(), facts);
        } else {
            self.completes(act);
            self.fails(act.truth, unseen);
            let broke = (broken.cause, broken.message.clone(), facts);
            self.host.broke_while_running(completion, broken.at, broke);
        }
    }

    fn completes(&mut self, act: &Act) {
        self.turns.push(TurnFacts {
            entry: self.host.transcript().len(),
            state: Some(act.state),
            truth: act.truth,
            tells_user: act.tells_user,
            failed_attempts: self.host.attempts_before(),
            view_bytes: self.host.view_bytes(),
        });
    }

    fn fails(&mut self, truth: Truth, unsafe_effect: bool) {
        self.failed.push(FailedFacts { entry: 0, truth, unsafe_effect });
    }
}

/// The number of turns that most runs do not exceed; their list is allocated once.
const SHORT_RUN: usize = 32;

/// The scripted model's name.
const MODEL: &str = "balk-actor";
