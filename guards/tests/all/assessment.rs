//! The assessment of broken attempts against spec R1, R2, R4 and R5.

use std::sync::Arc;

use crate::common::broken::{
    DOWN, called, declared, nothing, promised, ran, shown, status, unknown, with_search,
};
use crate::common::offer;
use balk_guards::retry_safety::{Assessment, Provenance, Reason, Recommendation, assess};
use balk_guards::{AttemptCause, AttemptFacts, Effect, Offer, RetrySafetyPolicy, Tool};
use serde_json::json;

use AttemptCause::{Connect, Disconnected, TimedOut};
use RetrySafetyPolicy::{Conservative, Facts, FastPath};

const POLICIES: [RetrySafetyPolicy; 3] = [Conservative, FastPath, Facts];

/// Sixteen tools, ten of them without a declared effect.
fn sixteen() -> Offer {
    Offer::new((0..16).map(|n| {
        let tool = Tool::new(&format!("tool_{n}"));
        if n < 6 { tool.effect([Effect::ReadOnly, Effect::Write][n % 2]) } else { tool }
    }))
}

fn auto(reason: Reason) -> Assessment {
    Assessment {
        recommendation: Recommendation::RetryAutomatically,
        reason,
        missing_provenance: vec![],
        tool: None,
    }
}

fn ask(reason: Reason, missing: &[Provenance], tool: Option<&str>) -> Assessment {
    Assessment {
        recommendation: Recommendation::AskUserBeforeRetry,
        reason,
        missing_provenance: missing.to_vec(),
        tool: tool.map(Arc::from),
    }
}

#[track_caller]
fn check(facts: &AttemptFacts, offer: &Offer, expected: &Assessment) {
    check_cause(DOWN, facts, offer, expected);
}

/// The result is the same under every policy.
#[track_caller]
fn check_cause(cause: AttemptCause, facts: &AttemptFacts, offer: &Offer, expected: &Assessment) {
    for policy in POLICIES {
        assert_eq!(&assess(policy, cause, facts, offer), expected, "{policy:?} {cause:?} {facts:?}");
    }
}

#[test]
fn r1_a_step_that_was_not_taken_rules_out_those_after_it() {
    let offer = declared();
    let early = auto(Reason::EarlyTransportFailure);
    check(&AttemptFacts { provider_progress: Some(false), ..unknown() }, &offer, &early);
    let no_tool = auto(Reason::NoToolExecuted);
    check(&AttemptFacts { tool_input_started: Some(false), ..unknown() }, &offer, &no_tool);
    check(&AttemptFacts { tool_call_materialized: Some(false), ..unknown() }, &offer, &no_tool);
    check(&AttemptFacts { tool_execution_started: Some(false), ..unknown() }, &offer, &no_tool);
    let harmless = auto(Reason::OnlyHarmlessExecutions);
    check(&AttemptFacts { unsafe_side_effect_started: Some(false), ..unknown() }, &offer, &harmless);
}

#[test]
fn r1_what_is_not_known_is_asked_for_by_name() {
    let missing = [Provenance::ToolExecutionUnknown];
    let expected = ask(Reason::AttemptFactsIncomplete, &missing, None);
    for facts in [
        unknown(),
        AttemptFacts { visible_output: Some(false), ..unknown() },
        AttemptFacts { provider_progress: Some(true), ..unknown() },
        AttemptFacts { tool_call_materialized: Some(true), ..unknown() },
        AttemptFacts { tool_execution_started: None, unsafe_side_effect_started: None, ..called() },
    ] {
        check(&facts, &declared(), &expected);
    }
}

#[test]
fn r1_where_every_tool_is_read_only_nothing_need_be_known() {
    let readers = Offer::new([Tool::new("read").effect(Effect::ReadOnly)]);
    for offer in [&readers, &Offer::default()] {
        check(&unknown(), offer, &auto(Reason::OnlyHarmlessExecutions));
    }
}

#[test]
fn r2_what_was_merely_on_offer_never_blocks() {
    let all = offer();
    for (facts, reason) in [
        (nothing(), Reason::EarlyTransportFailure),
        (shown(), Reason::VisibleOutputOnly),
        (called(), Reason::NoToolExecuted),
        (AttemptFacts { tool_input_started: Some(true), ..shown() }, Reason::NoToolExecuted),
        (AttemptFacts { provider_progress: Some(true), ..nothing() }, Reason::NoToolExecuted),
        (ran(&["read"]), Reason::OnlyHarmlessExecutions),
        (AttemptFacts { started: vec!["read".into()], ..nothing() }, Reason::OnlyHarmlessExecutions),
    ] {
        assert_eq!(assess(Facts, Disconnected, &facts, &all), auto(reason), "{facts:?}");
    }
}

#[test]
fn r2_a_tool_that_the_provider_runs_is_in_the_way_whatever_was_seen() {
    let missing = [Provenance::ProviderExecutionUnseen];
    let expected = ask(Reason::ProviderExecutedTool, &missing, Some("web_search"));
    for facts in [nothing(), shown(), called(), unknown(), ran(&["read"])] {
        for cause in [TimedOut, Disconnected, DOWN, status(429), promised(429, 5)] {
            check_cause(cause, &facts, &with_search(), &expected);
        }
    }
}

#[test]
fn r2_without_a_connection_not_even_the_provider_began() {
    for offer in [with_search(), sixteen()] {
        for facts in [nothing(), unknown()] {
            check_cause(Connect, &facts, &offer, &auto(Reason::RequestNeverSent));
        }
    }
    // Unless an execution was seen to begin, although that is out of order.
    let expected = ask(Reason::UnsafeExecutionStarted, &[], Some("append"));
    check_cause(Connect, &ran(&["append"]), &declared(), &expected);
    let missing = [Provenance::ProviderExecutionUnseen];
    let expected = ask(Reason::ProviderExecutedTool, &missing, Some("web_search"));
    check_cause(Connect, &shown(), &with_search(), &expected);
}

#[test]
fn r4_a_tool_that_began_and_may_change_something_is_asked_about_by_name() {
    for tool in ["write_file", "append", "send_mail", "deploy", "bash", "not_on_offer"] {
        let expected = ask(Reason::UnsafeExecutionStarted, &[], Some(tool));
        for facts in [
            ran(&[tool]),
            ran(&["read", tool, "pytest"]),
            // The list is trusted, whatever the other facts say.
            AttemptFacts { started: vec![tool.into()], ..nothing() },
            AttemptFacts { unsafe_side_effect_started: Some(false), ..ran(&[tool]) },
        ] {
            for cause in [Connect, TimedOut, Disconnected, DOWN, status(429)] {
                check_cause(cause, &facts, &offer(), &expected);
            }
        }
    }
}

#[test]
fn r4_one_that_nobody_named_is_asked_about_too() {
    let expected = ask(Reason::UnsafeExecutionStarted, &[Provenance::StartedToolUnknown], None);
    check(&ran(&[]), &offer(), &expected);
    check(&AttemptFacts { unsafe_side_effect_started: Some(true), ..nothing() }, &offer(), &expected);
    check(&AttemptFacts { unsafe_side_effect_started: Some(true), ..ran(&["read"]) }, &offer(), &expected);
    let harmless = AttemptFacts { unsafe_side_effect_started: Some(false), ..ran(&[]) };
    check(&harmless, &declared(), &auto(Reason::OnlyHarmlessExecutions));
}

#[test]
fn r4_a_tool_is_known_by_the_name_its_owner_gave_it() {
    let fs = Offer::new([Tool::new("fs.read").effect(Effect::ReadOnly)]);
    for name in ["fs.read", "fs_read"] {
        check(&ran(&[name]), &fs, &auto(Reason::OnlyHarmlessExecutions));
    }
}

#[test]
fn r4_of_several_tools_of_one_name_each_must_change_nothing() {
    let [read, send] = [Effect::ReadOnly, Effect::External].map(|it| Tool::new("x").effect(it));
    let expected = ask(Reason::UnsafeExecutionStarted, &[], Some("x"));
    for tools in [[read.clone(), send.clone()], [send, read.clone()]] {
        check(&ran(&["x"]), &Offer::new(tools), &expected);
    }
    check(&ran(&["x"]), &Offer::new([read.clone(), read]), &auto(Reason::OnlyHarmlessExecutions));
    // The legal name of one tool is the owner's name of another.
    let dotted = Tool::new("fs.x").effect(Effect::ReadOnly);
    let offer = Offer::new([dotted, Tool::new("fs_x").effect(Effect::External)]);
    check(&ran(&["fs.x"]), &offer, &auto(Reason::OnlyHarmlessExecutions));
    check(&ran(&["fs_x"]), &offer, &ask(Reason::UnsafeExecutionStarted, &[], Some("fs_x")));
}

/// The incident of the field report, in its words.
#[test]
fn r5_the_field_incident_under_each_policy() {
    let facts: AttemptFacts = serde_json::from_value(json!({
        "provider_progress": false,
        "visible_output": false,
        "tool_input_started": false,
        "tool_call_materialized": false,
        "tool_execution_started": false,
        "unsafe_side_effect_started": false,
    }))
    .expect("the facts of the report");
    let explained =
        |policy| serde_json::to_value(assess(policy, DOWN, &facts, &sixteen())).expect("plain data");
    assert_eq!(
        explained(Conservative),
        json!({
            "recommendation": "ask_user_before_retry",
            "reason": "side_effect_facts_incomplete",
            "missing_provenance": ["side_effect.boundary_unknown"],
            "tool": "tool_6",
        })
    );
    for policy in [FastPath, Facts] {
        assert_eq!(
            explained(policy),
            json!({
                "recommendation": "retry_automatically",
                "reason": "early_transport_failure",
                "missing_provenance": [],
            })
        );
    }
}

#[test]
fn r5_the_policies_differ_where_tools_are_not_declared() {
    let boundary = [Provenance::BoundaryUnknown];
    let minds = ask(Reason::SideEffectFactsIncomplete, &boundary, Some("tool_6"));
    for (facts, reason) in [
        (shown(), Reason::VisibleOutputOnly),
        (called(), Reason::NoToolExecuted),
        (ran(&["tool_0"]), Reason::OnlyHarmlessExecutions),
    ] {
        assert_eq!(assess(Conservative, Disconnected, &facts, &sixteen()), minds);
        assert_eq!(assess(FastPath, Disconnected, &facts, &sixteen()), minds);
        assert_eq!(assess(Facts, Disconnected, &facts, &sixteen()), auto(reason));
        // If all are declared, the policies agree.
        check(&facts, &declared(), &assess(Facts, DOWN, &facts, &declared()));
    }
    let both = [Provenance::BoundaryUnknown, Provenance::ToolExecutionUnknown];
    let expected = ask(Reason::SideEffectFactsIncomplete, &both, Some("tool_6"));
    assert_eq!(assess(Conservative, DOWN, &unknown(), &sixteen()), expected);
    assert_eq!(assess(FastPath, DOWN, &unknown(), &sixteen()), expected);
}

#[test]
fn r5_an_assessment_is_read_as_it_is_written() {
    for facts in [nothing(), unknown(), ran(&[]), ran(&["x"])] {
        for offer in [with_search(), sixteen(), declared()] {
            for cause in [Connect, DOWN, status(400)] {
                let assessment = assess(Conservative, cause, &facts, &offer);
                let json = serde_json::to_string(&assessment).expect("plain data");
                assert_eq!(serde_json::from_str::<Assessment>(&json).expect("its own"), assessment);
            }
        }
    }
}
