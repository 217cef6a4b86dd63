//! The healthy scenarios that come with Balk under `default`: they reach their goal, and are left alone.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::catalogue_measures::{all, all_hold, interventions, say};
use crate::common::runs::{criterion, under};
use balk::audit::Expectation;
use balk_guards::Protocol;
use balk_reports::statistics::per_thousand;
use balk_scenarios::format::Document;
use balk_scenarios::{Kind, Scenario, World, WorldOptions, agents, toolsets};

/// Known false interventions, with their rules: a build that takes longer than the guard's patience, and what comes
/// after it, because the model does what it is told; and one more try after the same transient error, which the model
/// sends again when it is refused.
const KNOWN: [(&str, &[&str]); 2] = [
    ("long-build", &["waiting", "no-call"]),
    ("outage-control", &["same-call", "same-call-after-feedback", "no-call"]),
];

fn is_known(scenario: &Scenario, rule: &str) -> bool {
    KNOWN.iter().any(|(name, rules)| &*scenario.name == *name && rules.contains(&rule))
}

/// What is learnt from these two is taken for a habit of an agent, so nothing in them may give a reason to step in.
#[test]
fn what_profiles_are_learnt_from_is_long_and_left_alone() {
    for ((name, text), turns) in agents::HEALTHY.into_iter().zip([44, 30]) {
        let document = Document::new(name, text, Kind::Control, &[]).expect("the file is valid");
        let scenario = document.scenario(toolsets::catalogue()).expect("the scenario is valid");
        assert_eq!(&*scenario.name, name);
        for run in under(&scenario, criterion(), "default") {
            let grade = &run.grade;
            assert_eq!(
                (grade.goal, grade.interventions, grade.healthy_turns),
                (true, 0, turns),
                "{name} {}",
                run.seed
            );
        }
    }
}

#[test]
fn controls_do_their_work_and_are_left_alone() {
    /// False interventions and healthy turns.
    type Disturbed = (u64, u64);
    let mut broken = Vec::new();
    let mut acting: Disturbed = (0, 0);
    let mut languages: BTreeMap<String, Disturbed> = BTreeMap::new();
    for scenario in all(Kind::Control) {
        for run in under(&scenario, criterion(), "default") {
            let world = World::draw(&scenario, run.seed, WorldOptions::default());
            let grade = &run.grade;
            // A model that was disturbed may stop early.
            let is_disturbed = interventions(&run).any(|note| is_known(&scenario, &note.rule));
            let is_lost = grade.goal == scenario.unreachable.is_some() && !is_disturbed;
            if is_lost || grade.onset.is_some() {
                broken.push(format!(
                    "{} seed {}: goal {}, onset {:?}",
                    scenario.name, run.seed, grade.goal, grade.onset
                ));
            }
            match scenario.protocol {
                Protocol::Tool => {
                    // A message at the end of a run that could not reach its goal is judged below.
                    let at_the_end = u32::from(scenario.unreachable.is_some());
                    let said = interventions(&run).map(|note| &*note.rule);
                    let unknown: Vec<_> = said.filter(|it| !is_known(&scenario, it)).collect();
                    if grade.interventions > at_the_end && !unknown.is_empty() {
                        broken.push(format!("{} seed {}: {unknown:?}", scenario.name, run.seed));
                    }
                    acting.0 += u64::from(grade.interventions.saturating_sub(at_the_end));
                    acting.1 += u64::from(grade.healthy_turns);
                }
                Protocol::Text => {
                    let drawn = world.drawn();
                    let language = drawn.iter().find(|(name, _)| name == "language");
                    let (_, language) = language.expect("every world has a language");
                    let sum = languages.entry(language.clone()).or_default();
                    // Every turn of a control is healthy, so every intervention is false.
                    sum.0 += u64::from(grade.interventions);
                    sum.1 += u64::from(grade.healthy_turns);
                }
            }
        }
    }
    let total = languages.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    languages.insert("all".into(), total);
    let mut table = String::new();
    for (language, (count, turns)) in &languages {
        let rate = per_thousand(*count, *turns).expect("every language has turns");
        writeln!(table, "{language}: {count} in {turns} healthy turns, {rate} per 1,000")
            .expect("writing to a string never fails");
    }
    say(&table);
    let rate = per_thousand(acting.0, acting.1).expect("there are controls that act");
    say(&format!("where a tool ends the task: {} in {} healthy turns, {rate} per 1,000", acting.0, acting.1));
    if 1_000 * acting.0 > 2 * acting.1 {
        broken.push(format!("more than two in 1,000 turns of those that act: {rate}"));
    }
    assert!(languages.len() > 5, "five languages and their sum:\n{table}");
    for (language, (count, turns)) in &languages {
        if !Expectation::SeldomDisturbed.holds(*count, *turns) {
            broken.push(format!("too many in {language}:\n{table}"));
        }
    }
    all_hold(&broken);
}
