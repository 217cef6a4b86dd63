//! The loop that a framework drives.
//!
//! A framework sends its whole history with each request and knows nothing of what happens between a request and its
//! answer. So a correction is another request that the framework never sees, a refused call is missing from the answer,
//! and a question or a stop is an answer in the model's place. Whatever the framework did not see is put into its later
//! requests, so that the model's history is whole.

use std::sync::{Arc, Mutex, PoisonError};

use balk_guards::turn::{before_last_answer, repaired};
use balk_guards::{
    AttemptFacts, Completion, Entry, Limits, Offer, Protocol, Run, Speaker, Stack, Start, Step, Termination,
    ToolCall, ToolResult, UserMessage, conclusion,
};
use serde::{Deserialize, Serialize};

use crate::said::{offer, protocol};
use crate::{Answer, Call, Error, Failure, Guards, Said, Told, Tool, told};

use history::{entries, is_one_turn, messages, results};
pub use puts::Placed;
use puts::Put;

mod history;
mod puts;

/// How many conversations are kept. One that is not gone on with while so many others are is folded anew.
const KEPT: usize = 64;

/// The conversations of a framework with its models, any number of them at the same time.
///
/// A request goes on from an earlier one if it begins with the same messages, the answer, and nothing more of the
/// model. Any other history (a new conversation, a summary, an edited message) is folded from its start: the guards
/// then know what it shows, and nothing else.
#[derive(Clone, Debug)]
pub struct Conversations {
    guards: Guards,
    /// Where each conversation is that waits for its next request; the last one that was answered is the last.
    places: Arc<Mutex<Vec<Place>>>,
}

/// A request on its way to its answer. Where it is dropped before, the next one is folded anew.
#[derive(Debug)]
pub struct Exchange {
    /// None once it was answered.
    place: Option<Place>,
    places: Arc<Mutex<Vec<Place>>>,
}

/// A request of the framework.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The history.
    pub messages: Vec<Said>,
    /// The tools on offer.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// The model's name.
    #[serde(default)]
    pub model: Arc<str>,
    /// How a task ends; by default, by a tool of the purpose `finish` if there is one, else by text.
    #[serde(default)]
    pub protocol: Option<Protocol>,
}

/// What the framework's model is to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Turn {
    /// Send the request, with these messages.
    Send {
        /// The messages, in order.
        messages: Vec<Placed>,
        /// Whether they are others than the framework's own.
        changed: bool,
    },
    /// Wait for a time from this range, in milliseconds.
    Wait {
        /// At least.
        at_least: u64,
        /// At most.
        at_most: u64,
    },
    /// Give this answer to the framework.
    Show {
        /// The answer; `null` if it is the model's last one as it came.
        answer: Option<Answer>,
        /// What guards did since the request.
        told: Vec<Told>,
    },
    /// Give the framework what came of the last attempt: an error, or an empty answer.
    Failed {
        /// What guards did since the request.
        told: Vec<Told>,
    },
}

/// Where a conversation is.
#[derive(Debug)]
struct Place {
    run: Run<Stack>,
    offer: Arc<Offer>,
    /// The messages of the last request.
    known: Vec<Said>,
    /// What it was answered with.
    shown: Option<Answer>,
    /// What the framework's requests lack.
    puts: Vec<Put>,
    /// What was committed since the request.
    turn: Vec<Entry>,
    /// What guards did about the results that came with the request, or since.
    told: Vec<Told>,
    /// What the user is to be told with the answer.
    notices: Vec<Arc<str>>,
    /// What the user was told last for the end of the run.
    ending: Option<Arc<str>>,
    /// The model's last answer that was not empty.
    last: Option<Arc<Completion>>,
    /// Whether the last attempt failed.
    has_failed: bool,
}

impl Conversations {
    /// No conversations yet.
    #[must_use]
    pub fn new(guards: Guards) -> Self {
        Self { guards, places: Arc::default() }
    }

    /// The framework is about to send this request. Says what to do first.
    ///
    /// # Errors
    /// A history that no run can have.
    pub fn asks(&self, request: Request) -> Result<(Exchange, Turn), Error> {
        let offer = offer(&request.tools);
        let mut place = match self.take(&offer, &request.messages) {
            Some(mut place) => {
                place.hears(&request.messages);
                place
            }
            None => Place::new(&self.guards, &request, offer)?,
        };
        place.known = request.messages;
        let mut exchange = Exchange { place: Some(place), places: self.places.clone() };
        let turn = exchange.goes_on(|_| Ok(()), "")?;
        Ok((exchange, turn))
    }

    /// The place from which these messages go on; of several, the one that knows most, and of conversations with the
    /// same beginning the one with the text of the answer.
    fn take(&self, offer: &Arc<Offer>, messages: &[Said]) -> Option<Place> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let going_on = places.iter().enumerate().filter(|(_, it)| it.goes_on(offer, messages));
        let (at, _) = going_on.max_by_key(|(_, it)| (it.known.len(), it.has_said(messages)))?;
        Some(places.remove(at))
    }
}

impl Exchange {
    /// The model answered.
    ///
    /// # Errors
    /// It was not asked.
    pub fn answered(&mut self, answer: &Answer) -> Result<Turn, Error> {
        let answers = |place: &mut Place| {
            let completion = Arc::new(answer.completion(&place.offer));
            place.has_failed = completion.is_empty();
            if !place.has_failed {
                place.last = Some(completion.clone());
            }
            place.run.completed(completion);
            Ok(())
        };
        self.asked(answers, "an answer")
    }

    /// The attempt failed.
    ///
    /// # Errors
    /// The model was not asked, or there is no such cause.
    pub fn failed(&mut self, failure: &Failure) -> Result<Turn, Error> {
        let fails = |place: &mut Place| {
            let cause = failure.cause()?;
            place.has_failed = true;
            place.run.failed(cause, failure.message.clone(), AttemptFacts::default());
            Ok(())
        };
        self.asked(fails, "a failed attempt")
    }

    /// The host has waited so many milliseconds.
    ///
    /// # Errors
    /// It was not to wait.
    pub fn waited(&mut self, ms: u64) -> Result<Turn, Error> {
        let found = "that the host has waited";
        let waits = |place: &mut Place| match place.run.step() {
            Step::Wait(_) => {
                place.run.waited(ms);
                Ok(())
            }
            Step::Model { .. } | Step::Tools { .. } | Step::User(_) | Step::Reply | Step::Ended(_) => {
                Err(out_of_turn(found))
            }
        };
        self.goes_on(waits, found)
    }

    fn asked(
        &mut self,
        hears: impl FnOnce(&mut Place) -> Result<(), Error>,
        found: &str,
    ) -> Result<Turn, Error> {
        let is_asked = self.place.as_ref().is_some_and(|it| matches!(it.run.step(), Step::Model { .. }));
        if is_asked { self.goes_on(hears, found) } else { Err(out_of_turn(found)) }
    }

    /// Hears what came, and says what to do next. An answer that is to be shown ends the exchange.
    fn goes_on(
        &mut self,
        hears: impl FnOnce(&mut Place) -> Result<(), Error>,
        found: &str,
    ) -> Result<Turn, Error> {
        let place = self.place.as_mut().ok_or_else(|| out_of_turn(found))?;
        hears(place)?;
        let turn = place.turn();
        if matches!(turn, Turn::Show { .. })
            && let Some(place) = self.place.take()
        {
            let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            if places.len() == KEPT {
                places.remove(0);
            }
            places.push(place);
        }
        Ok(turn)
    }
}

fn out_of_turn(found: &str) -> Error {
    Error::new(format!("exchange: expected what the last turn asks for, found {found}"))
}

impl Place {
    /// Folds a history from its start.
    fn new(guards: &Guards, request: &Request, offer: Arc<Offer>) -> Result<Self, Error> {
        let protocol = request.protocol.unwrap_or_else(|| protocol(&offer));
        let start = Start { model: request.model.clone(), protocol, offer: offer.clone() };
        let history = entries(&request.messages, &offer);
        let transcript = std::iter::once(Entry::Start(start)).chain(history).collect();
        let run = Run::resume(guards.stack(), transcript, Limits::NONE);
        let mut run = run.map_err(|why| Error::new(format!("messages: {why}")))?;
        // The framework asks its model again after a message without a call, and only it knows why.
        if run.step() == Step::Reply {
            run.said(UserMessage { from: Speaker::Loop, text: "".into() });
        }
        run.take_news();
        Ok(Self {
            run,
            offer,
            known: Vec::new(),
            shown: None,
            puts: Vec::new(),
            turn: Vec::new(),
            told: Vec::new(),
            notices: Vec::new(),
            ending: None,
            last: None,
            has_failed: false,
        })
    }

    /// Whether a request with these messages comes after the answer.
    fn goes_on(&self, offer: &Arc<Offer>, messages: &[Said]) -> bool {
        let Some(shown) = &self.shown else { return false };
        let Some((before, news)) = messages.split_at_checked(self.known.len()) else { return false };
        let is_shown = matches!(news.first(), Some(Said::Assistant(it)) if are_same(&it.calls, &shown.calls));
        let has_ended = matches!(self.run.step(), Step::Ended(_));
        is_shown && !has_ended && is_one_turn(news) && before == self.known && *offer == self.offer
    }

    /// Whether the answer in these messages has the text of the one that was shown: a framework may change it.
    fn has_said(&self, messages: &[Said]) -> bool {
        let text = self.shown.as_ref().map(|it| &it.text);
        matches!(messages.get(self.known.len()), Some(Said::Assistant(it)) if Some(&it.text) == text)
    }

    /// Hears what came after the answer.
    fn hears(&mut self, messages: &[Said]) {
        self.run.take_news();
        self.turn.clear();
        self.told.clear();
        self.notices.clear();
        (self.last, self.has_failed) = (None, false);
        let answer = self.known.len();
        let news = &messages[answer + 1..];
        if let Step::Tools { calls, .. } = self.run.step() {
            self.ran(&results(&calls, news));
        }
        for (at, message) in messages.iter().enumerate().skip(answer + 1) {
            let Said::User { text } = message else { continue };
            match self.run.step() {
                Step::Model { .. } | Step::Reply => {
                    self.run.said(UserMessage { from: Speaker::User, text: text.clone() });
                }
                Step::User(question) => {
                    let said = question.answered_by(text);
                    if said.as_ref().is_none_or(|it| it.text != *text) {
                        let words: Vec<Entry> = said.clone().map(Entry::Answer).into_iter().collect();
                        self.puts.push(Put::instead(at, &words));
                    }
                    if let Some(said) = said {
                        self.run.answered(said);
                    }
                }
                Step::Tools { .. } | Step::Wait(_) | Step::Ended(_) => {}
            }
        }
        // The framework asks its model again after a message without a call, and only it knows why.
        if self.run.step() == Step::Reply {
            self.run.said(UserMessage { from: Speaker::Loop, text: "".into() });
        }
        let entries = self.run.take_news();
        let is_said = |it: &Entry| matches!(it, Entry::Answer(_) | Entry::User(_));
        let (with, then) = entries.split_at(entries.iter().position(is_said).unwrap_or(entries.len()));
        let is_result = |it: &Said| matches!(it, Said::Tool { .. });
        let results = answer + 1 + news.iter().rposition(is_result).map_or(0, |at| at + 1);
        let seen = self.shown.take().unwrap_or_default().calls;
        self.puts.extend(Put::of_guards(results, with, &seen));
        self.puts.extend(Put::of_guards(messages.len(), then, &seen));
        self.told = told(&entries);
        self.notices = entries.iter().filter_map(|it| it.notice().cloned()).collect();
    }

    /// The calls ran. A framework runs each once, so what a guard wants to run again has the same result.
    fn ran(&mut self, results: &[ToolResult]) {
        self.run.executed(results.to_vec());
        loop {
            match self.run.step() {
                Step::Wait(wait) => self.run.waited(wait.at_least),
                Step::Tools { calls, .. } => {
                    let again = |it: &&ToolResult| calls.iter().any(|call| call.id == it.call.id);
                    self.run.executed(results.iter().filter(again).cloned().collect::<Vec<_>>());
                }
                Step::Model { .. } | Step::User(_) | Step::Reply | Step::Ended(_) => return,
            }
        }
    }

    /// What is to be done next.
    fn turn(&mut self) -> Turn {
        let news = self.run.take_news();
        self.told.extend(told(&news));
        self.turn.extend(news);
        match self.run.step() {
            Step::Model { .. } => {
                let hidden = Put::before(self.known.len(), &self.turn);
                let puts: Vec<&Put> = self.puts.iter().chain(&hidden).collect();
                Turn::Send { messages: puts::placed(self.known.len(), &puts), changed: !puts.is_empty() }
            }
            Step::Wait(wait) => Turn::Wait { at_least: wait.at_least, at_most: wait.at_most },
            Step::Tools { calls, .. } => self.shows(&calls, None),
            Step::Reply => self.replies(),
            Step::User(question) => {
                // A guard that stops a run says so before another one asks what to do then.
                let (_, own) = before_last_answer(&self.turn);
                let said: String =
                    own.iter().filter_map(Entry::notice).map(|it| format!("{it}\n\n")).collect();
                self.says(&(said + &question.message()))
            }
            Step::Ended(_) if self.has_failed => Turn::Failed { told: std::mem::take(&mut self.told) },
            Step::Ended(end) => self.stops(&end),
        }
    }

    /// An answer without a call may be the last one, so what the user should know at the end is said with it, once.
    fn replies(&mut self) -> Turn {
        // In-process guards do not break.
        let note = conclusion(self.run.guard(), &Termination::Finished).ok().flatten();
        let fresh = note.map(|it| it.notice()).filter(|it| self.ending.as_ref() != Some(&it.text));
        if let Some(it) = &fresh {
            self.ending = Some(it.text.clone());
            self.told.push(Told::notice(it));
        }
        self.shows(&[], fresh.map(|it| it.text))
    }

    /// The calls that may run, and the texts; `ending` is said below them.
    fn shows(&mut self, calls: &[Arc<ToolCall>], ending: Option<Arc<str>>) -> Turn {
        let Some(original) = self.last.take() else {
            return Turn::Failed { told: std::mem::take(&mut self.told) };
        };
        let (hidden, own) = before_last_answer(&self.turn);
        let judged = repaired(own).unwrap_or_else(|| original.clone());
        let notices = self.notices.drain(..).chain(own.iter().filter_map(|it| it.notice().cloned()));
        let notices: Vec<Arc<str>> = notices.chain(ending).collect();
        let at = self.known.len();
        self.puts.extend(Put::before(at, hidden));
        let mut answer = Answer::from(&*judged);
        if !notices.is_empty() {
            self.puts.push(Put::instead(at, &[Entry::Completion(judged.clone())]));
            let text = std::iter::once(&answer.text).filter(|it| !it.is_empty()).chain(&notices);
            answer.text = text.map(|it| &**it).collect::<Vec<_>>().join("\n\n").into();
        } else if calls.len() < judged.calls.len() {
            let missing = judged.calls.iter().filter(|it| !calls.contains(it));
            self.puts.push(Put::calls(at, missing));
        }
        answer.calls.retain(|it| calls.iter().any(|call| call.id == it.id));
        let passes = judged == original && calls.len() == judged.calls.len() && notices.is_empty();
        self.shown = Some(answer.clone());
        Turn::Show { answer: (!passes).then_some(answer), told: std::mem::take(&mut self.told) }
    }

    /// Words of a guard to the user, in place of what the model said.
    fn says(&mut self, text: &str) -> Turn {
        let (hidden, own) = before_last_answer(&self.turn);
        let at = self.known.len();
        self.puts.extend(Put::before(at, hidden));
        self.puts.push(Put::instead(at, own));
        let usage = self.last.take().map(|it| it.usage).unwrap_or_default();
        let answer = Answer { text: text.into(), usage, ..Answer::default() };
        self.shown = Some(answer.clone());
        Turn::Show { answer: Some(answer), told: std::mem::take(&mut self.told) }
    }

    /// A guard or the user ended the run.
    fn stops(&mut self, end: &Termination) -> Turn {
        let said: Vec<Arc<str>> = self.turn.iter().filter_map(|it| it.notice().cloned()).collect();
        let text = match (&*said, end) {
            ([], Termination::StoppedByUser) => "The run has ended, as you asked.".to_owned(),
            ([], _) => "The run has ended.".to_owned(),
            (said, _) => said.join("\n\n"),
        };
        self.says(&text)
    }
}

/// Whether these are the same calls. A framework that reads arguments may write them in other words.
fn are_same(calls: &[Call], shown: &[Call]) -> bool {
    let named = |it: &Call| (it.id.clone(), it.tool.clone());
    calls.iter().map(named).eq(shown.iter().map(named))
}
