//! A real model in the actor's place: completions from a record, and where that has none, from the endpoint.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use balk_contract::wire::{Asking, Dialect, Refusal, Remedy, Reply};
use balk_guards::{AttemptCause, Completion, Offer, Usage, View};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::budget::{Budget, Spent};
use super::endpoint::{Answered, Endpoint};
use super::joined;
use super::store::{Place, Store};
use crate::error::Error;

/// A real model.
#[derive(Debug)]
pub struct Model<'a> {
    /// The format of requests.
    pub dialect: Dialect,
    /// What every request says beside the view.
    pub asking: Asking,
    /// The completions that are known.
    pub store: &'a Store,
    /// Where the others come from; none plays a record again.
    pub endpoint: Option<&'a Endpoint>,
    /// What may be spent on them.
    pub budget: &'a Budget,
}

/// A completion, and what it took.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) completion: Completion,
    /// 128-bit xxh3 of the request.
    pub(super) request: u128,
    /// Tokens of the request and of the completion, as the server counts them; without its counts, bytes / 4.
    pub(super) tokens: [u64; 2],
}

/// Why there is no completion. None of that is the model's doing.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The messages do not fit into the model's context any more.
    Overflow,
    /// The budget has run out.
    Spent(Spent),
    /// The endpoint gave no usable answer.
    Refused(Refusal),
    /// The record does not have the completion, and there is no endpoint to ask.
    Missing {
        /// The scenario.
        scenario: Arc<str>,
        /// Its seed.
        seed: u64,
        /// The turn, from 1.
        turn: u32,
    },
    /// The record cannot be written.
    Unkept(Error),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overflow => f.write_str("the messages do not fit into the model's context"),
            Self::Spent(Spent::Tokens) => f.write_str("one more completion might exceed --budget-tokens"),
            Self::Spent(Spent::Patience) => f.write_str("interrupted"),
            Self::Spent(Spent::Time) => f.write_str("the minutes of --budget-minutes are over"),
            Self::Refused(refusal) => write!(f, "{refusal}"),
            Self::Missing { scenario, seed, turn } => {
                write!(f, "the record has no completion for turn {turn} of {scenario}, seed {seed}")
            }
            Self::Unkept(error) => write!(f, "{error}"),
        }
    }
}

impl Model<'_> {
    /// The model's completion for this view. Ids of its calls are new, so that equal requests are equal bytes.
    pub(super) fn complete(&self, view: &View, place: &Place, offer: &Offer) -> Result<Answer, Stop> {
        let request = self.request(view, place);
        if let Some(reply) = self.store.find(place, &request) {
            return Ok(answer(self.dialect.answer(&reply, offer).map_err(stop)?, &request, place));
        }
        let (reply, read) = self.ask(&request, place, offer)?;
        // It is kept before anything uses it. That the request is too long is an answer, too.
        if !self.store.keep(place, &request, &reply).map_err(Stop::Unkept)? {
            let message = "the request and its answer are too long together to be kept in a record";
            return Err(stop(Refusal { remedy: Remedy::Nothing, ..Refusal::lost(message) }));
        }
        read
    }

    /// The model's completion for this view, whatever is known.
    pub(super) fn complete_anew(&self, view: &View, place: &Place, offer: &Offer) -> Result<Answer, Stop> {
        let request = self.request(view, place);
        let (_, read) = self.ask(&request, place, offer)?;
        read
    }

    /// The request for this view in this place: its seed is that of the place.
    fn request(&self, view: &View, place: &Place) -> String {
        let Place { scenario, seed, turn, attempt, sample } = place;
        let key = format!("{scenario}\n{seed}\n{turn}\n{attempt}\n{sample}");
        // Some servers keep a seed in 32 bits, with a sign.
        let seed = xxh3_64(key.as_bytes()) & 0x7fff_ffff;
        self.dialect.request(view, &Asking { seed: Some(seed), ..self.asking.clone() })
    }

    /// Asks the endpoint. A reply is returned with what it says: a completion, or that the request is too long.
    fn ask(
        &self,
        request: &str,
        place: &Place,
        offer: &Offer,
    ) -> Result<(Reply, Result<Answer, Stop>), Stop> {
        let Place { scenario, seed, turn, .. } = place;
        let missing = || Stop::Missing { scenario: scenario.clone(), seed: *seed, turn: *turn };
        let endpoint = self.endpoint.ok_or_else(missing)?;
        let most = (request.len() as u64 / BYTES_PER_TOKEN_LEAST)
            .saturating_add(self.asking.max_tokens.unwrap_or_default());
        self.budget.set_aside(most).map_err(Stop::Spent)?;
        // Each try may take as much, and what was lost on its way may have been paid for.
        let lost = |refusal: &Refusal| if is_lost(refusal) { most } else { 0 };
        let aside = Cell::new(Ok(()));
        let again = |refusal: &Refusal, time| {
            self.budget.take(most, lost(refusal));
            aside.set(self.budget.wait(time).and_then(|()| self.budget.set_aside(most)));
            aside.get().is_ok()
        };
        let Answered { reply, .. } = endpoint.ask(request, &again);
        aside.get().map_err(Stop::Spent)?;
        let asked = reply.and_then(|reply| match self.dialect.answer(&reply, offer) {
            Err(refusal) if refusal.remedy != Remedy::Shorten => {
                Err(Refusal { message: endpoint.hidden(&refusal.message).into(), ..refusal })
            }
            read if has_key(endpoint, &reply, read.as_ref().ok()) => {
                let message = "the answer has the key in it, in parts";
                Err(Refusal { remedy: Remedy::Nothing, ..Refusal::lost(message) })
            }
            Ok(completion) => Ok((reply, Ok(answer(completion, request, place)))),
            Err(_) => Ok((reply, Err(Stop::Overflow))),
        });
        let taken = match &asked {
            Ok((_, Ok(answer))) => answer.tokens.iter().sum(),
            Ok((_, Err(_))) => 0,
            Err(refusal) => lost(refusal),
        };
        self.budget.take(most, taken);
        asked.map_err(|refusal| self.stops(refusal))
    }

    /// Why there is no answer: that it was not asked for again is the reason where asking again could have helped.
    fn stops(&self, refusal: Refusal) -> Stop {
        match self.budget.goes_on() {
            Err(spent) if refusal.remedy == Remedy::Again => Stop::Spent(spent),
            Ok(()) | Err(_) => stop(refusal),
        }
    }
}

/// Whether a model may have answered although no answer came.
fn is_lost(refusal: &Refusal) -> bool {
    match refusal.cause {
        AttemptCause::TimedOut | AttemptCause::Disconnected | AttemptCause::Empty => true,
        AttemptCause::Status { .. } | AttemptCause::Connect => false,
    }
}

/// Whether an answer that was put together has the key in it.
fn has_key(endpoint: &Endpoint, reply: &Reply, completion: Option<&Completion>) -> bool {
    joined::texts(reply, completion).any(|text| endpoint.hidden(&text) != text)
}

fn stop(refusal: Refusal) -> Stop {
    match refusal.remedy {
        Remedy::Shorten => Stop::Overflow,
        Remedy::Again | Remedy::Nothing => Stop::Refused(refusal),
    }
}

fn answer(mut completion: Completion, request: &str, place: &Place) -> Answer {
    let Place { turn, attempt, .. } = place;
    completion.name_calls(|nth, _| format!("call_{turn}_{attempt}_{nth}").into());
    let Usage { input_tokens, output_tokens } = completion.usage;
    let texts: usize = completion.texts().map(|text| text.len()).sum();
    let calls: usize = completion.calls.iter().map(|it| it.tool.len() + it.arguments.len()).sum();
    let counted = |tokens: u64, bytes: usize| match tokens {
        1..=TOKENS_MOST => tokens,
        _ => bytes as u64 / BYTES_PER_TOKEN,
    };
    let tokens = [counted(input_tokens, request.len()), counted(output_tokens, texts + calls)];
    Answer { completion, request: xxh3_128(request.as_bytes()), tokens }
}

/// The most tokens of a request or an answer that are believed: ten times the longest context that is known, that of
/// Llama 4 Scout. More is no count.
pub const TOKENS_MOST: u64 = 100_000_000;

/// The usual estimate for English and code.
const BYTES_PER_TOKEN: u64 = 4;

/// Few texts have fewer bytes a token; what is set aside for a request should be enough.
const BYTES_PER_TOKEN_LEAST: u64 = 2;
