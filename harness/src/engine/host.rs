//! The world's side of a run: the host of a [`Run`] whose tools and user are those of a scenario. What answers as the
//! model comes from outside.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, AttemptFacts, Batch, Compaction, Completion, Effect, Entry, Guard, Intervention,
    InterventionKind, Protocol, Run, Speaker, Start, Status, Step, Termination, ToolCall, ToolResult,
    UserMessage, View, Wait,
};
use balk_scenarios::scenario::{Bound, Role};
use balk_scenarios::{Environment, Executed, News, Spoken, Stage, User, World};

use super::person::Person;

/// The world's side of a run.
pub(crate) struct Host<'t> {
    world: Arc<World>,
    person: &'t mut dyn Person,
    see: &'t mut dyn FnMut(&Entry),
    run: Run<&'t mut dyn Guard>,
    environment: Environment,
    user: User,
    news: News,
    /// Whether calls ran since the model was last asked.
    calls_ran: bool,
    /// Turns taken.
    turns: usize,
    /// How many turns were taken when the loop last summarised.
    summarised: usize,
    view_bytes: u64,
    /// Attempts since the last completion.
    attempts: u32,
    /// Attempts that failed.
    failed: u32,
    breaking: Option<Breaking>,
    /// What the user says next in place of the scenario's words.
    says: Option<Arc<str>>,
    /// What the model said in place of a call in its last message, and what came of it.
    spoken: Vec<(Role, Executed)>,
}

/// A broken attempt whose calls are running.
#[derive(Clone, Copy, Debug)]
struct Breaking {
    /// How far it got.
    at: Stage,
    /// Whether a call in it may have changed something.
    unsafe_effect: bool,
}

/// What the model, or the actor in its place, has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Answer [`Host::view`]. This exact view is shown for the `asked`th time.
    Completion { asked: u32 },
    /// Say what replaces the messages so far.
    Summary,
    /// Nothing: the run has ended.
    Over,
}

impl<'t> Host<'t> {
    /// A run of `model` in this world.
    pub(crate) fn new(
        world: &Arc<World>,
        model: &str,
        guard: &'t mut dyn Guard,
        person: &'t mut dyn Person,
        see: &'t mut dyn FnMut(&Entry),
    ) -> Self {
        let user = User::new(world);
        let start = Start { model: model.into(), protocol: world.protocol(), offer: world.offer().clone() };
        Self {
            world: world.clone(),
            person,
            see,
            run: Run::new(guard, start, user.opening(), world.limits()),
            environment: Environment::new(world),
            user,
            news: News::new(world),
            calls_ran: false,
            turns: 0,
            summarised: 0,
            view_bytes: 0,
            attempts: 0,
            failed: 0,
            breaking: None,
            says: None,
            spoken: Vec::new(),
        }
    }

    /// The same point of the run, in the hands of another guard, which has seen everything so far. The model is due.
    pub(crate) fn fork<'s>(
        &self,
        guard: &'s mut dyn Guard,
        person: &'s mut dyn Person,
        see: &'s mut dyn FnMut(&Entry),
    ) -> Host<'s> {
        let run = Run::resume(guard, self.transcript().to_vec(), self.world.limits());
        Host {
            world: self.world.clone(),
            person,
            see,
            run: run.expect("every transcript begins with its start"),
            environment: self.environment.clone(),
            user: self.user.clone(),
            news: self.news.clone(),
            calls_ran: self.calls_ran,
            turns: self.turns,
            summarised: self.summarised,
            view_bytes: self.view_bytes,
            attempts: self.attempts,
            failed: self.failed,
            breaking: None,
            says: None,
            spoken: self.spoken.clone(),
        }
    }

    /// The user says this next, in place of the scenario's words.
    pub(crate) fn says(&mut self, text: &str) {
        self.says = Some(text.into());
    }

    /// Executes the steps of the run until the model's side is due.
    pub(crate) fn next(&mut self) -> Due {
        loop {
            self.look();
            match self.run.step() {
                Step::Model { asked } => {
                    if let Some(text) = self.says.take() {
                        self.run.said(UserMessage { from: Speaker::User, text });
                        continue;
                    }
                    if self.attempts == 0 {
                        if self.news_came() {
                            continue;
                        }
                        if self.is_summary_due() {
                            return Due::Summary;
                        }
                    }
                    self.attempts += 1;
                    return Due::Completion { asked };
                }
                Step::Tools { calls, attempt } => self.run_tools(&calls, attempt),
                Step::User(question) => match self.person.answer(&question) {
                    Some((answer, sets)) => {
                        self.run.answered(answer);
                        self.environment.set(&sets);
                    }
                    None => self.run.unanswered(),
                },
                Step::Wait(span) => {
                    let ticks = self.drawn(span);
                    self.environment.pass(ticks);
                    self.run.waited(ticks);
                }
                Step::Reply => self.reply(),
                Step::Ended(_) => return Due::Over,
            }
        }
    }

    /// What the model is shown.
    pub(crate) fn view(&self) -> &View {
        self.run.view()
    }

    /// Everything that was committed so far.
    pub(crate) fn transcript(&self) -> &[Entry] {
        self.run.transcript()
    }

    /// The world, as it is now.
    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The world, to be changed from outside of the run.
    pub(crate) fn environment_mut(&mut self) -> &mut Environment {
        &mut self.environment
    }

    /// Attempts that failed since the last completion.
    pub(crate) fn attempts_before(&self) -> u32 {
        self.attempts - 1
    }

    /// Bytes of the view, about.
    pub(crate) fn view_bytes(&self) -> u64 {
        self.view_bytes
    }

    /// The model answered. An answer with nothing in it is a failed attempt.
    pub(crate) fn completed(&mut self, completion: Completion) {
        self.breaking = None;
        if completion.is_empty() {
            self.failed += 1;
        } else {
            self.turn_taken();
        }
        self.run.completed(completion);
    }

    /// The answer that was completed last does this in words.
    pub(crate) fn hears(&mut self, spoken: &Spoken) {
        let executed = self.environment.hear(spoken);
        self.spoken.push((spoken.role, executed));
    }

    /// The attempt failed before a call ran.
    pub(crate) fn broke(&mut self, cause: AttemptCause, message: Arc<str>, facts: AttemptFacts) {
        self.breaking = None;
        self.failed += 1;
        self.run.failed(cause, message, facts);
    }

    /// The attempt failed while the calls of this completion ran.
    pub(crate) fn broke_while_running(
        &mut self,
        completion: Completion,
        at: Stage,
        (cause, message, facts): (AttemptCause, Arc<str>, AttemptFacts),
    ) {
        self.turn_taken();
        self.failed += 1;
        self.breaking = Some(Breaking { at, unsafe_effect: false });
        self.run.interrupted(completion, cause, message, facts);
    }

    /// Whether a call of the attempt that broke last may have changed something.
    pub(crate) fn broke_unsafely(&self) -> bool {
        self.breaking.is_some_and(|it| it.unsafe_effect)
    }

    /// The loop replaces the messages so far by this summary.
    pub(crate) fn summarises(&mut self, summary: Arc<str>) {
        self.summarised = self.turns;
        self.view_bytes = 0;
        self.run.compacted(Compaction { summary });
    }

    /// The model cannot go on.
    pub(crate) fn ends(&mut self, end: Termination) {
        self.run.end(end);
    }

    /// The transcript, and the world as it is in the end.
    pub(crate) fn into_parts(self) -> (Vec<Entry>, Environment) {
        (self.run.into_transcript(), self.environment)
    }

    fn turn_taken(&mut self) {
        self.turns += 1;
        self.attempts = 0;
        self.calls_ran = false;
        self.spoken.clear();
    }

    /// Commits a message that comes between two turns, if one does.
    fn news_came(&mut self) -> bool {
        let message = self.news.next(self.turns, self.calls_ran, &mut self.environment);
        let came = message.is_some();
        message.into_iter().for_each(|it| self.run.said(it));
        came
    }

    fn is_summary_due(&self) -> bool {
        let Some(spec) = &self.world.scenario().compaction else { return false };
        let taken = u64::try_from(self.turns - self.summarised).unwrap_or(u64::MAX);
        let due =
            |bound: Option<Bound>, count| bound.is_some_and(|it| count >= u64::from(self.world.number(it)));
        taken > 0 && (due(spec.turns, taken) || due(spec.tokens, self.view_bytes / BYTES_PER_TOKEN))
    }

    /// Reads the entries that were committed.
    fn look(&mut self) {
        let news = self.run.news();
        for entry in news {
            self.view_bytes += bytes(entry);
            (self.see)(entry);
        }
    }

    fn run_tools(&mut self, calls: &[Arc<ToolCall>], attempt: u32) {
        let mut batch = Batch::default();
        self.calls_ran = true;
        for call in calls {
            let answer = self.environment.call(call);
            let result = match &mut self.breaking {
                Some(Breaking { at, unsafe_effect }) if attempt == 1 => {
                    *unsafe_effect |= call.effect != Effect::ReadOnly;
                    broken_off(call, *at, answer.status, answer.text)
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
        self.world.wait(self.failed.saturating_sub(1), wait)
    }

    /// Answers a completion without a call: the user speaks or leaves, or the loop sends its prompt.
    fn reply(&mut self) {
        if let Some(text) = self.says.take() {
            return self.run.said(UserMessage { from: Speaker::User, text });
        }
        let spoken = std::mem::take(&mut self.spoken);
        // A message that ends the task ends the run, even if the environment refuses it.
        if spoken.iter().any(|(role, _)| *role == Role::Finish) {
            return self.run.end(Termination::Finished);
        }
        if let Some((_, answer)) = spoken.into_iter().next() {
            return self.run.said(UserMessage { from: Speaker::User, text: answer.text.into() });
        }
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
