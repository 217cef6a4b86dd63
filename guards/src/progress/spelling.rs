//! Whether two texts speak of the same things in other spellings, or of another thing each: another recipient, another
//! name, another item.
//!
//! Where a call fails, whatever was changed in it did not matter. Where it works, nearly the same words may be the next
//! deed of a row: a mail to the next person has the same text, and the same answer. So there, a word that differs has
//! to be another spelling. What is only there once more in one of the two texts says more about the same thing.

/// Names of their own in one text, beyond which the two are not compared word by word.
const OWN: usize = 16;
/// A shorter word in small letters joins others ("of", "with") or is a short command, and a shorter number may be a
/// bound of one question.
const LETTERS: usize = 5;
const DIGITS: usize = 2;
/// Letters that two spellings begin with.
const BEGINNING: usize = 4;

/// Whether each of the two texts has a name, of which the other has no spelling.
pub(super) fn are_about_others(one: &str, other: &str) -> bool {
    let (words, others) = (sorted(one), sorted(other));
    let own = of_its_own(&words, &others);
    let theirs = of_its_own(&others, &words);
    let lacks = |word: &Word<'_>, texts: &[Word<'_>]| {
        word.is_name() && !texts.iter().any(|it| is_spelling(word.text, it.text))
    };
    own.iter().any(|it| lacks(it, &theirs)) && theirs.iter().any(|it| lacks(it, &own))
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Word<'t> {
    text: &'t str,
    /// Whether it is a part of a path or of the name of a file.
    is_part: bool,
}

impl Word<'_> {
    /// Whether it may be a name: it is long, a number, a part of a path, begins with a capital, or is of a script
    /// without them.
    fn is_name(&self) -> bool {
        let word = self.text;
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let is_small = |c: char| c.is_lowercase() || c.is_ascii_digit();
        let is_long = || match is_number {
            true => word.len() >= DIGITS,
            false => word.chars().nth(LETTERS - 1).is_some() || word.len() > 1 && !word.chars().all(is_small),
        };
        self.is_part || is_long()
    }
}

fn sorted(text: &str) -> Vec<Word<'_>> {
    let mut words: Vec<_> = text
        .split(char::is_whitespace)
        .flat_map(|part| {
            let inner = part.trim_matches(|c: char| !c.is_alphanumeric());
            let is_part = inner.contains(['/', '_', '.']) && inner.contains(char::is_alphabetic);
            let words = part.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty());
            words.map(move |text| Word { text, is_part })
        })
        .collect();
    words.sort_unstable();
    words.dedup_by_key(|it| it.text);
    words
}

/// The words that are not among the others.
fn of_its_own<'t>(words: &[Word<'t>], others: &[Word<'_>]) -> Vec<Word<'t>> {
    let is_other = |it: &&Word<'_>| others.binary_search_by_key(&it.text, |other| other.text).is_err();
    words.iter().filter(is_other).take(OWN).copied().collect()
}

/// Whether two words are spellings of one: in another case, with another ending or with a slip inside. Other digits are
/// another number.
fn is_spelling(one: &str, other: &str) -> bool {
    let digits = |word: &'_ str| word.chars().filter(char::is_ascii_digit).collect::<String>();
    if digits(one) != digits(other) {
        return false;
    }
    let [one, other] = [one, other].map(|word| word.chars().flat_map(char::to_lowercase).collect::<Vec<_>>());
    let alike = |pairs: &mut dyn Iterator<Item = (&char, &char)>| pairs.take_while(|(a, b)| a == b).count();
    let (shorter, longer) = (one.len().min(other.len()), one.len().max(other.len()));
    let start = alike(&mut one.iter().zip(&other));
    let end = alike(&mut one.iter().rev().zip(other.iter().rev())).min(shorter - start);
    start >= BEGINNING && start * 2 >= longer || (start + end) * 3 >= longer * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_person_number_or_item_is_another_thing() {
        for (one, other) in [
            ("Hello Ann, the room is booked.", "Hello Bob, the room is booked."),
            ("Frau Özdemir, Raum 12", "Frau Pfeiffer, Raum 14"),
            ("您好，张伟先生", "您好，李娜女士"),
            ("('田中 一郎', '大阪')", "('佐藤 花子', '札幌')"),
            ("order 1041 left on 13 May", "order 1042 left on 15 May"),
            ("mv in/1.dat out/tips.dat", "mv in/2.dat out/fees.dat"),
        ] {
            assert!(are_about_others(one, other), "{one} {other}");
        }
    }

    #[test]
    fn other_spellings_and_more_words_are_about_the_same() {
        for (one, other) in [
            ("guide for the widget server", "Guides to widget-server"),
            ("where a > 3 group by name", "where (a >= 4) group by name"),
            ("where a > 3.5 group by name", "where (a >= 4.5) group by name"),
            ("how do I set it up", "how can I set it up on Linux"),
            ("installation of the tool", "install the tool"),
            ("настройка сервера сегодня", "настройки сервера"),
            ("same", "same"),
            ("", "x"),
        ] {
            assert!(!are_about_others(one, other), "{one} {other}");
        }
    }
}
