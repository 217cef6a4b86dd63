//! Whether a request names a call as a thing to see, so that a printed one may be the answer to it (spec X2).
//!
//! "What would the payload be? I send it myself." has no word of JSON or of showing. What such requests share is
//! evidence of four kinds, none of which is enough alone, because each is also in requests for work:
//!
//! | evidence | also in |
//! |---|---|
//! | it wonders: an interrogative before a conditional ("Which … would you …") | "Do what you would do." |
//! | a question about a call, a command, a payload | "Which command is slow?" |
//! | it forbids to run something ("Don't run it") | "Don't run the tests, write the file." |
//! | users do it themselves ("by hand"); counts only beside another | "I tested it by hand." |
//!
//! One of them makes a printed call doubtful, two make it an answer, and so does an order to show or tell a command or
//! a call. A polite order is none: "Would you send it?" has no interrogative. Sentences are judged one by one. Words
//! are those of ten languages; the conditional of Romance languages is known by its endings.

use std::sync::LazyLock;

use crate::search::{has_question_mark, is_question};
use crate::sentences::sentences;
use balk_contract::words::{Found, Lists};

/// Longer requests describe work, and their sentences are many.
const BYTES: usize = 4_096;
/// How many words after an order to show, the thing to be shown is named.
const WORDS: usize = 6;

/// How much says that a printed call may be the answer: 0 to 4.
pub(crate) fn evidence(text: &str) -> u8 {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| {
        Lists::beginning_words(&[THINGS, WEAK_THINGS, DO_NOT, BY_HAND, WOULD, ASKING, SHOWING, RUNNING])
    });
    static ENDS: LazyLock<Lists> = LazyLock::new(|| Lists::anywhere(&[ENDINGS]));
    if text.len() > BYTES {
        return 0;
    }
    let text = text.to_lowercase();
    let all = LISTS.find(&text);
    // Most requests end here: nothing in them is a call, forbidden, or conditional.
    let hints = [THING, WEAK_THING, FORBIDS, WONDERS];
    let has_ends = ENDS.find(&text).has(0);
    let is_conditional = |text: &str| has_ends && has_ending(text);
    if !hints.iter().any(|it| all.has(*it)) && !is_conditional(&text) {
        return 0;
    }
    let (mut wonders, mut asks) = (false, false);
    for sentence in sentences(&text) {
        let found = LISTS.find(sentence);
        let is_question = is_question(sentence);
        let names_thing = found.has(THING) || is_question && found.has(WEAK_THING);
        // So do most sentences.
        if !names_thing && !found.has(WONDERS) && !is_conditional(sentence) {
            continue;
        }
        let words: Vec<Word> = words(sentence).collect();
        if shows_a_call(found, &words) {
            return 2;
        }
        wonders |= self::wonders(found, &words);
        asks |= names_thing && is_question && (found.has(ASKS) || words.contains(&Word::Asks));
    }
    let first = u8::from(wonders) + u8::from(asks) + u8::from(all.has(FORBIDS));
    if first > 0 { first + u8::from(all.has(SELF)) } else { 0 }
}

/// Whether a question names one of these tools by a name that is no common word.
pub(crate) fn asks_about_one_of(text: &str, is_tool: impl Fn(&str) -> bool) -> bool {
    let is_name = |word: &str| word.contains(['_', '.']) || word.chars().skip(1).any(char::is_uppercase);
    text.len() <= BYTES
        && has_question_mark(text)
        && sentences(text).filter(|it| is_question(it)).any(|sentence| {
            let folded = sentence.to_lowercase();
            let asks =
                ASKING.iter().any(|it| folded.contains(it)) || words(&folded).any(|it| it == Word::Asks);
            let mut names = sentence.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '`')));
            asks && names.any(|it| {
                let bare = it.trim_matches(['`', '.']);
                (it.starts_with('`') || is_name(bare)) && is_tool(bare)
            })
        })
}

/// What a word is to such a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Asks,
    Would,
    Shows,
    Thing,
    Result,
    Other,
}

impl Word {
    fn of(word: &str) -> Self {
        let begins = |list: &[&str]| list.iter().any(|it| word.starts_with(it));
        if ASKING_WORDS.contains(&word) {
            Self::Asks
        } else if RESULTS.iter().any(|it| word.contains(it)) {
            Self::Result
        } else if WOULD.contains(&word) || has_ending(word) {
            Self::Would
        } else if begins(THINGS) {
            Self::Thing
        } else if SHOWING_WORDS.contains(&word) {
            Self::Shows
        } else {
            Self::Other
        }
    }
}

fn words(sentence: &str) -> impl Iterator<Item = Word> + '_ {
    let words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
    let mut before = "";
    words.map(move |word| {
        let is_written_out = WRITING_WORDS.contains(&before) && FOR_USERS.contains(&word);
        before = word;
        if is_written_out { Word::Shows } else { Word::of(word) }
    })
}

/// "Which … would you …": scripts without blanks may have them in any order.
fn wonders(found: Found, words: &[Word]) -> bool {
    let first = |of: Word| words.iter().position(|it| *it == of);
    match (first(Word::Asks), words.iter().rposition(|it| *it == Word::Would)) {
        (Some(asks), Some(would)) if asks < would => true,
        (Some(_) | None, _) => found.has(ASKS) && found.has(WONDERS),
    }
}

/// "Show me the exact command", but not what it prints, nor "Run the command and show …".
fn shows_a_call(found: Found, words: &[Word]) -> bool {
    let shows_in_signs = found.has(SHOWS) && found.has(THING) && (!found.has(RUNS) || found.has(FORBIDS));
    let shows = |at: usize| {
        let after = &words[at + 1..words.len().min(at + 1 + WORDS)];
        let thing = after.iter().position(|it| *it == Word::Thing);
        thing.is_some_and(|thing| {
            let is_of_another = |it: &Word| matches!(it, Word::Asks | Word::Result);
            !after[..thing].iter().any(is_of_another) && after.get(thing + 1) != Some(&Word::Result)
        })
    };
    shows_in_signs || (0..words.len()).any(|at| words[at] == Word::Shows && shows(at))
}

/// Whether the text, or its words, may have a Romance conditional.
fn has_ending(text: &str) -> bool {
    let ends = |word: &str| ENDINGS.iter().any(|it| word.len() > it.len() + 1 && word.ends_with(it));
    text.split(|c: char| !c.is_alphanumeric()).any(ends)
}

/// The places of the lists.
const THING: usize = 0;
const WEAK_THING: usize = 1;
const FORBIDS: usize = 2;
const SELF: usize = 3;
const WONDERS: usize = 4;
const ASKS: usize = 5;
const SHOWS: usize = 6;
const RUNS: usize = 7;

/// What is shown in place of being run.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "payload", "call", "command", "invocation", "curl",
    "aufruf", "befehl", "kommando", "nutzlast", "toolaufruf", "werkzeugaufruf",
    "llamada", "comando", "appel", "commande", "chamada", "chiamata",
    "вызов", "команд",
    "呼び出し", "コマンド", "ペイロード", "调用", "命令", "指令", "载荷", "호출", "명령", "페이로드",
];
/// The same, in words that are also for other things.
#[rustfmt::skip]
const WEAK_THINGS: &[&str] = &[
    "request", "query", "argument", "parameter", "anfrage", "abfrage", "petición", "consulta", "solicitud",
    "requête", "requisição", "pedido", "richiesta", "argoment", "запрос", "аргумент", "параметр",
    "リクエスト", "引数", "请求", "参数", "요청", "인수", "인자",
];
/// Orders to run nothing.
#[rustfmt::skip]
const DO_NOT: &[&str] = &[
    "don't run", "don't execute", "don't send", "don't call", "don't actually", "don’t run", "don’t execute",
    "don’t send", "don’t call", "do not run", "do not execute", "do not send", "do not call", "do not actually",
    "without running", "without executing", "without sending", "without calling", "before you run",
    "before you send", "nicht ausführ", "nichts ausführ", "ohne auszuführen", "ohne ihn auszuführen",
    "ohne es auszuführen", "führe nichts aus", "führ nichts aus", "nicht abschick", "noch nicht senden",
    "no ejecutes", "no lo ejecutes", "no la ejecutes", "no lo envíes", "no la envíes", "no envíes", "sin ejecutar",
    "sin enviar", "n'exécute", "n’exécute", "ne l'exécute", "ne lance rien", "ne lance pas", "n'envoie", "n’envoie",
    "sans exécuter", "sans l'exécuter", "sans lancer", "sans envoyer", "não execute", "não envie", "não rode",
    "sem executar", "sem enviar", "non eseguire", "non eseguirlo", "non inviare", "senza eseguir", "senza inviar",
    "не выполняй", "не запускай", "не отправляй", "не вызывай", "не выполняя", "не запуская",
    "実行しない", "実行せず", "送信しない", "送信せず", "送らない", "呼び出さない",
    "不要执行", "不要运行", "别执行", "别运行", "不用执行", "不要发送", "别发送", "不要调用",
    "실행하지", "보내지 마", "보내지 말", "호출하지",
];
/// Users who do it themselves.
#[rustfmt::skip]
const BY_HAND: &[&str] = &[
    "myself", "by hand", "manually", "i'll run", "i’ll run", "i will run", "i'll send", "i’ll send", "i will send",
    "selbst", "selber", "von hand", "manuell", "yo mismo", "yo misma", "a mano", "manualmente",
    "moi-même", "à la main", "manuellement", "eu mesmo", "eu mesma", "à mão", "io stesso", "io stessa",
    "сам ", "сама ", "вручную", "自分で", "手動で", "我自己", "自己来", "手动", "직접", "제가 ", "수동",
];
/// Conditionals; those of scripts without blanks also have the plain future.
#[rustfmt::skip]
const WOULD: &[&str] = &[
    "would", "würdest", "würden", "würde", "wäre", "serait", "sarebbe", "sería", "seria", "faria", "usaria",
    "enviaria", "mandaria", "chamaria", "executaria", "rodaria", "бы",
    "ことになり", "つもり", "ますか", "你会", "您会", "会怎么", "打算", "会用什么",
    "겠어", "겠습니까", "건가요", "건지",
];
/// Ends of conditionals: "mandarías", "lancerais", "lanceresti".
const ENDINGS: &[&str] =
    &["arías", "erías", "irías", "erais", "irais", "drais", "eriez", "iriez", "driez", "resti", "reste"];
/// Interrogatives.
#[rustfmt::skip]
pub(super) const ASKING_WORDS: &[&str] = &[
    "what", "which", "how", "was", "wie", "welche", "welchen", "welcher", "welches", "qué", "cuál", "cuáles",
    "cómo", "quel", "quelle", "quels", "quelles", "comment", "que", "quoi", "qual", "quais", "como", "che", "quale",
    "quali", "come", "cosa", "что", "какой", "какую", "какая", "какие", "каким", "как",
];
/// Those of scripts without blanks.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    "どう", "どんな", "どの", "何", "什么", "怎么", "怎样", "如何", "哪", "어떤", "어떻게", "무엇", "무슨", "뭐",
];
/// Orders to show or to tell.
#[rustfmt::skip]
const SHOWING_WORDS: &[&str] = &[
    "show", "print", "spell", "tell", "give", "draft", "see",
    "zeig", "zeige", "nenn", "nenne", "sag", "sage", "gib",
    "muéstrame", "enséñame", "dime", "dame", "escríbeme", "montre", "dis", "donne", "mostra", "mostre",
    "diga", "mostrami", "dimmi", "scrivimi", "dammi", "fammi", "покажи", "скажи", "дай",
];
/// Who writes a call for the user writes it out, down, or to them; else it is for a file.
const WRITING_WORDS: &[&str] = &["write", "schreib", "schreibe", "escribe", "écris", "напиши"];
/// What follows.
const FOR_USERS: &[&str] = &["out", "down", "me", "mir", "moi", "мне"];
/// Those of scripts without blanks.
const SHOWING: &[&str] = &["見せ", "教えて", "给我看", "告诉我", "写出", "列出", "보여", "알려"];
/// Orders to run something, of the same scripts.
const RUNNING: &[&str] = &["実行して", "実行し、", "运行", "执行", "실행해", "실행하고"];
/// What a command brings.
#[rustfmt::skip]
const RESULTS: &[&str] = &[
    "output", "result", "print", "log", "ausgabe", "ergebnis", "salida", "resultado", "sortie", "résultat", "saída",
    "risultat", "вывод", "результат",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x2_two_kinds_of_evidence_or_an_order_to_show_make_a_printed_call_an_answer() {
        for text in [
            "What would the payload be? I post it myself.",
            "How would you call the tool for that?",
            "Write down the exact command, please.",
            "Was würdest du schicken? Ich mache es von Hand.",
            "Nenn mir bitte nur den genauen Befehl.",
            "¿Qué comando usarías?",
            "Quelle commande lancerais-tu ? Ne lance rien.",
            "Qual comando você usaria?",
            "Con quale comando lo faresti?",
            "Какую команду ты бы запустил?",
            "どのコマンドを使うつもりですか？",
            "不要运行，写出命令就行。",
            "어떤 명령을 쓰겠어요?",
        ] {
            assert!(evidence(text) >= 2, "{text}: {}", evidence(text));
        }
    }

    #[test]
    fn x2_one_kind_makes_it_doubtful() {
        for text in [
            "What would you do about it?",
            "Which command is slow?",
            "Don't run the tests. Add the line.",
            "不要执行测试，直接写文件。",
        ] {
            assert_eq!(evidence(text), 1, "{text}");
        }
    }

    #[test]
    fn x2_orders_are_none_however_polite_and_whatever_they_name() {
        for text in [
            "Would you send her the invoice?",
            "Could you run the usual command, please?",
            "Run the command and show me the output.",
            "Write a call of the service into client.py.",
            "Show me the output of the command.",
            "I tried it by hand. Restart it.",
            "Würden Sie bitte die Zeile löschen?",
            "Was Mia schreibt, kommt in die Datei.",
            "Ejecuta el comando y dime el resultado.",
            "Pourriez-vous lancer la commande ?",
            "Potresti lanciare il comando?",
            "Запусти команду и покажи вывод.",
            "コマンドを実行して結果を見せて。",
            "运行命令，然后告诉我结果。",
            "명령을 실행하고 결과를 알려 주세요.",
        ] {
            assert_eq!(evidence(text), 0, "{text}");
        }
    }

    #[test]
    fn x2_a_question_may_name_a_tool() {
        let is_tool = |it: &str| matches!(it, "delete_row" | "search");
        assert!(asks_about_one_of("What does delete_row take?", is_tool));
        assert!(asks_about_one_of("Wie ruft man `search` auf?", is_tool));
        assert!(!asks_about_one_of("Can you use delete_row for row 3?", is_tool));
        assert!(!asks_about_one_of("What do you find if you search for it?", is_tool));
        assert!(!asks_about_one_of("Use delete_row on what is old.", is_tool));
    }
}
