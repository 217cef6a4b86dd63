//! Guards by model: spec N5.

use crate::common::{Loop, offer, says};
use balk_guards::{
    Completion, Entry, FinishReason, Guard, NoTools, NoToolsSettings, Part, PerModel, Protocol, Start, Usage,
    Verdict,
};

#[test]
fn n5_models_have_rules_of_their_own() {
    let patient = || NoTools::new(NoToolsSettings { limit: 1, ..NoToolsSettings::default() });
    let guard = || {
        PerModel::new(NoTools::default()).with("gpt-4*", patient()).with("*sonnet*", ()).with("gpt-4o", ())
    };
    for (model, expected) in [
        ("GPT-4o", "ask limit 1"),
        ("gpt-4-sonnet", "ask limit 1"),
        ("claude-sonnet-5", "pass"),
        ("llama", "retry no-call 1"),
    ] {
        let start = Start { model: model.into(), protocol: Protocol::Tool, offer: offer() };
        let mut run = Loop::begun(guard(), start);
        run.check(&says("I'll list the files now…"), expected);
    }
}

#[test]
fn n5_the_rule_of_a_model_survives_a_restart() {
    let guard = || PerModel::new(()).named("no-tools").with("gpt-4*", NoTools::default());
    let mut before = guard();
    let start = Start { model: "gpt-4o".into(), protocol: Protocol::Tool, offer: offer() };
    before.observe(&Entry::Start(start));
    let mut after = guard();
    after.load(before.save()).expect("its own state");
    let said = Part::Text("I'll list the files now…".into());
    let completion = Completion::new([said], [], FinishReason::Stop, Usage::default(), &offer());
    after.observe(&Entry::Completion(completion.clone().into()));
    let decision = after.review(&completion).expect("no fault");
    assert!(matches!(decision.verdict, Verdict::Retry(_)), "{decision:?}");
    let mut fewer = PerModel::new(NoTools::default());
    let fault = fewer.load(before.save()).expect_err("a rule that it does not have");
    assert_eq!(fault.to_string(), "guard no-tools: expected the state of one of 0 rules, found Some(0)");
}
