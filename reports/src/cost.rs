//! What a turn costs on one machine: figures that a bench leaves beside its record, apart from what is the
//! same everywhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Wall-clock time of a guard's turns of about one size. The times are of one machine; only their ratio to
/// the anchor, xxh3 over as many bytes in the same run, means something elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The stack.
    pub guard: String,
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

/// Instructions of one turn of a size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Instructions {
    /// The stack.
    pub guard: String,
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
