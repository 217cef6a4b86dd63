//! The report of a bench as typed tables, computed from the record alone.
//!
//! Every figure is a type of [`statistics`](crate::statistics), with its interval and its n. In pooled figures every
//! trial, stuck run and turn counts alike. In JSON, numbers have four significant digits, `null` is a missing number or
//! an open bound, and seeds are text.

mod draws;
mod expense;
mod false_interventions;
mod figures;
mod head;
mod judged;
mod lapses;
mod limits;
mod live;
mod pooled;
mod ranking;
mod report;
mod sensitivity;
mod stacks;
mod versus;

pub use expense::{Expense, InstructionRow, TimedRow};
pub use false_interventions::{FalseByLanguage, FalseByRule, FalseByShape, FalseInterventions, ShapeRate};
pub use figures::{Comparison, Figures};
pub use head::{Head, Missing};
pub use judged::{LiveJudged, LiveJudgements};
pub use lapses::LapseRow;
pub use limits::{LIMITS, LIVE_LIMITS};
pub use live::{LiveEffect, LiveRow, LiveRule, LiveTable, LiveTokens, LiveWorld};
pub(super) use pooled::Cells;
pub use ranking::{Ranked, Ranking};
pub use report::{REPORT_SCHEMA, Report};
pub use sensitivity::{CellShift, ParameterRange, Sensitivity, Shift, StackShift};
pub use stacks::{ScenarioRow, ScenarioTable, StackRow, StackTable};
pub use versus::{CEILING, DEFAULT, Measure, ORACLE, Versus, VersusCell, VersusCount, VersusSuite};
