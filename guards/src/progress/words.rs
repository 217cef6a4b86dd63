//! What is said: what was observed, and another kind of step.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::finding::{Finding, Rule};
use crate::completion::ToolCall;
use crate::offer::{Offer, Purpose};
use crate::wording::times;

/// The names that may be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Names {
    offered: Vec<Arc<str>>,
    ask: Option<Arc<str>>,
}

impl Names {
    pub(super) fn of(offer: &Offer) -> Self {
        Self {
            offered: offer.tools().iter().map(|tool| tool.name.clone()).collect(),
            ask: offer.first(Purpose::AskUser).map(|tool| tool.name.clone()),
        }
    }

    fn tool(&self, call: &ToolCall) -> String {
        if self.offered.contains(&call.tool) {
            format!("`{}`", call.tool)
        } else {
            "a tool not on offer".into()
        }
    }

    fn ask(&self) -> String {
        self.ask.as_ref().map_or_else(|| "ask the user".into(), |ask| format!("ask the user with `{ask}`"))
    }
}

/// What was seen, without an end.
fn observed(finding: &Finding, call: &ToolCall, names: &Names) -> String {
    let Finding { seen, period, .. } = *finding;
    let (tool, how_often) = (names.tool(call), times(seen));
    match finding.rule {
        Rule::Waiting => format!(
            "the same call of {tool} was made {how_often}, and each time it answered that something is still \
             going on"
        ),
        Rule::Cycle => format!(
            "the same {period} steps, with {tool} among them, came round {} with the same answers, and nothing \
             has changed",
            times(seen / period)
        ),
        Rule::Repeat => format!(
            "the same call of {tool} was made {how_often}, with other steps in between, and it answered the same \
             each time; nothing has changed"
        ),
        Rule::SameFailure => format!(
            "{seen} calls of {tool} with different arguments failed in the same way, so the arguments are not \
             what is wrong"
        ),
        Rule::Wandering => format!(
            "at least {seen} steps brought back only what stands above already, and nothing was changed in \
             between"
        ),
    }
}

/// Another kind of step.
fn instead(finding: &Finding, names: &Names) -> String {
    let ask = names.ask();
    match finding.rule {
        Rule::Waiting => format!(
            "Looking again does not make it faster. Make one call that waits until it is over, as long as the \
             work needs, or do meanwhile what does not depend on it. If it should be over by now, {ask} or say \
             what you are waiting for."
        ),
        Rule::Cycle | Rule::Repeat => format!(
            "Take another kind of step: change something that the answer depends on and check that, or use what \
             is known and go on. If something is missing, {ask}; if it cannot be done, say so and why."
        ),
        Rule::SameFailure => format!(
            "Take another kind of step: find the cause with a call that only looks, or reach the goal another \
             way. If something is missing, {ask}; if it cannot be done, say so and why."
        ),
        Rule::Wandering => format!(
            "Take another kind of step: write down what is known and act on it, with a change or a test, or put \
             one narrower question. If something is missing, {ask}; if it cannot be done, say so and why."
        ),
    }
}

/// The first step.
pub(super) fn note(finding: &Finding, call: &ToolCall, names: &Names, number: u32) -> String {
    let (observed, instead) = (observed(finding, call, names), instead(finding, names));
    format!("Observation {number} of this run: {observed}. {instead}")
}

/// The last warning, in place of a result.
pub(super) fn refusal(finding: &Finding, call: &ToolCall, names: &Names, number: u32) -> String {
    let (observed, instead) = (observed(finding, call, names), instead(finding, names));
    let what = match finding.rule {
        Rule::SameFailure => "Calls of this tool run again once another step was taken.",
        Rule::Waiting | Rule::Cycle | Rule::Repeat | Rule::Wandering => {
            "Do not send this call again with the same arguments until something has changed."
        }
    };
    format!(
        "{observed} (observation {number} of this run). {instead} {what} This is the last warning: if it goes on \
         like this, the user is asked in your place."
    )
}

/// What is put to the user.
pub(super) fn question(finding: &Finding, call: &ToolCall, names: &Names, number: u32) -> String {
    let observed = observed(finding, call, names);
    format!(
        "The model does not get on, although it was told so: {observed} (observation {number} of this run). What \
         should it do?"
    )
}

/// Why the run ends.
pub(super) fn stop(finding: &Finding, call: &ToolCall, names: &Names) -> String {
    let observed = observed(finding, call, names);
    format!(
        "Stopped without reaching the goal: {observed}. It went on like this after a last warning and after a \
         question."
    )
}
