//! Parts of the file that the trial does not need.

use toml_edit::{DocumentMut, Item};

use super::document::{self, keys};
use super::search::Search;

/// Begins in a later state, where fewer states are needed then.
pub(super) fn starts(search: &mut Search<'_>) {
    let states = states(search.document());
    for name in states.iter().rev() {
        let mut fewer = search.document().clone();
        let path = keys(&["actor", "start"]);
        document::set(&mut fewer, &path, name.as_str());
        document::tidy(&mut fewer);
        if self::states(&fewer).len() < self::states(search.document()).len() {
            search.edit(|document| document::set(document, &path, name.as_str()));
        }
    }
}

fn states(document: &DocumentMut) -> Vec<String> {
    let states = document.get("actor").and_then(|actor| actor.get("state")?.as_array_of_tables());
    let name = |state: &toml_edit::Table| state.get("name").and_then(Item::as_str).map(str::to_owned);
    states.map_or(Vec::new(), |states| states.iter().filter_map(name).collect())
}

/// Takes out every part that can be missed, the largest first.
pub(super) fn parts(search: &mut Search<'_>) {
    let mut at = 0;
    loop {
        let mut paths = document::paths(search.document());
        if at >= paths.len() || search.is_spent() {
            return;
        }
        let path = paths.swap_remove(at);
        // Where something went, the next part has its place.
        if !search.edit(|document| document::remove(document, &path)) {
            at += 1;
        }
    }
}
