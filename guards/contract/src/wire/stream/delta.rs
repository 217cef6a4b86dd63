//! What a piece of a stream adds to an answer.

/// What a piece of a stream adds to an answer, to be shown as it arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Text for the user.
    pub text: String,
    /// Thinking, for a host that shows it.
    pub thinking: String,
}

impl Delta {
    /// True if it adds nothing to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thinking.is_empty()
    }
}
