//! Drawn worlds: a plan of healthy work, a slip that takes over at some point, and a surface over both.
//!
//! * A **plan** is a scenario with one healthy actor (`drawn/plans/*.toml`), right by construction: a test plays it
//!   and sees that every round changes the world or brings an answer not seen before. Its numbers are structure: how
//!   many items, pages, failures. A number with the name of a state says how often that state is visited; where it is
//!   0 the state is left out. The number `replies` says how many of the user's replies are given.
//! * A **slip** takes over before some round of a plan: states that go round, with their truth and the ways that lead
//!   out, back to that round. It is a function from a place in a plan to such states.
//! * A **surface** varies what does not matter: language, names of tools, clocks, ids, chatter.
//!
//! The seed draws slip, plan, point, numbers and surfaces. Composition works on [`Scenario`](crate::Scenario) values;
//! after it everything is as for a written scenario. The skeleton says what a world is without its surface:
//! `PLAN.NUMBERS+SLIP.NUMBERS@POINT`.
//!
//! Every third plan, slip and surface is reserve, by its place in its list, and drawn only from reserved pools.

mod compose;
mod lot;
mod place;
mod plan;
mod slips;
mod splice;
mod surfaces;
mod target;
mod walk;
mod words;

#[cfg(test)]
mod tests;

pub use plan::{Plan, plans};
pub use slips::{Judged, Slip, slips};
pub use surfaces::{SURFACES, Surface};
pub use target::{DRAWN, Target};

/// The names of everything that can be drawn.
pub fn names() -> impl Iterator<Item = String> {
    let slips = slips().iter().map(Target::Slip);
    [Target::Any].into_iter().chain(slips).chain(plans().iter().map(Target::Plan)).map(Target::name)
}

/// All the text that drawn worlds depend on: the plans, and the words of slips.
#[must_use]
pub fn text() -> String {
    plans().iter().map(|it| it.text).chain([words::FILE]).collect()
}
