//! The options of `balk scenario`, and the command that runs it again.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use balk_reports::records::quoted;
use balk_scenarios::{Pools, Reactions, ResponseMode, WorldOptions};
use clap::{Args, ValueEnum};

use crate::cli::format::Medium;
use crate::cli::gaps::Repository;
use crate::cli::load;
use crate::cli::set_from::SetFrom;
use crate::guards::Config;
use crate::program;

/// Arguments of `balk scenario`.
#[derive(Args, Clone, Debug)]
pub(super) struct Asked {
    /// A scenario of the catalogue, drawn worlds (`balk list` shows both), or one in a file: the stubborn one, or
    /// FILE#NAME
    #[arg(value_name = "NAME|FILE")]
    pub(super) target: String,

    /// The seed of the one trial to show
    #[arg(long, value_name = "N", default_value_t = load::SEED, conflicts_with = "seeds")]
    #[arg(value_parser = load::seed, allow_negative_numbers = true)]
    pub(super) seed: u64,

    /// Seeds of many trials, both ends included. Prints counts instead of a transcript
    #[arg(long, value_name = "A-B", allow_hyphen_values = true, value_parser = load::seeds)]
    pub(super) seeds: Option<RangeInclusive<u64>>,

    /// Guards: none, default, or NAME[=VARIANT][{key=value,…}] separated by commas. With --seeds it may be given
    /// again
    #[arg(long, value_name = "GUARDS", default_value = "default")]
    pub(super) guard: Vec<String>,

    /// Replace a value of the scenario file, named by its dotted path; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = load::set)]
    pub(super) set: Vec<(String, String)>,

    #[command(flatten)]
    pub(super) set_from: SetFrom,

    /// A TOML file with settings of guards, a table for each [default: balk.toml in this folder or the nearest one
    /// above it]. NO_TOOLS_GUARD_ENABLED, MISTAKE_LIMIT and NO_TOOLS_MESSAGE from the environment win over it
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,

    /// Draw texts and names from the reserve pools, on which nothing was tuned
    #[arg(long)]
    pub(super) reserve: bool,

    /// How the actor takes interventions. With --seeds, both `features` and `flat` are counted
    #[arg(long, value_enum, default_value_t = Response::Features, conflicts_with = "seeds")]
    pub(super) response: Response,

    /// Answer the guards' questions yourself, at the terminal. Without a terminal nothing waits. The exit code is 4 if
    /// the task is not done at the end
    #[arg(long, conflicts_with = "seeds")]
    pub(super) interactive: bool,

    /// A command that phrases, for the person who reads, why a run cannot go on. It gets the gap as one line of JSON
    /// and has ten seconds to print one line of prose. The record, the events and the report keep Balk's own words. So
    /// does what is shown if the command fails or prints anything else
    #[arg(long, value_name = "CMD", conflicts_with = "seeds")]
    pub(super) phraser: Option<String>,

    /// A new file for the events of the trial, one JSON object per line: the entries of the record, and a
    /// `capability_gap` if something was lacking
    #[arg(long, value_name = "FILE", conflicts_with = "seeds")]
    pub(super) events: Option<PathBuf>,

    /// The folder for gap reports, which are written if the user chooses to report [default: $BALK_STATE_DIR, else
    /// $XDG_STATE_HOME/balk, else ~/.local/state/balk; the scenario's own user writes none without this option]
    #[arg(long, value_name = "DIR", conflicts_with = "seeds")]
    pub(super) state_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(super) repository: Repository,

    /// Text for people, or records for programs, one JSON object per line. One trial can also be a page: beside it
    /// is the same seed without a guard
    #[arg(long, value_enum, default_value_t = Medium::Text)]
    pub(super) format: Medium,
}

/// How the actor takes interventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Response {
    /// By what their text says
    Features,
    /// All alike, whatever their text says
    Flat,
    /// By what their text says, with numbers that the seed draws from their ranges
    Drawn,
}

impl From<Response> for ResponseMode {
    fn from(response: Response) -> Self {
        match response {
            Response::Features => Self::Features,
            Response::Flat => Self::Flat,
            Response::Drawn => Self::Drawn,
        }
    }
}

impl Asked {
    /// The world of each trial.
    pub(super) fn options(&self, response: ResponseMode, reactions: Option<Reactions>) -> WorldOptions {
        WorldOptions { pools: self.pools(), response, reactions, ..WorldOptions::default() }
    }

    /// The pools that seeds draw from.
    pub(super) fn pools(&self) -> Pools {
        if self.reserve { Pools::Reserve } else { Pools::Open }
    }

    /// The command that repeats this run exactly.
    pub(super) fn command(&self, config: &Config, guards: &str) -> String {
        let mut command = program::command(&format!("scenario {}", quoted(&self.target)));
        match &self.seeds {
            Some(seeds) => command.push_str(&format!(" --seeds {}-{}", seeds.start(), seeds.end())),
            None => command.push_str(&format!(" --seed {}", self.seed)),
        }
        command.push_str(&format!(" --guard {guards}"));
        for (key, value) in &self.set {
            command.push_str(&format!(" --set {}", quoted(&format!("{key}={value}"))));
        }
        command.push_str(&self.set_from.again());
        command.push_str(&config.again());
        if self.reserve {
            command.push_str(" --reserve");
        }
        match self.response {
            Response::Features => {}
            Response::Flat => command.push_str(" --response flat"),
            Response::Drawn => command.push_str(" --response drawn"),
        }
        if self.interactive {
            command.push_str(" --interactive");
        }
        if let Some(phraser) = &self.phraser {
            command.push_str(&format!(" --phraser {}", quoted(phraser)));
        }
        command
    }
}
