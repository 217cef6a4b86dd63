//! How long a series of look-ups has been going in circles.

use serde::{Deserialize, Serialize};

/// Look-ups that returned only what was known. One that returns something new halves the count: a late first read
/// does not end a long circle, but several in a row do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Circling(u32);

impl Circling {
    pub(crate) fn rounds(self) -> u32 {
        self.0
    }

    pub(crate) fn nothing_new(&mut self) {
        self.0 = self.0.saturating_add(1);
    }

    pub(crate) fn something_new(&mut self) {
        self.0 /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_new_look_does_not_end_a_long_circle_and_a_few_do() {
        let mut circling = Circling::default();
        let rounds: Vec<u32> = "======+=+++=+"
            .chars()
            .map(|look| {
                if look == '+' {
                    circling.something_new()
                } else {
                    circling.nothing_new()
                }
                circling.rounds()
            })
            .collect();
        assert_eq!(rounds, [1, 2, 3, 4, 5, 6, 3, 4, 2, 1, 0, 1, 0]);
    }
}
