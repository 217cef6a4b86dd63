//! What the rules find about a call.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Step;
use super::offer_index::{OfferIndex, Unfit};
use super::rounds::Rounds;
use super::{
    cycle, finish, growing, near_call, repeat, rewrite, same_failure, unfit, unmoved, waiting, wandering,
};
use balk_contract::ToolCall;

/// What the rules find about this call, most specific first: their common conditions are tested once. `None` if no rule
/// can find anything, which is the usual case. `same_failures` is how often the same failure must be seen.
pub(super) fn findings(
    rounds: &Rounds,
    offer: &OfferIndex,
    call: &ToolCall,
    now: CurrentRound<'_>,
    same_failures: u32,
) -> Option<impl Iterator<Item = Finding>> {
    let is_known = rounds.has(call.key);
    let step = now.step(rounds, call);
    let returns = rounds.workspace().returns(call);
    let fails = now.fails(rounds);
    let finishes = offer.finishes(&call.tool);
    let pauses = waiting::may_go_on(rounds, call, step);
    let mut persisting = unmoved::persisting(rounds, call, now);
    let mut rewriting = unmoved::rewriting(rounds, call, now);
    let mut comes_back = repeat::comes_back(rounds, call, now);
    let mut same_answer = unmoved::same_answer(rounds, call, now);
    let question = unmoved::question(rounds, call, now);
    let pointed = unmoved::pointed(rounds, call, now);
    let any = is_known
        || comes_back.is_some()
        || step != Step::Other
        || returns.is_some()
        || fails
        || finishes
        || pauses
        || persisting.is_some()
        || rewriting.is_some()
        || same_answer.is_some()
        || question.is_some()
        || pointed.is_some();
    let is_near = matches!(step, Step::NearFailure | Step::NearAnswer | Step::Tuned | Step::Grown);
    let find = move |rule| match rule {
        Rule::Waiting => if_so(is_known || pauses, || waiting::find(rounds, call, now, step)),
        Rule::UnknownTool => if_so(fails, || unfit::find(rounds, offer, call, now, Unfit::UnknownTool)),
        Rule::Arguments => if_so(fails, || unfit::find(rounds, offer, call, now, Unfit::Arguments)),
        Rule::Finish => if_so(finishes, || finish::find(rounds, offer, call, now)),
        Rule::Growing => if_so(step == Step::Grown, || growing::find(rounds, call, now)),
        Rule::Cycle => if_so(is_known, || cycle::find(rounds, call, now)),
        Rule::Rewrite | Rule::NoOp => if_so(returns.is_some(), || rewrite::find(rounds, call, now, rule)),
        Rule::Rewriting => rewriting.take(),
        Rule::Repeat => if_so(is_known, || repeat::find(rounds, call, now)).or_else(|| comes_back.take()),
        Rule::Persisting => persisting.take(),
        Rule::NearCall => if_so(is_near, || near_call::find(rounds, call, now)),
        Rule::SameFailure => {
            let may_be = fails && same_failure::may_be_seen(same_failures, rounds, call, now);
            if_so(may_be, || same_failure::find(rounds, call, now))
        }
        Rule::SameAnswer => same_answer.take(),
        Rule::Wandering => if_so(is_known, || wandering::find(rounds, call, now)),
        Rule::RefusedReplies | Rule::RepeatedText => None,
    };
    let same = question.into_iter().chain(pointed);
    any.then(|| same.chain(Rule::OF_CALLS.into_iter().filter_map(find)))
}

/// What is found where a rule can find something.
fn if_so(may_find: bool, find: impl FnOnce() -> Option<Finding>) -> Option<Finding> {
    if may_find { find() } else { None }
}
