//! Three standstills that changes hide. A change that leaves the failure as it is, a plan that the model rewrites and
//! does not follow, and the same question in other words: each one alone looks like progress (spec P1, P2).

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::program::is_whole;
use super::rounds::Rounds;
use super::same_answer::is_yes;
use super::standing::Standing;
use crate::failure::is_failure;
use balk_contract::key::CallKey;
use balk_contract::{Origin, ResultKey, Subject, ToolCall, ToolResult};

/// How often this call failed in the same way, or calls of its tool in other spellings, if it does so now.
pub(super) fn persisting(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let of_call = of_this_call(rounds, call, now);
    if of_call.is_some() && is_whole(call) {
        return of_call;
    }
    let of_tool = in_other_spellings(rounds, call, now);
    of_call.into_iter().chain(of_tool).max_by_key(|it| it.seen)
}

/// Whether this call fails so now, or has not run yet.
fn fails_so(
    rounds: &Rounds,
    call: &ToolCall,
    now: CurrentRound<'_>,
    is_so: impl Fn(ResultKey) -> bool,
) -> bool {
    let mut answers = now.looked_at().filter(|(it, _)| it.call.key == call.key);
    let says_so =
        |(it, how): (&ToolResult, _)| is_failure(it) && is_so(Standing::said(it, now.key(rounds, it), how));
    now.results.is_none() || answers.any(says_so)
}

/// How often calls of this tool failed in the same way in several spellings. Before it runs, only the last of these
/// calls is known to fail.
fn in_other_spellings(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    if now.results.is_none() && !rounds.standing().failed_last(call) {
        return None;
    }
    let fails_so = |failure| fails_so(rounds, call, now, |it| it == failure);
    let (failure, seen, turn) = rounds.standing().failed_respelled(call, fails_so)?;
    let subject = Subject::Call(CallKey::of(&call.tool, &failure.to_string()));
    let found = Finding::new(Rule::Persisting, subject, counted(now, seen), turn);
    Some(Finding { failed: true, is_near: true, ..found })
}

/// How often this call failed in the same way.
fn of_this_call(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let (persisting, has_reason) = rounds.standing().failed_so(call)?;
    if !fails_so(rounds, call, now, |it| persisting.has_had(it)) {
        return None;
    }
    // Another failure of the same call is another subject.
    let failure = persisting.failure();
    let (seen, turn) = persisting.seen();
    let subject = Subject::Call(CallKey::of(&call.tool, &format!("{} {failure}", call.key)));
    let found = Finding::new(Rule::Persisting, subject, counted(now, seen), turn);
    let varies = persisting.varies();
    Some(Finding { failed: true, is_whole: is_whole(call), has_reason, varies, ..found })
}

/// How often the file was written in a row that this call writes. Copies under other numbers may be wanted: they have
/// twice the patience.
pub(super) fn rewriting(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let (seen, turn, is_unread, is_copy) = rounds.standing().rewrote(call)?;
    let found = Finding::new(Rule::Rewriting, Subject::Tool(call.tool.clone()), counted(now, seen), turn);
    let patience = if is_copy { 2 } else { 1 };
    (!now.has_failed(call)).then_some(Finding { is_unread, patience, ..found })
}

/// How many calls in a row asked for the same and got the same answer, if this call does so too.
pub(super) fn same_answer(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let is_known = || rounds.past().any(|round| round.calls(call.key));
    if now.results.is_none() && rounds.same_answer().may_be_mended_by(call) && !is_known() {
        return None;
    }
    let again = rounds.same_answer().again(call, is_known)?;
    let mut of_call = now.results.into_iter().flatten().filter(|it| it.call.key == call.key);
    let is_consent = rounds.same_answer().is_consent();
    let is_same = |it: &ToolResult| {
        rounds.same_answer().has_had(now.compared(rounds, it).any) || is_consent && is_yes(&it.text)
    };
    let agrees = of_call.all(|it| it.origin == Origin::Executed && is_same(it));
    let subject = Subject::Tool(call.tool.clone());
    let found = Finding::new(Rule::SameAnswer, subject, counted(now, again.seen), again.turn);
    let patience = if again.may_end { 2 } else { 1 };
    agrees.then_some(Finding { is_consent, varies: again.varies, patience, ..found })
}

/// How often the same question was asked in a row of calls with one answer, in the same words or other forms of them,
/// if this call asks it once more.
pub(super) fn question(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    // A quick test first: to compare words costs more.
    if now.results.is_none() && !rounds.same_answer().has_asked_again() {
        return None;
    }
    let mut of_call = now.results.into_iter().flatten().filter(|it| it.call.key == call.key);
    let is_same = |it: &ToolResult| rounds.same_answer().has_had(now.compared(rounds, it).any);
    if !of_call.all(|it| it.origin == Origin::Executed && !is_failure(it) && is_same(it)) {
        return None;
    }
    let (seen, turn) = rounds.same_answer().question(call)?;
    let subject = Subject::Tool(call.tool.clone());
    let found = Finding::new(Rule::SameAnswer, subject, counted(now, seen), turn);
    Some(Finding { is_same: true, ..found })
}

/// How often the same was done to an element of a page that looks as before, if this call does it once more.
pub(super) fn pointed(rounds: &Rounds, call: &ToolCall, now: CurrentRound<'_>) -> Option<Finding> {
    let (deed, seen, turn) = rounds.pointed().again(call)?;
    let mut results = now.results.into_iter().flatten();
    let stays =
        results.all(|it| it.origin == Origin::Executed && rounds.pointed().is_same_in(it, is_failure(it)));
    let found = Finding::new(Rule::SameAnswer, Subject::Call(deed), counted(now, seen), turn);
    stays.then_some(Finding { is_same: true, is_near: true, ..found })
}

fn counted(now: CurrentRound<'_>, seen: u32) -> u32 {
    now.counted(usize::try_from(seen).unwrap_or(usize::MAX))
}
