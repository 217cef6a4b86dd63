//! Calls that cannot run, whoever tries: of tools that are not on offer, or without what the tool requires.

use super::finding::{Finding, Now, Rule, counted};
use super::look::Unfit;
use super::names::Names;
use super::rounds::Rounds;
use crate::completion::ToolCall;
use crate::entry::Subject;

/// The last rounds that were nothing but such calls.
pub(super) fn find(
    rounds: &Rounds,
    names: &Names,
    call: &ToolCall,
    now: Now<'_>,
    unfit: Unfit,
) -> Option<Finding> {
    if names.unfit(call) != Some(unfit) || now.results.is_some() && !now.has_failed(call) {
        return None;
    }
    let seen =
        rounds.still().take_while(|round| round.looks.iter().all(|look| look.unfit == Some(unfit))).count();
    let (rule, subject) = match unfit {
        Unfit::UnknownTool => (Rule::UnknownTool, Subject::Run),
        Unfit::Arguments => (Rule::Arguments, Subject::Tool(call.tool.clone())),
    };
    let found = Finding::new(rule, subject, counted(seen, now), rounds.turn());
    Some(Finding { failed: true, ..found })
}
