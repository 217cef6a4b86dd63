//! The retry-safety guard against rows R1 to R7, hits and silence alike.

#[expect(dead_code, reason = "each test file needs a part of it")]
mod common;

use std::sync::Arc;

use balk_guards::retry_safety::{Assessment, Provenance, Reason, Recommendation, assess};
use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, ChoiceKind, Effect, EmptyCompletion, FinishReason, Guard,
    InterventionKind, LOST, Message, Offer, Question, Recovery, RetrySafety, RetrySafetyPolicy,
    RetrySafetySettings, Settlement, Stack, Status, Subject, Tool, ToolResult, View, Wait,
};
use common::{Loop, Turn, bare_offer, calls, offer, says};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::json;

use AttemptCause::{Connect, Disconnected, Empty, TimedOut};
use RetrySafetyPolicy::{Conservative, Facts, FastPath};

const POLICIES: [RetrySafetyPolicy; 3] = [Conservative, FastPath, Facts];
const DOWN: AttemptCause = status(503);

const fn status(code: u16) -> AttemptCause {
    AttemptCause::Status { code, retry_after: None }
}

const fn promised(code: u16, ticks: u64) -> AttemptCause {
    AttemptCause::Status { code, retry_after: Some(ticks) }
}

/// Nothing began.
fn nothing() -> AttemptFacts {
    AttemptFacts::default()
}

/// Nothing is known.
fn unknown() -> AttemptFacts {
    AttemptFacts {
        provider_progress: None,
        visible_output: None,
        tool_input_started: None,
        tool_call_materialized: None,
        tool_execution_started: None,
        unsafe_side_effect_started: None,
        started: vec![],
    }
}

/// The user saw text.
fn shown() -> AttemptFacts {
    AttemptFacts { provider_progress: Some(true), visible_output: Some(true), ..nothing() }
}

/// A call arrived whole, and nothing ran.
fn called() -> AttemptFacts {
    AttemptFacts {
        provider_progress: Some(true),
        tool_input_started: Some(true),
        tool_call_materialized: Some(true),
        ..nothing()
    }
}

/// These tools began to run; what they can change is for the offer to say.
fn ran(tools: &[&str]) -> AttemptFacts {
    AttemptFacts {
        tool_execution_started: Some(true),
        unsafe_side_effect_started: None,
        started: tools.iter().map(|&it| it.into()).collect(),
        ..called()
    }
}

/// Sixteen tools, ten of them without a declared effect.
fn sixteen() -> Offer {
    Offer::new((0..16).map(|n| {
        let tool = Tool::new(&format!("tool_{n}"));
        if n < 6 { tool.effect([Effect::ReadOnly, Effect::Write][n % 2]) } else { tool }
    }))
}

fn declared() -> Offer {
    Offer::new([Tool::new("read").effect(Effect::ReadOnly), Tool::new("append").effect(Effect::Write)])
}

/// With a search that the provider runs.
fn with_search() -> Offer {
    let search = Tool::new("web_search").effect(Effect::ReadOnly).provider_executed();
    Offer::new([Tool::new("read").effect(Effect::ReadOnly), search])
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

/// The same under every policy.
#[track_caller]
fn check_cause(cause: AttemptCause, facts: &AttemptFacts, offer: &Offer, expected: &Assessment) {
    for policy in POLICIES {
        assert_eq!(&assess(policy, cause, facts, offer), expected, "{policy:?} {cause:?} {facts:?}");
    }
}

fn failure(cause: AttemptCause, facts: AttemptFacts) -> AttemptFailure {
    AttemptFailure { attempt: 1, cause, message: "".into(), facts }
}

fn run() -> Loop {
    Loop::new(RetrySafety::default())
}

fn run_set(settings: RetrySafetySettings) -> Loop {
    Loop::new(RetrySafety::new(settings))
}

/// An attempt that breaks, with nothing left of it in the transcript.
fn fails(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts) -> Recovery {
    run.breaks(&Turn::default(), &failure(cause, facts)).expect("it has an opinion")
}

#[track_caller]
fn resends(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts, at_least: u64, at_most: u64) {
    let after = Wait { at_least, at_most };
    assert_eq!(fails(run, cause, facts), Recovery::Resend { after });
}

/// The run ends by this rule, with all these words.
#[track_caller]
fn stops(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts, rule: &str, words: &[&str]) -> String {
    let Recovery::Stop(note) = fails(run, cause, facts) else { panic!("it does not end") };
    assert_eq!((&*note.guard, &*note.rule), ("retry-safety", rule));
    for word in words {
        assert!(note.text.contains(word), "{word:?} is missing in: {}", note.text);
    }
    note.text.to_string()
}

#[track_caller]
fn asks(run: &mut Loop, turn: &Turn, facts: AttemptFacts, rule: &str, words: &[&str]) -> Question {
    let Some(Recovery::Ask(question)) = run.breaks(turn, &failure(Disconnected, facts)) else {
        panic!("the user is not asked")
    };
    assert_eq!((&*question.note.guard, &*question.note.rule), ("retry-safety", rule));
    for word in words {
        assert!(question.note.text.contains(word), "{word:?} is missing in: {}", question.note.text);
    }
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::Stop]);
    question
}

// R1, R2

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
    // Unless something was seen to begin, against all order.
    let expected = ask(Reason::UnsafeExecutionStarted, &[], Some("append"));
    check_cause(Connect, &ran(&["append"]), &declared(), &expected);
    let missing = [Provenance::ProviderExecutionUnseen];
    let expected = ask(Reason::ProviderExecutedTool, &missing, Some("web_search"));
    check_cause(Connect, &shown(), &with_search(), &expected);
}

// R4

#[test]
fn r4_a_tool_that_began_and_may_change_something_is_asked_about_by_name() {
    for tool in ["write_file", "append", "send_mail", "deploy", "bash", "not_on_offer"] {
        let expected = ask(Reason::UnsafeExecutionStarted, &[], Some(tool));
        for facts in [
            ran(&[tool]),
            ran(&["read", tool, "pytest"]),
            // The list is believed, whatever the rest says.
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
fn r4_the_question_says_which_tool_and_what_became_of_it() {
    let mail = || calls("send_mail", r#"{"to":"a"}"#);
    for (turn, outcome) in [
        (mail().goes_missing(), "`send_mail` (its answer is lost)"),
        (mail(), "`send_mail` (worked)"),
        (mail().fails("no"), "`send_mail` (failed)"),
        (mail().answers_something("?"), "`send_mail` (answered, but did not say whether it worked)"),
    ] {
        let facts = ran(&["read", "send_mail"]);
        let words = ["the connection broke off", outcome, "twice"];
        let question = asks(&mut run(), &turn, facts, "unsafe-execution-started", &words);
        assert_eq!(question.note.subject, Subject::Tool("send_mail".into()));
        assert!(question.options[1].label.contains("stays in the transcript"));
    }
}

#[test]
fn r4_what_is_not_in_the_transcript_is_not_said_to_be() {
    let words = ["`send_mail`."];
    let question =
        asks(&mut run(), &Turn::default(), ran(&["send_mail"]), "unsafe-execution-started", &words);
    assert_eq!(question.options[1].label, "ask the model again");
}

#[test]
fn r4_the_question_names_the_tool_that_the_provider_runs() {
    let mut run = Loop::with_offer(RetrySafety::default(), Arc::new(with_search()));
    let words = ["`web_search` is run by the provider", "cannot be seen", "no other tool ran"];
    let question = asks(&mut run, &Turn::default(), nothing(), "provider-executed-tool", &words);
    assert!(!question.note.text.contains("Nothing was done"), "{}", question.note.text);
}

#[test]
fn r4_the_question_says_what_is_not_known() {
    let words = ["Whether a tool ran is not known"];
    asks(&mut run(), &Turn::default(), unknown(), "attempt-facts-incomplete", &words);
}

#[test]
fn r4_text_that_was_shown_is_resent_and_the_end_says_that_it_is_not_complete() {
    let mut run = run();
    resends(&mut run, Disconnected, shown(), 0, 500);
    let words = ["not complete", "No tool ran", "asking again once did not help"];
    let end = stops(&mut run, Disconnected, shown(), "answer-cut-off", &words);
    assert!(!end.contains("Nothing was done"), "{end}");
}

// R3

#[test]
fn r3_before_the_first_progress_it_is_asked_again_once_and_then_the_user_is_told_that_nothing_was_done() {
    for cause in [Connect, TimedOut, Disconnected, DOWN, status(408), status(409), status(429)] {
        let mut run = run();
        resends(&mut run, cause, nothing(), 0, 500);
        let words = ["Nothing was done", "no text came", "no tool ran", "once did not help", "Go on later"];
        stops(&mut run, cause, nothing(), "early-transport-failure", &words);
        assert_eq!(run.interventions().count(), 1);
    }
}

#[test]
fn r3_the_wait_doubles_and_is_bounded() {
    let settings =
        RetrySafetySettings { retries: 5, backoff: 100, max_wait: 700, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    for at_most in [100, 200, 400, 700, 700] {
        resends(&mut run, DOWN, nothing(), 0, at_most);
    }
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["5 times"]);
}

#[test]
fn r3_extreme_settings_do_no_harm() {
    let huge = RetrySafetySettings {
        retries: u32::MAX,
        promised_retries: u32::MAX,
        backoff: u64::MAX,
        max_wait: u64::MAX,
        budget: 99,
        ..RetrySafetySettings::default()
    };
    let mut run = run_set(huge);
    for _ in 0..80 {
        resends(&mut run, DOWN, nothing(), 0, u64::MAX);
    }
    resends(&mut run, promised(429, u64::MAX), nothing(), u64::MAX, u64::MAX);
    let none = RetrySafetySettings { retries: 0, promised_retries: 0, ..RetrySafetySettings::default() };
    let end = stops(&mut run_set(none), DOWN, nothing(), "early-transport-failure", &["Nothing was done"]);
    assert!(!end.contains("asking again"), "{end}");
    stops(&mut run_set(none), promised(503, 1), nothing(), "early-transport-failure", &[]);
    let spent = RetrySafetySettings { budget: 0, ..RetrySafetySettings::default() };
    stops(&mut run_set(spent), DOWN, nothing(), "budget-spent", &["Nothing was done"]);
    stops(&mut run_set(spent), DOWN, ran(&["send_mail"]), "budget-spent", &["`send_mail`"]);
}

#[test]
fn r3_every_turn_has_its_retry_until_the_budget_of_the_run_is_spent() {
    let mut run = run();
    for n in 0..10 {
        resends(&mut run, DOWN, nothing(), 0, 500);
        run.check(&calls("read", &format!("[{n}]")), "pass");
    }
    stops(&mut run, DOWN, nothing(), "budget-spent", &["10 times", "Nothing was done"]);
}

#[test]
fn r3_who_speaks_begins_anew() {
    for speak in [(|run| run.user("Try again.")) as fn(&mut Loop), |run| {
        asks(run, &Turn::default(), unknown(), "attempt-facts-incomplete", &[]);
    }] {
        let mut run = run();
        resends(&mut run, DOWN, nothing(), 0, 500);
        speak(&mut run);
        resends(&mut run, DOWN, nothing(), 0, 500);
    }
}

#[test]
fn r3_what_a_broken_attempt_left_is_no_turn_of_its_own() {
    let mut run = run();
    let read = calls("read", "{}");
    let broken = failure(Disconnected, ran(&["read"]));
    assert!(matches!(run.breaks(&read, &broken), Some(Recovery::Resend { .. })));
    let Some(Recovery::Stop(note)) = run.breaks(&read, &broken) else { panic!("it does not end") };
    assert_eq!(note.rule, "transport-failure");
    assert!(note.text.contains("changes nothing: `read`"), "{}", note.text);
}

#[test]
fn r3_empty_answers_between_do_not_count() {
    let mut run = run();
    for _ in 0..5 {
        assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(1)), None);
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
    assert_eq!(run.breaks(&Turn::default(), &AttemptFailure::empty(7)), None);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["once"]);
    let members: Vec<Box<dyn Guard>> =
        vec![Box::new(RetrySafety::default()), Box::new(EmptyCompletion::default())];
    let mut run = Loop::new(Stack::new(members));
    for (attempt, ticks) in [(1, 500), (2, 1_000)] {
        let after = Wait::exactly(ticks);
        let resent = run.breaks(&Turn::default(), &AttemptFailure::empty(attempt));
        assert_eq!(resent, Some(Recovery::Resend { after }));
    }
    resends(&mut run, DOWN, nothing(), 0, 500);
}

// R5

/// The incident of the field report, with its words.
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
        // Where all are declared, they agree.
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

#[test]
fn r5_the_conservative_question_says_what_was_never_declared() {
    let settings = RetrySafetySettings { policy: Conservative, ..RetrySafetySettings::default() };
    let mut run = run_set(settings);
    let words = ["What `deploy` can change was never declared", "No text came, and no tool ran"];
    asks(&mut run, &Turn::default(), nothing(), "side-effect-facts-incomplete", &words);
}

// R6

#[test]
fn r6_a_request_that_is_refused_as_such_is_never_sent_again() {
    for code in 400..600 {
        for facts in [nothing(), unknown(), ran(&["send_mail"])] {
            let never =
                assess(Facts, status(code), &facts, &offer()).recommendation == Recommendation::DoNotRetry;
            assert_eq!(never, (400..500).contains(&code) && ![408, 409, 429].contains(&code), "{code}");
        }
    }
    let mut run = run();
    let message = "max_tokens is too large\nand more";
    let refused = AttemptFailure { message: message.into(), ..failure(promised(400, 1), nothing()) };
    let Some(Recovery::Stop(note)) = run.breaks(&Turn::default(), &refused) else { panic!("resent") };
    assert_eq!(note.rule, "request-rejected");
    for part in ["status 400", "\"max_tokens is too large\"", "Nothing was done", "would refuse it again"] {
        assert!(note.text.contains(part), "{}", note.text);
    }
    let mut run = Loop::new(RetrySafety::default());
    stops(&mut run, status(401), ran(&["send_mail"]), "request-rejected", &["begun to run: `send_mail`"]);
}

#[test]
fn r6_the_provider_is_asked_again_when_it_wants_to_be_and_more_often() {
    let mut run = run();
    resends(&mut run, promised(429, 2_000), nothing(), 2_000, 2_500);
    resends(&mut run, promised(503, 0), nothing(), 0, 1_000);
    resends(&mut run, promised(429, 60_000), shown(), 60_000, 62_000);
    stops(&mut run, promised(429, 1), nothing(), "early-transport-failure", &["3 times"]);
    let mut run = Loop::new(RetrySafety::default());
    resends(&mut run, promised(429, 1), nothing(), 1, 501);
    stops(&mut run, DOWN, nothing(), "early-transport-failure", &["status 503"]);
}

#[test]
fn r6_a_provider_that_wants_more_time_than_is_waited_ends_the_run_with_that_time() {
    for (ticks, span) in [
        (60_001, "61 seconds"),
        (120_000, "2 minutes"),
        (3_600_000, "60 minutes"),
        (3 * 3_600_000, "3 hours"),
        (24 * 3_600_000 + 1, "25 hours"),
    ] {
        let words = [span, "Nothing was done", "limits how often"];
        stops(&mut run(), promised(429, ticks), nothing(), "told-to-wait", &words);
    }
    // A question would only be followed by the same answer.
    stops(&mut run(), promised(429, 99_000), ran(&["send_mail"]), "told-to-wait", &["`send_mail`"]);
}

#[test]
fn r6_every_cause_reads_differently() {
    let causes = [Connect, TimedOut, Disconnected, DOWN, status(408), status(409), status(429), status(404)];
    let settings = RetrySafetySettings { retries: 0, ..RetrySafetySettings::default() };
    let texts: Vec<String> = causes
        .iter()
        .map(|&cause| match fails(&mut run_set(settings), cause, shown()) {
            Recovery::Stop(note) => note.text.split('.').next().expect("a sentence").to_owned(),
            Recovery::Resend { .. } | Recovery::Ask(_) => panic!("it does not end"),
        })
        .collect();
    for (at, text) in texts.iter().enumerate() {
        assert!(!texts[..at].contains(text), "{text}");
    }
}

// R7

/// What the guard says beside the results of a completion.
fn settled(turn: &Turn) -> Settlement {
    let guard = run().guard;
    let completion = turn.completion(&offer(), &mut 0);
    let results: Vec<ToolResult> =
        completion.calls.iter().map(|call| ToolResult::executed(call, Status::Ok, "ok")).collect();
    guard.settle(&completion, &results).expect("never breaks")
}

#[test]
fn r7_the_next_view_says_what_ran() {
    let mut run = run();
    let turn = says("I write, then send.")
        .and_calls("read", "{}")
        .and_calls("write_file", r#"{"path":"a"}"#)
        .and_calls("append", "{}")
        .fails("no")
        .and_calls("send_mail", "{}")
        .goes_missing();
    asks(
        &mut run,
        &turn,
        ran(&["read", "write_file", "append", "send_mail"]),
        "unsafe-execution-started",
        &[],
    );
    let note = run.interventions().next().expect("a note").clone();
    assert_eq!((note.kind, &*note.note.rule), (InterventionKind::Note, "ran-already"));
    let text = &note.note.text;
    for part in [
        "`write_file` (worked), `append` (failed)",
        "`send_mail` (its answer is lost)",
        "again with the same arguments",
        "Nobody knows whether `send_mail` took effect: look first",
    ] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("`read`"), "{text}");
    let view = View::of(&run.entries);
    assert!(view.messages().contains(&Message::User(text.clone())));
}

#[test]
fn r7_of_several_calls_of_a_tool_the_least_certain_counts() {
    let lost_first = calls("append", "1").goes_missing().and_calls("append", "2");
    let lost_last = calls("append", "1").fails("no").and_calls("append", "2").goes_missing();
    for turn in [lost_first, lost_last] {
        let mut run = run();
        asks(
            &mut run,
            &turn,
            ran(&["append"]),
            "unsafe-execution-started",
            &["`append` (its answer is lost)."],
        );
        let said = &run.interventions().next().expect("a note").note.text;
        assert!(said.contains("already: `append` (its answer is lost)."), "{said}");
    }
}

#[test]
fn r7_nothing_is_said_of_calls_that_change_nothing_or_did_not_run() {
    let silent = Settlement::Accept(vec![]);
    let read = calls("read", "{}").and_calls("pytest", "{}").finishes(FinishReason::Error);
    assert_eq!(settled(&read), silent);
    for finish in [FinishReason::Stop, FinishReason::ToolCall, FinishReason::Length, FinishReason::NotGiven] {
        assert_eq!(settled(&calls("append", "{}").finishes(finish)), silent);
    }
    let completion = calls("append", "{}").finishes(FinishReason::Error).completion(&offer(), &mut 0);
    let refused = [ToolResult::refused(&completion.calls[0], "no")];
    assert_eq!(run().guard.settle(&completion, &refused), Ok(silent));
}

#[test]
fn r7_where_no_answer_was_lost_nothing_need_be_looked_for() {
    let turn = calls("append", "{}").and_calls("append", "[]").finishes(FinishReason::Error);
    let Settlement::Accept(notes) = settled(&turn) else { panic!() };
    assert_eq!(notes.len(), 1);
    assert!(notes[0].text.contains("`append` (worked).") && !notes[0].text.contains("look"));
}

#[test]
fn r7_the_lost_answer_says_so_itself() {
    assert!(LOST.contains("lost") && LOST.contains("may have taken effect"));
}

#[test]
fn r7_what_left_a_result_did_run_whatever_the_facts_say() {
    let words = ["`send_mail` (worked)"];
    asks(&mut run(), &calls("send_mail", "{}"), nothing(), "unsafe-execution-started", &words);
}

#[test]
fn r7_what_ran_is_forgotten_with_the_attempt() {
    let mut run = run();
    let mail = calls("send_mail", "{}").goes_missing();
    asks(&mut run, &mail, ran(&["send_mail"]), "unsafe-execution-started", &["is lost"]);
    let question =
        asks(&mut run, &Turn::default(), ran(&["send_mail"]), "unsafe-execution-started", &["question 2"]);
    assert!(!question.note.text.contains("is lost"), "{}", question.note.text);
}

#[test]
fn r7_what_ran_is_forgotten_when_the_user_speaks() {
    let broken = calls("append", "{}").finishes(FinishReason::Error);
    let mut run = run();
    run.pass(&broken, 1);
    run.user("Go on.");
    resends(&mut run, DOWN, nothing(), 0, 500);
}

#[test]
fn m2_the_model_is_not_told_the_name_of_a_tool_that_is_not_on_offer() {
    let mut run = Loop::with_offer(RetrySafety::default(), bare_offer());
    run.breaks(&calls("bash", "{}").goes_missing(), &failure(Disconnected, ran(&["bash"])));
    let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    assert!(!said[0].contains("bash") && said[0].contains("not on offer"), "{}", said[0]);
    // The user is: it is the reason.
    assert!(said[1].contains("`bash`"), "{}", said[1]);
}

// Silence

#[test]
fn r3_it_says_nothing_to_a_run_that_does_not_break() {
    let mut run = run();
    for turn in [
        says("Hm."),
        calls("append", "{}").fails("no"),
        calls("send_mail", "{}").goes_missing(),
        says("```python\nx\n```"),
        says("The first").finishes(FinishReason::Length),
        Turn::default().finishes(FinishReason::ContentFilter),
    ] {
        run.pass(&turn, 5);
    }
    assert_eq!(run.interventions().count(), 0);
}

// Settings and state

#[test]
fn r5_settings_are_kebab_case_and_closed() {
    let json = json!({
        "policy": "fast-path", "retries": 2, "promised-retries": 4, "backoff": 5, "max-wait": 6, "budget": 7,
    });
    let expected = RetrySafetySettings {
        policy: FastPath,
        retries: 2,
        promised_retries: 4,
        backoff: 5,
        max_wait: 6,
        budget: 7,
    };
    assert_eq!(serde_json::from_value::<RetrySafetySettings>(json).expect("settings"), expected);
    assert_eq!(serde_json::from_value::<RetrySafetySettings>(json!({})).expect("none"), Default::default());
    assert!(serde_json::from_value::<RetrySafetySettings>(json!({ "retry": 1 })).is_err());
}

#[test]
fn r7_a_run_is_taken_up_where_it_was_saved() {
    let mut run = Loop::with_offer(
        RetrySafety::default(),
        Arc::new(Offer::new([
            Tool::new("fs.read").effect(Effect::ReadOnly),
            Tool::new("web").provider_executed(),
        ])),
    );
    resends(&mut run, Connect, nothing(), 0, 500);
    let saved = run.guard.save();
    let mut other = RetrySafety::default();
    other.load(saved.clone()).expect("its own state");
    assert_eq!(other.save(), saved);
    for facts in [nothing(), ran(&["fs.read"]), ran(&["fs_read"])] {
        for cause in [Connect, DOWN] {
            let failure = failure(cause, facts.clone());
            assert_eq!(other.recover(&failure), run.guard.recover(&failure));
        }
    }
}

// Laws

fn fact() -> impl Strategy<Value = Option<bool>> {
    prop_oneof![3 => Just(Some(false)), 1 => Just(Some(true)), 1 => Just(None)]
}

fn any_facts() -> impl Strategy<Value = AttemptFacts> {
    let tool = prop_oneof![3 => Just("read"), 1 => Just("append"), 1 => Just("send_mail"), 1 => Just("gone")];
    let drawn =
        ([fact(), fact(), fact(), fact(), fact(), fact()], vec(tool, 0..3)).prop_map(|(facts, tools)| {
            let [progress, visible, input, call, execution, unsafe_] = facts;
            AttemptFacts {
                provider_progress: progress,
                visible_output: visible,
                tool_input_started: input,
                tool_call_materialized: call,
                tool_execution_started: execution,
                unsafe_side_effect_started: unsafe_,
                started: tools.into_iter().map(Arc::from).collect(),
            }
        });
    prop_oneof![2 => Just(nothing()), 1 => Just(shown()), 3 => drawn]
}

fn any_cause() -> impl Strategy<Value = AttemptCause> {
    prop_oneof![
        2 => Just(Connect),
        2 => Just(TimedOut),
        2 => Just(Disconnected),
        1 => Just(Empty),
        4 => (prop_oneof![400..600_u16, Just(429), Just(503)], proptest::option::of(0..70_000_u64))
            .prop_map(|(code, retry_after)| AttemptCause::Status { code, retry_after }),
    ]
}

/// An attempt that breaks with what ran in it and what of that may change something, a turn that passes, or a word
/// of the user.
#[derive(Clone, Debug)]
enum Step {
    Breaks(AttemptFailure, Turn, Option<&'static str>),
    Passes,
    Speaks,
}

fn step() -> impl Strategy<Value = Step> {
    let turn = prop_oneof![
        6 => Just((Turn::default(), None)),
        2 => Just((calls("read", "{}"), None)),
        1 => Just((calls("append", "{}"), Some("append"))),
        1 => Just((calls("send_mail", "{}").goes_missing(), Some("send_mail"))),
    ];
    prop_oneof![
        8 => (any_cause(), any_facts(), turn).prop_map(|(cause, facts, (turn, changes))| {
            Step::Breaks(failure(cause, facts), turn, changes)
        }),
        1 => Just(Step::Passes),
        1 => Just(Step::Speaks),
    ]
}

fn policy() -> impl Strategy<Value = RetrySafetyPolicy> {
    prop_oneof![Just(Conservative), Just(FastPath), Just(Facts)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// M1, M2, R4, R6, and the bound on resends, over any run that goes on until it is stopped.
    #[test]
    fn whatever_breaks(
        steps in vec(step(), 0..60),
        policy in policy(),
        (retries, promised_retries, budget) in (0..4_u32, 0..5_u32, 0..12_u32),
        search in any::<bool>(),
    ) {
        let settings =
            RetrySafetySettings { policy, retries, promised_retries, budget, ..RetrySafetySettings::default() };
        let tools = if search { Arc::new(with_search()) } else { offer() };
        let mut run = Loop::with_offer(RetrySafety::new(settings), tools.clone());
        let mut followed = 0;
        let mut in_turn = 0;
        for step in &steps {
            let (failure, turn, changes) = match step {
                Step::Breaks(failure, turn, changes) => (failure, turn, changes),
                Step::Passes => {
                    run.check(&calls("read", "{}"), "pass");
                    in_turn = 0;
                    continue;
                }
                Step::Speaks => {
                    run.user("Go on.");
                    in_turn = 0;
                    continue;
                }
            };
            let recovery = run.breaks(turn, failure);
            prop_assert_eq!(recovery.is_none(), failure.cause == Empty);
            let mut seen = failure.facts.clone();
            seen.started.extend(changes.map(Arc::from));
            let assessment = assess(policy, failure.cause, &seen, &tools);
            match recovery {
                None => {}
                Some(Recovery::Resend { after }) => {
                    followed += 1;
                    in_turn += 1;
                    prop_assert!(in_turn <= retries.max(promised_retries));
                    prop_assert_eq!(assessment.recommendation, Recommendation::RetryAutomatically);
                    let facts = &seen;
                    prop_assert!(facts.unsafe_side_effect_started != Some(true), "{:?}", facts);
                    let read_only = |name: &Arc<str>| {
                        tools.get(name).is_some_and(|it| it.effect == Effect::ReadOnly)
                    };
                    prop_assert!(facts.started.iter().all(read_only), "{:?}", facts);
                    prop_assert!(!search || failure.cause == Connect);
                    prop_assert!(after.at_least <= after.at_most && after.at_most <= 2 * settings.max_wait);
                    if let AttemptCause::Status { code, retry_after } = failure.cause {
                        prop_assert!(!(400..500).contains(&code) || [408, 409, 429].contains(&code));
                        prop_assert_eq!(after.at_least, retry_after.unwrap_or(0));
                    }
                }
                Some(Recovery::Ask(_)) => {
                    followed += 1;
                    in_turn = 0;
                    prop_assert_eq!(assessment.recommendation, Recommendation::AskUserBeforeRetry);
                }
                Some(Recovery::Stop(_)) => break,
            }
            prop_assert!(followed <= budget);
        }
        let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
        for pair in said.windows(2) {
            prop_assert_ne!(&pair[0], &pair[1]);
        }
        for text in said {
            prop_assert!(!text.contains("refused to") && text.chars().count() < 900, "{}", text);
            prop_assert!(!text.contains("  ") && !text.contains(".."), "{}", text);
        }
    }

    /// What is known more never makes an automatic retry unsafe, and the policies only differ in how much they ask.
    #[test]
    fn the_policies_are_ordered(cause in any_cause(), facts in any_facts(), bare in any::<bool>()) {
        let tools = if bare { bare_offer() } else { offer() };
        let auto = |policy| {
            assess(policy, cause, &facts, &tools).recommendation == Recommendation::RetryAutomatically
        };
        prop_assert!(!auto(Conservative) || auto(FastPath));
        prop_assert!(!auto(FastPath) || auto(Facts));
    }

    #[test]
    fn the_state_is_bounded(steps in vec(step(), 200..201)) {
        let mut run = Loop::new(RetrySafety::default());
        for step in &steps {
            match step {
                Step::Breaks(failure, turn, _) => { run.breaks(turn, failure); }
                Step::Passes => { run.turn(&calls("read", "{}")); }
                Step::Speaks => run.user("Go on."),
            }
        }
        let wide = (0..99).fold(Turn::default(), |turn, n| turn.and_calls(&format!("tool_{n}"), "{}"));
        run.turn(&wide.finishes(FinishReason::Error));
        prop_assert!(run.guard.save().to_string().len() < 2_000);
    }
}
