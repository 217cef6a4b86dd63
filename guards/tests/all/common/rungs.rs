//! The rungs of the guards, and how a run of the tests goes without one of them.

#[path = "../../../../harness/src/audit/without.rs"]
mod without;

use balk_guards::rules::{Rule, Step};
use balk_guards::{
    Abandonment, CallRepair, Duplicate, EmptyCompletion, Guard, Handoff, NoTools, Progress, Repetition,
    RetrySafety,
};

use without::{Removed, Without};

/// Names the rung that all guards of a run of the tests lack, as the audit spells it.
pub(crate) const WITHOUT: &str = "BALK_TEST_WITHOUT";

const RULES: [(&str, &[Rule]); 9] = [
    ("repair", CallRepair::RULES),
    ("abandonment", Abandonment::RULES),
    ("duplicate", Duplicate::RULES),
    ("no-tools", NoTools::RULES),
    ("empty-completion", EmptyCompletion::RULES),
    ("retry-safety", RetrySafety::RULES),
    ("handoff", Handoff::RULES),
    ("progress", Progress::RULES),
    ("repetition", Repetition::RULES),
];

/// Every rung of every guard: the guard, the rule, the step and the level, and how the audit spells it.
fn rungs() -> impl Iterator<Item = (Removed, String)> {
    let rules = RULES.iter().flat_map(|(guard, rules)| rules.iter().map(move |rule| (*guard, rule)));
    rules.flat_map(|(guard, rule)| {
        rule.rungs.iter().map(move |rung| spelled(guard, rule.name, rung.step, rung.level))
    })
}

fn spelled(guard: &str, rule: &str, step: Step, level: Option<u8>) -> (Removed, String) {
    let level_words = level.map_or_else(String::new, |level| format!(" at level {level}"));
    let words = format!("{guard}: {rule}, {}{level_words}", step.name());
    (Removed { guard: guard.to_owned(), rule: rule.to_owned(), step, level }, words)
}

/// How the audit spells every rung.
pub(crate) fn all() -> Vec<String> {
    rungs().map(|(_, words)| words).collect()
}

/// The guard as this run of the tests wants it: without a rung, if the environment names one.
pub(crate) fn without(inner: Box<dyn Guard>) -> Box<dyn Guard> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the tests run again without a rung; no trial depends on it"
    )]
    let wanted = std::env::var(WITHOUT);
    let Ok(wanted) = wanted else { return inner };
    lacking(inner, &wanted)
}

/// The guard without a rung, in the audit's spelling.
pub(crate) fn lacking(inner: Box<dyn Guard>, rung: &str) -> Box<dyn Guard> {
    let removed = rungs().find(|(_, words)| *words == *rung).expect("a rung of a guard").0;
    Box::new(Without { inner, removed })
}
