//! The end of a text that arrives in pieces.

/// Bytes that are kept at least: the reach of a seeker, a block, and what is looked at before an anchor.
pub(super) const KEPT: usize = 16 * 1_024;

/// The last bytes of a text, by their place in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Recent {
    bytes: Vec<u8>,
    /// The place of the first of them.
    oldest: usize,
}

impl Recent {
    /// Adds text. Bytes before `done` may be forgotten.
    pub(super) fn push(&mut self, piece: &[u8], done: usize) {
        if self.bytes.len() >= 2 * KEPT {
            let gone = self.bytes.len().saturating_sub(KEPT).min(done - self.oldest);
            self.bytes.drain(..gone);
            self.oldest += gone;
        }
        self.bytes.extend_from_slice(piece);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.oldest = 0;
    }

    pub(super) fn oldest(&self) -> usize {
        self.oldest
    }

    /// Where the text ends.
    pub(super) fn end(&self) -> usize {
        self.oldest + self.bytes.len()
    }

    /// The bytes from one place to another.
    pub(super) fn span(&self, from: usize, to: usize) -> &[u8] {
        &self.bytes[from - self.oldest..to - self.oldest]
    }
}
