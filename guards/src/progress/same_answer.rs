//! Different calls of one tool in a row, and each time the same answer, which is no failure: pages after the end of a
//! list, one search in many words, one job given away again and again. Each call is a new one, so each answer looks
//! like evidence of progress; this rule looks past it (spec P1).

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::deed::{asks, is_deed};
use super::look::Look;
use super::program::is_program;
use super::question::Questions;
use super::says::{is_long, is_nothing, reports_an_error, says_more, says_something};
use super::variation::{Variation, prints_lines};
use crate::arguments::{beginning, save_beginning_if_any};
use balk_contract::key::ToolKey;
use balk_contract::nudge::says_yes;
use balk_contract::wording::is_longer;
use balk_contract::{Effect, ResultKey, ToolCall, ToolResult};

/// A shorter word with a digit in it is a number.
const NAME_BYTES: usize = 5;
/// Answers before the newest that are remembered of one row of calls: who delegates or searches in vain gets few.
/// Assumed.
const EARLIER: usize = 3;
/// The longest answer that hands on a yes, in characters: a short message of the user, and as much about it.
const YES_CHARS: usize = 120;

/// The last calls in a row that differed and got the same answer, or one that a call of this row had before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SameAnswer {
    /// The newest of them; its arguments are saved and compared only up to a limit.
    tool: Option<ToolKey>,
    #[serde(serialize_with = "save_beginning_if_any")]
    arguments: Option<Arc<str>>,
    answer: ResultKey,
    /// The answers that these calls had before it, newest first.
    earlier: VecDeque<ResultKey>,
    /// Whether the answer is the user's "go on", in whatever words, to a question of the model.
    consent: bool,
    /// Whether it is more than the word of one call about one thing.
    is_long: bool,
    /// Whether it reports an error, so that it is not the word that something was done.
    is_error: bool,
    /// Whether the row may end by itself: one of them only counts up a number in its text, so that it may be about
    /// another item, or the answer says that there is more.
    may_end: bool,
    /// How many turns had one, and which was the last.
    seen: u32,
    turn: u64,
    /// What they ask, whichever is an answer that came before.
    questions: Questions,
}

/// Calls that ask for the same, one after another.
pub(super) struct AskedAgain {
    /// How many there were since an answer was new, and the turn of the last.
    pub(super) seen: u32,
    pub(super) turn: u64,
    /// Whether the row may end by itself.
    pub(super) may_end: bool,
    /// Whether they had more than one answer.
    pub(super) varies: bool,
}

impl SameAnswer {
    /// Folds one result that ran in this turn, with what is compared of its answer beside those to other calls;
    /// `is_new` if this call never gave it before.
    pub(super) fn result(
        &mut self,
        result: &ToolResult,
        look: &Look,
        answer: ResultKey,
        consent: bool,
        is_new: bool,
        turn: u64,
    ) {
        let call = &result.call;
        let is_same = consent && self.consent || self.has_had(answer);
        // A program that says no has answered, but each "no" may be about something else.
        let failed = result.is_failure();
        if self.tool == Some(look.tool) && !failed && (is_same || !consent && says_something(result)) {
            let step = self.step(call, is_same);
            let is_again = match step {
                Step::Again | Step::Counted => true,
                // Who asks about an item that has answered gets to know nothing.
                Step::Beside => !is_new && !look.waits && self.is_other_than_newest(call),
                Step::Elsewhere => false,
            };
            if is_same && step != Step::Elsewhere {
                self.questions.asked(call, turn);
                self.seen = self.seen.saturating_add(u32::from(is_again && turn != self.turn));
                self.may_end |= step == Step::Counted;
                (self.arguments, self.turn) = (Some(call.arguments.clone()), turn);
                return;
            }
            // An answer that is new begins the count anew, and those before it stay known.
            if is_again && is_new && !look.waits {
                self.earlier.truncate(EARLIER - 1);
                self.earlier.push_front(self.answer);
                (self.arguments, self.answer, self.seen, self.turn) =
                    (Some(call.arguments.clone()), answer, 1, turn);
                (self.is_long, self.is_error) = forms_of(result);
                self.may_end = says_more(result);
                self.questions.begin(call, turn);
                return;
            }
        }
        // What was known before says nothing, so it may stand between two of them.
        if is_new {
            let begins = !failed && !look.waits && (consent || is_answer(result));
            self.tool = begins.then_some(look.tool);
            self.arguments = begins.then(|| call.arguments.clone());
            (self.answer, self.consent, self.seen, self.turn) = (answer, consent, 1, turn);
            (self.is_long, self.is_error) = if begins { forms_of(result) } else { (false, false) };
            self.may_end = begins && says_more(result);
            self.earlier.clear();
            self.questions.begin(call, turn);
        }
    }

    /// Whether a call of this row had this answer.
    pub(super) fn has_had(&self, answer: ResultKey) -> bool {
        self.answer == answer || self.earlier.contains(&answer)
    }

    /// Equal calls in a row are for other rules.
    fn is_other_than_newest(&self, call: &ToolCall) -> bool {
        self.arguments.as_deref() != Some(&*call.arguments)
    }

    /// The user spoke: there is a new reason to ask.
    pub(super) fn user_spoke(&mut self) {
        *self = Self::default();
    }

    /// The calls so far, if this one asks for the same once more. `is_known` if it was made before.
    pub(super) fn again(&self, call: &ToolCall, is_known: impl FnOnce() -> bool) -> Option<AskedAgain> {
        if self.seen <= 1 || self.tool != Some(call.tool_key) {
            return None;
        }
        let may_end = match self.step(call, true) {
            Step::Again => self.may_end,
            Step::Counted => true,
            Step::Beside if self.is_other_than_newest(call) && is_known() => self.may_end,
            Step::Beside | Step::Elsewhere => return None,
        };
        Some(AskedAgain { seen: self.seen, turn: self.turn, may_end, varies: !self.earlier.is_empty() })
    }

    /// Whether any question of this row was asked more than once.
    pub(super) fn has_asked_again(&self) -> bool {
        self.questions.are_again()
    }

    /// How often the question of this call was asked, and when last.
    pub(super) fn question(&self, call: &ToolCall) -> Option<(u32, u64)> {
        let is_of = self.tool == Some(call.tool_key) && !self.consent;
        let asked = self.questions.again(call).filter(|_| is_of && !is_program(call))?;
        (self.step(call, true) != Step::Elsewhere).then_some(asked)
    }

    /// Whether the answers are errors of something that is to be done: other arguments may be the right ones.
    pub(super) fn may_be_mended_by(&self, call: &ToolCall) -> bool {
        let before = self.arguments.as_deref().unwrap_or("");
        self.is_error && is_deed(before, call) && Variation::of(before, &call.arguments) == Variation::Worded
    }

    /// Whether the answers are the user's consent.
    pub(super) fn is_consent(&self) -> bool {
        self.consent
    }

    /// Whether a call asks a question of this row in just its words or with another one that says nothing.
    fn asks_again(&self, before: &str, call: &ToolCall) -> bool {
        let asks = matches!(call.effect, Effect::ReadOnly | Effect::Unknown | Effect::External);
        asks && !is_program(call)
            && self.questions.again(call).is_some()
            && (self.is_error || !is_deed(before, call))
    }

    /// How this call of the same tool follows the newest of them. One that only reads asks; where a call may do
    /// something, other words may be another deed. `may_ask` if its answer may be the same: to compare words costs
    /// more.
    fn step(&self, call: &ToolCall, may_ask: bool) -> Step {
        let before = self.arguments.as_deref().unwrap_or("");
        let found = Variation::of(before, &call.arguments);
        if may_ask && found == Variation::Other && !self.consent && self.asks_again(before, call) {
            return Step::Again;
        }
        if self.consent {
            // Whether to use one thing and then another are two questions.
            let is_again = found == Variation::None || shares_a_name(before, &call.arguments);
            return if is_again { Step::Again } else { Step::Elsewhere };
        }
        match (call.effect, found) {
            (_, Variation::Worded) if !self.is_error && is_deed(before, call) => Step::Elsewhere,
            (Effect::ReadOnly | Effect::Unknown, Variation::Paged)
            | (
                Effect::ReadOnly | Effect::Unknown | Effect::External,
                Variation::Worded | Variation::Volatile,
            ) => Step::Again,
            (Effect::ReadOnly | Effect::Unknown | Effect::External, Variation::Counted) if self.is_long => {
                Step::Counted
            }
            (Effect::ReadOnly | Effect::Unknown, Variation::Item | Variation::Counted)
            | (_, Variation::None) => Step::Beside,
            (
                _,
                Variation::Paged
                | Variation::Item
                | Variation::Counted
                | Variation::Volatile
                | Variation::Worded
                | Variation::Other,
            ) => Step::Elsewhere,
        }
    }
}

/// How a call follows the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It asks for the same once more.
    Again,
    /// It counts up a number in its text, and a long answer stays the same: the next try more likely than the next
    /// item, about which an answer would say something.
    Counted,
    /// It is the same call, or asks about another item: a model that does so with one item after another (which numbers
    /// are missing, on which day there is a flight) learns something from each "no".
    Beside,
    /// It is another matter.
    Elsewhere,
}

/// Whether two texts in any language have a name in common, such as a path: a word with a mark or a digit inside it.
fn shares_a_name(one: &str, other: &str) -> bool {
    const MARKS: [char; 4] = ['/', '.', '_', '-'];
    fn names(text: &str) -> impl Iterator<Item = &str> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !MARKS.contains(&c));
        let trimmed = words.map(|word| word.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
        trimmed
            .filter(|word| word.bytes().any(|byte| !byte.is_ascii_alphabetic()) && word.len() >= NAME_BYTES)
    }
    names(beginning(one)).any(|name| names(beginning(other)).any(|it| it == name))
}

/// Whether the user's answer says yes. Harnesses hand it on alone, behind one name (`User: yes`) or as one member
/// (`{"answer": "yes"}`), also before the digits of a time. Anything else beside it may be the answer.
pub(super) fn is_yes(answer: &str) -> bool {
    let marks = |c: char| matches!(c, ':' | '：' | '"' | '=' | '(' | ')' | '{' | '}' | '[' | ']' | '\n');
    let mut parts = answer.split(marks).filter(|it| it.contains(char::is_alphabetic));
    let mut behind_a_name = || {
        let said = [parts.next(), parts.next(), parts.next()];
        matches!(said, [_, Some(yes), None] if says_yes(yes.trim()))
    };
    says_yes(answer) || !is_longer(answer, YES_CHARS) && behind_a_name()
}

/// Whether an answer is long, and whether it reports an error.
fn forms_of(result: &ToolResult) -> (bool, bool) {
    (is_long(result.text.trim_ascii().as_bytes()), reports_an_error(result))
}

/// Whether this is an answer, and not only the word that something was done.
fn is_answer(result: &ToolResult) -> bool {
    let text = result.text.trim_ascii();
    match result.call.effect {
        Effect::ReadOnly => true,
        Effect::Unknown => {
            says_something(result)
                || is_nothing(text)
                || searches(&result.call)
                || asks(&result.call)
                || prints_lines(&result.call.arguments)
        }
        Effect::External => says_something(result) || is_nothing(text),
        Effect::IdempotentWrite | Effect::Write => false,
    }
}

/// Whether a command searches, so that no output is its answer.
fn searches(call: &ToolCall) -> bool {
    const PROGRAMS: [&str; 5] = ["rg ", "grep ", "find ", "fd ", "git grep "];
    let is_first = |at: usize| call.arguments[..at].trim_end_matches(' ').ends_with(['"', '|', ';', '&']);
    let is_called = |it: &&str| call.arguments.match_indices(it).any(|(at, _)| is_first(at));
    PROGRAMS.iter().any(is_called)
}
