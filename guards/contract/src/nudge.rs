//! Whether a message of the user says something new, or only that the model should go on.
//!
//! "Proceed.", "Yes, please." and "I don't see it." give a model nothing that it did not have, in any language. So they
//! are recognised by what they lack: they are one short line without a number, a name, a path, a quotation or a
//! question. Words are looked at for two things: who says thanks or goodbye wants nothing more, and who says "Go on."
//! has changed nothing, while one who says "It works now." may have.

use crate::wording::is_longer;

/// The longest nudge, in characters. Answers of recorded users that give something are longer in nine of ten cases, or
/// have a number or a name (`docs/guards.md#words-in-place-of-calls`).
pub(crate) const CHARS: usize = 60;
/// The same in scripts that write a word in one or two characters.
const SIGNS: usize = 24;

/// Letters of the shortest word that a reply can take up, unless it is one of the few words of a message.
const LETTERS: usize = 4;
/// The most words, and the most characters of such scripts, of a message that is brief.
const BRIEF_WORDS: usize = 2;
const BRIEF_SIGNS: usize = 6;

/// Words of thanks and goodbye.
const CLOSINGS: &[&str] = &[
    "thank",
    "that's all",
    "that is all",
    "that will be all",
    "bye",
    "talk soon",
    "you too", //
    "danke",
    "das war",
    "tschüss", //
    "gracias",
    "eso es todo",
    "adiós", //
    "merci",
    "au revoir", //
    "grazie",
    "obrigad",
    "спасибо", //
    "ありがとう",
    "以上です", //
    "谢谢",
    "再见", //
    "감사",
    "고마",
];

/// Words that say yes.
const ASSENTS: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "ok",
    "okay",
    "sure", //
    "ja",   //
    "sí",
    "si",
    "vale", //
    "oui",
    "d'accord", //
    "sì",
    "va bene", //
    "sim",     //
    "да",
    "хорошо", //
    "好的",
    "好",
    "是的",
    "可以", //
    "はい", //
    "네",
    "좋아요",
];

/// Words that say no.
#[rustfmt::skip]
const NOES: &[&str] = &[
    "no", "nope", "nah", //
    "nein", "ne", //
    "non", //
    "não", //
    "нет", //
    "不", "没", "否", //
    "いいえ", "いや", //
    "아니",
];

/// Words behind a yes that set a condition.
#[rustfmt::skip]
const BUTS: &[&str] = &[
    " but ", " only if ", " aber ", " nur wenn ", " pero ", " mais ", " ma ", " mas ", " но ", " maar ", "但", "不过",
    "でも", "ただし", "지만",
];

/// Words of [`GO_AHEAD`] that are an answer where the question is how something is.
const JUDGEMENTS: &[&str] = &["fine", "good", "great", "right", "all right", "alright", "gut", "bien"];

/// Other words that say nothing but "go on".
const GO_AHEAD: &[&str] = &[
    "proceed",
    "continue",
    "carry on",
    "keep going",
    "go on",
    "go ahead",
    "do it",
    "do so",
    "k",
    "fine",
    "good",
    "great",
    "right",
    "all right",
    "alright",
    "and",
    "just",
    "then",
    "now",
    "please",
    "next", //
    "weiter",
    "mach",
    "mache",
    "machen",
    "sie",
    "bitte",
    "fortfahren",
    "fahr fort",
    "gut",
    "nur zu",
    "los",
    "dann", //
    "continúa",
    "continua",
    "continúe",
    "sigue",
    "siga",
    "adelante",
    "bien",
    "por favor", //
    "continuez",
    "vas-y",
    "allez-y",
    "s'il te plaît",
    "s'il vous plaît", //
    "avanti",
    "prosegui",
    "procedi",        //
    "pode continuar", //
    "дальше",
    "продолжай",
    "продолжайте",
    "пожалуйста", //
    "继续",
    "请继续",
    "请",
    "吧", //
    "続けて",
    "ください",
    "お願いします",
    "進めて", //
    "계속",
    "하세요",
    "해주세요",
    "진행",
];

/// Whether a text has at most 60 characters, or 24 in a script that writes a word in one or two.
#[must_use]
pub fn is_short(text: &str) -> bool {
    !is_longer(text, CHARS) && (!is_longer(text, SIGNS) || !text.chars().any(is_sign))
}

/// Whether the message gives the model nothing that it did not have.
#[must_use]
pub fn is_nudge(text: &str) -> bool {
    let text = text.trim();
    is_go_ahead(text)
        || is_short(text)
            && !text.is_empty()
            && !text.ends_with(['?', '？'])
            && !text.contains(|c: char| is_mark(c) || c.is_numeric())
            && !text.split_whitespace().any(has_inner_mark)
            && !names_something(text)
            && !is_closing(text)
            && !is_condition(text)
}

/// Whether the message says yes, and to what: "Yes, but only once."
fn is_condition(text: &str) -> bool {
    begins_with_yes(text) && BUTS.iter().any(|but| text.contains(but))
}

/// Whether the message says "go on" and nothing else, in words that are known. Any other nudge may tell of a change:
/// "Fixed it, try again."
#[must_use]
pub fn is_go_ahead(text: &str) -> bool {
    !is_longer(text, CHARS) && has_only(text, || ASSENTS.iter().chain(GO_AHEAD))
}

/// Whether a text has words, and no others than these.
fn has_only<W: Iterator<Item = &'static &'static str>>(text: &str, words: impl Fn() -> W) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    let mut rest = without_marks(&text);
    let has_words = !rest.is_empty();
    while !rest.is_empty() {
        let Some(next) = behind(rest, words()) else { return false };
        rest = without_marks(next);
    }
    has_words
}

/// Whether a message that would be a nudge elsewhere answers a question. "Paris", "rot" and "no" give the model what it
/// asked for; "yes" and "go on" do not.
///
/// An open question ("Which one?", "Tea or coffee?") is answered by anything but a yes. Of any other question the model
/// may have asked for leave, so only a word or two that do not say yes answer it. What the user said before
/// (`is_again`) is an answer again if it is brief, and to a question that is not open only if it is known to be no yes.
#[must_use]
pub fn is_answer(text: &str, is_open: bool, is_again: bool) -> bool {
    let is_brief = is_brief(text);
    // A yes in a language that is not known comes again; one of these scripts would be known.
    let is_known = || begins_with_no(text) || text.contains(is_sign);
    match is_open {
        true if is_longer(text, CHARS) || text.trim().is_empty() || is_again && !is_brief => false,
        true => !says_yes(text) || has_only(text, || JUDGEMENTS.iter()),
        false => is_brief && !says_yes(text) && (!is_again || is_known()),
    }
}

/// Whether the message is a word or two.
#[must_use]
pub fn is_brief(text: &str) -> bool {
    let words = text.split_whitespace().count();
    let signs = text.chars().filter(|c| is_sign(*c)).count();
    (1..=BRIEF_WORDS).contains(&words) && signs <= BRIEF_SIGNS
}

fn starts_with_any(text: &str, words: &'static [&'static str]) -> bool {
    behind(without_marks(&text.to_lowercase().replace('’', "'")), words.iter()).is_some()
}

/// Whether the message says yes and gives the model nothing else that it did not have: "Yes, as I said."
#[must_use]
pub fn says_yes(text: &str) -> bool {
    is_go_ahead(text) || is_nudge(text) && begins_with_yes(text)
}

/// Whether the first word of the message says yes.
#[must_use]
pub fn begins_with_yes(text: &str) -> bool {
    starts_with_any(text, ASSENTS)
}

/// Whether the first word of the message says no.
#[must_use]
pub fn begins_with_no(text: &str) -> bool {
    starts_with_any(text, NOES)
}

/// What follows the longest of these words at the beginning of a text.
fn behind(text: &str, words: impl Iterator<Item = &'static &'static str>) -> Option<&str> {
    // Nearly all words end here.
    let begins = |word: &&&str| text.as_bytes().first() == word.as_bytes().first();
    let rests = words.filter(begins).filter_map(|word| text.strip_prefix(word)).filter(|rest| is_apart(rest));
    rests.min_by_key(|rest| rest.len())
}

/// The text without the marks and spaces at its beginning.
fn without_marks(text: &str) -> &str {
    text.trim_start_matches(|c: char| !c.is_alphanumeric())
}

/// Whether a word can end before this text: scripts that write no spaces end it anywhere.
fn is_apart(rest: &str) -> bool {
    rest.chars().next().is_none_or(|c| is_sign(c) || !c.is_alphanumeric())
}

/// Whether a reply takes up a word of this message, so that the message did say something. Words of fewer than four
/// letters say little, unless the message has hardly any others ("Tee"), and a word that the model had said `before`
/// was not given by the user ("Shall I continue?", "Yes, continue.", "Shall I continue now?"). Of scripts without
/// blanks, a word is two characters, or all of the message.
#[must_use]
pub fn takes_up(reply: &str, message: &str, before: &str) -> bool {
    let is_brief = is_brief(message) && !is_go_ahead(message);
    let [reply, message, before] = [reply, message, before].map(str::to_lowercase);
    let is_taken = |word: &str| !before.contains(word) && reply.contains(word);
    let is_word = |word: &str| {
        let mut words = reply.split(|c: char| !c.is_alphabetic());
        is_brief && !before.contains(word) && words.any(|it| it == word)
    };
    message.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).any(|word| {
        match word.contains(is_sign) {
            true => is_brief && is_taken(word) || !is_brief && pairs(word).any(is_taken),
            false => is_longer(word, LETTERS - 1) && is_taken(word) || is_word(word),
        }
    })
}

/// Two characters each that follow each other, but for those that say "go on".
fn pairs(word: &str) -> impl Iterator<Item = &str> {
    let mut ends = word.char_indices().map(|(at, c)| at + c.len_utf8()).skip(1);
    let pairs = word.char_indices().map_while(move |(at, _)| Some(&word[at..ends.next()?]));
    pairs.filter(|pair| pair.chars().all(is_kanji) && !GO_AHEAD.iter().any(|word| word.contains(pair)))
}

/// Chinese characters: those of other scripts are mostly endings and particles.
fn is_kanji(c: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&c)
}

/// Chinese, Japanese and Korean characters.
fn is_sign(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7af}').contains(&c)
}

/// Marks of names, paths, lists and quotations.
fn is_mark(c: char) -> bool {
    matches!(c, '\n' | '`' | '"' | '/' | '\\' | '_' | '@' | '#' | ':' | ';' | '=' | '<' | '>')
        || matches!(c, '{' | '}' | '[' | ']' | '|' | '«' | '»' | '„' | '“' | '”' | '「' | '」')
}

/// `main.rs`, `auto-merge`: more than a word.
fn has_inner_mark(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    inner.contains(['.', '-'])
}

/// Whether a word that does not begin a sentence is written with a capital letter. "I" alone is none.
fn names_something(text: &str) -> bool {
    let mut begins = true;
    text.split_whitespace().any(|word| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        let capitals = inner.chars().filter(|c| c.is_uppercase()).count();
        let is_name = capitals > 1 || !begins && capitals == 1 && !inner.starts_with("I'") && inner != "I";
        begins = word.ends_with(['.', '!', ',', '…']);
        is_name
    })
}

/// Whether the message says thanks or goodbye: the user wants nothing more.
#[must_use]
pub fn is_closing(text: &str) -> bool {
    let text = text.to_lowercase().replace('’', "'");
    CLOSINGS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests;
