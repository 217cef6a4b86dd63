//! The maximum lengths of kept texts.

/// Characters of an error.
pub(super) const ERROR_CHARS: usize = 300;
/// Characters of a name.
pub(super) const NAME_CHARS: usize = 120;
/// Characters of the user's message.
pub(super) const REQUEST_CHARS: usize = 2_000;
