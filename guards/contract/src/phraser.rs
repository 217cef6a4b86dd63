//! A model's words for the explanation in a handoff (spec H5).
//!
//! A phraser is optional: every gap has an explanation from a template, and a [`Phraser`] may replace it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_core::de::IgnoredAny;

use crate::conclusion::{Conclusion, Gap};

mod plan;

/// Explains in its own words why a run cannot continue. It handles waiting and timeouts itself.
pub trait Phraser {
    /// One or two calm sentences for the user.
    ///
    /// # Errors
    /// Why it found no words: the template is used instead.
    fn phrase(&self, gap: &Gap) -> Result<String, String>;
}

/// The longest explanation, in characters.
pub const EXPLANATION_CHARS: usize = 400;

impl Conclusion {
    /// The same conclusion with the phraser's explanation, if there is a gap to explain and the words are [fit to be
    /// shown](sanitise). Nothing else changes, and no phraser can break it: an error or a panic is logged, and the
    /// template is used. (A program that aborts on panic still aborts.)
    #[must_use]
    pub fn phrased(mut self, phraser: &dyn Phraser) -> Self {
        let Some(gap) = &mut self.gap else { return self };
        match explanation(gap, phraser) {
            Ok(words) => {
                self.note.text = self.note.text.replacen(&*gap.explanation, &words, 1).into();
                gap.explanation = words;
            }
            Err(reason) => {
                log::warn!(target: "balk", "handoff: the explanation keeps its own words, for the phraser {reason}");
            }
        }
        self
    }
}

fn explanation(gap: &Gap, phraser: &dyn Phraser) -> Result<Arc<str>, String> {
    // Unwind-safe: a phraser only reads the gap, so a panic leaves nothing broken here.
    let phrased = catch_unwind(AssertUnwindSafe(|| phraser.phrase(gap)));
    let said = phrased.map_err(|payload| {
        // Dropping the panic's payload may panic again.
        std::mem::forget(payload);
        "panicked".to_owned()
    })?;
    let text = said.map_err(|error| format!("failed: {error}"))?;
    sanitise(&text).map(Arc::from).ok_or_else(|| "said nothing that a person could read".into())
}

/// Makes a model's prose fit to be shown: white space and control characters become single blanks, and text longer
/// than [`EXPLANATION_CHARS`] is cut. Returns `None` for anything that is not prose: JSON and other objects, lists
/// and tags, fenced code, a list of steps, and text without a letter or digit.
///
/// ```
/// use balk_contract::sanitise;
///
/// assert_eq!(sanitise(" The file is\n not there. ").as_deref(), Some("The file is not there."));
/// assert_eq!(sanitise(r#"Plan: {"steps": ["look again"]}"#), None);
/// assert_eq!(sanitise("1. Look again.\n2. Report."), None);
/// ```
#[must_use]
pub fn sanitise(text: &str) -> Option<String> {
    let is_prose = text.contains(char::is_alphanumeric)
        && !text.contains(['{', '}'])
        && !text.contains("```")
        && !text.contains("~~~")
        && !text.trim_start().starts_with(['[', '<'])
        && serde_json::from_str::<IgnoredAny>(text).is_err()
        && !plan::is_plan(text);
    if !is_prose {
        return None;
    }
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut line = words.collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = line.char_indices().nth(EXPLANATION_CHARS) {
        let last = line[..cut].char_indices().next_back().map_or(0, |(last, _)| last);
        line.truncate(last);
        line.push('…');
    }
    Some(line)
}
