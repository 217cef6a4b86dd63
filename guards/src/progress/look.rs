//! One call and its answer, as the rules see them.

use std::sync::Arc;

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::deed::{is_another_look, is_deed};
use super::offer_index::{OfferIndex, Unfit};
use super::program::is_program;
use super::says::Says;
use super::spelling::are_about_others;
use super::tally::Compared;
use crate::arguments::{beginning, inserted, save_beginning_if_any};
use crate::call_memory::Wanted;
use crate::failure::{Failure, is_failure, is_waiting, only_pauses};
use crate::similarity::{Nearness, Profile, Ratio, common_prefix, common_suffix};
use crate::unseen::is_unseen;
use balk_contract::key::{CallKey, ToolKey};
use balk_contract::reading::Prospect;
use balk_contract::{Effect, Origin, ResultKey, ToolCall, ToolResult};

/// One call and its answer; equal ones in a round are one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Look {
    pub(super) call: CallKey,
    pub(super) tool: ToolKey,
    pub(super) result: ResultKey,
    /// Whether the whole answer was new, but only by a number that rises with every answer.
    pub(super) counts: bool,
    pub(super) failed: bool,
    /// How it failed, in a comparable form; `None` if it says too little or did not fail.
    pub(super) failure: Option<Failure>,
    /// Whether it failed and the same call may work later.
    pub(super) may_pass: bool,
    /// True if it did not fail, and waits for something or says that something is still in progress.
    pub(super) waits: bool,
    /// True if it did not fail, lets time pass, and looks at nothing.
    pub(super) only_pauses: bool,
    /// True if it did not fail and its effect is not declared.
    pub(super) may_change: bool,
    /// Whether, of such, it seems to write.
    pub(super) seems_to_write: bool,
    /// Whether the user may mean it, where they say how often they want something.
    pub(super) is_wanted: bool,
    /// Why it can never run, if it cannot.
    pub(super) unfit: Option<Unfit>,
    /// How it follows the previous call.
    pub(super) step: Step,
    /// Whether a later round made the same call. Not saved: the rounds say it.
    #[serde(skip)]
    pub(super) is_made_again: bool,
}

/// How a call follows the one that ran before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Step {
    /// None of the following.
    #[default]
    Other,
    /// The same tool with nearly the same arguments, and exactly the same failure.
    NearFailure,
    /// The same tool with nearly the same arguments, and the same answer, which is no failure.
    NearAnswer,
    /// The same tool and the previous arguments with something inserted; the same answer or failure.
    Grown,
    /// The same tool and the previous arguments with another number in one place; the same answer, or a failure.
    Counted,
    /// The same, in a call that carries what it does, and the same answer, which is no failure and says something.
    Tuned,
    /// The same tool and the previous arguments with another name in one place; the same answer or failure.
    Renamed,
}

impl Look {
    /// A look at the answer to this call, given the previous call.
    pub(super) fn of(
        result: &ToolResult,
        compared: Compared,
        before: &Before,
        offer: &OfferIndex,
        wanted: &Wanted,
    ) -> Self {
        let call = &result.call;
        let failed = is_failure(result);
        let failure = if failed { Failure::of(result) } else { None };
        let may_change = !failed && call.effect == Effect::Unknown;
        Self {
            call: call.key,
            tool: call.tool_key,
            result: compared.own,
            counts: compared.counts,
            failed,
            failure,
            may_pass: failed && prospect(result, failure) == Prospect::Passing,
            waits: is_waiting(result) || !failed && offer.waits(&call.tool),
            only_pauses: !failed && only_pauses(call) && !is_unseen(result),
            may_change,
            seems_to_write: may_change && call.seems_to_write(&result.text),
            is_wanted: wanted.may_mean(&call.arguments),
            unfit: if failed { offer.unfit(call) } else { None },
            step: before.step(call, Some(Got { answer: compared.any, failure, failed }), || Says::of(result)),
            is_made_again: false,
        }
    }
}

/// What a failure says of a later try, even if it says too little to be compared.
fn prospect(result: &ToolResult, failure: Option<Failure>) -> Prospect {
    failure.map_or_else(|| result.text.reading().prospect, |it| it.prospect)
}

/// The call that ran last, with which the next one is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    tool: Option<ToolKey>,
    /// Its arguments; saved and compared only up to a limit.
    #[serde(serialize_with = "save_beginning_if_any")]
    arguments: Option<Arc<str>>,
    got: Got,
    /// How it followed the call before it.
    last: Step,
}

/// What a call got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Got {
    /// What is compared of the answer.
    answer: ResultKey,
    failure: Option<Failure>,
    failed: bool,
}

/// Bytes by which two spellings of one text differ in length, with a blank at an end.
const CASE_BYTES: usize = 8;

/// Differing parts above this similarity are nearly the same. With it, the rule for near failures alone is right in
/// three of four judged points that it hits (`balk replay --labels`, all other thresholds at zero); a third failure
/// of one tool alone is stuck in two of five (`docs/labels.md#what-single-rules-find`).
const NEAR: Ratio = Ratio::new(80, 100).expect("four fifths");

impl Before {
    /// How this call follows, given its answer; without an answer, as if it got the previous one.
    fn step(&self, call: &ToolCall, got: Option<Got>, says: impl Fn() -> Says) -> Step {
        if !self.is_of(call) {
            return Step::Other;
        }
        let got = got.unwrap_or(self.got);
        let exact = |it: Got| it.failure.map(|it| it.exact);
        let same_failure = got.failure.is_some() && exact(got) == exact(self.got);
        let before = beginning(self.arguments.as_deref().unwrap_or(""));
        let arguments = beginning(&call.arguments);
        if !same_failure && got.answer != self.got.answer {
            // Who counts in vain may be told so in several ways.
            let counts_in_vain = got.failed && self.got.failed && is_counted(before, arguments);
            return if counts_in_vain { Step::Counted } else { Step::Other };
        }
        if is_counted(before, arguments) {
            if is_in_comment(before, arguments) {
                return if same_failure { Step::NearFailure } else { Step::NearAnswer };
            }
            let is_tuned = match says() {
                Says::Little => false,
                Says::Something => is_program(call) && !is_deed(before, call),
                Says::Error => is_program(call),
            };
            let is_tuned = is_tuned && !same_failure;
            return if is_tuned { Step::Tuned } else { Step::Counted };
        }
        if let Some(more) = inserted(before.as_bytes(), arguments.as_bytes())
            // Without a failure, only a repetition of earlier text counts: a longer path is another path.
            && (same_failure || memmem::find(before.as_bytes(), more).is_some())
        {
            return Step::Grown;
        }
        let (one, other) = differing(before, arguments);
        match same_failure {
            true if renamed(one, other).is_some_and(is_another_name) => Step::Renamed,
            true if are_near(one, other) || differ_in_case(one, other) => Step::NearFailure,
            true | false if renamed(one, other).is_some() => Step::Renamed,
            false if is_near_answer(one, other, says()) => Step::NearAnswer,
            true | false => Step::Other,
        }
    }

    /// Whether this call is a look at something, after another command.
    pub(super) fn was_other_than(&self, call: &ToolCall) -> bool {
        self.arguments.as_deref().is_some_and(|before| is_another_look(before, call))
    }

    /// How a call follows that has not run.
    pub(super) fn step_unanswered(&self, call: &ToolCall) -> Step {
        // A cheap test before the exact comparison.
        if self.last != Step::Other && self.is_of(call) {
            self.step(call, None, || Says::Something)
        } else {
            Step::Other
        }
    }

    /// How a call follows that got this result and failure.
    pub(super) fn step_answered(
        &self,
        call: &ToolCall,
        result: &ToolResult,
        failure: impl FnOnce() -> Option<Failure>,
        compared: impl FnOnce() -> ResultKey,
    ) -> Step {
        // Cheap tests before the exact comparison.
        if !self.is_of(call) || result.origin != Origin::Executed {
            return Step::Other;
        }
        let (answer, failed) = (compared(), is_failure(result));
        if answer != self.got.answer && !(self.got.failed && failed) {
            return Step::Other;
        }
        self.step(call, Some(Got { answer, failure: failure(), failed }), || Says::of(result))
    }

    /// Whether the previous call used the same tool.
    fn is_of(&self, call: &ToolCall) -> bool {
        self.tool == Some(call.tool_key)
    }

    /// Records the call that ran.
    pub(super) fn ran(&mut self, call: &ToolCall, look: &Look, answer: ResultKey) {
        self.arguments = Some(call.arguments.clone());
        let got = Got { answer, failure: look.failure, failed: look.failed };
        (self.tool, self.got, self.last) = (Some(look.tool), got, look.step);
    }
}

/// Whether both calls are nearly the same, and the second is not the next one of a row that counts or goes through
/// names.
pub(super) fn is_near(before: &str, after: &str) -> bool {
    let (one, other) = differing(before, after);
    !is_counted(before, after) && renamed(one, other).is_none() && are_near(one, other)
}

fn are_near(one: &str, other: &str) -> bool {
    Profile::new(one).nearness(&Profile::new(other), NEAR) == Nearness::Near
}

/// Whether both are the same but for capitals: another spelling of a name, however many letters differ.
fn differ_in_case(one: &str, other: &str) -> bool {
    let [first, second] = [one, other].map(|text| text.trim().chars().flat_map(char::to_lowercase));
    one.len().abs_diff(other.len()) <= CASE_BYTES && first.eq(second)
}

/// Signs of a text without blanks that are as much as three words: a Chinese word mostly has two.
const SIGNS: usize = 6;

/// Whether a text has three words, also in a script that puts no blanks between them.
pub(super) fn is_phrase(text: &str) -> bool {
    let is_sign =
        |c: &char| matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    text.split_ascii_whitespace().nth(2).is_some()
        || !text.is_ascii() && text.chars().filter(is_sign).nth(SIGNS - 1).is_some()
}

/// Whether both are texts of several words: a name that takes the place of another is the next item of a batch.
fn is_reworded(one: &str, other: &str) -> bool {
    [one, other].iter().all(|it| is_phrase(it))
}

/// Whether a call that works asks for the same in nearly the same words, and for nothing else.
fn is_near_answer(one: &str, other: &str, says: Says) -> bool {
    says != Says::Little
        && is_reworded(one, other)
        && are_near(one, other)
        && (says == Says::Error || !are_about_others(one, other))
}

/// Whether two commands begin to differ in a comment ("# retry no. 2"), which changes nothing.
fn is_in_comment(before: &str, after: &str) -> bool {
    let same = common_prefix(before.as_bytes(), after.as_bytes());
    let line = before[..before.floor_char_boundary(same)].rsplit("\\n").next();
    line.is_some_and(|it| it.contains(" # "))
}

/// Whether the two differ only in one number.
pub(super) fn is_counted(before: &str, after: &str) -> bool {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let start = common_prefix(before, after);
    let start = before[..start].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    let rest = |text: &'_ [u8]| text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (one, other) = (rest(before), rest(after));
    one > 0 && other > 0 && before != after && before[start + one..] == after[start + other..]
}

/// The word that took the place of another, wherever it is, if all other words are the same: the next candidate, or the
/// next item. A call may say twice what it is about, as a command and in a description.
pub(super) fn renamed<'t>(one: &'t str, other: &'t str) -> Option<(&'t str, &'t str)> {
    let is_part = |c: char| c.is_alphanumeric() || "._-/~@:=".contains(c);
    // The words that both begin with are the same.
    let divides = |byte: &u8| byte.is_ascii() && !is_part(char::from(*byte));
    let start = common_prefix(one.as_bytes(), other.as_bytes());
    let start = one.as_bytes()[..start].iter().rposition(divides).unwrap_or(0);
    let words = |text: &'t str| text[start..].split(move |c: char| !is_part(c)).filter(|it| !it.is_empty());
    let (mut words, mut others) = (words(one), words(other));
    let mut renamed = None;
    for pair in words.by_ref().zip(others.by_ref()).filter(|(word, other)| word != other) {
        if *renamed.get_or_insert(pair) != pair {
            return None;
        }
    }
    renamed.filter(|_| words.next().is_none() && others.next().is_none())
}

/// Whether the two are names of different things (`dev`, `staging`), and no spellings of one (`value`, `vals`, `-sL`).
/// Of two places, the parts in which they differ are compared.
pub(super) fn is_another_name((one, other): (&str, &str)) -> bool {
    let (one, other) = parts_apart(one, other);
    let [one, other] = [one, other].map(|it| it.trim_start_matches('-'));
    let is_name = |it: &str| it.len() > 2 && it.starts_with(char::is_alphabetic);
    let [first, second] = [one, other].map(|it| it.chars().take(2).flat_map(char::to_lowercase));
    let begins_alike = first.eq(second);
    is_name(one) && is_name(other) && !begins_alike
}

/// The parts in which two paths or addresses differ: `team-a` and `public` of `git.example/team-a/x`.
fn parts_apart<'t>(one: &'t str, other: &'t str) -> (&'t str, &'t str) {
    let start = common_prefix(one.as_bytes(), other.as_bytes());
    let start = one.as_bytes()[..start].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1);
    let (one, other) = (&one[start..], &other[start..]);
    let end = common_suffix(one.as_bytes(), other.as_bytes());
    let end =
        one.as_bytes()[one.len() - end..].iter().position(|byte| *byte == b'/').map_or(0, |at| end - at);
    (&one[..one.len() - end], &other[..other.len() - end])
}

/// The parts in which the two differ, extended to the surrounding quotes: the differing texts, without the names and
/// the other texts around them.
pub(super) fn differing<'t>(before: &'t str, after: &'t str) -> (&'t str, &'t str) {
    let (one, other) = (before.as_bytes(), after.as_bytes());
    let start = common_prefix(one, other);
    let end = common_suffix(&one[start..], &other[start..]);
    let is_quote = |at: usize| one[at] == b'"' && !(at > 0 && one[at - 1] == b'\\');
    let start = (0..start).rev().find(|&at| is_quote(at)).map_or(0, |at| at + 1);
    let behind = (one.len() - end..one.len()).find(|&at| is_quote(at)).map_or(0, |at| one.len() - at);
    (&before[start..before.len() - behind], &after[start..after.len() - behind])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_compared_and_not_the_names_beside_it() {
        let of = |command: &str| format!(r#"{{"command":"{command}","description":"Runs a command"}}"#);
        assert_eq!(differing(&of("ls é"), &of("ls è")), ("ls é", "ls è"));
        assert_eq!(differing(&of(r#"a \"b\" c"#), &of(r#"a \"d\" c"#)), (r#"a \"b\" c"#, r#"a \"d\" c"#));
        assert_eq!(differing(r#"{"n":1}"#, r#"{"n":12}"#), (":1}", ":12}"));
        assert_eq!(differing("abc", "abc"), ("abc", "abc"));
        assert_eq!(differing("", "x"), ("", "x"));
    }

    #[test]
    fn another_name_is_a_candidate_and_another_spelling_is_none() {
        let candidate = |one, other| renamed(one, other).is_some_and(is_another_name);
        assert!(candidate("get --as dev\",\"why\":\"dev asks", "get --as staging\",\"why\":\"staging asks"));
        assert!(candidate("unzip -P hunter2 a.zip", "unzip -P secret a.zip"));
        assert!(candidate("ls smb://nas/home/x", "ls smb://nas/pool/x"));
        assert!(!candidate("ls smb://nas/home/x", "ls smb://nas/hom/x"));
        for [one, other] in [
            ["value = 3; p", "vals = 3; p"],
            ["curl -s x", "curl -L x"],
            ["get --as dev x", "get --as staging y"],
            ["get --as dev", "get --as staging now"],
            ["same", "same"],
        ] {
            assert!(!candidate(one, other), "{one}");
        }
    }

    #[test]
    fn who_counts_changes_one_number() {
        assert!(is_counted(r#"{"port":8079}"#, r#"{"port":8080}"#));
        assert!(is_counted(r#"{"path":"a9.py"}"#, r#"{"path":"a10.py"}"#));
        assert!(is_counted(r#"{"n":1}"#, r#"{"n":10}"#));
        for (before, after) in [("a1", "a1"), ("a1", "b1"), ("a1b1", "a2b2"), ("a", "a1"), ("x1", "x")] {
            assert!(!is_counted(before, after), "{before} {after}");
        }
    }
}
