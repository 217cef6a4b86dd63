//! Answers that arrive piece by piece.

use std::fmt;
use std::sync::Arc;

use super::refusal::{Refusal, Remedy, STREAM_BYTES};
use super::{anthropic, gemini, openai, responses};
use crate::attempt::{AttemptCause, AttemptFacts};
use crate::completion::{Completion, is_blank};
use crate::offer::Offer;

use delta::Delta;
use events::Events;

pub(in crate::wire) mod delta;
mod events;
pub(in crate::wire) mod raw;

/// Takes an answer as it arrives, and returns the completion or, if the stream broke, how far the attempt got.
///
/// Made by [`Dialect::stream`](super::Dialect::stream). A host passes it the body of the response as it arrives
/// ([`feed`](Self::feed)), or one event at a time if its HTTP client splits the stream ([`push`](Self::push)). It
/// shows the user what each piece adds, and calls [`finish`](Self::finish) when the body ends, when the connection
/// breaks, or when [`is_over`](Self::is_over) says that nothing more will be read.
///
/// The completion is the one that [`Dialect::completion`](super::Dialect::completion) reads from the same answer in
/// one piece, with two exceptions. If Anthropic cuts off the arguments of a call, the call has the part that arrived.
/// A stream of OpenAI chat has at most one text, and in one of Gemini neighbouring texts are one.
#[derive(Clone, Debug)]
pub struct StreamReader {
    events: Events,
    answer: Partial,
    /// Bytes of events so far.
    taken: usize,
    /// Whether anything arrived, even if only a comment.
    began: bool,
    /// Whether the host got any text to show.
    shown: bool,
    refusal: Option<Refusal>,
}

/// The part of an answer that has arrived.
#[derive(Clone, Debug)]
pub(super) enum Partial {
    /// Of OpenAI chat completions.
    OpenAi(Box<openai::Partial>),
    /// Of OpenAI Responses.
    Responses(Box<responses::Partial>),
    /// Of Anthropic messages.
    Anthropic(anthropic::Partial),
    /// Of Gemini.
    Gemini(gemini::Partial),
}

/// A stream without a complete completion: everything that [`Run::failed`](crate::Run::failed) needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenStream {
    /// The cause: the status that an error event corresponds to, or [`AttemptCause::Disconnected`]. A host that knows
    /// the real cause (its own time limit, for example) replaces it.
    pub cause: AttemptCause,
    /// What the provider said, or what was wrong with the stream.
    pub message: Arc<str>,
    /// What can help.
    pub remedy: Remedy,
    /// How far the attempt got. They say that the user saw the text that arrived, and that none of the calls ran. A
    /// host that shows no text before the completion is complete corrects `visible_output`.
    pub facts: AttemptFacts,
    /// What arrived: text, thinking, and the complete calls. For hosts that run calls before the stream has ended,
    /// and therefore call [`Run::interrupted`](crate::Run::interrupted).
    pub partial: Completion,
}

impl StreamReader {
    pub(super) fn new(answer: Partial) -> Self {
        Self { events: Events::default(), answer, taken: 0, began: false, shown: false, refusal: None }
    }

    /// Takes the next bytes of the body, cut anywhere, and returns what they add. Anything after an event that ended
    /// the stream is ignored.
    pub fn feed(&mut self, bytes: &[u8]) -> Delta {
        let mut delta = Delta::default();
        if self.is_over() {
            return delta;
        }
        self.began |= !bytes.is_empty();
        let Self { events, answer, taken, .. } = self;
        let fed = events.feed(bytes, |data| take(answer, taken, data, &mut delta));
        self.note(fed);
        self.shown |= !is_blank(&delta.text);
        delta
    }

    /// Takes the data of the next event (JSON text, or `[DONE]`), and returns what it adds.
    pub fn push(&mut self, data: &str) -> Delta {
        let mut delta = Delta::default();
        if self.is_over() {
            return delta;
        }
        self.began = true;
        let taken = take(&mut self.answer, &mut self.taken, data, &mut delta);
        self.note(taken);
        self.shown |= !is_blank(&delta.text);
        delta
    }

    /// Whether nothing more will be read: the answer is complete, the provider sent an error, or an event was
    /// unreadable. Most hosts need not ask, because the body ends by then.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.refusal.is_some() || self.answer.is_over()
    }

    /// Whether an event could not be read. More of the answer may come, and nothing of it will be read.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        let is_wrong = |it: &Refusal| it.cause == AttemptCause::Disconnected;
        self.refusal.as_ref().is_some_and(is_wrong)
    }

    /// Whether a call has begun to arrive.
    #[must_use]
    pub fn has_call(&self) -> bool {
        self.answer.has_call()
    }

    /// The body or the connection has ended: returns the completion, if all of it arrived. A last event counts even
    /// without the empty line that should follow it, but its text is not shown.
    ///
    /// # Errors
    /// The stream ended before the answer did, contained an error, or could not be read.
    pub fn finish(mut self, offer: &Offer) -> Result<Completion, Box<BrokenStream>> {
        let shown = self.shown;
        if let Some(rest) = self.events.rest()
            && !self.is_over()
        {
            self.push(&rest);
        }
        let whole = match self.refusal.take() {
            Some(refusal) => Err(refusal),
            None if self.answer.is_whole() => self.answer.whole(offer),
            None => Err(Refusal::cut()),
        };
        whole.map_err(|Refusal { cause, message, remedy }| {
            let facts = AttemptFacts {
                provider_progress: Some(self.began),
                visible_output: Some(shown),
                ..self.answer.facts()
            };
            let partial = self.answer.partial(offer);
            Box::new(BrokenStream { cause, message, remedy, facts, partial })
        })
    }

    /// An error after the end of the answer does not affect the answer.
    fn note(&mut self, taken: Result<(), Refusal>) {
        if let Err(refusal) = taken
            && !self.is_over()
        {
            self.refusal = Some(refusal);
        }
    }
}

/// Reads one event.
fn take(answer: &mut Partial, taken: &mut usize, data: &str, delta: &mut Delta) -> Result<(), Refusal> {
    if answer.is_over() {
        return Ok(());
    }
    *taken = taken.saturating_add(data.len());
    if *taken > STREAM_BYTES {
        return Err(Refusal::too_long());
    }
    match answer {
        Partial::OpenAi(it) => it.take(data, delta),
        Partial::Responses(it) => it.take(data, delta),
        Partial::Anthropic(it) => it.take(data, delta),
        Partial::Gemini(it) => it.take(data, delta),
    }
}

impl Partial {
    fn is_over(&self) -> bool {
        match self {
            Self::OpenAi(it) => it.is_over(),
            Self::Responses(it) => it.is_over(),
            Self::Anthropic(it) => it.is_over(),
            // More may follow the reason to stop, such as token counts.
            Self::Gemini(_) => false,
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::OpenAi(it) => it.is_whole(),
            Self::Responses(it) => it.is_over(),
            Self::Anthropic(it) => it.is_whole(),
            Self::Gemini(it) => it.is_whole(),
        }
    }

    fn has_call(&self) -> bool {
        match self {
            Self::OpenAi(it) => it.has_call(),
            Self::Responses(it) => it.has_call(),
            Self::Anthropic(it) => it.has_call(),
            Self::Gemini(it) => it.has_call(),
        }
    }

    fn facts(&self) -> AttemptFacts {
        match self {
            Self::OpenAi(it) => it.facts(),
            Self::Responses(it) => it.facts(),
            Self::Anthropic(it) => it.facts(),
            Self::Gemini(it) => it.facts(),
        }
    }

    fn whole(&self, offer: &Offer) -> Result<Completion, Refusal> {
        let read = match self {
            Self::OpenAi(it) => it.whole(offer),
            Self::Responses(it) => it.whole(offer),
            Self::Anthropic(it) => it.whole(offer),
            Self::Gemini(it) => it.whole(offer),
        };
        read.map_err(Refusal::from)
    }

    fn partial(&self, offer: &Offer) -> Completion {
        match self {
            Self::OpenAi(it) => it.partial(offer),
            Self::Responses(it) => it.partial(offer),
            Self::Anthropic(it) => it.partial(offer),
            Self::Gemini(it) => it.partial(offer),
        }
    }
}

impl BrokenStream {
    /// Why there is no completion, without what arrived.
    #[must_use]
    pub fn refusal(self) -> Refusal {
        let Self { cause, message, remedy, facts: _, partial: _ } = self;
        Refusal { cause, message, remedy }
    }
}

impl fmt::Display for BrokenStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.cause, self.message)
    }
}

impl std::error::Error for BrokenStream {}
