//! What happened in a conversation, step by step.

use std::sync::Arc;

use balk_guards::{AttemptCause, Status};
use balk_scenarios::Truth;
use serde::{Deserialize, Serialize};

/// One step of a conversation. Nothing in it depends on a clock, on ids or on how the agent's requests were sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub enum Step {
    /// The first request of the task, or the first one after the agent began anew.
    Opened {
        /// What it says in the user's role: the task, and what the agent adds.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        texts: Vec<Arc<str>>,
    },
    /// The model did something.
    Act {
        /// The state of the script.
        state: String,
        /// How often the script has been there, this time included.
        visit: u32,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// What is really going on.
        truth: Truth,
        /// What the model said.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        texts: Vec<Arc<str>>,
        /// What it called.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Called>,
        /// How the answer broke off on its way.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        broke: Option<AttemptCause>,
    },
    /// A call was answered.
    Result {
        /// What is known of the call.
        outcome: Outcome,
        /// What the agent says that the tool answered.
        text: Arc<str>,
        /// What the tool really said, where that is known and the agent shows it otherwise.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        said: Option<Arc<str>>,
    },
    /// The user of the scenario spoke.
    User {
        /// What they said.
        text: Arc<str>,
        /// How the agent shows it, where that is not the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<Arc<str>>,
    },
    /// The agent said something to the model that neither user nor tool said.
    Intervention {
        /// Where it stood.
        at: Where,
        /// What it said.
        text: Arc<str>,
    },
    /// A request that is not of the task: a title, a summary.
    Side {
        /// Its name.
        name: String,
        /// The beginning of its system text, where no profile names it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        system: Option<Arc<str>>,
    },
    /// A request of the task has another system text than the first one.
    System {
        /// How it begins.
        text: Arc<str>,
    },
    /// The agent's history is not what went before.
    History {
        /// How it differs.
        how: History,
    },
}

/// A call, as the model sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// The tool.
    pub tool: Arc<str>,
    /// The arguments.
    pub arguments: Arc<str>,
}

/// What is known of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It ran and worked.
    Worked,
    /// It ran and failed.
    Failed,
    /// It ran, and did something else than the scenario says.
    Otherwise,
    /// It did not run.
    NotRun,
    /// Only words say what came of it.
    Unknown,
}

impl Outcome {
    pub(super) fn of(status: Status) -> Self {
        match status {
            Status::Ok => Self::Worked,
            Status::Error => Self::Failed,
            Status::Unknown => Self::Unknown,
        }
    }
}

/// Where a word of the agent stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Where {
    /// In a message of the user.
    User,
    /// In a result.
    Result,
}

/// How a history differs from what went before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum History {
    /// It goes on from an earlier place than the last request.
    Forked,
    /// It is a new conversation.
    Restarted,
    /// Its beginning is not known, or it lacks turns; the script goes on from the last one that it shows.
    Rewritten,
    /// It has what came of an answer that broke off, as if it were whole.
    Kept,
}

impl Step {
    /// The step without what differs between two equal runs of an agent: what its tools printed, and the numbers in
    /// its own words.
    #[must_use]
    pub fn canonical(&self) -> Self {
        match self {
            Self::Opened { .. } => Self::Opened { texts: Vec::new() },
            Self::Result { outcome, .. } => Self::Result { outcome: *outcome, text: "".into(), said: None },
            Self::User { text, .. } => Self::User { text: text.clone(), shown: None },
            Self::Side { name, .. } => Self::Side { name: name.clone(), system: None },
            Self::System { text } => Self::System { text: without_digits(text).into() },
            Self::Intervention { at, text } => {
                Self::Intervention { at: *at, text: without_digits(text).into() }
            }
            Self::Act { .. } | Self::History { .. } => self.clone(),
        }
    }
}

/// Words with digits or slashes in them name what differs: ids, times, paths of this run.
fn without_digits(text: &str) -> String {
    let masked = |word: &str| {
        let differs = |c: char| c.is_ascii_digit() || c == '/';
        if word.contains(differs) { "#".to_owned() } else { word.to_owned() }
    };
    text.split(' ').map(masked).collect::<Vec<_>>().join(" ")
}
