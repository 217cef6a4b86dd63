//! Who does what in a sentence, as far as a few words and their order say it.

use super::vocabulary::{ADDRESSES, DEEDS, GERMAN, NEGATIONS, SIGN_DEEDS, SPANISH, SPEAKERS};

/// The meaning of "close": in words, and in characters for scripts without blanks.
const WORDS: usize = 4;
const SIGNS: usize = 12;

/// How a text announces an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Announcement {
    /// It names an action and a time, but not who acts: an instruction may have the same words.
    Perhaps,
    /// It breaks off, or says that the speaker is about to act.
    Outright,
    /// It is longer, such as a plan, and its last paragraph says that the speaker is about to act.
    AtTheEnd,
}

/// A sentence with straight apostrophes.
pub(super) struct Sentence {
    text: String,
    /// The same in small letters of ASCII, so that places are the same.
    pub(super) lower: String,
}

impl Sentence {
    pub(super) fn new(text: &str) -> Self {
        let text = text.replace('’', "'");
        let lower = text.to_ascii_lowercase();
        Self { text, lower }
    }

    /// Whether this word is here and begins a word of the sentence, and ends one if a blank is before it.
    pub(super) fn has_at(&self, at: usize, word: &str) -> bool {
        let Some(rest) = self.lower.as_bytes()[at..].strip_prefix(word.as_bytes()) else { return false };
        let is_letter = |c: char| c.is_alphanumeric() && !is_sign(c);
        let begins = !word.starts_with(|c: char| c.is_ascii_alphabetic())
            || !self.lower[..at].chars().next_back().is_some_and(is_letter);
        begins && (!word.starts_with(' ') || !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    }

    /// Whether an action word follows closely, with no negation in between.
    pub(super) fn has_deed_behind(&self, behind: usize) -> bool {
        let close = || self.text[behind..].split_whitespace().take(WORDS);
        close().take_while(|word| !is_one_of(word, NEGATIONS)).any(is_deed)
            || has_sign_deed(self.signs(behind))
    }

    /// Whether an action word comes closely before.
    pub(super) fn has_deed_before(&self, at: usize) -> bool {
        self.words_before(at).take(WORDS).any(is_deed) || has_sign_deed(self.signs_before(at))
    }

    /// A verb that ends here: of the speaker if the sentence says that it comes next, and of something else if it has a
    /// topic ("この関数は…").
    pub(super) fn ends_in_deed(&self, at: usize) -> Option<Announcement> {
        if !self.has_deed_before(at) || has_topic(&self.text[..at]) || self.addresses() {
            return None;
        }
        let comes_next = ["これから", "今から", "次に", "続いて", "まず", "早速"];
        let is_next = comes_next.iter().any(|it| self.text[..at].contains(it));
        Some(if is_next { Announcement::Outright } else { Announcement::Perhaps })
    }

    /// A time before an action ("Jetzt lese ich …").
    pub(super) fn soon(&self, at: usize, behind: usize) -> Option<Announcement> {
        let words: Vec<&str> = self.text[behind..].split_whitespace().take(WORDS + 1).collect();
        let signs = self.signs(behind);
        let is_of_signs = has_sign_deed(signs);
        if Self::is_own(&words) || is_of_signs && signs.contains('我') {
            return Some(Announcement::Outright);
        }
        let is_free = self.begins_clause(at) && !self.addresses() && !has_topic(&self.text);
        let is_bare = is_of_signs || words.iter().take(WORDS).any(|word| is_bare_deed(word));
        (is_free && is_bare).then_some(Announcement::Perhaps)
    }

    /// A time behind an action ("Checking the logs now", "Ich prüfe das gleich").
    pub(super) fn soon_behind(&self, at: usize, behind: usize) -> Option<Announcement> {
        let mut words: Vec<&str> = self.words_before(at).take(WORDS + 1).collect();
        words.reverse();
        words.extend(self.text[behind..].split_whitespace().next());
        if Self::is_own(&words) {
            return Some(Announcement::Outright);
        }
        let mut clause = self.clause(at).split_whitespace();
        let begins = clause.next().is_some_and(|word| is_bare_deed(&word.to_lowercase()));
        (begins && clause.count() < WORDS && !self.addresses()).then_some(Announcement::Perhaps)
    }

    /// Whether one of these words is an action of the speaker: beside "I", or in the first person of Spanish.
    fn is_own(words: &[&str]) -> bool {
        let is_speaker = |at: usize| words.get(at).is_some_and(|word| is_one_of(word, SPEAKERS));
        let is_beside = |at: usize| is_speaker(at + 1) || at > 0 && is_speaker(at - 1);
        let mut all = words.iter().enumerate();
        all.any(|(at, word)| is_deed(word) && (is_beside(at) || is_first_person(word)))
    }

    /// The words before a place, the nearest first.
    fn words_before(&self, at: usize) -> impl Iterator<Item = &str> {
        self.text[..at].split_whitespace().rev()
    }

    /// Whether at most one word is before it in its clause: "Just a moment", but not "The page takes a moment".
    fn begins_clause(&self, at: usize) -> bool {
        let clause = self.clause(at);
        clause.split_whitespace().count() <= 1 && !clause.contains(is_sign)
    }

    /// What is before this place in its clause.
    fn clause(&self, at: usize) -> &str {
        self.text[..at]
            .rsplit([',', ';', ':', '–', '—', '(', '，', '、', '；', '：'])
            .next()
            .unwrap_or_default()
    }

    /// Whether the sentence tells the user what they can do.
    fn addresses(&self) -> bool {
        let formal = |(nth, word): (usize, &str)| nth > 0 && word.starts_with("Sie");
        ADDRESSES.iter().any(|word| self.lower.match_indices(word).any(|(at, _)| self.has_at(at, word)))
            || self.text.split_whitespace().enumerate().any(formal)
    }

    fn signs(&self, behind: usize) -> &str {
        let rest = &self.text[behind..];
        &rest[..rest.char_indices().nth(SIGNS).map_or(rest.len(), |(end, _)| end)]
    }

    fn signs_before(&self, at: usize) -> &str {
        let before = &self.text[..at];
        &before[before.char_indices().nth_back(SIGNS - 1).map_or(0, |(start, _)| start)..]
    }
}

fn is_sign(c: char) -> bool {
    ('\u{2e80}'..='\u{9fff}').contains(&c)
}

fn has_sign_deed(signs: &str) -> bool {
    !signs.is_ascii() && SIGN_DEEDS.iter().any(|deed| signs.contains(deed))
}

/// Whether Japanese marks a topic that is none of time or of the speaker: then that is what acts.
fn has_topic(text: &str) -> bool {
    const NONE: &[char] = &['次', '今', '私', '僕', '回', '度', '先'];
    let is_hiragana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
    text.match_indices('は').any(|(at, _)| {
        let before = &text[..at];
        let is_named = |c: char| !is_hiragana(c) && c.is_alphanumeric() && !NONE.contains(&c);
        before.chars().next_back().is_some_and(is_named)
            || before.ends_with("これ")
            || before.ends_with("それ")
    })
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|it| it.eq_ignore_ascii_case(trimmed(word)))
}

/// English action words must match completely, because "changes" and "updates" are things; Spanish and German ones
/// match by their stem. A word that begins with a capital letter is a name or a German noun (`Suche`).
fn is_deed(word: &str) -> bool {
    let word = trimmed(word);
    DEEDS.contains(&word) || has_stem(word, SPANISH) || has_stem(word, GERMAN)
}

fn has_stem(word: &str, stems: &[&str]) -> bool {
    let may_be_stem = |stem: &&&str| stem.as_bytes().first() == word.as_bytes().first();
    stems.iter().filter(may_be_stem).any(|stem| word.starts_with(stem))
}

/// Whether a Spanish verb is in the first person, and is no participle.
fn is_first_person(word: &str) -> bool {
    let word = trimmed(word);
    word.ends_with('o') && !["ado", "ido", "echo"].iter().any(|ending| word.ends_with(ending))
}

/// Whether an action word may be of the speaker though nothing says who acts: not in Spanish, whose first person ends
/// in `o`, and in German only if it ends in `e` ("Prüfe jetzt die Logs.").
fn is_bare_deed(word: &str) -> bool {
    let word = trimmed(word);
    DEEDS.contains(&word) || word.ends_with('e') && has_stem(word, GERMAN)
}
