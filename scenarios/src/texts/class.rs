//! What a message means.

/// What a message of a tool means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The network, or a service behind it, failed for now.
    TransientNetwork,
    /// A file, a name, a package or a page does not exist.
    NotFound,
    /// The caller may not do it, or is not known.
    Permission,
    /// Something has to be installed, written or started first.
    MissingDependency,
    /// A program, a file or a command line is not well-formed.
    Syntax,
    /// Its parts do not fit each other.
    Type,
    /// It ran, and a check of its outcome failed.
    Assertion,
    /// It contradicts something that exists.
    Conflict,
    /// A limit of time, space, size or rate is reached.
    Limit,
    /// Somebody else holds a lock, a port or a device.
    Busy,
    /// It worked, and there is nothing to show.
    Empty,
    /// It worked.
    Success,
    /// It worked, and names a failure or an error on the way.
    SuccessMentionsFailure,
    /// It is still at work.
    Progress,
}

impl Class {
    /// All classes, in the order of tables.
    pub const ALL: [Self; 14] = [
        Self::TransientNetwork,
        Self::NotFound,
        Self::Permission,
        Self::MissingDependency,
        Self::Syntax,
        Self::Type,
        Self::Assertion,
        Self::Conflict,
        Self::Limit,
        Self::Busy,
        Self::Empty,
        Self::Success,
        Self::SuccessMentionsFailure,
        Self::Progress,
    ];

    /// Its name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TransientNetwork => "transient-network",
            Self::NotFound => "not-found",
            Self::Permission => "permission",
            Self::MissingDependency => "missing-dependency",
            Self::Syntax => "syntax",
            Self::Type => "type",
            Self::Assertion => "assertion",
            Self::Conflict => "conflict",
            Self::Limit => "limit",
            Self::Busy => "busy",
            Self::Empty => "empty",
            Self::Success => "success",
            Self::SuccessMentionsFailure => "success-mentions-failure",
            Self::Progress => "progress",
        }
    }

    /// Of a failure: whether the same call may work later, though nobody changes anything. `None` for a limit, which
    /// may be one of rate or of space, for a check, which may be flaky, and for what is no failure.
    #[must_use]
    pub const fn passes(self) -> Option<bool> {
        match self {
            Self::TransientNetwork | Self::Busy => Some(true),
            Self::NotFound
            | Self::Permission
            | Self::MissingDependency
            | Self::Syntax
            | Self::Type
            | Self::Conflict => Some(false),
            Self::Assertion
            | Self::Limit
            | Self::Empty
            | Self::Success
            | Self::SuccessMentionsFailure
            | Self::Progress => None,
        }
    }

    /// Whether the tool did not do what it was asked to do.
    #[must_use]
    pub const fn fails(self) -> bool {
        match self {
            Self::TransientNetwork
            | Self::NotFound
            | Self::Permission
            | Self::MissingDependency
            | Self::Syntax
            | Self::Type
            | Self::Assertion
            | Self::Conflict
            | Self::Limit
            | Self::Busy => true,
            Self::Empty | Self::Success | Self::SuccessMentionsFailure | Self::Progress => false,
        }
    }
}
