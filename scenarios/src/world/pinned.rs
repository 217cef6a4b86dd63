//! A scenario of which every seed draws what one seed drew.

use super::World;
use crate::scenario::Scenario;

impl World<'_> {
    /// The scenario of this world with nothing else to draw: one language, one tool set, one item of each pool and one
    /// value of each number. With the same seed it is this world, with reserved pools or without.
    #[must_use]
    pub fn pinned(&self) -> Scenario {
        let mut scenario = self.scenario.clone();
        scenario.languages = vec![self.language().clone()];
        for phrase in &mut scenario.phrases {
            phrase.variants = vec![phrase.variants.swap_remove(self.language)];
        }
        scenario.toolsets = vec![self.toolset.clone()];
        for (pool, values) in scenario.pools.iter_mut().zip(&self.picks) {
            pool.items.retain(|it| it.values == *values);
            pool.items.truncate(1);
            pool.items.iter_mut().for_each(|it| it.reserve = false);
        }
        for (number, value) in scenario.numbers.iter_mut().zip(&self.numbers) {
            (number.from, number.to) = (*value, *value);
        }
        scenario
    }
}
