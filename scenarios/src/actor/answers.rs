//! What was answered to an actor, and which answer was the latest failure and which the latest success.

use std::sync::Arc;

use balk_contract::reading::Reading;

/// An answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) text: Arc<str>,
    /// Whether the call failed, where that is known from the world. Else the words say it.
    pub(super) failed: Option<bool>,
}

impl Answer {
    pub(super) fn failed(&self) -> bool {
        self.failed.unwrap_or_else(|| Reading::of(&self.text).failed)
    }
}

/// The latest failure and the latest success. To read an answer takes longer than most of what an actor does, and few
/// actors ask, so answers wait unread until one does.
#[derive(Clone, Debug, Default)]
pub(super) struct Latest {
    error: Option<Arc<str>>,
    success: Option<Arc<str>>,
    /// The answers since these two. Copies share them: a server keeps an actor for each act.
    unread: Option<Arc<Unread>>,
}

/// An answer, and those before it.
#[derive(Debug)]
struct Unread {
    answer: Answer,
    before: Option<Arc<Unread>>,
    count: usize,
}

/// When so many answers are unread, they are read: a conversation may have any number of them.
const MOST: usize = 64;

impl Latest {
    pub(super) fn add(&mut self, answer: Answer) {
        let before = self.unread.take();
        let count = before.as_ref().map_or(1, |it| it.count + 1);
        self.unread = Some(Arc::new(Unread { answer, before, count }));
        if count == MOST {
            self.read();
        }
    }

    /// The latest failure and the latest success.
    pub(super) fn read(&mut self) -> [Option<&str>; 2] {
        let (mut error, mut success) = (None, None);
        let unread = self.unread.take();
        let mut next = unread.as_deref();
        while let Some(Unread { answer, before, .. }) = next
            && (error.is_none() || success.is_none())
        {
            let latest = if answer.failed() { &mut error } else { &mut success };
            latest.get_or_insert_with(|| answer.text.clone());
            next = before.as_deref();
        }
        self.error = error.or(self.error.take());
        self.success = success.or(self.success.take());
        [self.error.as_deref(), self.success.as_deref()]
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_latest_of_each_kind_is_found_whenever_it_is_read(
            answers in vec((any::<bool>(), prop::bool::weighted(0.02)), 0..300),
        ) {
            let mut latest = Latest::default();
            let mut expected = [None, None];
            for (at, (failed, is_read)) in answers.into_iter().enumerate() {
                let text = at.to_string();
                expected[usize::from(!failed)] = Some(text.clone());
                latest.add(Answer { text: text.into(), failed: Some(failed) });
                prop_assert!(latest.unread.as_ref().is_none_or(|it| it.count < MOST));
                if is_read {
                    let found = latest.read().map(|it| it.map(str::to_owned));
                    prop_assert_eq!(&found, &expected);
                }
            }
            prop_assert_eq!(latest.read().map(|it| it.map(str::to_owned)), expected);
        }
    }

    #[test]
    fn words_say_what_failed_where_the_world_does_not() {
        let mut latest = Latest::default();
        for text in ["wrote 3 bytes", "error: no such file: a"] {
            latest.add(Answer { text: text.into(), failed: None });
        }
        assert_eq!(latest.read(), [Some("error: no such file: a"), Some("wrote 3 bytes")]);
    }
}
