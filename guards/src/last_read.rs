//! What was found in the texts that were read last. Guards look at one text one after another, and before a result is
//! committed and after it: what they all ask about it is found once.

use std::cell::RefCell;
use std::sync::Arc;

/// What was found last, and in which texts. Each thread keeps one of a kind, and its texts until it reads others.
/// Nothing but time depends on it.
pub(crate) struct LastRead<const TEXTS: usize, T>(RefCell<Option<([Arc<str>; TEXTS], T)>>);

impl<const TEXTS: usize, T: Clone> LastRead<TEXTS, T> {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(None))
    }

    /// What is found in these texts. They are the same as before if they are the same memory, which a kept text holds.
    pub(crate) fn of(&self, texts: [&Arc<str>; TEXTS], find: impl FnOnce() -> T) -> T {
        if let Some((known, found)) = &*self.0.borrow()
            && known.iter().zip(texts).all(|(known, text)| Arc::ptr_eq(known, text))
        {
            return found.clone();
        }
        let found = find();
        *self.0.borrow_mut() = Some((texts.map(Arc::clone), found.clone()));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_reads_the_same_texts_twice_and_other_texts_are_read() {
        let [one, other, equal] = ["one", "other", "one"].map(Arc::<str>::from);
        let last = LastRead::new();
        assert_eq!(last.of([&one, &other], || 1), 1);
        assert_eq!(last.of([&one, &other], || unreachable!("it is known")), 1);
        for (texts, found) in [([&other, &one], 2), ([&equal, &other], 3), ([&one, &other], 4)] {
            assert_eq!(last.of(texts, || found), found);
        }
    }
}
