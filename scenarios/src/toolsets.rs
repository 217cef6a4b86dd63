//! The tools of known agents, under the names and arguments that these agents use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use balk_contract::{Effect, Tool};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toml::Spanned;

use crate::format::answers::own_answer;
use crate::format::diagnostic::Diagnostics;
use crate::format::report::{Report, listed};
use crate::format::roles::{ROLES, role_name};
use crate::format::source::Source;
use crate::format::syntax;
use crate::scenario::{Answers, Form, ItemShape, Role, Shape, Slot, Toolset, ToolsetTool};

pub use bind::{Binding, By, Unbound, bind};

mod bind;
mod fill;
mod names;
mod schema;
mod todo;

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
    #[serde(default)]
    numbers: Vec<Text>,
    items: Option<ItemsTable>,
    #[serde(default)]
    answers: AnswersTable,
}

/// How the items of a todo list are sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemsTable {
    text: String,
    state: String,
    open: String,
    begun: String,
    done: String,
    again: Option<String>,
    number: Option<String>,
    #[serde(default)]
    constants: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswersTable {
    done: Option<Text>,
    missing: Option<Text>,
    not_found: Option<Text>,
    found_twice: Option<Text>,
    same: Option<Text>,
    unchanged: Option<Text>,
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
    Toolset { name: table.name.get_ref().clone(), reserve: table.reserve, tools, spoken: Vec::new() }
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
    if sent.collect::<BTreeSet<_>>().len() < arguments.len() + row.constants.len() {
        let message = format!("two arguments of `{}` have the same name", row.name.get_ref());
        report.error(row.name.span(), message, "one would overwrite the other");
    }
    let shapes = shapes(row, role, report);
    let tool = Tool::new(row.name.get_ref())
        .description(&row.description)
        .effect(report.one_of("effect", &row.effect, EFFECTS))
        .purpose(role.purpose())
        .parameters(&schema(&arguments, &shapes, &row.constants));
    let values = shapes.into_iter().enumerate().map(|(at, shape)| Slot::Value(at, shape));
    let constants =
        row.constants.iter().map(|(name, value)| (name.clone(), Slot::Fixed(value.as_str().into())));
    let form = Form { members: arguments.into_iter().zip(values).chain(constants).collect() };
    ToolsetTool { role, tool, form, answers: answers(&row.answers, role, report) }
}

/// How each argument of a role is sent.
fn shapes(row: &ToolTable, role: Role, report: &mut Report<'_>) -> Vec<Shape> {
    for name in &row.numbers {
        report.index_of("argument", name, role.arguments().iter().copied());
    }
    let shape = |argument: &&str| match (&row.items, role) {
        (Some(table), Role::Plan) => Shape::Items(ItemShape {
            text: table.text.clone(),
            state: table.state.clone(),
            words: [table.open.clone(), table.begun.clone(), table.done.clone()],
            again: table.again.clone(),
            number: table.number.clone(),
            constants: table.constants.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }),
        _ if row.numbers.iter().any(|name| name.get_ref() == argument) => Shape::Number,
        _ => Shape::Text,
    };
    if row.items.is_some() && role != Role::Plan {
        report.error(row.role.span(), "only a todo list has items", "`items` goes with the role `plan`");
    }
    role.arguments().iter().map(shape).collect()
}

fn answers(table: &AnswersTable, role: Role, report: &mut Report<'_>) -> Answers {
    let mut of = |answer: &Option<Text>| answer.as_ref().map(|text| own_answer(text, role, report));
    Answers {
        done: of(&table.done),
        missing: of(&table.missing),
        not_found: of(&table.not_found),
        found_twice: of(&table.found_twice),
        same: of(&table.same),
        unchanged: of(&table.unchanged),
    }
}

/// The JSON Schema of an object whose members are all required.
fn schema(names: &[String], shapes: &[Shape], constants: &BTreeMap<String, String>) -> String {
    let text = || json!({"type": "string"});
    let of = |shape: &Shape| match shape {
        Shape::Text => text(),
        Shape::Number => json!({"type": "number"}),
        Shape::Items(shape) => json!({"type": "array", "items": item(shape)}),
    };
    let mut properties: Map<String, Value> =
        names.iter().zip(shapes).map(|(name, shape)| (name.clone(), of(shape))).collect();
    properties.extend(constants.keys().map(|name| (name.clone(), text())));
    let required: Vec<&String> = names.iter().chain(constants.keys()).collect();
    json!({"type": "object", "properties": properties, "required": required}).to_string()
}

/// The JSON Schema of an item of a todo list.
fn item(shape: &ItemShape) -> Value {
    let mut properties = Map::new();
    for name in [Some(&shape.text), shape.again.as_ref()].into_iter().flatten() {
        properties.insert(name.clone(), json!({"type": "string"}));
    }
    for (name, _) in &shape.constants {
        properties.insert(name.clone(), json!({"type": "string"}));
    }
    if let Some(name) = &shape.number {
        properties.insert(name.clone(), json!({"type": "number"}));
    }
    properties.insert(shape.state.clone(), json!({"type": "string", "enum": shape.words}));
    let required: Vec<&String> = properties.keys().collect();
    json!({"type": "object", "required": required, "properties": properties})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Agents differ in these: where one has no such tool, its set is not drawn for a scenario that needs it.
    const NOT_EVERYWHERE: [Role; 4] = [Role::Edit, Role::Delegate, Role::Wait, Role::Plan];

    #[test]
    fn the_catalogue_has_every_role_and_nearly_every_set_has_the_usual_ones() {
        let sets = catalogue();
        assert!(sets.len() >= 6, "only {} tool sets", sets.len());
        for set in sets {
            let count = |role| set.tools.iter().filter(|tool| tool.role == role).count();
            for (name, role) in ROLES.iter().filter(|(_, role)| *role != Role::Distractor) {
                let least = usize::from(!NOT_EVERYWHERE.contains(role) && set.name != "browser-use-like");
                assert!((least..=1).contains(&count(*role)), "{}: {name}", set.name);
            }
            assert!((3..=4).contains(&count(Role::Distractor)), "{}: distractors", set.name);
        }
        for (name, role) in ROLES {
            let having = sets.iter().filter(|set| set.tools.iter().any(|tool| tool.role == *role)).count();
            assert!(having >= 2, "{having} sets have the role {name}");
        }
        assert_eq!(sets.iter().filter(|set| set.reserve).count(), 1);
    }
}
