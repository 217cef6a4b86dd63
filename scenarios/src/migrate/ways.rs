//! The ways out that a corrected actor takes. Files of version 1 do not say them.

use toml_edit::{Array, Item, Table, TableLike, Value, value};

/// Fills in `ways` of every transition of this state that waits for a correction.
pub(super) fn fill(state: &mut Table) {
    let ways = likely(how(state).as_deref());
    match state.get_mut("next") {
        Some(Item::ArrayOfTables(next)) => next.iter_mut().for_each(|it| fill_in(it, ways, NOTE)),
        Some(Item::Value(Value::Array(next))) => {
            for it in next.iter_mut().filter_map(Value::as_inline_table_mut) {
                fill_in(it, ways, "");
            }
        }
        Some(_) | None => {}
    }
}

const NOTE: &str = " # Filled in: check which ways out work here.";

fn fill_in(next: &mut dyn TableLike, ways: &[&str], note: &str) {
    if next.get("when").and_then(Item::as_str) != Some("corrected") || next.contains_key("ways") {
        return;
    }
    let to = next.remove("to");
    let mut ways = Value::Array(ways.iter().copied().collect::<Array>());
    ways.decor_mut().set_suffix(note);
    next.insert("ways", value(ways));
    if let Some(to) = to {
        next.insert("to", to);
    }
}

/// The last way to be stuck of a state.
fn how(state: &Table) -> Option<String> {
    let truth = state.get("truth")?.as_array()?;
    let how = |span: &Value| Some(span.as_inline_table()?.get("how")?.as_str()?.to_owned());
    truth.iter().filter_map(how).last()
}

/// The ways out that most often work for this way to be stuck.
fn likely(how: Option<&str>) -> &'static [&'static str] {
    match how {
        Some("text-only" | "thinking-only" | "fence") => &["call"],
        Some("empty") => &["call", "again"],
        Some("truncated") => &["shorten"],
        Some("identical-call" | "same-failure" | "cycle") => &["inspect", "change", "tool"],
        Some(_) | None => &["inspect", "change"],
    }
}
