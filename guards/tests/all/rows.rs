//! Every row of the requirements is named by a test: its id is a word in a file with a test.

use std::fs;
use std::path::{Path, PathBuf};

/// The letters of the rows, each with the number of its rows.
const ROWS: [(char, u8); 8] =
    [('a', 8), ('n', 8), ('d', 7), ('r', 7), ('e', 4), ('h', 6), ('s', 6), ('m', 2)];
/// The folders of tests, relative to this crate; a missing folder has none.
const FOLDERS: [&str; 6] = [
    "all",
    "../src",
    "../../harness/tests",
    "../../harness/src",
    "../../scenarios/tests",
    "../../scenarios/src",
];

/// The sources in a folder and below.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a folder that can be listed").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => sources(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .collect()
}

/// The words of a text, in lower case; an underscore separates words.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_ascii_lowercase)
}

/// The ids that are a word in none of the texts with a test.
fn missing<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<String> {
    let ids = ROWS.iter().flat_map(|&(letter, rows)| (1..=rows).map(move |row| format!("{letter}{row}")));
    let mut ids: Vec<String> = ids.collect();
    for text in texts.filter(|text| text.contains("#[test]")) {
        let mut named: Vec<String> = words(text).collect();
        named.sort_unstable();
        ids.retain(|id| named.binary_search(id).is_err());
    }
    ids
}

#[track_caller]
fn check(text: &str, is_named: bool) {
    assert_eq!(!missing([text].into_iter()).contains(&format!("{}{}", 'a', 3)), is_named, "{text}");
}

#[test]
fn an_id_is_named_where_it_is_a_word_beside_a_test() {
    let [id, upper] = ["a", "A"].map(|letter| format!("{letter}{}", 3));
    check(&format!("#[test]\nfn {id}_it_works() {{}}"), true);
    check(&format!("// {upper}: so\n#[test]"), true);
    check(&format!("#[test]\nfn the_{id}() {{}}"), true);
    check(&format!("fn {id}_it_works() {{}}"), false);
    check(&format!("#[test]\nfn {id}0_or_{id}x() {{}}"), false);
    check("", false);
}

#[test]
fn every_row_is_named_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = FOLDERS.iter().flat_map(|folder| sources(&root.join(folder)));
    let texts: Vec<String> = paths.map(|path| fs::read_to_string(path).expect("a source is text")).collect();
    let missing = missing(texts.iter().map(String::as_str));
    assert!(missing.is_empty(), "no test names {}", missing.join(", ").to_uppercase());
}
