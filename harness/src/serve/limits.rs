//! What clients can make a server read and keep.

use std::time::Duration;

/// What clients can make a server read and keep, whatever they send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body.
    pub body: usize,
    /// How long a client may take to send a body.
    pub read: Duration,
    /// About how many bytes all conversations may take. Then every request is refused until one is reset.
    pub kept: usize,
}

impl Default for Limits {
    /// Far more than any agent sends.
    fn default() -> Self {
        Self { body: 32 << 20, read: Duration::from_secs(30), kept: 1 << 30 }
    }
}
