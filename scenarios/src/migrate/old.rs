//! A file of version 1, and what it is in the present version.

use std::fmt::{self, Display, Formatter};

use toml_edit::{DocumentMut, Item, Key, Table, TomlError, Value, value};

use super::ways;
use crate::scenario::Kind;

/// A file of version 1.
#[derive(Clone, Debug)]
pub struct Old {
    /// The scenario's name.
    pub name: String,
    /// Whether its actor balks.
    pub kind: Kind,
    /// The name of the other scenario.
    pub twin: String,
    /// What `mode` of its `[response]` says. A file no longer has this key: it is chosen for a run.
    pub mode: Option<String>,
    document: DocumentMut,
}

/// Why a text is not a file of version 1.
#[derive(Clone, Debug)]
pub enum NotOld {
    /// It is not TOML.
    NotToml(TomlError),
    /// It says that it has another version.
    HasVersion,
    /// It lacks one of the keys that such a file has.
    Lacks(&'static str),
}

impl Display for NotOld {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotToml(error) => write!(f, "no TOML: {}", error.message()),
            Self::HasVersion => f.write_str("a file that already says its format"),
            Self::Lacks(key) => write!(f, "no `{key}`"),
        }
    }
}

impl Old {
    /// Reads it. Only what the rewriting needs is checked.
    ///
    /// # Errors
    /// It is not a file of version 1.
    pub fn read(text: &str) -> Result<Self, NotOld> {
        let document: DocumentMut = text.parse().map_err(NotOld::NotToml)?;
        if document.contains_key("format") {
            return Err(NotOld::HasVersion);
        }
        let word = |key: &'static str| {
            let word = document.get(key).and_then(Item::as_str);
            word.map(str::to_owned).ok_or(NotOld::Lacks(key))
        };
        let (name, kind, twin) = (word("name")?, word("kind")?, word("twin")?);
        document.get("actor").and_then(Item::as_table).ok_or(NotOld::Lacks("actor"))?;
        let kind = if kind == "stubborn" { Kind::Stubborn } else { Kind::Control };
        let mode = document.get("response").and_then(|it| it.get(MODE)).and_then(Item::as_str);
        let mode = mode.map(str::to_owned);
        Ok(Self { name, kind, twin, mode, document })
    }

    /// The file in the present version. A stubborn one still lacks its healthy actor.
    #[must_use]
    pub fn alone(&self) -> String {
        self.rewritten().to_string()
    }

    /// The same as a document.
    pub(super) fn rewritten(&self) -> DocumentMut {
        let mut document = self.document.clone();
        let table = match self.kind {
            Kind::Stubborn => "stubborn",
            Kind::Control => "healthy",
        };
        let top = document.as_table_mut();
        let taken = OF_ACTOR.map(|key| top.remove_entry(key));
        for key in ["kind", "twin"] {
            top.remove(key);
        }
        if let Some(response) = top.get_mut("response").and_then(Item::as_table_like_mut) {
            response.remove(MODE);
        }
        let keys: Vec<String> = top.iter().map(|(key, _)| key.to_owned()).collect();
        let rest: Vec<(Key, Item)> = keys.iter().filter_map(|key| top.remove_entry(key)).collect();
        for (nth, (mut key, mut item)) in rest.into_iter().enumerate() {
            if nth == 0 {
                // The comment at the head of the file stays there.
                let mut format = Key::new("format");
                if let Some(head) = key.leaf_decor().prefix().cloned() {
                    format.leaf_decor_mut().set_prefix(head);
                    key.leaf_decor_mut().set_prefix("");
                }
                top.insert_formatted(&format, value(2));
            }
            if key.get() == "actor" {
                key = Key::new(table);
                item = match item.into_table() {
                    Ok(actor) => Item::Table(with_head(actor, taken.iter().flatten())),
                    Err(item) => item,
                };
            }
            top.insert_formatted(&key, item);
        }
        document
    }
}

/// The key of `[response]` that files no longer have.
const MODE: &str = "mode";

/// The keys at the top of a file that tell of its actor.
const OF_ACTOR: [&str; 3] = ["title", "why", "source"];

/// The table of an actor, with these keys first.
fn with_head<'a>(actor: Table, head: impl IntoIterator<Item = &'a (Key, Item)>) -> Table {
    let mut table = Table::new();
    *table.decor_mut() = actor.decor().clone();
    table.set_position(actor.position());
    for (key, item) in head {
        table.insert_formatted(key, item.clone());
    }
    for (name, item) in &actor {
        let key = actor.key(name).expect("it was just seen");
        table.insert_formatted(key, item.clone());
    }
    if let Some(states) = table.get_mut("state").and_then(Item::as_array_of_tables_mut) {
        states.iter_mut().for_each(ways::fill);
    }
    table
}

/// Calls `change` with every string below this item, and with its key.
pub(super) fn each_text(key: &str, item: &mut Item, change: &mut dyn FnMut(&str, &mut Value)) {
    match item {
        Item::None => {}
        Item::Value(value) => each_text_in(key, value, change),
        Item::Table(table) => table.iter_mut().for_each(|(key, item)| each_text(key.get(), item, change)),
        Item::ArrayOfTables(tables) => {
            for table in tables.iter_mut() {
                table.iter_mut().for_each(|(key, item)| each_text(key.get(), item, change));
            }
        }
    }
}

fn each_text_in(key: &str, value: &mut Value, change: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::String(_) => change(key, value),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text_in(key, item, change)),
        Value::InlineTable(table) => {
            table.iter_mut().for_each(|(key, item)| each_text_in(key.get(), item, change));
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}
