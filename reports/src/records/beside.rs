//! The optional files in the folder of a bench, apart from its record.

use super::cost::Cost;
use super::judged::JudgedIntervention;
use super::reactions::Reactions;

/// The contents of the optional files in the folder of a record; empty where a file is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beside {
    /// The measured costs.
    pub cost: Cost,
    /// What a reader says of the interventions of a live record.
    pub judged: Vec<JudgedIntervention>,
    /// How the model of a live record took messages.
    pub reactions: Option<Reactions>,
}
