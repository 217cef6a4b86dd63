//! Words of a model for a handoff's explanation (spec H5).
//!
//! Nothing here needs one: a gap comes with an explanation made of a template, and that stands unless a
//! [`Phraser`] gives something better.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::de::IgnoredAny;

use crate::conclusion::{Conclusion, Gap};

/// Says in its own words why a run cannot go on. It does its own waiting, and its own giving up.
pub trait Phraser {
    /// One or two calm sentences for the person who asked.
    ///
    /// # Errors
    /// Whatever kept it from finding words: the template stands then.
    fn phrase(&self, gap: &Gap) -> Result<String, String>;
}

/// The longest explanation, in characters.
pub const EXPLANATION_CHARS: usize = 400;

impl Conclusion {
    /// The same with the explanation in the phraser's words, where there is a gap to explain and the words are
    /// [fit to be shown](sanitise). All else stays as it is, and nothing that the phraser does can break it: an
    /// error and a panic are logged, and the template stands. (A program that aborts on panic cannot be helped.)
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
    // What a phraser leaves behind when it panics is its own affair: it only reads the gap.
    let phrased = catch_unwind(AssertUnwindSafe(|| phraser.phrase(gap)));
    let said = phrased.map_err(|payload| {
        // Dropping what was thrown may panic again.
        std::mem::forget(payload);
        "panicked".to_owned()
    })?;
    let text = said.map_err(|error| format!("failed: {error}"))?;
    sanitise(&text).map(Arc::from).ok_or_else(|| "said nothing that a person could read".into())
}

/// A model's prose made fit to be shown: white space and control characters become single blanks, and what is
/// longer than [`EXPLANATION_CHARS`] is cut. Nothing, for what is no prose: JSON and other objects, lists and
/// tags, fenced code, and text without a letter or digit.
///
/// ```
/// use balk_contract::sanitise;
///
/// assert_eq!(sanitise(" The file is\n not there. ").as_deref(), Some("The file is not there."));
/// assert_eq!(sanitise(r#"Plan: {"steps": ["look again"]}"#), None);
/// ```
#[must_use]
pub fn sanitise(text: &str) -> Option<String> {
    let is_prose = text.contains(char::is_alphanumeric)
        && !text.contains(['{', '}'])
        && !text.contains("```")
        && !text.contains("~~~")
        && !text.trim_start().starts_with(['[', '<'])
        && serde_json::from_str::<IgnoredAny>(text).is_err();
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
