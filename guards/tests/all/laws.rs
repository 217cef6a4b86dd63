//! The laws of every guard, including peers, over arbitrary transcripts: questions change nothing, a saved state is
//! the whole state, nothing breaks the guard, it objects to nothing that it need not see, and the state is bounded.

use std::sync::Arc;

use crate::common::events::{Event, events, start};
use crate::common::{PEERS, offer, progress_at};
use balk_guards::{
    Abandonment, AbandonmentPolicy, AbandonmentSettings, AttemptCause, AttemptFailure, Budget, CallRepair,
    Completion, Decision, Duplicate, DuplicatePolicy, DuplicateSettings, Effect, EmptyCompletion, Entry,
    FinishReason, Guard, Handoff, Limit, NoTools, NoToolsSettings, Offer, Origin, Progress, ProgressSettings,
    Protocol, RawCall, Repetition, RetrySafety, RetrySafetyPolicy, RetrySafetySettings, Sight, Stack, Status,
    Termination, Tool, ToolResult, Usage,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The maximum size of a saved state as JSON text, in bytes: 64 calls with 1,000 characters of result, or 32 tools
/// with an error and eight file names, where each character may take six bytes.
const STATE_BYTES_MAX: usize = 512 * 1024;

fn abandonment(policy: AbandonmentPolicy) -> Box<dyn Guard> {
    Box::new(Abandonment::new(AbandonmentSettings { policy, ..AbandonmentSettings::default() }))
}

fn duplicate(policy: DuplicatePolicy) -> Box<dyn Guard> {
    Box::new(Duplicate::new(DuplicateSettings { policy, ..DuplicateSettings::default() }))
}

fn retry_safety(policy: RetrySafetyPolicy) -> Box<dyn Guard> {
    Box::new(RetrySafety::new(RetrySafetySettings { policy, ..RetrySafetySettings::default() }))
}

/// Every rule fires as early as possible.
fn hasty_progress() -> Box<dyn Guard> {
    Box::new(Progress::new(ProgressSettings { lapse: 1, ..progress_at(1) }))
}

fn no_tools(message: Option<&str>) -> Box<dyn Guard> {
    let message = message.map(str::to_owned);
    Box::new(NoTools::new(NoToolsSettings { text_form: true, message, ..NoToolsSettings::default() }))
}

/// Every guard in every policy, and stacks of them.
const GUARDS: [fn() -> Box<dyn Guard>; 26] = [
    || Box::new(()),
    || Box::new(CallRepair::default()),
    || abandonment(AbandonmentPolicy::Soft),
    || abandonment(AbandonmentPolicy::HardBlock),
    || abandonment(AbandonmentPolicy::AutoRetry),
    || abandonment(AbandonmentPolicy::Strict),
    || duplicate(DuplicatePolicy::Actionable),
    || duplicate(DuplicatePolicy::Notice),
    || duplicate(DuplicatePolicy::Strict),
    || Box::new(NoTools::default()),
    || no_tools(Some("{count} of {limit}: {tools}")),
    || Box::new(EmptyCompletion::default()),
    || Box::new(Handoff::default()),
    || Box::new(Progress::default()),
    || Box::new(Repetition::default()),
    hasty_progress,
    || retry_safety(RetrySafetyPolicy::Conservative),
    || retry_safety(RetrySafetyPolicy::FastPath),
    || retry_safety(RetrySafetyPolicy::Facts),
    || Box::new(Stack::new(vec![])),
    || {
        let (first, second) = (retry_safety(RetrySafetyPolicy::Facts), Box::new(EmptyCompletion::default()));
        Box::new(Stack::new(vec![first, second]))
    },
    || Box::new(Stack::new(vec![Box::new(Handoff::default()), Box::new(EmptyCompletion::default())])),
    || Box::new(Stack::new(vec![Box::new(EmptyCompletion::default()), no_tools(None)])),
    || Box::new(Stack::new(vec![hasty_progress(), duplicate(DuplicatePolicy::Actionable)])),
    || {
        let (first, second) = (abandonment(AbandonmentPolicy::Soft), duplicate(DuplicatePolicy::Actionable));
        Box::new(Stack::new(vec![first, second]))
    },
    || {
        let (first, second) = (duplicate(DuplicatePolicy::Strict), abandonment(AbandonmentPolicy::Strict));
        let inner = Box::new(Stack::new(vec![abandonment(AbandonmentPolicy::AutoRetry)]));
        Box::new(Stack::with_budget(
            vec![first, inner, second],
            Budget { corrections: 2, questions: 1, ..Budget::default() },
        ))
    },
];

/// These, and the peers.
pub(crate) fn all() -> impl Iterator<Item = fn() -> Box<dyn Guard>> {
    GUARDS.into_iter().chain(PEERS)
}

/// A guard that is asked twice, and a copy that is constantly saved and loaded into a fresh guard.
struct Pair {
    make: fn() -> Box<dyn Guard>,
    guard: Box<dyn Guard>,
    double: Box<dyn Guard>,
}

impl Pair {
    fn observe(&mut self, entry: &Entry) -> Result<(), TestCaseError> {
        self.guard.observe(entry);
        self.double.observe(entry);
        let saved = self.double.save();
        prop_assert_eq!(&self.guard.save(), &saved);
        self.double = (self.make)();
        prop_assert_eq!(self.double.load(saved.clone()), Ok(()));
        prop_assert_eq!(self.double.save(), saved);
        Ok(())
    }

    fn ask<T: PartialEq + std::fmt::Debug>(
        &self,
        question: impl Fn(&dyn Guard) -> T,
    ) -> Result<T, TestCaseError> {
        let answer = question(&*self.guard);
        prop_assert_eq!(&question(&*self.guard), &answer);
        prop_assert_eq!(&question(&*self.double), &answer);
        Ok(answer)
    }
}

/// The ends that a guard is asked about.
pub(crate) fn ends() -> [Termination; 4] {
    let fatal = Termination::FatalExecution("no space left".into());
    [Termination::NoProgress, Termination::StoppedByGuard, Termination::Limit(Limit::Turns), fatal]
}

fn check(make: fn() -> Box<dyn Guard>, events: &[Event]) -> Result<Box<dyn Guard>, TestCaseError> {
    let mut pair = Pair { make, guard: make(), double: make() };
    for event in events {
        match event {
            Event::Other(entry) => pair.observe(entry)?,
            Event::Turn { completion, results, own } => {
                let sight = pair.ask(|it| it.must_see())?;
                pair.observe(&Entry::Completion(completion.clone()))?;
                let decision = pair.ask(|it| it.review(completion))?.expect("never breaks");
                if sight == Sight::Nothing || sight == Sight::Calls && completion.calls.is_empty() {
                    prop_assert_eq!(&decision, &Decision::pass(), "unseen by {}", pair.guard.name());
                    let end = pair.ask(|it| it.conclude(&Termination::Finished))?.expect("never breaks");
                    prop_assert_eq!(end, None, "unseen by {}", pair.guard.name());
                }
                pair.ask(|it| it.settle(completion, results))?.expect("never breaks");
                for result in results {
                    pair.observe(&Entry::Result(result.clone()))?;
                }
                let interventions = own.map(|seen| decision.interventions(seen)).unwrap_or_default();
                for intervention in interventions {
                    pair.observe(&Entry::Intervention(intervention))?;
                }
            }
        }
        pair.ask(|it| it.recover(&AttemptFailure::empty(1)))?.expect("never breaks");
        for cause in [AttemptCause::Connect, AttemptCause::Disconnected] {
            let failure = AttemptFailure { cause, ..AttemptFailure::empty(1) };
            pair.ask(|it| it.recover(&failure))?.expect("never breaks");
        }
        if let Event::Other(Entry::Failed(failed)) = event {
            pair.ask(|it| it.recover(&failed.failure))?.expect("never breaks");
        }
        for end in ends() {
            pair.ask(|it| it.conclude(&end))?.expect("never breaks");
        }
    }
    Ok(pair.guard)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-z]{0,9}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            ("(guard|version|recall|runs|offer|rounds|members)", inner)
                .prop_map(|(name, it)| json!({ name: it })),
        ]
    })
}

/// The state is refused, and the guard is unchanged.
fn check_refused(guard: &mut Box<dyn Guard>, state: Value) -> Result<(), TestCaseError> {
    let before = guard.save();
    prop_assert!(guard.load(state.clone()).is_err(), "{} takes {state}", guard.name());
    prop_assert_eq!(guard.save(), before);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn questions_change_nothing_and_a_saved_state_is_the_whole_state(events in events()) {
        for make in all() {
            check(make, &events)?;
        }
    }

    #[test]
    fn a_state_that_is_none_is_refused(events in events(), garbage in value()) {
        for make in all() {
            let mut guard = check(make, &events)?;
            check_refused(&mut guard, garbage.clone())?;
            for other in all() {
                let theirs = other();
                if theirs.name() != guard.name() {
                    check_refused(&mut guard, theirs.save()).or_else(|refused| {
                        // A guard without a state and one that saves none are the same.
                        if theirs.save().is_null() && guard.save().is_null() { Ok(()) } else { Err(refused) }
                    })?;
                }
            }
            let saved = guard.save();
            let next = saved["version"].as_u64().map(|version| version + 1);
            for (member, wrong) in [("version", json!(next)), ("version", json!("1")), ("guard", json!("x"))] {
                if saved.is_object() {
                    let mut state = saved.clone();
                    state[member] = wrong;
                    check_refused(&mut guard, state)?;
                }
            }
            for member in saved.as_object().into_iter().flat_map(|it| it.keys()) {
                let mut state = saved.clone();
                state[member] = json!({ "no": "such thing" });
                check_refused(&mut guard, state)?;
            }
        }
    }
}

#[test]
fn a_state_that_does_not_fit_together_is_refused() {
    let completion = Completion::new(
        [],
        [RawCall { id: "c".into(), tool: "read".into(), arguments: "{}".into() }],
        FinishReason::Stop,
        Usage::default(),
        &offer(),
    );
    let mut guard: Box<dyn Guard> = Box::new(Duplicate::default());
    guard.observe(&Entry::Result(ToolResult {
        call: completion.calls[0].clone(),
        origin: Origin::Executed,
        status: Status::Error,
        tries: 1,
        text: "no".into(),
    }));
    let mut state = guard.save();
    state["recall"]["calls"] = json!([]);
    check_refused(&mut guard, state).expect("it is refused");
}

/// The key of a long path is a number of more than 64 bits.
#[test]
fn a_state_has_paths_of_any_length() {
    let offer = Arc::new(Offer::new([Tool::new("write").effect(Effect::IdempotentWrite)]));
    for make in all() {
        let (mut guard, mut double) = (make(), make());
        guard.observe(&start(Protocol::Text, offer.clone()));
        for path in ["a", "src/a.py", "src/pages/of/the/project/index.html"] {
            let arguments = format!("{{\"path\": \"{path}\", \"content\": \"x\"}}").into();
            let raw = RawCall { id: "call".into(), tool: "write".into(), arguments };
            let completion =
                Arc::new(Completion::new([], [raw], FinishReason::ToolCall, Usage::default(), &offer));
            guard.observe(&Entry::Completion(completion.clone()));
            let written = ToolResult::executed(&completion.calls[0], Status::Ok, "written");
            guard.observe(&Entry::Result(written));
            let saved = guard.save();
            assert_eq!(double.load(saved.clone()), Ok(()), "{}", guard.name());
            assert_eq!(double.save(), saved, "{}", guard.name());
        }
    }
}

#[test]
fn the_state_is_bounded() {
    let tools = (0..100).map(|n| Tool::new(&format!("{n}_{}", "x".repeat(60))).effect(Effect::Write));
    let offer = Arc::new(Offer::new(tools));
    let text = "\u{1}".repeat(5_000);
    for make in all() {
        let mut guard = make();
        guard.observe(&start(Protocol::Tool, offer.clone()));
        for n in 0..1_500 {
            let raw = RawCall {
                id: "call".into(),
                tool: offer.tools()[n % 100].name.clone(),
                arguments: format!("{{\"path\":\"{n}{}\"}}", "\\u0001".repeat(300)).into(),
            };
            let completion =
                Arc::new(Completion::new([], [raw], FinishReason::Stop, Usage::default(), &offer));
            guard.observe(&Entry::Completion(completion.clone()));
            guard.observe(&Entry::Result(ToolResult {
                call: completion.calls[0].clone(),
                origin: Origin::Executed,
                status: Status::Error,
                tries: 1,
                text: text.as_str().into(),
            }));
        }
        let bytes = guard.save().to_string().len();
        let members = if guard.name() == "stack" { 3 } else { 1 };
        assert!(bytes <= STATE_BYTES_MAX * members, "{} takes {bytes} bytes", guard.name());
    }
}
