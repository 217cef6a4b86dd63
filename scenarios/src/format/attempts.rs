//! How attempts break off: `break` of a state.

use balk_contract::AttemptCause;
use toml::Spanned;

use super::chances::{chances, drawn_or_fixed};
use super::names::Names;
use super::phrases::said;
use super::report::Report;
use super::used::Saying;
use super::wire::{BreakTable, StateTable, Text};
use crate::scenario::{Break, Ratio, Stage, Wire};

pub(super) const CAUSES: &[(&str, AttemptCause)] = &[
    ("connect", AttemptCause::Connect),
    ("timed-out", AttemptCause::TimedOut),
    ("disconnected", AttemptCause::Disconnected),
];

pub(super) const STAGES: &[(&str, Stage)] = &[
    ("nothing", Stage::Nothing),
    ("progress", Stage::Progress),
    ("output", Stage::Output),
    ("input", Stage::Input),
    ("call", Stage::Call),
    ("running", Stage::Running),
    ("ran", Stage::Ran),
];

/// What is on the wire in place of what the cause brings.
pub(super) const WIRES: &[(&str, Wire)] = &[
    ("clean-end", Wire::CleanEnd),
    ("empty-body", Wire::EmptyBody),
    ("malformed-event", Wire::MalformedEvent),
    ("html", Wire::Html),
];

/// One way to break off, in a state.
pub(super) fn breaks(
    table: &Spanned<BreakTable>,
    state: &StateTable,
    names: &Names,
    report: &mut Report<'_>,
) -> Break {
    let it = table.get_ref();
    let at = report.one_of("stage", &it.at, STAGES);
    check_stage(it, at, state, report);
    let mut ratio = |text: &Option<_>, otherwise| {
        let Some(text) = text else { return otherwise };
        chances(std::slice::from_ref(text), names, report).first().copied().unwrap_or(otherwise)
    };
    let chance = ratio(&it.chance, Ratio { num: 1, den: 1 });
    let ran = ratio(&it.ran, Ratio { num: 0, den: 1 });
    let cause = cause(table, report);
    Break {
        until: it.until.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        chance,
        cause,
        retry_after: it.retry_after.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        at,
        says: it
            .says
            .as_ref()
            .map(|it| said(it, Saying::Actor { steps: state.steps.is_some() }, names, report)),
        ran,
        wire: it.wire.as_ref().map_or(Wire::Cause, |wire| on_wire(wire, it, (cause, at), report)),
    }
}

fn cause(table: &Spanned<BreakTable>, report: &mut Report<'_>) -> AttemptCause {
    let it = table.get_ref();
    if let (None, Some(after)) = (&it.status, &it.retry_after) {
        report
            .error(after.span(), "`retry_after` has no meaning here", "only a refusal carries it")
            .help("it goes with `status`, for example status = 429");
    }
    match (&it.cause, &it.status) {
        (Some(cause), None) => report.one_of("cause", cause, CAUSES),
        (None, Some(status)) => {
            let code = *status.get_ref();
            if !(400..600).contains(&code) {
                report.error(status.span(), "this status is not a refusal", "expected 400 to 599");
            }
            AttemptCause::Status { code, retry_after: None }
        }
        (None, None) => {
            report
                .error(table.span(), "why does it break?", "expected `cause` or `status`")
                .help("for example: cause = \"disconnected\", or status = 503");
            AttemptCause::Connect
        }
        (Some(_), Some(status)) => {
            report.error(status.span(), "`cause` and `status` exclude each other", "one too many");
            AttemptCause::Connect
        }
    }
}

/// A client must be able to take what it sees for an attempt that broke off for this cause, at this stage.
fn on_wire(
    text: &Text,
    it: &BreakTable,
    (cause, at): (AttemptCause, Stage),
    report: &mut Report<'_>,
) -> Wire {
    let wire = report.one_of("wire", text, WIRES);
    let (brings_nothing, also_status) = match wire {
        Wire::Cause | Wire::CleanEnd | Wire::MalformedEvent => (false, false),
        Wire::EmptyBody => (true, false),
        Wire::Html => (true, true),
    };
    let name = text.get_ref();
    let goes_with = if also_status { "`disconnected` or a status" } else { "`disconnected`" };
    let is_cause = match cause {
        AttemptCause::Disconnected => true,
        AttemptCause::Status { .. } => also_status,
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut => false,
    };
    if !is_cause {
        report
            .error(
                text.span(),
                format!("`{name}` does not go with this cause"),
                format!("expected {goes_with}"),
            )
            .help("leave `wire` out: the cause says what comes");
    }
    if brings_nothing != (at == Stage::Nothing) {
        let help = if brings_nothing {
            "let it be at = \"nothing\""
        } else {
            "let it get further, for example at = \"output\", or take wire = \"empty-body\""
        };
        let label = if brings_nothing { "nothing of the answer comes" } else { "a part of the answer comes" };
        report
            .error(text.span(), format!("`{name}` does not go with this stage"), label)
            .related(it.at.span(), "the stage")
            .help(help);
    }
    wire
}

/// An attempt cannot break off in a part that its state does not have.
fn check_stage(it: &BreakTable, at: Stage, state: &StateTable, report: &mut Report<'_>) {
    let lacks = match at {
        Stage::Nothing | Stage::Progress => None,
        Stage::Output => state.says.is_none().then_some("`says`"),
        Stage::Input | Stage::Call | Stage::Running | Stage::Ran => {
            state.calls.is_empty().then_some("`calls`")
        }
    };
    if let Some(lacks) = lacks {
        report.error(it.at.span(), format!("the state has no {lacks}"), "the attempt cannot get this far");
    }
    if let Some(ran) = it.ran.as_ref().filter(|_| state.provider.is_empty()) {
        report
            .error(ran.span(), "`ran` has no meaning here", "the provider runs no calls in this state")
            .help("it goes with `provider`, the calls that the provider runs itself");
    }
}
