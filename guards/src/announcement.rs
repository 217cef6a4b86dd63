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

/// Whether a sentence says that the speaker is about to do something that takes a tool: a word of the near
/// future and a word of a deed. A promise about manners ("I'll be brief") names no deed, a condition ("if you
/// want, I will look") makes it an offer, and a report ("I have checked") has no future.
fn announces(sentence: &str) -> bool {
    let sentence = sentence.to_lowercase().replace('’', "'");
    let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    (has(NEAR_FUTURE) && has(DEEDS) || has(BEGINS)) && !has(CONDITIONS)
}

const NEAR_FUTURE: &[&str] = &[
    "i'll ",
    "i will ",
    "let me ",
    "i'm going to ",
    "i am going to ",
    "going to ",
    "now i",
    "right away",
    "one moment",
    "a moment",
    "while i ",
    "ing it now",
    "ing now",
    "next step", //
    "我来",
    "我将",
    "我会",
    "我先",
    "让我",
    "我看",
    "我现在",
    "现在",
    "请稍等",
    "稍等",
    "这就",
    "马上",
    "立即",
    "接下来", //
    "voy a ",
    "ahora",
    "déjame",
    "permíteme",
    "un momento",
    "enseguida",
    "vamos a ",
    "en seguida", //
    "ich werde ",
    "lass mich",
    "jetzt",
    "einen moment",
    "gleich",
    "sofort",
    "als nächstes",
    "ich sehe ",
    "ich schaue ",
    "ich liste ",
    "ich prüfe ",
    "ich lese ",
    "ich trage ", //
    "これから",
    "今から",
    "まず",
    "次に",
    "少々お待ち",
    "します。",
    "します",
    "ますね",
];
const DEEDS: &[&str] = &[
    "list",
    "look",
    "check",
    "read",
    "open",
    "search",
    "find",
    "write",
    "creat",
    "add",
    "updat",
    "edit",
    "run ",
    "fetch",
    "publish",
    "send",
    "install",
    "start",
    "inspect",
    "chang",
    "fix",
    "generat",
    "build",
    "deploy",
    "book", //
    "列出",
    "查看",
    "检查",
    "看一下",
    "读取",
    "打开",
    "搜索",
    "查找",
    "写入",
    "创建",
    "添加",
    "加上",
    "更新",
    "修改",
    "运行",
    "发布",
    "安装",
    "生成",
    "看看", //
    "listar",
    "listo ",
    "mirar",
    "miro",
    "comprob",
    "compruebo",
    "leer",
    "leo ",
    "abrir",
    "abro",
    "busc",
    "escrib",
    "crear",
    "creo ",
    "añad",
    "pongo",
    "actualiz",
    "ejecut",
    "publi",
    "instal",
    "empiezo",
    "revis", //
    "liste ",
    "auflist",
    "sehe ",
    "nachsehen",
    "schaue ",
    "prüf",
    "lese ",
    "lesen",
    "öffne",
    "such",
    "schreib",
    "erstell",
    "anlegen",
    "lege ",
    "trage ",
    "eintrag",
    "aktualisier",
    "führe ",
    "veröffentlich",
    "installier",
    "fange ",
    "änder", //
    "一覧",
    "確認し",
    "調べ",
    "読み",
    "開き",
    "検索",
    "書き",
    "作成",
    "追加",
    "更新",
    "実行",
    "公開",
    "インストール",
    "見て",
    "始め",
];
/// A beginning, which names its deed by itself.
const BEGINS: &[&str] = &[
    "i'll get started",
    "let me get started",
    "getting started", //
    "我这就开始",
    "现在开始", //
    "empiezo ya",
    "me pongo a ello", //
    "fange ich an",
    "ich fange an",
    "lege ich los", //
    "始めます",
    "取りかかります",
];
const CONDITIONS: &[&str] = &[
    "if you",
    "once you",
    "when you",
    "let me know",
    "after you",
    "should you",
    "unless",
    "would you", //
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
            "Wenn du willst, liste ich sie auf.",
            "Use it like this:\n```sh\nls\n```",
            "",
        ] {
            assert!(!breaks_off(text), "{text}");
        }
    }
}
