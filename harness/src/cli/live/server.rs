//! The server of a live run: how it is reached, how it names itself, and whether it repeats itself.

use std::env::VarError;
use std::time::Duration;

use balk_contract::wire::Dialect;
use balk_reports::records::{Answered, Repeats};
use balk_scenarios::{World, WorldOptions};

use crate::bench::Matrix;
use crate::cli::say::say;
use crate::error::Error;
use crate::live::Model;
use crate::live::endpoint::{Endpoint, Key, Listed, Settings};

/// The time limit for one completion: small machines take minutes for a long one.
const TIMEOUT: Duration = Duration::from_secs(600);

/// How often a request is sent before its unit is given up.
const TRIES: u32 = 6;

/// The server at this address, with the key in the environment variable of this name.
pub(super) fn at(url: &str, dialect: Dialect, key_env: Option<&str>) -> Result<Endpoint, Error> {
    let key = key_env.map(key).transpose()?;
    Endpoint::new(Settings { url: url.to_owned(), dialect, key, timeout: TIMEOUT, tries: TRIES })
}

/// The key in an environment variable of this name.
#[expect(clippy::disallowed_methods, reason = "a key on the command line would be in the list of processes")]
fn key(name: &str) -> Result<Key, Error> {
    let expected = "the name of an environment variable that has a key";
    let text = std::env::var(name).map_err(|error| {
        let found = match error {
            VarError::NotPresent => format!("no variable `{name}`"),
            VarError::NotUnicode(_) => format!("`{name}`, which is not UTF-8"),
        };
        Error::usage("--key-env", expected, found)
    })?;
    Key::new(&text)
}

/// A run that begins now, as its folder describes it until it ends.
pub(super) fn begun(endpoint: &Endpoint, began: String, repeats: Option<Repeats>) -> Answered {
    Answered {
        endpoint: endpoint.address(),
        server: None,
        lists: Vec::new(),
        began,
        repeats,
        tokens: 0,
        stopped: "it was killed".to_owned(),
    }
}

/// How a server names itself, and the models that it lists.
pub(super) fn names(endpoint: &Endpoint) -> (Option<String>, Vec<String>) {
    let Some(models) = endpoint.models() else { return (None, Vec::new()) };
    let named =
        |Listed { name, owner }| owner.map_or_else(|| name.clone(), |owner| format!("{name} ({owner})"));
    (models.server, models.listed.into_iter().map(named).collect())
}

/// Asks whether the server repeats itself, and says what was found. None without a server that answers.
pub(super) fn probed(matrix: &Matrix, model: &Model<'_>) -> Option<Repeats> {
    let seed = matrix.plan().seeds[0];
    let [one, other] = [0, matrix.plan().scenarios.len() - 1].map(|place| matrix.scenario(place, seed));
    let options = WorldOptions { pools: matrix.plan().pools, ..WorldOptions::default() };
    let [one, other] = [(&one, seed), (&other, seed + 1)].map(|(it, seed)| World::draw(it, seed, options));
    let repeats = model.probe(&one, &other)?;
    say(format_args!(
        "the same request twice: {}; with another one between: {}",
        if repeats.at_once { "the same answer" } else { "different answers" },
        if repeats.after_another { "the same answer" } else { "different answers" },
    ));
    Some(repeats)
}
