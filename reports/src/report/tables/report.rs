//! The tables of a bench together.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

use super::expense::Expense;
use super::false_interventions::FalseInterventions;
use super::head::Head;
use super::limits::LIMITS;
use super::ranking::Ranking;
use super::sensitivity::Sensitivity;
use super::slips::{self, SlipRow};
use super::stacks::{self, ScenarioTable, StackTable};
use super::versus::Versus;
use crate::records::{Bench, Cost};

/// The version of the report; rises when a reader of the old one would misread the new one.
pub const REPORT_SCHEMA: u32 = 1;

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
