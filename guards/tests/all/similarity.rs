//! Near-duplicates against the textbook: the whole matrix of edits, and the similarity compared as fractions.

use balk_guards::similarity::{LIMIT, Nearness, Profile, Ratio};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// The distance, row by row (Wagner and Fischer 1974).
fn distance(left: &str, right: &str) -> usize {
    let [left, right] = [left, right].map(|text| text.chars().collect::<Vec<_>>());
    matrix(&left, &right)
}

fn matrix<C: Copy + PartialEq>(left: &[C], right: &[C]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (at, one) in left.iter().copied().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (to, other) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(one != *other);
            diagonal = row[to + 1];
            row[to + 1] = replaced.min(diagonal + 1).min(row[to] + 1);
        }
    }
    row[right.len()]
}

const RATIOS: [(u16, u16); 8] = [(9, 10), (19, 20), (4, 5), (2, 3), (1, 2), (1, 10), (0, 1), (1, 1)];

#[track_caller]
fn check_distance(left: &str, right: &str, distance: usize) {
    let (one, other) = (Profile::new(left), Profile::new(right));
    let longer = left.chars().count().max(right.chars().count());
    for (num, den) in RATIOS {
        let above = Ratio::new(num, den).unwrap();
        let similar = left == right || (longer - distance) * usize::from(den) > longer * usize::from(num);
        let expected = if similar { Nearness::Near } else { Nearness::Apart };
        assert_eq!(one.nearness(&other, above), expected, "above {num}/{den}: {left:?} and {right:?}");
        assert_eq!(other.nearness(&one, above), expected, "above {num}/{den}: {right:?} and {left:?}");
        let bounds = one.by_bounds(&other, above);
        assert!(bounds == expected || bounds == Nearness::Open, "bounds: {left:?} and {right:?}");
    }
}

#[track_caller]
fn check(left: &str, right: &str) {
    check_distance(left, right, distance(left, right));
}

#[test]
fn a_ratio_is_from_0_to_1() {
    assert_eq!(Ratio::new(9, 10), Some(Ratio::default()));
    assert_eq!(Ratio::new(11, 10), None);
    assert_eq!(Ratio::new(0, 0), None);
}

#[test]
fn equal_texts_are_near_whatever_the_threshold() {
    for text in ["", "a", "naïve 😀", "e\u{301}", &"long ".repeat(300)] {
        check_distance(text, text, 0);
    }
}

#[test]
fn an_empty_text_is_near_to_nothing_else() {
    check("", "a");
    check("", "é");
    check("", &"long ".repeat(300));
}

#[test]
fn characters_count_and_not_bytes() {
    // A combining mark is a separate character.
    check_distance("cafe\u{301}", "café", 2);
    check_distance("cafe\u{301}", "cafe", 1);
    // These share leading or trailing bytes that do not form a character.
    check_distance("aéb", "aèb", 1);
    check_distance("aéb", "aĩb", 1);
    check_distance("😀😁😂", "😀😃😂", 1);
    check_distance("👩\u{200d}👩\u{200d}👧", "👩\u{200d}👧", 2);
    // The lowest byte of this letter is an `A`.
    check_distance(&"A".repeat(700), &"\u{141}".repeat(700), 700);
}

/// Both sides of every threshold, and the threshold itself. The inserted characters do not occur in the text, so each
/// costs exactly one edit.
#[test]
fn the_threshold_is_exact() {
    for length in [1, 2, 9, 10, 11, 20, 100, 640, 645, 2_000] {
        for text in ["the quick brown fox\n", "año 日本語 e\u{301} 😀!"] {
            let text: Vec<char> = text.chars().cycle().take(length).collect();
            let left: String = text.iter().collect();
            for (num, den) in RATIOS {
                let exactly = length * usize::from(den - num) / usize::from(den);
                for edits in exactly.saturating_sub(1)..=(exactly + 1).min(length) {
                    // The first is a different character by its number alone. The second has the lowest byte of an
                    // `e`.
                    for strange in ['#', '\u{165}'] {
                        check_distance(&left, &replaced(&text, edits, strange), edits);
                    }
                    let shorter: String = text[edits..].iter().collect();
                    check_distance(&left, &shorter, edits);
                    let longer: String =
                        std::iter::repeat_n('#', edits).chain(text.iter().copied()).collect();
                    check_distance(&left, &longer, edits);
                }
            }
        }
    }
}

/// The text with `count` of its characters replaced, evenly spread.
fn replaced(text: &[char], count: usize, strange: char) -> String {
    let mut text = text.to_vec();
    for nth in 0..count {
        let at = nth * text.len() / count;
        text[at] = strange;
    }
    text.into_iter().collect()
}

#[test]
fn long_texts_are_exact_up_to_the_limit() {
    // Each replaced letter loses one of a kind that the other text has more of, which no bound detects.
    let text: Vec<char> = ('a'..='z').cycle().take(LIMIT / 2).collect();
    let left: String = text.iter().collect();
    let most = (text.len() - 1) / 10;
    for (edits, expected) in [(most, Nearness::Near), (most + 1, Nearness::Apart)] {
        let right: String = replaced(&text, edits, '\u{165}');
        assert!(right.len() <= LIMIT);
        let (one, other) = (Profile::new(&left), Profile::new(&right));
        assert_eq!(one.nearness(&other, Ratio::default()), expected, "{edits} edits");
    }
}

#[test]
fn beyond_the_limit_only_what_is_proven_is_said() {
    let text: Vec<char> = "fn answer() -> u32 { 42 }\n".chars().cycle().take(LIMIT + 1).collect();
    let one = Profile::new(text.iter().collect::<String>());
    let check = |other: String, expected| {
        assert_eq!(one.nearness(&Profile::new(other), Ratio::default()), expected);
    };
    check(replaced(&text, 0, 'n'), Nearness::Near);
    check(replaced(&text, 1, '#'), Nearness::Near);
    check(replaced(&text, 32, 'n'), Nearness::Near);
    check(replaced(&text, 1_000, '#'), Nearness::Open);
    check(replaced(&text, 10_000, '#'), Nearness::Apart);
    check(text[10_000..].iter().collect(), Nearness::Apart);
    let mut reversed = text.clone();
    reversed.reverse();
    check(reversed.into_iter().collect(), Nearness::Open);
}

#[test]
fn a_profile_is_written_as_its_text() {
    let profile = Profile::new("a \"text\"".to_owned());
    assert_eq!(profile.nearness(&Profile::new(""), Ratio::default()), Nearness::Apart);
    let written = serde_json::to_string(&profile).unwrap();
    assert_eq!(written, r#""a \"text\"""#);
    assert_eq!(serde_json::from_str::<Profile<String>>(&written).unwrap(), profile);
}

/// Pieces of text: few letters, so that many are equal by chance; code; multi-byte characters, including combining
/// marks; and characters that share their lowest byte.
fn text() -> impl Strategy<Value = Vec<char>> {
    const PIECES: [&[&str]; 4] = [
        &["a", "b", "ab", "aaaa", "c"],
        &[
            "let ", "x", " = ", "self.", "call", "(", ")", ";\n", "    ", "return ", "0", "1", "if ", "{\n",
            "}\n",
        ],
        &["e\u{301}", "é", "e", "日本", "語", "😀", "😁", "👩\u{200d}👧", " ", "ñ", "\u{308}", "ü", "ok"],
        &["A", "\u{141}", "\u{241}", "B", "\u{142}"],
    ];
    (0..PIECES.len(), prop_oneof![4 => 0..20_usize, 4 => 0..300_usize, 1 => 700..1_000_usize]).prop_flat_map(
        |(pieces, most)| {
            let piece = prop::sample::select(PIECES[pieces]);
            vec(piece, 0..=most).prop_map(|pieces| pieces.concat().chars().collect())
        },
    )
}

/// One edit: the place, the number of characters to remove, and those to insert.
fn edit() -> impl Strategy<Value = (Index, usize, Vec<char>)> {
    let character =
        prop::sample::select(vec!['a', 'b', 'x', ' ', '\n', '0', 'é', '日', '\u{301}', '\u{141}', '😀']);
    (any::<Index>(), 0..4_usize, vec(character, 0..4))
}

fn edited(mut text: Vec<char>, edits: Vec<(Index, usize, Vec<char>)>) -> Vec<char> {
    for (at, taken, put) in edits {
        let from = at.index(text.len() + 1);
        let to = (from + taken).min(text.len());
        text.splice(from..to, put);
    }
    text
}

/// The text with two of its parts exchanged.
fn moved(text: &[char], cuts: [Index; 3]) -> Vec<char> {
    let mut cuts = cuts.map(|cut| cut.index(text.len() + 1));
    cuts.sort_unstable();
    let [from, middle, to] = cuts;
    [&text[..from], &text[middle..to], &text[from..middle], &text[to..]].concat()
}

/// A text with so many characters replaced that one threshold is met, or missed or exceeded by one. A replacement may
/// occur elsewhere in the text, so the distance can be smaller.
fn near_threshold() -> impl Strategy<Value = (Vec<char>, Vec<char>)> {
    (text(), prop::sample::select(&RATIOS), 0..3_usize, any::<bool>()).prop_map(
        |(text, (num, den), off, strange)| {
            let exactly = text.len() * usize::from(den - num) / usize::from(den);
            let edits = (exactly + off).saturating_sub(1).min(text.len());
            let other = replaced(&text, edits, if strange { '#' } else { 'a' });
            (text, other.chars().collect())
        },
    )
}

fn pair() -> impl Strategy<Value = (String, String)> {
    let pair = prop_oneof![
        (text(), text()),
        (text(), edit()).prop_map(|(text, edit)| (text.clone(), edited(text, vec![edit]))),
        (text(), vec(edit(), 2..40)).prop_map(|(text, edits)| (text.clone(), edited(text, edits))),
        (text(), any::<[Index; 3]>()).prop_map(|(text, cuts)| (text.clone(), moved(&text, cuts))),
        near_threshold(),
        text().prop_map(|text| (text.clone(), text)),
    ];
    pair.prop_map(|(left, right)| (left.into_iter().collect(), right.into_iter().collect()))
}

/// Characters of one to four bytes that have these bytes in common.
fn entangled() -> impl Strategy<Value = String> {
    let characters = "Aéè©¨\u{a29}\u{a68}\u{a28}\u{1a28}\u{1a68}\u{28a28}\u{28a68}\u{29a29}";
    let character = prop::sample::select(characters.chars().collect::<Vec<_>>());
    vec(character, 0..8).prop_map(|characters| characters.into_iter().collect())
}

proptest! {
    /// Why few edits of bytes prove that texts are near.
    #[test]
    fn characters_take_no_more_edits_than_bytes(left in entangled(), right in entangled()) {
        prop_assert!(distance(&left, &right) <= matrix(left.as_bytes(), right.as_bytes()));
    }

    #[test]
    fn agrees_with_the_textbook((left, right) in pair()) {
        check(&left, &right);
    }
}
