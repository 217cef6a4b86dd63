//! Reads a profile: TOML in, a profile or diagnostics out.

use serde::Deserialize;
use toml::Spanned;

use super::pattern::Pattern;
use super::profile::{Added, Around, Place, Profile, SideCall};
use super::read_run::{RunTable, run};
use crate::format::diagnostic::Diagnostics;
use crate::format::report::Report;
use crate::format::roles::ROLES;
use crate::format::source::Source;
use crate::format::syntax;
use crate::toolsets::{Binding, By};

/// The version of the format.
const VERSION: u32 = 1;

type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    format: Spanned<u32>,
    agent: Text,
    version: Text,
    run: Option<Spanned<RunTable>>,
    #[serde(default)]
    binding: Vec<Spanned<BindingTable>>,
    #[serde(default)]
    added: Vec<AddedTable>,
    #[serde(default)]
    around: Vec<AroundTable>,
    #[serde(default)]
    refusal: Vec<RefusalTable>,
    #[serde(default)]
    side_call: Vec<Spanned<SideCallTable>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BindingTable {
    role: Text,
    tool: Option<String>,
    command: Option<String>,
    #[serde(default)]
    words: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddedTable {
    to: Text,
    text: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AroundTable {
    what: Text,
    text: Text,
    failed: Option<Spanned<bool>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RefusalTable {
    text: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SideCallTable {
    name: String,
    system: Option<String>,
    tools: Option<bool>,
}

const TOP: &syntax::Top = &[
    ("format", "format = 1"),
    ("agent", "agent = \"…\""),
    ("version", "version = \"…\""),
    ("run", "[run]"),
    ("binding", "[[binding]]"),
    ("added", "[[added]]"),
    ("around", "[[around]]"),
    ("refusal", "[[refusal]]"),
    ("side_call", "[[side_call]]"),
];

const PLACES: &[(&str, Place)] = &[("user", Place::User), ("result", Place::Result)];

/// Reads a profile. `file_name` is the name of the file in diagnostics.
///
/// # Errors
///
/// The diagnostics name everything that is wrong with the file. Where the text is not TOML, or a key is unknown,
/// missing or of the wrong type, they name only the first error.
pub fn parse(file_name: &str, text: &str) -> Result<Profile, Diagnostics> {
    let source = Source::new(file_name, text);
    let file: ProfileFile = syntax::read(&source, TOP)?;
    let mut report = Report::new(&source);
    if *file.format.get_ref() != VERSION {
        report
            .error(file.format.span(), "this version of the format is unknown", format!("expected {VERSION}"))
            .help("another version of this program wrote the file, or expects it");
    }
    for (key, value) in [("agent", &file.agent), ("version", &file.version)] {
        if value.get_ref().trim().is_empty() {
            report.error(value.span(), format!("`{key}` is empty"), "expected a text");
        }
    }
    let name = file.agent.get_ref();
    if !name.trim().is_empty() && !names_a_folder(name) {
        report
            .error(file.agent.span(), format!("`{name}` cannot be the name of an agent"), "not a legal name")
            .help("a name has letters, digits, spaces, `.`, `_`, `+` and `-`, and starts with a letter or a digit");
    }
    let profile = Profile {
        agent: file.agent.get_ref().clone(),
        version: file.version.get_ref().clone(),
        bindings: bindings(&file.binding, &mut report),
        added: file.added.iter().map(|it| added(it, &mut report)).collect(),
        around: file.around.iter().map(|it| around(it, &mut report)).collect(),
        refusals: file.refusal.iter().filter_map(|it| refusal(it, &mut report)).collect(),
        side_calls: file.side_call.iter().map(|it| side_call(it, &mut report)).collect(),
        run: file.run.as_ref().map(|it| run(it, &mut report)),
    };
    report.finish(profile)
}

/// Whether a folder can have this name below another one: `balk crash` makes one for each agent.
fn names_a_folder(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || " ._+-".contains(c))
        && !name.starts_with(['.', ' ', '-', '+', '_'])
}

fn bindings(tables: &[Spanned<BindingTable>], report: &mut Report<'_>) -> Vec<Binding> {
    let mut all: Vec<Binding> = Vec::with_capacity(tables.len());
    for table in tables {
        let row = table.get_ref();
        let role = report.one_of("role", &row.role, ROLES);
        if all.iter().any(|it| it.role == role) {
            let message = format!("`{}` is bound twice", row.role.get_ref());
            report.error(row.role.span(), message, "again here").help("remove one of them");
        }
        let by = match (&row.tool, &row.command, row.words) {
            (Some(tool), None, false) => By::Tool(tool.clone()),
            (None, Some(command), false) => By::Command(command.clone()),
            (None, None, true) => By::Words,
            _ => {
                let header = report.header(table.span());
                report
                    .error(
                        header,
                        "a binding has one of three ways",
                        "expected one of `tool`, `command` and `words = true`",
                    )
                    .help("a tool is named, a command is run in the agent's shell, words are a message");
                By::Words
            }
        };
        all.push(Binding { role, by });
    }
    all
}

fn added(table: &AddedTable, report: &mut Report<'_>) -> Added {
    let to = report.one_of("place", &table.to, PLACES);
    let Some(text) = pattern(&table.text, report) else { return Added { to, text: Pattern::any() } };
    if text.takes_more_than_any() {
        let message = "what is added says nothing of the user or the tool";
        report.error(table.text.span(), message, "expected no hole but `{*}`");
    } else if !text.is_closed() {
        let message = "this would take the rest of the text too";
        report
            .error(table.text.span(), message, "expected a text at the start and at the end")
            .help("say what the addition begins and ends with");
    }
    Added { to, text }
}

fn around(table: &AroundTable, report: &mut Report<'_>) -> Around {
    let what = report.one_of("place", &table.what, PLACES);
    let text = pattern(&table.text, report).unwrap_or_else(Pattern::any);
    if text.says() != 1 {
        report
            .error(table.text.span(), "what was said has one place", "expected one `{says}` or one `{json}`")
            .help("a text without it is `[[added]]`");
    }
    if let Some(failed) = table.failed.as_ref().filter(|_| what == Place::User) {
        report.error(failed.span(), "only a call can fail", "`failed` goes with `what = \"result\"`");
    }
    Around { what, text, failed: table.failed.as_ref().map(|it| *it.get_ref()) }
}

fn refusal(table: &RefusalTable, report: &mut Report<'_>) -> Option<Pattern> {
    let text = pattern(&table.text, report)?;
    if text.takes_more_than_any() || text.is_blank() {
        let message = "a refusal is told by words of the agent";
        report.error(table.text.span(), message, "expected a text, with no hole but `{*}`");
    }
    Some(text)
}

/// The pattern, unless it is reported.
fn pattern(text: &Text, report: &mut Report<'_>) -> Option<Pattern> {
    match Pattern::read(text.get_ref()) {
        Ok(pattern) => Some(pattern),
        Err((wrong, expected)) => {
            report.error(text.span(), wrong, expected);
            None
        }
    }
}

fn side_call(table: &Spanned<SideCallTable>, report: &mut Report<'_>) -> SideCall {
    let SideCallTable { name, system, tools } = table.get_ref();
    if system.as_ref().is_none_or(|it| it.trim().is_empty()) && tools.is_none() {
        let header = report.header(table.span());
        report
            .error(header, "every request would be this side call", "expected `system`, `tools` or both")
            .help("say what its system text contains, or whether it has tools");
    }
    SideCall { name: name.clone(), system: system.clone(), tools: *tools }
}
