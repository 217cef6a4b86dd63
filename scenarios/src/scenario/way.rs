//! The ways out of being stuck.

/// A way out of being stuck: one that a correction offers, or one that works in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Look at the cause.
    Inspect,
    /// Change what is sent.
    Change,
    /// Use another tool.
    Tool,
    /// Wait.
    Wait,
    /// Ask the user.
    Ask,
    /// Say plainly that it cannot be done.
    Tell,
    /// Make the call instead of talking about it.
    Call,
    /// Say, or declare, that it is done.
    Finish,
    /// Begin again, and shorter.
    Shorten,
    /// Send the same again.
    Again,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Inspect,
        Self::Change,
        Self::Tool,
        Self::Wait,
        Self::Ask,
        Self::Tell,
        Self::Call,
        Self::Finish,
        Self::Shorten,
        Self::Again,
    ];

    /// Its name in a file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::Change => "change",
            Self::Tool => "tool",
            Self::Wait => "wait",
            Self::Ask => "ask",
            Self::Tell => "tell",
            Self::Call => "call",
            Self::Finish => "finish",
            Self::Shorten => "shorten",
            Self::Again => "again",
        }
    }
}
