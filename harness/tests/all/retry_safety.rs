//! The worth of the variants of retry-safety over the scenarios of broken attempts (spec R3 to R7).

use crate::common::runs::{Run, recovered, runs as all_runs, under};
use crate::common::{scenario, seeds};
use balk_guards::{AttemptCause, AttemptFailure, AttemptResponse, Entry, InterventionKind};
use balk_peers::NaiveRetry;
use balk_reports::statistics::Share;

/// The recoverable scenarios; an outage cannot be recovered.
const BROKEN: [&str; 5] = [
    "broken-before-progress",
    "broken-after-output",
    "broken-while-writing",
    "provider-executed",
    "rate-limited",
];
const VARIANTS: [&str; 3] = ["retry-safety=conservative", "retry-safety=fast-path", "retry-safety=facts"];

/// The sums over all scenarios.
#[derive(Default)]
struct Sum {
    trials: u64,
    doubled: u64,
    asked_needlessly: u64,
    recovered: u64,
}

impl Sum {
    fn add(&mut self, runs: &[Run]) {
        let count = |wanted: fn(&&Run) -> bool| number(runs.iter().filter(wanted).count());
        self.trials += number(runs.len());
        self.doubled += count(|run| run.grade.double_effects > 0);
        self.asked_needlessly += count(|run| run.grade.needless_questions > 0);
        self.recovered += number(recovered(runs));
    }

    fn row(&self, name: &str) -> String {
        let share = |part| Share::new(part, self.trials).to_string();
        format!(
            "{name:28} {:>6} {:>21} {:>23} {:>23}",
            self.trials,
            share(self.doubled),
            share(self.asked_needlessly),
            share(self.recovered)
        )
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).expect("few trials")
}

#[expect(clippy::print_stdout, reason = "figures to read with --nocapture")]
fn say(text: &str) {
    println!("{text}");
}

/// Twice the seeds of other tests: with a thousand of those, ten thousand trials.
fn all_seeds() -> std::ops::RangeInclusive<u64> {
    0..=2 * (seeds().end() + 1) - 1
}

#[test]
fn r4_r5_nothing_is_done_twice_and_the_facts_ask_least() {
    let mut sums = [(); 3].map(|()| Sum::default());
    let (mut none, mut always) = (Sum::default(), Sum::default());
    for name in BROKEN {
        let scenario = scenario(name, &[]);
        for (sum, variant) in sums.iter_mut().zip(VARIANTS) {
            sum.add(&under(&scenario, all_seeds(), variant));
        }
        none.add(&under(&scenario, all_seeds(), "none"));
        always.add(&all_runs(&scenario, all_seeds(), &|_| Box::new(NaiveRetry)));
    }
    say(&format!(
        "{:28} {:>6} {:>21} {:>23} {:>23}",
        "", "trials", "done twice", "asked for no reason", "recovered"
    ));
    for (sum, variant) in sums.iter().zip(VARIANTS) {
        say(&sum.row(variant));
    }
    say(&none.row("none"));
    say(&always.row("sends everything again"));
    let [conservative, fast_path, facts] = &sums;
    assert_eq!([conservative, fast_path, facts].map(|it| it.doubled), [0; 3], "done twice");
    assert!(always.doubled > 0, "what is asked about could have been done twice");
    assert_eq!(none.recovered, 0, "without a retry nothing recovers");
    assert!(conservative.asked_needlessly > fast_path.asked_needlessly);
    assert!(fast_path.asked_needlessly > facts.asked_needlessly);
}

/// Whether no visible fact speaks against sending an attempt again.
fn is_seen_to_be_safe(run: &Run, at: usize, failure: &AttemptFailure) -> bool {
    let Entry::Start(start) = &run.trial.entries[0] else { panic!("a run has a start") };
    let unseen = start.offer.tools().iter().any(|tool| tool.provider_executed);
    let facts =
        run.trial.failed.iter().find(|it| it.entry == at).expect("every failed attempt has its facts");
    !facts.unsafe_effect && (!unseen || failure.cause == AttemptCause::Connect)
}

/// Spec R3: an attempt that was safe to send again was sent again at least once, without a question.
#[test]
fn r3_what_is_safe_is_retried_without_a_question() {
    let mut retried = 0;
    for name in BROKEN {
        for run in under(&scenario(name, &[]), all_seeds(), "retry-safety=facts") {
            for (at, entry) in run.trial.entries.iter().enumerate() {
                let Entry::Failed(failed) = entry else { continue };
                if !is_seen_to_be_safe(&run, at, &failed.failure) {
                    continue;
                }
                let asked = failed.response == AttemptResponse::Asked;
                let given_up = failed.failure.attempt == 1 && failed.response == AttemptResponse::Ended;
                assert!(!asked && !given_up, "{name} seed {}: {failed:?}", run.seed);
                retried += u64::from(matches!(failed.response, AttemptResponse::Resent { .. }));
            }
        }
    }
    say(&format!("{retried} requests sent again"));
    assert!(retried > 0);
}

/// Spec R4: the question names the tool that is the reason.
#[test]
fn r4_a_question_names_the_tool() {
    let mut questions = 0;
    for name in ["broken-while-writing", "provider-executed"] {
        for run in under(&scenario(name, &[]), 0..=99, "retry-safety=facts") {
            for entry in &run.trial.entries {
                if let Entry::Intervention(it) = entry
                    && matches!(it.kind, InterventionKind::Question(_))
                {
                    questions += 1;
                    assert!(it.note.text.contains('`'), "{name} seed {}: {}", run.seed, it.note.text);
                }
            }
        }
    }
    assert!(questions >= 200, "{questions}");
}

/// Spec R6: a provider that names a time is not asked earlier.
#[test]
fn r6_retry_after_is_honoured() {
    for run in under(&scenario("rate-limited", &[]), seeds(), "retry-safety=facts") {
        for entry in &run.trial.entries {
            let Entry::Failed(failed) = entry else { continue };
            let AttemptCause::Status { retry_after: Some(wanted), .. } = failed.failure.cause else {
                panic!("seed {}: {failed:?}", run.seed)
            };
            assert_ne!(&*failed.failure.message, "too early", "seed {}", run.seed);
            if let AttemptResponse::Resent { after } = failed.response {
                assert!(after >= wanted, "seed {}: {failed:?}", run.seed);
            }
        }
    }
}

/// Spec R7: a call that ran is in the transcript with its result, is reported to the model, and is not run again
/// unseen.
#[test]
fn r7_what_ran_is_told_in_the_next_view() {
    let mut told = 0;
    for run in under(&scenario("broken-while-writing", &[]), seeds(), "retry-safety=facts") {
        let entries = &run.trial.entries;
        for (at, entry) in entries.iter().enumerate() {
            if let Entry::Failed(failed) = entry
                && let [tool] = &failed.failure.facts.started[..]
            {
                let [Entry::Result(result), Entry::Intervention(note)] = &entries[at - 2..at] else {
                    panic!("seed {}: a result and a note stand before {failed:?}", run.seed)
                };
                assert_eq!(&result.call.tool, tool);
                assert!(note.note.text.contains(&**tool), "seed {}: {}", run.seed, note.note.text);
                told += 1;
            }
        }
    }
    assert!(told >= usize::try_from(*seeds().end()).expect("few seeds"), "{told}");
}

/// A notice about what the user sees twice says nothing about the task.
#[test]
fn r4_a_notice_beside_a_resend_does_not_tell_that_the_task_is_not_done() {
    let scenario = scenario("broken-after-output", &[]);
    let is_shown = |run: &Run| run.trial.entries.iter().filter(|it| is_notice(it)).count();
    let runs = under(&scenario, 0..=49, "retry-safety");
    let shown: Vec<&Run> = runs.iter().filter(|run| is_shown(run) > 0).collect();
    assert!(!shown.is_empty());
    for run in shown {
        let said: Vec<&Entry> = run.trial.entries.iter().filter(|it| is_for_user(it)).collect();
        assert_eq!(run.grade.told, said.len() > is_shown(run), "seed {}", run.seed);
    }
}

fn is_notice(entry: &Entry) -> bool {
    matches!(entry, Entry::Intervention(it) if &*it.note.rule == "text-shown-again")
}

fn is_for_user(entry: &Entry) -> bool {
    matches!(entry, Entry::Intervention(it) if it.kind.is_for_user())
}
