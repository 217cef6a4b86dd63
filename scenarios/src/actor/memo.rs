//! What a summary carries of an actor's progress.

use std::fmt;

use crate::scenario::StateId;

/// The progress of an actor, as the last line of a summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Memo {
    pub(super) state: StateId,
    /// Corrections in a row.
    pub(super) corrections: u32,
    /// How often each state was visited.
    pub(super) visits: Vec<u32>,
    /// How many steps of each state went well.
    pub(super) steps: Vec<u32>,
}

/// What begins the line.
const MARK: &str = "\n\nProgress: state ";

impl fmt::Display for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { state, corrections, visits, steps } = self;
        write!(
            f,
            "{MARK}{state}, corrections {corrections}, visits{}, steps{}.",
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
        let state = parts.next()?.parse().ok().filter(|state| *state < states)?;
        let corrections = parts.next()?.strip_prefix("corrections ")?.parse().ok()?;
        let mut numbers = |name| -> Option<Vec<u32>> {
            let list = parts.next()?.strip_prefix(name)?;
            let numbers: Option<Vec<u32>> = list.split_whitespace().map(|it| it.parse().ok()).collect();
            numbers.filter(|numbers| numbers.len() == states)
        };
        Some(Self { state, corrections, visits: numbers("visits ")?, steps: numbers("steps ")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memo_reads_as_it_was_written() {
        let memo = Memo { state: 1, corrections: 2, visits: vec![3, 14], steps: vec![0, 7] };
        let text = format!("So far.\n\nThe task, visits 1.{memo}");
        assert_eq!(
            text,
            "So far.\n\nThe task, visits 1.\n\nProgress: state 1, corrections 2, visits 3 14, steps 0 7."
        );
        assert_eq!(Memo::read(&text, 2), Some(memo));
        for other in [
            "",
            "So far.",
            "\n\nProgress: state 1",
            "\n\nProgress: state 2, corrections 0, visits 1, steps 1.",
        ] {
            assert_eq!(Memo::read(other, 2), None, "{other}");
        }
    }
}
