//! Which rules can find something about a call, and what each finds.

use super::current_round::CurrentRound;
use super::finding::{Finding, Rule};
use super::look::Step;
use super::offer_index::{OfferIndex, Unfit};
use super::rounds::Rounds;
use super::{
    cycle, finish, growing, near_call, repeat, rewrite, same_failure, unfit, unmoved, waiting, wandering,
};
use balk_contract::ToolCall;

impl Rule {
    /// The rules that can find something about this call: their common conditions are tested once. `None` if no rule
    /// can, which is the usual case.
    pub(super) fn about(
        rounds: &Rounds,
        offer: &OfferIndex,
        call: &ToolCall,
        now: CurrentRound<'_>,
    ) -> Option<impl Iterator<Item = Self>> {
        let is_known = rounds.has(call.key);
        let step = now.step(rounds, call);
        let returns = rounds.workspace().returns(call);
        let fails = now.fails(rounds);
        let finishes = offer.finishes(&call.tool);
        let persists = unmoved::persisting(rounds, call, now).is_some();
        let rewrites = unmoved::rewriting(rounds, call, now).is_some();
        let comes_back = repeat::comes_back(rounds, call, now).is_some();
        let answers = unmoved::same_answer(rounds, call, now).is_some();
        let any = is_known
            || comes_back
            || step != Step::Other
            || returns.is_some()
            || fails
            || finishes
            || persists
            || rewrites
            || answers;
        let can_find = move |rule: &Self| match rule {
            Self::Waiting | Self::Cycle | Self::Wandering => is_known,
            Self::Repeat => is_known || comes_back,
            Self::Growing => step == Step::Grown,
            Self::NearCall => {
                matches!(step, Step::NearFailure | Step::NearAnswer | Step::Tuned | Step::Grown)
            }
            Self::Rewrite => returns.is_some_and(|it| !it.is_idle),
            Self::NoOp => returns.is_some_and(|it| it.is_idle),
            Self::UnknownTool | Self::Arguments | Self::SameFailure => fails,
            Self::Finish => finishes,
            Self::Persisting => persists,
            Self::Rewriting => rewrites,
            Self::SameAnswer => answers,
            Self::RefusedReplies | Self::RepeatedText => false,
        };
        any.then(|| Self::OF_CALLS.into_iter().filter(can_find))
    }

    /// This rule's finding about a call; the two rules about texts find nothing here.
    pub(super) fn find(
        self,
        rounds: &Rounds,
        offer: &OfferIndex,
        call: &ToolCall,
        now: CurrentRound<'_>,
    ) -> Option<Finding> {
        match self {
            Self::Waiting => waiting::find(rounds, call, now),
            Self::UnknownTool => unfit::find(rounds, offer, call, now, Unfit::UnknownTool),
            Self::Arguments => unfit::find(rounds, offer, call, now, Unfit::Arguments),
            Self::Finish => finish::find(rounds, offer, call, now),
            Self::Growing => growing::find(rounds, call, now),
            Self::Cycle => cycle::find(rounds, call, now),
            Self::Rewrite | Self::NoOp => rewrite::find(rounds, call, now, self),
            Self::Repeat => repeat::find(rounds, call, now),
            Self::NearCall => near_call::find(rounds, call, now),
            Self::SameFailure => same_failure::find(rounds, call, now),
            Self::Persisting => unmoved::persisting(rounds, call, now),
            Self::Rewriting => unmoved::rewriting(rounds, call, now),
            Self::SameAnswer => unmoved::same_answer(rounds, call, now),
            Self::Wandering => wandering::find(rounds, call, now),
            Self::RefusedReplies | Self::RepeatedText => None,
        }
    }
}
