//! What the user's words ask for beside work: to be shown something, so that code in a message is what they asked for;
//! or calls in words, so that a printed call is.

use std::sync::{Arc, LazyLock};

use crate::files::files;
use crate::last_read::LastRead;
use crate::search::has_question_mark;
use balk_contract::nudge::is_short;
use balk_contract::words::{Found, Lists, folded};

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
    "mostre",
    "codice", //
    "laat zien",
    "laat het zien",
    "toon",   //
    "pokaż",  //
    "göster", //
    "код",
    "покажи", //
    "コード",
    "見せ",
    "例", //
    "代码",
    "给我看",
    "展示",
    "示例", //
    "코드",
    "보여",
];

/// What the words of a message ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish {
    found: Found,
    /// Whether it speaks of the form of calls.
    of_form: bool,
    /// What says that it asks for a call as a thing to see.
    calls: u8,
    /// Whether the user wants to decide before anything is done.
    holds: bool,
}

impl Wish {
    /// Of a message of the user.
    pub(crate) fn of(text: &Arc<str>) -> Self {
        thread_local! {
            static LAST: LastRead<1, Wish> = const { LastRead::new() };
        }
        LAST.with(|last| last.of([text], || Self::of_message(text)))
    }

    fn of_message(text: &str) -> Self {
        let words = Self::of_words(text);
        let holds = words.found.has(7) && has_hold(text);
        let before = match (holds, words.asks_to_see()) {
            (true, true) => 2,
            (true, false) => 1,
            (false, _) => 0,
        };
        let calls = calls::evidence(text) + before;
        Self { calls, holds, ..words }
    }

    /// Of any text, by single words alone.
    pub(crate) fn of_words(text: &str) -> Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| {
            Lists::anywhere(&[SHOWINGS, SHOW_ME, WRITTEN, FORMS, CALL, PRINT, EXAMPLES, HOLDS])
        });
        let text = folded(text);
        let found = LISTS.find(&text);
        Self { found, of_form: found.has(3) && speaks_of_form(&text), calls: 0, holds: false }
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
        let of_call = self.found.has(4) && (self.found.has(5) || self.asks_to_see());
        self.of_form || of_call || self.calls > 1
    }

    /// Whether it may ask for a call as a thing to see.
    pub(crate) fn may_want_calls(self) -> bool {
        self.calls > 0
    }

    /// Whether the user wants to decide before anything is done: what is shown or told before is an answer.
    pub(crate) fn holds(self) -> bool {
        self.holds
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
/// Whether a text has one of these, and not only as a part of a name, as in `package.json` or `data/json`.
fn speaks_of_form(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let is_form = |at: usize| match lower[..at].chars().next_back() {
        Some('.' | '_' | '-') => false,
        // Capitals make a form of it, as in "XML/JSON".
        Some('/') => text[at..].starts_with(char::is_uppercase),
        _ => true,
    };
    FORMS.iter().any(|form| lower.match_indices(form).any(|(at, _)| is_form(at)))
}

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
    "wait for my word", "wait for my ok", "wait for my okay", "wait for my go", "wait for my approval",
    "wait for my confirmation", "wait until i say", "wait until i confirm", "wait until i approve", "ask me first",
    "ask me before", "check with me first", "check with me before", "let me approve", "let me confirm",
    "warte auf mein ok", "warte auf mein ja", "warte auf meine freigabe", "warte auf meine bestätigung",
    "frag mich vorher", "frag mich zuerst", "frag mich erst", "frage mich vorher",
    "espera mi visto bueno", "espera mi confirmación", "espera mi aprobación", "pregúntame antes",
    "pregúntame primero",
    "attends mon accord", "attends mon feu vert", "attends ma validation", "attends ma confirmation",
    "demande-moi avant", "demande-moi d'abord", "demande-moi d’abord",
    "espera pela minha confirmação", "espere pela minha confirmação", "espere o meu ok", "pergunta-me antes",
    "pergunte-me antes", "aspetta il mio ok", "aspetta il mio via", "aspetta la mia conferma", "chiedimi prima",
    "жди моего подтверждения", "дождись моего подтверждения", "дождись моего согласия", "сначала спроси меня",
    "等我确认", "等我同意", "先问我", "先征求我", "確認を待って", "許可を待って", "返事を待って", "先に聞いて",
    "확인을 기다려", "허락을 기다려", "먼저 물어",
];
/// Words that turn them round, in the same clause.
#[rustfmt::skip]
const NO_HOLDS: &[&str] = &[
    "n't", "n’t", " not ", "no need", "never", "without", " stop ", "nicht", " nie ", "ohne", "kein", " no ", " sin ",
    "nunca", " pas ", " sans ", "jamais", "não", " sem ", " non ", "senza", " mai ", " не ", " без ",
    "不", "别", "无需", "ない", "ずに", "말고", "않", "없",
];

/// Whether a clause of the text has such words, whole, and none that turns them round.
fn has_hold(text: &str) -> bool {
    let text = text.to_lowercase();
    let ends = [',', '.', ';', ':', '!', '?', '\n', '，', '。', '；', '：', '！', '？', '、'];
    let is_whole = |clause: &str, end: usize| {
        !clause[..end].ends_with(|c: char| c.is_ascii_alphabetic())
            || !clause[end..].starts_with(char::is_alphabetic)
    };
    text.split(ends).any(|clause| {
        let holds =
            |word: &&str| clause.match_indices(*word).any(|(at, _)| is_whole(clause, at + word.len()));
        let spaced = format!(" {clause} ");
        HOLDS.iter().any(holds) && !NO_HOLDS.iter().any(|word| spaced.contains(word))
    })
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
    fn x2_who_names_a_file_does_not_speak_of_calls() {
        for text in ["Answer in JSON.", "Gib mir das als json", "请用JSON回答。", "XML/JSON, please"] {
            assert!(Wish::of_message(text).speaks_of_calls(), "{text}");
        }
        for text in [
            "Add zod to package.json.",
            "Move fixtures/xml to fixtures/json.",
            "tr.json doğrulamadan geçmiyor.",
            "Fix to_json in api.py.",
        ] {
            assert!(!Wish::of_message(text).speaks_of_calls(), "{text}");
        }
    }

    #[test]
    fn some_want_to_be_shown_code() {
        for text in [
            "Enséñame el código, por favor.",
            "Show it.",
            "コードを見せてください。",
            "Mostre o texto antes.",
            "Laat zien wat je schrijft.",
            "Toon het eerst.",
            "Najpierw pokaż tekst.",
            "Önce metni burada göster.",
            "先把内容展示一下。",
        ] {
            assert!(asks_to_see(text), "{text}");
        }
        assert!(!asks_to_see("Go on, please."));
    }
}
