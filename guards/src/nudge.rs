//! Whether a message of the user says something new, or only that the model should go on.
//!
//! "Proceed.", "Yes, please." and "I don't see it." give a model nothing that it did not have, in any language. So they
//! are recognised by what they lack: they are one short line without a number, a name, a path, a quotation or a
//! question. Words are looked at for two things: who says thanks or goodbye wants nothing more, and who asks to be
//! shown code gets it.

/// The longest nudge, in characters. Answers of recorded users that give something are longer in nine of ten cases, or
/// have a number or a name (`docs/guards.md#words-in-place-of-calls`).
const CHARS: usize = 60;
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

/// Words of those who want to be shown code at once: orders, and words that want no file.
#[rustfmt::skip]
const SHOW_ME: &[&str] = &[
    "show me", "show us", "just show", "only show", "please show", "paste it", "paste the", "in the chat",
    "in this chat", "without a file", "no file needed", "need no file", "don't need a file",
    "zeig mir", "zeige mir", "zeig es", "zeig den", "zeig ihn", "im chat", "ohne datei", "brauche keine datei",
    "muéstra", "enséña", "en el chat", "sin archivo",
    "montre-moi", "montre moi", "dans le chat", "sans fichier",
    "mostrami", "fammi vedere", "покажи мне", "без файла",
    "見せて", "チャットに", "ファイルは不要", "ファイルはいらない",
    "给我看", "展示给我", "发给我看", "不要文件", "不需要文件", "不用写",
    "보여 줘", "보여줘", "보여 주세요", "보여주세요",
];
/// Words that such an order begins with: "Show it."
const SHOW: [&str; 3] = ["show", "zeig", "montre"];
/// Words of users who want it written.
#[rustfmt::skip]
const WRITTEN: &[&str] = &[
    "file", "write", "create", "save", "implement", "build", "fix",
    "datei", "schreib", "erstell", "speicher", "archivo", "escrib", "crea", "guarda", "fichier", "écri",
    "ファイル", "書", "作", "文件", "写", "创建", "파일",
];

/// Whether the message asks to be shown code and wants no file (spec A8). After a tool has failed, a user who asks for
/// code in a few words gives up on the file (`has_failed`); before it, "write the code" is the task itself.
pub(crate) fn asks_for_code(text: &str, has_failed: bool) -> bool {
    let text = text.trim().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if names_file(&text) {
        return false;
    }
    let first = text.split(|c: char| !c.is_alphanumeric()).find(|word| !POLITE.contains(word));
    if has(SHOW_ME) || first.is_some_and(|word| SHOW.contains(&word)) {
        return true;
    }
    let is_short = |chars| text.chars().nth(chars).is_none();
    has_failed && is_short(CHARS) && !text.contains(['?', '？']) && !has(WRITTEN) && has(SHOWINGS)
}

/// What may come before an order.
const POLITE: [&str; 9] = ["", "yes", "ok", "okay", "please", "just", "then", "ja", "oui"];
/// The longest extension of a file, in characters.
const EXTENSION: usize = 5;

/// Whether a word is the name of a file: `game.py`, `src/main.rs`.
fn names_file(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "._-/\\".contains(c))).any(|word| {
        let Some((stem, extension)) = word.trim_end_matches('.').rsplit_once('.') else { return false };
        let is_extension = (1..=EXTENSION).contains(&extension.len())
            && extension.bytes().all(|it| it.is_ascii_alphanumeric())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic());
        is_extension && stem.len() > 1
    })
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
/// letters say little.
pub(crate) fn takes_up(reply: &str, message: &str) -> bool {
    let [reply, message] = [reply, message].map(str::to_lowercase);
    let words = message.split(|c: char| !c.is_alphabetic()).filter(|word| !word.contains(is_sign));
    words.filter(|word| word.chars().nth(LETTERS - 1).is_some()).any(|word| reply.contains(word))
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
        assert!(takes_up("To pay with your gift card, I need your consent.", message));
        assert!(!takes_up("Shall I write the second file?", "Yes, go on."));
        assert!(!takes_up("我现在来处理。", "请继续。"));
    }

    #[test]
    fn a8_some_ask_for_code_and_want_no_file() {
        for text in [
            "Just show me a loop in Python, no file please.",
            "Yes, show it.",
            "Show me what the sorting looks like.",
            "Zeig mir den Code einfach hier.",
            "Muéstrame el código, por favor.",
            "コードを見せてください。",
            "给我看代码就行。",
        ] {
            assert!(asks_for_code(text, false), "{text}");
            assert!(asks_for_code(text, true), "{text}");
        }
        for text in [
            "Then give me the code.",
            "Gib mir den Code.",
            "Dame el código.",
            "把代码发给我。",
            "コードだけください。",
        ] {
            assert!(asks_for_code(text, true), "{text}");
            assert!(!asks_for_code(text, false), "{text}");
        }
    }

    #[test]
    fn a8_a_task_or_a_nudge_asks_for_no_code() {
        for text in [
            "Write the code of a small game that shows a score.",
            "Write game.py and show me the result.",
            "Please create src/app.ts with an example server.",
            "Where are the files? I see nothing in the folder.",
            "Where is the code?",
            "The code has to be in the file.",
            "Proceed",
            "ok, continue",
            "Sigue",
            "お願いします",
            "把程序写到文件里，包括代码。",
        ] {
            assert!(!asks_for_code(text, true), "{text}");
            assert!(!asks_for_code(text, false), "{text}");
        }
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
