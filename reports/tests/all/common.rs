//! What several tests share.

pub(crate) mod live;
pub(crate) mod parsed;
pub(crate) mod small;
pub(crate) mod with_text;
