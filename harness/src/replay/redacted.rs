//! Replayed transcripts without their contents.

use super::fold::What;
use super::own::Action;
use super::run::{Found, Item};
use crate::redact;

impl Item {
    /// The same, but lengths replace what guards would say, since it can quote the transcript, and what a bad
    /// line quotes. The entries stay as they are: the code that shows one redacts it.
    #[must_use]
    pub fn redacted(mut self) -> Self {
        match &mut self.found {
            Ok(Found::Foreign(it)) => {
                for event in &mut it.folded.events {
                    match &mut event.what {
                        What::Fired(firing) => redact::note(&mut firing.note),
                        What::Rerun { .. } | What::Resend { .. } => {}
                    }
                }
                if let Some((_, fault)) = &mut it.folded.fault {
                    fault.reason = redact::text(&fault.reason);
                }
            }
            Ok(Found::Own(it)) => {
                for compared in &mut it.answers {
                    compared.recorded.iter_mut().chain(&mut compared.found).for_each(action);
                }
                if let Some((_, fault)) = &mut it.fault {
                    fault.reason = redact::text(&fault.reason);
                }
            }
            Err(bad) => bad.redact(),
        }
        self
    }
}

fn action(it: &mut Action) {
    match it {
        Action::Intervened(it) => redact::intervention(it),
        Action::Concluded(it) => redact::conclusion(it),
        Action::Broke { why } => *why = redact::text(why),
        Action::Reran { .. } | Action::Resent { .. } => {}
    }
}
