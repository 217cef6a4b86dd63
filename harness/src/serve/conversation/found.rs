//! The place that a request is at, and what tells the answers of a conversation apart.

use balk_guards::Completion;

use super::super::record::History;
use crate::listen::path::{Path, is_counted};

/// Where a request goes on, how its history differs, and the place that it is at.
pub(super) struct Found {
    pub(super) goes: Goes,
    pub(super) history: Option<History>,
    pub(super) path: Path,
}

/// Where a request goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    /// At the start.
    Start,
    /// After this act, of which so many items are known.
    After(usize, usize),
}

/// What tells the answer of an act from others, as it is shown: the ids of its calls, and what it says.
pub(super) fn marks(shown: &Completion) -> [Option<Path>; 2] {
    let calls = &shown.calls;
    let has_ids = !calls.is_empty() && !calls.iter().any(|it| is_counted(&it.id));
    let ids = has_ids.then(|| calls.iter().fold(Path::of("ids"), |mark, it| mark.with(it.id.as_bytes())));
    let says = if calls.is_empty() {
        let texts = shown.texts().map(|it| &**it).collect::<String>();
        (!texts.is_empty()).then(|| Path::of("texts").with(texts.as_bytes()))
    } else {
        let keys = calls.iter().map(|it| it.key.folded().to_le_bytes());
        Some(keys.fold(Path::of("calls"), |mark, key| mark.with(&key)))
    };
    [ids, says]
}
