//! The loop that Balk drives.

use std::sync::Arc;

use balk_guards::record::{EntryRecord, transcript};
use balk_guards::wire::{Asking, Dialect};
use balk_guards::{
    AttemptFacts, Batch, Choice, ChoiceKind, Entry, Limits, Offer, Protocol, Speaker, Stack, Start, Status,
    Termination, ToolResult, UserAnswer, UserMessage,
};
use serde::{Deserialize, Serialize};

use crate::said::{offer, protocol};
use crate::{Answer, Call, Error, Failure, Guards, Told, Tool, told};

/// A run of an agent, step by step: see [`balk_guards::Run`].
#[derive(Debug)]
pub struct Run {
    inner: balk_guards::Run<Stack>,
    offer: Arc<Offer>,
    /// Whether the user has chosen to give an instruction, by its number alone.
    owes_words: bool,
}

/// How a run begins.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// What the user wants.
    pub task: Arc<str>,
    /// The tools on offer.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The model's name.
    #[serde(default)]
    pub model: Arc<str>,
    /// How a task ends; by default, by a tool of the purpose `finish` if there is one, else by text.
    #[serde(default)]
    pub protocol: Option<Protocol>,
    /// When the run has to end.
    #[serde(default)]
    pub limits: Bounds,
}

/// The bounds of a run: no bound is `null`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Bounds {
    /// Answers of the model.
    pub turns: Option<u32>,
    /// Attempts at one answer.
    pub attempts: Option<u32>,
    /// Calls that run.
    pub calls: Option<u32>,
    /// Interventions.
    pub interventions: Option<u32>,
    /// Questions to the user.
    pub questions: Option<u32>,
}

impl From<Bounds> for Limits {
    fn from(it: Bounds) -> Self {
        let bound = |it: Option<u32>| it.unwrap_or(u32::MAX);
        Self {
            turns: bound(it.turns),
            attempts: bound(it.attempts),
            calls: bound(it.calls),
            interventions: bound(it.interventions),
            questions: bound(it.questions),
        }
    }
}

/// What the agent does next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Step {
    /// Ask the model with [`Run::request`].
    Model {
        /// How often exactly this will have been sent, from 1.
        asked: u32,
    },
    /// Run these calls, in order.
    Tools {
        /// The calls.
        calls: Vec<Call>,
        /// Which try it is, from 1.
        attempt: u32,
    },
    /// Ask the user.
    User {
        /// The words.
        question: Arc<str>,
        /// What the user can choose.
        options: Vec<Choice>,
    },
    /// Wait for a time from this range, in milliseconds.
    Wait {
        /// At least.
        at_least: u64,
        /// At most.
        at_most: u64,
    },
    /// The model sent no call, and no guard objects: the user speaks, or the run ends.
    Reply {},
    /// The run has ended.
    Ended {
        /// How.
        end: Termination,
    },
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ran {
    /// What the tool said.
    pub text: Arc<str>,
    /// Whether it failed.
    #[serde(default = "unknown")]
    pub status: Status,
}

fn unknown() -> Status {
    Status::Unknown
}

impl Run {
    /// A new run.
    #[must_use]
    pub fn new(guards: &Guards, begin: Begin) -> Self {
        let offer = offer(&begin.tools);
        let protocol = begin.protocol.unwrap_or_else(|| protocol(&offer));
        let start = Start { model: begin.model, protocol, offer: offer.clone() };
        let inner = balk_guards::Run::new(guards.stack(), start, begin.task, begin.limits.into());
        Self { inner, offer, owes_words: false }
    }

    /// A run that goes on where [`transcript`](Self::transcript) was taken.
    ///
    /// # Errors
    /// It is no transcript.
    pub fn resume(guards: &Guards, entries: &[EntryRecord], limits: Bounds) -> Result<Self, Error> {
        let entries = transcript(entries).map_err(|why| Error::new(format!("transcript: {why}")))?;
        let inner = balk_guards::Run::resume(guards.stack(), entries, limits.into());
        let inner = inner.map_err(|why| Error::new(format!("transcript: {why}")))?;
        Ok(Self { offer: inner.view().offer().clone(), inner, owes_words: false })
    }

    /// What the agent does next. It does not change until the agent gives something back.
    #[must_use]
    pub fn step(&self) -> Step {
        match self.inner.step() {
            balk_guards::Step::Model { asked } => Step::Model { asked },
            balk_guards::Step::Tools { calls, attempt } => {
                Step::Tools { calls: calls.iter().map(|it| Call::from(&**it)).collect(), attempt }
            }
            balk_guards::Step::User(it) if self.owes_words => {
                let asked = it.options.iter().filter(|it| it.kind == ChoiceKind::Instruct);
                let question =
                    asked.map(|it| format!("In your own words: {}.", it.label)).collect::<String>();
                Step::User { question: question.into(), options: Vec::new() }
            }
            balk_guards::Step::User(it) => Step::User { question: it.note.text, options: it.options },
            balk_guards::Step::Wait(it) => Step::Wait { at_least: it.at_least, at_most: it.at_most },
            balk_guards::Step::Reply => Step::Reply {},
            balk_guards::Step::Ended(end) => Step::Ended { end },
        }
    }

    /// The body of the request to a provider, as JSON text. `system` has the instructions to the model.
    #[must_use]
    pub fn request(&self, dialect: Dialect, model: &str, system: Option<&str>) -> String {
        let asking = Asking { system: system.map(Arc::from), ..Asking::of(model) };
        dialect.request(self.inner.view(), &asking)
    }

    /// The model answered.
    pub fn completed(&mut self, answer: &Answer) {
        self.inner.completed(answer.completion(&self.offer));
    }

    /// The model answered with this body of a provider, as JSON text.
    ///
    /// # Errors
    /// It is no answer of this dialect.
    pub fn responded(&mut self, dialect: Dialect, response: &str) -> Result<(), Error> {
        let completion = dialect.completion(response, &self.offer);
        self.inner.completed(completion.map_err(|why| Error::new(format!("response: {why}")))?);
        Ok(())
    }

    /// The attempt failed.
    ///
    /// # Errors
    /// No such cause.
    pub fn failed(&mut self, failure: &Failure) -> Result<(), Error> {
        self.inner.failed(failure.cause()?, failure.message.clone(), AttemptFacts::default());
        Ok(())
    }

    /// The calls ran: one result each, in order. `finished` says that one of them ended the task.
    ///
    /// # Errors
    /// No calls are due, or another number of them.
    pub fn executed(&mut self, results: &[Ran], finished: bool) -> Result<(), Error> {
        let balk_guards::Step::Tools { calls, .. } = self.inner.step() else {
            return Err(Error::new(format!("executed: expected no results, found {}", results.len())));
        };
        if calls.len() != results.len() {
            let (due, found) = (calls.len(), results.len());
            return Err(Error::new(format!(
                "executed: expected {due} results, one for each call; found {found}"
            )));
        }
        let ran = calls.iter().zip(results);
        let results = ran.map(|(call, it)| ToolResult::executed(call, it.status, it.text.clone())).collect();
        self.inner.executed(Batch { results, finished, fatal: None });
        Ok(())
    }

    /// The user answered a question, in any words: an option by its number or label, or an instruction. After the
    /// number of an option that asks for an instruction, the step asks for that in words.
    ///
    /// # Errors
    /// No question is open.
    pub fn answered(&mut self, text: &str) -> Result<(), Error> {
        let balk_guards::Step::User(question) = self.inner.step() else {
            return Err(Error::new("answered: expected a step that asks the user, found another one"));
        };
        let answer = question.answered_by(&text.into());
        let in_words = || UserAnswer { choice: ChoiceKind::Instruct, text: text.into() };
        let answer = answer.or_else(|| self.owes_words.then(in_words));
        self.owes_words = answer.is_none();
        if let Some(answer) = answer {
            self.inner.answered(answer);
        }
        Ok(())
    }

    /// The question cannot be answered: there is no user.
    pub fn unanswered(&mut self) {
        self.inner.unanswered();
    }

    /// The host has waited so many milliseconds.
    pub fn waited(&mut self, ms: u64) {
        self.inner.waited(ms);
    }

    /// The user spoke; or, if not `by_user`, the agent's own loop in the user's role.
    pub fn said(&mut self, text: &str, by_user: bool) {
        let from = if by_user { Speaker::User } else { Speaker::Loop };
        self.inner.said(UserMessage { from, text: text.into() });
    }

    /// The agent ends the run.
    pub fn end(&mut self) {
        self.inner.end(Termination::Finished);
    }

    /// What guards did since the last call.
    pub fn news(&mut self) -> Vec<Told> {
        told(self.inner.news())
    }

    /// Everything that was committed, for [`resume`](Self::resume) and for `balk replay`.
    #[must_use]
    pub fn transcript(&self) -> Vec<EntryRecord> {
        self.inner.transcript().iter().map(EntryRecord::from).collect()
    }

    /// The entries that were committed.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        self.inner.transcript()
    }
}
