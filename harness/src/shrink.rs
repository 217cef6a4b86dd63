//! From a trial that shows something to the smallest one that still shows it.
//!
//! The scenario's text is what shrinks: a part is taken out, or a value is made simpler, and where the file is still
//! good and its trial still shows what it is to show, the change stays. The kinds of change are tried in one order,
//! again and again, until none of them takes; then every lower seed is tried, and where one shows it too, all
//! starts anew. So the end does not depend on the way there, and what was shrunk once does not shrink again.
//!
//! A smaller trial could show the same for another reason: nothing recovers within one turn. So whichever of the
//! baseline and the oracle does not show it in the trial at the start must not show it in any that is kept. And one
//! false intervention does not stand for another: the rule under which the first one came must still fire falsely. What
//! the file says of which turns are healthy (`truth`) is never changed, for it says what is false.

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

/// One kind of change, tried wherever it can be made.
type Pass = fn(&mut Search<'_>);

/// What leaves out most comes first.
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
/// The trial does not show what is to be kept.
///
/// # Panics
/// If the text is no good scenario.
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

/// Takes the lowest seed that shows it; whether there is one below this.
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
