//! Whether a text announces an action and breaks off, or is an answer. Form is the first evidence, words in five
//! languages the second.

use std::sync::LazyLock;

use crate::fence;
use crate::search::has_question_mark;
use balk_contract::wording::is_longer;
use vocabulary::{BEFORE_A_DEED, BEGINS, BEHIND_A_DEED, CONDITIONS, DEEDS, SIGN_DEEDS, STEMS};

mod vocabulary;

/// True if a text announces something and ends before doing it ("I'll list the files now:").
///
/// Form decides first. A text with a question, a list or a code block, or one longer than an announcement, is not
/// one: recorded models write such texts when they ask for details or for permission. A text that ends in a colon or
/// in dots has broken off, in any language. Otherwise the words of its last sentence must say that the model is about
/// to act.
pub(crate) fn breaks_off(text: &str) -> bool {
    let text = text.trim_end();
    if is_longer(text, CHARS)
        || has_question_mark(text)
        || text.lines().any(is_item)
        || fence::fences(text).next().is_some()
    {
        return false;
    }
    match text.chars().next_back() {
        None => false,
        Some(':' | '：' | '…') => true,
        Some(_) if text.ends_with("...") || text.ends_with("。。。") => true,
        Some(_) => announces(last_sentence(text)),
    }
}

/// Whether a line is an item of a list.
pub(crate) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '•'])
        || (after_number.len() < line.len() && after_number.starts_with(['.', ')', '、']))
}

/// The longest announcement, in characters; recorded answers to a user's question are usually longer.
const CHARS: usize = 400;

fn last_sentence(text: &str) -> &str {
    let end = text.trim_end_matches(['.', '!', '。', '！', ' ']);
    let parts = |&(at, c): &(usize, char)| match c {
        '。' | '！' | '？' | '\n' => true,
        ' ' => end[..at].ends_with(['.', '!', '?']),
        _ => false,
    };
    let start = end.char_indices().rev().find(parts).map_or(0, |(at, c)| at + c.len_utf8());
    end[start..].trim()
}

/// Whether a sentence says that the speaker is about to do something that needs a tool: an action word close after a
/// word of the near future, or close before one. A promise about manners ("I'll be brief") names no action, a
/// condition ("once you confirm, I will look") makes it an offer, and a report ("I have checked") has no future.
fn announces(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase().replace('’', "'");
    let mut announced = false;
    for (at, pair) in sentence.as_bytes().windows(2).enumerate() {
        for &(word, says) in &WORDS_BY_FIRST[usize::from(pair[0])] {
            // The second byte already rules out most words.
            if word.as_bytes()[1] == pair[1] && sentence.as_bytes()[at..].starts_with(word.as_bytes()) {
                announced |= match says {
                    Says::DeedBehind => near_start(&sentence[at + word.len()..]),
                    Says::DeedBefore => near_end(&sentence[..at]),
                    Says::Beginning => true,
                    Says::Condition => return false,
                };
            }
        }
    }
    announced
}

/// What certain words say about their sentence.
#[derive(Clone, Copy, Debug)]
enum Says {
    /// It is an announcement if an action word follows closely.
    DeedBehind,
    /// It is an announcement if an action word comes closely before.
    DeedBefore,
    /// It is an announcement.
    Beginning,
    /// It is not an announcement.
    Condition,
}

/// All words by their first byte, so that one pass over a sentence is enough for any number of words.
static WORDS_BY_FIRST: LazyLock<[Vec<(&'static str, Says)>; 256]> = LazyLock::new(|| {
    let mut by_first = [const { Vec::new() }; 256];
    for (words, says) in [
        (BEFORE_A_DEED, Says::DeedBehind),
        (BEHIND_A_DEED, Says::DeedBefore),
        (BEGINS, Says::Beginning),
        (CONDITIONS, Says::Condition),
    ] {
        words.iter().for_each(|word| by_first[usize::from(word.as_bytes()[0])].push((*word, says)));
    }
    by_first
});

/// The meaning of "close": in words, and in characters for scripts without blanks.
const WORDS: usize = 4;
const SIGNS: usize = 12;

fn near_start(text: &str) -> bool {
    let end = text.char_indices().nth(SIGNS).map_or(text.len(), |(end, _)| end);
    text.split_whitespace().take(WORDS).any(is_deed) || has_sign_deed(&text[..end])
}

fn near_end(text: &str) -> bool {
    let start = text.char_indices().nth_back(SIGNS - 1).map_or(0, |(start, _)| start);
    text.split_whitespace().rev().take(WORDS).any(is_deed) || has_sign_deed(&text[start..])
}

fn has_sign_deed(signs: &str) -> bool {
    !signs.is_ascii() && SIGN_DEEDS.iter().any(|deed| signs.contains(deed))
}

/// English action words must match completely, because "changes" and "updates" are things; Spanish and German ones
/// match by their stem.
fn is_deed(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let may_be_stem = |stem: &&&str| stem.as_bytes().first() == word.as_bytes().first();
    DEEDS.contains(&word) || STEMS.iter().filter(may_be_stem).any(|stem| word.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_can_be_told_by_two_bytes() {
        let mut words = WORDS_BY_FIRST.iter().flatten();
        assert!(words.all(|(word, _)| word.len() >= 2));
    }

    #[test]
    fn an_announcement_breaks_off() {
        for text in [
            "I'll list the files now…",
            "Let me look at the folder:",
            "Sure. Let me check the configuration.",
            "我来查看当前目录。",
            "Voy a listar los archivos.",
            "Ich sehe mir die Dateien an.",
            "これからファイルを確認します。",
            "Of course. One moment while I look at the directory.",
            "¡Claro! Un momento, miro la carpeta.",
            "请稍等，我看一下这个文件夹。",
            "Great, I'll get started then.",
            "Vou listar os arquivos agora:",
        ] {
            assert!(breaks_off(text), "{text}");
        }
    }

    #[test]
    fn an_answer_a_question_and_an_offer_do_not() {
        for text in [
            "There are three files: a.py, b.py and README.md.",
            "Which folder do you mean?",
            "您指的是哪个文件夹？",
            "The flight is booked. Let me know if you need anything else.",
            "If you want, I will list the files.",
            "I'll be brief.",
            "Ich werde mich kurz fassen.",
            "Voy a ser breve.",
            "好的，我会简短回答。",
            "ではまた。",
            "I have checked the file; it is fine.",
            "Shall I cancel it? I will then book the other one.",
            "I will need some details:\n- your name\n- your order number:",
            "Once I have your order number, I will look it up.",
            "Additionally, I will mention the changes.",
            "Wenn du willst, liste ich sie auf.",
            "必要でしたら追加します。",
            "Use it like this:\n```sh\nls\n```",
            "",
        ] {
            assert!(!breaks_off(text), "{text}");
        }
    }
}
