//! Whether a text announces a deed and breaks off, or is an answer: evidence from its form first, and from
//! words in five languages second.

use crate::fence;

/// True for a text that announces something and ends before it is done ("I'll list the files now:").
///
/// Form decides first. A question to the user, a text with a code block, and a text longer than an
/// announcement are none. What ends in a colon or in dots has broken off, in any language. Otherwise the
/// words of its last sentence have to say that something is about to be done.
pub(crate) fn breaks_off(text: &str) -> bool {
    let text = text.trim_end();
    if text.chars().nth(CHARS).is_some() || fence::fences(text).next().is_some() {
        return false;
    }
    match text.chars().next_back() {
        None | Some('?' | '？' | '¿') => false,
        Some(':' | '：' | '…') => true,
        Some(_) if text.ends_with("...") || text.ends_with("。。。") => true,
        Some(_) => announces(last_sentence(text)),
    }
}

/// Announcements are short; recorded answers to a user's question seldom are.
const CHARS: usize = 400;

fn last_sentence(text: &str) -> &str {
    let end = text.trim_end_matches(['.', '!', '。', '！', ' ']);
    let ends = [". ", "! ", "? ", "。", "！", "？", "\n"];
    let start = ends.iter().filter_map(|mark| end.rfind(mark).map(|at| at + mark.len())).max().unwrap_or(0);
    end[start..].trim()
}

/// Whether a sentence says that the speaker is about to do something. A condition ("if you want, I will")
/// makes it an offer.
fn announces(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    let starts = |words: &[&str]| words.iter().any(|word| sentence.starts_with(word));
    (starts(STARTS) || has(NOW)) && !has(CONDITIONS)
}

const STARTS: &[&str] = &[
    "i'll ",
    "i will ",
    "let me ",
    "now i ",
    "i'm going to ",
    "i am going to ",
    "first, i",
    "next, i",
    "okay, i'll",
    "ok, i'll",
    "sure, i'll",
    "sure, let me",
    "going to ", //
    "我来",
    "我将",
    "我会",
    "我先",
    "让我",
    "接下来我",
    "现在我",
    "我现在",
    "好的，我", //
    "voy a ",
    "ahora voy",
    "ahora ",
    "déjame ",
    "permíteme ",
    "primero voy",
    "vamos a ", //
    "ich werde ",
    "ich sehe ",
    "ich liste ",
    "ich schaue ",
    "ich prüfe ",
    "ich lese ",
    "lass mich ",
    "jetzt ",
    "zuerst ",
    "als nächstes ", //
    "これから",
    "まず",
    "では",
    "今から",
    "次に",
];
const NOW: &[&str] = &[
    " now i will",
    " let me ",
    "then i'll",
    " and i'll ",
    "立即",
    "马上",
    "ます。これから",
    "してみます",
    "を確認します",
    "を調べます",
    "を一覧",
    "を読みます",
    "ahora mismo",
    "jetzt nach",
];
const CONDITIONS: &[&str] = &[
    "if you",
    "once you",
    "when you",
    "let me know",
    "after you",
    "should you",
    "unless", //
    "如果",
    "请告诉",
    "的话",
    "您确认", //
    "si quiere",
    "si lo desea",
    "si desea",
    "avísame",
    "cuando me",
    "cuando usted",
    "dime", //
    "wenn sie",
    "wenn du",
    "falls ",
    "sobald",
    "sag mir",
    "sagen sie", //
    "場合",
    "もし",
    "よければ",
    "教えて",
    "いただけれ",
];

#[cfg(test)]
mod tests {
    use super::*;

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
            "Wenn du willst, liste ich sie auf.",
            "Use it like this:\n```sh\nls\n```",
            "",
        ] {
            assert!(!breaks_off(text), "{text}");
        }
    }
}
