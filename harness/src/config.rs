//! Settings of guards that are not on the command line: a TOML file, then the environment.
//!
//! The file has a table for each guard, with the names of its settings:
//!
//! ```toml
//! [no-tools]
//! limit = 4
//! models = [{ pattern = "gpt-3.5*", enabled = true }, { pattern = "*", enabled = false }]
//!
//! [duplicate]
//! policy = "notice"
//! models = [{ pattern = "*mini*", equal-results = 1 }]
//! ```
//!
//! Every guard can be turned off (`enabled = false`). The list `models` changes settings or turns the guard off for
//! some models; the first matching pattern decides.
//!
//! The table `[exec]` is for guards in other processes: what they may use, and what they get.
//!
//! The file is the named one, else `balk.toml` in the current folder or the nearest one above it.
//!
//! Three environment variables override the file (spec N5): `NO_TOOLS_GUARD_ENABLED`, `MISTAKE_LIMIT` and
//! `NO_TOOLS_MESSAGE`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::error::Error;
use crate::exec::Settings;
use crate::guards::{EXEC, Registered, Registry};
use crate::input;
use crate::program;
use balk_scenarios::nearest;

pub use crate::guards::Config;

/// The file that is read if none is named.
pub const FILE: &str = "balk.toml";

/// [`FILE`] in this folder or the nearest one above it, as a path from this folder (`../balk.toml`).
///
/// # Errors
/// A folder that cannot be found, or something else of this name that is no file: a pipe might never end.
pub fn nearby(folder: &Path) -> Result<Option<PathBuf>, Error> {
    let real = folder.canonicalize().map_err(|error| Error::file(folder, "a folder", error))?;
    // One that is there and cannot be read is no reason to take another one, or none.
    let above = real.ancestors().position(|it| it.join(FILE).symlink_metadata().is_ok());
    let Some(above) = above else { return Ok(None) };
    let path: PathBuf = std::iter::repeat_n("..", above).chain([FILE]).collect();
    if folder.join(&path).metadata().is_ok_and(|it| !it.is_file()) {
        return Err(Error::file(&path, "a file with settings of guards", "something else"));
    }
    Ok(Some(path))
}

impl Config {
    /// Reads the settings of a file, then of the environment, which `variable` looks up.
    ///
    /// # Errors
    /// A file that cannot be read or is not TOML, a guard that is not registered, a setting that its guard does not
    /// accept, an invalid variable; each error names its place.
    pub fn load(
        registry: &Registry,
        file: Option<&Path>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let mut config = Self { guards: BTreeMap::new(), file: file.map(Path::to_owned) };
        if let Some(path) = file {
            config.read(registry, path)?;
        }
        config.environment(variable)?;
        Ok(config)
    }

    fn read(&mut self, registry: &Registry, path: &Path) -> Result<(), Error> {
        let text = input::text(path)?;
        let tables: BTreeMap<String, Map<String, Value>> = toml::from_str(&text).map_err(|error| {
            Error::file(path, "a table for each guard, as in [no-tools]", error.to_string().trim_end())
        })?;
        for (name, settings) in tables {
            if name == EXEC {
                Settings::read(settings.clone()).map_err(|error| {
                    Error::file(path, "settings of guards in other processes", format!("`{name}`: {error}"))
                })?;
                self.guards.insert(name, settings);
                continue;
            }
            let Some(guard) = registry.guard(&name) else {
                let known: Vec<&str> = registry.guards().map(Registered::name).collect();
                let hint = match nearest(&name, known.iter().copied()) {
                    Some(nearest) => {
                        let list = program::command("list --guards");
                        format!("did you mean [{nearest}]? `{list}` shows all of them")
                    }
                    None => format!("known: {}", known.join(", ")),
                };
                return Err(Error::file(path, "the name of a guard", format!("[{name}]")).hint(&hint));
            };
            guard.factory(settings.clone()).map_err(|error| {
                Error::file(path, "settings that the guard accepts", format!("`{name}`: {error}"))
            })?;
            self.guards.insert(name, settings);
        }
        Ok(())
    }

    fn environment(&mut self, variable: impl Fn(&str) -> Option<String>) -> Result<(), Error> {
        let bad = |name: &str, expected: &str, found: &str| {
            Error::usage(name, expected, format!("`{found}`")).hint("it is an environment variable")
        };
        let settings = self.guards.entry("no-tools".into()).or_default();
        if let Some(text) = variable(ENABLED) {
            let enabled = match text.trim().to_ascii_lowercase().as_str() {
                "1" | "true" | "on" | "yes" => true,
                "0" | "false" | "off" | "no" => false,
                _ => return Err(bad(ENABLED, "true or false (also 1, 0, on, off, yes, no)", &text)),
            };
            settings.insert("enabled".into(), enabled.into());
        }
        if let Some(text) = variable(LIMIT) {
            match text.trim().parse::<u32>() {
                Ok(limit) if limit > 0 => settings.insert("limit".into(), limit.into()),
                _ => return Err(bad(LIMIT, "a whole number from 1", &text)),
            };
        }
        if let Some(text) = variable(MESSAGE) {
            settings.insert("message".into(), text.into());
        }
        Ok(())
    }
}

const ENABLED: &str = "NO_TOOLS_GUARD_ENABLED";
const LIMIT: &str = "MISTAKE_LIMIT";
const MESSAGE: &str = "NO_TOOLS_MESSAGE";

#[cfg(test)]
mod tests {
    use balk_guards::{
        AttemptFailure, Completion, Entry, FinishReason, Guard, Offer, Part, Protocol, Start, Usage, Verdict,
    };

    use super::*;
    use crate::engine::TruthChannel;
    use crate::files::write_passing;
    use crate::guards::Recipe;

    fn set(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        |name| pairs.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned())
    }

    fn load(text: &str, pairs: &'static [(&str, &str)]) -> Result<Config, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("balk.toml");
        write_passing(&path, text).expect("a file");
        Config::load(&Registry::standard(), Some(&path), set(pairs))
            .map_err(|error| error.to_string().replace(&folder.path().display().to_string(), "."))
    }

    #[test]
    fn n5_the_environment_stands_above_the_file() {
        let config =
            load("[no-tools]\nlimit = 4\nmessage = \"a\"\n", &[("MISTAKE_LIMIT", "7")]).expect("good");
        assert_eq!(Value::Object(config.of("no-tools")), serde_json::json!({"limit": 7, "message": "a"}));
        let config =
            load("", &[("NO_TOOLS_GUARD_ENABLED", "off"), ("NO_TOOLS_MESSAGE", "Act.")]).expect("good");
        assert_eq!(
            Value::Object(config.of("no-tools")),
            serde_json::json!({"enabled": false, "message": "Act."})
        );
    }

    #[test]
    fn n5_an_unparsable_value_names_the_variable_and_what_it_takes() {
        let error = |pairs| load("", pairs).expect_err("bad");
        assert_eq!(
            error(&[("MISTAKE_LIMIT", "many")]),
            "MISTAKE_LIMIT: expected a whole number from 1, found `many`\n  hint: it is an environment variable"
        );
        assert_eq!(
            error(&[("NO_TOOLS_GUARD_ENABLED", "maybe")]),
            "NO_TOOLS_GUARD_ENABLED: expected true or false (also 1, 0, on, off, yes, no), found `maybe`\n  hint: it \
             is an environment variable"
        );
        assert!(error(&[("MISTAKE_LIMIT", "0")]).contains("from 1"));
    }

    /// For three models: whether a stack with this configuration asks about an announcement without a call, and
    /// whether it sends an empty completion again.
    #[test]
    fn n5_every_guard_can_be_different_for_a_model() {
        let config = load(
            "[no-tools]\nenabled = false\nmodels = [{pattern = \"gpt-3.5*\", enabled = true, limit = 1}]\n\
             [empty-completion]\nmodels = [{pattern = \"*mini\", enabled = false}]\n",
            &[],
        )
        .expect("good");
        let found = |model: &str| {
            let recipe = Recipe::new(&Registry::standard(), "default", &config).expect("good");
            let mut stack = recipe.stack(&TruthChannel::default());
            let offer = std::sync::Arc::new(Offer::default());
            stack.observe(&Entry::Start(Start {
                model: model.into(),
                protocol: Protocol::Tool,
                offer: offer.clone(),
            }));
            let said = Part::Text("I'll list the files now…".into());
            let completion = Completion::new([said], [], FinishReason::Stop, Usage::default(), &offer);
            stack.observe(&Entry::Completion(completion.clone().into()));
            let verdict = stack.review(&completion).expect("no fault").verdict;
            let failure = AttemptFailure::empty(1);
            (matches!(verdict, Verdict::Ask(_)), stack.recover(&failure).expect("no fault").is_some())
        };
        assert_eq!(found("gpt-3.5-turbo"), (true, true));
        assert_eq!(found("gpt-3.5-mini"), (true, false));
        assert_eq!(found("llama"), (false, true));
    }

    #[test]
    fn the_nearest_file_above_is_found_by_its_way_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("a/b");
        std::fs::create_dir_all(&below).expect("folders");
        let found = || nearby(&below);
        write_passing(&folder.path().join(FILE), "").expect("a file");
        assert_eq!(found(), Ok(Some("../../balk.toml".into())));
        write_passing(&below.join(FILE), "").expect("a file");
        assert_eq!(found(), Ok(Some("balk.toml".into())));
        // What is there and is no file is an error, and not passed over.
        std::fs::remove_file(below.join(FILE)).expect("it is there");
        std::fs::create_dir(below.join(FILE)).expect("a folder");
        let bad = found().expect_err("a folder has no settings").to_string();
        assert_eq!(bad, "balk.toml: expected a file with settings of guards, found something else");
    }

    #[test]
    fn a_file_that_is_wrong_is_named_with_what_is_wrong() {
        let error = |text| load(text, &[]).expect_err("bad");
        assert!(
            error("[no-tool]\n")
                .contains("expected the name of a guard, found [no-tool]\n  hint: did you mean [no-tools]?")
        );
        assert!(error("[duplicate]\npolicy = \"shout\"\n").contains("unknown variant `shout`"));
        assert!(error("[no-tools]\nlimits = 3\n").contains("unknown field `limits`"));
        assert!(error("[duplicate]\nmodels = [{enabled = true}]\n").contains("missing field `pattern`"));
        assert!(
            error("[duplicate]\nmodels = [{pattern = \"*\", near = 1}]\n").contains("unknown field `near`")
        );
        assert!(error("no-tools = 3\n").contains("expected a table for each guard"));
        let of_exec = error("[exec]\nanswer-ms = 0\n");
        assert!(of_exec.contains("expected settings of guards in other processes"), "{of_exec}");
        assert!(of_exec.contains("answer-ms: expected a number from 1, found 0"), "{of_exec}");
        let of_variable = error("[exec]\nenv = [\"A=1\"]\n");
        assert!(of_variable.contains("env: expected names of variables, without values, found `A=1`"));
        assert!(error("[exec]\nanswer = 5\n").contains("unknown field `answer`"));
    }
}
