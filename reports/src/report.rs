//! The report of a bench: typed tables, from the record and nothing else. How they look is another matter.
//!
//! Every figure is a type of [`stats`](crate::stats), with its interval and what it is of. In pooled figures
//! every trial, stuck run and turn counts alike. In JSON numbers have four significant digits, `null`
//! is a number that there is not or a bound that is open, and seeds are text.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use crate::bench::Bench;
use crate::cost::Cost;

mod draws;
mod expense;
mod false_interventions;
mod figures;
mod head;
mod limits;
mod ranking;
mod sensitivity;
mod slips;
mod stacks;
mod versus;

pub use expense::{Expense, InstructionRow, TimedRow};
pub use false_interventions::{FalseByLanguage, FalseByRule, FalseByShape, FalseInterventions, ShapeRate};
pub use figures::{Comparison, Figures};
pub use head::{Head, Missing};
pub use limits::LIMITS;
pub use ranking::{Ranked, Ranking};
pub use sensitivity::{CellShift, ParameterRange, Sensitivity, Shift, StackShift};
pub use slips::SlipRow;
pub use stacks::{ScenarioRow, ScenarioTable, StackRow, StackTable};
pub use versus::{Measure, Versus, VersusCell, VersusCount};

/// The version of the report; rises when a reader of the old one would misread the new one.
pub const REPORT_SCHEMA: u32 = 1;

/// The stack that is what Balk advises.
pub const DEFAULT: &str = "default";

/// The stack that is told the truth: a bound, and nobody's rival.
pub const ORACLE: &str = "oracle";

/// Everything that a bench says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`REPORT_SCHEMA`].
    #[schemars(extend("const" = REPORT_SCHEMA))]
    pub schema: u32,
    /// What was measured.
    pub head: Head,
    /// Every stack over all scenarios.
    pub stacks: StackTable,
    /// Which stack is surely before which.
    pub ranking: Ranking,
    /// Where another stack is better than `default`, and where it is worse; nothing where there is no
    /// `default`.
    pub versus: Option<Versus>,
    /// Interventions in healthy turns, by what stood in the way of silence.
    pub false_interventions: FalseInterventions,
    /// What each uncertain number of the response model does to the figures.
    pub sensitivity: Sensitivity,
    /// What should not happen in any trial, with the command that shows it.
    pub slips: Vec<SlipRow>,
    /// What a turn costs; empty where nobody measured it.
    pub expense: Expense,
    /// Every stack on each scenario.
    pub scenarios: Vec<ScenarioTable>,
    /// What this does not show.
    pub limits: Vec<String>,
}

impl Report {
    /// The report of a record, with what was measured of cost beside it.
    #[must_use]
    pub fn new(bench: &Bench, cost: &Cost) -> Self {
        Self {
            schema: REPORT_SCHEMA,
            head: Head::new(bench),
            stacks: StackTable::new(bench),
            ranking: Ranking::new(bench),
            versus: Versus::new(bench),
            false_interventions: FalseInterventions::new(bench),
            sensitivity: Sensitivity::new(bench),
            slips: slips::slips(bench),
            expense: Expense::new(cost),
            scenarios: stacks::scenarios(bench),
            limits: LIMITS.iter().map(|&it| it.to_owned()).collect(),
        }
    }

    /// The JSON Schema of a report.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Self>()
    }
}
