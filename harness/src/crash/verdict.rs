//! What came of a run, in one word, and why.

use balk_reports::records::crash::{Left, Verdict, Word};
use balk_scenarios::Kind;

use super::child::Ended;
use crate::processes::{MEMORY_MIB_MAX, PROCESSES_MAX};
use crate::serve::{History, Outcome, Step, Told};
use crate::told::Printed;

/// What is known of the agent's program.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    pub(super) ended: Ended,
    pub(super) code: Option<i32>,
    pub(super) signalled: bool,
    pub(super) printed: Printed,
    pub(super) left: Left,
    pub(super) nanoseconds: u64,
    pub(super) runs: usize,
    pub(super) same_acts: [usize; 2],
    pub(super) goal_in_process: bool,
    pub(super) unheard: bool,
}

/// The verdict of a run that was played.
pub(super) fn verdict(told: &Told, kind: Kind, facts: Facts) -> Verdict {
    let Facts {
        ended,
        code,
        signalled,
        printed,
        left,
        nanoseconds,
        runs,
        same_acts,
        goal_in_process,
        unheard,
    } = facts;
    let goal = told.verdict.goal;
    let interventions = interventions(&told.steps);
    // A healthy model that is not let to wait by a call waits in words, and these end the run. That is no work of
    // the agent, so nothing can be said of it.
    let only_waits = kind == Kind::Control && told.waits;
    let word = match ended {
        _ if goal => Word::Reached,
        Ended::Itself if only_waits => Word::NotRun,
        Ended::Stopped | Ended::OutOfTime | Ended::TooLarge => Word::RanOn,
        Ended::Itself if signalled || code.is_some_and(is_of_crash) => Word::Crashed,
        Ended::Itself if printed.told.is_some() => Word::Told,
        // A program that only reports an exception goes on.
        Ended::Itself if printed.broke.is_some() && code != Some(0) => Word::Crashed,
        Ended::Itself => Word::Silent,
    };
    Verdict {
        lie: word == Word::Silent && code == Some(0),
        word,
        line: match word {
            Word::Told => printed.told,
            Word::NotRun => Some(refused_wait(&interventions)),
            Word::Silent | Word::Crashed => printed.last,
            Word::RanOn => Some(match ended {
                Ended::OutOfTime => "it was waited for in vain".to_owned(),
                Ended::TooLarge => format!(
                    "it had more than {PROCESSES_MAX} processes, or more than {MEMORY_MIB_MAX} MiB of memory"
                ),
                Ended::Stopped | Ended::Itself => "it has had its requests".to_owned(),
            }),
            Word::Reached => None,
        },
        code,
        runs,
        requests: told.verdict.requests,
        tokens: [told.tokens.input_tokens, told.tokens.output_tokens],
        identical_calls: told.verdict.identical_calls,
        interventions,
        calls: calls(&told.steps),
        otherwise: outcomes(&told.steps).filter(|it| *it == Outcome::Otherwise).count(),
        same_acts,
        goal_in_process,
        unheard,
        kept_cut: told.steps.iter().any(|it| matches!(it, Step::History { how: History::Kept })),
        left,
        milliseconds: nanoseconds / 1_000_000,
        waits: waits(told),
    }
}

/// Why a healthy model ends the run itself.
fn refused_wait(interventions: &[(usize, String)]) -> String {
    let said = interventions.last().map_or("", |(_, text)| text.lines().next().unwrap_or_default());
    format!("its model waits in words, which end the run, because a call that waits was answered: {said}")
}

fn interventions(steps: &[Step]) -> Vec<(usize, String)> {
    let mut acts = 0;
    let mut found = Vec::new();
    for step in steps {
        match step {
            Step::Act { .. } => acts += 1,
            Step::Intervention { text, .. } => found.push((acts, text.to_string())),
            Step::Opened { .. }
            | Step::Result { .. }
            | Step::User { .. }
            | Step::Side { .. }
            | Step::System { .. }
            | Step::History { .. } => {}
        }
    }
    found
}

/// The exit code of a program that broke: of a panic in Rust, and what a shell says of one that a signal ended.
fn is_of_crash(code: i32) -> bool {
    code == 101 || (129..=192).contains(&code)
}

fn calls(steps: &[Step]) -> [usize; 2] {
    [outcomes(steps).count(), outcomes(steps).filter(|it| *it != Outcome::Unknown).count()]
}

fn outcomes(steps: &[Step]) -> impl Iterator<Item = Outcome> {
    steps.iter().filter_map(|it| match it {
        Step::Result { outcome, .. } => Some(*outcome),
        Step::Opened { .. }
        | Step::Act { .. }
        | Step::User { .. }
        | Step::Intervention { .. }
        | Step::Side { .. }
        | Step::System { .. }
        | Step::History { .. } => None,
    })
}

/// The waits before requests that were sent again. Each act and each side call has one request.
fn waits(told: &Told) -> Vec<u64> {
    let asked = told.steps.iter().filter(|it| matches!(it, Step::Act { .. } | Step::Side { .. }));
    let again = |step: &&Step| matches!(step, Step::Act { attempt: 2.., .. });
    let gaps = told.arrivals.windows(2).map(|pair| (pair[1] - pair[0]) / 1_000_000);
    asked.skip(1).zip(gaps).filter(|(step, _)| again(step)).map(|(_, gap)| gap).collect()
}
