//! The tools of known agents, under the names and arguments that these agents use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use balk_contract::{Effect, Tool};
use serde::Deserialize;
use toml::Spanned;

use crate::format::diagnostic::Diagnostics;
use crate::format::report::{Report, listed};
use crate::format::roles::{ROLES, role_name};
use crate::format::source::Source;
use crate::format::syntax;
use crate::scenario::{Role, Toolset, ToolsetTool};

const CATALOGUE: &str = include_str!("../catalog/toolsets.toml");

const EFFECTS: &[(&str, Effect)] = &[
    ("read-only", Effect::ReadOnly),
    ("idempotent-write", Effect::IdempotentWrite),
    ("write", Effect::Write),
    ("external", Effect::External),
    ("unknown", Effect::Unknown),
];

type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolsetsFile {
    toolset: Vec<SetTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetTable {
    name: Text,
    #[serde(default)]
    reserve: bool,
    tool: Vec<ToolTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolTable {
    role: Text,
    name: Text,
    description: String,
    effect: Text,
    arguments: BTreeMap<Text, String>,
    #[serde(default)]
    constants: BTreeMap<String, String>,
}

/// The tool sets of the catalogue, in its order. They are parsed once in a process.
///
/// # Panics
///
/// Never: the catalogue is a part of the program, and a test reads it.
#[must_use]
pub fn catalogue() -> &'static [Arc<Toolset>] {
    static SETS: LazyLock<Vec<Arc<Toolset>>> = LazyLock::new(|| {
        parse("catalog/toolsets.toml", CATALOGUE)
            .unwrap_or_else(|wrong| panic!("the built-in tool sets are bad:\n{wrong}"))
    });
    &SETS
}

/// Parses a file of tool sets.
///
/// `file_name` is the name of the file in diagnostics.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file.
pub fn parse(file_name: &str, text: &str) -> Result<Vec<Arc<Toolset>>, Diagnostics> {
    let source = Source::new(file_name, text);
    let file: ToolsetsFile = syntax::read(&source, &[("toolset", "[[toolset]]")])?;
    let mut report = Report::new(&source);
    let mut named: BTreeMap<&str, &Text> = BTreeMap::new();
    for set in &file.toolset {
        if let Some(first) = named.insert(set.name.get_ref(), &set.name) {
            report
                .error(
                    set.name.span(),
                    format!("two tool sets are called `{}`", set.name.get_ref()),
                    "again here",
                )
                .related(first.span(), "first here");
        }
    }
    let sets = file.toolset.iter().map(|set| Arc::new(toolset(set, &mut report))).collect();
    report.finish(sets)
}

fn toolset(table: &SetTable, report: &mut Report<'_>) -> Toolset {
    let mut names: BTreeMap<&str, &Text> = BTreeMap::new();
    let mut roles: BTreeMap<Role, &Text> = BTreeMap::new();
    let mut tools = Vec::with_capacity(table.tool.len());
    for row in &table.tool {
        if let Some(first) = names.insert(row.name.get_ref(), &row.name) {
            let message = format!("two tools are called `{}`", row.name.get_ref());
            report.error(row.name.span(), message, "again here").related(first.span(), "first here");
        }
        let tool = tool(row, report);
        if let Some(first) = roles.insert(tool.role, &row.role).filter(|_| tool.role != Role::Distractor) {
            let message = format!("two tools have the role `{}`", role_name(tool.role));
            report.error(row.role.span(), message, "again here").related(first.span(), "first here");
        }
        tools.push(tool);
    }
    Toolset { name: table.name.get_ref().clone(), reserve: table.reserve, tools }
}

fn tool(row: &ToolTable, report: &mut Report<'_>) -> ToolsetTool {
    let role = report.one_of("role", &row.role, ROLES);
    let misnamed: Vec<&Text> =
        row.arguments.keys().filter(|name| !role.has_argument(name.get_ref())).collect();
    for name in &misnamed {
        report.error(
            name.span(),
            format!("`{}` has no argument `{}`", role_name(role), name.get_ref()),
            format!("expected {}", listed(role.arguments(), "and")),
        );
    }
    let arguments = role.arguments().iter().map(|argument| {
        let given = row.arguments.iter().find(|(name, _)| name.get_ref() == argument);
        given.map(|(_, name)| name.clone()).unwrap_or_else(|| {
            // An argument under a wrong name is not reported again as missing.
            if misnamed.is_empty() {
                let message = format!("the argument `{argument}` is missing");
                let label = format!("`{}` needs {}", role_name(role), listed(role.arguments(), "and"));
                report.error(row.role.span(), message, label);
            }
            String::new()
        })
    });
    let arguments: Vec<String> = arguments.collect();
    let sent = arguments.iter().chain(row.constants.keys());
    if sent.clone().collect::<BTreeSet<_>>().len() < arguments.len() + row.constants.len() {
        let message = format!("two arguments of `{}` have the same name", row.name.get_ref());
        report.error(row.name.span(), message, "one would overwrite the other");
    }
    let tool = Tool::new(row.name.get_ref())
        .description(&row.description)
        .effect(report.one_of("effect", &row.effect, EFFECTS))
        .purpose(role.purpose())
        .parameters(&schema(sent));
    ToolsetTool {
        role,
        tool,
        arguments,
        constants: row.constants.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
    }
}

/// The JSON Schema of an object whose members are all strings and all required.
fn schema<'a>(names: impl Iterator<Item = &'a String> + Clone) -> String {
    let properties: serde_json::Map<String, serde_json::Value> =
        names.clone().map(|name| (name.clone(), serde_json::json!({"type": "string"}))).collect();
    serde_json::json!({"type": "object", "properties": properties, "required": names.collect::<Vec<_>>()})
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_every_role_in_every_set() {
        let sets = catalogue();
        assert!(sets.len() >= 6, "only {} tool sets", sets.len());
        for set in sets {
            let count = |role| set.tools.iter().filter(|tool| tool.role == role).count();
            for (name, role) in ROLES.iter().filter(|(_, role)| *role != Role::Distractor) {
                assert_eq!(count(*role), 1, "{}: {name}", set.name);
            }
            assert!((3..=4).contains(&count(Role::Distractor)), "{}: distractors", set.name);
        }
        assert_eq!(sets.iter().filter(|set| set.reserve).count(), 1);
    }
}
