//! How much work the warnings about one file may be.

/// What is left of it. Some checks compare every rule, call or transition with every other one, and a long file would
/// keep them busy for hours.
#[derive(Debug)]
pub(super) struct Effort {
    left: usize,
}

/// A few seconds. A file of the catalogue takes less than a hundredth of it.
const MOST: usize = 40_000_000;

impl Default for Effort {
    fn default() -> Self {
        Self { left: MOST }
    }
}

impl Effort {
    /// Spends as much as a comparison, or a written text of as many bytes, takes. `false` if nothing is left.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        self.left = self.left.saturating_sub(cost.saturating_add(1));
        !self.is_spent()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
