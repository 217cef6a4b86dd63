//! The numbers in what a user says, as digits, in words and as signs, with the words for "times".

use std::sync::LazyLock;

/// The first of the scripts that write words without blanks.
pub(super) const FIRST_SIGN: char = '\u{2e80}';

/// Points, slashes and such make a number part of a name, a version, a date or an amount.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_' | ':' | '#' | '@' | '\\' | '%' | '$' | '€' | '×')
}

/// The number that a word is, or begins with, and what follows it: `10x`, `3回`, `fünfmal`.
pub(super) fn number(word: &str) -> Option<(u32, &str)> {
    let word = word.trim_end_matches(['.', ':', '-']);
    digits(word).or_else(|| spelt(word)).or_else(|| sign(word))
}

/// In scripts without blanks a number may be inside of what looks like one word.
fn digits(word: &str) -> Option<(u32, &str)> {
    let start = word.find(|c: char| c.is_ascii_digit())?;
    let end = word[start..].find(|c: char| !c.is_ascii_digit()).map_or(word.len(), |at| start + at);
    let (before, unit) = (&word[..start], &word[end..]);
    let is_sign = |c: char| c >= FIRST_SIGN;
    let is_alone =
        before.chars().all(is_sign) && (unit.is_empty() || unit.starts_with(is_sign) || is_times(unit));
    let number = word[start..end].parse().ok().filter(|it| *it > 1)?;
    is_alone.then_some((number, unit))
}

/// A sign for a number says little without one for "times": it is in many words.
fn sign(word: &str) -> Option<(u32, &str)> {
    if word.is_ascii() {
        return None;
    }
    word.char_indices().find_map(|(at, c)| {
        let (_, number) = SIGNS.iter().find(|(sign, _)| *sign == c)?;
        let unit = &word[at + c.len_utf8()..];
        is_times(unit).then_some((*number, unit))
    })
}

/// Numbers in words, in front of their own words for "times".
fn spelt(word: &str) -> Option<(u32, &str)> {
    /// The numbers by the first byte of their words.
    static BY_BYTE: LazyLock<Vec<Vec<(u32, &str)>>> = LazyLock::new(|| {
        let mut by_byte = vec![Vec::new(); 1 << u8::BITS];
        for (number, words) in SPELT {
            words.iter().for_each(|it| by_byte[usize::from(it.as_bytes()[0])].push((number, *it)));
        }
        by_byte
    });
    let numbers = &BY_BYTE[usize::from(*word.as_bytes().first()?)];
    let rest = numbers.iter().filter_map(|(number, it)| Some((*number, word.strip_prefix(it)?)));
    rest.filter(|(_, it)| it.is_empty() || is_times(it)).min_by_key(|(_, it)| it.len())
}

/// Whether a word says that a number is one of times.
pub(super) fn is_times(unit: &str) -> bool {
    let unit = unit.trim_start_matches('-').trim_end_matches(['.', ':', '-']);
    TIMES_WORDS.contains(&unit) || TIMES_SIGNS.iter().any(|it| unit.starts_with(it))
}

#[rustfmt::skip]
const TIMES_WORDS: &[&str] = &[
    "times", "x", "×", "tries", "attempts", "runs", "mal", "male", "veces", "fois", "vezes", "volte", "раз", "раза",
    "keer", "razy", "разів", "рази", "gånger", "gange", "ganger", "krát", "kertaa", "alkalommal", "ori", "kez", "kere",
    "defa", "lần", "kali", "مرات", "बार",
];
const TIMES_SIGNS: &[&str] = &["回", "度", "次", "遍", "번", "회"];
const SIGNS: [(char, u32); 10] = [
    ('两', 2),
    ('二', 2),
    ('三', 3),
    ('四', 4),
    ('五', 5),
    ('六', 6),
    ('七', 7),
    ('八', 8),
    ('九', 9),
    ('十', 10),
];
#[rustfmt::skip]
const SPELT: [(u32, &[&str]); 11] = [
    (2, &[
        "two", "zwei", "dos", "deux", "dois", "duas", "due", "два", "дважды", "twee", "dwa", "dva", "дві", "två",
        "kaksi", "két", "două", "iki", "दो", "dua",
    ]),
    (3, &[
        "three", "drei", "tres", "trois", "três", "tre", "три", "трижды", "drie", "trzy", "tři", "kolme", "három",
        "trei", "üç", "ثلاث", "तीन", "tiga",
    ]),
    (4, &[
        "four", "vier", "cuatro", "quatre", "quatro", "quattro", "четыре", "cztery", "čtyři", "чотири", "fyra", "neljä",
        "négy", "patru", "dört", "أربع", "चार", "empat", "bốn",
    ]),
    (5, &[
        "five", "fünf", "cinco", "cinq", "cinque", "пять", "vijf", "pięć", "pět", "п'ять", "fem", "viisi", "öt",
        "cinci", "beş", "خمس", "पाँच", "पांच", "lima", "năm",
    ]),
    (6, &[
        "six", "sechs", "seis", "sei", "шесть", "zes", "sześć", "šest", "шість", "sex", "seks", "kuusi", "șase", "altı",
        "ست", "छह", "छः", "enam", "sáu",
    ]),
    (7, &[
        "seven", "sieben", "siete", "sept", "sete", "sette", "семь", "zeven", "siedem", "sedm", "сім", "sju", "syv",
        "seitsemän", "hét", "șapte", "yedi", "سبع", "सात", "tujuh", "bảy",
    ]),
    (8, &[
        "eight", "acht", "ocho", "huit", "oito", "otto", "восемь", "osiem", "osm", "вісім", "åtta", "otte", "åtte",
        "kahdeksan", "nyolc", "sekiz", "ثماني", "ثمان", "आठ", "delapan", "tám",
    ]),
    (9, &[
        "nine", "neun", "nueve", "neuf", "nove", "девять", "negen", "dziewięć", "devět", "дев'ять", "nio", "yhdeksän",
        "kilenc", "nouă", "dokuz", "تسع", "नौ", "sembilan", "chín",
    ]),
    (10, &[
        "ten", "zehn", "diez", "dix", "dez", "dieci", "десять", "tien", "dziesięć", "deset", "tio", "kymmenen", "tíz",
        "zece", "عشر", "दस", "sepuluh", "mười",
    ]),
    (12, &["twelve", "zwölf", "doce", "douze", "doze", "dodici", "двенадцать"]),
    (20, &["twenty", "zwanzig", "veinte", "vingt", "vinte", "venti", "двадцать"]),
];
