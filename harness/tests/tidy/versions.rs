//! One version for all packages, in every language: that of the workspace.

use crate::finding::{Finding, Rule};
use crate::repository::Repository;

/// A version that a file states, and what it is the version of.
type Stated = (String, String);

/// Versions of our packages that are not the one of `Cargo.toml`.
pub(crate) fn versions(repository: &Repository) -> Vec<Finding> {
    let tables = || repository.ending("toml").filter_map(|(path, text)| Some((path, table(path, text)?)));
    let root = tables().find(|(path, _)| *path == "Cargo.toml");
    let Some(expected) = root.and_then(|(_, it)| text_at(&it, &["workspace", "package", "version"])) else {
        return Vec::new();
    };
    let of_cargo = tables().map(|(path, table)| (path, in_toml(&table)));
    let of_npm = repository.ending("json").filter(|(path, _)| name_of(path) == "package.json");
    let stated = of_cargo.chain(of_npm.map(|(path, text)| (path, in_json(path, text))));
    let mut findings = Vec::new();
    for (path, stated) in stated {
        for (key, found) in stated.into_iter().filter(|(_, found)| *found != expected) {
            let text = &repository.files[path];
            let place = text.lines().position(|line| line.contains(&key) && line.contains(&found));
            findings.push(Finding {
                rule: Rule::Version,
                path: path.to_owned(),
                line: place.map_or(1, |at| at + 1),
                found: format!("`{key}` is {found}, and the workspace is {expected}"),
                key,
            });
        }
    }
    findings
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The table of a manifest of Cargo or of Python.
fn table(path: &str, text: &str) -> Option<toml::Table> {
    let is_manifest = ["Cargo.toml", "pyproject.toml"].contains(&name_of(path));
    is_manifest.then(|| text.parse().unwrap_or_else(|error| panic!("{path}: {error}")))
}

fn text_at(table: &toml::Table, keys: &[&str]) -> Option<String> {
    let (first, rest) = keys.split_first()?;
    let value = table.get(*first)?;
    if rest.is_empty() { value.as_str().map(str::to_owned) } else { text_at(value.as_table()?, rest) }
}

fn in_toml(table: &toml::Table) -> Vec<Stated> {
    let own = ["package", "project"].into_iter().filter_map(|kind| text_at(table, &[kind, "version"]));
    let workspace = table.get("workspace").and_then(|it| it.get("dependencies"));
    let dependencies = [table.get("dependencies"), workspace].into_iter().flatten();
    let packages = dependencies.filter_map(toml::Value::as_table).flatten();
    let ours = packages.filter_map(|(name, it)| {
        it.get("path")?;
        Some((name.clone(), it.get("version")?.as_str()?.to_owned()))
    });
    own.map(|found| ("version".to_owned(), found)).chain(ours).collect()
}

fn in_json(path: &str, text: &str) -> Vec<Stated> {
    let package: serde_json::Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let kinds = ["dependencies", "optionalDependencies"].into_iter();
    let packages = kinds.filter_map(|kind| package.get(kind)?.as_object()).flatten();
    let ours = packages.filter(|(name, _)| name.starts_with("@balk/"));
    let own = package.get("version").map(|found| ("version", found));
    let stated = own.into_iter().chain(ours.map(|(name, found)| (name.as_str(), found)));
    stated.filter_map(|(key, found)| Some((key.to_owned(), found.as_str()?.to_owned()))).collect()
}
