//! Joins two files of version 1 into one.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Key, Table, Value, value};

use super::old::{Old, each_text};

/// The parts in which two files differ, although both actors of one file share them: paths such as `limits.turns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflicts(pub Vec<String>);

impl Display for Conflicts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

impl Error for Conflicts {}

/// What both actors of a file share, and no renaming can tell apart.
const SHARED: [&str; 8] =
    ["protocol", "prompt", "limits", "tools", "environment", "goal", "user", "response"];

/// The prefix of a name that the healthy actor needs for itself.
const OWN: &str = "healthy_";

/// One file of a stubborn scenario and its twin. What has the same name and another content in the twin's file gets
/// another name.
///
/// # Errors
/// The two do not share a world.
pub fn joined(stubborn: &Old, healthy: &Old) -> Result<String, Conflicts> {
    let (mut document, mut other) = (stubborn.rewritten(), healthy.rewritten());
    let values = [&document, &other].map(Values::of);
    let renamed = Renamed::new(&values[0], &values[1])?;
    renamed.apply(&mut other);
    for part in ["numbers", "pool", "phrases"] {
        adopt(&mut document, &other, part, &renamed);
    }
    let mut actor = other.remove("healthy").unwrap_or_default();
    anywhere(&mut actor);
    if let Some(table) = actor.as_table_mut() {
        if healthy.name != format!("{}-control", stubborn.name) {
            *table = named(&healthy.name, table);
        }
        table.decor_mut().set_prefix("\n");
    }
    document.insert("healthy", actor);
    Ok(document.to_string())
}

/// The table with its name before all other keys.
fn named(name: &str, table: &Table) -> Table {
    let mut with_name = Table::new();
    with_name.insert("name", value(name));
    for (name, item) in table {
        with_name.insert_formatted(table.key(name).expect("it was just seen"), item.clone());
    }
    with_name
}

/// The values of a file, without layout and comments.
struct Values(toml::Table);

impl Values {
    fn of(document: &DocumentMut) -> Self {
        Self(document.to_string().parse().expect("a document of toml_edit is TOML"))
    }

    fn below(&self, part: &str) -> BTreeMap<&str, &toml::Value> {
        let table = self.0.get(part).and_then(toml::Value::as_table);
        table.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect()
    }

    /// Every text below this part.
    fn texts(&self, part: &str) -> Vec<&str> {
        let mut all = Vec::new();
        texts(self.0.get(part), &mut all);
        all
    }
}

fn texts<'v>(value: Option<&'v toml::Value>, all: &mut Vec<&'v str>) {
    match value {
        Some(toml::Value::String(text)) => all.push(text),
        Some(toml::Value::Array(items)) => items.iter().for_each(|it| texts(Some(it), all)),
        Some(toml::Value::Table(table)) => table.values().for_each(|it| texts(Some(it), all)),
        Some(_) | None => {}
    }
}

/// The names of numbers and phrases that the healthy actor needs for itself.
struct Renamed {
    numbers: BTreeSet<String>,
    phrases: BTreeSet<String>,
    /// The phrases that the world says; both files have the same.
    of_world: BTreeSet<String>,
}

impl Renamed {
    fn new(stubborn: &Values, healthy: &Values) -> Result<Self, Conflicts> {
        let differ = |part: &str| {
            let (ours, theirs) = (stubborn.below(part), healthy.below(part));
            let differs = |name: &&&str| ours.get(**name).is_some_and(|it| *it != theirs[**name]);
            theirs.keys().filter(differs).map(|name| (*name).to_owned()).collect::<BTreeSet<_>>()
        };
        let mut conflicts: Vec<String> = SHARED.iter().flat_map(|it| parts(it, stubborn, healthy)).collect();
        conflicts.extend(differ("pool").iter().map(|name| format!("pool.{name}")));
        let numbers = differ("numbers");
        let mut phrases = differ("phrases");
        let said: BTreeMap<&str, Vec<&str>> = healthy
            .below("phrases")
            .into_iter()
            .map(|(name, value)| {
                let mut all = Vec::new();
                texts(Some(value), &mut all);
                (name, all)
            })
            .collect();
        let tells = |texts: &[&str]| numbers.iter().find(|name| texts.iter().any(|it| mentions(it, name)));
        phrases.extend(said.iter().filter(|(_, it)| tells(it).is_some()).map(|(name, _)| (*name).to_owned()));
        let mut of_world = BTreeSet::new();
        for part in SHARED {
            let texts = healthy.texts(part);
            of_world.extend(said.keys().filter(|name| texts.contains(*name)).map(|it| (*it).to_owned()));
            let counted = numbers.iter().find(|it| texts.contains(&it.as_str())).or_else(|| tells(&texts));
            conflicts.extend(counted.map(|name| format!("numbers.{name} (used by {part})")));
        }
        conflicts.extend(phrases.intersection(&of_world).map(|name| format!("phrases.{name}")));
        if conflicts.is_empty() { Ok(Self { numbers, phrases, of_world }) } else { Err(Conflicts(conflicts)) }
    }

    /// Renames them in the file of the healthy actor.
    fn apply(&self, document: &mut DocumentMut) {
        for (part, names) in [("numbers", &self.numbers), ("phrases", &self.phrases)] {
            let Some(table) = document.get_mut(part).and_then(Item::as_table_mut) else { continue };
            for name in names {
                if let Some((key, item)) = table.remove_entry(name) {
                    let own = Key::new(format!("{OWN}{name}")).with_leaf_decor(key.leaf_decor().clone());
                    table.insert_formatted(&own, item);
                }
            }
        }
        for part in ["phrases", "healthy"] {
            let Some(item) = document.get_mut(part) else { continue };
            each_text(part, item, &mut |key, text| {
                let old = text.as_str().unwrap_or_default();
                let names = match key {
                    "says" | "thinks" => Some(&self.phrases),
                    "visits" | "until" | "retry_after" => Some(&self.numbers),
                    _ => None,
                };
                let new = match names {
                    Some(names) if names.contains(old) => format!("{OWN}{old}"),
                    Some(_) => return,
                    None => self.numbers.iter().fold(old.to_owned(), |text, name| renamed(&text, name)),
                };
                if new != old {
                    let decor = text.decor().clone();
                    *text = Value::from(new);
                    *text.decor_mut() = decor;
                }
            });
        }
    }
}

/// A placeholder of a number, in the two forms that it has.
fn placeholders(name: &str) -> [String; 2] {
    [format!("{{{name}}}"), format!("{{step:{name}}}")]
}

fn mentions(text: &str, number: &str) -> bool {
    placeholders(number).iter().any(|it| text.contains(it.as_str()))
}

fn renamed(text: &str, number: &str) -> String {
    let own = placeholders(&format!("{OWN}{number}"));
    placeholders(number).iter().zip(&own).fold(text.to_owned(), |text, (old, new)| text.replace(old, new))
}

/// The paths below a shared part in which the files differ.
fn parts(part: &str, stubborn: &Values, healthy: &Values) -> Vec<String> {
    if stubborn.0.get(part) == healthy.0.get(part) {
        return Vec::new();
    }
    let (ours, theirs) = (stubborn.below(part), healthy.below(part));
    if ours.is_empty() || theirs.is_empty() {
        return vec![part.to_owned()];
    }
    let names: BTreeSet<&str> = ours.keys().chain(theirs.keys()).copied().collect();
    let differs = names.into_iter().filter(|name| ours.get(name) != theirs.get(name));
    differs.map(|name| format!("{part}.{name}")).collect()
}

/// Copies what only the healthy actor's file has in a part: every number and pool, and the phrases that its actor
/// says.
fn adopt(document: &mut DocumentMut, other: &DocumentMut, part: &str, renamed: &Renamed) {
    let Some(theirs) = other.get(part).and_then(Item::as_table) else { return };
    if !document.contains_key(part) {
        let mut table = Table::new();
        table.set_implicit(theirs.is_implicit());
        *table.decor_mut() = theirs.decor().clone();
        table.set_position(document.get("tools").and_then(Item::as_table).and_then(Table::position));
        document.insert(part, Item::Table(table));
    }
    let Some(ours) = document.get_mut(part).and_then(Item::as_table_mut) else { return };
    for (name, item) in theirs {
        let world = part == "phrases" && renamed.of_world.contains(name);
        if !ours.contains_key(name) && !world {
            let mut item = item.clone();
            anywhere(&mut item);
            ours.insert_formatted(theirs.key(name).expect("it was just seen"), item);
        }
    }
}

/// Forgets where in its file a part was, so that it follows the one before it.
fn anywhere(item: &mut Item) {
    match item {
        Item::Table(table) => anywhere_in(table),
        Item::ArrayOfTables(tables) => ArrayOfTables::iter_mut(tables).for_each(anywhere_in),
        Item::None | Item::Value(_) => {}
    }
}

fn anywhere_in(table: &mut Table) {
    table.set_position(None);
    table.iter_mut().for_each(|(_, item)| anywhere(item));
}
