//! The guards' messages over whole runs: never the same twice in a row, no tool that is not offered, and no long
//! echo.

use std::sync::Arc;

use crate::common::{Loop, Turn, all_guards, bare_offer, calls, offer, progress_at, says, thinks};
use balk_guards::{
    Abandonment, AttemptCause, AttemptFacts, AttemptFailure, CallRepair, Duplicate, EmptyCompletion,
    FinishReason, Guard, Intervention, InterventionKind, NoTools, Offer, Progress, ProgressSettings,
    Protocol, RetrySafety, Stack, Start,
};
use proptest::prelude::*;

/// Arguments truncated to 500 and a result truncated to 1,000 characters (spec D2), and the words around them.
const LONGEST: usize = 500 + 1_000 + 900;

fn turn() -> impl Strategy<Value = Turn> {
    let huge = "é\"\\\n`".repeat(2_000);
    let write = |path: &str| calls("write_file", &format!(r#"{{"path":"{path}"}}"#));
    prop_oneof![
        3 => Just(says("```python\nx\n```")),
        1 => Just(says("Hm.")),
        2 => Just(says("I'll list the files now:")),
        1 => Just(thinks("hm")),
        1 => Just(says("The first").finishes(FinishReason::Length)),
        1 => Just(Turn::default().finishes(FinishReason::Length)),
        1 => Just(calls("read", "{").finishes(FinishReason::Length)),
        1 => Just(Turn::default().finishes(FinishReason::ContentFilter)),
        1 => Just(says("I cannot do it because it fails.")),
        1 => Just(calls("read", "{}")),
        1 => Just(calls("read", "{}").fails("no")),
        2 => Just(calls("read", r#"{"job":7}"#).answers("still running")),
        2 => Just(calls("pytest", "{}").fails("the tests cannot be found")),
        2 => (0..9_u32).prop_map(|n| calls("pytest", &format!("[{n}]")).fails("the tests cannot be found")),
        6 => Just(write("a.py").fails("no space")),
        3 => Just(write("b.py").fails("no space")),
        1 => Just(write("a.py")),
        1 => Just(calls("read", "{}").fails("no").and_calls("read", "{}").fails("no")),
        1 => Just(calls("no_such_tool", "{}").fails("no such tool")),
        1 => Just(calls("write_file", &format!("{{\"path\":{:?}}}", "語".repeat(5_000))).fails(&huge)),
        1 => Just(calls("read", &huge).fails(&huge)),
        1 => Just(calls("read", &format!("[{}]", "[],".repeat(500) + "[]")).fails("")),
    ]
}

/// A turn, or a broken attempt with these calls.
type Step = (Turn, Option<AttemptFailure>);

fn step() -> impl Strategy<Value = Step> {
    let cause = prop_oneof![
        Just(AttemptCause::Connect),
        Just(AttemptCause::Disconnected),
        Just(AttemptCause::Status { code: 429, retry_after: Some(9) }),
    ];
    let facts = prop_oneof![
        2 => Just(AttemptFacts::default()),
        1 => Just(AttemptFacts { tool_execution_started: None, ..AttemptFacts::default() }),
        1 => Just(AttemptFacts { started: vec!["語".repeat(999).into()], ..AttemptFacts::default() }),
    ];
    let broken = (cause, facts).prop_map(|(cause, facts)| AttemptFailure {
        cause,
        message: "é\"\n".repeat(999).into(),
        facts,
        ..AttemptFailure::empty(1)
    });
    (turn(), proptest::option::weighted(0.2, broken))
}

/// Commits the turns until a guard ends the run, then checks all messages.
fn check(guard: impl Guard + 'static, offer: Arc<Offer>, turns: &[Step]) -> Result<(), TestCaseError> {
    check_under(Protocol::Text, guard, offer, turns)
}

fn check_under(
    protocol: Protocol,
    guard: impl Guard + 'static,
    offer: Arc<Offer>,
    turns: &[Step],
) -> Result<(), TestCaseError> {
    let start = Start { model: "test".into(), protocol, offer: offer.clone() };
    let mut run = Loop::begun(guard, start);
    for (turn, broken) in turns {
        match broken {
            Some(failure) => drop(run.breaks(turn, failure)),
            None => drop(run.turn(turn)),
        }
        if run.interventions().any(|it| it.kind == InterventionKind::Stop) {
            break;
        }
    }
    for it in run.interventions() {
        copied(it, &offer)?;
    }
    let said: Vec<_> = run.interventions().map(|it| &*it.note.text).collect();
    for pair in said.windows(2) {
        prop_assert_ne!(pair[0], pair[1]);
    }
    for text in said {
        prop_assert!(text.chars().count() <= LONGEST, "{} characters", text.chars().count());
        for tool in ["bash", "ask_user"].iter().filter(|tool| offer.get(tool).is_none()) {
            prop_assert!(!text.contains(tool), "{tool} is not offered: {text}");
        }
        prop_assert!(!text.contains("user refused") && !text.trim().is_empty(), "{text}");
    }
    Ok(())
}

/// A message that a model copies into its answer, or into a file, is no call and nothing of a chat template; one that
/// the user reads speaks of the model and not to it (spec M4).
fn copied(said: &Intervention, offer: &Arc<Offer>) -> Result<(), TestCaseError> {
    let text = &*said.note.text;
    let mut copy = Loop::begun(
        CallRepair::default(),
        Start { model: "test".into(), protocol: Protocol::Text, offer: offer.clone() },
    );
    copy.user("Please write a.py.");
    copy.turn(&says(text));
    prop_assert_eq!(copy.interventions().count(), 0, "its copy is taken for a call: {}", text);
    for mark in ["<|", "|>", "[INST]", "<tool_call", "<function", "</", "{tools}", "{count}", "{limit}"] {
        prop_assert!(!text.contains(mark), "{mark}: {text}");
    }
    let is_for_the_user = matches!(
        said.kind,
        InterventionKind::Notice | InterventionKind::Question(_) | InterventionKind::Stop
    );
    // A question of the budget quotes what the model would have been told.
    let own = text.split("would have been:").next().unwrap_or_default();
    for address in ["Your ", "your answer", "your last", "you sent", "You sent", "Do not "] {
        prop_assert!(!is_for_the_user || !own.contains(address), "{address}: {text}");
    }
    Ok(())
}

/// Every rule fires as early as is sensible.
fn hasty_progress() -> Progress {
    Progress::new(ProgressSettings { lapse: 1, ..progress_at(2) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn m1_m2_whatever_happens(turns in proptest::collection::vec(step(), 0..40)) {
        for offer in [offer(), bare_offer()] {
            check(Abandonment::default(), offer.clone(), &turns)?;
            check(Duplicate::default(), offer.clone(), &turns)?;
            check(Progress::default(), offer.clone(), &turns)?;
            check(hasty_progress(), offer.clone(), &turns)?;
            for protocol in [Protocol::Text, Protocol::Tool] {
                check_under(protocol, NoTools::default(), offer.clone(), &turns)?;
                check_under(protocol, EmptyCompletion::default(), offer.clone(), &turns)?;
                check_under(protocol, RetrySafety::default(), offer.clone(), &turns)?;
                check_under(protocol, Stack::new(all_guards()), offer.clone(), &turns)?;
            }
        }
    }
}

#[test]
fn m1_every_rung_of_the_ladder_says_something_else() {
    let failed = calls("write_file", r#"{"path":"a.py"}"#).fails("no space");
    let mut run = Loop::new(Duplicate::default());
    for _ in 0..5 {
        run.turn(&failed);
    }
    let mut said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    assert_eq!(said.len(), 4);
    said.sort();
    said.dedup();
    assert_eq!(said.len(), 4, "{said:#?}");
}

#[test]
fn m1_the_blocks_of_one_turn_differ_too() {
    let both = calls("read", "{}").fails("no").and_calls("read", "{}").fails("no");
    let mut run = Loop::new(Duplicate::default());
    run.turn(&both);
    run.turn(&both);
    let said: Vec<_> = run.interventions().map(|it| it.note.text.clone()).collect();
    assert_eq!(said.len(), 2);
    assert_ne!(said[0], said[1]);
}

#[test]
fn m1_spent_corrections_still_differ() {
    let mut run = Loop::new(Stack::with_budget(
        vec![Box::new(Abandonment::default())],
        balk_guards::Budget { corrections: 0, questions: 9, ..balk_guards::Budget::default() },
    ));
    for _ in 0..3 {
        for _ in 0..3 {
            run.check(&calls("write_file", r#"{"path":"a.py"}"#).fails("no space"), "pass");
        }
        run.turn(&says("```python\nx\n```"));
        run.check(&says("```python\nx\n```"), "pass");
        run.check(&calls("write_file", r#"{"path":"a.py"}"#), "pass");
    }
    let questions: Vec<_> = run
        .interventions()
        .filter(|it| matches!(it.kind, InterventionKind::Question(_)))
        .map(|it| it.note.text.clone())
        .collect();
    assert_eq!(questions.len(), 3);
    assert_ne!(questions[0], questions[1]);
    assert_ne!(questions[1], questions[2]);
}

#[test]
fn m2_a_call_of_a_tool_that_is_not_on_offer_is_spoken_of_without_its_name() {
    let unknown = calls("browser_open", "{}").fails("error: unknown tool");
    let mut run = Loop::new(Duplicate::default());
    for _ in 0..4 {
        run.turn(&unknown);
    }
    let to_the_model = run.interventions().filter(|it| it.kind == InterventionKind::Block);
    let said: Vec<&str> = to_the_model.map(|it| &*it.note.text).collect();
    assert!(said.len() > 1, "{said:?}");
    for text in said {
        assert!(!text.contains("browser_open") && text.contains("not on offer"), "{text}");
    }
}
