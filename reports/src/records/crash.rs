//! What came of runs of real agents whose model balked: the record of `balk crash`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Kind;

/// The version of the record. It rises when an old reader would misread a new record.
pub const CRASH_SCHEMA: u32 = 3;

/// The record of a `balk crash`: one line, with a [seal](super::seal).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = with_seal)]
pub struct Record {
    /// [`CRASH_SCHEMA`].
    #[schemars(extend("const" = CRASH_SCHEMA))]
    pub schema: u32,
    /// The version of Balk.
    pub balk: String,
    /// The command, quoted for a shell.
    pub command: String,
    /// Whether each run had namespaces of its own.
    pub isolated: bool,
    /// How many runs were asked for.
    pub planned: u64,
    /// The agents, in the order of the command.
    pub agents: Vec<Agent>,
    /// The runs that have a verdict: agent by agent, scenario by scenario, seed by seed.
    pub runs: Vec<Run>,
    /// The same actors in process.
    pub in_process: Vec<InProcess>,
}

/// The file has one more member.
fn with_seal(schema: &mut Schema) {
    let seal = json!({
        "description": "The checksum of the members before it: the 64-bit xxh3, in hexadecimal.",
        "type": "string",
        "pattern": "^[0-9a-f]{16}$",
    });
    if let Some(members) = schema.get_mut("properties").and_then(|it| it.as_object_mut()) {
        members.insert("seal".to_owned(), seal);
    }
    if let Some(required) = schema.get_mut("required").and_then(|it| it.as_array_mut()) {
        required.push("seal".into());
    }
}

/// An agent that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The version that its profile is of; none for an agent without a profile.
    pub version: Option<String>,
}

/// A run that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The agent.
    pub agent: String,
    /// The scenario.
    pub scenario: String,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The seed, as text: not every reader of JSON has whole numbers of this size.
    pub seed: String,
    /// The folder of the run, below that of the record.
    pub folder: String,
    /// The XXH3 of `record.jsonl` in hexadecimal digits, to compare repeats; none if the run left no such file.
    pub record: Option<String>,
    /// What came of it.
    pub verdict: Verdict,
}

/// The actor of a scenario in process, where a stack of guards is the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InProcess {
    /// The scenario.
    pub scenario: String,
    /// The seed, as text.
    pub seed: String,
    /// The stack.
    pub stack: String,
    /// What came of it.
    pub word: Word,
    /// Turns of the model.
    pub turns: u32,
    /// What the guards did.
    pub interventions: u32,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The task is done.
    Reached,
    /// It is not done, and the user was told.
    Told,
    /// It is not done, and the agent ended without a word about that.
    Silent,
    /// It went on until a bound stopped it.
    RanOn,
    /// The agent's own program broke: an exception that it did not expect, a panic, a signal.
    Crashed,
    /// It could not be run, or not as the scenario says.
    NotRun,
}

impl Word {
    /// All words, the best first.
    pub const ALL: [Self; 6] =
        [Self::Reached, Self::Told, Self::Silent, Self::RanOn, Self::Crashed, Self::NotRun];

    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Told => "told",
            Self::Silent => "silent",
            Self::RanOn => "ran-on",
            Self::Crashed => "crashed",
            Self::NotRun => "not-run",
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Processes that were there after the agent had ended: how many of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Left(pub BTreeMap<String, u32>);

/// The verdict of a run, and its reasons.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// In one word.
    pub word: Word,
    /// Why it could not be run or was stopped, the line with which the user was told, or the last one that they read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// Whether the program ended with 0, without the goal and without a word: a lie.
    pub lie: bool,
    /// The exit code; none after a signal.
    pub code: Option<i32>,
    /// How often the program was started: once for each word of the user.
    pub runs: usize,
    /// Requests to the model.
    pub requests: u64,
    /// Tokens of all requests and of all answers: an estimate, a quarter of their bytes.
    pub tokens: [u64; 2],
    /// The longest row of equal calls.
    pub identical_calls: usize,
    /// The agent's own words to the model, with the number of the act that they followed: the first ones of very many.
    pub interventions: Vec<(usize, String)>,
    /// How many more of these there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_interventions: usize,
    /// Calls that were answered, and of how many the world knows what came of them.
    pub calls: [usize; 2],
    /// Of these, calls that did something else than the scenario says: another program answered, or another text was
    /// written.
    pub otherwise: usize,
    /// Acts that are those of the same actor in process, and those that can be compared: up to the agent's first word.
    pub same_acts: [usize; 2],
    /// Whether the same actor does the task in process, without a guard.
    pub goal_in_process: bool,
    /// Whether the scenario's user had more to say, and the agent cannot go on with a conversation.
    pub unheard: bool,
    /// Whether what came of a broken answer was kept as if it were whole.
    pub kept_cut: bool,
    /// Processes that were left behind.
    pub left: Left,
    /// How long it ran, in milliseconds. Two equal runs differ in it.
    pub milliseconds: u64,
    /// How long the agent waited before each request that it sent again, in milliseconds: the first ones of very many.
    /// Two equal runs differ in it.
    pub waits: Vec<u64>,
    /// How many more of these there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_waits: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Verdict {
    /// How often the agent said something of its own to the model.
    #[must_use]
    pub fn own_words(&self) -> usize {
        self.interventions.len().saturating_add(self.more_interventions)
    }

    /// How many requests the agent sent again.
    #[must_use]
    pub fn sent_again(&self) -> usize {
        self.waits.len().saturating_add(self.more_waits)
    }

    /// A run that did not come about, for this reason.
    #[must_use]
    pub fn not_run(why: String) -> Self {
        Self {
            word: Word::NotRun,
            line: Some(why),
            lie: false,
            code: None,
            runs: 0,
            requests: 0,
            tokens: [0, 0],
            identical_calls: 0,
            interventions: Vec::new(),
            more_interventions: 0,
            calls: [0, 0],
            otherwise: 0,
            same_acts: [0, 0],
            goal_in_process: false,
            unheard: false,
            kept_cut: false,
            left: Left::default(),
            milliseconds: 0,
            waits: Vec::new(),
            more_waits: 0,
        }
    }
}

impl Run {
    /// Whether the agent said something to a model that got on, or ended work that would have come to its goal.
    #[must_use]
    pub fn is_false_alarm(&self) -> bool {
        let Verdict { word, goal_in_process, unheard, .. } = &self.verdict;
        let is_played = self.kind == Kind::Control && *word != Word::NotRun;
        let ended_it = matches!(word, Word::Told | Word::Silent | Word::Crashed);
        is_played && (self.verdict.own_words() > 0 || ended_it && *goal_in_process && !unheard)
    }
}
