//! The files that a text names: by form alone, in any language and script. This is the one definition for all guards;
//! `balk_contract` judges values of arguments, where a folder or a bare word can be a place as well.

use memchr::memchr;
use xxhash_rust::xxh3::xxh3_64;

/// A digest of each file that the text names, by its last component: `src/a.py`, `./a.py` and `/srv/src/a.py` are the
/// same file to a reader who does not know the folder.
pub(crate) fn files(text: &str) -> impl Iterator<Item = u64> + '_ {
    named(text).map(|(file, _)| file)
}

/// The same, each with the word that names it.
pub(crate) fn named(text: &str) -> impl Iterator<Item = (u64, &str)> {
    words_with_a_point(text).filter_map(|word| Some((file(word)?, word.trim_end_matches('.'))))
}

/// Which bytes can be part of a file's name as it is written here.
static IS_OF_NAME: [bool; 256] = {
    let mut is_of_name = [false; 256];
    let mut at = 0;
    while at < 256 {
        let byte = at as u8;
        is_of_name[at] = byte.is_ascii_alphanumeric()
            || matches!(byte, b'_' | b'.' | b'/' | b'\\' | b'-' | b'~' | b'+' | b'@');
        at += 1;
    }
    is_of_name
};

/// The words of the text, in order, that have a point in them. The search is for points: most words have none.
fn words_with_a_point(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_of_name = |at: usize| bytes.get(at).is_some_and(|byte| IS_OF_NAME[usize::from(*byte)]);
    let mut done = 0;
    std::iter::from_fn(move || {
        let point = done + memchr(b'.', bytes.get(done..)?)?;
        let (mut start, mut end) = (point, point + 1);
        while start > done && is_of_name(start - 1) {
            start -= 1;
        }
        while is_of_name(end) {
            end += 1;
        }
        done = end;
        Some(&text[start..end])
    })
}

/// The digest of a word, if it is written like a file: a name, a point, and a short ending in small letters. A folder
/// is none, because a slash is also between two words, and neither are addresses, hosts and abbreviations.
fn file(word: &str) -> Option<u64> {
    /// Ends of hosts.
    const HOSTS: [&str; 8] = ["com", "org", "net", "io", "ai", "edu", "gov", "www"];
    /// The longest ending, in characters: `properties`.
    const ENDING: usize = 10;
    let is_trimmed = |byte: &u8| matches!(byte, b'.' | b'-' | b'/' | b'~' | b'+');
    let mut bytes = word.as_bytes();
    while let Some((last, rest)) = bytes.split_last()
        && is_trimmed(last)
    {
        bytes = rest;
    }
    let mut point = bytes.len();
    while let Some(b'a'..=b'z' | b'0'..=b'9') = bytes[..point].last()
        && point + ENDING >= bytes.len()
    {
        point -= 1;
    }
    let (before, ending) = bytes.split_at(point);
    let before = before.strip_suffix(b".")?;
    if !(1..=ENDING).contains(&ending.len()) || !ending[0].is_ascii_lowercase() {
        return None;
    }
    let start = before.iter().rposition(|byte| matches!(byte, b'/' | b'\\')).map_or(0, |last| last + 1);
    let stem = &before[start..];
    let is_bare = start == 0;
    // `e.g` and `z.b` are words, and `Node.js` is the name of a product.
    let is_host = || HOSTS.iter().any(|host| host.as_bytes() == ending);
    let is_word = is_bare && (stem.len() < 2 && ending.len() < 2 || is_host());
    let is_product = is_bare && ending == b"js" && stem.first().is_some_and(u8::is_ascii_uppercase);
    let has_letters = stem.iter().any(u8::is_ascii_alphabetic);
    let is_address = bytes.contains(&b'@') || bytes.starts_with(b"//");
    (has_letters && !is_word && !is_product && !is_address).then(|| xxh3_64(&bytes[start..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_words_with_a_point_are_found() {
        let plain = |text: &str| -> Vec<String> {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_./\\-~+@".contains(c);
            let words = text.split(move |c: char| !is_of_name(c)).filter(|word| word.contains('.'));
            words.map(str::to_owned).collect()
        };
        let parts =
            ["a.py", "é", " ", ".", "x", "现", "(b/c.rs", ")", "..", "~/d-e+f@g", "\n", "\\h.i", "{\"j.k\":"];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = [first, second, third, first].concat();
                    assert_eq!(words_with_a_point(&text).collect::<Vec<_>>(), plain(&text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn t1_files_are_found_by_their_form() {
        let count = |text: &str| files(text).count();
        for text in [
            "Please write src/a.py.",
            "See `main.rs`!",
            "我现在来处理src/a.py。",
            "/srv/x/README.md",
            "{\"path\":\"./docs/faq.md\"}",
            "C:\\work\\a.txt",
            "migrations/0041_add_index.sql",
        ] {
            assert_eq!(count(text), 1, "{text}");
        }
        for text in [
            "e.g. this, i.e. that, z.B. jenes and and/or.",
            "Write to mia.li3818@example.com.",
            "https://example.com/a/b.html",
            "Node.js 3.5 on example.com",
            "The end.The next",
            "Order #W2378156 of 12.50 EUR",
            "src/lib",
            "完成。",
        ] {
            assert_eq!(count(text), 0, "{text}");
        }
        assert_eq!(files("a/x.py").next(), files("./x.py").next());
    }
}
