//! What a stack is in a comparison.

/// What a stack is in a comparison. It decides about the shape of its mark, and about its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Guards of this project, or of the user.
    Ours,
    /// Rules of another agent.
    Peer,
    /// Something to measure the others by, such as no guard at all.
    Yardstick,
}

impl Role {
    /// All roles, in the order of a legend.
    pub const ALL: [Self; 3] = [Self::Ours, Self::Peer, Self::Yardstick];

    /// The name in a legend.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ours => "guards under test",
            Self::Peer => "rules of other agents",
            Self::Yardstick => "yardsticks",
        }
    }

    /// The name in markup.
    pub(in crate::report::document) const fn class(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Peer => "peer",
            Self::Yardstick => "yardstick",
        }
    }
}
