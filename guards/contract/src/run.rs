//! `Run`: the loop without IO.
//!
//! A run owns the protocol between a loop and its guards. It gives the host one [`Step`] at a time and takes back the
//! outcome. It commits every entry once, in order, so a host cannot forget one of the five duties: show guards every
//! entry, and ask them about completions, results, failed attempts and ends.
//!
//! | step | what the host does | what it gives back |
//! |---|---|---|
//! | [`Step::Model`] | sends [`Run::view`] to the model | [`completed`](Run::completed), [`failed`](Run::failed), or [`interrupted`](Run::interrupted) if calls ran in an attempt that broke |
//! | [`Step::Tools`] | runs these calls, in order | [`executed`](Run::executed) |
//! | [`Step::User`] | asks the user | [`answered`](Run::answered), or [`unanswered`](Run::unanswered) |
//! | [`Step::Wait`] | waits | [`waited`](Run::waited) |
//! | [`Step::Reply`] | lets the user (or the loop itself) speak, or ends the run | [`said`](Run::said), or [`end`](Run::end) |
//! | [`Step::Ended`] | stops | – |
//!
//! Before it asks the model, a host may also commit a message that came unasked ([`said`](Run::said)): a user who
//! spoke while calls ran, or a notification.
//!
//! If a host gives back something else, the run ends with a guard fault that says what was due and what came.
//! [`Run::news`] returns everything committed since its last call: for a recorder, and for notices to the user.
//!
//! **A host that rewrites its history.** If the host replaces old messages by a summary, it commits that with
//! [`Run::compacted`]: the view then begins with the summary, and guards forget what the model can no longer see. If
//! it edits or removes messages, or goes back to an earlier point, it takes the changed transcript
//! ([`Run::transcript`] up to that point) and begins again with [`Run::resume`]: new guards fold the rest, so their
//! state is as if the removed part had never happened.
//!
//! **Sub-agents.** Each agent with its own messages has its own run and its own guards. To the parent, a sub-agent is
//! a tool: its answer is the result of the call that started it. The parent's guards see that call and that result,
//! and nothing inside. Declare its effect by what it may do, not by what it did.

use std::sync::Arc;

use crate::attempt::Wait;
use crate::completion::ToolCall;
use crate::entry::{
    Compaction, Entry, Intervention, InterventionKind, Protocol, Speaker, Start, ToolResult, Transcript,
    UserMessage,
};
use crate::guard::{Guard, GuardFault};
use crate::note::{Limit, Note, Question, Termination};
use crate::view::View;

use due::{Due, Turn};

mod attempts;
mod due;
mod endings;
mod resumed;
mod turns;

pub use endings::conclusion;
pub use turns::{Repairs, watched};

/// How often one call may run in one turn, whatever the guards want.
pub const TRIES: u32 = 5;

/// A run of an agent, step by step.
#[derive(Debug)]
pub struct Run<G> {
    guard: G,
    limits: Limits,
    protocol: Protocol,
    transcript: Transcript,
    /// How many entries of the transcript the host has seen.
    seen: usize,
    view: View,
    spent: Spent,
    /// What the host has to do.
    due: Due,
    /// The turn under way, between its completion and the next one.
    turn: Option<Turn>,
    /// Attempts at the current completion.
    attempt: u32,
    /// How often the model was asked with exactly this view, and how many messages the view has.
    asked: (u32, usize),
}

/// What a host has to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send [`Run::view`] to the model.
    Model {
        /// How often this exact view will have been sent, from 1. Above 1, the model is asked again with nothing new.
        asked: u32,
    },
    /// Run these calls, in this order.
    Tools {
        /// The calls: those of the last completion that no guard refused, or one of them again.
        calls: Vec<Arc<ToolCall>>,
        /// Which try it is, from 1; above 1, a guard wants the call to run again.
        attempt: u32,
    },
    /// Put this question to the user.
    User(Question),
    /// Wait for a number of ticks (ms) from this range.
    Wait(Wait),
    /// The model sent no call, and no guard objects: the user speaks or leaves. If only a tool can end the task
    /// ([`Protocol::Tool`]), the loop says so.
    Reply,
    /// The run has ended.
    Ended(Termination),
}

/// The bounds of a run. The run ends when one is reached; for questions and attempts, when one more is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Completions.
    pub turns: u32,
    /// Attempts at one completion.
    pub attempts: u32,
    /// Calls that run.
    pub calls: u32,
    /// Interventions.
    pub interventions: u32,
    /// Questions to the user.
    pub questions: u32,
}

impl Limits {
    /// No bounds except those of the guards.
    pub const NONE: Self = Self {
        turns: u32::MAX,
        attempts: u32::MAX,
        calls: u32::MAX,
        interventions: u32::MAX,
        questions: u32::MAX,
    };
}

/// The outcome of a batch of calls. A plain list of results is a batch that ends neither the task nor the run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// One result for each call, in the order of the step.
    pub results: Vec<ToolResult>,
    /// Whether one of the calls declared the task finished.
    pub finished: bool,
    /// Why the agent cannot continue, if it cannot.
    pub fatal: Option<Arc<str>>,
}

impl From<Vec<ToolResult>> for Batch {
    fn from(results: Vec<ToolResult>) -> Self {
        Self { results, ..Self::default() }
    }
}

impl FromIterator<ToolResult> for Batch {
    fn from_iter<I: IntoIterator<Item = ToolResult>>(results: I) -> Self {
        Vec::from_iter(results).into()
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    turns: u32,
    calls: u32,
    interventions: u32,
    questions: u32,
}

impl Spent {
    fn add_intervention(&mut self, kind: &InterventionKind) {
        self.interventions = self.interventions.saturating_add(1);
        let questions = u32::from(matches!(kind, InterventionKind::Question(_)));
        self.questions = self.questions.saturating_add(questions);
    }
}

impl<G: Guard> Run<G> {
    /// A new run: the user has given the task.
    #[must_use]
    pub fn new(guard: G, start: Start, task: impl Into<Arc<str>>, limits: Limits) -> Self {
        let mut run = Self::empty(guard, start.protocol, limits);
        run.commit(Entry::Start(start));
        run.commit(Entry::User(UserMessage { from: Speaker::User, text: task.into() }));
        run.next_turn();
        run
    }

    fn empty(guard: G, protocol: Protocol, limits: Limits) -> Self {
        Self {
            guard,
            limits,
            protocol,
            transcript: Vec::with_capacity(SHORT_RUN),
            seen: 0,
            view: View::default(),
            spent: Spent::default(),
            due: Due::Model,
            turn: None,
            attempt: 0,
            asked: (0, 0),
        }
    }

    /// What the host has to do next. It does not change until the host gives something back.
    #[must_use]
    pub fn step(&self) -> Step {
        match &self.due {
            Due::Model => Step::Model { asked: self.asked.0 },
            Due::Tools => self.turn.as_ref().map_or(Step::Reply, |turn| Step::Tools {
                calls: turn.calls_to_run(),
                attempt: turn.attempt,
            }),
            Due::Rerun { after, .. } => Step::Wait(Wait::exactly(*after)),
            Due::Resend { after, .. } => Step::Wait(*after),
            Due::Answer { question, .. } => Step::User(question.clone()),
            Due::Reply => Step::Reply,
            Due::Ended(end) => Step::Ended(end.clone()),
        }
    }

    /// What the model is sent.
    #[must_use]
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The guard, in its current state.
    #[must_use]
    pub fn guard(&self) -> &G {
        &self.guard
    }

    /// How a task ends in this run.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Everything that was committed.
    #[must_use]
    pub fn transcript(&self) -> &[Entry] {
        &self.transcript
    }

    /// Everything that was committed; consumes the run.
    #[must_use]
    pub fn into_transcript(self) -> Transcript {
        self.transcript
    }

    /// What was committed since the last call, in order.
    pub fn news(&mut self) -> &[Entry] {
        let from = std::mem::replace(&mut self.seen, self.transcript.len());
        &self.transcript[from..]
    }

    /// Takes what was committed since the last call. For a host that keeps the transcript itself: from now on the run
    /// has nothing of what was before.
    pub fn take_news(&mut self) -> Vec<Entry> {
        let seen = std::mem::take(&mut self.seen);
        let mut news = std::mem::take(&mut self.transcript);
        news.drain(..seen);
        news
    }

    /// The user (or the loop) speaks: in reply to a message without a call, or unasked before the model is.
    pub fn said(&mut self, message: UserMessage) {
        match self.due {
            Due::Reply => {
                self.commit(Entry::User(message));
                self.next_turn();
            }
            Due::Model => {
                self.commit(Entry::User(message));
                self.asked = (1, self.view.messages().len());
            }
            Due::Tools | Due::Rerun { .. } | Due::Resend { .. } | Due::Answer { .. } | Due::Ended(_) => {
                self.out_of_turn("a message of the user");
            }
        }
    }

    /// The host replaced the messages so far by a summary. It may do so whenever the model is due to be asked.
    pub fn compacted(&mut self, compaction: Compaction) {
        match self.due {
            Due::Model => {
                self.commit(Entry::Compaction(compaction));
                self.asked = (1, self.view.messages().len());
            }
            Due::Tools
            | Due::Rerun { .. }
            | Due::Resend { .. }
            | Due::Answer { .. }
            | Due::Reply
            | Due::Ended(_) => self.out_of_turn("a summary"),
        }
    }

    /// Adds an entry to the transcript and the view, and shows it to every guard, once.
    fn commit(&mut self, entry: Entry) {
        self.view.push(&entry);
        self.guard.observe(&entry);
        self.transcript.push(entry);
    }

    fn intervene(&mut self, intervention: Intervention) {
        self.spent.add_intervention(&intervention.kind);
        self.commit(Entry::Intervention(intervention));
    }

    fn tell(&mut self, kind: InterventionKind, note: Note) {
        self.intervene(Intervention { kind, note, seen: true });
    }

    fn no_question_left(&self) -> bool {
        self.spent.questions >= self.limits.questions
    }

    /// Begins the next turn, unless a bound is reached.
    fn next_turn(&mut self) {
        self.turn = None;
        let Limits { turns, calls, interventions, attempts: _, questions: _ } = self.limits;
        let reached = [
            (self.spent.turns, turns, Limit::Turns),
            (self.spent.calls, calls, Limit::Calls),
            (self.spent.interventions, interventions, Limit::Interventions),
        ]
        .into_iter()
        .find(|(spent, limit, _)| spent >= limit);
        match reached {
            Some((_, _, limit)) => self.close(Termination::Limit(limit)),
            None => {
                self.attempt = 0;
                self.asked = (1, self.view.messages().len());
                self.due = Due::Model;
            }
        }
    }

    /// Ends the run with a fault that says what was due.
    fn out_of_turn(&mut self, found: &str) {
        let expected = match (&self.due, &self.turn) {
            // Nothing can be added to a run that has ended.
            (Due::Ended(_), _) => return,
            (Due::Model, _) => "what came of asking the model",
            (Due::Tools, _) => "the results of the calls that are due",
            (Due::Rerun { .. } | Due::Resend { .. }, _) => "that the host has waited",
            (Due::Answer { .. }, _) => "the user's answer to a question",
            (Due::Reply, _) => "a message of the user, or the end of the run",
        };
        self.broke(fault(format!("expected {expected}, found {found}")));
    }

    /// A guard, or the host, broke the contract: the run ends, and nothing more is asked.
    fn broke(&mut self, fault: GuardFault) {
        self.ended(Termination::GuardFault(fault.to_string().into()));
    }

    fn ended(&mut self, end: Termination) {
        self.turn = None;
        self.commit(Entry::End(end.clone()));
        self.due = Due::Ended(end);
    }
}

/// The initial capacity of the transcript. Most runs have fewer entries.
const SHORT_RUN: usize = 32;

/// The fault of a host that broke the protocol.
fn fault(reason: String) -> GuardFault {
    GuardFault { guard: "run".into(), reason }
}
