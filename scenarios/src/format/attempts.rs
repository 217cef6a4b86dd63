//! How attempts break off: `break` of a state.

use balk_contract::AttemptCause;
use toml::Spanned;

use super::chances::{chances, drawn_or_fixed};
use super::names::Names;
use super::phrases::{Saying, said};
use super::report::Report;
use super::wire::{BreakTable, StateTable};
use crate::scenario::{Break, Ratio, Stage};

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
    Break {
        until: it.until.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        chance,
        cause: cause(table, report),
        retry_after: it.retry_after.as_ref().map(|it| drawn_or_fixed(it, names, report)),
        at,
        says: it
            .says
            .as_ref()
            .map(|it| said(it, Saying::Actor { steps: state.steps.is_some() }, names, report)),
        ran,
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
