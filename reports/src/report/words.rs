//! What a transcript says, in words that every medium shares.

use balk_contract::{AttemptResponse, ChoiceKind, FailedAttempt, Limit, Termination, UserAnswer};

/// "1 turn", "2 turns".
pub(super) fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A failed attempt, and what the loop did about it.
pub(super) fn attempt(failed: &FailedAttempt) -> String {
    let mut what = failed.failure.cause.to_string();
    if !failed.failure.message.is_empty() {
        what += &format!(" ({})", failed.failure.message);
    }
    let then = match failed.response {
        AttemptResponse::Resent { after } => format!("resent after {}", counted(after, "tick")),
        AttemptResponse::Asked => "the user is asked".to_owned(),
        AttemptResponse::Ended => "the run ends".to_owned(),
    };
    format!("{}: {what}; {then}", failed.failure.attempt)
}

/// What the user answers to a question.
pub(super) fn answered(answer: &UserAnswer) -> &str {
    let silent = match answer.choice {
        ChoiceKind::Stop => "(ends the run)",
        ChoiceKind::Report => "(files a report and ends the run)",
        ChoiceKind::Continue | ChoiceKind::Instruct | ChoiceKind::SwitchModel | ChoiceKind::Constrain => {
            "(continues without comment)"
        }
    };
    if answer.text.is_empty() { silent } else { &answer.text }
}

/// Which guard did what, and to whom.
pub(super) fn intervened(guard: &str, kind: &str) -> String {
    let to = match kind {
        "notice" | "question" | "stop" => "user",
        _ => "model",
    };
    format!("{guard}: {kind} to the {to}")
}

/// Why a run ended.
pub(super) fn ended(termination: &Termination) -> String {
    match termination {
        Termination::Finished => "the model finished, and no guard objected".into(),
        Termination::NoProgress => "no progress".into(),
        Termination::FatalExecution(why) => format!("it cannot continue: {why}"),
        Termination::StoppedByGuard => "a guard stopped the run".into(),
        Termination::StoppedByUser => "the user stopped the run".into(),
        Termination::Limit(limit) => format!(
            "the limit on {} was reached",
            match limit {
                Limit::Turns => "turns",
                Limit::Attempts => "attempts",
                Limit::Calls => "calls",
                Limit::Interventions => "interventions",
                Limit::Questions => "questions",
            }
        ),
        Termination::GuardFault(why) => format!("a guard broke: {why}"),
    }
}
