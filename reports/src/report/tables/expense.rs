//! What a turn costs, beside an anchor that ran on the same machine.

use schemars::JsonSchema;
use serde::Serialize;

use crate::records::{Cost, Instructions, Timed};
use crate::statistics::Times;

/// What a turn costs. There are no intervals: the times are quantiles of one run on one machine, and
/// instructions are counted.
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
    /// What was measured.
    pub timed: Timed,
    /// The median over that of the anchor.
    pub p50_anchors: Times,
    /// The 99th percentile over the median of the anchor.
    pub p99_anchors: Times,
}

/// The instructions of a turn of one size.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstructionRow {
    /// What was measured.
    pub counted: Instructions,
    /// Instructions for each byte.
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

    /// Whether nobody measured it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.timed.is_empty() && self.instructions.is_empty()
    }
}
