//! Spec N4 and N7 in whole runs: the user's answers to the question work, and the probe ends with a listing.

use std::sync::Arc;

use crate::common::runs::{Run, recipe, recovered, runs, under};
use crate::common::{scenario, seeds};
use balk_guards::{ChoiceKind, Entry, Intervention, InterventionKind, Status, Termination};
use balk_reports::statistics::Share;
use balk_scenarios::scenario::Role;
use balk_scenarios::{Scenario, World, WorldOptions};

/// Settings for a model that ignores every message and never recovers by itself.
const DEAF: [(&str, &str); 2] = [("response.stubbornness", "1/1"), ("actor.spontaneous", "0/1")];

/// Runs of `text-only` with a model that ignores messages and a person who gives this answer.
fn answered(sets: &[(&str, &str)]) -> Vec<Run> {
    under(&scenario("text-only", &[&DEAF[..], sets].concat()), seeds(), "default")
}

/// The course of a run, one letter per event. From the guard: `c`orrection, `q`uestion, `n`otice, `s`top. From the
/// user: `C`ontinue, `S`witch, `I`nstruct. `.` is a completion with a call, `-` one without.
fn course(run: &Run) -> String {
    let letter = |entry: &Entry| match entry {
        Entry::Completion(it) => Some(if it.calls.is_empty() { '-' } else { '.' }),
        Entry::Intervention(it) => Some(match it.kind {
            InterventionKind::Question(_) => 'q',
            InterventionKind::Stop => 's',
            InterventionKind::Notice => 'n',
            InterventionKind::Feedback
            | InterventionKind::Note
            | InterventionKind::Block
            | InterventionKind::Repair(_) => 'c',
        }),
        Entry::Answer(it) => Some(match it.choice {
            ChoiceKind::Continue => 'C',
            ChoiceKind::SwitchModel => 'S',
            ChoiceKind::Instruct => 'I',
            ChoiceKind::Constrain => 'R',
            ChoiceKind::Report => 'G',
            ChoiceKind::Stop => 'X',
        }),
        Entry::Start(_)
        | Entry::User(_)
        | Entry::Failed(_)
        | Entry::Tried(_)
        | Entry::Result(_)
        | Entry::Compaction(_)
        | Entry::Conclusion(_)
        | Entry::End(_) => None,
    };
    run.trial.entries.iter().filter_map(letter).collect()
}

#[test]
fn n4_the_question_offers_all_three_answers() {
    for run in answered(&[]) {
        let asked = run.trial.entries.iter().find_map(|entry| {
            if let Entry::Intervention(Intervention { kind: InterventionKind::Question(options), .. }) = entry
            {
                Some(options)
            } else {
                None
            }
        });
        let kinds: Vec<ChoiceKind> =
            asked.expect("a deaf model ends in a question").iter().map(|it| it.kind).collect();
        for kind in [ChoiceKind::Continue, ChoiceKind::SwitchModel, ChoiceKind::Instruct] {
            assert!(kinds.contains(&kind), "seed {}: {kinds:?}", run.seed);
        }
    }
}

/// Two corrections come before every question, because the answer resets the count. The fourth time the run ends.
#[test]
fn n4_continue_resets_the_count_and_ends_in_the_end() {
    for run in answered(&[("user.answer.0.choice", "continue")]) {
        let course = course(&run);
        let stuck = course.trim_start_matches('.');
        assert!(stuck.starts_with("-c-c-qC-c-c-qC-c-c-qC-"), "seed {}: {course}", run.seed);
        // The end, and the notice to the user about it.
        assert!(stuck.ends_with("sn"), "seed {}: {course}", run.seed);
        assert_eq!(run.trial.entries.last(), Some(&Entry::End(Termination::StoppedByGuard)));
        assert!(run.grade.handed_over(), "seed {}: it is told why", run.seed);
    }
}

#[test]
fn n4_another_model_works_where_the_first_one_did_not() {
    let sets = [("user.answer.0.choice", "switch-model"), ("user.answer.1.choice", "instruct")];
    for run in answered(&sets) {
        let course = course(&run);
        // Two corrections and the question, and the new model acts at once.
        assert!(course.trim_start_matches('.').starts_with("-c-c-qS."), "seed {}: {course}", run.seed);
        assert!(run.grade.goal, "seed {}: {course}", run.seed);
    }
}

#[test]
fn n4_an_instruction_is_obeyed_by_whoever_obeys() {
    for run in answered(&[("actor.obeys", "1/1")]) {
        let course = course(&run);
        assert!(course.trim_start_matches('.').starts_with("-c-c-qI."), "seed {}: {course}", run.seed);
        assert!(run.grade.goal, "seed {}: {course}", run.seed);
    }
    for run in answered(&[("actor.obeys", "0/1")]) {
        let course = course(&run);
        assert!(course.contains("qI-") && !run.grade.goal, "seed {}: {course}", run.seed);
        assert!(run.grade.handed_over(), "seed {}: {course}", run.seed);
    }
}

#[test]
fn n4_a_limit_leaves_one_correction_less() {
    for limit in 1..=5 {
        let spec = format!("no-tools{{limit={limit}}}");
        for run in
            runs(&scenario("text-only", &DEAF), 0..=19, &|channel| Box::new(recipe(&spec).stack(channel)))
        {
            let expected = format!("{}-q", "-c".repeat(limit - 1));
            let course = course(&run);
            assert!(course.trim_start_matches('.').starts_with(&expected), "limit {limit}: {course}");
        }
    }
}

/// Whether a call that lists a directory ran and succeeded.
fn lists(probe: &Arc<Scenario>, run: &Run) -> bool {
    let world = World::draw(probe, run.seed, WorldOptions::default());
    let drawn = world.drawn();
    let is_drawn = |name: &str| drawn.iter().any(|(what, value)| what == "toolset" && *value == *name);
    let set = probe.toolsets.iter().find(|it| is_drawn(&it.name)).expect("one set is drawn");
    let list = set.tools.iter().find(|it| it.role == Role::List).expect("the scenario lists directories");
    let list = world.offer().by_original(&list.tool.name).expect("it is offered");
    run.trial.entries.iter().any(
        |entry| matches!(entry, Entry::Result(it) if it.status == Status::Ok && it.call.tool == list.name),
    )
}

#[test]
fn n7_the_probe_lists_more_often_with_the_guard() {
    let probe = scenario("probe-listing", &[]);
    let [without, with] = ["none", "no-tools"].map(|spec| {
        let runs = under(&probe, 0..=999, spec);
        let count = runs.iter().filter(|run| lists(&probe, run)).count();
        assert!(count >= recovered(&runs), "every recovered run has listed");
        let number = |it| u64::try_from(it).expect("few trials");
        Share::new(number(count), number(runs.len()))
    });
    assert!(with.count >= without.count, "with {with}, without {without}, of {}", with.of);
    assert!(with.low > without.high, "the intervals are apart: with {with}, without {without}");
    insta::assert_snapshot!(format!("without: {without} of {}\nwith:    {with} of {}", without.of, with.of));
}
