//! A scenario's text as a tree. Parts can be removed; the rest keeps its layout and comments.

use std::collections::BTreeSet;

use balk_scenarios::Kind;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

/// One step down the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To the value of this key.
    Key(String),
    /// To the item at this index of a list, from 0.
    At(usize),
}

/// The path from the top to a part.
pub(super) type Path = Vec<Step>;

/// Every part of the document in order, parents first, except the part that says which turns are healthy.
pub(super) fn paths(document: &DocumentMut) -> Vec<Path> {
    let mut all = Vec::new();
    below(document.as_item(), &mut Vec::new(), &mut all);
    all
}

fn below(item: &Item, here: &mut Path, all: &mut Vec<Path>) {
    let steps: Vec<Step> = match item.as_table_like() {
        Some(table) => table.iter().map(|(key, _)| Step::Key(key.to_owned())).collect(),
        None => (0..length(item)).map(Step::At).collect(),
    };
    for step in steps.into_iter().filter(|step| *step != Step::Key("truth".into())) {
        let child = down(item, &step).expect("it was just seen");
        here.push(step);
        all.push(here.clone());
        below(child, here, all);
        here.pop();
    }
}

/// The number of items of a list; 0 for anything else.
fn length(item: &Item) -> usize {
    let tables = item.as_array_of_tables().map(ArrayOfTables::len);
    tables.or_else(|| item.as_array().map(Array::len)).unwrap_or(0)
}

fn down<'i>(item: &'i Item, step: &Step) -> Option<&'i Item> {
    match step {
        Step::Key(key) => item.get(key.as_str()),
        Step::At(at) => item.get(*at),
    }
}

/// The part that a path leads to.
pub(super) fn at<'d>(document: &'d DocumentMut, path: &[Step]) -> Option<&'d Item> {
    path.iter().try_fold(document.as_item(), down)
}

/// The same part, mutable. Missing parts are not created.
pub(super) fn at_mut<'d>(document: &'d mut DocumentMut, path: &[Step]) -> Option<&'d mut Item> {
    at(document, path)?;
    path.iter().try_fold(document.as_item_mut(), |item, step| match step {
        Step::Key(key) => item.get_mut(key.as_str()),
        Step::At(at) => item.get_mut(*at),
    })
}

/// A path of keys.
pub(super) fn keys(keys: &[&str]) -> Path {
    keys.iter().map(|key| Step::Key((*key).to_owned())).collect()
}

/// Removes a part, with the comments above it.
pub(super) fn remove(document: &mut DocumentMut, path: &[Step]) {
    let Some((last, before)) = path.split_last() else { return };
    let Some(parent) = at_mut(document, before) else { return };
    match last {
        Step::Key(key) => {
            if let Some(table) = parent.as_table_like_mut() {
                table.remove(key);
            }
        }
        Step::At(at) => {
            if let Some(tables) = parent.as_array_of_tables_mut() {
                tables.remove(*at);
            } else if let Some(array) = parent.as_array_mut() {
                let removed = array.remove(*at);
                // The new first item takes the layout of the removed one.
                if let (0, Some(first), Some(prefix)) = (*at, array.get_mut(0), removed.decor().prefix()) {
                    first.decor_mut().set_prefix(prefix.clone());
                }
            }
        }
    }
}

/// Replaces a value. A comment about the old value is removed with it.
pub(super) fn set(document: &mut DocumentMut, path: &[Step], new: impl Into<Value>) {
    if let Some((Step::Key(key), before)) = path.split_last()
        && let Some(table) = at_mut(document, before).and_then(Item::as_table_like_mut)
        && let Some(mut key) = table.key_mut(key)
    {
        key.leaf_decor_mut().set_prefix("");
    }
    if let Some(item) = at_mut(document, path) {
        let prefix = item.as_value().and_then(|old| old.decor().prefix().cloned());
        *item = value(new);
        if let (Some(prefix), Some(new)) = (prefix, item.as_value_mut()) {
            new.decor_mut().set_prefix(prefix);
        }
    }
}

/// The table of the actor that plays: the stubborn one, if there is one.
pub(super) fn played(document: &DocumentMut) -> Kind {
    if document.contains_key(STUBBORN) { Kind::Stubborn } else { Kind::Control }
}

/// The name of the table of the actor that plays.
pub(super) fn actor(document: &DocumentMut) -> &'static str {
    match played(document) {
        Kind::Stubborn => STUBBORN,
        Kind::Control => HEALTHY,
    }
}

const STUBBORN: &str = "stubborn";
const HEALTHY: &str = "healthy";

/// Takes out what the actor that does not play does. A file with a stubborn actor needs a healthy one, so one state of
/// it stays.
pub(super) fn drop_other(document: &mut DocumentMut, kind: Kind) {
    match kind {
        Kind::Stubborn => {
            let Some(healthy) = document.get_mut(HEALTHY).and_then(Item::as_table_mut) else { return };
            healthy.remove("parameters");
            let Some(states) = healthy.get_mut("state").and_then(Item::as_array_of_tables_mut) else {
                return;
            };
            states.iter_mut().for_each(|state| state.retain(|key, _| key == "name" || key == "truth"));
        }
        Kind::Control => {
            document.remove(STUBBORN);
        }
    }
    tidy(document);
}

/// Removes parts that only belong to removed ones: transitions to missing states, and states that no transition leads
/// to. If the stubborn actor never balks any more, it becomes the healthy one.
pub(super) fn tidy(document: &mut DocumentMut) {
    for actor in [STUBBORN, HEALTHY] {
        if let Some(actor) = document.get_mut(actor).and_then(Item::as_table_mut) {
            tidy_actor(actor);
        }
    }
    let states = document.get(STUBBORN).and_then(|actor| actor.get("state")?.as_array_of_tables());
    if states.is_some_and(|states| !states.iter().any(balks))
        && let Some(actor) = document.remove(STUBBORN)
    {
        document.insert(HEALTHY, actor);
    }
    if !document.contains_key(STUBBORN)
        && let Some(healthy) = document.get_mut(HEALTHY).and_then(Item::as_table_mut)
    {
        healthy.remove("name");
    }
}

fn tidy_actor(actor: &mut Table) {
    let start = actor.get("start").and_then(Item::as_str).unwrap_or_default().to_owned();
    let Some(states) = actor.get_mut("state").and_then(Item::as_array_of_tables_mut) else { return };
    let names: BTreeSet<String> = states.iter().filter_map(|state| text(state, "name")).collect();
    for state in states.iter_mut() {
        if let Some(next) = state.get_mut("next").and_then(Item::as_array_of_tables_mut) {
            next.retain(|way| text(way, "to").is_some_and(|to| names.contains(&to)));
            if next.is_empty() {
                state.remove("next");
            }
        }
    }
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        let state = states.iter().find(|state| text(state, "name").as_ref() == Some(&name));
        let next = state.and_then(|state| state.get("next")).and_then(Item::as_array_of_tables);
        if reached.insert(name) {
            open.extend(next.into_iter().flat_map(|ways| ways.iter().filter_map(|way| text(way, "to"))));
        }
    }
    states.retain(|state| text(state, "name").is_some_and(|name| reached.contains(&name)));
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Item::as_str).map(str::to_owned)
}

/// Whether only a stubborn scenario can have this state.
fn balks(state: &Table) -> bool {
    let stuck = |span: &Value| {
        let is = span.as_inline_table().and_then(|span| span.get("is")).and_then(Value::as_str);
        matches!(is, Some("stuck" | "faulted"))
    };
    let truth = state.get("truth").and_then(Item::as_array);
    truth.is_some_and(|spans| spans.iter().any(stuck))
        || state.contains_key("empty")
        || state.contains_key("break")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> DocumentMut {
        text.parse().expect("TOML")
    }

    #[test]
    fn every_part_is_listed_before_those_in_it_and_can_be_taken_out() {
        let text = "a = 1\nb = [{ x = 1 }, 2]\n\n# Why.\n[[c]]\nd = 3\ntruth = [{ is = \"stuck\" }]\n[[c.e]]\nf = 4\n";
        let document = read(text);
        let shown: Vec<String> = paths(&document)
            .iter()
            .map(|path| {
                let step = |step: &Step| match step {
                    Step::Key(key) => key.clone(),
                    Step::At(at) => at.to_string(),
                };
                path.iter().map(step).collect::<Vec<_>>().join(".")
            })
            .collect();
        assert_eq!(shown.join(" "), "a b b.0 b.0.x b.1 c c.0 c.0.d c.0.e c.0.e.0 c.0.e.0.f");
        for path in paths(&document) {
            let mut smaller = document.clone();
            remove(&mut smaller, &path);
            assert!(smaller.to_string().len() < text.len(), "{path:?}");
            assert!(smaller.to_string().parse::<DocumentMut>().is_ok(), "{path:?}");
        }
    }

    #[test]
    fn a_comment_goes_with_what_it_is_about() {
        let mut document = read("# One.\na = 1 # one\n# Two.\nb = [2, 3]\n");
        set(&mut document, &keys(&["a"]), 3);
        remove(&mut document, &[Step::Key("b".into()), Step::At(0)]);
        assert_eq!(document.to_string(), "a = 3\n# Two.\nb = [3]\n");
        remove(&mut document, &keys(&["b"]));
        assert_eq!(document.to_string(), "a = 3\n");
    }

    #[test]
    fn states_that_hang_together_go_together() {
        let mut document = read(
            "[stubborn]\nstart = \"a\"\n\
             [[stubborn.state]]\nname = \"a\"\ntruth = [{ is = \"productive\" }]\n\
             [[stubborn.state.next]]\nto = \"gone\"\n\
             [[stubborn.state]]\nname = \"b\"\ntruth = [{ is = \"stuck\", how = \"text-only\" }]\n\
             [[stubborn.state.next]]\nto = \"a\"\n\
             [healthy]\nname = \"other\"\n",
        );
        tidy(&mut document);
        assert_eq!(
            document.to_string(),
            "[healthy]\nstart = \"a\"\n\
             [[healthy.state]]\nname = \"a\"\ntruth = [{ is = \"productive\" }]\n"
        );
    }
}
