//! The endpoint of a model: requests to one server, with the manners of a good client.
//!
//! [`Endpoint::ask`] sends a request until it has an answer, or a refusal that asking again does not change. It waits
//! as long as the server asks (`Retry-After`), else one second, then twice as long each time. Requests go to the given
//! address and nowhere else: no redirect is followed, and no proxy is read from the environment. Time and size of an
//! answer are bounded. The key is in the header of a request and in no text that comes out of this module.

use std::time::Duration;

use balk_guards::wire::{Dialect, Refusal, Remedy, Reply};
use balk_guards::{AttemptCause, Offer};

use crate::error::Error;

use address::Address;
use connection::Connection;

mod address;
mod connection;
mod key;
mod models;

pub use connection::BODY_BYTES;
pub use key::Key;
pub use models::{Listed, Models};

/// How to reach a model.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The base address, as users know it from `OPENAI_BASE_URL` and `ANTHROPIC_BASE_URL`: `https://host/v1` for the
    /// former, `https://host` for the latter. Either is accepted with and without `/v1`, and with the path of the
    /// requests at the end (`/chat/completions`, `/responses`, `/messages`). For OpenAI, `/v1` is added to a bare host
    /// only, because servers have paths like `/api/v4`; for Anthropic, it is added wherever it is missing.
    pub url: String,
    /// The format of requests and answers.
    pub dialect: Dialect,
    /// The key, if the server wants one.
    pub key: Option<Key>,
    /// The time limit for one request and its answer.
    pub timeout: Duration,
    /// How often a request is sent at most.
    pub tries: u32,
}

/// A server that answers requests for completions.
#[derive(Debug)]
pub struct Endpoint {
    connection: Connection,
    dialect: Dialect,
    tries: u32,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What the server sent back last, also if it refused: [`Dialect::answer`] reads it, now and from a record. It is
    /// an error where there is nothing to read: no connection, no end within the limits, no answer in any format.
    pub reply: Result<Reply, Refusal>,
    /// How often the request was sent.
    pub tries: u32,
}

/// The wait before the second try, if the server names none.
const FIRST_WAIT: Duration = Duration::from_secs(1);

/// The longest wait. A server that asks for more is not asked again.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

impl Endpoint {
    /// An endpoint that has not been asked yet.
    ///
    /// # Errors
    /// The address is not one of a server.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let Settings { url, dialect, key, timeout, tries } = settings;
        let address = Address::of(&url, dialect)?;
        Ok(Self { connection: Connection::new(address, key, dialect, timeout), dialect, tries })
    }

    /// Sends a request, again where that can help. `wait` is told what came and how long to wait; it waits, and returns
    /// whether to go on.
    pub fn ask(&self, request: &str, wait: &dyn Fn(&Refusal, Duration) -> bool) -> Answered {
        let mut tries = 1;
        loop {
            let reply = self.connection.post(request);
            let read = reply.as_ref().map_err(Refusal::clone);
            let read = read.and_then(|it| self.dialect.answer(it, &Offer::default()));
            let goes_on = read.is_err_and(|refusal| {
                self.wait_after(&refusal, tries).is_some_and(|time| wait(&refusal, time))
            });
            if !goes_on {
                return Answered { reply, tries };
            }
            tries += 1;
        }
    }

    /// A text without the key: it may be one only after an answer was read, where a stream had it in two parts.
    pub(super) fn hidden(&self, text: &str) -> String {
        self.connection.hidden(text)
    }

    /// The models that the server lists, and how it names itself; `None` if it does not say.
    ///
    /// # Errors
    /// There is no connection.
    pub fn models(&self) -> Result<Option<Models>, Refusal> {
        let found = self.connection.get("models")?;
        Ok(found.and_then(|(server, body)| models::read(server.as_deref(), &body)))
    }

    /// The address that requests are sent to.
    #[must_use]
    pub fn address(&self) -> String {
        self.connection.address().to_completions()
    }

    /// How long to wait before the next try, if another one can help.
    fn wait_after(&self, refusal: &Refusal, tries: u32) -> Option<Duration> {
        let asked = match refusal.cause {
            AttemptCause::Status { retry_after, .. } => retry_after.map(Duration::from_millis),
            AttemptCause::Empty
            | AttemptCause::Connect
            | AttemptCause::TimedOut
            | AttemptCause::Disconnected => None,
        };
        let own = || FIRST_WAIT.saturating_mul(1 << (tries - 1).min(6)).min(LONGEST_WAIT);
        let time = asked.filter(|it| !it.is_zero()).unwrap_or_else(own);
        let can_help = match refusal.remedy {
            Remedy::Again => tries < self.tries && time <= LONGEST_WAIT,
            Remedy::Shorten | Remedy::Nothing => false,
        };
        can_help.then_some(time)
    }
}
