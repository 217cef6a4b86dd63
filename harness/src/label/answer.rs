//! What a reader types.
//!
//! | line | meaning |
//! |---|---|
//! | `s`, `stuck` | stepping in is right, or harmless and useful |
//! | `l`, `legit` | there is a reason to go on |
//! | `u`, `unsure` | it cannot be decided |
//! | `b`, `back` | the place before |
//! | `q`, `quit` | stop; the same command goes on |
//! | `?` | the guide |
//!
//! More can be said of a judgement, in this order: the confidence from 1 to 3 at the word, the kind after a `#`, the
//! message with which the stretch began after an `@`, and the reason, as in `s3 #cycle @17 the same two queries`.

use crate::import::one_line;
use crate::replay::labels::Label;

/// The kinds of repetition that the guide knows.
pub const KINDS: [&str; 11] = [
    "identical-call",
    "near-duplicate",
    "cycle",
    "same-failure",
    "text-only",
    "fence",
    "empty",
    "read-only-wandering",
    "repeated-text",
    "other",
    "none",
];

/// What is written for a kind or a reason that the reader did not give.
const NOT_SAID: &str = "-";

/// The confidence if the reader gives none: likely.
const CONFIDENCE: u8 = 2;

/// What a line means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A judgement of the place that is shown.
    Judged(Judgement),
    /// Show the place before.
    Back,
    /// Stop.
    Quit,
    /// Show the guide.
    Guide,
}

/// A reader's judgement of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The label.
    pub label: Label,
    /// The reader's confidence, 1 to 3.
    pub confidence: u8,
    /// The kind of repetition.
    pub kind: Box<str>,
    /// Index of the message with which the stretch began.
    pub onset: Option<usize>,
    /// The deciding fact.
    pub reason: Box<str>,
}

/// The meaning of a line about the place at this message.
///
/// # Errors
/// What was expected and what was found.
pub fn answer(line: &str, message: usize) -> Result<Answer, String> {
    let mut rest = line.trim();
    let word = next(&mut rest);
    let (name, confidence) = confident(word);
    let label = match name {
        "s" | "stuck" => Label::Stuck,
        "l" | "legit" => Label::Legit,
        "u" | "unsure" => Label::Unsure,
        _ => return way(word, rest),
    };
    let kind = kind(&mut rest)?;
    let onset = onset(&mut rest, message)?;
    if label == Label::Legit && onset.is_some() {
        return Err("expected no `@` after `legit`, where nothing began, found one".into());
    }
    let reason = if rest.is_empty() { NOT_SAID.into() } else { on_one_line(rest) };
    Ok(Answer::Judged(Judgement { label, confidence, kind: kind.into(), onset, reason }))
}

/// The next word; the rest begins with the one after it.
fn next<'a>(rest: &mut &'a str) -> &'a str {
    let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((*rest, ""));
    *rest = after.trim_start();
    word
}

/// A judgement's word without its confidence, and that.
fn confident(word: &str) -> (&str, u8) {
    let given = (1..=3).find_map(|given| Some((word.strip_suffix(&*given.to_string())?, given)));
    given.unwrap_or((word, CONFIDENCE))
}

/// A word that is no judgement.
fn way(word: &str, rest: &str) -> Result<Answer, String> {
    let answer = match word {
        "b" | "back" => Answer::Back,
        "q" | "quit" => Answer::Quit,
        "?" => Answer::Guide,
        _ => return Err(format!("expected s, l, u, b, q or ?, found `{}`", one_line(word, 40))),
    };
    let found = || format!("expected nothing after `{word}`, found `{}`", one_line(rest, 40));
    if rest.is_empty() { Ok(answer) } else { Err(found()) }
}

fn kind(rest: &mut &str) -> Result<&'static str, String> {
    let Some(mut after) = rest.strip_prefix('#') else { return Ok(NOT_SAID) };
    let word = next(&mut after);
    let known = KINDS.into_iter().find(|kind| *kind == word);
    *rest = after;
    known.ok_or_else(|| format!("expected a kind ({}), found `#{}`", KINDS.join(", "), one_line(word, 40)))
}

fn onset(rest: &mut &str, message: usize) -> Result<Option<usize>, String> {
    let Some(mut after) = rest.strip_prefix('@') else { return Ok(None) };
    let word = next(&mut after);
    *rest = after;
    match word.parse() {
        Ok(onset) if onset <= message => Ok(Some(onset)),
        Ok(_) | Err(_) => {
            Err(format!("expected the number of a message up to {message}, found `@{}`", one_line(word, 40)))
        }
    }
}

/// A text without tabs and other characters that would break a line of a table.
fn on_one_line(text: &str) -> Box<str> {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(
        label: Label,
        confidence: u8,
        kind: &str,
        onset: Option<usize>,
        reason: &str,
    ) -> Result<Answer, String> {
        Ok(Answer::Judged(Judgement { label, confidence, kind: kind.into(), onset, reason: reason.into() }))
    }

    #[test]
    fn a_judgement_is_a_word_and_what_more_the_reader_says() {
        for word in ["s", "stuck", " s\r\n"] {
            assert_eq!(answer(word, 20), judged(Label::Stuck, 2, "-", None, "-"), "{word}");
        }
        assert_eq!(
            answer("s3 #cycle @17 same\ttwo queries\n", 20),
            judged(Label::Stuck, 3, "cycle", Some(17), "same two queries")
        );
        assert_eq!(
            answer("l 3 files, and more", 20),
            judged(Label::Legit, 2, "-", None, "3 files, and more")
        );
        assert_eq!(answer("unsure1 @20", 20), judged(Label::Unsure, 1, "-", Some(20), "-"));
    }

    #[test]
    fn a_word_alone_moves_on_the_way() {
        for (word, expected) in [
            ("b", Answer::Back),
            ("back", Answer::Back),
            ("q", Answer::Quit),
            ("quit", Answer::Quit),
            ("?", Answer::Guide),
        ] {
            assert_eq!(answer(word, 20), Ok(expected));
        }
    }

    #[test]
    fn what_is_no_answer_says_what_is() {
        for (line, expected) in [
            ("", "expected s, l, u, b, q or ?, found ``"),
            ("x", "expected s, l, u, b, q or ?, found `x`"),
            ("q now", "expected nothing after `q`, found `now`"),
            ("s4", "expected s, l, u, b, q or ?, found `s4`"),
            ("q1", "expected s, l, u, b, q or ?, found `q1`"),
            ("s @21", "expected the number of a message up to 20, found `@21`"),
            ("s @", "expected the number of a message up to 20, found `@`"),
            ("l @2", "expected no `@` after `legit`, where nothing began, found one"),
        ] {
            assert_eq!(answer(line, 20), Err(expected.into()), "{line}");
        }
        let unknown = answer("s #loop", 20).expect_err("it is no kind");
        assert!(unknown.ends_with("found `#loop`") && unknown.contains("cycle"), "{unknown}");
    }
}
