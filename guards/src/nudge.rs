//! Whether a message of the user says something new, or only that the model should go on.
//!
//! "Proceed.", "Yes, please." and "I don't see it." give a model nothing that it did not have, in any language. So they
//! are recognised by what they lack: they are one short line without a number, a name, a path, a quotation or a
//! question. Words are looked at for one thing alone: who says thanks or goodbye wants nothing more.

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

/// Words of those who want to be shown something: code in the answer is what they asked for (spec T3).
const SHOWINGS: &[&str] = &[
    "code",
    "show",
    "snippet",
    "example", //
    "zeig",
    "beispiel", //
    "código",
    "enséña",
    "muéstra",
    "ejemplo", //
    "montre",
    "exemple", //
    "mostra",
    "codice", //
    "код",
    "покажи", //
    "コード",
    "見せ",
    "例", //
    "代码",
    "给我看",
    "示例", //
    "코드",
    "보여",
];

/// Whether the message asks to be shown something.
pub(crate) fn asks_to_see(text: &str) -> bool {
    let text = text.to_lowercase();
    SHOWINGS.iter().any(|word| text.contains(word))
}

/// Whether the message gives the model nothing that it did not have.
pub(crate) fn is_nudge(text: &str) -> bool {
    let text = text.trim();
    let is_short = |chars| text.chars().nth(chars).is_none();
    is_short(CHARS)
        && (is_short(SIGNS) || !text.chars().any(is_sign))
        && !text.is_empty()
        && !text.ends_with(['?', '？'])
        && !text.contains(|c: char| c.is_numeric() || "\n`\"/\\_@#:;=<>{}[]|«»„“”「」".contains(c))
        && !text.split_whitespace().any(has_inner_mark)
        && !names_something(text)
        && !says_goodbye(text)
}

/// Whether a reply takes up a word of this message, so that the message did say something. Words of fewer than four
/// letters say little, and a word that the model had said `before` was not given by the user ("Shall I continue?",
/// "Yes, continue.", "Shall I continue now?").
pub(crate) fn takes_up(reply: &str, message: &str, before: &str) -> bool {
    let [reply, message, before] = [reply, message, before].map(str::to_lowercase);
    let words = message.split(|c: char| !c.is_alphabetic()).filter(|word| !word.contains(is_sign));
    let is_new = |word: &&str| word.chars().nth(LETTERS - 1).is_some() && !before.contains(*word);
    words.filter(is_new).any(|word| reply.contains(word))
}

/// Chinese, Japanese and Korean characters.
fn is_sign(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7af}').contains(&c)
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

fn says_goodbye(text: &str) -> bool {
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
            "I don't see it.",
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
    fn a_reply_takes_up_what_the_message_gave() {
        let message = "I prefer to use a gift card instead.";
        assert!(takes_up("To pay with your gift card, I need your consent.", message, "How do you pay?"));
        assert!(!takes_up("Shall I write the second file?", "Yes, go on.", ""));
        assert!(!takes_up("我现在来处理。", "请继续。", ""));
        assert!(!takes_up("Shall I continue now?", "Yes, continue.", "Do you want me to continue?"));
    }

    #[test]
    fn some_want_to_be_shown_code() {
        for text in ["Enséñame el código, por favor.", "Show it.", "コードを見せてください。"]
        {
            assert!(asks_to_see(text), "{text}");
        }
        assert!(!asks_to_see("Go on, please."));
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
