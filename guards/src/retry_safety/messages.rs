//! The messages about a broken attempt.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::assessment::{Assessment, ReadOnly, Reason};
use super::held::HeldCall;
use super::ran::{Outcome, Ran};
use balk_contract::wording::{excerpt, first_line, list, times};
use balk_contract::{AttemptCause, AttemptFacts, AttemptFailure, Offer};

/// Tools that a message names.
const NAMES: usize = 4;
/// Characters of a tool's name; names on the wire are no longer.
const NAME_CHARS: usize = balk_contract::NAME_CHARS;
/// Characters of the provider's message.
const MESSAGE_CHARS: usize = 200;

/// Why an attempt broke, with the provider's message. Every cause has its own text (spec R6).
pub(super) fn why(failure: &AttemptFailure) -> String {
    let cause = match failure.cause {
        AttemptCause::Status { code, .. } => format!("{} (status {code})", status(code)),
        cause @ (AttemptCause::Empty
        | AttemptCause::Connect
        | AttemptCause::TimedOut
        | AttemptCause::Disconnected) => cause.to_string(),
    };
    match first_line(&failure.message, MESSAGE_CHARS) {
        said if said.is_empty() => cause,
        said => format!("{cause}: \"{said}\""),
    }
}

const fn status(code: u16) -> &'static str {
    match code {
        408 => "the provider timed out waiting for the request",
        409 => "the provider was busy with another request",
        429 => "the provider's rate limit was reached",
        500..=599 => "the provider failed",
        _ => "the provider refused the request",
    }
}

/// What the user is told when they saw a part of an answer that broke off. If calls ran in it, the model goes on from
/// there; otherwise it answers anew. Only what changes nothing is made again without a question.
pub(super) fn shown_again(failure: &AttemptFailure, calls_ran: bool, before: u32) -> String {
    let why = why(failure);
    let next = match calls_ran {
        true => "The model goes on after the calls that ran, and nothing is changed twice.",
        false => {
            "The model is asked again and answers from the beginning, so you will see this part twice; only the \
             text is repeated."
        }
    };
    let again = match before {
        0 => String::new(),
        before => format!(" This has happened {} before in this run.", times(before)),
    };
    format!("The text above is incomplete: {why}. {next}{again}")
}

/// Why a call does not run again.
pub(super) fn not_again(tool: &Arc<str>, outcome: Outcome, refused: u32) -> String {
    let tool = quoted(tool);
    let before = match refused {
        0 => {
            format!(
                "this call of {tool} already ran in the answer that was interrupted: {}.",
                outcome.words()
            )
        }
        again => format!(
            "{tool} ran in the interrupted answer ({}), and you have checked nothing since; refused {} before.",
            outcome.words(),
            times(again)
        ),
    };
    format!("{before} First check with another call whether it took effect; if it did, continue from there.")
}

/// Asks whether a refused call may run again. The user needs to know which one; the model never reads this.
pub(super) fn may_it_run_again(held: &HeldCall, asked: &str) -> String {
    let (tool, about) = (quoted(held.tool()), held.about());
    format!(
        "The model wants to repeat a call of {tool} ({about}). It already ran when the connection broke{asked}, \
         and the model does not check whether it took effect. Running it twice may do harm. Did it take effect?"
    )
}

/// How far the attempt got, as far as it concerns the user. `facts` must come from [known].
///
/// [known]: super::assessment::known
pub(super) fn came(facts: &AttemptFacts, offer: &Offer, ran: &Ran, assessment: &Assessment) -> String {
    let in_the_way = |tool: &Arc<str>| match assessment.reason {
        Reason::ProviderExecutedTool => {
            Some(format!("{} is run by the provider itself, so nothing shows whether it ran.", quoted(tool)))
        }
        Reason::SideEffectFactsIncomplete => {
            let tool = quoted(tool);
            Some(format!("What {tool} can change is not declared, so a change cannot be ruled out."))
        }
        Reason::RequestRejected
        | Reason::UnsafeExecutionStarted
        | Reason::AttemptFactsIncomplete
        | Reason::RequestNeverSent
        | Reason::EarlyTransportFailure
        | Reason::VisibleOutputOnly
        | Reason::NoToolExecuted
        | Reason::OnlyHarmlessExecutions => None,
    };
    let besides = assessment.reason == Reason::ProviderExecutedTool;
    let seen = if facts.is_nothing() {
        nothing(assessment.reason).to_owned()
    } else if facts.visible_output == Some(true) {
        format!("The text shown is incomplete. {}", tools(facts, offer, ran, besides))
    } else {
        tools(facts, offer, ran, besides)
    };
    match assessment.tool.as_ref().and_then(in_the_way) {
        Some(reason) => format!("{reason} {seen}"),
        None => seen,
    }
}

const fn nothing(reason: Reason) -> &'static str {
    match reason {
        Reason::ProviderExecutedTool => "No text arrived, and no other tool ran.",
        Reason::SideEffectFactsIncomplete => "No text arrived, and no tool ran.",
        Reason::RequestRejected
        | Reason::UnsafeExecutionStarted
        | Reason::AttemptFactsIncomplete
        | Reason::RequestNeverSent
        | Reason::EarlyTransportFailure
        | Reason::VisibleOutputOnly
        | Reason::NoToolExecuted
        | Reason::OnlyHarmlessExecutions => "Nothing was done: no text arrived, and no tool ran.",
    }
}

/// What ran; with `besides`, in addition to a tool for which that cannot be seen.
fn tools(facts: &AttemptFacts, offer: &Offer, ran: &Ran, besides: bool) -> String {
    let (tool, a_tool) = if besides { ("other tool", "another tool") } else { ("tool", "a tool") };
    let read_only = ReadOnly::of(offer);
    let (harmless, unsafe_): (Vec<_>, Vec<_>) = facts.started.iter().partition(|tool| read_only.has(tool));
    let named = |tools: Vec<&Arc<str>>| {
        let outcome = |tool: &Arc<str>| with_outcome(tool, ran.outcome_of(&offer.name_called(tool)));
        let mut once = BTreeSet::new();
        let named = tools.into_iter().map(outcome).filter(|it| once.insert(it.clone()));
        list(&named.collect::<Vec<_>>(), NAMES)
    };
    match (facts.tool_execution_started, facts.unsafe_side_effect_started) {
        _ if !unsafe_.is_empty() => format!("These tools had started: {}.", named(unsafe_)),
        (_, Some(true)) => "A tool had started that may have changed something.".into(),
        (Some(true), _) if !harmless.is_empty() => {
            format!("Only read-only tools had started: {}.", named(harmless))
        }
        (Some(true), None) => "A tool had started, and it is not known which.".into(),
        (Some(true), Some(false)) => "Only read-only tools had started.".into(),
        (Some(false), _) => format!("No {tool} ran."),
        (None, Some(false)) => format!("If {a_tool} ran, it changed nothing."),
        (None, None) => format!("It is not known whether {a_tool} ran."),
    }
}

/// What the model is told about calls that ran within a broken attempt (spec R7). A tool that is not on offer is not
/// named.
pub(super) fn ran_already(ran: &Ran, offer: &Offer, before: u32) -> String {
    let named = |tool: &Arc<str>| match offer.get(tool) {
        Some(_) => quoted(tool),
        None => "a tool that is not on offer".into(),
    };
    let all: Vec<String> =
        ran.iter().map(|(tool, outcome)| format!("{} ({})", named(tool), outcome.words())).collect();
    let lost = ran.iter().filter(|(_, outcome)| *outcome == Outcome::Lost);
    let lost: Vec<String> = lost.map(|(tool, _)| named(tool)).collect();
    let look = match lost.is_empty() {
        true => String::new(),
        false => format!(
            " It is not known whether {} took effect: check first, then act on what you find.",
            list(&lost, NAMES)
        ),
    };
    let again = match before {
        0 => String::new(),
        before => format!(" This has happened {} before in this run.", times(before)),
    };
    format!(
        "Your last answer was interrupted after these calls in it had run: {}.{again} Do not send these calls \
         again with the same arguments.{look}",
        list(&all, NAMES)
    )
}

fn with_outcome(tool: &str, outcome: Option<Outcome>) -> String {
    match outcome {
        Some(outcome) => format!("{} ({})", quoted(tool), outcome.words()),
        None => quoted(tool),
    }
}

fn quoted(tool: &str) -> String {
    format!("`{}`", excerpt(tool, NAME_CHARS))
}

/// A number of ticks in words, in the largest unit that fits, rounded up.
pub(super) fn span(ticks: u64) -> String {
    let (count, unit) = match ticks.div_ceil(1_000) {
        seconds @ ..120 => (seconds, "second"),
        seconds @ ..7_200 => (seconds.div_ceil(60), "minute"),
        seconds => (seconds.div_ceil(3_600), "hour"),
    };
    if count == 1 { format!("{count} {unit}") } else { format!("{count} {unit}s") }
}
