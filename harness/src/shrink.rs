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

mod document;
mod drawn;
mod parts;
mod search;
mod shows;
mod values;

use balk_reports::records::TrialRecord;
use balk_scenarios::{Scenario, WorldOptions};

use crate::guards::Recipe;

pub use shows::Shows;

use search::Search;

/// The trial that is to shrink, and what it shows.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The text of a scenario file.
    pub text: &'a str,
    /// What was read from the text.
    pub scenario: &'a Scenario,
    /// The seed.
    pub seed: u64,
    /// The stack.
    pub stack: &'a Recipe,
    /// The baseline and the oracle: where one of them does not show it at the start, it does not at the end.
    pub contrasts: &'a [Recipe],
    /// What the run chooses.
    pub options: WorldOptions,
    /// What the trial shows.
    pub shows: &'a Shows,
    /// How many smaller trials are run at most.
    pub tries: u32,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The text of the smaller scenario.
    pub text: String,
    /// The seed under which it shows the same.
    pub seed: u64,
    /// The trial.
    pub record: TrialRecord,
    /// Smaller trials that were run.
    pub tries: u32,
    /// Whether nothing smaller was left to try; otherwise the tries ran out.
    pub is_smallest: bool,
    /// Whether the baseline or the oracle did not show it at the start. Otherwise nothing tells why the smaller trial
    /// shows it: one that is cut short shows much.
    pub has_contrast: bool,
}

/// The trial does not show what is to be kept; here is what it does show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub Vec<Shows>);

/// How far it is: after each round of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Trials that were run.
    pub tries: u32,
    /// Lines of the scenario.
    pub lines: usize,
    /// The seed.
    pub seed: u64,
}

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
