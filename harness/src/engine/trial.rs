//! One trial: the loop around turns, its bounds, and what came of it.

use std::sync::Arc;

use balk_guards::{
    AttemptCause, AttemptFailure, Completion, Entry, Guard, GuardFault, Intervention, InterventionKind,
    Limit, Speaker, Start, Termination, Transcript, UserMessage, View,
};
use balk_scenarios::{Act, Actor, Environment, Truth, User, World};

use super::broken::{Salvaged, failure, refused};

use super::oracle::Whisper;
use super::person::Person;

/// Everything that happened in one trial, and what was really going on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The transcript, from start to end.
    pub entries: Transcript,
    /// One for each turn, in order.
    pub turns: Vec<TurnFacts>,
    /// One for each failed attempt, in order.
    pub failed: Vec<FailedFacts>,
    /// Whether the goal holds in the end.
    pub goal: bool,
    /// How often something was done again in the world that was to be done once.
    pub double_effects: u32,
    /// Ticks gone by.
    pub ticks: u64,
}

/// What no guard sees of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    /// Where its completion stands in the transcript.
    pub entry: usize,
    /// What was really going on.
    pub truth: Truth,
    /// Whether the model honestly told the user that the task is not done.
    pub tells_user: bool,
    /// Attempts that failed before it came.
    pub failed_attempts: u32,
    /// Bytes of the view that it answers.
    pub view_bytes: u64,
}

/// What no guard sees of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailedFacts {
    /// Where it stands in the transcript.
    pub entry: usize,
    /// What was really going on.
    pub truth: Truth,
    /// Whether something ran in it, seen or not, that is not known to change nothing.
    pub unsafe_effect: bool,
}

/// Runs one trial to its end. The oracle, where there is one, hears the truth by the whisper.
pub fn run(world: &World<'_>, guard: &mut dyn Guard, whisper: &Whisper) -> Trial {
    let mut scripted = User::new(world);
    run_with(world, guard, whisper, &mut scripted)
}

/// The same, with somebody else to answer the guards' questions.
pub fn run_with<'a>(
    world: &World<'a>,
    guard: &mut dyn Guard,
    whisper: &Whisper,
    person: &mut dyn Person<'a>,
) -> Trial {
    let mut running = Running::new(world, guard, whisper, person);
    let termination = loop {
        let ended = running.turn().and_then(|end| match end {
            Some(end) => running.conclude(end),
            None => Ok(None),
        });
        match ended {
            Ok(None) => {}
            Ok(Some(end)) => break end,
            Err(fault) => break Termination::GuardFault(fault.to_string().into()),
        }
    };
    running.commit(Entry::End(termination));
    let goal = running.environment.goal();
    Trial {
        double_effects: running.environment.double_effects(),
        entries: running.entries,
        turns: running.turns,
        failed: running.failed,
        goal,
        ticks: running.ticks,
    }
}

/// A trial under way. Only [`commit`](Running::commit) touches the transcript.
pub(super) struct Running<'t, 'w, 'a> {
    pub(super) person: &'t mut dyn Person<'a>,
    pub(super) world: &'w World<'a>,
    pub(super) guard: &'t mut dyn Guard,
    pub(super) whisper: &'t Whisper,
    pub(super) actor: Actor<'w, 'a>,
    pub(super) environment: Environment<'w, 'a>,
    pub(super) user: User<'w, 'a>,
    pub(super) view: View,
    pub(super) view_bytes: u64,
    pub(super) entries: Transcript,
    pub(super) turns: Vec<TurnFacts>,
    pub(super) failed: Vec<FailedFacts>,
    pub(super) ticks: u64,
    /// When the provider will answer again.
    pub(super) refused_until: u64,
    pub(super) spent: Spent,
}

/// What the bounds count.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) calls: u32,
    pub(super) interventions: u32,
    pub(super) questions: u32,
}

impl<'t, 'w, 'a> Running<'t, 'w, 'a> {
    fn new(
        world: &'w World<'a>,
        guard: &'t mut dyn Guard,
        whisper: &'t Whisper,
        person: &'t mut dyn Person<'a>,
    ) -> Self {
        let user = User::new(world);
        let opening = user.opening();
        let mut running = Self {
            person,
            world,
            guard,
            whisper,
            actor: Actor::new(world),
            environment: Environment::new(world),
            user,
            view: View::default(),
            view_bytes: 0,
            entries: Vec::with_capacity(SHORT_RUN),
            turns: Vec::with_capacity(SHORT_RUN),
            failed: Vec::new(),
            ticks: 0,
            refused_until: 0,
            spent: Spent::default(),
        };
        running.commit(Entry::Start(Start {
            model: MODEL.into(),
            protocol: world.scenario().protocol,
            offer: world.offer().clone(),
        }));
        running.commit(Entry::User(UserMessage { from: Speaker::User, text: opening }));
        running
    }

    /// Takes an entry into the transcript, the view and every guard, in this order and once.
    pub(super) fn commit(&mut self, entry: Entry) {
        self.view.push(&entry);
        self.view_bytes += bytes(&entry);
        self.guard.observe(&entry);
        self.entries.push(entry);
    }

    pub(super) fn commit_intervention(&mut self, intervention: Intervention) {
        self.spent.interventions += 1;
        if matches!(intervention.kind, InterventionKind::Question(_)) {
            self.spent.questions += 1;
        }
        self.commit(Entry::Intervention(intervention));
    }

    /// The bound that is reached, if one is.
    pub(super) fn limit(&self) -> Option<Termination> {
        let limits = self.world.scenario().limits;
        let turns = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        [
            (turns, limits.turns, Limit::Turns),
            (self.spent.calls, limits.calls, Limit::Calls),
            (self.spent.interventions, limits.interventions, Limit::Interventions),
        ]
        .into_iter()
        .find(|(spent, limit, _)| spent >= limit)
        .map(|(_, _, limit)| Termination::Limit(limit))
    }

    /// One accepted completion of this view, or what came of the attempts at one.
    pub(super) fn attempt(&mut self) -> Result<Attempted, GuardFault> {
        let mut attempt = 0;
        // The model is told how often it was asked this very thing: a question to the user changes the view.
        let (mut same, mut seen) = (0, self.view.messages().len());
        loop {
            attempt += 1;
            let messages = self.view.messages();
            same = if messages.len() == seen { same + 1 } else { 1 };
            seen = messages.len();
            let mut act = self.actor.act(messages, same);
            if self.ticks < self.refused_until {
                act = refused(act, self.refused_until - self.ticks);
            } else if let Some(AttemptCause::Status { retry_after: Some(after), .. }) =
                act.broken.as_ref().map(|it| it.cause)
            {
                self.refused_until = self.ticks + after;
            }
            let unseen = self.run_by_provider(&act);
            self.whisper.tell(act.truth, unseen && act.broken.is_some());
            let completion = act.completion(self.world.offer());
            let failure = match &act.broken {
                None if !completion.is_empty() => {
                    let completion = Arc::new(completion);
                    self.commit_completion(&completion, &act, attempt);
                    return Ok(Attempted::Whole(completion));
                }
                None => AttemptFailure::empty(attempt),
                Some(broken) => {
                    let salvaged = self.salvage(&act, broken, attempt)?;
                    let ran = salvaged.as_ref().map_or(&[][..], |it| &it.ran);
                    let failure = failure(attempt, broken, completion.has_text(), ran);
                    if let Some(Salvaged { end, .. }) = salvaged {
                        if let Some(end) = end {
                            return Ok(Attempted::Ended(end));
                        }
                        let unsafe_effect = unseen || failure.facts.unsafe_side_effect_started == Some(true);
                        return Ok(match self.failed_attempt(failure, act.truth, unsafe_effect)? {
                            Some(end) => Attempted::Ended(end),
                            None => Attempted::Broken,
                        });
                    }
                    failure
                }
            };
            if let Some(end) = self.failed_attempt(failure, act.truth, unseen)? {
                return Ok(Attempted::Ended(end));
            }
        }
    }

    pub(super) fn commit_completion(&mut self, completion: &Arc<Completion>, act: &Act, attempt: u32) {
        self.turns.push(TurnFacts {
            entry: self.entries.len(),
            truth: act.truth,
            tells_user: act.tells_user,
            failed_attempts: attempt - 1,
            view_bytes: self.view_bytes,
        });
        self.commit(Entry::Completion(completion.clone()));
    }
}

/// What came of the attempts at one turn.
pub(super) enum Attempted {
    /// A completion.
    Whole(Arc<Completion>),
    /// The connection broke after calls had run: they are committed, and the model is to be asked anew.
    Broken,
    /// The run ends.
    Ended(Termination),
}

/// Entries, and turns, that most runs do not have more of: their lists are made once.
const SHORT_RUN: usize = 32;

/// The scripted model's name.
const MODEL: &str = "balk-actor";

/// Bytes that an entry adds to the view, near enough for an estimate of tokens.
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
