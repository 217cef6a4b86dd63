//! A scenario of which every seed draws what one seed drew.

use super::World;
use crate::scenario::Scenario;

impl World {
    /// The scenario of this world with nothing else to draw: one language, one tool set, one item of each pool and one
    /// value of each number. With the same seed it is this world, with reserved pools or without.
    #[must_use]
    pub fn pinned(&self) -> Scenario {
        let mut scenario = Scenario::clone(&self.scenario);
        scenario.languages = vec![self.language().clone()];
        for phrase in &mut scenario.phrases {
            phrase.variants = vec![phrase.variants.swap_remove(self.language)];
        }
        scenario.toolsets = vec![self.toolset.clone()];
        for (pool, &item) in scenario.pools.iter_mut().zip(&self.picks) {
            pool.items = vec![pool.items.swap_remove(item)];
            pool.items[0].reserve = false;
        }
        for (number, value) in scenario.numbers.iter_mut().zip(&self.numbers) {
            (number.from, number.to) = (*value, *value);
        }
        scenario
    }
}
