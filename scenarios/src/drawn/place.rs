//! A place in a plan where a slip may begin.

use balk_contract::Protocol;

use crate::scenario::template::{Piece, Template};
use crate::scenario::{CallSpec, Called, Number, Role, Scenario, Sent};

use super::plan::Variant;
use super::walk::Round;

/// A place in a plan: before the round of this index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'p> {
    pub(super) variant: &'p Variant,
    pub(super) at: usize,
}

impl<'p> Place<'p> {
    /// All places of a variant, except where the goal already holds.
    pub(super) fn all(variant: &'p Variant) -> impl Iterator<Item = Self> {
        let rounds = &variant.walk.rounds;
        (0..rounds.len()).filter(|&at| !rounds[at].done_before).map(move |at| Self { variant, at })
    }

    pub(super) fn scenario(&self) -> &'p Scenario {
        &self.variant.scenario
    }

    /// The round after the slip.
    pub(super) fn next(&self) -> &'p Round {
        &self.variant.walk.rounds[self.at]
    }

    /// The round before the slip.
    pub(super) fn last(&self) -> Option<&'p Round> {
        self.at.checked_sub(1).map(|at| &self.variant.walk.rounds[at])
    }

    /// The calls of a round, as they are sent in it.
    pub(super) fn calls(&self, round: &Round) -> Vec<CallSpec> {
        self.specs(round).iter().map(|it| frozen(it, round.visit, &self.scenario().numbers)).collect()
    }

    fn specs(&self, round: &Round) -> &'p [CallSpec] {
        &self.scenario().actor.states[round.state].calls
    }

    /// The calls of the round before, if sending them again at once would change nothing.
    pub(super) fn still(&self) -> Option<Vec<CallSpec>> {
        let last = self.last().filter(|it| it.still)?;
        Some(self.calls(last)).filter(|calls| !calls.is_empty())
    }

    /// The first call of the round after the slip, or of the first round from there that has one.
    pub(super) fn due(&self) -> Option<CallSpec> {
        let due = self.variant.walk.rounds[self.at..].iter().find(|it| !self.specs(it).is_empty())?;
        self.calls(due).into_iter().next()
    }

    /// The calls that only looked, up to here, each once.
    pub(super) fn looks(&self) -> Vec<CallSpec> {
        let mut looks: Vec<CallSpec> = Vec::new();
        for round in &self.variant.walk.rounds[..self.at] {
            for call in self.calls(round) {
                if matches!(call.called, Called::Role(Role::Read | Role::List)) && !looks.contains(&call) {
                    looks.push(call);
                }
            }
        }
        looks
    }

    /// Whether a message without a call is answered by nobody but the loop, or by a user with nothing else to say.
    pub(super) fn is_silent(&self) -> bool {
        self.scenario().user.replies.is_empty()
    }

    pub(super) fn is_text(&self) -> bool {
        self.scenario().protocol == Protocol::Text
    }
}

/// The call as it is sent at this visit, and the same at every use.
fn frozen(call: &CallSpec, visit: u32, numbers: &[Number]) -> CallSpec {
    let at_visit = |it: &Template| at_visit(it, visit, numbers);
    let sent = match &call.sent {
        Sent::Arguments(values) => Sent::Arguments(values.iter().map(at_visit).collect()),
        Sent::Raw(text) => Sent::Raw(at_visit(text)),
    };
    CallSpec { called: call.called.clone(), sent }
}

fn at_visit(template: &Template, visit: u32, numbers: &[Number]) -> Template {
    let text = |text: String| vec![Piece::Text(text.into())];
    let pieces = template.pieces.iter().flat_map(|it| match it {
        // All steps of a plan go well, so each visit is one.
        Piece::Visit | Piece::OwnStep => text(visit.to_string()),
        Piece::Step(at) => text(((visit - 1) % numbers[*at].from + 1).to_string()),
        Piece::EachVisit(pool, field) => (0..visit).map(|_| Piece::Field(*pool, *field)).collect(),
        Piece::Code => vec![Piece::Draft],
        Piece::Clock => text("09:00:00".into()),
        Piece::Hex => text("5d1f08ac".into()),
        Piece::Text(_)
        | Piece::Field(..)
        | Piece::Number(_)
        | Piece::Argument(_)
        | Piece::Draft
        | Piece::Applied
        | Piece::Seconds(_)
        | Piece::Tool(_)
        | Piece::ToolArgument(..) => vec![it.clone()],
    });
    Template { pieces: pieces.collect() }
}
