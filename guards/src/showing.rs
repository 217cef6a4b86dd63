//! What the user's words ask for beside work: to be shown something, so that code in a message is what they asked for;
//! or calls in words, so that a printed call is.

use std::sync::LazyLock;

use crate::files::files;
use crate::search::has_question_mark;
use crate::words::{Found, Lists, folded};
use balk_contract::nudge::is_short;

pub(crate) mod calls;
pub(crate) mod follow_up;

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

/// What the words of a message ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    found: Found,
    /// What says that it asks for a call as a thing to see.
    calls: u8,
}

impl Wish {
    /// Of a message of the user.
    pub(crate) fn of(text: &str) -> Self {
        let words = Self::of_words(text);
        let before = match (words.holds(), words.asks_to_see()) {
            (true, true) => 2,
            (true, false) => 1,
            (false, _) => 0,
        };
        let calls = calls::evidence(text) + before;
        Self { calls, ..words }
    }

    /// Of any text, by single words alone.
    pub(crate) fn of_words(text: &str) -> Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| {
            Lists::anywhere(&[SHOWINGS, SHOW_ME, WRITTEN, FORMS, CALL, PRINT, EXAMPLES, HOLDS])
        });
        Self { found: LISTS.find(&folded(text)), calls: 0 }
    }

    /// Whether it asks to be shown something.
    pub(crate) fn asks_to_see(self) -> bool {
        self.found.has(0)
    }

    fn orders_to_show(self) -> bool {
        self.found.has(1)
    }

    fn wants_it_written(self) -> bool {
        self.found.has(2)
    }

    /// Whether it speaks of calls, so that a printed one may be the answer to it.
    pub(crate) fn speaks_of_calls(self) -> bool {
        let of_form = self.found.has(3) || self.found.has(4) && (self.found.has(5) || self.asks_to_see());
        of_form || self.calls > 1
    }

    /// Whether it may ask for a call as a thing to see.
    pub(crate) fn may_want_calls(self) -> bool {
        self.calls > 0
    }

    /// Whether the user wants to decide before anything is done: what is shown or told before is an answer.
    pub(crate) fn holds(self) -> bool {
        self.found.has(7)
    }

    /// Whether its words introduce an example.
    pub(crate) fn speaks_of_examples(self) -> bool {
        self.found.has(6)
    }
}

/// Whether the message asks to be shown something.
pub(crate) fn asks_to_see(text: &str) -> bool {
    Wish::of_words(text).asks_to_see()
}

/// The form of calls, in words.
const FORMS: &[&str] = &["json", "tool call", "function call", "{"];
/// "Call", as what tools get.
const CALL: &[&str] =
    &["call", "aufruf", "llamada", "appel", "chamada", "chiamata", "вызов", "呼び出し", "调用", "호출"];
const PRINT: &[&str] = &["print"];

/// Words that introduce an example.
#[rustfmt::skip]
const EXAMPLES: &[&str] = &[
    "example", "e.g.", "would look", "looks like", "look like",
    "beispiel", "z. b.", "z.b.",
    "ejemplo", "exemple", "esempio", "exemplo", "пример",
    "例えば", "例を", "の例", "例如", "示例", "例子", "比如", "예를", "예시",
];

/// Words of users who want to decide before anything is done.
#[rustfmt::skip]
const HOLDS: &[&str] = &[
    "wait for my", "wait until i ", "until i say", "until i confirm", "until i approve", "ask me first",
    "ask me before", "check with me before", "check with me first", "confirm with me", "let me approve",
    "let me confirm", "before you do anything", "before doing anything", "don't do anything", "don’t do anything",
    "do not do anything",
    "warte auf mein", "warte, bis ich", "warte bis ich", "bis ich zustimme", "bis ich ja sage", "frag mich vorher",
    "frag mich zuerst", "frag mich erst", "frage mich vorher", "bevor du etwas tust", "tu noch nichts",
    "mach noch nichts",
    "espera mi", "espera a mi", "espera a que te", "hasta que yo", "pregúntame antes", "pregúntame primero",
    "antes de hacer nada", "no hagas nada",
    "attends mon", "attends ma", "attends que je", "demande-moi avant", "demande-moi d'abord", "demande-moi d’abord",
    "avant de faire quoi que ce soit", "ne fais rien",
    "espera pela minha", "espere pela minha", "espere o meu", "espera o meu", "pergunta-me antes", "pergunte-me antes",
    "antes de fazer qualquer", "não faças nada", "não faça nada",
    "aspetta il mio", "aspetta la mia", "chiedimi prima", "prima di fare qualsiasi", "non fare nulla",
    "non fare niente",
    "жди моего", "дождись моего", "подожди моего", "сначала спроси меня", "ничего не делай",
    "我同意后", "等我确认", "等我同意", "等我说", "等我的", "先问我", "先征求我", "先别动",
    "私の指示を待", "私の確認を待", "返事を待", "許可を待", "先に聞いて", "まだ何もし",
    "제 답을 기다", "확인을 기다", "허락을 기다", "먼저 물어", "아직 아무것도",
];

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
    if files(text).next().is_some() {
        return false;
    }
    let is_of = |words: &[&str], it: &str| words.iter().any(|word| word.eq_ignore_ascii_case(it));
    let first = text.split(|c: char| !c.is_alphanumeric()).find(|word| !is_of(&POLITE, word));
    if first.is_some_and(|word| is_of(&SHOW, word)) {
        return true;
    }
    let wish = Wish::of_words(text);
    let text = text.trim();
    let is_order = || is_short(text) && !has_question_mark(text) && !wish.wants_it_written();
    wish.orders_to_show() || has_failed && wish.asks_to_see() && is_order()
}

/// What may come before an order.
const POLITE: [&str; 9] = ["", "yes", "ok", "okay", "please", "just", "then", "ja", "oui"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_some_ask_for_code_and_want_no_file() {
        for text in [
            "Just show me a loop in Python, no file please.",
            "Yes, show it.",
            "Show me what the sorting looks like.",
            "Zeig mir den Code einfach hier.",
            "Muéstrame el código, por favor.",
            "Show me how you call example.com.",
            "Just show me a server in Node.js here.",
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
            "Show me your work in x.properties.",
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
}
