//! The rules of this guard, with their rungs.

use balk_contract::rules::{Rule, Rung, Step};

pub(super) const RULES: &[Rule] = &[
    // This guard never stops a waiting model; the stack counts its questions.
    Rule::new("waiting", &[Rung::at(1, Step::Note), Rung::at(2, Step::Block), Rung::at(3, Step::Question)]),
    Rule::new("unknown-tool", LADDER),
    Rule::new("invalid-arguments", LADDER),
    Rule::new("refused-finish", LADDER),
    Rule::new("growing-call", LADDER),
    Rule::new("cycle", LADDER),
    Rule::new("rewrite", LADDER),
    Rule::new("no-op", LADDER),
    Rule::new("rewriting", LADDER),
    Rule::new("repeat", LADDER),
    Rule::new("persisting-failure", LADDER),
    Rule::new("near-call", LADDER),
    Rule::new("same-failure", LADDER),
    Rule::new("same-answer", LADDER),
    Rule::new("wandering", LADDER),
    Rule::new("refused-replies", CORRECTIONS),
    Rule::new("repeated-text", CORRECTIONS),
];

const LADDER: &[Rung] = &[
    Rung::at(1, Step::Note),
    Rung::at(2, Step::Block),
    Rung::at(3, Step::Question),
    Rung::at(4, Step::Stop),
];

/// Without calls, only the whole completion can be refused.
const CORRECTIONS: &[Rung] = &[
    Rung::at(1, Step::Feedback),
    Rung::at(2, Step::Feedback),
    Rung::at(3, Step::Question),
    Rung::at(4, Step::Stop),
];
