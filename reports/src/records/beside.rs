//! What stands beside the record of a bench.

use super::cost::Cost;
use super::judged::JudgedIntervention;
use super::reactions::Reactions;

/// What stands beside a record, as far as it is there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The measured costs.
    pub cost: Cost,
    /// What a reader says of the interventions of a live record.
    pub judged: Vec<JudgedIntervention>,
    /// How the model of a live record took messages.
    pub reactions: Option<Reactions>,
}
