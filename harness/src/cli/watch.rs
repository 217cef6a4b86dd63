//! What happens to each entry of a run as it is committed: it is shown, and taken down.

use std::io::{self, Write};

use balk_guards::Entry;
use balk_reports::{Chat, EntryRecord};

use super::events::Events;

/// Who looks on.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) shown: Option<Shown>,
    pub(super) events: Option<Events>,
    failed: Option<io::Error>,
}

/// A chat, and where it is shown.
pub(super) struct Shown {
    pub(super) chat: Chat,
    pub(super) to: Box<dyn Write + Send>,
}

impl Watch {
    /// Takes up one entry. A failure is kept: a run does not end because nobody can look on.
    pub(super) fn see(&mut self, entry: &Entry) {
        if let Err(error) = self.take(&EntryRecord::from(entry)) {
            self.failed.get_or_insert(error);
        }
    }

    fn take(&mut self, entry: &EntryRecord) -> io::Result<()> {
        // The log comes first: it must have what was shown.
        if let Some(events) = &mut self.events {
            events.entry(entry.clone())?;
        }
        if let Some(Shown { chat, to }) = &mut self.shown {
            to.write_all(chat.entry(entry).as_bytes())?;
        }
        Ok(())
    }

    /// The first failure, if there was one.
    ///
    /// # Errors
    /// An output that took no more.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}
