//! How much is measured.

/// Conversations that are open, or that are played at once.
pub(crate) const CONVERSATIONS: usize = 1_000;
pub(crate) const TURNS: usize = 20;
/// Clients that send one request at a time, when the time of a single one is measured.
pub(crate) const PACED: usize = 2;
