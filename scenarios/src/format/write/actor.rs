//! An actor: its states, their truth, calls and transitions.

use balk_contract::AttemptCause;

use crate::scenario::{Bound, Break, Delivery, Ratio, Scenario, State, Transition, Truth, TruthSpan, Wire};

use super::super::attempts::{CAUSES, STAGES, WIRES};
use super::super::behaviour::{FINISHES, STUCK, TRIGGERS};
use super::sheet::Sheet;
use super::values::{bound, calls, phrase, quoted, ratio, table, text, word};

/// The actor of a scenario in this table, which has a name of its own if it is not that of the file.
pub(super) fn write(sheet: &mut Sheet<'_>, actor: &str, scenario: &Scenario, own: Option<&str>) {
    let states = &scenario.actor.states;
    sheet.table(&format!("[{actor}]"));
    sheet.optional("name", own.map(quoted));
    sheet.line("title", quoted(&scenario.title));
    sheet.line("why", quoted(&scenario.why));
    sheet.line("source", quoted(&scenario.source));
    sheet.line("start", quoted(&states[scenario.actor.start].name));
    states.iter().for_each(|it| state(sheet, actor, it, states));
}

fn state(sheet: &mut Sheet<'_>, actor: &str, state: &State, all: &[State]) {
    let scenario = sheet.scenario;
    sheet.table(&format!("[[{actor}.state]]"));
    sheet.line("name", quoted(&state.name));
    sheet.list("truth", state.truth.iter().map(truth).collect());
    sheet.optional("steps", state.steps.map(|it| bound(scenario, it)));
    sheet.optional("says", state.says.map(|it| phrase(scenario, it)));
    sheet.optional("thinks", state.thinks.map(|it| phrase(scenario, it)));
    sheet.list("calls", calls(scenario, &state.calls));
    sheet.list("provider", calls(scenario, &state.provider));
    sheet.mark("tells_user", state.tells_user);
    sheet.list("empty", ratios(&state.empty));
    let Delivery { first_byte_ms, doubled_event } = state.delivery;
    sheet.optional("first_byte_ms", (first_byte_ms > 0).then(|| first_byte_ms.to_string()));
    sheet.mark("doubled_event", doubled_event);
    sheet.optional("finish", state.finish.map(|it| word(FINISHES, &it)));
    for it in &state.breaks {
        sheet.table(&format!("[[{actor}.state.break]]"));
        breaks(sheet, it);
    }
    for it in &state.next {
        sheet.table(&format!("[[{actor}.state.next]]"));
        transition(sheet, it, all);
    }
}

fn truth(span: &TruthSpan) -> String {
    let until = (span.until < u32::MAX).then(|| ("until", span.until.to_string()));
    let (is, how) = match span.is {
        Truth::Stuck(how) => ("stuck", Some(("how", word(STUCK, &how)))),
        Truth::Productive | Truth::Waiting | Truth::Finished | Truth::Faulted => (span.is.name(), None),
    };
    table(until.into_iter().chain([("is", quoted(is))]).chain(how))
}

fn breaks(sheet: &mut Sheet<'_>, it: &Break) {
    let scenario = sheet.scenario;
    sheet.optional("until", it.until.map(|it| bound(scenario, it)));
    sheet.optional("chance", unless(CERTAIN, it.chance));
    match it.cause {
        AttemptCause::Status { code, .. } => sheet.line("status", code.to_string()),
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => {
            sheet.line("cause", word(CAUSES, &it.cause))
        }
    }
    sheet.optional("retry_after", it.retry_after.map(|it| bound(scenario, it)));
    sheet.line("at", word(STAGES, &it.at));
    sheet.optional("says", it.says.map(|it| phrase(scenario, it)));
    sheet.optional("ran", unless(NEVER, it.ran));
    sheet.optional("wire", (it.wire != Wire::Cause).then(|| word(WIRES, &it.wire)));
}

fn transition(sheet: &mut Sheet<'_>, it: &Transition, states: &[State]) {
    let scenario = sheet.scenario;
    sheet.line("when", word(TRIGGERS, &it.when));
    sheet.optional("contains", it.contains.as_ref().map(|it| text(scenario, it)));
    sheet.optional("visits", (it.visits != Bound::Fixed(1)).then(|| bound(scenario, it.visits)));
    if it.chance != [CERTAIN] {
        sheet.list("chance", ratios(&it.chance));
    }
    sheet.list("ways", it.ways.iter().map(|it| quoted(it.name())).collect());
    sheet.line("to", quoted(&states[it.to].name));
}

const CERTAIN: Ratio = Ratio { num: 1, den: 1 };
const NEVER: Ratio = Ratio { num: 0, den: 1 };

fn ratios(all: &[Ratio]) -> Vec<String> {
    all.iter().map(|it| ratio(*it)).collect()
}

/// A chance other than the default.
fn unless(default: Ratio, it: Ratio) -> Option<String> {
    (it != default).then(|| ratio(it))
}
