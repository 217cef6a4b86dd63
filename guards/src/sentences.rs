//! The sentences of a text.

use balk_contract::places;

/// The sentences of a text without the blanks around them, each with the mark at its end. A point inside of a word ends
/// none: `main.rs`.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut ends = places::of(text.as_bytes(), may_end);
    let mut start = 0;
    let all = std::iter::from_fn(move || {
        let end = ends.find_map(|at| Some(at + mark(text, at)?)).unwrap_or(text.len());
        let sentence = &text[start..end];
        start = end;
        (!sentence.is_empty()).then_some(sentence)
    });
    all.map(str::trim).filter(|it| !it.is_empty())
}

/// Whether a mark at the end of a sentence may begin with this byte.
fn may_end(byte: u8) -> bool {
    (byte == b'.')
        | (byte == b'\n')
        | (byte == b'!')
        | (byte == b'?')
        | (byte == b';')
        | (byte == 0xd8)
        | (byte == 0xe0)
        | (byte == 0xe3)
        | (byte == 0xef)
}

/// The length in bytes of the mark here that ends a sentence, if there is one.
fn mark(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes()[at] {
        b'.' => text[at + 1..].starts_with(char::is_whitespace).then_some(1),
        b'\n' | b'!' | b'?' | b';' => Some(1),
        _ => ["。", "！", "？", "；", "؟", "।"]
            .iter()
            .find(|it| text[at..].starts_with(**it))
            .map(|it| it.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_its_mark_and_a_point_in_a_word_ends_none() {
        for (text, expected) in [
            ("Look at main.rs. Then stop", &["Look at main.rs.", "Then stop"][..]),
            ("Why?  Now!\n\n it works; so", &["Why?", "Now!", "it works;", "so"]),
            ("開いて。次は？はい！了解；終", &["開いて。", "次は？", "はい！", "了解；", "終"]),
            ("هل هو هنا؟ نعم.", &["هل هو هنا؟", "نعم."]),
            ("खोलो। फिर रुको।", &["खोलो।", "फिर रुको।"]),
            (". .", &[".", "."]),
            ("", &[]),
        ] {
            assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }
}
