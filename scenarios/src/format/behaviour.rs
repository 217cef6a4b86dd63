//! Converts the actor: states, truth, calls, transitions, and how it takes corrections.

use std::collections::BTreeMap;

use balk_contract::FinishReason;
use toml::Spanned;

use super::attempts::breaks;
use super::chances::{chance, chances, drawn_or_fixed, ratio};
use super::names::{Names, PlaceholderKind, check_filled, check_name};
use super::phrases::{Saying, said};
use super::placeholders::template;
use super::report::{Report, listed};
use super::roles::{offered_role, role_name, unknown_argument};
use super::wire::{ActorTable, CallTable, ResponseTable, StateTable, Text, TransitionTable, TruthTable};
use crate::scenario::{
    ActorSpec, Bound, CallSpec, Called, Kind, Profile, Ratio, ResponseSpec, Role, Sent, State, Stuck,
    Transition, Trigger, Truth, TruthSpan, Way,
};
use crate::template::Template;

const PROFILES: &[(&str, Profile)] =
    &[("strong", Profile::Strong), ("gpt-4o-like", Profile::Gpt4o), ("gpt-3.5-like", Profile::Gpt35)];

const TRIGGERS: &[(&str, Trigger)] = &[
    ("always", Trigger::Always),
    ("succeeded", Trigger::Succeeded),
    ("failed", Trigger::Failed),
    ("corrected", Trigger::Corrected),
    ("varied", Trigger::Varied),
    ("user-spoke", Trigger::UserSpoke),
    ("answered", Trigger::Answered),
    ("switched", Trigger::Switched),
    ("changed", Trigger::Changed),
    ("lost", Trigger::Lost),
];

/// A truth without the way to be stuck.
#[derive(Clone, Copy, Debug)]
enum Going {
    Known(Truth),
    Stuck,
}

const TRUTHS: &[(&str, Going)] = &[
    ("productive", Going::Known(Truth::Productive)),
    ("waiting", Going::Known(Truth::Waiting)),
    ("finished", Going::Known(Truth::Finished)),
    ("stuck", Going::Stuck),
    ("faulted", Going::Known(Truth::Faulted)),
];

const STUCK: &[(&str, Stuck)] = &[
    ("identical-call", Stuck::IdenticalCall),
    ("same-failure", Stuck::SameFailure),
    ("cycle", Stuck::Cycle),
    ("no-op", Stuck::NoOp),
    ("wandering", Stuck::Wandering),
    ("fence", Stuck::Fence),
    ("text-only", Stuck::TextOnly),
    ("thinking-only", Stuck::ThinkingOnly),
    ("empty", Stuck::Empty),
    ("truncated", Stuck::Truncated),
];

const FINISHES: &[(&str, FinishReason)] = &[
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool-call", FinishReason::ToolCall),
    ("content-filter", FinishReason::ContentFilter),
];

/// How the actor takes corrections.
pub(super) fn response(table: &ResponseTable, report: &mut Report<'_>) -> ResponseSpec {
    ResponseSpec {
        profile: report.one_of("profile", &table.profile, PROFILES),
        stubbornness: ratio(&table.stubbornness, report),
    }
}

/// The model.
pub(super) fn actor(
    table: &ActorTable,
    kind: (Kind, &Text),
    names: &Names,
    report: &mut Report<'_>,
) -> ActorSpec {
    let states = table.state.get_ref();
    let mut known: BTreeMap<&str, &Text> = BTreeMap::new();
    for state in states {
        check_name("state", &state.name, report);
        if let Some(first) = known.insert(state.name.get_ref(), &state.name) {
            report
                .error(
                    state.name.span(),
                    format!("two states are called `{}`", state.name.get_ref()),
                    "again here",
                )
                .related(first.span(), "first here");
        }
    }
    if states.is_empty() {
        report.error(
            table.state.span(),
            "the actor has no states",
            "expected at least one `[[actor.state]]`",
        );
    }
    let actor = ActorSpec {
        start: state_id(&table.start, states, report),
        states: states.iter().map(|it| state(it, states, names, report)).collect(),
    };
    check_kind(states, &actor, kind, report);
    if report.is_clean() {
        check_reached(table, &actor, report);
    }
    actor
}

fn state_id(name: &Text, states: &[StateTable], report: &mut Report<'_>) -> usize {
    report.index_of("state", name, states.iter().map(|it| it.name.get_ref().as_str())).unwrap_or(0)
}

/// A stuck control and a stubborn actor that is never stuck would both be measured wrongly.
fn check_kind(states: &[StateTable], actor: &ActorSpec, kind: (Kind, &Text), report: &mut Report<'_>) {
    let (kind, at) = kind;
    let mut balks = false;
    for (state, table) in actor.states.iter().zip(states) {
        balks |= !state.empty.is_empty() || !state.breaks.is_empty();
        for (span, from) in state.truth.iter().zip(table.truth.get_ref()) {
            let stuck = match span.is {
                Truth::Stuck(_) => true,
                Truth::Faulted => {
                    balks = true;
                    false
                }
                Truth::Productive | Truth::Waiting | Truth::Finished => false,
            };
            balks |= stuck;
            if stuck && kind == Kind::Control {
                report
                    .error(from.span(), "a control is never stuck", "guards must stay silent here")
                    .related(at.span(), "what this scenario is");
            }
        }
    }
    if kind == Kind::Stubborn && !balks && report.is_clean() {
        report
            .error(at.span(), "this actor never balks", "no state is ever stuck or faulted")
            .help("for example: truth = [{ until = 1, is = \"productive\" }, { is = \"stuck\", how = \"text-only\" }]");
    }
}

/// An unreachable state is most often a misspelt transition.
fn check_reached(table: &ActorTable, actor: &ActorSpec, report: &mut Report<'_>) {
    let mut reached = vec![false; actor.states.len()];
    let mut open = vec![actor.start];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut reached[id], true) {
            open.extend(actor.states[id].next.iter().map(|transition| transition.to));
        }
    }
    for (state, _) in table.state.get_ref().iter().zip(reached).filter(|(_, reached)| !reached) {
        let name = state.name.get_ref();
        report
            .error(
                state.name.span(),
                format!("the state `{name}` is never reached"),
                "no transition leads here",
            )
            .related(table.start.span(), "the actor starts here")
            .help(format!("lead to it with `to = \"{name}\"` from a state that is reached, or remove it"));
    }
}

fn state(table: &StateTable, states: &[StateTable], names: &Names, report: &mut Report<'_>) -> State {
    State {
        name: table.name.get_ref().clone(),
        truth: truth(&table.truth, report),
        says: table.says.as_ref().map(|it| said(it, Saying::Actor, names, report)),
        thinks: table.thinks.as_ref().map(|it| said(it, Saying::Actor, names, report)),
        calls: table.calls.iter().map(|it| call(it, names, report)).collect(),
        provider: table.provider.iter().map(|it| call(it, names, report)).collect(),
        tells_user: table.tells_user,
        empty: chances(&table.empty, names, report),
        breaks: table.breaks.iter().map(|it| breaks(it, table, names, report)).collect(),
        finish: table.finish.as_ref().map(|it| report.one_of("finish", it, FINISHES)),
        next: table.next.iter().map(|it| transition(it, states, names, report)).collect(),
    }
}

fn truth(table: &Spanned<Vec<Spanned<TruthTable>>>, report: &mut Report<'_>) -> Vec<TruthSpan> {
    let spans = table.get_ref();
    let mut least = 1;
    let mut truth = Vec::with_capacity(spans.len());
    for (index, span) in spans.iter().enumerate() {
        let last = index + 1 == spans.len();
        let until = match &span.get_ref().until {
            Some(until) => {
                if *until.get_ref() < least {
                    let expected = format!("expected at least {least}");
                    report.error(until.span(), "this truth applies to no visit", expected);
                } else if last {
                    let visit = until.get_ref();
                    report
                        .error(
                            span.span(),
                            format!("the truth after visit {visit} is missing"),
                            "the last one",
                        )
                        .help("leave `until` out of the last entry: it applies to every later visit");
                }
                *until.get_ref()
            }
            None => {
                if !last {
                    report.error(
                        span.span(),
                        "`until` is missing",
                        "other entries follow, so this one must end",
                    );
                }
                u32::MAX
            }
        };
        least = until.saturating_add(1);
        truth.push(TruthSpan { until, is: going(span, report) });
    }
    if spans.is_empty() {
        report
            .error(table.span(), "a state has no truth", "expected what really happens in it")
            .help("for example: truth = [{ is = \"productive\" }]");
    }
    truth
}

fn going(span: &Spanned<TruthTable>, report: &mut Report<'_>) -> Truth {
    let table = span.get_ref();
    match (report.one_of("truth", &table.is, TRUTHS), &table.how) {
        (Going::Stuck, Some(how)) => Truth::Stuck(report.one_of("way to be stuck", how, STUCK)),
        (Going::Stuck, None) => {
            let names: Vec<&str> = STUCK.iter().map(|(name, _)| *name).collect();
            report
                .error(span.span(), "`how` is missing", "expected the way in which it is stuck")
                .help(format!("`how` is {}", listed(&names, "or")));
            Truth::Stuck(Stuck::TextOnly)
        }
        (Going::Known(truth), None) => truth,
        (Going::Known(truth), Some(how)) => {
            report.error(how.span(), "`how` has no meaning here", "it goes with `is = \"stuck\"` only");
            truth
        }
    }
}

fn call(table: &Spanned<CallTable>, names: &Names, report: &mut Report<'_>) -> CallSpec {
    let it = table.get_ref();
    let raw = it.raw.as_ref().map(|text| {
        if let Some(name) = it.arguments.keys().next() {
            report
                .error(name.span(), "`arguments` and `raw` exclude each other", "one too many")
                .related(text.span(), "this is sent unchanged");
        }
        Sent::Raw(of_call(text, names, report))
    });
    let (called, sent) = match (&it.tool, &it.name, raw) {
        (Some(tool), None, Some(raw)) => (Called::Role(offered_role(tool, names, report)), raw),
        (Some(tool), None, None) => {
            let role = offered_role(tool, names, report);
            (Called::Role(role), Sent::Arguments(arguments(it, tool, role, names, report)))
        }
        (None, Some(name), Some(raw)) => (Called::Name(check_filled("name", name, report)), raw),
        (tool, name, _) => {
            let what = match (tool, name) {
                (Some(_), Some(_)) => "a call has both `tool` and `name`",
                (None, Some(_)) => "a call by `name` has no `raw`",
                (_, None) => "a call names no tool",
            };
            report
                .error(table.span(), what, "expected `tool`, or `name` and `raw`")
                .help("`tool` is a role of this scenario; `name` is any name, and `raw` is sent unchanged");
            (Called::Name(String::new()), Sent::Arguments(Vec::new()))
        }
    };
    CallSpec { called, sent }
}

fn arguments(
    table: &CallTable,
    tool: &Text,
    role: Role,
    names: &Names,
    report: &mut Report<'_>,
) -> Vec<Template> {
    let misnamed: Vec<&Text> =
        table.arguments.keys().filter(|name| !role.has_argument(name.get_ref())).collect();
    for name in &misnamed {
        unknown_argument(name, role, report);
    }
    let arguments = role.arguments().iter().map(|argument| {
        let Some((_, text)) = table.arguments.iter().find(|(name, _)| name.get_ref() == argument) else {
            // An argument under a wrong name is not reported again as missing.
            if misnamed.is_empty() {
                report.error(
                    tool.span(),
                    format!("the argument `{argument}` is missing"),
                    format!("`{}` needs {}", role_name(role), listed(role.arguments(), "and")),
                );
            }
            return Template { pieces: Vec::new() };
        };
        of_call(text, names, report)
    });
    arguments.collect()
}

/// What is sent with a call.
fn of_call(text: &Text, names: &Names, report: &mut Report<'_>) -> Template {
    let (template, placeholders) = template(text, names, report);
    for placeholder in placeholders.iter().filter(|placeholder| placeholder.kind == PlaceholderKind::Argument)
    {
        report.error(
            placeholder.span.clone(),
            "a call cannot refer to its own arguments",
            "an argument is known only where a tool answers",
        );
    }
    template
}

fn transition(
    table: &TransitionTable,
    states: &[StateTable],
    names: &Names,
    report: &mut Report<'_>,
) -> Transition {
    let when = report.one_of("trigger", &table.when, TRIGGERS);
    Transition {
        when,
        visits: table.visits.as_ref().map_or(Bound::Fixed(1), |it| drawn_or_fixed(it, names, report)),
        chance: table.chance.as_ref().map_or(vec![Ratio { num: 1, den: 1 }], |it| chance(it, names, report)),
        // A file cannot say them yet, so every way leads there.
        ways: if when == Trigger::Corrected { Way::ALL.to_vec() } else { Vec::new() },
        to: state_id(&table.to, states, report),
    }
}
