//! Settings of guards that are not on the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use serde_json::{Map, Value};

/// Settings of guards, by the guard's name, and the file that they were read from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    pub(crate) guards: BTreeMap<String, Map<String, Value>>,
    pub(crate) file: Option<PathBuf>,
}

impl Config {
    /// The settings of one guard; empty if nothing is set.
    #[must_use]
    pub fn of(&self, guard: &str) -> Map<String, Value> {
        self.guards.get(guard).cloned().unwrap_or_default()
    }

    /// The file that was read, as `--config` takes it; none without a file.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The option that names the file again, with a blank before it; empty without a file.
    #[must_use]
    pub fn again(&self) -> String {
        self.file().map_or_else(String::new, |it| format!(" --config {}", quoted(&it.display().to_string())))
    }

    /// The same settings, with one setting of one guard replaced.
    #[must_use]
    pub(crate) fn with(&self, guard: &str, key: &str, value: Value) -> Self {
        let mut config = self.clone();
        config.guards.entry(guard.to_owned()).or_default().insert(key.to_owned(), value);
        config
    }

    /// All settings: a member for each guard with settings.
    #[must_use]
    pub fn as_json(&self) -> Map<String, Value> {
        let set = self.guards.iter().filter(|(_, settings)| !settings.is_empty());
        set.map(|(name, settings)| (name.clone(), Value::Object(settings.clone()))).collect()
    }
}
