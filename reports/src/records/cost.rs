//! What a turn costs on one machine: figures that a bench leaves beside its record, apart from what is the same
//! everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the bytes of a turn come from the model or from a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The arguments of a call.
    Written,
    /// The result of a call.
    Read,
}

impl Work {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Written, Self::Read];

    /// The name, as records have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Read => "read",
        }
    }
}

/// Wall-clock time of a guard's turns of about one size. The times are of one machine; only their ratio to the
/// anchor, xxh3 over as many bytes in the same run, means something elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The stack.
    pub guard: String,
    /// What a turn does with the bytes.
    pub what: Work,
    /// Bytes of a turn.
    pub bytes: u64,
    /// Turns.
    pub turns: u64,
    /// Half of the turns took at most this, in nanoseconds.
    pub p50_ns: u64,
    /// Of 100 turns 99 took at most this, in nanoseconds.
    pub p99_ns: u64,
    /// Half of the runs of the anchor took at most this, in nanoseconds.
    pub anchor_p50_ns: u64,
}

/// Instructions of one turn of a size. The anchor has rows of its own, under the name of its function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instructions {
    /// The stack, or the anchor.
    pub guard: String,
    /// What the turn does with the bytes.
    pub what: Work,
    /// Bytes of the turn.
    pub bytes: u64,
    /// Instructions.
    pub instructions: u64,
}

/// All that was measured of cost; may be nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Wall-clock times.
    pub timed: Vec<Timed>,
    /// Instruction counts.
    pub instructions: Vec<Instructions>,
}

/// How the record of a bench was made: what differs from machine to machine and from run to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// The command line, as a shell takes it.
    pub command: String,
    /// The machine.
    pub host: Host,
    /// Threads that played units.
    pub threads: u64,
    /// `release`, or `debug` where the build checks its own arithmetic.
    pub profile: String,
    /// Units that this run played; a resumed run found the others done.
    pub units: u64,
    /// What playing them took, in milliseconds.
    pub taken_ms: u64,
    /// Units a second.
    pub units_per_second: u64,
    /// What a turn cost under each stack; a debug build measures nothing.
    pub timed: Vec<Timed>,
}

/// A machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The processor, where the system names it.
    pub cpu: Option<String>,
    /// The operating system.
    pub os: String,
    /// The instruction set.
    pub arch: String,
}
