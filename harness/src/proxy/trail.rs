//! The way to an item of a request. Several sessions may have one key and one task, so what their users say does not
//! tell them apart: what the model was shown to call does, and the names of its calls.

use balk_guards::Completion;

use crate::listen::path::{Item, Path, Said, is_counted};

/// The way to an item of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trail {
    /// Where the requests of its conversation begin.
    pub(super) root: Path,
    /// What the user said, what was called, and how many results came: what stays when agents cut old results and give
    /// calls other names.
    pub(super) path: Path,
    /// All that is shown.
    pub(super) whole: Path,
}

impl Trail {
    /// The way to nothing yet.
    pub(super) fn of(root: Path) -> Self {
        Self { root, path: root, whole: root }
    }

    /// The ways to these items, which come behind this one.
    pub(super) fn to(mut self, items: &[Item]) -> Vec<Self> {
        let then = |item: &Item| {
            self = self.then(item);
            self
        };
        items.iter().map(then).collect()
    }

    fn then(self, item: &Item) -> Self {
        let Self { root, path, whole } = item.after.as_ref().map_or(self, |it| self.after(it));
        let whole = match &item.said {
            Said::User(_) => whole,
            Said::Result { text, .. } => whole.with(text.as_bytes()),
        };
        Self { root, path: path.then(&item.said), whole: whole.then(&item.said) }
    }

    /// The way behind this answer.
    pub(super) fn after(mut self, answer: &Completion) -> Self {
        for text in answer.texts() {
            self.whole = self.whole.with(text.as_bytes());
        }
        for call in &answer.calls {
            let key = call.key.folded().to_le_bytes();
            self.path = self.path.with(&key);
            self.whole = self.whole.with(&key);
            if !is_counted(&call.id) {
                self.whole = self.whole.with(call.id.as_bytes());
            }
        }
        self
    }

    /// The way behind the answer with this id, of which a request shows no more.
    pub(super) fn follows(self, id: &str) -> Self {
        Self { whole: self.whole.with(id.as_bytes()), ..self }
    }
}
