//! Other people's crates: their licences, where they come from, which of them are there twice, and how many an embedder
//! gets. `deny.toml` says the same to cargo-deny; these checks need neither that tool nor the network.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::repository::Repository;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn read(file: &str) -> String {
    std::fs::read_to_string(Path::new(ROOT).join(file)).expect("it is there")
}

fn toml(file: &str) -> toml::Table {
    read(file).parse().expect("a TOML file")
}

/// Standard output of cargo.
fn cargo(arguments: &[&str]) -> String {
    let cargo = Command::new(env!("CARGO")).current_dir(ROOT).args(arguments).output().expect("it starts");
    assert!(cargo.status.success(), "{}", String::from_utf8_lossy(&cargo.stderr));
    String::from_utf8(cargo.stdout).expect("text")
}

/// The platform of this machine.
fn host() -> String {
    let said = Command::new("rustc").args(["-vV"]).output().expect("it starts").stdout;
    let said = String::from_utf8(said).expect("text");
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc names its host").to_owned()
}

/// Whether an expression of licences holds where these are allowed. Older crates write `/` for `OR`.
fn is_allowed(expression: &str, allowed: &BTreeSet<&str>) -> bool {
    let expression = expression.trim();
    let parts = |by: &str| -> Vec<String> {
        let mut parts = vec![String::new()];
        let mut depth = 0;
        let mut rest = expression;
        while let Some(c) = rest.chars().next() {
            if depth == 0 && rest.starts_with(by) {
                parts.push(String::new());
                rest = &rest[by.len()..];
                continue;
            }
            depth += i32::from(c == '(') - i32::from(c == ')');
            parts.last_mut().expect("there is one").push(c);
            rest = &rest[c.len_utf8()..];
        }
        parts
    };
    for by in [" OR ", "/"] {
        if parts(by).len() > 1 {
            return parts(by).iter().any(|it| is_allowed(it, allowed));
        }
    }
    if parts(" AND ").len() > 1 {
        return parts(" AND ").iter().all(|it| is_allowed(it, allowed));
    }
    match expression.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        Some(inside) => is_allowed(inside, allowed),
        None => allowed.contains(expression),
    }
}

#[test]
fn expressions_of_licences_are_read() {
    let allowed = BTreeSet::from(["MIT", "BSD-3-Clause"]);
    for good in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND BSD-3-Clause"] {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "GPL-3.0 OR (MIT AND GPL-2.0)", "MIT WITH X", ""] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    let deny = toml("deny.toml");
    let allowed = deny["licenses"]["allow"].as_array().expect("a list");
    let allowed: BTreeSet<&str> = allowed.iter().map(|it| it.as_str().expect("a text")).collect();
    let host = host();
    let metadata = ["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", &host];
    let metadata: Value = serde_json::from_str(&cargo(&metadata)).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    assert!(packages.len() > 100, "{}", packages.len());
    for package in packages {
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_allowed(licence, &allowed), "{} has the licence `{licence}`", package["name"]);
    }
}

/// The versions of each crate in a lock file. Those of others come from this registry.
fn crates_in(lock: &str, registry: &str) -> BTreeMap<String, Vec<String>> {
    let mut versions: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for package in toml(lock)["package"].as_array().expect("a list") {
        let text = |name: &str| package.get(name).and_then(|it| it.as_str()).map(str::to_owned);
        let name = text("name").expect("a name");
        // Ours have no source.
        let source = text("source").unwrap_or_default();
        let is_known = source.is_empty() || source == format!("registry+{registry}");
        assert!(is_known, "{lock}: {name} comes from {source}");
        versions.entry(name).or_default().push(text("version").expect("a version"));
    }
    versions
}

/// The workspace, and the three that stand alone.
const LOCKS: [&str; 4] = [
    "Cargo.lock",
    "bindings/python/Cargo.lock",
    "bindings/typescript/wasm/Cargo.lock",
    "harness/fuzz/Cargo.lock",
];

#[test]
fn every_crate_comes_from_the_registry_and_is_there_once_or_with_a_reason() {
    let deny = toml("deny.toml");
    let registries = deny["sources"]["allow-registry"].as_array().expect("a list");
    let registry = registries[0].as_str().expect("an address");
    let [versions, .., fuzzed] = LOCKS.map(|lock| crates_in(lock, registry));
    for (name, found) in fuzzed {
        let is_fuzzers = ["arbitrary", "balk-fuzz", "libfuzzer-sys"].contains(&&*name);
        let is_shipped = |version| versions.get(&name).is_some_and(|it| it.contains(version));
        assert!(is_fuzzers || found.iter().all(is_shipped), "{name}: what is fuzzed is not what is shipped");
    }
    // The file has them in the order of their versions, as text; the last one may stay.
    let by_number = |version: &String| -> Vec<u64> {
        version.split(['.', '+', '-']).map(|it| it.parse().unwrap_or_default()).collect()
    };
    let twice = versions.iter().flat_map(|(name, versions)| {
        let mut versions = versions.clone();
        versions.sort_by_key(by_number);
        versions.pop();
        versions.into_iter().map(move |it| format!("{name}@{}", it.split('+').next().unwrap_or(&it)))
    });
    let twice: BTreeSet<String> = twice.collect();
    let skipped = deny["bans"]["skip"].as_array().expect("a list");
    let skipped: BTreeSet<String> =
        skipped.iter().map(|it| it["crate"].as_str().expect("a crate").to_owned()).collect();
    assert_eq!(skipped, twice, "`skip` in deny.toml, and older versions of crates that are there twice");
}

/// How many crates of others come with one of ours.
fn crates_of(ours: &str) -> usize {
    let tree = ["tree", "-p", ours, "-e", "normal", "--prefix", "none", "--locked", "--offline"];
    let tree = cargo(&tree);
    let names: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    names.iter().filter(|it| !it.is_empty() && !it.starts_with("balk-")).count()
}

#[test]
fn the_readme_says_how_many_crates_an_embedder_gets() {
    let (guards, contract) = (crates_of("balk-guards"), crates_of("balk-contract"));
    let said =
        format!("{guards} crates of others come with the guards, {contract} with their contract alone");
    assert!(read("README.md").contains(&said), "README.md does not say: {said}");
}

/// Crates where `forbid` would be too much, and what lifts `deny` there.
const DENIED: [&str; 3] = [
    // A test counts allocations, which takes an allocator of its own. Nothing of it is shipped.
    "guards/tests",
    // The macros of pyo3 and of wasm-bindgen, where they write what another language calls.
    "bindings/python",
    "bindings/typescript/wasm",
];

#[test]
fn no_crate_has_unsafe_code() {
    let repository = Repository::read(Path::new(ROOT));
    let crates: Vec<&str> =
        repository.files.keys().filter_map(|path| path.strip_suffix("/Cargo.toml")).collect();
    assert!(crates.len() > 10 && DENIED.iter().all(|it| crates.contains(it)), "{crates:?}");
    assert_eq!(toml("Cargo.toml")["workspace"]["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
    for of in crates {
        let manifest = toml(&format!("{of}/Cargo.toml"));
        let lints = manifest.get("lints").unwrap_or_else(|| panic!("{of} has no lints"));
        if lints.get("workspace").and_then(toml::Value::as_bool) != Some(true) {
            let said = if DENIED.contains(&of) { "deny" } else { "forbid" };
            assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some(said), "{of}");
        }
    }
    // Nothing that is written in the bindings lifts it.
    let mut code = repository.ending("rs").filter(|(path, _)| path.starts_with("bindings/"));
    assert_eq!(code.find(|(_, text)| text.contains("unsafe")).map(|(path, _)| path), None);
}
