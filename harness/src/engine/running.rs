//! A trial in progress: the host of a [`Run`] whose model, tools and user are those of a scenario.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, Batch, Compaction, Effect, Entry, Guard, Intervention, InterventionKind, Protocol, Run,
    Speaker, Start, Status, Step, Termination, ToolCall, ToolResult, UserMessage, Wait,
};
use balk_scenarios::scenario::{Bound, StateId};
use balk_scenarios::{Act, Actor, Broken, Environment, News, Stage, Truth, User, World};

use super::broken::{facts, refused};
use super::person::Person;
use super::truth_channel::TruthChannel;

/// Facts about a turn that no guard sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    /// The index of its completion in the transcript.
    pub entry: usize,
    /// The actor's state.
    pub state: StateId,
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

/// The environment of a run.
pub(super) struct Running<'t, 'w, 'a> {
    world: &'w World<'a>,
    channel: &'t TruthChannel,
    person: &'t mut dyn Person<'a>,
    see: &'t mut dyn FnMut(&Entry),
    pub(super) run: Run<&'t mut dyn Guard>,
    actor: Actor<'w, 'a>,
    pub(super) environment: Environment<'w, 'a>,
    user: User<'w, 'a>,
    news: News<'w, 'a>,
    /// Whether calls ran since the model was last asked.
    calls_ran: bool,
    /// How many turns were taken when the loop last summarised.
    summarised: usize,
    pub(super) turns: Vec<TurnFacts>,
    pub(super) failed: Vec<FailedFacts>,
    view_bytes: u64,
    /// Attempts since the last completion.
    attempts: u32,
    /// How far the broken attempt got whose calls are running.
    breaking: Option<Stage>,
    /// The tick from which the provider answers again.
    refused_until: u64,
}

impl<'t, 'w, 'a> Running<'t, 'w, 'a> {
    pub(super) fn new(
        world: &'w World<'a>,
        guard: &'t mut dyn Guard,
        channel: &'t TruthChannel,
        person: &'t mut dyn Person<'a>,
        see: &'t mut dyn FnMut(&Entry),
    ) -> Self {
        let user = User::new(world);
        let scenario = world.scenario();
        let start = Start { model: MODEL.into(), protocol: scenario.protocol, offer: world.offer().clone() };
        Self {
            world,
            channel,
            person,
            see,
            run: Run::new(guard, start, user.opening(), scenario.limits),
            actor: Actor::new(world),
            environment: Environment::new(world),
            user,
            news: News::new(world),
            calls_ran: false,
            summarised: 0,
            turns: Vec::with_capacity(SHORT_RUN),
            failed: Vec::new(),
            view_bytes: 0,
            attempts: 0,
            breaking: None,
            refused_until: 0,
        }
    }

    /// Executes the steps of the run, to its end.
    pub(super) fn play(&mut self) {
        loop {
            self.look();
            match self.run.step() {
                Step::Model { .. } if self.attempts == 0 && self.comes_between() => {}
                Step::Model { asked } => self.ask_model(asked),
                Step::Tools { calls, attempt } => self.run_tools(&calls, attempt),
                Step::User(question) => match self.person.answer(&question) {
                    Some((answer, sets)) => {
                        self.run.answered(answer);
                        self.environment.set(sets);
                    }
                    None => self.run.unanswered(),
                },
                Step::Wait(span) => {
                    let ticks = self.drawn(span);
                    self.environment.pass(ticks);
                    self.run.waited(ticks);
                }
                Step::Reply => self.reply(),
                Step::Ended(_) => return,
            }
        }
    }

    /// Commits what comes between two turns: a message, or a summary. Returns whether something came.
    fn comes_between(&mut self) -> bool {
        if let Some(message) = self.news.next(self.turns.len(), self.calls_ran, &mut self.environment) {
            self.run.said(message);
            return true;
        }
        let Some(spec) = &self.world.scenario().compaction else { return false };
        let taken = u64::try_from(self.turns.len() - self.summarised).unwrap_or(u64::MAX);
        let due =
            |bound: Option<Bound>, count| bound.is_some_and(|it| count >= u64::from(self.world.number(it)));
        if taken == 0 || !(due(spec.turns, taken) || due(spec.tokens, self.view_bytes / BYTES_PER_TOKEN)) {
            return false;
        }
        self.summarised = self.turns.len();
        self.view_bytes = 0;
        let summary = self.actor.summarise(self.run.view().messages()).into();
        self.run.compacted(Compaction { summary });
        true
    }

    /// Reads the entries that were committed.
    fn look(&mut self) {
        let news = self.run.news();
        for entry in news {
            self.view_bytes += bytes(entry);
            (self.see)(entry);
        }
    }

    fn ask_model(&mut self, asked: u32) {
        self.attempts += 1;
        self.breaking = None;
        let mut act = self.actor.act(self.run.view().messages(), asked);
        let now = self.environment.now();
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
        self.run.completed(completion);
    }

    /// Runs the calls that the provider runs itself; returns whether they may have changed something.
    fn run_by_provider(&mut self, act: &Act) -> bool {
        let mut unsafe_effect = false;
        for raw in &act.ran_by_provider {
            let call = ToolCall::new(raw.clone(), self.world.offer());
            unsafe_effect |= call.effect != Effect::ReadOnly;
            self.environment.call(&call);
        }
        unsafe_effect
    }

    /// Breaks an attempt. Calls that had begun to run are run.
    fn breaks(&mut self, act: &Act, broken: &Broken, unseen: bool) {
        let completion = act.completion(self.world.offer());
        let facts = facts(broken, completion.has_text());
        if broken.at < Stage::Running || act.calls.is_empty() {
            self.fails(act.truth, unseen);
            self.run.failed(broken.cause, broken.message.clone(), facts);
        } else {
            self.completes(act);
            self.fails(act.truth, unseen);
            self.breaking = Some(broken.at);
            self.run.interrupted(completion, broken.cause, broken.message.clone(), facts);
        }
    }

    fn completes(&mut self, act: &Act) {
        self.turns.push(TurnFacts {
            entry: self.run.transcript().len(),
            state: act.state,
            truth: act.truth,
            tells_user: act.tells_user,
            failed_attempts: self.attempts - 1,
            view_bytes: self.view_bytes,
        });
        self.attempts = 0;
        self.calls_ran = false;
    }

    fn fails(&mut self, truth: Truth, unsafe_effect: bool) {
        self.failed.push(FailedFacts { entry: 0, truth, unsafe_effect });
    }

    fn run_tools(&mut self, calls: &[Arc<ToolCall>], attempt: u32) {
        let mut batch = Batch::default();
        self.calls_ran = true;
        for call in calls {
            let answer = self.environment.call(call);
            let result = match self.breaking {
                Some(at) if attempt == 1 => {
                    if let Some(failed) = self.failed.last_mut() {
                        failed.unsafe_effect |= call.effect != Effect::ReadOnly;
                    }
                    broken_off(call, at, answer.status, answer.text)
                }
                Some(_) | None => {
                    let result = ToolResult::executed(call, answer.status, answer.text);
                    batch.finished |= answer.finishes;
                    if answer.fatal && batch.fatal.is_none() {
                        batch.fatal = Some(result.text.text().clone());
                    }
                    result
                }
            };
            batch.results.push(result);
        }
        self.run.executed(batch);
    }

    /// The length of this wait, by the number of the failed attempt before it.
    fn drawn(&self, wait: Wait) -> u64 {
        let waits = u32::try_from(self.failed.len().saturating_sub(1)).unwrap_or(u32::MAX);
        self.world.wait(waits, wait)
    }

    /// Answers a completion without a call: the user speaks or leaves, or the loop sends its prompt.
    fn reply(&mut self) {
        let (from, text) = match self.run.protocol() {
            Protocol::Tool => (Speaker::Loop, self.world.prompt().clone()),
            Protocol::Text => {
                let is_read = !self.world.scenario().user.rules.is_empty();
                let mut entries = self.run.transcript().iter().rev().filter(|_| is_read);
                let said = entries.find_map(message).unwrap_or_default();
                match self.user.reply(&said, &mut self.environment) {
                    Some(text) => (Speaker::User, text),
                    None if self.environment.goal() => return self.run.end(Termination::Finished),
                    None => return self.run.end(Termination::StoppedByUser),
                }
            }
        };
        self.run.said(UserMessage { from, text });
    }
}

/// What the model said, if this is what it said.
fn message(entry: &Entry) -> Option<String> {
    match entry {
        Entry::Completion(completion) => Some(completion.texts().map(|text| &**text).collect()),
        Entry::Intervention(Intervention { kind: InterventionKind::Repair(completion), .. }) => {
            Some(completion.texts().map(|text| &**text).collect())
        }
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Intervention(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => None,
    }
}

/// What is known about a call that ran while the connection broke.
fn broken_off(call: &Arc<ToolCall>, at: Stage, status: Status, text: String) -> ToolResult {
    if at == Stage::Ran { ToolResult::executed(call, status, text) } else { ToolResult::lost(call) }
}

/// An estimate.
const BYTES_PER_TOKEN: u64 = 4;

/// The number of turns that most runs do not exceed; their list is allocated once.
const SHORT_RUN: usize = 32;

/// The scripted model's name.
const MODEL: &str = "balk-actor";

/// Bytes that an entry adds to the view; close enough for an estimate of tokens.
fn bytes(entry: &Entry) -> u64 {
    let bytes = match entry {
        Entry::User(message) => message.text.len(),
        Entry::Completion(completion) => {
            completion.texts().map(|text| text.len()).sum::<usize>()
                + completion.calls.iter().map(|call| call.tool.len() + call.arguments.len()).sum::<usize>()
        }
        Entry::Result(result) => result.text.len(),
        Entry::Intervention(it) => it.message().map_or(0, |text| text.len()),
        Entry::Answer(answer) => answer.text.len(),
        Entry::Compaction(compaction) => compaction.summary.len(),
        Entry::Start(_) | Entry::Failed(_) | Entry::Tried(_) | Entry::Conclusion(_) | Entry::End(_) => 0,
    };
    u64::try_from(bytes).unwrap_or(u64::MAX)
}
