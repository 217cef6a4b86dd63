//! A model that gives up on a failure that may pass, and tries no more though the user comes back to it.
//!
//! Who stops after one time-out and says why has told the truth. Who says so again has not looked: whether it has
//! passed is known by trying. After a few tries it is the user's turn, so the model may say it as often as they ask.

use serde::{Deserialize, Serialize};

use super::dispute::is_excused;
use crate::failure::is_failure;
use crate::search::has_question_mark;
use balk_contract::reading::Prospect;
use balk_contract::{Origin, ToolResult};

/// Tries after which the model has done its part. Client libraries try three times (`docs/costs.md`, clients in an
/// outage).
const TRIES: u8 = 3;
/// Messages that give up before one is a mistake.
const TEXTS: u8 = 2;

/// The last failure, if it may pass, and what the model says of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Outage {
    /// Calls in a row that failed so.
    tries: u8,
    /// Messages in a row since the last of them that say that it cannot be done, or why.
    texts: u8,
}

impl Outage {
    /// A call has a result.
    pub(super) fn observe(&mut self, result: &ToolResult) {
        let may_pass = || result.text.reading().prospect == Prospect::Passing;
        let goes_on = result.origin == Origin::Executed && is_failure(result) && may_pass();
        *self = Self { tries: if goes_on { self.tries.saturating_add(1) } else { 0 }, texts: 0 };
    }

    /// The model says this in place of a call.
    pub(super) fn say(&mut self, text: &str) {
        let gives_up = (1..TRIES).contains(&self.tries) && !has_question_mark(text) && is_excused(text);
        self.texts = if gives_up { self.texts.saturating_add(1) } else { 0 };
    }

    /// Whether the last text gives up once more, and nothing was tried in between.
    pub(super) fn is_given_up_again(self) -> bool {
        self.texts >= TEXTS
    }
}
