//! What comes between turns: a user who speaks while calls run, notifications, time that passes, and summaries.

use std::fmt::Write;

use balk::engine::{self, Trial, TruthChannel};
use balk_guards::{Entry, Speaker, Termination};
use balk_scenarios::{World, WorldOptions};

use crate::common::between;

fn trial(seed: u64) -> Trial {
    let scenario = between();
    engine::run(&World::draw(&scenario, seed, WorldOptions::default()), &mut (), &TruthChannel::default())
}

/// The messages of a transcript, a line each.
fn shown(trial: &Trial) -> String {
    let mut shown = String::new();
    for entry in &trial.entries {
        let (who, what) = match entry {
            Entry::User(message) if message.from == Speaker::User => ("user", message.text.to_string()),
            Entry::User(message) => ("loop", message.text.to_string()),
            Entry::Completion(completion) => {
                let text: String = completion.texts().map(|text| &**text).collect();
                let calls: String =
                    completion.calls.iter().map(|it| format!("{} {}", it.tool, it.arguments)).collect();
                ("model", text + &calls)
            }
            Entry::Result(result) => ("tool", result.text.to_string()),
            Entry::Compaction(it) => ("summary", it.summary.to_string()),
            Entry::End(end) => ("end", format!("{end:?}")),
            Entry::Start(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Conclusion(_) => continue,
        };
        writeln!(shown, "{who}: {}", what.replace('\n', "\n    ")).expect("writing to a string never fails");
    }
    writeln!(shown, "after {} ticks", trial.ticks).expect("writing to a string never fails");
    shown
}

#[test]
fn a_run_with_everything_that_comes_between_turns() {
    insta::assert_snapshot!(shown(&trial(0)));
}

#[test]
fn every_seed_reaches_its_goal_past_interrupts_notifications_and_summaries() {
    for seed in 0..100 {
        let trial = trial(seed);
        assert!(trial.goal, "seed {seed}:\n{}", shown(&trial));
        assert_eq!(trial.entries.last(), Some(&Entry::End(Termination::Finished)), "seed {seed}");
        let count = |is: &dyn Fn(&Entry) -> bool| trial.entries.iter().filter(|it| is(it)).count();
        assert!(count(&|it| matches!(it, Entry::Compaction(_))) >= 1, "seed {seed}:\n{}", shown(&trial));
        assert_eq!(count(&|it| matches!(it, Entry::User(it) if it.from == Speaker::Loop)), 1, "seed {seed}");
        // The task, the interrupt and two replies.
        assert_eq!(count(&|it| matches!(it, Entry::User(it) if it.from == Speaker::User)), 4, "seed {seed}");
        assert!(trial.ticks >= 90_000, "seed {seed}");
    }
}
