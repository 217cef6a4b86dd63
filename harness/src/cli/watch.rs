//! Shows and logs each entry of a run as it is committed.

use std::io::Write;

use balk_guards::{Entry, Phraser};
use balk_reports::records::EntryRecord;
use balk_reports::report::Chat;

use super::events::Events;
use super::phraser::Phrased;
use crate::error::Error;

/// The observer of a run.
pub(super) struct Watch<'p> {
    events: Option<Events>,
    shown: Option<(Chat, Phrased<'p>, Box<dyn Write + Send>)>,
    failed: Option<Error>,
}

impl<'p> Watch<'p> {
    /// An observer with an optional log.
    pub(super) fn new(events: Option<Events>) -> Self {
        Self { events, shown: None, failed: None }
    }

    /// From now on also shows the entries, in the phraser's words if there is a phraser.
    pub(super) fn show(&mut self, chat: Chat, phraser: Option<&'p dyn Phraser>, to: Box<dyn Write + Send>) {
        self.shown = Some((chat, Phrased::new(phraser), to));
    }

    /// Handles one entry. A failure is kept for later: a run does not end because it cannot be watched.
    pub(super) fn see(&mut self, entry: &Entry) {
        let recorded = EntryRecord::from(entry);
        // The log comes first, so it has everything that was shown. If the log cannot be written, the entry is still
        // shown.
        let logged = self.events.as_mut().map(|events| events.entry(recorded));
        let shown = self.shown.as_mut().map(|(chat, phrased, to)| {
            let entry = EntryRecord::from(&phrased.entry(entry));
            to.write_all(chat.entry(&entry).as_bytes()).map_err(Error::from)
        });
        for error in [logged, shown].into_iter().flatten().filter_map(Result::err) {
            self.failed.get_or_insert(error);
        }
    }

    /// The first failure, if there was one.
    ///
    /// # Errors
    /// An output that could not be written.
    pub(super) fn finish(self) -> Result<(), Error> {
        self.failed.map_or(Ok(()), Err)
    }
}
