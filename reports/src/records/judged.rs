//! Interventions of a live record that a reader has judged.

/// One intervention of the sample that a live run draws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedIntervention {
    /// The run that it belongs to. Interventions of one run resemble each other.
    pub run: String,
    /// Whether it counts as disturbing by the rule; else it is in doubt.
    pub disturbing: bool,
    /// Whether the reader found it false; none if the reader is unsure, or has not judged it.
    pub is_false: Option<bool>,
    /// Its weight: the number of interventions in the record for each one in the sample, in thousandths.
    pub weight: u64,
}
