//! How an agent is run: its command, its environment, its files, and what installs it.

use std::fmt::{self, Display, Formatter};

use balk_contract::wire::Dialect;

use super::template::{Filling, Template};

/// How an agent is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What it speaks with its model.
    pub api: Dialect,
    /// What installs it, where that is known.
    pub install: Option<Install>,
    /// The program, and its arguments.
    pub command: Vec<Template>,
    /// The same for a run that goes on with the last conversation, if the agent can do that.
    pub resume: Option<Vec<Template>>,
    /// Its environment, beside what every program gets, by name.
    pub env: Vec<(String, Template)>,
    /// The files that it needs, by path below its home. They are written before the first run alone.
    pub files: Vec<(String, Template)>,
}

/// What installs an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Install {
    /// Packages of npm; their programs are in `node_modules/.bin`.
    Npm {
        /// The packages with their versions.
        packages: Vec<String>,
        /// The oldest major version of Node that runs it, where it is not content with any that is maintained.
        node: Option<u32>,
    },
    /// Packages of pip; with a virtual environment, their programs are in its `bin`.
    Pip {
        /// The packages with their versions.
        packages: Vec<String>,
    },
}

impl Run {
    /// The program and its arguments.
    #[must_use]
    pub fn command(&self, filling: &Filling<'_>) -> Vec<String> {
        filled(&self.command, filling)
    }

    /// The program and its arguments, for a run that goes on with the last conversation, if the agent can do that.
    #[must_use]
    pub fn resume(&self, filling: &Filling<'_>) -> Option<Vec<String>> {
        self.resume.as_ref().map(|it| filled(it, filling))
    }

    /// The names and values of its environment, beside what every program gets.
    #[must_use]
    pub fn env(&self, filling: &Filling<'_>) -> Vec<(&str, String)> {
        named(&self.env, filling)
    }

    /// The paths below its home, and the texts, of the files that it needs.
    #[must_use]
    pub fn files(&self, filling: &Filling<'_>) -> Vec<(&str, String)> {
        named(&self.files, filling)
    }
}

/// The command that a person types.
impl Display for Install {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Npm { packages, .. } => write!(f, "npm install {}", packages.join(" ")),
            Self::Pip { packages } => write!(f, "pip install {}", packages.join(" ")),
        }
    }
}

fn filled(templates: &[Template], filling: &Filling<'_>) -> Vec<String> {
    templates.iter().map(|it| it.fill(filling)).collect()
}

fn named<'a>(templates: &'a [(String, Template)], filling: &Filling<'_>) -> Vec<(&'a str, String)> {
    templates.iter().map(|(name, it)| (name.as_str(), it.fill(filling))).collect()
}
