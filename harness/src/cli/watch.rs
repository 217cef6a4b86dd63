//! What happens to each entry of a run as it is committed: it is shown, and taken down.

use std::io::{self, Write};

use balk_guards::{Entry, Phraser};
use balk_reports::records::EntryRecord;
use balk_reports::report::Chat;

use super::events::Events;
use super::phraser::Phrased;

/// Who looks on.
pub(super) struct Watch<'p> {
    events: Option<Events>,
    shown: Option<(Chat, Phrased<'p>, Box<dyn Write + Send>)>,
    failed: Option<io::Error>,
}

impl<'p> Watch<'p> {
    /// A log, or nobody.
    pub(super) fn new(events: Option<Events>) -> Self {
        Self { events, shown: None, failed: None }
    }

    /// Shows the entries there from now on, in the phraser's words where it has any.
    pub(super) fn show(&mut self, chat: Chat, phraser: Option<&'p dyn Phraser>, to: Box<dyn Write + Send>) {
        self.shown = Some((chat, Phrased::new(phraser), to));
    }

    /// Takes up one entry. A failure is kept: a run does not end because nobody can look on.
    pub(super) fn see(&mut self, entry: &Entry) {
        let recorded = EntryRecord::from(entry);
        // The log comes first: it must have what was shown. Where it takes nothing, the entry is shown all the same.
        let logged = self.events.as_mut().map(|events| events.entry(recorded));
        let shown = self.shown.as_mut().map(|(chat, phrased, to)| {
            let entry = EntryRecord::from(&phrased.entry(entry));
            to.write_all(chat.entry(&entry).as_bytes())
        });
        for error in [logged, shown].into_iter().flatten().filter_map(Result::err) {
            self.failed.get_or_insert(error);
        }
    }

    /// The first failure, if there was one.
    ///
    /// # Errors
    /// An output that took no more.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), Err)
    }
}
