//! The promises of `SECURITY.md`: each names a test, and the test is there.

use std::fs;
use std::path::Path;

#[test]
fn every_promise_names_a_test_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
    let security = read("SECURITY.md");
    let head = "| promise | test |\n|---|---|\n";
    let (_, promises) = security.split_once(head).expect("it has a table of promises");
    let promises: Vec<&str> = promises.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(promises.len() > 10, "{}", promises.len());
    for promise in promises {
        let (file, name) = promise
            .strip_suffix("` |")
            .and_then(|it| it.rsplit_once("`, `"))
            .and_then(|(before, name)| Some((before.rsplit_once('`')?.1, name)))
            .unwrap_or_else(|| panic!("expected | promise | `FILE`, `TEST` |, found {promise}"));
        let test = format!("fn {name}(");
        let is_there = |text: &str| text.lines().any(|line| line.trim_start().starts_with(&test));
        assert!(is_there(&read(file)), "{file} has no test {name}");
    }
}
