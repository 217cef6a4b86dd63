//! Converts the actor: states, truth, calls, transitions, and how it takes corrections.

use std::collections::BTreeMap;

use balk_contract::FinishReason;
use toml::Spanned;

use super::attempts::breaks;
use super::calls::call;
use super::chances::{chance, chances, drawn_or_fixed, ratio};
use super::names::{Names, check_name};
use super::phrases::said;
use super::placeholders::fixed;
use super::report::{Report, listed};
use super::used::Saying;
use super::wire::{ActorTable, ResponseTable, StateTable, Text, TransitionTable, TruthTable, Visits};
use crate::scenario::{
    ActorSpec, Bound, Delivery, Kind, Profile, Ratio, ResponseSpec, State, Stuck, Transition, Trigger, Truth,
    TruthSpan, Way,
};

pub(crate) const PROFILES: &[(&str, Profile)] = &[
    ("population", Profile::Population),
    ("strong", Profile::Strong),
    ("gpt-4o-like", Profile::Gpt4o),
    ("gpt-3.5-like", Profile::Gpt35),
    ("weak", Profile::Weak),
];

pub(super) const TRIGGERS: &[(&str, Trigger)] = &[
    ("always", Trigger::Always),
    ("succeeded", Trigger::Succeeded),
    ("failed", Trigger::Failed),
    ("refused", Trigger::Refused),
    ("corrected", Trigger::Corrected),
    ("varied", Trigger::Varied),
    ("user-spoke", Trigger::UserSpoke),
    ("notified", Trigger::Notified),
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

pub(super) const STUCK: &[(&str, Stuck)] = &[
    ("identical-call", Stuck::IdenticalCall),
    ("near-duplicate", Stuck::NearDuplicate),
    ("same-failure", Stuck::SameFailure),
    ("cycle", Stuck::Cycle),
    ("no-op", Stuck::NoOp),
    ("wandering", Stuck::Wandering),
    ("fence", Stuck::Fence),
    ("text-only", Stuck::TextOnly),
    ("repeated-text", Stuck::RepeatedText),
    ("thinking-only", Stuck::ThinkingOnly),
    ("empty", Stuck::Empty),
    ("truncated", Stuck::Truncated),
];

pub(super) const FINISHES: &[(&str, FinishReason)] = &[
    ("stop", FinishReason::Stop),
    ("length", FinishReason::Length),
    ("tool-call", FinishReason::ToolCall),
    ("content-filter", FinishReason::ContentFilter),
];

/// How the actor takes corrections: as a model of the population, unless the file says more.
pub(super) fn response(table: Option<&ResponseTable>, report: &mut Report<'_>) -> ResponseSpec {
    let profile = table.and_then(|it| it.profile.as_ref());
    let stubbornness = table.and_then(|it| it.stubbornness.as_ref());
    ResponseSpec {
        profile: profile.map_or(Profile::Population, |it| report.one_of("profile", it, PROFILES)),
        stubbornness: stubbornness.map_or(Ratio { num: 0, den: 1 }, |it| ratio(it, report)),
    }
}

/// The model.
pub(super) fn actor(
    spanned: &Spanned<ActorTable>,
    kind: Kind,
    names: &Names,
    report: &mut Report<'_>,
) -> ActorSpec {
    let table = spanned.get_ref();
    let states = table.state.get_ref();
    let mut known: BTreeMap<&str, &Text> = BTreeMap::new();
    let mut places = Places::new();
    for (at, state) in states.iter().enumerate() {
        places.entry(state.name.get_ref()).or_insert(at);
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
            format!("expected at least one `[[{}.state]]`", names.actor),
        );
    }
    let actor = ActorSpec {
        start: state_id(&table.start, states, &places, report),
        states: states.iter().map(|it| state(it, (states, &places), names, report)).collect(),
    };
    check_kind(spanned, &actor, kind, report);
    if report.is_clean() {
        check_reached(table, &actor, report);
    }
    actor
}

/// The place of each state, by its name. Of several with one name it is the first.
type Places<'t> = BTreeMap<&'t str, usize>;

fn state_id(name: &Text, states: &[StateTable], places: &Places<'_>, report: &mut Report<'_>) -> usize {
    let found = places.get(name.get_ref().as_str()).copied();
    let known = states.iter().map(|it| it.name.get_ref().as_str());
    report.found_at("state", name, found, known).unwrap_or(0)
}

/// A stuck control and a stubborn actor that is never stuck would both be measured wrongly.
fn check_kind(table: &Spanned<ActorTable>, actor: &ActorSpec, kind: Kind, report: &mut Report<'_>) {
    let at = report.header(table.span());
    let states = table.get_ref().state.get_ref();
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
                    .error(from.span(), "a healthy actor is never stuck", "guards must stay silent here")
                    .related(at.clone(), "the actor");
            }
        }
    }
    if kind == Kind::Stubborn && !balks && report.is_clean() {
        report
            .error(at, "this actor never balks", "no state is ever stuck or faulted")
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

fn state(
    table: &StateTable,
    (states, places): (&[StateTable], &Places<'_>),
    names: &Names,
    report: &mut Report<'_>,
) -> State {
    let has_steps = table.steps.is_some();
    State {
        name: table.name.get_ref().clone(),
        truth: truth(&table.truth, report),
        says: table.says.as_ref().map(|it| said(it, Saying::Actor { steps: has_steps }, names, report)),
        thinks: table.thinks.as_ref().map(|it| said(it, Saying::Actor { steps: has_steps }, names, report)),
        steps: table.steps.as_ref().map(|it| steps(it, names, report)),
        calls: table.calls.iter().map(|it| call(it, has_steps, names, report)).collect(),
        provider: table.provider.iter().map(|it| call(it, has_steps, names, report)).collect(),
        tells_user: table.tells_user,
        empty: chances(&table.empty, names, report),
        breaks: table.breaks.iter().map(|it| breaks(it, table, names, report)).collect(),
        delivery: Delivery { first_byte_ms: table.first_byte_ms, doubled_event: table.doubled_event },
        finish: table.finish.as_ref().map(|it| report.one_of("finish", it, FINISHES)),
        next: table.next.iter().map(|it| transition(it, (states, places), names, report)).collect(),
    }
}

/// Into how many steps the work of a state is divided.
fn steps(value: &Spanned<Visits>, names: &Names, report: &mut Report<'_>) -> Bound {
    let steps = drawn_or_fixed(value, names, report);
    if let Bound::Drawn(at) = steps
        && names.numbers[at].from == 0
    {
        let name = &names.numbers[at].name;
        report
            .error(value.span(), format!("there are no steps if `{name}` is 0"), "steps are counted from 1")
            .help(format!("let `{name}` be at least 1"));
    }
    steps
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

fn transition(
    table: &TransitionTable,
    (states, places): (&[StateTable], &Places<'_>),
    names: &Names,
    report: &mut Report<'_>,
) -> Transition {
    let when = report.one_of("trigger", &table.when, TRIGGERS);
    Transition {
        when,
        contains: table.contains.as_ref().map(|it| fixed(it, names, report)),
        visits: table.visits.as_ref().map_or(Bound::Fixed(1), |it| drawn_or_fixed(it, names, report)),
        chance: table.chance.as_ref().map_or(vec![Ratio { num: 1, den: 1 }], |it| chance(it, names, report)),
        ways: ways(table, when, report),
        to: state_id(&table.to, states, places, report),
    }
}

/// The ways out that a correction must offer for this transition.
fn ways(table: &TransitionTable, when: Trigger, report: &mut Report<'_>) -> Vec<Way> {
    let known = Way::ALL.map(|way| (way.name(), way));
    let all = listed(&known.map(|(name, _)| name), "or");
    match (&table.ways, when == Trigger::Corrected) {
        (None, false) => Vec::new(),
        (None, true) => {
            report
                .error(table.when.span(), "`ways` is missing", "which ways out lead on from here?")
                .help(format!("each is {all}, for example: ways = [\"inspect\", \"change\"]"));
            Vec::new()
        }
        (Some(ways), false) => {
            report
                .error(ways.span(), "`ways` has no meaning here", "only a correction offers ways out")
                .related(table.when.span(), "it goes with `when = \"corrected\"`");
            Vec::new()
        }
        (Some(ways), true) => {
            if ways.get_ref().is_empty() {
                report
                    .error(ways.span(), "`ways` is empty", "no correction could lead on from here")
                    .help(format!("each is {all}"));
            }
            ways.get_ref().iter().map(|way| report.one_of("way", way, &known)).collect()
        }
    }
}
