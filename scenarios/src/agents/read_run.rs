//! Reads how an agent is run.

use std::collections::BTreeMap;
use std::ops::Range;

use balk_contract::wire::Dialect;
use serde::Deserialize;
use toml::Spanned;

use super::drivers::DRIVERS;
use super::run::{Install, Run};
use super::template::{Hole, Template};
use crate::format::report::Report;

type Text = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunTable {
    api: Text,
    command: Spanned<Vec<Text>>,
    resume: Option<Spanned<Vec<Text>>>,
    #[serde(default)]
    drivers: Vec<Text>,
    #[serde(default)]
    env: BTreeMap<Text, Text>,
    #[serde(default)]
    files: BTreeMap<Text, Text>,
    install: Option<InstallTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InstallTable {
    kind: Text,
    packages: Spanned<Vec<Text>>,
    node: Option<Spanned<u32>>,
}

const APIS: &[(&str, Dialect)] = &[
    ("openai", Dialect::OpenAi),
    ("responses", Dialect::Responses),
    ("anthropic", Dialect::Anthropic),
    ("gemini", Dialect::Gemini),
];

#[derive(Clone, Copy)]
enum Kind {
    Npm,
    Pip,
}

const KINDS: &[(&str, Kind)] = &[("npm", Kind::Npm), ("pip", Kind::Pip)];

pub(super) fn run(table: &Spanned<RunTable>, report: &mut Report<'_>) -> Run {
    let header = report.header(table.span());
    let table = table.get_ref();
    let run = Run {
        api: report.one_of("API", &table.api, APIS),
        install: table.install.as_ref().map(|it| install(it, report)),
        command: command(&table.command, report),
        resume: table.resume.as_ref().map(|it| command(it, report)),
        env: table.env.iter().map(|(name, text)| variable(name, text, report)).collect(),
        files: files(table, report),
    };
    let env = || run.env.iter().map(|(_, it)| it);
    for (said, templates) in
        [(Some(&table.command), Some(&run.command)), (table.resume.as_ref(), run.resume.as_ref())]
    {
        let (Some(said), Some(templates)) = (said, templates) else { continue };
        if !templates.iter().chain(env()).any(|it| it.has(Hole::Task)) {
            report
                .error(said.span(), "what the user says has no place", "expected an argument with `{task}`")
                .help("`{task}` can be in the environment, too");
        }
    }
    let files = run.files.iter().map(|(_, it)| it);
    if !run.command.iter().chain(env()).chain(files).any(|it| it.has(Hole::Url)) {
        report
            .error(header, "the agent is not told where its model is", "expected `{url}` in this table")
            .help("put it into the command, into `[run.env]` or into a file of `[run.files]`");
    }
    run
}

fn command(arguments: &Spanned<Vec<Text>>, report: &mut Report<'_>) -> Vec<Template> {
    if arguments.get_ref().first().is_none_or(|it| it.get_ref().trim().is_empty()) {
        report.error(arguments.span(), "the program has no name", "expected a program, then its arguments");
    }
    arguments.get_ref().iter().map(|it| template(it, report)).collect()
}

fn variable(name: &Text, text: &Text, report: &mut Report<'_>) -> (String, Template) {
    if name.get_ref().is_empty() || name.get_ref().contains(['=', '\0']) {
        report.error(name.span(), "no variable can have this name", "expected a name without `=`");
    }
    (name.get_ref().clone(), template(text, report))
}

/// The files of the profile, and the drivers under their own names.
fn files(table: &RunTable, report: &mut Report<'_>) -> Vec<(String, Template)> {
    let mut files: Vec<(String, Template)> = Vec::with_capacity(table.files.len() + table.drivers.len());
    for (path, text) in &table.files {
        if !is_below(path.get_ref()) {
            report
                .error(
                    path.span(),
                    "this path is not below the agent's home",
                    "expected a path such as `.agent/a.toml`",
                )
                .help("the home is a fresh folder, and a profile writes nowhere else");
        }
        let template = template(text, report);
        if template.has(Hole::Task) {
            let message = "a file cannot have what the user says";
            report
                .error(text.span(), message, "expected `{url}`, `{home}` or `{workspace}`")
                .help("files are written once, and the user can say more in a later run");
        }
        files.push((path.get_ref().clone(), template));
    }
    for driver in &table.drivers {
        let Some(at) = report.index_of("driver", driver, DRIVERS.iter().map(|(name, _)| *name)) else {
            continue;
        };
        let (name, text) = DRIVERS[at];
        if files.iter().any(|(path, _)| path == name) {
            let message = format!("`{name}` is written twice");
            report.error(driver.span(), message, "a file has this path already").help("remove one of them");
        }
        files.push((name.to_owned(), Template::verbatim(text)));
    }
    files
}

/// Whether a path is made of names alone.
fn is_below(path: &str) -> bool {
    path.split('/').all(|it| !matches!(it, "" | "." | "..")) && !path.contains(['\\', '\0'])
}

fn install(table: &InstallTable, report: &mut Report<'_>) -> Install {
    let packages: Vec<String> = table.packages.get_ref().iter().map(|it| it.get_ref().clone()).collect();
    if packages.is_empty() {
        report.error(table.packages.span(), "nothing is installed", "expected a package with its version");
    }
    for package in table.packages.get_ref() {
        // What a package manager would take for an option.
        if package.get_ref().is_empty() || package.get_ref().starts_with('-') {
            report.error(package.span(), "this is no package", "expected the name of a package");
        }
    }
    match report.one_of("kind", &table.kind, KINDS) {
        Kind::Npm => Install::Npm { packages, node: table.node.as_ref().map(|it| *it.get_ref()) },
        Kind::Pip => {
            if let Some(node) = &table.node {
                report.error(
                    node.span(),
                    "only packages of npm run on Node",
                    "`node` goes with `kind = \"npm\"`",
                );
            }
            Install::Pip { packages }
        }
    }
}

/// The template. A bad one is reported, and its text takes its place.
fn template(text: &Text, report: &mut Report<'_>) -> Template {
    Template::read(text.get_ref()).unwrap_or_else(|word| {
        let span: Range<usize> = text.span();
        report
            .error(
                span,
                format!("unknown hole `{{{word}}}`"),
                "expected `{task}`, `{url}`, `{home}` or `{workspace}`",
            )
            .help("a word of small letters in braces is a hole, all other braces are text");
        Template::verbatim(text.get_ref())
    })
}
