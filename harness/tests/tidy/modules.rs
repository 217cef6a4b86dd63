//! The modules of a crate, from its root: which file declares which module.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Finding, Rule};
use crate::repository::Repository;
use crate::source::{Scope, Source};

/// The sources of the repository by path.
pub(crate) type Sources = BTreeMap<String, Source>;

/// A crate: the modules that a root declares. The first module is the root.
pub(crate) struct Tree<'a> {
    pub(crate) modules: Vec<Module<'a>>,
    /// Declarations without a file.
    missing: Vec<(String, usize, String)>,
}

/// One module, with its file.
pub(crate) struct Module<'a> {
    pub(crate) file: &'a str,
    pub(crate) scope: &'a Scope,
    pub(crate) parent: Option<usize>,
    pub(crate) children: BTreeMap<&'a str, usize>,
}

/// Every crate of the repository: libraries, programs, tests, benches, examples.
pub(crate) fn trees<'a>(repository: &Repository, sources: &'a Sources) -> Vec<Tree<'a>> {
    let packages = repository.files.iter().filter_map(|(path, text)| {
        let folder = path.strip_suffix("Cargo.toml")?;
        Some((folder, text.parse::<toml::Table>().unwrap_or_else(|error| panic!("{path}: {error}"))))
    });
    let mut roots = BTreeSet::new();
    for (folder, manifest) in packages.filter(|(_, manifest)| manifest.contains_key("package")) {
        roots.extend(explicit(&manifest).map(|path| format!("{folder}{path}")));
        roots.extend(sources.keys().filter(|path| is_root(path, folder)).cloned());
    }
    roots.iter().filter_map(|root| Some(Tree::read(sources.get_key_value(root)?.0, sources))).collect()
}

/// Files that no crate includes, and declarations without a file.
pub(crate) fn unreached(sources: &Sources, trees: &[Tree<'_>]) -> Vec<Finding> {
    let reached: BTreeSet<&str> =
        trees.iter().flat_map(|tree| &tree.modules).map(|module| module.file).collect();
    let finding = |path: &str, line: usize, key: &str, found: String| Finding {
        rule: Rule::Unreached,
        path: path.to_owned(),
        line,
        key: key.to_owned(),
        found,
    };
    let lost = sources.keys().filter(|path| !reached.contains(path.as_str()));
    let missing = trees.iter().flat_map(|tree| &tree.missing);
    lost.map(|path| finding(path, 1, "", "no module includes this file".to_owned()))
        .chain(missing.map(|(path, line, name)| {
            finding(path, *line, name, format!("`mod {name};` leads to no file of the repository"))
        }))
        .collect()
}

/// Files called `mod.rs`, and modules that are not where their name says.
pub(crate) fn layout(sources: &Sources) -> Vec<Finding> {
    let finding = |path: &String, line: usize, key: &str, found: String| Finding {
        rule: Rule::Layout,
        path: path.clone(),
        line,
        key: key.to_owned(),
        found,
    };
    let folders = sources.keys().filter(|path| path.ends_with("/mod.rs"));
    let elsewhere = sources.iter().flat_map(|(path, source)| {
        let declared = source.scope.declared.iter().filter(|declared| declared.path.is_some());
        declared.map(move |declared| (path, declared))
    });
    folders
        .map(|path| finding(path, 1, "", "a module is called `mod.rs`".to_owned()))
        .chain(elsewhere.map(|(path, declared)| {
            let found = format!("`#[path]` says where the module `{}` lies", declared.name);
            finding(path, declared.line, &declared.name, found)
        }))
        .collect()
}

impl<'a> Tree<'a> {
    fn read(root: &'a str, sources: &'a Sources) -> Self {
        let mut tree = Self { modules: Vec::new(), missing: Vec::new() };
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        tree.add(root, &sources[root].scope, None, folder, sources);
        tree
    }

    /// Adds a module whose children are in `folder`, and the children.
    fn add(
        &mut self,
        file: &'a str,
        scope: &'a Scope,
        parent: Option<usize>,
        folder: &str,
        sources: &'a Sources,
    ) -> usize {
        let id = self.modules.len();
        self.modules.push(Module { file, scope, parent, children: BTreeMap::new() });
        for (name, inline) in &scope.inline {
            let child = self.add(file, inline, Some(id), &format!("{folder}/{name}"), sources);
            self.modules[id].children.insert(name, child);
        }
        for declared in &scope.declared {
            let name = &declared.name;
            let own = file.rsplit_once('/').map_or("", |(own, _)| own);
            let candidates = match &declared.path {
                Some(path) => vec![normal(&format!("{own}/{path}"))],
                None => vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")],
            };
            let Some((path, source)) = candidates.iter().find_map(|path| sources.get_key_value(path)) else {
                self.missing.push((file.to_owned(), declared.line, name.clone()));
                continue;
            };
            let below = path.strip_suffix("/mod.rs").or(path.strip_suffix(".rs")).unwrap_or(path);
            let child = self.add(path, &source.scope, Some(id), below, sources);
            self.modules[id].children.insert(name, child);
        }
        id
    }
}

/// The paths that a manifest names.
fn explicit(manifest: &toml::Table) -> impl Iterator<Item = String> {
    let many =
        ["bin", "test", "bench", "example"].into_iter().filter_map(|kind| manifest.get(kind)?.as_array());
    let library = manifest.get("lib").into_iter();
    let paths = many.flatten().chain(library).filter_map(|target| target.get("path")?.as_str());
    paths.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Whether cargo finds a crate at `path` in the package at `folder` by convention.
fn is_root(path: &str, folder: &str) -> bool {
    let Some(inside) = path.strip_prefix(folder) else { return false };
    let parts: Vec<&str> = inside.split('/').collect();
    matches!(
        parts[..],
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["tests" | "benches" | "examples", _]
            | ["src", "bin", _, "main.rs"]
            | ["tests" | "benches" | "examples", _, "main.rs"]
    )
}

/// A path without `..`.
pub(crate) fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
