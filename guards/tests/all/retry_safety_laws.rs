//! The laws of retry-safety: over any run of broken attempts, nothing is done twice without a question, and nothing
//! is retried forever.

use std::sync::Arc;

use crate::common::broken::{failure, nothing, shown, with_search};
use crate::common::{Loop, Turn, bare_offer, calls, offer};
use balk_guards::retry_safety::{Recommendation, assess};
use balk_guards::{
    AttemptCause, AttemptFacts, AttemptFailure, Effect, Entry, FinishReason, Recovery, RetrySafety,
    RetrySafetyPolicy, RetrySafetySettings,
};
use proptest::collection::vec;
use proptest::prelude::*;

use AttemptCause::{Connect, Disconnected, Empty, TimedOut};
use RetrySafetyPolicy::{Conservative, Facts, FastPath};

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

/// A broken attempt with the calls that ran in it, a turn that passes, or a message of the user.
#[derive(Clone, Debug)]
enum Step {
    Breaks(AttemptFailure, Turn),
    Passes,
    Speaks,
}

fn step() -> impl Strategy<Value = Step> {
    let turn = prop_oneof![
        6 => Just(Turn::default()),
        2 => Just(calls("read", "{}")),
        1 => Just(calls("append", "{}")),
        1 => Just(calls("send_mail", "{}").goes_missing()),
    ];
    prop_oneof![
        8 => (any_cause(), any_facts(), turn)
            .prop_map(|(cause, facts, turn)| Step::Breaks(failure(cause, facts), turn)),
        1 => Just(Step::Passes),
        1 => Just(Step::Speaks),
    ]
}

/// How often the user answered.
fn answers(run: &Loop) -> usize {
    run.entries.iter().filter(|it| matches!(it, Entry::Answer(_))).count()
}

/// What is known of the attempt that failed last.
fn last_failed(run: &Loop) -> AttemptFacts {
    let failed = run.entries.iter().rev().find_map(|entry| {
        let Entry::Failed(it) = entry else { return None };
        Some(it.failure.facts.clone())
    });
    failed.expect("a failed attempt is committed")
}

fn policy() -> impl Strategy<Value = RetrySafetyPolicy> {
    prop_oneof![Just(Conservative), Just(FastPath), Just(Facts)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Spec M1, M2, R4 and R6, and the limit of resends, over any run that continues until it is stopped.
    #[test]
    fn whatever_breaks(
        steps in vec(step(), 0..60),
        policy in policy(),
        (retries, total_wait, questions) in (0..5_u32, 0..150_000_u64, 0..4_u32),
        search in any::<bool>(),
    ) {
        let settings =
            RetrySafetySettings { policy, retries, total_wait, questions, ..RetrySafetySettings::default() };
        let tools = if search { Arc::new(with_search()) } else { offer() };
        let mut run = Loop::with_offer(RetrySafety::new(settings), tools.clone());
        let (mut asked, mut in_turn, mut waited) = (0, 0, 0);
        for step in &steps {
            let (failure, turn) = match step {
                Step::Breaks(failure, turn) => (failure, turn),
                Step::Passes => {
                    run.check(&calls("read", "{}"), "pass");
                    (asked, in_turn, waited) = (0, 0, 0);
                    continue;
                }
                Step::Speaks => {
                    run.user("Go on.");
                    (asked, in_turn, waited) = (0, 0, 0);
                    continue;
                }
            };
            let answered = answers(&run);
            let recovery = run.breaks(turn, failure);
            // The user may have answered a question about the calls; then the turn starts again.
            (in_turn, waited) = if answers(&run) > answered { (0, 0) } else { (in_turn, waited) };
            prop_assert_eq!(recovery.is_none(), failure.cause == Empty);
            let facts = last_failed(&run);
            let assessment = assess(policy, failure.cause, &facts, &tools);
            match recovery {
                None => {}
                Some(Recovery::Resend { after, .. }) => {
                    in_turn += 1;
                    waited += after.at_least;
                    prop_assert!(in_turn <= retries && waited <= total_wait);
                    prop_assert!(after.at_most - after.at_least <= total_wait - waited);
                    prop_assert_eq!(assessment.recommendation, Recommendation::RetryAutomatically);
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
                    asked += 1;
                    (in_turn, waited) = (0, 0);
                    prop_assert_eq!(assessment.recommendation, Recommendation::AskUserBeforeRetry);
                }
                Some(Recovery::Stop(_)) => break,
            }
            prop_assert!(asked <= questions);
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

    /// More knowledge never makes an automatic retry unsafe, and the policies differ only in how often they ask.
    #[test]
    fn the_policies_are_ordered(cause in any_cause(), facts in any_facts(), bare in any::<bool>()) {
        let tools = if bare { bare_offer() } else { offer() };
        let auto = |policy| {
            assess(policy, cause, &facts, &tools).recommendation == Recommendation::RetryAutomatically
        };
        prop_assert!(!auto(Conservative) || auto(FastPath));
        prop_assert!(!auto(FastPath) || auto(Facts));
    }
}

proptest! {
    // Each has many steps.
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_state_is_bounded(steps in vec(step(), 200..201)) {
        let mut run = Loop::new(RetrySafety::default());
        for step in &steps {
            match step {
                Step::Breaks(failure, turn) => { run.breaks(turn, failure); }
                Step::Passes => { run.turn(&calls("read", "{}")); }
                Step::Speaks => run.user("Go on."),
            }
        }
        let wide = (0..99).fold(Turn::default(), |turn, n| turn.and_calls(&format!("tool_{n}"), "{}"));
        run.turn(&wide.finishes(FinishReason::Error));
        prop_assert!(run.guard.save().to_string().len() < 5_000);
    }
}
