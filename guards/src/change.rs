//! What a result says about changes: the one definition of "something changed" that all guards share.
//!
//! An unknown status or effect counts as a possible change; on recorded runs this is the difference between 1 and 33
//! firings in one source (`docs/labels.md#unknown-status`). A result without a status that reads like a failure changed
//! nothing, like one with a status, and neither did a write whose answer says so. Whether a run makes *progress* is
//! another question; `progress` answers it from what is new.

use crate::failure::is_failure;
use balk_contract::{Effect, Origin, Status, ToolResult};

/// What a call changed, according to its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Nothing: the call never ran, only read, or failed.
    Nothing,
    /// Perhaps something: no declared effect, no known status, or no result.
    Possible,
    /// What the tool declares: the call worked.
    Known,
}

impl Change {
    pub(crate) fn of(result: &ToolResult) -> Self {
        let effect = result.call.effect;
        match (result.origin, result.status) {
            (Origin::Synthetic, _) | (Origin::Executed, Status::Error) => Self::Nothing,
            _ if effect == Effect::ReadOnly => Self::Nothing,
            (Origin::Executed, _) if effect.is_known_change() && says_unchanged(&result.text) => {
                Self::Nothing
            }
            (Origin::Executed, Status::Ok) if effect.is_known_change() => Self::Known,
            (Origin::Executed, Status::Unknown) if is_failure(result) => Self::Nothing,
            (Origin::Executed, Status::Ok | Status::Unknown) | (Origin::Missing, _) => Self::Possible,
        }
    }
}

/// The longest answer, in bytes, that says nothing but that.
const ANSWER_BYTES: usize = 200;
/// How it begins, and how it ends.
const NOTHING: [&str; 3] = ["no change", "nothing to change", "nothing changed"];
const UNCHANGED: [&str; 4] = [" unchanged", "(unchanged", "up to date", " 0 lines changed"];

/// Whether a tool that changes things says that it changed nothing: one line that begins or ends so ("No changes needed
/// for 'a.py'", "a.py is up to date, 0 lines changed"). Other languages are known by what is written again.
fn says_unchanged(answer: &str) -> bool {
    let line = answer.trim_ascii().trim_end_matches(['.', '!', ')']).as_bytes();
    let starts =
        |with: &str| line.get(..with.len()).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()));
    let ends = |with: &str| {
        let from = line.len().checked_sub(with.len());
        from.and_then(|at| line.get(at..)).is_some_and(|it| it.eq_ignore_ascii_case(with.as_bytes()))
    };
    // All guards ask this about every answer, and for most of them one letter decides.
    let says_so = match (line.first(), line.last()) {
        (Some(b'n' | b'N'), _) if NOTHING.into_iter().any(starts) => true,
        (_, Some(b'd' | b'D' | b'e' | b'E')) => UNCHANGED.into_iter().any(ends),
        _ => false,
    };
    says_so && line.len() <= ANSWER_BYTES && !line.contains(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_that_nothing_changed_where_it_says_nothing_else() {
        for answer in [
            "No changes needed for 'src/a.py'",
            "No changes. Your infrastructure matches the configuration.",
            "Nothing changed.",
            "service/web unchanged",
            "a.md 5ms (unchanged)",
            "ok: src/a.py is up to date, 0 lines changed\n",
        ] {
            assert!(says_unchanged(answer), "{answer}");
        }
        for answer in [
            "ok",
            "",
            "Wrote 3 lines; permissions unchanged, owner root",
            "service/web configured\ndeployment/web unchanged",
            "10 lines changed",
            "Noch keine Änderung é",
        ] {
            assert!(!says_unchanged(answer), "{answer}");
        }
    }
}
