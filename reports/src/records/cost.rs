//! The cost of a turn on one machine. A bench writes it to a file of its own, because records are the same on every
//! machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the bytes of a turn come from, and what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The arguments of a call: a file.
    Written,
    /// The result of a call: a file.
    Read,
    /// The result of a command, as tools print it: tests, listings, logs.
    Log,
    /// The same of a command that fails, each time in another way.
    Failed,
}

impl Work {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Written, Self::Read, Self::Log, Self::Failed];

    /// The name in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Read => "read",
            Self::Log => "log",
            Self::Failed => "failed",
        }
    }
}

/// The wall-clock time of a guard's turns of about one size, on one machine. Only their ratio to the anchor, xxh3 over
/// as many bytes in the same run, can be compared between machines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The stack.
    pub guard: String,
    /// Where the bytes of a turn come from.
    pub what: Work,
    /// Bytes of a turn.
    pub bytes: u64,
    /// Turns.
    pub turns: u64,
    /// The median time of a turn, in nanoseconds.
    pub p50_ns: u64,
    /// The 99th percentile of the time of a turn, in nanoseconds.
    pub p99_ns: u64,
    /// The median time of the anchor, in nanoseconds.
    pub anchor_p50_ns: u64,
}

/// The instructions of one turn of this size. The anchor has rows of its own, under the name of its function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instructions {
    /// The stack, or the anchor.
    pub guard: String,
    /// Where the bytes of the turn come from.
    pub what: Work,
    /// Bytes of the turn.
    pub bytes: u64,
    /// Instructions.
    pub instructions: u64,
}

/// The measured costs; both lists may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Wall-clock times.
    pub timed: Vec<Timed>,
    /// Instruction counts.
    pub instructions: Vec<Instructions>,
}

/// How a bench ran: what differs between machines and between runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// The command line, quoted for a shell.
    pub command: String,
    /// The machine.
    pub host: Host,
    /// The threads that ran units.
    pub threads: u64,
    /// `release`, or `debug` if the build checks for arithmetic overflow.
    pub profile: String,
    /// The units of this run; a resumed run skips the units that are done.
    pub units: u64,
    /// The time for these units, in milliseconds.
    pub taken_ms: u64,
    /// Units per second.
    pub units_per_second: u64,
    /// The cost of a turn under each stack; empty in debug builds and in live runs.
    pub timed: Vec<Timed>,
    /// Where the model of a live record was and how it answered: one for each run that added to the record, the first
    /// run first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<Answered>,
}

/// Where the model of one live run was, and how it answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The address that requests went to.
    pub endpoint: String,
    /// How the server names itself, if it does.
    pub server: Option<String>,
    /// The models that the server lists, as it names them; empty if it lists none.
    pub lists: Vec<String>,
    /// When the run began, in UTC.
    pub began: String,
    /// Whether the server gives the same answer to the same request; none if an earlier run found out, or no answer
    /// came.
    pub repeats: Option<Repeats>,
    /// Tokens of this run, in requests and completions.
    pub tokens: u64,
    /// Why it ended before all units were played; empty if it did not.
    pub stopped: String,
}

/// Whether a server gives the same answer to the same request, with the same seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repeats {
    /// Twice in a row.
    pub at_once: bool,
    /// With another request between.
    pub after_another: bool,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The processor, if the system names it.
    pub cpu: Option<String>,
    /// The operating system.
    pub os: String,
    /// The instruction set.
    pub arch: String,
}
