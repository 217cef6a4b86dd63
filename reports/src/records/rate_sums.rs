//! Sums of events and turns over trials.

use serde::{Deserialize, Serialize};

/// The sums over trials that a rate and its interval are computed from. They are integers, so shards add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RateSums {
    /// Trials with at least one turn.
    pub trials: u64,
    /// Of these, trials with an event.
    pub disturbed: u64,
    /// Events.
    pub events: u64,
    /// Turns.
    pub turns: u64,
    /// The sum of the squared events of each trial.
    pub events_squared: u64,
    /// The sum of events times turns of each trial.
    pub events_by_turns: u64,
    /// The sum of the squared turns of each trial.
    pub turns_squared: u64,
}

impl RateSums {
    /// Adds a trial. A trial without turns does not count.
    ///
    /// # Panics
    /// If there are events without turns.
    pub fn add(&mut self, events: u32, turns: u32) {
        assert!(events == 0 || turns > 0, "{events} events in no turn");
        let (events, turns) = (u64::from(events), u64::from(turns));
        *self = self.plus(&Self {
            trials: u64::from(turns > 0),
            disturbed: u64::from(events > 0),
            events,
            turns,
            events_squared: events * events,
            events_by_turns: events * turns,
            turns_squared: turns * turns,
        });
    }

    /// The sums of both. A sum that is too great for its type stays at the greatest number.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            trials: self.trials.saturating_add(other.trials),
            disturbed: self.disturbed.saturating_add(other.disturbed),
            events: self.events.saturating_add(other.events),
            turns: self.turns.saturating_add(other.turns),
            events_squared: self.events_squared.saturating_add(other.events_squared),
            events_by_turns: self.events_by_turns.saturating_add(other.events_by_turns),
            turns_squared: self.turns_squared.saturating_add(other.turns_squared),
        }
    }

    /// Whether trials can have these sums.
    #[must_use]
    pub fn is_of_trials(&self) -> bool {
        let is_square =
            |sum: u64, one: u64, other: u64| u128::from(sum) <= u128::from(one) * u128::from(other);
        self.disturbed <= self.trials.min(self.events)
            && is_square(self.events_squared, self.events, self.events)
            && is_square(self.events_by_turns, self.events, self.turns)
            && is_square(self.turns_squared, self.turns, self.turns)
            && self.spread().is_some()
    }

    /// `Σ (x_i·Y − X·y_i)²`, which is exactly 0 if all trials have the same rate; floats would leave a rounding error.
    /// None if a term exceeds 2^128, which no bench reaches, or if no trials have these sums.
    #[must_use]
    pub fn spread(&self) -> Option<u128> {
        let [events, turns] = [self.events, self.turns].map(u128::from);
        let squares = turns.checked_mul(turns)?.checked_mul(self.events_squared.into())?;
        let other_squares = events.checked_mul(events)?.checked_mul(self.turns_squared.into())?;
        let products = events.checked_mul(turns)?.checked_mul(self.events_by_turns.into())?;
        squares.checked_add(other_squares)?.checked_sub(products.checked_mul(2)?)
    }
}
