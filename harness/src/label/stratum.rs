//! Which places of a run can be drawn, and from which part of the pool each comes.

use std::collections::BTreeMap;

use crate::import::Outcome;
use crate::replay::judged::WINDOW;
use crate::replay::{Event, Replayed, What};

/// A part of the pool. Each has its own chance to be drawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stratum {
    /// The first firing of a stretch.
    Firing {
        /// The guard and its rule.
        rule: String,
        /// Whether the source says that the run was resolved.
        resolved: bool,
    },
    /// A message of the assistant that is far from any firing.
    Decoy {
        /// Whether no guard fires in the whole run.
        quiet: bool,
        /// Whether the source says that the run was resolved.
        resolved: bool,
    },
}

impl Stratum {
    pub(super) fn is_decoy(&self) -> bool {
        match self {
            Self::Firing { .. } => false,
            Self::Decoy { .. } => true,
        }
    }
}

/// The places of a run, by the index of their message. A decoy is more than [`WINDOW`] messages of the assistant from
/// any firing, so a replay compares it with none. After the place where a guard would have ended the run, the guards
/// were asked nothing, so there is no place.
pub(super) fn places(run: &Replayed) -> Vec<(Stratum, usize)> {
    let resolved = match run.outcome {
        Outcome::Resolved => true,
        Outcome::Failed | Outcome::Unknown => false,
    };
    let fired = fired(run);
    let last = run.folded.end.map_or(usize::MAX, |end| end.message);
    let mut places = Vec::new();
    for (at, message) in run.replies.iter().copied().enumerate().take_while(|(_, message)| *message <= last) {
        if let Some(opens) = fired.get(&at) {
            places.extend(opens.clone().map(|rule| (Stratum::Firing { rule, resolved }, message)));
        } else if fired.range(at.saturating_sub(WINDOW)..=at + WINDOW).next().is_none() {
            places.push((Stratum::Decoy { quiet: fired.is_empty(), resolved }, message));
        }
    }
    places
}

/// The messages of the assistant at which a guard fires, counted from 0, with the rule where a stretch begins.
fn fired(run: &Replayed) -> BTreeMap<usize, Option<String>> {
    let mut fired: BTreeMap<usize, Option<String>> = BTreeMap::new();
    for Event { message, what, .. } in &run.folded.events {
        if let What::Fired(firing) = what
            && let Ok(at) = run.replies.binary_search(message)
        {
            let opens = fired.entry(at).or_default();
            if firing.opens_stretch {
                *opens = Some(format!("{} {}", firing.note.guard, firing.note.rule));
            }
        }
    }
    fired
}
