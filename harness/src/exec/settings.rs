//! The settings of guards in other processes: the table `[exec]`.

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use crate::processes::{MEMORY_MIB_MAX, PROCESSES_MAX};

/// What each child of a command may use, and what it gets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Settings {
    /// How long it may take to its hello, with its start, in milliseconds.
    pub start_ms: u64,
    /// How long it may take to an answer, in milliseconds.
    pub answer_ms: u64,
    /// How much memory it may have, with all that it starts, in MiB.
    pub memory_mib: u64,
    /// How many processes it may have at the same time, with itself.
    pub processes: u64,
    /// The names of the variables of Balk's environment that it gets beside the usual ones.
    pub env: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            start_ms: 10_000,
            answer_ms: 5_000,
            memory_mib: MEMORY_MIB_MAX,
            processes: PROCESSES_MAX,
            env: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the settings of a configuration.
    ///
    /// # Errors
    /// A setting that there is not, a bound of zero, or what is no name of a variable.
    pub fn read(settings: serde_json::Map<String, serde_json::Value>) -> Result<Self, serde_json::Error> {
        let settings: Self = serde_json::from_value(settings.into())?;
        let Self { start_ms, answer_ms, memory_mib, processes, env } = &settings;
        for (name, number) in [
            ("start-ms", start_ms),
            ("answer-ms", answer_ms),
            ("memory-mib", memory_mib),
            ("processes", processes),
        ] {
            if *number == 0 {
                return Err(serde_json::Error::custom(format!("{name}: expected a number from 1, found 0")));
            }
        }
        if let Some(bad) = env.iter().find(|it| it.is_empty() || it.contains(['=', '\0'])) {
            let expected = "env: expected names of variables, without values";
            return Err(serde_json::Error::custom(format!("{expected}, found `{bad}`")));
        }
        Ok(settings)
    }
}
