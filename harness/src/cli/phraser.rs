//! `--phraser`: a command that explains in its own words why a run cannot go on (spec H5).
//!
//! Only the person who reads sees these words. The trial, its record, the events and the report keep the words of the
//! template, so they remain a function of scenario, guards, seed and version.

mod child;

use std::sync::Arc;

use balk_guards::{Conclusion, Entry, Intervention, Note, Phraser};

pub(super) use child::Child;

/// Puts a phraser's words into the entries that are shown.
pub(super) struct Phrased<'p> {
    phraser: Option<&'p dyn Phraser>,
    /// The original words, and their replacement.
    words: Option<(Arc<str>, Arc<str>)>,
}

impl<'p> Phrased<'p> {
    /// Without a phraser, nothing changes.
    pub(super) fn new(phraser: Option<&'p dyn Phraser>) -> Self {
        Self { phraser, words: None }
    }

    /// The next entry as it is shown. The phraser is asked about a conclusion with a gap; later entries that repeat
    /// the conclusion repeat the phraser's words.
    pub(super) fn entry(&mut self, entry: &Entry) -> Entry {
        match entry {
            Entry::Conclusion(conclusion) => Entry::Conclusion(self.conclusion(conclusion)),
            Entry::Intervention(intervention) => Entry::Intervention(self.intervention(intervention)),
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Completion(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Result(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::End(_) => entry.clone(),
        }
    }

    fn conclusion(&mut self, conclusion: &Arc<Conclusion>) -> Arc<Conclusion> {
        let Some(phraser) = self.phraser else { return Arc::clone(conclusion) };
        let phrased = Conclusion::clone(conclusion).phrased(phraser);
        self.words = Some((Arc::clone(&conclusion.note.text), Arc::clone(&phrased.note.text)));
        Arc::new(phrased)
    }

    /// A notice is the conclusion's text followed by the options; a question is the text alone.
    fn intervention(&self, intervention: &Intervention) -> Intervention {
        let text = self.words.as_ref().and_then(|(from, to)| {
            let rest = intervention.note.text.strip_prefix(&**from)?;
            Some(format!("{to}{rest}").into())
        });
        let note = intervention.note.clone();
        match text {
            Some(text) => Intervention { note: Note { text, ..note }, ..intervention.clone() },
            None => intervention.clone(),
        }
    }
}
