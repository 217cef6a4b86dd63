//! Replaces everything that the seed could draw by what it does draw.

use toml_edit::{Item, TableLike};

use super::document::{self, Step, keys};
use super::search::Search;
use super::values::least;

/// One language: that of the trial.
pub(super) fn language(search: &mut Search<'_>) {
    let drawn = search.drawn();
    let Some((_, language)) = drawn.iter().find(|(name, _)| name == "language") else { return };
    search.edit(|document| {
        let Some(phrases) = document.get_mut("phrases").and_then(Item::as_table_like_mut) else { return };
        for (_, phrase) in phrases.iter_mut() {
            let Some(variants) = phrase.as_table_like_mut() else { continue };
            let others: Vec<String> = variants
                .iter()
                .map(|(name, _)| name.to_owned())
                .filter(|name| name != language && name != "any" && name != "pinned")
                .collect();
            for other in others {
                variants.remove(&other);
            }
        }
    });
}

/// One item of each pool: the drawn one. Its mark as a reserve item is removed, because no other item is left.
pub(super) fn pools(search: &mut Search<'_>) {
    let drawn = search.drawn();
    for name in names(search, "pool") {
        let path = keys(&["pool", &name]);
        let is_drawn = |item: &dyn TableLike| {
            item.iter().filter(|(field, _)| *field != RESERVE).all(|(field, value)| {
                let wanted = format!("{name}.{field}");
                drawn.iter().any(|(name, drawn)| *name == wanted && value.as_str() == Some(drawn))
            })
        };
        let items = document::paths(search.document())
            .into_iter()
            .filter(|it| it.len() == 3 && it.starts_with(&path))
            .filter_map(|it| document::at(search.document(), &it)?.as_table_like().map(is_drawn))
            .collect::<Vec<_>>();
        let Some(pick) = items.iter().position(|it| *it) else { continue };
        search.edit(|document| {
            for at in (0..items.len()).rev().filter(|at| *at != pick) {
                document::remove(document, &[path.clone(), vec![Step::At(at)]].concat());
            }
            let mark = [path.clone(), vec![Step::At(0), Step::Key(RESERVE.to_owned())]].concat();
            document::remove(document, &mark);
        });
    }
}

const RESERVE: &str = "reserve";

/// One value of each number: the drawn one, then the lowest that works.
pub(super) fn numbers(search: &mut Search<'_>) {
    for name in names(search, "numbers") {
        let ends = ["from", "to"].map(|end| keys(&["numbers", &name, end]));
        let drawn = search.drawn();
        let Some(value) = drawn.iter().rev().find(|(it, _)| *it == name) else { continue };
        let Ok(value) = value.1.parse::<i64>() else { continue };
        let is_drawn = |search: &Search<'_>| {
            ends.iter()
                .all(|end| document::at(search.document(), end).and_then(Item::as_integer) == Some(value))
        };
        let set = |search: &mut Search<'_>, to: i64| {
            search.edit(|document| ends.iter().for_each(|end| document::set(document, end, to)))
        };
        if is_drawn(search) || set(search, value) {
            least(search, 0, value, set);
        }
    }
}

/// The names in a section.
fn names(search: &Search<'_>, section: &str) -> Vec<String> {
    let table = search.document().get(section).and_then(Item::as_table_like);
    table.map_or(Vec::new(), |table| table.iter().map(|(name, _)| name.to_owned()).collect())
}
