//! The report of a bench: all its tables.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::expense::Expense;
use super::false_interventions::FalseInterventions;
use super::head::Head;
use super::lapses::{self, LapseRow};
use super::limits::limits;
use super::live::LiveTable;
use super::ranking::Ranking;
use super::sensitivity::Sensitivity;
use super::stacks::{self, ScenarioTable, StackTable};
use super::versus::Versus;
use crate::records::{Bench, Beside};

/// The version of the report. It rises when an old reader would misread a new report.
pub const REPORT_SCHEMA: u32 = 2;

/// The report of a bench.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`REPORT_SCHEMA`].
    #[schemars(extend("const" = REPORT_SCHEMA))]
    pub schema: u32,
    /// What was measured.
    pub head: Head,
    /// How a real model did; only in the report of a live record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveTable>,
    /// Every stack over the scenarios of each suite.
    pub suites: Vec<StackTable>,
    /// Which stack is ahead of which; none for a live record, in which no parameters are drawn.
    pub ranking: Option<Ranking>,
    /// Every stack compared with `default`; none without `default`, and for a live record.
    pub versus: Option<Versus>,
    /// Interventions in healthy turns.
    pub false_interventions: FalseInterventions,
    /// What each parameter of the response model does to the figures.
    pub sensitivity: Sensitivity,
    /// What should not happen in any trial, each with a command that shows it.
    pub lapses: Vec<LapseRow>,
    /// The cost of a turn; empty if it was not measured.
    pub expense: Expense,
    /// Every stack on each scenario.
    pub scenarios: Vec<ScenarioTable>,
    /// What a bench does not show.
    pub limits: Vec<String>,
}

impl Report {
    /// The report of a record and of the other files in its folder.
    #[must_use]
    pub fn new(bench: &Bench, beside: &Beside) -> Self {
        let is_simulated = bench.plan.live.is_none();
        Self {
            schema: REPORT_SCHEMA,
            head: Head::new(bench),
            live: LiveTable::new(bench, beside),
            suites: StackTable::all(bench),
            ranking: is_simulated.then(|| Ranking::new(bench)),
            versus: if is_simulated { Versus::new(bench) } else { None },
            false_interventions: FalseInterventions::new(bench),
            sensitivity: Sensitivity::new(bench),
            lapses: lapses::lapses(bench),
            expense: Expense::new(&beside.cost),
            scenarios: stacks::scenarios(bench),
            limits: limits(is_simulated).iter().map(|&it| it.to_owned()).collect(),
        }
    }

    /// The JSON Schema of a report.
    #[must_use]
    pub fn schema() -> Schema {
        SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<Self>()
    }
}
