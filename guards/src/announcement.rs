//! Whether a text announces an action and breaks off, or is an answer. Form is the first evidence, words in five
//! languages the second.
//!
//! Words of time ("now", "next") say when, and not who: a closing has them as well ("The search works now.", "You can
//! run it now."). So they announce something only near an action of the speaker: beside "I", in a form of the verb that
//! says so (`actualizo`), or, less surely, where no one else is named before the action ("Updating it now."). Such a
//! sentence may also be an instruction ("Run it now."), so a guard asks the transcript whether one is likely.

use std::sync::LazyLock;

use crate::fence;
use crate::search::has_question_mark;
use balk_contract::wording::is_longer;
pub(crate) use sentence::Announcement;
use sentence::Sentence;
use vocabulary::{BEFORE_A_DEED, BEGINS, BEHIND_A_DEED, CONDITIONS, ENDINGS, IFS, SOON, SOON_BEHIND};

mod sentence;
mod vocabulary;

/// True if a text announces something and ends before doing it ("I'll list the files now:").
///
/// Form decides first. A text with a question, a list or a code block, or one longer than an announcement, is not
/// one: recorded models write such texts when they ask for details or for permission. A text that ends in a colon or
/// in dots has broken off, in any language. Otherwise the words of its last sentence must say that the model is about
/// to act.
pub(crate) fn breaks_off(text: &str) -> bool {
    matches!(of(text), Some(Announcement::Perhaps | Announcement::Outright))
}

/// How this text announces an action, if it does.
pub(crate) fn of(text: &str) -> Option<Announcement> {
    let text = text.trim_end();
    if has_question_mark(text) || fence::fences(text).next().is_some() {
        return None;
    }
    if is_longer(text, CHARS) || text.lines().any(is_item) {
        return ends_in_one(text).then_some(Announcement::AtTheEnd);
    }
    if is_broken_off(text) { Some(Announcement::Outright) } else { announces(last_main_sentence(text)) }
}

/// Whether a text ends in a colon or in dots.
fn is_broken_off(text: &str) -> bool {
    text.ends_with([':', '：', '…']) || text.ends_with("...") || text.ends_with("。。。")
}

/// Whether the last paragraph of a longer text is no item of a list, and says that the speaker is about to act ("Let
/// me start by reading the parser."). What comes before it is no answer then, but what the model wants to do, unless it
/// waits for the user.
fn ends_in_one(text: &str) -> bool {
    let is_of_it = |line: &&str| !line.trim().is_empty() && !is_item(line);
    let last = text.lines().next_back().filter(is_of_it).unwrap_or_default();
    let last = last.trim_end_matches([':', '：', '…', '.']);
    let before = &text[..text.trim_end_matches([':', '：', '…', '.']).len() - last.len()];
    let is_apart = before.ends_with("\n\n") || before.lines().next_back().is_some_and(is_item);
    let is_outright =
        || !is_longer(last, CHARS) && announces(last_main_sentence(last)) == Some(Announcement::Outright);
    is_apart && is_outright() && !asks_for_something(text)
}

/// Whether a text makes what it announces wait for the user ("Please send me the number. After that I'll look it up.").
fn asks_for_something(text: &str) -> bool {
    let text = Sentence::new(text);
    let has = |word: &str| text.lower.match_indices(word).any(|(at, _)| text.has_at(at, word));
    CONDITIONS.iter().any(|word| has(word))
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

/// The last sentence that does not begin with a condition: "If that fails, I'll try the mirror." goes on with the plan
/// before it, and is an offer where there is none.
fn last_main_sentence(text: &str) -> &str {
    let is_conditional = |sentence: &str| {
        let begins = |word: &&str| sentence.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        IFS.iter().any(begins)
    };
    let mut rest = text;
    while !rest.is_empty() {
        let (before, last) = rest.split_at(start_of_last_sentence(rest));
        if !is_conditional(last.trim_start()) {
            return last.trim_matches(|c: char| c.is_whitespace() || is_end(c));
        }
        rest = before.trim_end();
    }
    rest
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '。' | '！')
}

fn start_of_last_sentence(text: &str) -> usize {
    let end = text.trim_end_matches(|c| is_end(c) || c == ' ');
    let parts = |&(at, c): &(usize, char)| match c {
        '。' | '！' | '？' | '\n' => true,
        ' ' => end[..at].ends_with(['.', '!', '?']),
        _ => false,
    };
    end.char_indices().rev().find(parts).map_or(0, |(at, c)| at + c.len_utf8())
}

/// Whether a sentence says that the speaker is about to do something that needs a tool: an action word close after a
/// word of the near future, or close before one. A promise about manners ("I'll be brief") names no action, a
/// condition ("once you confirm, I will look") makes it an offer, and a report ("I have checked") has no future.
fn announces(sentence: &str) -> Option<Announcement> {
    let sentence = Sentence::new(sentence);
    let mut announced = None;
    for (at, pair) in sentence.lower.as_bytes().windows(2).enumerate() {
        for &(word, says) in &WORDS_BY_FIRST[usize::from(pair[0])] {
            // The second byte already rules out most words.
            if word.as_bytes()[1] != pair[1] || !sentence.has_at(at, word) {
                continue;
            }
            let behind = at + word.len();
            announced = announced.max(match says {
                Says::DeedBehind => sentence.has_deed_behind(behind).then_some(Announcement::Outright),
                Says::DeedBefore => sentence.has_deed_before(at).then_some(Announcement::Outright),
                Says::Ending => sentence.ends_in_deed(at),
                Says::Soon => sentence.soon(at, behind),
                Says::SoonBehind => sentence.soon_behind(at, behind),
                Says::Beginning => Some(Announcement::Outright),
                Says::Condition => return None,
            });
        }
    }
    announced
}

/// What certain words say about their sentence.
#[derive(Clone, Copy, Debug)]
enum Says {
    /// The speaker acts: it is an announcement if an action word follows closely.
    DeedBehind,
    /// The speaker acts: it is an announcement if an action word comes closely before.
    DeedBefore,
    /// The form of a verb that comes closely before; who acts may be said elsewhere.
    Ending,
    /// A time, before what is done then.
    Soon,
    /// A time, behind what is done then.
    SoonBehind,
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
        (ENDINGS, Says::Ending),
        (SOON, Says::Soon),
        (SOON_BEHIND, Says::SoonBehind),
        (BEGINS, Says::Beginning),
        (CONDITIONS, Says::Condition),
    ] {
        words.iter().for_each(|word| by_first[usize::from(word.as_bytes()[0])].push((*word, says)));
    }
    by_first
});

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
            "Checking it now.",
            "Ahora ejecuto las pruebas.",
            "Jetzt schreibe ich den Test.",
            "I see what is wrong with all of it:\n- the port\n- the host\n\nI'll update both.",
        ] {
            assert!(of(text).is_some(), "{text}");
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
            "The search should work now.",
            "Die Suche läuft jetzt.",
            "Ahora el servicio está listo.",
            "Jetzt sehen Sie die Liste.",
            "接下来您可以运行测试。",
            "この関数は設定を確認します。",
            "The page takes a moment to open.",
            "I will not change it.",
            "Both are wrong:\n- the port\n- the host\n\nPlease send me both. Then I'll update them.",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
