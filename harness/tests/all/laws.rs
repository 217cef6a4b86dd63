//! Laws of every trial, whatever guards do: random stacks of guards that answer anything, every scenario, random
//! seeds.

mod case;
mod ids;
mod listening;
mod views;

use std::sync::LazyLock;

use balk::engine::{self, TruthChannel};
use balk::grade;
use balk::import::Setting;
use balk::replay::{Found, Own, Replay, StackOf};
use balk_guards::{
    Answer, Blocked, Choice, Completion, Conclusion, Decision, Entry, Guard, GuardFault, InterventionKind,
    LOST, Limit, NOT_RUN, Note, Origin, Repair, Settlement, Stack, Status, Subject, Termination, ToolResult,
    Verdict,
};
use balk_reports::records::{TrialRecord, transcript};
use balk_scenarios::{Environment, Scenario, User, World, WorldOptions};
use proptest::prelude::*;

use crate::common::scenario;
use crate::common::wild::{self, Restarted, Temper};
use case::{Case, SCENARIOS, case, completion, following, kind, repaired, result, tried};
use listening::{Heard, Listening, Question};

/// Whether the transcript has everything that changes the world. The calls that the provider runs itself are in none,
/// and messages and time change facts.
fn calls_alone_change(scenario: &Scenario) -> bool {
    let Scenario { provider, compaction, environment, user, .. } = scenario;
    let says_much =
        !environment.notifications.is_empty() || !user.interrupts.is_empty() || !user.rules.is_empty();
    let takes_time = environment.rules.iter().any(|it| it.takes.is_some());
    provider.is_empty() && compaction.is_none() && !says_much && !takes_time
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_call_has_one_result_before_the_next_completion_in_call_order(case in case()) {
        let trial = case.trial(&case.world());
        for (at, entry) in trial.entries.iter().enumerate() {
            let Some(completion) = completion(entry) else { continue };
            let turn = following(&trial.entries, at);
            let answered: Vec<_> = turn.iter().filter_map(result).map(|it| &it.call).collect();
            // The calls that run are those of the last repair.
            let completion = turn.iter().filter_map(repaired).last().unwrap_or(completion);
            let calls: Vec<_> = completion.calls.iter().collect();
            let broke = matches!(turn.last(), Some(Entry::End(Termination::GuardFault(_))));
            prop_assert!(answered == calls || (broke && answered.is_empty()), "turn at entry {}", at);
        }
    }

    #[test]
    fn what_was_refused_never_reached_the_environment(case in case()) {
        let world = case.world();
        let trial = case.trial(&world);
        if !calls_alone_change(world.scenario()) {
            return Ok(());
        }
        let (mut environment, user) = (Environment::new(&world), User::new(&world));
        let mut asked: Vec<Choice> = Vec::new();
        for (at, entry) in trial.entries.iter().enumerate() {
            if let Some(InterventionKind::Question(options)) = kind(entry) {
                asked.clone_from(options);
            }
            if let Entry::Answer(answer) = entry {
                let (same, sets) = user.answer(&asked);
                prop_assert_eq!(&same, answer);
                environment.set(&sets);
            }
            if completion(entry).is_none() {
                continue;
            }
            let turn = following(&trial.entries, at);
            let results: Vec<&ToolResult> = turn.iter().filter_map(result).collect();
            let tried: Vec<&ToolResult> = turn.iter().filter_map(tried).collect();
            if results.is_empty() && !tried.is_empty() {
                // A guard broke after a rerun: the effect of the last try was never committed.
                return Ok(());
            }
            // The calls ran first in call order, and then again in the order of the tries.
            let mut runs: Vec<&ToolResult> = Vec::new();
            let versions = |of: &ToolResult| {
                let of = of.call.id.clone();
                let tries = tried.iter().copied().filter(move |it| it.call.id == of);
                tries.collect::<Vec<_>>()
            };
            for &it in &results {
                match it.origin {
                    Origin::Executed => {
                        runs.push(versions(it).first().copied().unwrap_or(it));
                    }
                    Origin::Synthetic => {
                        prop_assert!(it.text.starts_with(NOT_RUN) && it.tries == 0 && it.status == Status::Error);
                    }
                    Origin::Missing => {
                        prop_assert_eq!(&*it.text, LOST);
                        runs.push(it);
                    }
                }
            }
            for (nth, again) in tried.iter().enumerate() {
                let later = tried[nth + 1..].iter().copied().find(|it| it.call.id == again.call.id);
                let last = results.iter().copied().find(|it| it.call.id == again.call.id);
                runs.push(later.or(last).expect("every try leads to a result"));
            }
            for run in runs {
                let executed = environment.call(&run.call);
                if run.origin == Origin::Missing {
                    continue;
                }
                prop_assert_eq!((&*run.text, run.status), (&*executed.text, executed.status));
            }
            let blocks = turn.iter().filter(|it| kind(it) == Some(&InterventionKind::Block)).count();
            let refused = results.iter().filter(|it| it.origin == Origin::Synthetic).count();
            prop_assert!(refused >= blocks.min(results.len()), "{} blocks, {} refused", blocks, refused);
        }
        if !matches!(trial.entries.last(), Some(Entry::End(Termination::GuardFault(_)))) {
            prop_assert_eq!(environment.goal(), trial.goal);
        }
    }

    #[test]
    fn the_bounds_hold(case in case()) {
        let world = case.world();
        let limits = world.scenario().limits;
        let trial = case.trial(&world);
        let (mut attempts, mut calls, mut questions, mut interventions, mut at_turn) = (0, 0, 0, 0, 0);
        for entry in &trial.entries {
            if completion(entry).is_some() {
                prop_assert!(at_turn < limits.interventions);
                attempts = 0;
            }
            attempts += u32::from(matches!(entry, Entry::Failed(_)));
            calls += u32::from(tried(entry).is_some());
            calls += u32::from(result(entry).is_some_and(|it| it.origin == Origin::Executed));
            interventions += u32::from(kind(entry).is_some());
            questions += u32::from(matches!(kind(entry), Some(InterventionKind::Question(_))));
            if attempts == 0 {
                at_turn = interventions;
            }
            prop_assert!(attempts <= limits.attempts && calls <= limits.calls && questions <= limits.questions);
        }
        prop_assert!(trial.turns.len() <= usize::try_from(limits.turns).expect("a small number"));
        let (last, before) = trial.entries.split_last().expect("a trial has an end");
        prop_assert!(!before.iter().any(|it| matches!(it, Entry::End(_))));
        let Entry::End(end) = last else { panic!("the last entry is the end") };
        if let Termination::Limit(limit) = end {
            let turns = u32::try_from(trial.turns.len()).expect("a small number");
            let (reached, bound) = match limit {
                Limit::Turns => (turns, limits.turns),
                Limit::Calls => (calls, limits.calls),
                Limit::Attempts => (attempts, limits.attempts),
                Limit::Questions => (questions, limits.questions),
                // One turn may add several.
                Limit::Interventions => (interventions.min(limits.interventions), limits.interventions),
            };
            prop_assert_eq!(reached, bound, "{:?}", limit);
        }
    }

    #[test]
    fn saving_and_loading_after_every_entry_changes_nothing(case in case()) {
        let world = case.world();
        let restarted = engine::run(&world, &mut Restarted::new(&case.tempers), &TruthChannel::default());
        prop_assert_eq!(restarted, case.trial(&world));
    }

    #[test]
    fn a_record_reads_back_and_replays_as_recorded(case in case()) {
        let world = case.world();
        let trial = case.trial(&world);
        let record = grade::record(&world, "wild", &[], &trial);
        let json = serde_json::to_string(&record).expect("a record is plain data");
        let read: TrialRecord = serde_json::from_str(&json).expect("a record can be read");
        prop_assert_eq!(&transcript(&read.entries).expect("a record has a transcript"), &trial.entries);
        prop_assert_eq!(&read, &record);
        let turns = u64::try_from(trial.turns.len()).expect("a small number");
        let own = replayed(&json, &|_, _| Ok(wild::stack(&case.tempers)));
        prop_assert_eq!(own.difference(), None);
        prop_assert_eq!((&own.fault, own.is_held_to_record()), (&None, true));
        prop_assert_eq!(own.turns, turns);
        let of_others = replayed(&json, &|_, _| Ok(Stack::new(Vec::new())));
        prop_assert_eq!((of_others.turns, &of_others.fault), (turns, &None));
    }

    #[test]
    fn a_replay_asks_what_the_run_asked(case in case()) {
        let world = case.world();
        let heard = Heard::default();
        let listening = || Listening { inner: wild::stack(&case.tempers), heard: heard.clone() };
        let stack = || Stack::new(vec![Box::new(listening())]);
        let trial = engine::run(&world, &mut stack(), &TruthChannel::default());
        let asked = heard.take();
        let record = grade::record(&world, "wild", &[], &trial);
        let json = serde_json::to_string(&record).expect("a record is plain data");
        replayed(&json, &|_, _| Ok(stack()));
        let replayed = heard.take();
        // The results over which the guard broke were never committed: the replay knows only the end of that turn.
        let broke = matches!(trial.entries.last(), Some(Entry::End(Termination::GuardFault(_))));
        let without_end = |mut all: Vec<Question>| {
            all.truncate(all.len() - usize::from(broke && all.last().is_some_and(Question::is_end)));
            all
        };
        let (asked, replayed) = (without_end(asked), without_end(replayed));
        let differs = asked.iter().zip(&replayed).position(|(asked, again)| asked != again);
        prop_assert!(
            differs.is_none() && (broke || asked.len() == replayed.len()),
            "{} questions, {} in the replay, the first other one: {:?}",
            asked.len(),
            replayed.len(),
            differs.map(|at| [&asked[at], &replayed[at]])
        );
    }

    #[test]
    fn a_guard_fault_ends_the_trial_as_such_and_nothing_else_does(case in case()) {
        let world = case.world();
        let heard = Heard::default();
        let mut guard = Listening { inner: wild::stack(&case.tempers), heard: heard.clone() };
        let trial = engine::run(&world, &mut guard, &TruthChannel::default());
        let faults: Vec<String> = heard.take().into_iter().filter_map(|it| it.fault).collect();
        let ended: Vec<String> = trial
            .entries
            .iter()
            .filter_map(|it| {
                let Entry::End(Termination::GuardFault(why)) = it else { return None };
                Some(why.to_string())
            })
            .collect();
        prop_assert_eq!(&ended, &faults);
        prop_assert_eq!(grade::grade(&trial).guard_fault, !faults.is_empty());
    }

    #[test]
    fn until_a_guard_acts_a_run_is_the_run_without_guards(case in case()) {
        let world = case.world();
        let guarded = case.trial(&world).entries;
        let alone = engine::run(&world, &mut (), &TruthChannel::default()).entries;
        let acts = guarded.iter().position(|entry| {
            kind(entry).is_some()
                || tried(entry).is_some()
                || result(entry).is_some_and(|it| it.origin == Origin::Synthetic)
                || matches!(entry, Entry::Failed(_) | Entry::Conclusion(_) | Entry::End(Termination::GuardFault(_)))
        });
        let shared = acts.unwrap_or(guarded.len());
        prop_assert!(alone.len() >= shared);
        prop_assert_eq!(&guarded[..shared], &alone[..shared]);
        if acts.is_none() {
            prop_assert_eq!(guarded.len(), alone.len());
        }
    }
}

/// A record, replayed through this stack.
fn replayed(json: &str, stack: &StackOf<'_>) -> Own {
    let replay = Replay { from: None, setting: &Setting::default(), guard: None, stack, pool: &POOL };
    let mut items = Vec::new();
    let mut take = |more| {
        items.extend(more);
        Ok(())
    };
    replay.file(json.as_bytes(), &mut take).expect("memory can be read");
    let found = items.pop().map(|item| item.found);
    let Some(Ok(Found::Own(own))) = found else { panic!("the line is one of ours: {found:?}") };
    own
}

static POOL: LazyLock<rayon::ThreadPool> = LazyLock::new(|| {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started")
});

/// Breaks when it is asked about the end.
struct BreaksAtTheEnd;

impl Guard for BreaksAtTheEnd {
    fn name(&self) -> &'static str {
        "breaks-at-the-end"
    }

    fn observe(&mut self, _: &Entry) {}

    fn conclude(&self, _: &Termination) -> Answer<Option<Conclusion>> {
        Err(GuardFault { guard: "breaks-at-the-end".into(), reason: "it just broke".into() })
    }
}

/// Makes each call twice, with the same id; refuses the first, and runs the second one again.
struct Doubles;

impl Doubles {
    fn note() -> Note {
        Note {
            guard: "doubles".into(),
            rule: "doubles".into(),
            level: 1,
            subject: Subject::Run,
            text: "Twice.".into(),
        }
    }
}

impl Guard for Doubles {
    fn name(&self) -> &'static str {
        "doubles"
    }

    fn observe(&mut self, _: &Entry) {}

    fn review(&self, completion: &Completion) -> Answer<Decision> {
        let verdict = match &*completion.calls {
            [one] => {
                let mut doubled = completion.clone();
                doubled.calls.push(one.clone());
                Verdict::Repair(Repair { note: Self::note(), completion: doubled.into() })
            }
            [_, _] => Verdict::Block(vec![Blocked { call: 0, note: Self::note() }]),
            _ => Verdict::Pass,
        };
        Ok(Decision { verdict, notices: Vec::new() })
    }

    fn settle(&self, _: &Completion, results: &[ToolResult]) -> Answer<Settlement> {
        Ok(match results {
            [refused, ran] if refused.origin == Origin::Synthetic && ran.tries < 3 => {
                Settlement::Rerun { call: 1, after: 0 }
            }
            _ => Settlement::Accept(Vec::new()),
        })
    }
}

#[test]
fn calls_of_one_answer_with_the_same_id_replay_as_recorded() {
    let world = World::draw(&scenario("repeating", &[]), 1, WorldOptions::default());
    let stack = || Stack::new(vec![Box::new(Doubles)]);
    let trial = engine::run(&world, &mut stack(), &TruthChannel::default());
    assert!(trial.entries.iter().any(|it| tried(it).is_some()), "no call ran again");
    let json = serde_json::to_string(&grade::record(&world, "doubles", &[], &trial)).expect("plain data");
    assert_eq!(replayed(&json, &|_, _| Ok(stack())).difference(), None);
}

/// The end that it was asked about is in no record: only that it broke after a text.
#[test]
fn a_guard_that_breaks_at_the_end_replays_as_recorded() {
    let world = World::draw(&scenario("text-only-chat", &[]), 1, WorldOptions::default());
    let stack = || Stack::new(vec![Box::new(BreaksAtTheEnd)]);
    let trial = engine::run(&world, &mut stack(), &TruthChannel::default());
    assert!(matches!(
        &trial.entries[trial.entries.len() - 2..],
        [Entry::Completion(_), Entry::End(Termination::GuardFault(_))]
    ));
    let record = grade::record(&world, "breaks-at-the-end", &[], &trial);
    let json = serde_json::to_string(&record).expect("a record is plain data");
    let own = replayed(&json, &|_, _| Ok(stack()));
    assert_eq!((own.difference(), &own.fault), (None, &None));
}

/// The random cases are useful only if they cover everything that guards can do.
#[test]
fn the_guards_of_these_tests_do_everything() {
    let mut met = std::collections::BTreeSet::new();
    for seed in 0..800 {
        let temper = |n: u64| Temper { salt: 1_000 * n + seed, objects: seed % 5, breaks: seed % 4 == 0 };
        let scenario = usize::try_from(seed).expect("a small number") % SCENARIOS.len();
        let case = Case { tempers: vec![temper(1), temper(2)], scenario, seed };
        for entry in case.trial(&case.world()).entries {
            met.insert(match entry {
                Entry::Start(_) => "start",
                Entry::User(_) => "user",
                Entry::Completion(_) => "completion",
                Entry::Failed(_) => "failed",
                Entry::Tried(_) => "tried",
                Entry::Result(it) if it.origin == Origin::Synthetic => "refused",
                Entry::Result(_) => "result",
                Entry::Intervention(it) => match it.kind {
                    InterventionKind::Feedback => "feedback",
                    InterventionKind::Note => "note",
                    InterventionKind::Question(_) => "question",
                    InterventionKind::Notice => "notice",
                    InterventionKind::Block => "block",
                    InterventionKind::Repair(_) => "repair",
                    InterventionKind::Stop => "stop",
                },
                Entry::Answer(_) => "answer",
                Entry::Conclusion(_) => "conclusion",
                Entry::Compaction(_) => "compaction",
                Entry::End(Termination::Finished) => "finished",
                Entry::End(Termination::NoProgress) => "no progress",
                Entry::End(Termination::FatalExecution(_)) => "fatal",
                Entry::End(Termination::StoppedByGuard) => "stopped by guard",
                Entry::End(Termination::StoppedByUser) => "stopped by user",
                Entry::End(Termination::GuardFault(_)) => "guard fault",
                Entry::End(Termination::Limit(Limit::Turns)) => "limit of turns",
                Entry::End(Termination::Limit(Limit::Attempts)) => "limit of attempts",
                Entry::End(Termination::Limit(Limit::Calls)) => "limit of calls",
                Entry::End(Termination::Limit(Limit::Interventions)) => "limit of interventions",
                Entry::End(Termination::Limit(Limit::Questions)) => "limit of questions",
            });
        }
    }
    let met: Vec<&str> = met.into_iter().collect();
    insta::assert_snapshot!("met", met.join("\n"));
}
