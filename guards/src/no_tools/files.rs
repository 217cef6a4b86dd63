//! The files that a text names: by form alone, in any language and script.

use xxhash_rust::xxh3::xxh3_64;

/// A digest of each file that the text names, by its last component: `src/a.py`, `./a.py` and `/srv/src/a.py` are the
/// same file to a reader who does not know the folder.
pub(super) fn files(text: &str) -> impl Iterator<Item = u64> + '_ {
    named(text).map(|(file, _)| file)
}

/// The same, each with the word that names it.
pub(super) fn named(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_./\\-~+@".contains(c);
    text.split(move |c: char| !is_of_name(c))
        .filter_map(|word| Some((file(word)?, word.trim_end_matches('.'))))
}

/// The digest of a word, if it is written like a file: a name, a point, and a short ending in small letters. A folder
/// is none, because a slash is also between two words, and neither are addresses, hosts and abbreviations.
fn file(word: &str) -> Option<u64> {
    /// Ends of hosts.
    const HOSTS: [&str; 8] = ["com", "org", "net", "io", "ai", "edu", "gov", "www"];
    /// The longest ending, in characters: `properties`.
    const ENDING: usize = 10;
    let word = word.trim_end_matches(['.', '-', '/', '~', '+']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let (stem, ending) = name.rsplit_once('.')?;
    let is_ending = (1..=ENDING).contains(&ending.len())
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
        && ending.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    let is_bare = name.len() == word.len();
    // `e.g` and `z.b` are words, and `Node.js` is the name of a product.
    let is_word = is_bare && (stem.len() < 2 && ending.len() < 2 || HOSTS.contains(&ending));
    let is_product = is_bare && ending == "js" && stem.starts_with(|c: char| c.is_ascii_uppercase());
    let has_letters = stem.contains(|c: char| c.is_ascii_alphabetic());
    let is_address = word.contains('@') || word.starts_with("//");
    (is_ending && has_letters && !is_word && !is_product && !is_address).then(|| xxh3_64(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
