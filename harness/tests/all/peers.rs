//! The peers in whole trials: the same bytes each time, legal views, and their documented behaviour.

use std::collections::BTreeMap;

use crate::common::runs::{recipe, recovered, under};
use crate::common::scenario;
use balk::guards::{Recipe, Registry};
use balk::verify;

/// Stubborn models and controls in which each peer has something to say, and broken attempts.
const SCENARIOS: [&str; 8] = [
    "repeating",
    "text-only",
    "long-cycle",
    "abandonment",
    "polling-with-changing-output",
    "parallel-fan-out",
    "transient-empty",
    "broken-while-writing",
];

#[test]
fn peers_do_the_same_each_time_and_leave_views_legal() {
    let stacks: Vec<Recipe> = Registry::standard().peers().iter().map(|it| recipe(it)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
    for name in SCENARIOS {
        let found = verify::worlds(&scenario(name, &[]).into(), &stacks, None, 0..=1, &pool);
        assert_eq!(found.trials, 2 * stacks.len(), "{name}");
        assert!(found.views > 0, "{name}");
        assert_eq!(found.difference, None, "{name}");
        assert_eq!(found.illegal, None, "{name}");
    }
}

/// The peers that disturb at least one of twenty runs of this scenario.
fn disturbers(name: &str) -> Vec<String> {
    let scenario = scenario(name, &[]);
    let disturbs =
        |peer: &String| under(&scenario, 0..=19, peer).iter().any(|run| run.grade.interventions > 0);
    Registry::standard().peers().into_iter().filter(disturbs).collect()
}

#[test]
fn who_looks_at_calls_only_disturbs_a_poll_whose_answer_changes() {
    let expected =
        ["cline", "roo-code", "gemini-cli", "qwen-code", "kimi-cli", "openrouter", "naive-duplicate"];
    assert_eq!(disturbers("polling-with-changing-output"), expected);
}

#[test]
fn who_wants_a_tool_in_every_reply_disturbs_a_question_that_is_answered_in_text() {
    assert_eq!(disturbers("answers-in-text"), ["cline", "roo-code", "naive-no-tools"]);
}

#[test]
fn paging_is_disturbed_by_nobody_but_who_refuses_for_ever() {
    assert_eq!(disturbers("paging"), ["naive-duplicate"]);
}

/// A silent peer recovers nothing: the same seeds recover as without a guard, and more recover under a rule that
/// intervenes.
#[test]
fn a_failing_call_over_and_over_is_ended_or_brought_back_by_whoever_sees_it() {
    let repeating = scenario("repeating", &[]);
    let alone = recovered(&under(&repeating, 0..=49, "none"));
    let back = |peer: String| (peer.clone(), recovered(&under(&repeating, 0..=49, &peer)));
    let back: BTreeMap<String, usize> = Registry::standard().peers().into_iter().map(back).collect();
    for peer in ["cline", "roo-code", "gemini-cli", "kimi-cli", "hermes-like"] {
        assert!(back[peer] > 2 * alone, "{peer} recovers {}, none {alone}", back[peer]);
    }
    for peer in ["opencode", "naive-abandonment", "naive-no-tools", "naive-retry"] {
        assert_eq!(back[peer], alone, "{peer} says nothing here");
    }
    for peer in ["qwen-code", "crush", "openhands", "forge"] {
        assert!(back[peer] <= alone, "{peer} ends runs without a word to the model");
    }
}

#[test]
fn printed_calls_run_under_forge() {
    let printed = "[\"<function={tool:write}><parameter={tool:write.path}>{setting.file}</parameter>\
                   <parameter={tool:write.content}>{setting.line}</parameter></function>\"]";
    let keys: Vec<String> = ["announce", "explain"]
        .into_iter()
        .flat_map(|phrase| {
            ["en", "zh", "es", "de", "ja"].map(|language| format!("phrases.{phrase}.{language}"))
        })
        .collect();
    let sets: Vec<(&str, &str)> = keys.iter().map(|key| (&**key, printed)).collect();
    let prints = scenario("text-only", &sets);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads can be started");
    let found = verify::worlds(&prints.clone().into(), &[recipe("forge")], None, 0..=3, &pool);
    assert_eq!((found.difference, found.illegal), (None, None));
    let interventions =
        |peer: &str| -> u32 { under(&prints, 0..=3, peer).iter().map(|run| run.grade.interventions).sum() };
    assert!(interventions("forge") >= 4, "each run prints a call, which is made");
    assert_eq!(interventions("qwen-code"), 0, "it looks at calls alone");
}
