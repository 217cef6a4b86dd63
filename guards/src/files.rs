//! The files that a text names: by form alone, in any language and script. This is the one definition for all guards;
//! `balk_contract` judges values of arguments, where a folder or a bare word can be a place as well.

use memchr::memchr;
use xxhash_rust::xxh3::xxh3_64;

/// A digest of each file that the text names, by its last component: `src/a.py`, `./a.py` and `/srv/src/a.py` are the
/// same file to a reader who does not know the folder.
pub(crate) fn files(text: &str) -> impl Iterator<Item = u64> + '_ {
    named(text).map(|(file, _)| file)
}

/// The same, each with the word that names it. A file is a name, a point, and a short ending in small letters, by
/// which it is found: most words have no point. A folder is none, because a slash is also between two words, and
/// neither are addresses, hosts and abbreviations.
pub(crate) fn named(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let bytes = text.as_bytes();
    let mut done = 0;
    std::iter::from_fn(move || {
        loop {
            let floor = done;
            let point = floor + memchr(b'.', bytes.get(floor..)?)?;
            let name = bytes[point + 1..].iter().take_while(|byte| IS_OF_NAME[usize::from(**byte)]).count();
            done = point + 1 + name;
            let behind = &bytes[point + 1..done];
            // Most points are in numbers and at the ends of sentences.
            if !behind.first().is_some_and(u8::is_ascii_lowercase) && !behind.contains(&b'.') {
                continue;
            }
            if let Some((file, start)) = file(&bytes[floor..done]) {
                return Some((file, text[floor + start..done].trim_end_matches('.')));
            }
        }
    })
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

/// The digest of the word at the end of a text that has no other word with a point, if it is written like a file, and
/// where it begins.
fn file(text: &[u8]) -> Option<(u64, usize)> {
    /// Ends of hosts.
    const HOSTS: [&str; 8] = ["com", "org", "net", "io", "ai", "edu", "gov", "www"];
    /// The longest ending, in characters: `properties`.
    const ENDING: usize = 10;
    let mut text = text;
    while let Some((b'.' | b'-' | b'/' | b'~' | b'+', rest)) = text.split_last() {
        text = rest;
    }
    let is_of_ending = |byte: &&u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ending = text.iter().rev().take(ENDING + 1).take_while(is_of_ending).count();
    let (before, ending) = text.split_at(text.len() - ending);
    let before = before.strip_suffix(b".")?;
    if !(1..=ENDING).contains(&ending.len()) || !ending[0].is_ascii_lowercase() {
        return None;
    }
    let start = before.len() - before.iter().rev().take_while(|it| IS_OF_NAME[usize::from(**it)]).count();
    let slash = before[start..].iter().rposition(|byte| matches!(byte, b'/' | b'\\'));
    let stem = &before[slash.map_or(start, |slash| start + slash + 1)..];
    let is_bare = slash.is_none();
    // `e.g` and `z.b` are words, and `Node.js` is the name of a product.
    let is_host = || matches!(ending.len(), 2 | 3) && HOSTS.iter().any(|host| host.as_bytes() == ending);
    let is_word = is_bare && (stem.len() < 2 && ending.len() < 2 || is_host());
    let is_product = is_bare && ending == b"js" && stem.first().is_some_and(u8::is_ascii_uppercase);
    let has_letters = stem.iter().any(u8::is_ascii_alphabetic);
    let is_address = || before[start..].contains(&b'@') || before[start..].starts_with(b"//");
    let is_file = has_letters && !is_word && !is_product && !is_address();
    is_file.then(|| (xxh3_64(&text[before.len() - stem.len()..]), start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_wherever_its_word_stands() {
        let plain = |text: &str| -> Vec<u64> {
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_./\\-~+@".contains(c);
            let words = text.split(move |c: char| !is_of_name(c)).filter(|word| word.contains('.'));
            words.filter_map(|word| Some(file(word.as_bytes())?.0)).collect()
        };
        let parts = [
            "a.py",
            "é",
            " ",
            ".",
            "x",
            "现",
            "(b/c.rs",
            ")",
            "..",
            "~/d-e+f@g",
            "\n",
            "\\h.i",
            "{\"j.k\":",
            "//",
        ];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = [first, second, third, first].concat();
                    assert_eq!(files(&text).collect::<Vec<_>>(), plain(&text), "{text:?}");
                }
            }
        }
        let words = |text| named(text).map(|(_, word)| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(words("See src/a.py, (b.rs) and ./c.md..."), ["src/a.py", "b.rs", "./c.md"]);
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
