//! The text as it grows: lines with a key, and headers of tables.

use std::fmt::Write;

use crate::scenario::Scenario;

/// The lines so far.
pub(super) struct Sheet<'s> {
    /// The scenario whose names the lines use.
    pub(super) scenario: &'s Scenario,
    text: String,
}

impl<'s> Sheet<'s> {
    pub(super) fn new(scenario: &'s Scenario) -> Self {
        Self { scenario, text: String::new() }
    }

    /// A header: `[limits]`, or `[[pool.page]]`.
    pub(super) fn table(&mut self, header: &str) {
        self.put(format_args!("\n{header}\n"));
    }

    /// A line with this value.
    pub(super) fn line(&mut self, key: &str, value: String) {
        self.put(format_args!("{key} = {value}\n"));
    }

    /// The same, if there is a value.
    pub(super) fn optional(&mut self, key: &str, value: Option<String>) {
        if let Some(value) = value {
            self.line(key, value);
        }
    }

    /// A mark, if it holds.
    pub(super) fn mark(&mut self, key: &str, holds: bool) {
        if holds {
            self.line(key, true.to_string());
        }
    }

    /// A list, unless it is empty. A long one has a line for each item.
    pub(super) fn list(&mut self, key: &str, items: Vec<String>) {
        if items.is_empty() {
            return;
        }
        let short = format!("{key} = [{}]\n", items.join(", "));
        if short.chars().count() <= COLUMNS {
            self.text.push_str(&short);
        } else {
            self.put(format_args!("{key} = [\n  {},\n]\n", items.join(",\n  ")));
        }
    }

    pub(super) fn text(self) -> String {
        self.text
    }

    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        self.text.write_fmt(what).expect("writing to a string never fails");
    }
}

/// A list in a longer line is divided.
const COLUMNS: usize = 120;
