//! How much work the warnings about one file may be.

/// What was spent of it. Some checks compare every rule, call or transition with every other one, and a long file would
/// keep them busy for hours.
#[derive(Debug, Default)]
pub(super) struct Effort {
    spent: usize,
}

/// A few seconds. A file of the catalogue takes less than a hundredth of it.
pub(super) const MOST: usize = 40_000_000;

impl Effort {
    /// Spends as much as a comparison, or a written text of as many bytes, takes. `false` if nothing is left.
    pub(super) fn spend(&mut self, cost: usize) -> bool {
        self.spent = self.spent.saturating_add(cost).saturating_add(1);
        !self.is_spent()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.spent >= MOST
    }

    /// What was spent so far, also in vain.
    #[cfg(test)]
    pub(super) fn spent(&self) -> usize {
        self.spent
    }
}
