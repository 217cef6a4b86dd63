//! `balk serve`: a scenario's stubborn model behind the APIs of real providers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use balk_scenarios::{Pools, Worlds, agents, nearest};
use clap::Args;

use super::interrupt::Interrupt;
use super::listening::{Listening, log_folder};
use super::load::{self, Failure, Named};
use super::suite;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::serve::{Elsewhere, Scripts, Serve as Serving, Server, Sites};

const AFTER_HELP: &str = "\
The first line on standard output is the base URL. Point the agent at it: with /v1 at the end for OpenAI's APIs, as it
is for Anthropic's and Gemini's. Any key will do. With --suite the base URL names the scenario: URL/c/SCENARIO/v1 or
URL/c/SCENARIO:SEED/v1. URL/_balk/transcript shows what happened, a step a line, and URL/_balk/verdict what came of it;
URL/_balk/state and (POST) URL/_balk/reset are there as well, each also after URL/c/NAME.";

/// Arguments of `balk serve`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Serve {
    /// A scenario of the catalogue, drawn worlds (`balk list` shows both), or one in a file: the stubborn one, or
    /// FILE#NAME
    #[arg(value_name = "NAME|FILE", required_unless_present = "suite")]
    target: Option<String>,

    /// Many scenarios, each by its name in the base URL: what `balk bench --suite` takes
    #[arg(long, value_name = "NAMES", conflicts_with = "target")]
    suite: Option<String>,

    /// The seed of conversations that do not name one
    #[arg(long, value_name = "N", default_value_t = load::SEED)]
    seed: u64,

    /// What is known of the agent: a profile that comes with Balk (docs/agents.md), or the file of one
    #[arg(long, value_name = "NAME|FILE")]
    agent: Option<String>,

    #[command(flatten)]
    listening: Listening,

    /// The folder that the agent works in, for tools that want absolute paths [default: this folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,

    /// A folder that gets the steps of each conversation as they come
    #[arg(long, value_name = "DIR")]
    log: Option<PathBuf>,

    /// Refuse the requests of a conversation after the first N
    #[arg(long, value_name = "N")]
    max_requests: Option<u64>,
}

impl Serve {
    /// Runs the command, until somebody interrupts it.
    ///
    /// # Errors
    /// An invalid command line, an address that is not free, an output that cannot be written.
    pub fn run(&self) -> Result<Exit, Error> {
        let worlds = match self.worlds() {
            Ok(worlds) => worlds,
            Err(failure) => return failure.or_exit(),
        };
        let profile = match &self.agent {
            Some(agent) => Some(match profile(agent) {
                Ok(profile) => profile,
                Err(failure) => return failure.or_exit(),
            }),
            None => None,
        };
        let serving = Serving {
            address: self.listening.address(),
            token: self.listening.token()?,
            max_requests: self.max_requests,
            log: self.log.clone(),
            sites: self.sites()?,
            ..Serving::new(Scripts { worlds, seed: self.seed, profile })
        };
        let _lock = log_folder(self.log.as_deref())?;
        let interrupt = Interrupt::catch();
        let server = Server::start(serving).map_err(|error| self.listening.failed(&error))?;
        let url = server.url();
        let about = format!("Ctrl-C ends it; {url}/_balk/transcript shows what happened");
        self.listening.wait(&interrupt, (&url, &about), || {}, || server.unlogged())
    }

    fn sites(&self) -> Result<Box<Sites>, Error> {
        let named = self.workspace.as_deref().unwrap_or(Path::new("."));
        let folder = std::fs::canonicalize(named).map_err(|error| Error::unreadable(named, &error))?;
        let root = Some(folder.display().to_string());
        Ok(Box::new(move || Box::new(Elsewhere { root: root.clone() })))
    }

    fn worlds(&self) -> Result<Vec<Worlds>, Failure> {
        match (&self.target, &self.suite) {
            (Some(target), _) => Ok(vec![Named::one(target)?.read(&[])?]),
            (None, suite) => {
                let asked = suite::asked(suite.as_deref().unwrap_or("all"), Pools::Open, &[], &[Vec::new()])?;
                Ok(asked.into_iter().map(|it| it.worlds).collect())
            }
        }
    }
}

/// The profile that a name or a file gives.
pub(super) fn profile(agent: &str) -> Result<Arc<agents::Profile>, Failure> {
    if let Some(profile) = agents::find(agent) {
        return Ok(Arc::new(profile.clone()));
    }
    let path = PathBuf::from(agent);
    if path.extension().is_none() {
        let known = || agents::catalogue().iter().map(|it| it.agent.as_str());
        let hint = match nearest(agent, known()) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("known are {}", known().collect::<Vec<_>>().join(", ")),
        };
        return Err(Error::usage(
            "--agent",
            "the name of an agent, or the file of a profile",
            format!("`{agent}`"),
        )
        .hint(&hint)
        .into());
    }
    let text = input::text(&path)?;
    Ok(Arc::new(agents::parse(agent, &text)?))
}
