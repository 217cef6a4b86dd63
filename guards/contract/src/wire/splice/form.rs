//! How a dialect writes messages, and what is written.

/// Who speaks in an element of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) enum Side {
    /// The user and the tools.
    User,
    Model,
    /// Instructions, which are no part of the messages.
    Apart,
}

/// How a dialect writes messages.
pub(in crate::wire) struct Form {
    /// The name of the list in the request.
    pub(in crate::wire) list: &'static str,
    /// The name of the list of parts in an element.
    pub(in crate::wire) parts: &'static str,
    /// A part out of the JSON string that some clients write in place of a list.
    pub(in crate::wire) of_text: fn(&str) -> String,
    /// How messages share elements, if they do.
    pub(in crate::wire) sharing: Option<Sharing>,
}

/// How messages share the elements of the list.
pub(in crate::wire) struct Sharing {
    /// Whether only results do, and not all neighbours of one side.
    pub(in crate::wire) only_results: bool,
    /// An element without parts.
    pub(in crate::wire) frame: fn(Side) -> String,
    /// The part before a first message that cannot come first.
    pub(in crate::wire) opening: String,
}

/// A new message.
pub(in crate::wire) struct New {
    pub(in crate::wire) side: Side,
    pub(in crate::wire) is_result: bool,
    /// Whether it cannot come first.
    pub(in crate::wire) needs_opening: bool,
    /// The parts of an element or, where no elements are shared, elements.
    pub(in crate::wire) texts: Vec<String>,
}

impl New {
    /// Elements of their own.
    pub(in crate::wire) const fn elements(texts: Vec<String>) -> Self {
        Self { side: Side::Apart, is_result: false, needs_opening: false, texts }
    }
}
