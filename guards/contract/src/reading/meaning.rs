//! What words of a result mean.

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Something failed.
    Failure,
    /// Something failed that may work later: a network, a lock, a limit of rate.
    Passing,
    /// A time ran out, which may be enough later, unless it was spent on waiting for a part of a page.
    Timeout,
    /// A part of a page or a window, which is there or not.
    Part,
    /// Something failed that stays so until something changes: a name, a form, a right.
    Lasting,
    /// In a failure that names nothing lasting, a sign that it may work later. By itself it is no failure.
    Hint,
    /// Something worked, if a line begins with it.
    Success,
    /// There was no failure: "no errors".
    Nothing,
    /// An exit status follows.
    Exit,
    /// Something failed, unless a count of zero follows.
    Counted,
}
