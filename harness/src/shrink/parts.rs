//! Removes parts of the file that the trial does not need.

use toml_edit::{DocumentMut, Item};

use super::document::{self, keys};
use super::search::Search;

/// Starts in a later state, which may need fewer states.
pub(super) fn starts(search: &mut Search<'_>) {
    let states = states(search.document());
    for name in states.iter().rev() {
        let mut fewer = search.document().clone();
        let path = keys(&[document::actor(search.document()), "start"]);
        document::set(&mut fewer, &path, name.as_str());
        document::tidy(&mut fewer);
        if self::states(&fewer).len() < self::states(search.document()).len() {
            search.edit(|document| document::set(document, &path, name.as_str()));
        }
    }
}

fn states(document: &DocumentMut) -> Vec<String> {
    let states =
        document.get(document::actor(document)).and_then(|actor| actor.get("state")?.as_array_of_tables());
    let name = |state: &toml_edit::Table| state.get("name").and_then(Item::as_str).map(str::to_owned);
    states.map_or(Vec::new(), |states| states.iter().filter_map(name).collect())
}

/// Removes every part that is not needed, the largest first.
pub(super) fn parts(search: &mut Search<'_>) {
    let mut at = 0;
    loop {
        let mut paths = document::paths(search.document());
        if at >= paths.len() || search.is_spent() {
            return;
        }
        let path = paths.swap_remove(at);
        // After a removal, the next part is at the same index.
        if !search.edit(|document| document::remove(document, &path)) {
            at += 1;
        }
    }
}
