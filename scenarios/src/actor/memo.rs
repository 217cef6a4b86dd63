//! What a summary carries of an actor's progress.

use std::fmt;

use crate::scenario::StateId;

/// The progress of an actor, as the last line of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memo {
    pub(super) turns: u32,
    pub(super) state: StateId,
    /// Whether it is in its state again because a guard refused what it did there.
    pub(super) tries_again: bool,
    /// Corrections in a row.
    pub(super) corrections: u32,
    /// How often each state was visited.
    pub(super) visits: Vec<u32>,
    /// How many steps of each state went well.
    pub(super) steps: Vec<u32>,
}

/// What begins the line.
const MARK: &str = "\n\nProgress: turns ";

impl fmt::Display for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { turns, state, tries_again, corrections, visits, steps } = self;
        write!(
            f,
            "{MARK}{turns}, state {state}, tries again {tries_again}, corrections {corrections}, visits{}, steps{}.",
            Numbers(visits),
            Numbers(steps)
        )
    }
}

/// Numbers, each after a space.
struct Numbers<'n>(&'n [u32]);

impl fmt::Display for Numbers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|number| write!(f, " {number}"))
    }
}

impl Memo {
    /// The progress that a text carries of an actor with so many states. `None` if it carries none.
    pub(super) fn read(text: &str, states: usize) -> Option<Self> {
        let (_, line) = text.rsplit_once(MARK)?;
        let mut parts = line.strip_suffix('.')?.split(", ");
        let turns = parts.next()?.parse().ok()?;
        let state = parts.next()?.strip_prefix("state ")?.parse().ok().filter(|state| *state < states)?;
        let tries_again = parts.next()?.strip_prefix("tries again ")?.parse().ok()?;
        let corrections = parts.next()?.strip_prefix("corrections ")?.parse().ok()?;
        let mut numbers = |name| -> Option<Vec<u32>> {
            let list = parts.next()?.strip_prefix(name)?;
            let numbers: Option<Vec<u32>> = list.split_whitespace().map(|it| it.parse().ok()).collect();
            numbers.filter(|numbers| numbers.len() == states)
        };
        let (visits, steps) = (numbers("visits ")?, numbers("steps ")?);
        Some(Self { turns, state, tries_again, corrections, visits, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_reads_as_it_was_written() {
        let (visits, steps) = (vec![3, 14], vec![0, 7]);
        let memo = Memo { turns: 17, state: 1, tries_again: true, corrections: 2, visits, steps };
        let text = format!("So far.\n\nThe task, visits 1.{memo}");
        assert_eq!(
            text,
            "So far.\n\nThe task, visits 1.\n\nProgress: turns 17, state 1, tries again true, corrections 2, \
             visits 3 14, steps 0 7."
        );
        assert_eq!(Memo::read(&text, 2), Some(memo));
        for other in [
            "",
            "So far.",
            "\n\nProgress: turns 1, state 1",
            "\n\nProgress: turns 1, state 2, tries again false, corrections 0, visits 1 1, steps 1 1.",
        ] {
            assert_eq!(Memo::read(other, 2), None, "{other}");
        }
    }
}
