//! What healthy runs of an agent show that its profile does not say yet.
//!
//! Nothing goes wrong in a healthy run, so what is neither of the user nor of a tool is the agent's habit: a text that
//! it adds, what it puts around a result, a request that is not of the task. A person reviews what is proposed, because
//! a guard that fires in a healthy run looks just like a habit.

use self::proposal::{Proposal, open, weight};
use super::read::parse;
use crate::format::diagnostic::Diagnostics;

pub use self::healthy::{Aside, Healthy, Shown};

mod added;
mod around;
mod asides;
mod healthy;
mod outline;
mod proposal;

#[cfg(test)]
mod tests;

/// What was learnt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learnt {
    /// The profile: as it was, and after it what is new.
    pub profile: String,
    /// How many tables are new.
    pub new: usize,
    /// Texts that still have something of the agent: it says that in too few runs, or in ways that no pattern tells.
    pub left: Vec<Shown>,
}

/// Adds to a profile what healthy runs show. Only what two runs have in common is taken for a habit, unless there is
/// only one.
///
/// # Errors
/// The text is no profile.
pub fn learn(file_name: &str, text: &str, healthy: &Healthy) -> Result<Learnt, Diagnostics> {
    let needed = healthy.runs.min(2);
    let is_habit = |it: &Proposal<'_>| it.evidence.runs.len() >= needed;
    let mut profile = text.trim_end().to_owned() + "\n";
    let known = parse(file_name, text)?;
    let mut new = 0;
    for aside in asides::proposals(&known, &healthy.asides).into_iter().filter(is_habit) {
        profile += &aside.table(healthy.runs);
        new += 1;
    }
    // What is below a text of the agent is seen once that is removed.
    loop {
        let before = new;
        for proposals in [added::proposals, around::proposals] {
            let mut left = open(&parse(file_name, &profile)?, &healthy.shown);
            let found = proposals(&left, needed);
            let tables: Vec<String> =
                found.into_iter().filter(is_habit).map(|it| it.table(healthy.runs)).collect();
            for table in tables {
                let longer = profile.clone() + &table;
                let open = open(&parse(file_name, &longer)?, &healthy.shown);
                // A table that is of no use is not kept. So it ends: each one makes some text shorter.
                if weight(&open) < weight(&left) {
                    (profile, left, new) = (longer, open, new + 1);
                }
            }
        }
        if new == before {
            let open = open(&parse(file_name, &profile)?, &healthy.shown);
            let left = open.iter().filter(|it| it.has_more()).map(|it| it.shown.clone()).collect();
            return Ok(Learnt { profile, new, left });
        }
    }
}
