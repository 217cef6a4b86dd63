//! The worth of the guards, in counts: which runs must recover, when the user must be told, and what must stay
//! undisturbed.

use std::sync::Arc;

use crate::common::instead::{Instead, What};
use crate::common::runs::{Make, Run, criterion, recipe, recovered, runs, runs_with, under};
use crate::common::{scenario, seeds};
use balk::guards::Registry;
use balk_guards::{Abandonment, Duplicate, Effect, Entry, Origin, Status, Termination};
use balk_reports::statistics::Share;
use balk_scenarios::{Pools, ResponseMode, Scenario, Stuck, Truth, WorldOptions};

impl Run {
    /// Whether the actor fell back to code in fences.
    fn fenced(&self) -> bool {
        self.trial.turns.iter().any(|turn| turn.truth == Truth::Stuck(Stuck::Fence))
    }

    /// Whether the user had to answer a guard's question.
    fn asked(&self) -> bool {
        self.trial.entries.iter().any(|entry| matches!(entry, Entry::Answer(_)))
    }

    /// Whether the last call that could change something did.
    fn changed(&self) -> bool {
        self.trial.entries.iter().rev().find_map(changed).unwrap_or(false)
    }
}

/// Whether a call that could change something did change it; none for other entries.
fn changed(entry: &Entry) -> Option<bool> {
    let Entry::Result(it) = entry else { return None };
    let could = it.origin == Origin::Executed && it.call.effect != Effect::ReadOnly;
    could.then_some(it.status == Status::Ok)
}

/// The requirements on a guard: it recovers at least half of the runs that the oracle recovers, without the user's
/// help; it tells the user in every run that it does not recover; and it leaves the twin alone.
fn passes(stubborn: &Arc<Scenario>, twin: &Arc<Scenario>, guard: Make<'_>) -> Result<(), String> {
    let best = runs(stubborn, criterion(), &|channel| Box::new(recipe("oracle").stack(channel)));
    let ours = runs(stubborn, criterion(), guard);
    let could = recovered(&best);
    let pairs = || best.iter().zip(&ours).filter(|(a, b)| a.grade.recovered() && b.grade.recovered());
    let (both, alone) = (pairs().count(), pairs().filter(|(_, ours)| !ours.asked()).count());
    if 2 * both < could {
        return Err(format!("too few come back: {both} of {could}"));
    }
    if 2 * alone < could {
        return Err(format!("too few come back without the user: {alone} of {could}"));
    }
    let untold: Vec<u64> = ours.iter().filter(|run| run.grade.not_told()).map(|run| run.seed).collect();
    if !untold.is_empty() {
        return Err(format!("the user is not told: {}, first seed {}", untold.len(), untold[0]));
    }
    let twins = runs(twin, criterion(), guard);
    let disturbed = twins.iter().filter(|run| run.grade.interventions > 0).count();
    if disturbed > 0 {
        return Err(format!("healthy work is disturbed: {disturbed} runs"));
    }
    Ok(())
}

fn pairs() -> [(Arc<Scenario>, Arc<Scenario>); 2] {
    [("abandonment", "explains-code"), ("repeating", "test-edit-test")]
        .map(|(stubborn, twin)| (scenario(stubborn, &[]), scenario(twin, &[])))
}

#[test]
fn unguarded_abandonment_ends_in_fences_with_a_user_who_waits() {
    let runs = under(&scenario("abandonment", &[]), seeds(), "none");
    for run in &runs {
        assert!(!run.grade.told, "seed {}: no guard is there to tell the user", run.seed);
    }
    let fenced: Vec<&Run> = runs.iter().filter(|run| run.fenced()).collect();
    assert!(10 * fenced.len() >= 9 * runs.len(), "{} of {} reach the fences", fenced.len(), runs.len());
    // A few recover by themselves (the parameter `spontaneous`), before or after the fences; all others end without a
    // file.
    let before = recovered(&runs) - fenced.iter().filter(|run| run.grade.goal).count();
    let counted = (fenced.len(), before, recovered(&runs));
    assert_eq!(
        counted,
        match runs.len() {
            100 => (99, 1, 6),
            1_000 => (991, 9, 55),
            more => panic!("no count is known for {more} seeds; found {counted:?}"),
        }
    );
}

#[test]
fn abandonment_brings_back_what_can_be_brought_back() {
    let [(stubborn, twin), _] = pairs();
    assert_eq!(passes(&stubborn, &twin, &|_| Box::new(Abandonment::default())), Ok(()));
}

#[test]
fn duplicate_brings_back_what_can_be_brought_back() {
    let [_, (stubborn, twin)] = pairs();
    assert_eq!(passes(&stubborn, &twin, &|_| Box::new(Duplicate::default())), Ok(()));
}

#[test]
fn a_guard_that_only_asks_does_not_count() {
    let [abandonment, repeating] = pairs();
    fails(&abandonment, "too few come back", &|_| {
        Box::new(Instead { inner: Abandonment::default(), what: What::Ask })
    });
    fails(&repeating, "too few come back", &|_| {
        Box::new(Instead { inner: Duplicate::default(), what: What::Ask })
    });
}

#[test]
fn a_guard_that_always_says_the_same_does_not_count() {
    const SAY: What = What::Say("Please use the tools.");
    let [abandonment, repeating] = pairs();
    fails(&abandonment, "the user is not told: ", &|_| {
        Box::new(Instead { inner: Abandonment::default(), what: SAY })
    });
    fails(&repeating, "too few come back", &|_| Box::new(Instead { inner: Duplicate::default(), what: SAY }));
}

#[track_caller]
fn fails((stubborn, twin): &(Arc<Scenario>, Arc<Scenario>), expected: &str, make: Make<'_>) {
    let why = passes(stubborn, twin, make).expect_err("this must not be enough");
    assert!(why.starts_with(expected), "expected `{expected}…`, found `{why}`");
}

/// The known gaps: a model that falls back to fences after a successful change is no longer in debt, and a model that
/// is told to go on or to end the task may say that it is done.
#[test]
fn by_default_only_a_relapse_after_a_change_or_a_claim_leaves_the_user_untold() {
    for (stubborn, _) in pairs() {
        let runs = under(&stubborn, seeds(), "default");
        let untold: Vec<&Run> = runs.iter().filter(|run| run.grade.not_told()).collect();
        assert!(10 * untold.len() <= runs.len(), "{}: {} are not told", stubborn.name, untold.len());
        for run in untold {
            let claims = matches!(run.trial.entries.last(), Some(Entry::End(Termination::Finished)));
            assert!(
                claims || run.changed(),
                "{} seed {}: nothing changed or was claimed, and the user is not told",
                stubborn.name,
                run.seed
            );
        }
    }
}

#[test]
fn every_variant_runs_on_both_stubborn_scenarios() {
    for (stubborn, _) in pairs() {
        for spec in Registry::standard().names() {
            for run in under(&stubborn, seeds(), &spec) {
                assert!(!run.grade.guard_fault, "{} {spec} seed {}", stubborn.name, run.seed);
            }
        }
    }
}

#[test]
fn in_flat_mode_words_are_worth_nothing() {
    const FLAT: WorldOptions =
        WorldOptions { pools: Pools::Open, response: ResponseMode::Flat, reactions: None, turns: None };
    let same = |name: &str, real: Make<'_>, other: Make<'_>| {
        let scenario = scenario(name, &[]);
        let runs = |make| runs_with(&scenario, FLAT, seeds(), make);
        for (real, other) in runs(real).iter().zip(runs(other)) {
            let outcome =
                |run: &Run| (run.grade.goal, run.grade.told, run.grade.turns, run.grade.interventions);
            assert_eq!(outcome(real), outcome(&other), "{name} seed {}", real.seed);
        }
    };
    same("abandonment", &|_| Box::new(Abandonment::default()), &|_| {
        Box::new(Instead { inner: Abandonment::default(), what: What::Empty })
    });
    same("repeating", &|_| Box::new(Duplicate::default()), &|_| {
        Box::new(Instead { inner: Duplicate::default(), what: What::Empty })
    });
    for name in REPEATERS {
        same(name, &|channel| Box::new(recipe("duplicate").stack(channel)), &|channel| {
            Box::new(recipe("duplicate=notice").stack(channel))
        });
    }
}

/// Models that repeat the same call, or nearly the same.
const REPEATERS: [&str; 3] = ["repeating", "repeating-success", "near-duplicate-writer"];

/// The contents of a message help a model that repeats itself.
#[test]
fn a_message_to_act_on_beats_the_notice() {
    let mut table = String::new();
    for name in REPEATERS {
        let scenario = scenario(name, &[]);
        let [actionable, notice, strict] =
            ["duplicate", "duplicate=notice", "duplicate=strict"].map(|spec| under(&scenario, 0..=999, spec));
        let count = |runs: &[Run]| Share::new(number(recovered(runs)), number(runs.len())).to_string();
        let asked = |runs: &[Run]| runs.iter().filter(|run| run.asked()).count();
        let alone = |runs: &[Run]| runs.iter().filter(|run| run.grade.recovered() && !run.asked()).count();
        let mut line = format!("{name}\n");
        for (policy, runs) in [("actionable", &actionable), ("notice", &notice), ("strict", &strict)] {
            let (count, alone, asked) = (count(runs), alone(runs), asked(runs));
            let told = runs.iter().filter(|run| run.grade.handed_over()).count();
            let untold = runs.iter().filter(|run| run.grade.not_told()).count();
            line += &format!(
                "  {policy:10} recovered {count:>18}, without the user {alone:>3}, handed over {told:>3}, not told \
                 {untold:>3}; user asked in {asked:>3}\n"
            );
        }
        table += &line;
        assert!(alone(&actionable) > alone(&notice), "{line}");
    }
    insta::assert_snapshot!("policies", table);
}

fn number(count: usize) -> u64 {
    u64::try_from(count).expect("few trials")
}
