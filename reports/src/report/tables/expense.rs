//! The cost of a turn, relative to an anchor on the same machine.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Cost, Instructions, Timed};
use crate::statistics::Times;

/// The cost of a turn. It has no intervals: times are quantiles of one run on one machine, and instructions are
/// counted exactly.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expense {
    /// Wall-clock times.
    pub timed: Vec<TimedRow>,
    /// Instruction counts.
    pub instructions: Vec<InstructionRow>,
}

/// The time of a guard's turns of one size.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimedRow {
    /// The measurement.
    pub timed: Timed,
    /// The median, divided by the median of the anchor.
    pub p50_anchors: Times,
    /// The 99th percentile, divided by the median of the anchor.
    pub p99_anchors: Times,
}

/// The instructions of a turn of one size.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionRow {
    /// The measurement.
    pub counted: Instructions,
    /// Instructions per byte.
    pub for_each_byte: Times,
}

impl Expense {
    pub(super) fn new(cost: &Cost) -> Self {
        let timed = cost.timed.iter().map(|it| TimedRow {
            timed: it.clone(),
            p50_anchors: Times::new(it.p50_ns, it.anchor_p50_ns),
            p99_anchors: Times::new(it.p99_ns, it.anchor_p50_ns),
        });
        let instructions = cost.instructions.iter().map(|it| InstructionRow {
            counted: it.clone(),
            for_each_byte: Times::new(it.instructions, it.bytes),
        });
        Self { timed: timed.collect(), instructions: instructions.collect() }
    }

    /// Whether nothing was measured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.timed.is_empty() && self.instructions.is_empty()
    }
}
