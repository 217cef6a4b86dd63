//! A build is named by a digest of its sources, whose folders `harness/build.rs` lists: what a crate includes is below
//! one of them.

use balk_scenarios::catalogue::listed;
use proc_macro2::{TokenStream, TokenTree};

use crate::modules::normal;
use crate::repository::Repository;

const SCRIPT: &str = "harness/build.rs";

/// It puts the folder of a file together from several parts; [`the_catalogue_is_in_the_digest`] looks at all its files.
const PUT_TOGETHER: &str = "scenarios/src/catalogue.rs";

const INCLUDING: [&str; 4] = ["include", "include_bytes", "include_dir", "include_str"];

/// The folders that the build script lists, each with a `/` at its end.
fn folders(script: &str) -> Vec<String> {
    let list = |name: &str| -> Vec<&str> {
        let (_, list) = script.split_once(&format!("const {name}: [&str; ")).expect("the list is there");
        let (_, list) = list.split_once("= [").expect("the list begins");
        let (list, _) = list.split_once("];").expect("the list ends");
        list.split(',').map(|it| it.trim().trim_matches('"')).filter(|it| !it.is_empty()).collect()
    };
    let sources = list("SOURCES");
    list("CRATES").iter().flat_map(|of| sources.iter().map(move |it| format!("{of}/{it}/"))).collect()
}

/// The beginning of a path, up to what a macro puts there: all of a literal, or the first parts of `concat!`.
fn path(tokens: TokenStream) -> String {
    match &tokens.into_iter().collect::<Vec<_>>()[..] {
        [TokenTree::Ident(concat), _, TokenTree::Group(parts)] if concat == "concat" => path(parts.stream()),
        [TokenTree::Literal(literal), ..] => literal.to_string().trim_matches('"').to_owned(),
        _ => String::new(),
    }
}

/// Adds what these tokens include, with the line. What only a document or a test includes is no part of a program.
fn included(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        let TokenTree::Group(group) = tree else { continue };
        let before = |back: usize| at.checked_sub(back).map(|at| trees[at].to_string()).unwrap_or_default();
        let is_test = before(2) == "mod" && before(1) == "tests";
        let is_document = group.to_string().starts_with("[doc ");
        if before(1) == "!" && INCLUDING.contains(&&*before(2)) {
            found.push((group.span_open().start().line, path(group.stream())));
        } else if !is_test && !is_document {
            included(group.stream(), found);
        }
    }
}

/// What is included from elsewhere than the listed folders.
fn outside(repository: &Repository) -> Vec<String> {
    let folders = folders(&repository.files[SCRIPT]);
    let is_listed = |path: &str| folders.iter().any(|it| path.starts_with(it));
    let is_test = |path: &str| path.ends_with("/tests.rs") || path.contains("/tests/");
    let code = repository.ending("rs").filter(|(path, _)| is_listed(path) && !is_test(path));
    let mut outside = Vec::new();
    for (file, text) in code.filter(|(path, _)| *path != PUT_TOGETHER) {
        let mut found = Vec::new();
        included(text.parse().unwrap_or_else(|error| panic!("{file}: no Rust: {error}")), &mut found);
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, path) in found {
            let path = if path.is_empty() {
                "what a macro names".to_owned()
            } else {
                normal(&format!("{folder}/{path}"))
            };
            if !is_listed(&format!("{path}/")) {
                outside.push(format!("{file}:{line}: {path} is not below a folder that {SCRIPT} lists"));
            }
        }
    }
    outside
}

#[test]
fn what_a_crate_includes_is_in_the_digest_of_a_build() {
    let repository = Repository::read(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    assert_eq!(outside(&repository), Vec::<String>::new());
}

#[test]
fn the_catalogue_is_in_the_digest() {
    let folders = folders(include_str!("../../build.rs"));
    for listed in listed() {
        let file = format!("scenarios/{}", listed.file);
        assert!(folders.iter().any(|it| file.starts_with(it)), "{file} is not below {folders:?}");
    }
}

#[test]
fn files_that_are_included_from_elsewhere() {
    let script = "const CRATES: [&str; 1] = [\"a\"];\nconst SOURCES: [&str; 2] = [\"src\", \"words\"];\n";
    let code = "const A: &str = include_str!(\"../words/a.toml\");\n\
                const B: &[u8] = include_bytes!(\"../other/b\");\n\
                macro_rules! c { ($c:literal) => { include_str!(concat!(\"../more/\", $c)) } }\n\
                macro_rules! d { ($d:literal) => { include_str!($d) } }\n\
                #[doc = include_str!(\"../README.md\")]\nmod e { mod tests { include!(\"../../f.rs\"); } }\n";
    let found = outside(&Repository::of(&[(SCRIPT, script), ("a/src/lib.rs", code)]));
    let expected = ["2: a/other/b", "3: a/more", "4: what a macro names"]
        .map(|it| format!("a/src/lib.rs:{it} is not below a folder that {SCRIPT} lists"));
    assert_eq!(found, expected);
}
