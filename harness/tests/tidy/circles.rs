//! Circles of imports: a file names an item of another file, which names an item of the first, perhaps through other
//! files.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::finding::{Finding, Rule};
use crate::modules::{Module, Tree};

/// For each file, the files whose items it names, with the first line that does and the item.
type Edges<'a> = BTreeMap<&'a str, BTreeMap<&'a str, (usize, String)>>;

/// The target of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    Module(usize),
    /// An item of this module.
    Item(usize),
}

/// The shortest circle through every file that is in one.
pub(crate) fn circles(trees: &[Tree<'_>]) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for tree in trees {
        let edges = edges(tree);
        for file in edges.keys() {
            let Some(circle) = shortest(&edges, file) else { continue };
            let first = circle.iter().enumerate().min_by_key(|(_, file)| **file).map_or(0, |(at, _)| at);
            let circle: Vec<&str> = circle[first..].iter().chain(&circle[..first]).copied().collect();
            if seen.insert(circle.join(" ")) {
                findings.push(describe(&circle, &edges));
            }
        }
    }
    findings
}

fn describe(circle: &[&str], edges: &Edges<'_>) -> Finding {
    let next = circle.iter().cycle().skip(1);
    let steps: Vec<(&str, usize, String)> = circle
        .iter()
        .zip(next)
        .map(|(from, to)| {
            let (line, name) = &edges[from][to];
            (*from, *line, format!("{from}:{line} names `{name}` of {to}"))
        })
        .collect();
    let found: Vec<&str> = steps.iter().map(|(_, _, step)| step.as_str()).collect();
    Finding {
        rule: Rule::Circle,
        path: circle[0].to_owned(),
        line: steps[0].1,
        key: String::new(),
        found: format!("a circle of imports: {}", found.join(", ")),
    }
}

/// The files of the shortest path from `start` back to it.
fn shortest<'a>(edges: &Edges<'a>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut before: BTreeMap<&str, &'a str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for next in edges.get(file).into_iter().flat_map(BTreeMap::keys) {
            if *next == start {
                let mut way = vec![file];
                while way.last() != Some(&start) {
                    way.push(before[way[way.len() - 1]]);
                }
                way.reverse();
                return Some(way);
            }
            if !before.contains_key(next) {
                before.insert(next, file);
                queue.push_back(next);
            }
        }
    }
    None
}

fn edges<'a>(tree: &Tree<'a>) -> Edges<'a> {
    let mut edges = Edges::new();
    for (id, module) in tree.modules.iter().enumerate() {
        let imports = module.scope.imports.iter().filter(|import| import.name.is_some());
        let imports = imports.map(|import| (&import.path, import.line, import.public));
        let mentions = module.scope.mentions.iter().map(|mention| (&mention.path, mention.line, false));
        for (path, line, public) in imports.chain(mentions) {
            for target in tree.resolve(id, path, &mut BTreeSet::new()) {
                let Target::Item(target) = target else { continue };
                let to = tree.modules[target].file;
                // A re-export of what a module's own parts define does not use them.
                if to != module.file && !(public && tree.is_below(target, id)) {
                    let edge = edges.entry(module.file).or_default().entry(to);
                    edge.or_insert_with(|| (line, path.join("::")));
                }
            }
        }
    }
    edges
}

impl Tree<'_> {
    fn is_below(&self, module: usize, above: usize) -> bool {
        let mut at = Some(module);
        while let Some(module) = at {
            if module == above {
                return true;
            }
            at = self.modules[module].parent;
        }
        false
    }

    /// The targets of a path in a module; none if it leads out of the crate, or is a local name. `open` are the
    /// imports that are being followed, by module and index.
    fn resolve(&self, module: usize, path: &[String], open: &mut BTreeSet<(usize, usize)>) -> Vec<Target> {
        let mut at: Vec<Target> = match path[0].as_str() {
            "crate" => vec![Target::Module(0)],
            "self" => vec![Target::Module(module)],
            "super" => self.parent(module),
            name => self.lookup(module, name, open),
        };
        for segment in &path[1..] {
            let modules = at.iter().filter_map(|target| match target {
                Target::Module(id) => Some(*id),
                Target::Item(_) => None,
            });
            let next: Vec<Target> = modules
                .flat_map(|id| match segment.as_str() {
                    "super" => self.parent(id),
                    "self" => vec![Target::Module(id)],
                    name => self.lookup(id, name, open),
                })
                .collect();
            // A name after a type is a part of the type.
            at = if next.is_empty() {
                at.into_iter().filter(|target| matches!(target, Target::Item(_))).collect()
            } else {
                next
            };
        }
        at
    }

    fn parent(&self, module: usize) -> Vec<Target> {
        self.modules[module].parent.map(Target::Module).into_iter().collect()
    }

    /// The meaning of a name in a module: a child, an item, an import, or a glob import.
    fn lookup(&self, module: usize, name: &str, open: &mut BTreeSet<(usize, usize)>) -> Vec<Target> {
        let Module { scope, children, .. } = &self.modules[module];
        let mut found = BTreeSet::new();
        found.extend(children.get(name).map(|child| Target::Module(*child)));
        found.extend(scope.names.contains_key(name).then_some(Target::Item(module)));
        for (at, import) in scope.imports.iter().enumerate() {
            if import.name.as_deref() == Some(name) && open.insert((module, at)) {
                found.extend(self.resolve(module, &import.path, open));
                open.remove(&(module, at));
            }
        }
        if found.is_empty() {
            for (at, import) in scope.imports.iter().enumerate() {
                if import.name.is_none() && open.insert((module, at)) {
                    for target in self.resolve(module, &import.path, open) {
                        if let Target::Module(id) = target {
                            found.extend(self.lookup(id, name, open));
                        }
                    }
                    open.remove(&(module, at));
                }
            }
        }
        found.into_iter().collect()
    }
}
