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

/// Letters of the shortest word that a reply can take up.
const LETTERS: usize = 4;

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
    "va bene",  //
    "sim",      //
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
    "prosegui",       //
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
}

/// Whether the message says "go on" and nothing else, in words that are known. Any other nudge may tell of a change:
/// "Fixed it, try again."
#[must_use]
pub fn is_go_ahead(text: &str) -> bool {
    if is_longer(text, CHARS) {
        return false;
    }
    let text = text.to_lowercase().replace('’', "'");
    let mut rest = without_marks(&text);
    let has_words = !rest.is_empty();
    while !rest.is_empty() {
        let Some(next) = behind(rest, ASSENTS.iter().chain(GO_AHEAD)) else { return false };
        rest = without_marks(next);
    }
    has_words
}

/// Whether the message says yes and gives the model nothing else that it did not have: "Yes, as I said."
#[must_use]
pub fn says_yes(text: &str) -> bool {
    let assents = || behind(without_marks(&text.to_lowercase().replace('’', "'")), ASSENTS.iter()).is_some();
    is_go_ahead(text) || is_nudge(text) && assents()
}

/// What follows the longest of these words at the beginning of a text.
fn behind(text: &str, words: impl Iterator<Item = &'static &'static str>) -> Option<&str> {
    let rests = words.filter_map(|word| text.strip_prefix(word)).filter(|rest| is_apart(rest));
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
/// letters say little, and a word that the model had said `before` was not given by the user ("Shall I continue?",
/// "Yes, continue.", "Shall I continue now?").
#[must_use]
pub fn takes_up(reply: &str, message: &str, before: &str) -> bool {
    let [reply, message, before] = [reply, message, before].map(str::to_lowercase);
    let words = message.split(|c: char| !c.is_alphabetic()).filter(|word| !word.contains(is_sign));
    let is_new = |word: &&str| is_longer(word, LETTERS - 1) && !before.contains(*word);
    words.filter(is_new).any(|word| reply.contains(word))
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
mod tests {
    use super::*;

    #[test]
    fn a_nudge_gives_nothing_in_any_language() {
        for text in [
            "Proceed.",
            "Yes, please continue.",
            "OK, go on!",
            "I don't see it.",
            "As I said, go on.",
            "Do it the way I'd do it.",
            "Yes. I said that you need no permission for that one.",
            "Oui, continue.",
            "Sí, por favor.",
            "Mach weiter.",
            "네, 계속하세요.",
            "はい、お願いします。",
            "什么都没变，请真的去做。",
            "да, дальше",
        ] {
            assert!(is_nudge(text), "{text}");
        }
    }

    #[test]
    fn a_go_ahead_says_nothing_else() {
        for text in [
            "Proceed.",
            "ok",
            "OK, go on!",
            "Yes, please continue.",
            "Weiter",
            "Mach bitte weiter.",
            "Sí, continúa, por favor.",
            "Oui, vas-y.",
            "да, дальше",
            "继续",
            "好的，请继续。",
            "はい、続けてください。",
            "네, 계속하세요.",
        ] {
            assert!(is_go_ahead(text), "{text}");
        }
        for text in [
            "Fixed it, go on.",
            "It works now.",
            "Try again.",
            "Okayama",
            "Sisi",
            "Ja, es ist installiert.",
            "Hecho, sigue.",
            "好了，装好了。",
            "Continue with step 2.",
            "...",
            "",
        ] {
            assert!(!is_go_ahead(text), "{text}");
        }
    }

    #[test]
    fn a_reply_takes_up_what_the_message_gave() {
        let message = "I prefer to use a gift card instead.";
        assert!(takes_up("To pay with your gift card, I need your consent.", message, "How do you pay?"));
        assert!(!takes_up("Shall I write the second file?", "Yes, go on.", ""));
        assert!(!takes_up("我现在来处理。", "请继续。", ""));
        assert!(!takes_up("Shall I continue now?", "Yes, continue.", "Do you want me to continue?"));
    }

    #[test]
    fn whoever_gives_something_asks_something_or_says_goodbye_does_not_nudge() {
        for text in [
            "My order is 4711.",
            "Use main.rs.",
            "It is in src/lib.",
            "Which one?",
            "Ask Goldbach about it.",
            "I mean PayPal.",
            "No, that's all. Thank you!",
            "Gracias, eso es todo.",
            "谢谢！",
            "First the tests: they are red.",
            "",
            "Please look at the second file first, then go on with what the list says is still open.",
            "先看第二个文件，然后继续做清单上还没有完成的所有事情，最后再告诉我结果如何。",
        ] {
            assert!(!is_nudge(text), "{text}");
        }
    }
}
