//! Evidence of progress: the measure by which a budget is given back.
//!
//! A turn is *productive* if one of its calls ran, did not fail, is not still in progress, and brought something new
//! (spec P1): an answer that was not there before, if the call only reads; else a call or an answer that was not there
//! before, because a call that may have changed something need not answer. A message of the user or of the model is no
//! evidence, and neither is a refused call.
//!
//! | given back | after so many productive turns |
//! |---|---|
//! | one correction | [`CORRECTION_TURNS`] since the last one |
//! | one question | [`QUESTION_TURNS`] since the last one |
//!
//! Where nothing moves, only so many answers are new as are remembered. So a budget that only evidence refills ends.

use std::collections::VecDeque;

use serde_core::de::{Deserialize, Deserializer, Error};
use serde_core::ser::{Serialize, Serializer};

use crate::entry::{Entry, Origin, ToolResult};
use crate::offer::Effect;

/// Productive turns since the last correction that give one back. At the highest recorded rate a stretch without
/// progress begins in every 20th turn (`docs/reactions.md#onset`), and a model is seldom brought back by more than
/// three corrections (`docs/reactions.md#later-corrections`): the other 17 turns have to give back three.
pub const CORRECTION_TURNS: u32 = 5;
/// Productive turns since the last question that give one back: at the highest recorded rate, those between two
/// stretches without progress (`docs/reactions.md#onset`).
pub const QUESTION_TURNS: u32 = 20;
/// How many results are remembered, as many as a guard remembers calls. One that comes again after so many others
/// counts as new.
const RESULTS: usize = 64;

/// Tells productive turns from others; see the [module](self).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Digests of the last distinct results, newest last.
    seen: VecDeque<u64>,
    /// Whether the current turn is known to be productive.
    is_productive: bool,
}

impl Evidence {
    /// Folds one entry. True if it makes the current turn productive; once in a turn.
    pub fn observe(&mut self, entry: &Entry) -> bool {
        match entry {
            Entry::Completion(_) => {
                self.is_productive = false;
                false
            }
            Entry::Result(result) => {
                let was_productive = self.is_productive;
                self.is_productive |= self.is_new(result) && !result.text.goes_on() && !result.is_failure();
                self.is_productive && !was_productive
            }
            Entry::Start(_)
            | Entry::User(_)
            | Entry::Failed(_)
            | Entry::Tried(_)
            | Entry::Intervention(_)
            | Entry::Answer(_)
            | Entry::Compaction(_)
            | Entry::Conclusion(_)
            | Entry::End(_) => false,
        }
    }

    /// Whether a call that ran brought something that is not remembered; it is from now on.
    fn is_new(&mut self, result: &ToolResult) -> bool {
        if result.origin != Origin::Executed {
            return false;
        }
        let answer = result.text.key().folded();
        let digest = match result.call.effect {
            Effect::ReadOnly => answer,
            Effect::IdempotentWrite | Effect::Write | Effect::External | Effect::Unknown => {
                answer ^ result.call.key.folded().rotate_left(32)
            }
        };
        if self.seen.contains(&digest) {
            return false;
        }
        if self.seen.len() == RESULTS {
            self.seen.pop_front();
        }
        self.seen.push_back(digest);
        true
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { seen, is_productive } = self;
        (seen, is_productive).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (seen, is_productive) = <(VecDeque<u64>, bool)>::deserialize(deserializer)?;
        if seen.len() > RESULTS {
            return Err(D::Error::custom(format!(
                "expected at most {RESULTS} results, found {}",
                seen.len()
            )));
        }
        Ok(Self { seen, is_productive })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::completion::{Completion, RawCall, ToolCall};
    use crate::entry::Status;
    use crate::offer::{Offer, Tool};

    fn result(effect: Effect, arguments: &str, status: Status, text: &str) -> ToolResult {
        let offer = Offer::new([Tool { effect, ..Tool::new("t") }]);
        let raw = RawCall { id: "c".into(), tool: "t".into(), arguments: arguments.into() };
        ToolResult::executed(&Arc::new(ToolCall::new(raw, &offer)), status, text)
    }

    /// Whether each result makes a turn of its own productive.
    #[track_caller]
    fn check(cases: &[(ToolResult, bool)]) {
        let mut evidence = Evidence::default();
        for (result, expected) in cases {
            evidence.observe(&Entry::Completion(Arc::new(Completion::default())));
            let found = evidence.observe(&Entry::Result(result.clone()));
            assert_eq!(found, *expected, "{result:?}");
        }
    }

    #[test]
    fn p1_what_only_reads_has_to_answer_something_new() {
        let read = |arguments, text| result(Effect::ReadOnly, arguments, Status::Ok, text);
        check(&[
            (read("[1]", "a"), true),
            (read("[1]", "a"), false),
            (read("[2]", "a"), false),
            (read("[2]", "b"), true),
            (read("[2]", "still running (7 %)"), false),
        ]);
    }

    #[test]
    fn p1_what_may_change_something_need_not_answer() {
        for effect in [Effect::IdempotentWrite, Effect::Write, Effect::External, Effect::Unknown] {
            let write = |arguments| result(effect, arguments, Status::Ok, "");
            check(&[(write("[1]"), true), (write("[1]"), false), (write("[2]"), true)]);
        }
    }

    #[test]
    fn p1_a_failure_is_no_evidence_and_neither_is_what_did_not_run() {
        let of = |status, text| result(Effect::Write, "[1]", status, text);
        let refused = ToolResult { origin: Origin::Synthetic, ..of(Status::Ok, "c") };
        check(&[
            (of(Status::Error, "no"), false),
            (of(Status::Unknown, "exit code 1"), false),
            (refused, false),
            (of(Status::Unknown, "exit code 0"), true),
        ]);
    }

    #[test]
    fn p4_a_turn_is_productive_once_and_a_circle_once_round() {
        let mut evidence = Evidence::default();
        let mut productive = 0;
        for nth in 0..1_000 {
            evidence.observe(&Entry::Completion(Arc::new(Completion::default())));
            for part in ["a", "b"] {
                let text = format!("{part}{}", nth % (RESULTS / 2));
                let result = result(Effect::ReadOnly, "[]", Status::Ok, &text);
                productive += u32::from(evidence.observe(&Entry::Result(result)));
            }
        }
        assert_eq!(productive, 32);
    }
}
