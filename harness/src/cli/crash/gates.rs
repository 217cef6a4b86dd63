//! `balk crash --fail-on`: what makes the command fail.

use balk_reports::records::crash::{Run, Word};

use crate::cli::say::say;
use crate::exit::Exit;

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    Word(Word),
    FalseAlarm,
}

/// The gate of this name.
///
/// # Errors
/// There is none.
pub(super) fn gate(text: &str) -> Result<Gate, String> {
    if text == FALSE_ALARM {
        return Ok(Gate::FalseAlarm);
    }
    let known = || Word::ALL.map(Word::name).join(", ");
    let word = Word::ALL.into_iter().find(|it| it.name() == text);
    word.map(Gate::Word).ok_or_else(|| format!("expected one of {}, {FALSE_ALARM}", known()))
}

const FALSE_ALARM: &str = "false-alarm";

impl Gate {
    fn fails(self, played: &Run) -> bool {
        match self {
            Self::Word(word) => played.verdict.word == word,
            Self::FalseAlarm => played.is_false_alarm(),
        }
    }
}

/// Whether the gates hold. An agent that never ran passes none, and neither does one whose run ended without a verdict:
/// `lost` has the folders of those.
pub(super) fn gated(gates: &[Gate], played: &[Run], lost: &[String]) -> Exit {
    let nothing_ran = played.iter().all(|it| it.verdict.word == Word::NotRun);
    let never_asked = |it: &Run| {
        let line = it.verdict.line.as_deref().unwrap_or_default();
        line.contains("never asked") || line.contains("cannot be started")
    };
    if nothing_ran && played.iter().any(never_asked) {
        say(format_args!(
            "no run was played. An agent starts in a folder of its own, and sees none of your variables but \
             PATH: give it each with --env NAME=VALUE, and name its files by absolute paths"
        ));
    }
    if gates.is_empty() {
        return Exit::Fine;
    }
    if nothing_ran {
        say(format_args!("--fail-on: expected at least one run that was played, found none"));
        return Exit::Unmet;
    }
    let all = played.len();
    if let [first, ..] = lost {
        let lost = lost.len();
        say(format_args!(
            "--fail-on: expected a verdict of each of {all} runs, found {lost} whose program broke, the first {first}"
        ));
        return Exit::Unmet;
    }
    let failed: Vec<&Run> = played.iter().filter(|it| gates.iter().any(|gate| gate.fails(it))).collect();
    let Some(first) = failed.first() else { return Exit::Fine };
    let (failed, first) = (failed.len(), &first.folder);
    say(format_args!("--fail-on: expected none of {all} runs to fail, found {failed}, the first {first}"));
    Exit::Unmet
}
