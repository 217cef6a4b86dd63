//! Simplifies values: chances become certain, the response model simple, and numbers small.

use toml_edit::Item;

use super::document::{self, Path, Step, keys};
use super::search::Search;

const NEVER: &str = "0/1";
const ALWAYS: &str = "1/1";

/// The profiles, the simplest first.
const PROFILES: [&str; 3] = ["strong", "gpt-4o-like", "gpt-3.5-like"];

/// Lists and keys of the actor that contain chances.
const CHANCES: [&str; 3] = ["chance", "empty", "ran"];

/// Makes chances certain, and the response model simple.
pub(super) fn words(search: &mut Search<'_>) {
    for path in document::paths(search.document()) {
        if !is_chance(&path) {
            continue;
        }
        let word = |search: &Search<'_>| {
            document::at(search.document(), &path).and_then(Item::as_str).map(str::to_owned)
        };
        // A chance may also be the name of a parameter; then the parameter is changed instead.
        if word(search).is_some_and(|word| word.contains('/')) {
            simpler(search, &path, &[NEVER, ALWAYS]);
        }
    }
    simpler(search, &keys(&["response", "profile"]), &PROFILES);
}

fn is_chance(path: &Path) -> bool {
    let words: Vec<&str> = path
        .iter()
        .filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::At(_) => None,
        })
        .collect();
    match words[..] {
        ["response", "stubbornness"] | ["stubborn" | "healthy", "parameters", _] => true,
        ["stubborn" | "healthy", "state", .., last] => CHANCES.contains(&last),
        _ => false,
    }
}

/// Takes the first of these words that works, if it comes before the current one.
fn simpler(search: &mut Search<'_>, path: &Path, words: &[&str]) {
    let Some(now) = document::at(search.document(), path).and_then(Item::as_str).map(str::to_owned) else {
        return;
    };
    for word in words.iter().take_while(|word| **word != now) {
        if search.edit(|document| document::set(document, path, *word)) {
            return;
        }
    }
}

/// Keys of numbers, with the lowest sensible value.
const COUNTS: [(&str, i64); 11] = [
    ("turns", 1),
    ("attempts", 1),
    ("calls", 1),
    ("interventions", 1),
    ("questions", 1),
    ("distractors", 0),
    ("stays_for", 0),
    ("times", 1),
    ("visits", 1),
    ("until", 1),
    ("retry_after", 0),
];

/// Makes every count as small as possible.
pub(super) fn numbers(search: &mut Search<'_>) {
    for path in document::paths(search.document()) {
        let Some(Step::Key(key)) = path.last() else { continue };
        let Some((_, low)) = COUNTS.iter().find(|(name, _)| name == key) else { continue };
        let Some(value) = document::at(search.document(), &path).and_then(Item::as_integer) else { continue };
        least(search, *low, value, |search, to| search.edit(|document| document::set(document, &path, to)));
    }
}

/// Takes the lowest number from `low` on that works, by bisection; this is the lowest of all if every greater number
/// works too.
pub(super) fn least(
    search: &mut Search<'_>,
    low: i64,
    value: i64,
    set: impl Fn(&mut Search<'_>, i64) -> bool,
) {
    if value <= low || set(search, low) {
        return;
    }
    let (mut fails, mut does) = (low, value);
    while does - fails > 1 {
        let middle = fails + (does - fails) / 2;
        if set(search, middle) { does = middle } else { fails = middle }
    }
}
