//! Checks of the repository itself, after TigerBeetle's `tidy.zig`: no file that nothing includes, no circle of
//! imports, no citation or link without a target, no line, function or file that is too long, one layout of modules,
//! wire types that list their fields by one name each, one way to read files, and one version. `exceptions.rs` lists
//! the exceptions.

mod checks;
mod circles;
mod citations;
mod dependencies;
mod digest;
mod exceptions;
mod finding;
mod modules;
mod promises;
mod reading;
mod repository;
mod sizes;
mod source;
mod versions;

use std::path::Path;

use exceptions::EXCEPTIONS;
use finding::Finding;
use modules::Sources;
use repository::Repository;
use source::Source;

/// All findings of all rules, in order.
fn findings(repository: &Repository) -> Vec<Finding> {
    let sources: Sources =
        repository.ending("rs").map(|(path, text)| (path.to_owned(), Source::read(path, text))).collect();
    let trees = modules::trees(repository, &sources);
    let mut findings = modules::unreached(&sources, &trees);
    findings.extend(modules::layout(&sources));
    findings.extend(circles::circles(&trees));
    findings.extend(sizes::lines(repository));
    findings.extend(sizes::functions(&sources));
    findings.extend(sizes::files(repository));
    findings.extend(sizes::flattened(&sources));
    findings.extend(sizes::aliased(&sources));
    findings.extend(reading::reading(&sources));
    findings.extend(citations::citations(repository, &sources));
    findings.extend(citations::links(repository));
    findings.extend(versions::versions(repository));
    findings.sort();
    findings.dedup();
    findings
}

#[test]
fn the_repository_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let findings = findings(&Repository::read(&root));
    let excepted = |finding: &&Finding| EXCEPTIONS.iter().any(|exception| exception.covers(finding));
    let broken: Vec<String> =
        findings.iter().filter(|finding| !excepted(finding)).map(Finding::to_string).collect();
    let idle: Vec<String> = EXCEPTIONS
        .iter()
        .filter(|exception| !findings.iter().any(|finding| exception.covers(finding)))
        .map(|exception| {
            format!("{:?} of {} {} is in order now", exception.rule, exception.path, exception.key)
        })
        .collect();
    assert!(
        broken.is_empty() && idle.is_empty(),
        "{} places break a rule:\n{}\n{} lines of harness/tests/tidy/exceptions.rs are to be removed:\n{}",
        broken.len(),
        broken.join("\n"),
        idle.len(),
        idle.join("\n"),
    );
}

#[test]
fn exceptions_are_sorted_and_have_reasons() {
    let keys: Vec<_> =
        EXCEPTIONS.iter().map(|exception| (exception.rule, exception.path, exception.key)).collect();
    assert!(keys.is_sorted(), "sort the exceptions by rule, path and key");
    assert!(EXCEPTIONS.iter().all(|exception| !exception.reason.is_empty()), "an exception has no reason");
}
