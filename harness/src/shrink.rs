//! Shrinks a trial that shows a problem to the smallest one that still shows it.
//!
//! The text of the scenario shrinks. A change removes a part or simplifies a value. It is kept if the file is still
//! valid and its trial still shows the problem. The kinds of change are tried in a fixed order, repeatedly, until
//! none succeeds. Then every lower seed is tried; if one shows the problem, the search starts again. So the result
//! does not depend on the path, and a shrunk trial does not shrink again.
//!
//! A smaller trial could show the problem for another reason: nothing recovers within one turn. So if the baseline or
//! the oracle does not show the problem at the start, it must not show it in any trial that is kept. If it reaches the
//! goal at the start, it must reach it in each: work that has become impossible is not healthy any more. False
//! interventions are not interchangeable either: the rule of the first one must still fire falsely. The truths of the
//! turns (`truth`) are never changed, because they define what is false.

mod case;
mod document;
mod drawn;
mod parts;
mod search;
mod shows;
mod values;

pub use case::{Case, Progress, Shrunk, Unfit};
pub use shows::Shows;

use search::Search;

/// One kind of change, tried everywhere.
type Pass = fn(&mut Search<'_>);

/// The changes that remove the most come first.
const PASSES: [Pass; 7] = [
    drawn::language,
    drawn::pools,
    drawn::numbers,
    parts::starts,
    parts::parts,
    values::words,
    values::numbers,
];

/// Shrinks a trial.
///
/// # Errors
/// The trial does not show the problem.
///
/// # Panics
/// If the text is not a valid scenario.
pub fn shrink(case: &Case<'_>, mut follow: impl FnMut(Progress)) -> Result<Shrunk, Unfit> {
    let mut search = Search::new(case)?;
    loop {
        let before = search.changes();
        for pass in PASSES {
            pass(&mut search);
        }
        follow(search.progress());
        if search.changes() == before && !lower_seed(&mut search) {
            return Ok(search.end());
        }
    }
}

/// Takes the lowest seed that shows the problem; returns whether it is lower than the current one.
fn lower_seed(search: &mut Search<'_>) -> bool {
    for seed in 0..search.seed() {
        if search.is_spent() {
            return false;
        }
        if search.reseed(seed) {
            return true;
        }
    }
    false
}
