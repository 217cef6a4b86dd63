//! Whether a message only asks for more of what the request before it asked to see: "And the heater?", "Und als curl?"
//! (spec X2).
//!
//! A short question that gives no order asks about the thing that was shown. Two things tell it from an order, which
//! people also put as a question: an order speaks to the model ("Could you …?"), unless an interrogative asks how it
//! would be done or the words ask to be shown it, or it says that now is the time ("now", "really"). What is left asks
//! for more for sure if it has hardly a sentence of its own: it goes on with what was said ("and …", "… too", "what
//! about …"), begins with a preposition ("as curl?"), is a word or two, or ends in a particle that asks about a topic
//! (呢, は, 은). Any other short question ("Is it on?") may be about the world, so it is doubtful.

use std::sync::LazyLock;

use super::Wish;
use super::calls::{ASKING, ASKING_WORDS};
use crate::search::is_question;
use crate::sentences::sentences;
use balk_contract::nudge::is_closing;
use balk_contract::wording::is_longer;
use balk_contract::words::{Lists, folded};

/// The longest question of this kind, in characters; half of it in scripts that write a word in one or two.
const CHARS: usize = 100;
/// The most words, and characters of such scripts, of a question that can have no verb of its own.
const WORDS: usize = 2;
const SIGNS: usize = 6;

/// Whether a message goes on with the wish that the one before it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FollowUp {
    /// It asks for more of it.
    Surely,
    /// It may ask for more of it.
    Perhaps,
    /// It wants something else.
    No,
}

impl FollowUp {
    /// Of a message of the user.
    pub(crate) fn of(text: &str) -> Self {
        static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::beginning_words(&[ORDERS, ASKING, TOO]));
        let text = text.trim();
        if is_longer(text, CHARS) || is_longer(text, CHARS / 2) && text.chars().any(is_sign) {
            return Self::No;
        }
        let text = text.to_lowercase().replace('’', "'");
        let mut before: Vec<&str> = sentences(&text).collect();
        let Some(last) = before.pop() else { return Self::No };
        let last = last.trim_start_matches(|c: char| !c.is_alphanumeric());
        let found = LISTS.find(last);
        let is_question = is_question(last);
        let wish = Wish::of_words(last);
        let shows = if is_question { wish.asks_to_see() } else { wish.orders_to_show() };
        if wants_it_done(last) || !is_question && !shows || !before.iter().all(|it| is_remark(it)) {
            return Self::No;
        }
        let asks = found.has(1) || words(last).any(|it| ASKING_WORDS.contains(&it));
        if found.has(0) && !asks && !shows {
            return Self::No;
        }
        let is_bare = !asks && !shows && (is_brief(last) || begins(last, PREPOSITIONS));
        let is_linked = found.has(2) || begins(last, LINKS) || ends_in_a_topic(last);
        if is_bare || is_linked { Self::Surely } else { Self::Perhaps }
    }
}

/// Whether a message says that now is the time to do it, and not only to show it.
pub(crate) fn wants_it_done(text: &str) -> bool {
    static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::beginning_words(&[NOW]));
    LISTS.find(&folded(text)).has(0)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty())
}

/// Whether what was said before the question is a word or a thanks: "Perfect. And the heater?"
fn is_remark(sentence: &str) -> bool {
    let signs = sentence.chars().filter(|c| is_sign(*c)).count();
    is_closing(sentence) || words(sentence).count() < 2 && signs <= SIGNS / 2
}

fn is_brief(question: &str) -> bool {
    let signs = question.chars().filter(|c| is_sign(*c)).count();
    words(question).count() <= WORDS && signs <= SIGNS
}

/// Whether a text begins with one of these words, or, in a script without blanks, with these characters.
fn begins(text: &str, all: &[&str]) -> bool {
    let is_apart = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    all.iter().any(|it| text.strip_prefix(it).is_some_and(|rest| it.chars().any(is_sign) || is_apart(rest)))
}

/// Whether a question ends in a particle that asks about what it names.
fn ends_in_a_topic(question: &str) -> bool {
    let body = question.trim_end_matches(|c: char| !c.is_alphanumeric());
    TOPICS.iter().any(|it| body.ends_with(it))
}

/// Chinese, Japanese and Korean characters.
fn is_sign(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c) || ('\u{ac00}'..='\u{d7af}').contains(&c)
}

/// Words that speak to the model: a question that has one and no interrogative is an order.
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "you ", "you,", "du ", "kannst", "könntest", "können sie", "könnten sie", "würden sie", "würdest",
    "puedes", "podrías", "puede usted", "podría usted", "tú ", "usted", "peux-tu", "pourrais-tu", "tu ", "vous ",
    "puoi", "potresti", "può", "pode ", "poderia", "podes", "consegue", "você ", "можешь", "можете", "мог бы", "ты ",
    "вы ",
    "你", "您", "能不能", "可以", "可否", "请", "帮", "麻烦", "くれ", "もらえ", "いただけ", "ください", "下さい",
    "お願い",
    "줄래", "줄 수", "주겠", "주실", "주세요", "해줘", "해 줘", "부탁",
];
/// Words of those who want it done at last.
#[rustfmt::skip]
const NOW: &[&str] = &[
    "now", "really", "actually", "for real", "this time", "jetzt", "wirklich", "tatsächlich", "diesmal",
    "ahora", "de verdad", "maintenant", "vraiment", "pour de vrai", "adesso", "ora ", "davvero", "agora", "de verdade",
    "сейчас", "теперь", "действительно", "по-настоящему", "现在", "真的", "真正", "这次",
    "今すぐ", "今度", "今は", "本当に", "実際に", "지금", "이제", "진짜", "정말", "실제로",
];
/// Words that add to what was said.
#[rustfmt::skip]
const TOO: &[&str] = &[
    "too?", "too.", "too ", "also", "as well", "the same", "same for", "auch ", "ebenfalls", "dasselbe", "das gleiche",
    "también", "lo mismo", "aussi", "la même chose", "pareil", "anche", "lo stesso", "também", "o mesmo",
    "тоже", "также", "то же", "也", "同样", "同じ", "똑같", "같은",
];
/// Words that a question begins with if it goes on with what was said.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "and", "or", "but", "then", "what about", "how about", "what if",
    "und", "oder", "aber", "dann", "was ist mit", "wie wäre es mit", "wie sieht es mit",
    "y", "o", "pero", "entonces", "qué tal", "qué hay de", "et", "ou", "mais", "alors", "qu'en est-il",
    "e", "ed", "ma", "allora", "mas", "então", "que tal", "а", "и", "или", "тогда", "что насчёт", "как насчёт",
    "那", "还有", "换成", "如果", "要是", "じゃ", "では", "それなら", "それでは", "あと", "그럼", "그러면", "그리고",
];
#[rustfmt::skip]
const PREPOSITIONS: &[&str] = &[
    "as", "in", "for", "with", "without", "using", "via", "als", "für", "fürs", "mit", "ohne", "im", "per",
    "como", "en", "para", "con", "sin", "comme", "pour", "avec", "sans", "come", "senza", "por", "com", "sem", "em",
    "как", "для", "с", "без", "в", "на", "через",
];
/// Particles at the end.
const TOPICS: &[&str] = &["呢", "は", "なら", "だと", "では", "だったら", "은", "는", "도", "라면", "이면"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x2_a_short_question_without_an_order_asks_for_more() {
        for text in [
            "And the heater?",
            "Perfect. And with a timeout?",
            "What about the garage door?",
            "The blinds too?",
            "As YAML?",
            "Und als curl?",
            "Und wie würdest du das für den Keller schreiben?",
            "Danke! Und mit zwei Zeilen?",
            "Kannst du mir das auch für den Keller zeigen?",
            "¿Y para el sótano?",
            "Et sans le titre ?",
            "E per la cantina?",
            "А для подвала?",
            "那地下室呢？",
            "把窗帘拉上呢？",
            "では地下室は？",
            "그럼 지하실은?",
            "Show me the same for the cellar.",
        ] {
            assert_eq!(FollowUp::of(text), FollowUp::Surely, "{text}");
        }
    }

    #[test]
    fn x2_a_short_question_of_its_own_may_ask_for_more() {
        for text in ["Is the cellar warm?", "How warm is the cellar?", "Ist der Keller schon warm genug?"] {
            assert_eq!(FollowUp::of(text), FollowUp::Perhaps, "{text}");
        }
    }

    #[test]
    fn x2_an_order_asks_for_no_more_even_as_a_question() {
        for text in [
            "Now really do it.",
            "And now for real?",
            "Turn on the heater.",
            "Turn on the heater. And the lamp?",
            "And could you turn on the heater?",
            "Und kannst du die Heizung einschalten?",
            "¿Y puedes encender la calefacción?",
            "Et peux-tu allumer le chauffage ?",
            "А можешь включить отопление?",
            "那你能把暖气打开吗？",
            "じゃあ暖房をつけてくれる？",
            "그럼 난방을 켜 줄래?",
            "现在真的打开。",
            "Thanks, that is for the docs.",
            "And then there is the heater in the cellar, which nobody has touched since last winter: what would be \
             needed to turn it on?",
        ] {
            assert_eq!(FollowUp::of(text), FollowUp::No, "{text}");
        }
    }
}
