//! Different arguments, the same failure.
//!
//! Two failures of one tool are the same when their texts are, once these are masked: every word in quotes or
//! with a digit, a path or an assignment in it, and every word that the call's own arguments hold, for an
//! error repeats what it was given. Case, white space and punctuation around words do not count, and nothing
//! after the first 400 bytes does (`guards.md`, A10). A text with few letters says nothing.

use memchr::memmem;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::finding::{Finding, Now, Rule};
use super::rounds::{Round, Rounds};
use crate::completion::ToolCall;
use crate::entry::{Origin, Status, Subject, ToolResult};
use crate::key::CallKey;

/// How a tool failed, as a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failure(u64);

/// How much of an error is compared, and in how much of the arguments its words are looked for.
const ERROR_BYTES: usize = 400;
const ARGUMENT_BYTES: usize = 2_000;
/// Letters that an error must have, to say more than "exit code 1".
const LETTERS: usize = 12;

/// How this call failed; none where the error says too little.
pub(super) fn failure(call: &ToolCall, error: &str) -> Option<Failure> {
    let error = &error.as_bytes()[..error.len().min(ERROR_BYTES)];
    let arguments = &call.arguments.as_bytes()[..call.arguments.len().min(ARGUMENT_BYTES)];
    // A word and what parts it from the next, or a mask, takes no more than it took before and one byte.
    let mut normal = [0; ERROR_BYTES + 1];
    let (mut end, mut letters, mut masked) = (0, 0, false);
    for word in error.split(u8::is_ascii_whitespace) {
        let bare = trimmed(word);
        let is_plain = !word.iter().any(|byte| byte.is_ascii_digit() || b"/\\='\"`".contains(byte));
        letters += if is_plain { bare.len() } else { 0 };
        let is_echo = bare.len() > 2 && memmem::find(arguments, bare).is_some();
        if is_plain && !is_echo {
            normal[end..end + bare.len()].copy_from_slice(bare);
            end += bare.len();
            (normal[end], masked) = (b' ', false);
            end += usize::from(!bare.is_empty());
        } else if !masked {
            // No text has this byte.
            (normal[end], masked) = (0xff, true);
            end += 1;
        }
    }
    normal[..end].make_ascii_lowercase();
    let tool = xxh3_64(call.tool.as_bytes());
    (letters >= LETTERS).then(|| Failure(xxh3_64_with_seed(&normal[..end], tool)))
}

fn trimmed(word: &[u8]) -> &[u8] {
    let inner = |byte: &u8| !byte.is_ascii_punctuation();
    let start = word.iter().position(inner).unwrap_or(word.len());
    let end = word.iter().rposition(inner).map_or(start, |last| last + 1);
    &word[start..end]
}

/// Rounds in which one tool, with arguments that it did not have before, failed in the same way and did nothing
/// else. Before a call runs nobody knows how it will answer, so then the newest round must be one of them.
pub(super) fn find(rounds: &Rounds, call: &ToolCall, now: Now<'_>) -> Option<Finding> {
    let has_tool = |round: &Round| round.looks.iter().any(|look| look.tool == call.tool);
    let failure = match now.results {
        Some(results) => common_failure(&call.tool, results)?,
        None => rounds.still().next()?.looks.iter().find(|look| look.tool == call.tool)?.failure?,
    };
    let fails_so = |round: &Round| {
        let mut looks = round.looks.iter().filter(|look| look.tool == call.tool);
        looks.all(|look| look.failure == Some(failure))
    };
    let same = || rounds.still().filter(|round| has_tool(round)).take_while(|round| fails_so(round));
    let is_now = |call: CallKey| now.results.is_some() && now.calls.iter().any(|it| it.key == call);
    let has_other_arguments = |nth: usize, round: &Round| {
        let mut looks = round.looks.iter().filter(|look| look.tool == call.tool);
        looks.any(|look| !is_now(look.call) && !same().take(nth).any(|newer| newer.calls(look.call)))
    };
    let seen = same().enumerate().filter(|(nth, round)| has_other_arguments(*nth, round)).count();
    Some(Finding {
        rule: Rule::SameFailure,
        subject: Subject::Tool(call.tool.clone()),
        seen: u32::try_from(seen).unwrap_or(u32::MAX).saturating_add(now.rounds()),
        period: 1,
        turn: rounds.turn(),
        failed: true,
    })
}

/// How all of this tool's calls failed, if they failed in one way.
fn common_failure(tool: &str, results: &[ToolResult]) -> Option<Failure> {
    let mut failures = results
        .iter()
        .filter(|it| *it.call.tool == *tool && it.origin == Origin::Executed)
        .map(|it| if it.status == Status::Error { failure(&it.call, &it.text) } else { None });
    let first = failures.next()??;
    failures.all(|other| other == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::RawCall;
    use crate::offer::Offer;

    fn of(arguments: &str, error: &str) -> Option<Failure> {
        let raw = RawCall { id: "c".into(), tool: "sql".into(), arguments: arguments.into() };
        failure(&ToolCall::new(raw, &Offer::default()), error)
    }

    #[track_caller]
    fn check(one: (&str, &str), other: (&str, &str), is_same: bool) {
        let (first, second) = (of(one.0, one.1), of(other.0, other.1));
        assert!(first.is_some() && second.is_some(), "they say too little");
        assert_eq!(first == second, is_same, "{one:?} and {other:?}");
    }

    #[test]
    fn what_the_arguments_and_the_place_make_of_an_error_is_masked() {
        let table = |name: &str| {
            (format!(r#"{{"query":"select * from {name}"}}"#), format!("No such table: {name}."))
        };
        let [(a, no_a), (b, no_b)] = [table("users"), table("orders")];
        check((&a, &no_a), (&b, &no_b), true);
        check(("{}", "syntax error near line 3"), ("{}", "Syntax  error, near line 17"), true);
        check(
            ("{}", "cannot open file '/a/b.py' for reading"),
            ("{}", "cannot open file 'c.py' for reading"),
            true,
        );
    }

    #[test]
    fn other_words_are_another_failure() {
        check(("{}", "no such table: users"), ("{}", "no such column: users"), false);
        check(("{}", "permission denied"), ("{}", "no space left on device"), false);
    }

    #[test]
    fn a_failure_that_says_nothing_has_no_form() {
        for error in ["", "exit code 1", "/a/b: 12", "é"] {
            assert_eq!(of("{}", error), None, "{error}");
        }
    }
}
