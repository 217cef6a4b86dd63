//! Broken attempts, and the answers of the retry-safety guard.

use balk_guards::{
    AttemptCause, AttemptFacts, ChoiceKind, Question, Recovery, RetrySafety, RetrySafetySettings, Wait,
};

use super::broken::failure;
use super::{Loop, Turn};

use AttemptCause::Disconnected;

pub(crate) fn run() -> Loop {
    Loop::new(RetrySafety::default())
}

pub(crate) fn run_set(settings: RetrySafetySettings) -> Loop {
    Loop::new(RetrySafety::new(settings))
}

/// A broken attempt that leaves nothing in the transcript.
pub(crate) fn fails(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts) -> Recovery {
    run.breaks(&Turn::default(), &failure(cause, facts)).expect("it has an opinion")
}

#[track_caller]
pub(crate) fn resends(run: &mut Loop, cause: AttemptCause, facts: AttemptFacts, at_least: u64, at_most: u64) {
    let Recovery::Resend { after, .. } = fails(run, cause, facts) else { panic!("it is not sent again") };
    assert_eq!(after, Wait { at_least, at_most });
}

/// The run ends by this rule, with all these words in the message.
#[track_caller]
pub(crate) fn stops(
    run: &mut Loop,
    cause: AttemptCause,
    facts: AttemptFacts,
    rule: &str,
    words: &[&str],
) -> String {
    let Recovery::Stop(note) = fails(run, cause, facts) else { panic!("it does not end") };
    assert_eq!((&*note.guard, &*note.rule), ("retry-safety", rule));
    for word in words {
        assert!(note.text.contains(word), "{word:?} is missing in: {}", note.text);
    }
    note.text.to_string()
}

#[track_caller]
pub(crate) fn asks(run: &mut Loop, turn: &Turn, facts: AttemptFacts, rule: &str, words: &[&str]) -> Question {
    let Some(Recovery::Ask(question)) = run.breaks(turn, &failure(Disconnected, facts)) else {
        panic!("the user is not asked")
    };
    assert_eq!((&*question.note.guard, &*question.note.rule), ("retry-safety", rule));
    for word in words {
        assert!(question.note.text.contains(word), "{word:?} is missing in: {}", question.note.text);
    }
    let kinds: Vec<_> = question.options.iter().map(|it| it.kind).collect();
    assert_eq!(kinds, [ChoiceKind::Instruct, ChoiceKind::Continue, ChoiceKind::Stop]);
    question
}
