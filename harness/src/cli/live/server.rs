//! The server of a live run: how it is reached, how it names itself, and whether it repeats itself.

use std::env::VarError;
use std::time::Duration;

use balk_contract::wire::{Dialect, Refusal};
use balk_reports::records::{Answered, Repeats};
use balk_scenarios::World;

use crate::bench::{self, Matrix, Stopwatch};
use crate::cli::say::say;
use crate::error::Error;
use crate::live::endpoint::{Endpoint, Key, Listed, Models, Settings};
use crate::live::{self, Model};

/// The time limit for one completion: small machines take minutes for a long one.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The completions that tell whether a server repeats itself.
const PROBED: u64 = 4;

/// How often a request is sent before its unit is given up.
const TRIES: u32 = 6;

/// What is said at the first Ctrl-C: nothing breaks off a request that was sent.
pub(super) fn waits() -> String {
    let most = TIMEOUT.as_secs();
    format!("interrupted: waiting for the requests under way, at most {most} s; Ctrl-C again ends at once")
}

/// The server of a live run.
pub(super) struct Server {
    pub(super) endpoint: Endpoint,
    /// How it names itself.
    name: Option<String>,
    /// The models that it lists, as it names them.
    lists: Vec<String>,
}

impl Server {
    /// The server at this address, with the key in the environment variable of this name.
    ///
    /// # Errors
    /// No server is there, or the address or the name of the variable is wrong.
    pub(super) fn at(url: &str, dialect: Dialect, key_env: Option<&str>) -> Result<Self, Error> {
        let key = key_env.map(key).transpose()?;
        let settings = Settings { url: url.to_owned(), dialect, key, timeout: TIMEOUT, tries: TRIES };
        let endpoint = Endpoint::new(settings)?;
        let models = endpoint
            .models()
            .map_err(|refusal| Error::usage("--endpoint", "a server", refusal).hint("is it running?"))?;
        let Some(Models { server, listed }) = models else {
            return Ok(Self { endpoint, name: None, lists: Vec::new() });
        };
        let named = |Listed { name, owner }| match owner {
            Some(owner) => format!("{name} ({owner})"),
            None => name,
        };
        Ok(Self { endpoint, name: server, lists: listed.into_iter().map(named).collect() })
    }

    /// A run that begins now, as its folder describes it until it ends. If no earlier run did, it asks whether the
    /// server repeats itself.
    ///
    /// # Errors
    /// The server refused the first request.
    pub(super) fn begun(
        &self,
        matrix: &Matrix,
        model: &Model<'_>,
        earlier: &[Answered],
    ) -> Result<Answered, Error> {
        let is_known = earlier.iter().any(|it| it.repeats.is_some());
        let repeats = if is_known { None } else { self.probed(matrix, model)? };
        Ok(Answered {
            endpoint: self.endpoint.address(),
            server: self.name.clone(),
            lists: self.lists.clone(),
            began: bench::now(),
            repeats,
            tokens: 0,
            stopped: "it was killed".to_owned(),
        })
    }

    /// Asks whether the server repeats itself, and says what was found, and how long a completion took. None if some
    /// answer did not come.
    fn probed(&self, matrix: &Matrix, model: &Model<'_>) -> Result<Option<Repeats>, Error> {
        let seed = matrix.plan().seeds[0];
        let [one, other] = [0, matrix.plan().scenarios.len() - 1].map(|place| matrix.scenario(place, seed));
        let options = live::options(matrix.plan());
        let [one, other] =
            [(&one, seed), (&other, seed + 1)].map(|(it, seed)| World::draw(it, seed, options));
        let watch = Stopwatch::start();
        let Some(repeats) = model.probe(&one, &other).map_err(|refusal| self.refused(&refusal))? else {
            return Ok(None);
        };
        let tenths = watch.nanoseconds() / PROBED / 100_000_000;
        say(format_args!(
            "the same request twice: {}; with another one between: {}; a completion took {}.{} s",
            if repeats.at_once { "the same answer" } else { "different answers" },
            if repeats.after_another { "the same answer" } else { "different answers" },
            tenths / 10,
            tenths % 10,
        ));
        Ok(Some(repeats))
    }

    fn refused(&self, refusal: &Refusal) -> Error {
        let error = Error::usage("--endpoint", "an answer to the first request", refusal);
        match &*self.lists {
            [] => error.hint("check the address, --model, --api and --key-env"),
            lists => error.hint(&format!(
                "the server lists these models: {}; check --model, --api and --key-env",
                lists.join(", ")
            )),
        }
    }
}

/// The key in an environment variable of this name.
#[expect(clippy::disallowed_methods, reason = "a key on the command line would be in the list of processes")]
fn key(name: &str) -> Result<Key, Error> {
    let expected = "the name of an environment variable that has a key";
    let text = std::env::var(name).map_err(|error| {
        let found = match error {
            // It may be the key itself, which must not be shown.
            VarError::NotPresent if !is_name(name) => "a text that is no such name".to_owned(),
            VarError::NotPresent => format!("no variable `{name}`"),
            VarError::NotUnicode(_) => format!("`{name}`, which is not UTF-8"),
        };
        Error::usage("--key-env", expected, found)
    })?;
    if text.trim().is_empty() {
        return Err(Error::usage("--key-env", expected, format!("`{name}`, which is empty")));
    }
    Key::new(&text)
}

/// Whether this can be the name of a variable, as people name them; keys have small letters.
fn is_name(text: &str) -> bool {
    text.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_')
}
