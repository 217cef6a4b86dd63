//! Whether every scenario of the catalogue is useful: stubborn ones leave room for improvement and are recovered;
//! controls are tempting and are left alone.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::common::counting;
use crate::common::naive;
use crate::common::runs::{Run, criterion, recovered, runs, under};
use crate::common::{one_in, scenario, seeds};
use balk::audit::Expectation;
use balk::guards::Registry;
use balk_guards::{AttemptCause, Conclusion, Entry, InterventionKind, Note, Termination};
use balk_reports::statistics::Share;
use balk_scenarios::catalogue::CATALOGUE;
use balk_scenarios::{Kind, Scenario, World, WorldOptions};

pub(crate) fn all(kind: Kind) -> impl Iterator<Item = Arc<Scenario>> {
    let listed = CATALOGUE.iter().filter(move |it| it.kind == kind);
    listed.map(|it| scenario(it.name, &[]))
}

/// This model ignores every message, so no guard can recover it; the user must be told.
fn is_deaf(scenario: &Arc<Scenario>) -> bool {
    scenario.response.stubbornness.num == scenario.response.stubbornness.den
}

fn number(count: usize) -> u64 {
    u64::try_from(count).expect("few trials")
}

/// `count` of `of`, with the interval of its share.
fn share(count: usize, of: usize) -> String {
    format!("{} of {of}", Share::new(number(count), number(of)))
}

#[expect(clippy::print_stdout, reason = "figures to read with --nocapture")]
pub(crate) fn say(text: &str) {
    println!("{text}");
}

/// Fails with all broken expectations, not only with the first.
#[track_caller]
pub(crate) fn all_hold(broken: &[String]) {
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

fn told(run: &Run) -> bool {
    !run.grade.not_told()
}

#[test]
fn stubborn_scenarios_leave_something_to_do_and_default_does_part_of_it() {
    let (mut broken, mut verdicts) = (Vec::new(), String::new());
    for scenario in all(Kind::Stubborn) {
        let [alone, best, ours] = ["none", "oracle", "default"].map(|it| under(&scenario, criterion(), it));
        let n = alone.len();
        let onsets = alone.iter().filter(|run| run.grade.onset.is_some()).count();
        let (could, back) = (recovered(&best), recovered(&ours));
        let pairs = best.iter().zip(&ours).filter(|(best, _)| best.grade.recovered());
        let both = pairs.filter(|(_, ours)| ours.grade.recovered()).count();
        let informed = ours.iter().filter(|run| told(run)).count();
        let figures = format!(
            "{}: onset {}; alone {}; oracle {}; default {}, {both} of the oracle's; done or told {}",
            scenario.name,
            share(onsets, n),
            share(recovered(&alone), n),
            share(could, n),
            share(back, n),
            share(informed, n),
        );
        say(&figures);
        verdicts.push_str(&figures);
        verdicts.push('\n');
        let mut must = |holds: bool, what: &str| {
            if !holds {
                broken.push(format!("{what}: {figures}"));
            }
        };
        must(10 * onsets >= 9 * n, "nine in ten get stuck");
        must(2 * recovered(&alone) <= n, "at most half come back alone");
        if scenario.unreachable.is_some() {
            must(could == 0 && back == 0, "what cannot be reached is not reached");
        } else if is_deaf(&scenario) {
            must(
                Expectation::DoneOrTold.holds(number(n - informed), number(n)),
                "a run that cannot recover is handed over",
            );
        } else {
            must(10 * could >= 3 * n, "the oracle recovers some runs");
            must(back > recovered(&alone), "default recovers more than come back alone");
            let stuck: u64 = ours.iter().map(|run| u64::from(run.grade.stuck_turns)).sum();
            // The mean over 300 runs varies by half a turn.
            must(
                stuck <= 17 * number(n),
                &format!("on average at most 17 turns of a run are stuck, found {stuck} in all"),
            );
        }
    }
    if seeds() == (0..=99) {
        insta::assert_snapshot!("present_verdicts", verdicts);
    }
    all_hold(&broken);
}

/// The conclusions of a run.
fn conclusions(run: &Run) -> impl Iterator<Item = &Arc<Conclusion>> {
    run.trial.entries.iter().filter_map(|entry| {
        let Entry::Conclusion(conclusion) = entry else { return None };
        Some(conclusion)
    })
}

/// The notes of all interventions, to the model and to the user.
pub(crate) fn interventions(run: &Run) -> impl Iterator<Item = &Note> {
    run.trial.entries.iter().filter_map(|entry| {
        let Entry::Intervention(intervention) = entry else { return None };
        intervention.seen.then_some(&intervention.note)
    })
}

/// The rule with which a guard ended the run after a broken attempt.
fn stopped_over_an_attempt(run: &Run) -> Option<&str> {
    let interventions = run
        .trial
        .entries
        .iter()
        .filter_map(|it| if let Entry::Intervention(it) = it { Some(it) } else { None });
    let mut stops = interventions.filter(|it| it.kind == InterventionKind::Stop);
    stops.find(|it| it.note.guard == "retry-safety").map(|it| &*it.note.rule)
}

/// Whether the model itself honestly told the user that the task is not done.
fn admits(run: &Run) -> bool {
    run.trial.turns.iter().any(|turn| turn.tells_user)
}

/// Spec H1 and H2: if the goal is unreachable, the user is told so, with the cause, in every run and within its
/// limits: by the model itself or by the handoff, and never with a wrong cause by the handoff.
#[test]
fn h1_what_cannot_be_reached_is_said_under_its_name() {
    let mut broken = Vec::new();
    let mut found = 0;
    for scenario in [Kind::Stubborn, Kind::Control].into_iter().flat_map(all) {
        let Some(expected) = scenario.unreachable.as_deref() else { continue };
        found += 1;
        let (mut admitted, mut handed_over) = (0, 0);
        let mut unsaid = Vec::new();
        let runs = under(&scenario, criterion(), "default");
        for run in &runs {
            let mut rules: Vec<&str> = conclusions(run).map(|it| &*it.note.rule).collect();
            let is_handoff = conclusions(run).all(|it| &*it.note.guard == "handoff");
            // If the provider failed, a stop over the attempt tells the user so.
            rules.extend(stopped_over_an_attempt(run));
            let finished = run.trial.entries.last() == Some(&Entry::End(Termination::Finished));
            admitted += usize::from(admits(run));
            handed_over += usize::from(!rules.is_empty());
            let said = admits(run) || (!rules.is_empty() && !finished);
            let others = rules.iter().any(|it| *it != expected);
            if run.grade.goal || !told(run) || !said || !is_handoff || others {
                unsaid.push(format!(
                    "{} seed {}: expected {expected}, found {rules:?}; told {}, admitted {}, finished {finished}",
                    scenario.name,
                    run.seed,
                    told(run),
                    admits(run)
                ));
            }
            for conclusion in conclusions(run) {
                let is_gap = !matches!(expected, "partial-work" | "early-transport-failure");
                if &*conclusion.note.rule == expected && conclusion.gap.is_some() != is_gap {
                    broken.push(format!("{} seed {}: {conclusion:?}", scenario.name, run.seed));
                }
            }
        }
        let n = runs.len();
        say(&format!(
            "{}: handed over as {expected} {}; the model said so itself {}; otherwise {}",
            scenario.name,
            share(handed_over, n),
            share(admitted, n),
            share(unsaid.len(), n),
        ));
        // A model that is told how to go on may ask the user, who leaves, or claim to be done.
        if 8 * unsaid.len() > n {
            broken.extend(unsaid);
        }
        // A healthy model may say so itself.
        if (scenario.kind == Kind::Stubborn || admitted == 0) && 8 * handed_over < n {
            broken.push(format!("{}: too few runs come to a handoff: {handed_over} of {n}", scenario.name));
        }
    }
    assert!(found >= 4, "{found} scenarios cannot be reached");
    all_hold(&broken);
}

/// Spec H6: an error that a later call resolved is never reported, and a malformed call is never a missing
/// capability.
#[test]
fn h6_what_is_handed_over_is_what_stands_in_the_way() {
    let mut broken = Vec::new();
    let stale = scenario("stale-error", &[]);
    for run in under(&stale, criterion(), "default") {
        let world = World::draw(&stale, run.seed, WorldOptions::default());
        let drawn = world.drawn();
        let (_, package) = drawn.iter().find(|(name, _)| name == "book.package").expect("it is drawn");
        for it in conclusions(&run) {
            let failed = it.gap.iter().flat_map(|gap| &gap.tried).filter_map(|it| it.last_error.as_deref());
            if failed.chain([&*it.note.text]).any(|text| text.contains(package.as_str())) {
                broken.push(format!("stale-error seed {}: {package} in {it:?}", run.seed));
            }
        }
    }
    let (mut concluded, mut claimed) = (0, 0);
    for run in under(&scenario("malformed-arguments", &[]), criterion(), "default") {
        for it in conclusions(&run) {
            concluded += 1;
            // A model that was told to look elsewhere may have written a note by then, or claims to be done.
            if !matches!(&*it.note.rule, "malformed-call" | "partial-work" | "open-request" | "unheeded") {
                broken.push(format!("malformed-arguments seed {}: {it:?}", run.seed));
            }
        }
        // A model that is told of an end may claim to be done.
        claimed += u32::from(!run.grade.goal && !admits(&run) && conclusions(&run).count() == 0);
    }
    say(&format!("malformed-arguments: {concluded} conclusions"));
    assert!(concluded > 0, "some never learn to write the call");
    assert!(claimed <= 20, "neither done nor handed over: {claimed}");
    all_hold(&broken);
}

/// A control that no naive rule fires in proves nothing about our rules.
#[test]
fn controls_tempt_at_least_one_naive_rule() {
    let mut broken = Vec::new();
    for scenario in all(Kind::Control) {
        let mut fired = Vec::new();
        let mut line = format!("{}:", scenario.name);
        for make in naive::all() {
            let runs = runs(&scenario, one_in(10), &|_| make());
            let count = runs.iter().filter(|run| run.grade.interventions > 0).count();
            let name = make().name().to_owned();
            write!(line, " {name} {count}").expect("writing to a string never fails");
            if 5 * count >= runs.len() {
                fired.push(name);
            }
        }
        say(&format!("{line}; counts by {}", fired.join(", ")));
        if fired.is_empty() {
            broken.push(format!("no naive rule fires on a fifth of the runs: {line}"));
        }
    }
    all_hold(&broken);
}

/// A control that every shipped stack leaves alone proves nothing about any of them.
#[test]
fn every_control_is_disturbed_by_a_shipped_stack() {
    let registry = Registry::standard();
    let mut stacks = registry.peers();
    stacks.push("default".to_owned());
    // The naive ones come last in the registry, and disturb most.
    stacks.rotate_right(4);
    // Most are disturbed in the first of them.
    let disturbs = |scenario: &Arc<Scenario>, spec: &String| {
        (0..200).step_by(10).any(|first| {
            under(scenario, first..=first + 9, spec).iter().any(|run| run.grade.false_interventions > 0)
        })
    };
    let untouched: Vec<_> = all(Kind::Control)
        .filter(|scenario| !stacks.iter().any(|spec| disturbs(scenario, spec)))
        .map(|scenario| scenario.name.clone())
        .collect();
    assert!(untouched.is_empty(), "no stack intervenes in 200 seeds: {untouched:?}");
}

/// Controls that look stuck, each with the rule that it is meant to tempt.
const TEMPTING: [(&str, &str); 12] = [
    ("diagnosing", "failures"),
    ("shared-board", "third-look"),
    ("slow-steady-progress", "alternation"),
    ("long-build", "third-call"),
    ("debugger-stepping", "third-call"),
    ("user-asks-again", "third-look"),
    ("many-distinct-fetches", "no-write"),
    ("membership-checks", "equal-answers"),
    ("honest-empty-search", "equal-answers"),
    ("repetitive-table", "chant"),
    ("systematic-candidates", "failures"),
    ("batch-with-errors", "failures"),
];

/// Busy and healthy work looks stuck to simple counters: the rule that a control is meant to tempt fires in at least
/// half of its runs.
#[test]
fn busy_controls_look_stuck_to_whoever_counts() {
    let mut broken = Vec::new();
    for (name, tempted) in TEMPTING {
        let scenario = scenario(name, &[]);
        let counts = counting::RULES.map(|rule| {
            let runs = runs(&scenario, seeds(), &|_| counting::guard(rule));
            (rule.0, runs.iter().filter(|run| run.grade.interventions > 0).count(), runs.len())
        });
        let counted = counts.iter().find(|(rule, ..)| *rule == tempted);
        let &(_, count, of) = counted.expect("it is one of the rules");
        say(&format!("{name}: {tempted} {}; {counts:?}", share(count, of)));
        if 2 * count < of {
            broken.push(format!("{name}: {tempted} fires in {count} of {of} runs"));
        }
    }
    all_hold(&broken);
}

/// Spec S2, and that no default guard can be removed unnoticed: each intervenes somewhere, and the twin of such a
/// scenario, where it must be silent, is a control of the tests above.
#[test]
fn s2_every_default_guard_has_a_scenario_to_fire_in_and_a_control() {
    let registry = Registry::standard();
    let mut fires_in: BTreeMap<&str, Vec<String>> =
        registry.default_guards().map(|guard| (guard.name(), Vec::new())).collect();
    for scenario in all(Kind::Stubborn) {
        let control = CATALOGUE.iter().find(|it| Some(it.name) == scenario.twin.as_deref());
        if let Some(control) = control {
            assert_eq!(control.kind, Kind::Control, "{} has a control", scenario.name);
        }
        let runs = under(&scenario, seeds(), "default");
        for (name, places) in &mut fires_in {
            let fired = runs.iter().filter(|run| steps_in(run, name)).count();
            if 10 * fired >= runs.len() {
                places.push(format!("{} ({})", scenario.name, share(fired, runs.len())));
            }
        }
    }
    say(&format!("{fires_in:#?}"));
    let idle: Vec<&str> = fires_in.iter().filter(|(_, it)| it.is_empty()).map(|(name, _)| *name).collect();
    // As long as the catalogue has no actor with empty completions, none are required.
    let comes_empty =
        all(Kind::Stubborn).any(|it| it.actor.states.iter().any(|state| !state.empty.is_empty()));
    let excused: &[&str] = if comes_empty { &[] } else { &["empty-completion"] };
    assert_eq!(idle, excused, "{fires_in:#?}");
}

/// Whether a guard acted in a run: it spoke, or it had a request sent again.
fn steps_in(run: &Run, guard: &str) -> bool {
    run.trial.entries.iter().any(|entry| match entry {
        Entry::Intervention(it) => *it.note.guard == *guard,
        Entry::Failed(it) if it.failure.cause == AttemptCause::Empty => guard == "empty-completion",
        Entry::Failed(_) => guard == "retry-safety",
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Completion(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Answer(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => false,
    })
}

#[test]
fn every_guard_and_variant_survives_every_scenario() {
    for kind in [Kind::Stubborn, Kind::Control] {
        for scenario in all(kind) {
            for spec in Registry::standard().names() {
                for run in under(&scenario, one_in(100), &spec) {
                    assert!(!run.grade.guard_fault, "{} {spec} seed {}", scenario.name, run.seed);
                }
            }
        }
    }
}
