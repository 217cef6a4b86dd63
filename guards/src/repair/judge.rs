//! Whether a printed call is meant as one (spec X2), judged by the form of the message.

use crate::announcement;
use crate::printed::Printed;
use crate::search::has_question_mark;
use crate::showing::Wish;
use balk_contract::wording::is_longer;

/// How sure it is that a printed call is meant to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// The message is nothing but the call, or an announcement and the call.
    Certainly,
    /// One line of other text is before it. What the request asks for says whether it is meant.
    Introduced,
    /// There is more text before it, or it could be code.
    Perhaps,
    /// It may be an example or an answer.
    No,
}

/// The longest text before a call, in characters: as that of an announcement (`announcement.rs`).
const CHARS: usize = 400;

/// Judges the only printed calls of a text.
pub(super) fn judge(text: &str, printed: &Printed<'_>) -> Meant {
    let before = text[..printed.span.start].trim();
    // A fence may be closed that was never opened.
    let after = text[printed.span.end..].trim_matches(|c: char| c == '`' || c.is_whitespace());
    let is_one_thing =
        after.is_empty() && !printed.is_in_code && !printed.calls.iter().any(|it| it.is_strange);
    if !is_one_thing || !introduces(before) {
        return Meant::No;
    }
    let is_plain_code = is_plain_code(printed);
    let are_several = printed.calls.len() > 1 && !printed.is_list && !printed.is_marked;
    let is_announced = before.is_empty() || printed.is_marked || announcement::breaks_off(before);
    match (is_plain_code || are_several, is_announced) {
        (false, true) => Meant::Certainly,
        (false, false) if !before.contains('\n') => Meant::Introduced,
        (true | false, _) => Meant::Perhaps,
    }
}

/// Judges the first printed call of an answer to a guard that asked for a call. Text around it does not make it an
/// example, unless its words say so, or the user is asked something.
pub(super) fn judge_answer(text: &str, printed: &Printed<'_>) -> Meant {
    let is_call = !printed.is_in_code && !printed.calls.iter().any(|it| it.is_strange);
    let around = [&text[..printed.span.start], &text[printed.span.end..]];
    if !is_call || around.iter().any(|it| has_question_mark(it) || Wish::of_words(it).speaks_of_examples()) {
        return Meant::No;
    }
    if is_plain_code(printed) { Meant::Perhaps } else { Meant::Certainly }
}

/// Whether it could be code that calls a function.
fn is_plain_code(printed: &Printed<'_>) -> bool {
    !printed.is_list && !printed.is_marked && printed.calls.iter().any(|it| it.is_code)
}

/// Whether a text can come before a call that is meant: one short paragraph, which asks nothing, shows nothing and
/// introduces no example.
fn introduces(before: &str) -> bool {
    let shows = before.contains("\n\n") || before.contains(['`', '|']) && before.contains("```");
    let is_list = before.lines().any(|line| line.trim_start().starts_with(['-', '*', '#', '>', '•']));
    !is_longer(before, CHARS)
        && !shows
        && !is_list
        && !has_question_mark(before)
        && !Wish::of_words(before).speaks_of_examples()
}

/// Whether a value of these arguments is a placeholder.
pub(super) fn has_placeholder(arguments: &str) -> bool {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(arguments) else { return true };
    is_placeholder(&value)
}

fn is_placeholder(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::String(text) => stands_for_another(text),
        Value::Array(all) => all.iter().any(is_placeholder),
        Value::Object(members) => members.values().any(is_placeholder),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// `<path>`, `...`, `{{name}}`, `YOUR_KEY`, `path/to/file`, and a line that leaves out the rest.
fn stands_for_another(text: &str) -> bool {
    let text = text.trim();
    let inside = |open, close| text.strip_prefix(open).and_then(|it: &str| it.strip_suffix(close));
    let is_word = |it: &str| !it.is_empty() && !it.contains(['<', '>', '\n', '/', '{', '}']);
    [("<", ">"), ("{{", "}}"), ("[", "]"), ("{", "}")].into_iter().any(|(open, close)| {
        inside(open, close).is_some_and(|it| is_word(it) && it.chars().any(char::is_alphabetic))
    }) || text.contains("path/to/")
        || text.contains("YOUR_")
        || text.lines().any(leaves_out)
}

/// A line that is nothing but dots, perhaps in a comment.
fn leaves_out(line: &str) -> bool {
    let line = line.trim().trim_start_matches(['#', '/', '*', ' ']).trim_end_matches(['*', '/', ' ']);
    matches!(line, "..." | "…" | "[...]" | "<...>") || (line.starts_with("... ") && line.ends_with(" ..."))
}
