//! The rules on small repositories with one defect each: a rule that sees nothing would always pass.

use crate::finding::Finding;
use crate::findings;
use crate::repository::Repository;

const MANIFEST: (&str, &str) = ("a/Cargo.toml", "[package]\nname = \"a\"\n");

/// What the rules find in a package `a` with these files.
#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let all: Vec<_> = [MANIFEST].iter().chain(files).copied().collect();
    let found = findings(&Repository::of(&all));
    let said: Vec<String> =
        found.iter().map(|Finding { path, line, found, .. }| format!("{path}:{line}: {found}")).collect();
    assert_eq!(said, expected);
}

#[test]
fn a_file_that_no_module_includes() {
    check(
        &[("a/src/lib.rs", "mod x;\n"), ("a/src/x.rs", ""), ("a/src/y.rs", "")],
        &["a/src/y.rs:1: no module includes this file"],
    );
}

#[test]
fn every_kind_of_crate_is_a_root() {
    let manifest =
        ("b/Cargo.toml", "[package]\nname = \"b\"\n[[bin]]\nname = \"c\"\npath = \"c/start.rs\"\n");
    check(
        &[
            manifest,
            ("b/c/start.rs", "mod x;"),
            ("b/c/x.rs", ""),
            ("a/src/main.rs", ""),
            ("a/tests/one.rs", ""),
            ("a/tests/many/main.rs", "mod part;"),
            ("a/tests/many/part.rs", "mod inner { mod deep; }"),
            ("a/tests/many/part/inner/deep.rs", ""),
            ("a/benches/one.rs", ""),
            ("a/examples/one.rs", ""),
        ],
        &[],
    );
}

#[test]
fn a_module_without_a_file() {
    check(
        &[("a/src/lib.rs", "\nmod x;\n")],
        &["a/src/lib.rs:2: `mod x;` leads to no file of the repository"],
    );
}

#[test]
fn two_layouts_of_modules() {
    check(
        &[
            ("a/src/lib.rs", "mod x;\n#[path = \"other.rs\"]\nmod y;\n"),
            ("a/src/x/mod.rs", ""),
            ("a/src/other.rs", ""),
        ],
        &[
            "a/src/lib.rs:3: `#[path]` says where the module `y` lies",
            "a/src/x/mod.rs:1: a module is called `mod.rs`",
        ],
    );
}

#[test]
fn a_circle_of_two_files() {
    check(
        &[
            ("a/src/lib.rs", "mod x;\nmod y;\n"),
            ("a/src/x.rs", "use crate::y::Y;\npub struct X(Y);\n"),
            ("a/src/y.rs", "\npub struct Y;\nfn f() -> crate::x::X { todo!() }\n"),
        ],
        &["a/src/x.rs:1: a circle of imports: a/src/x.rs:1 names `crate::y::Y` of a/src/y.rs, \
            a/src/y.rs:3 names `crate::x::X` of a/src/x.rs"],
    );
}

#[test]
fn a_circle_through_a_re_export_a_glob_and_a_macro() {
    check(
        &[
            ("a/src/lib.rs", "mod x;\nmod y;\nmod z;\npub use x::X as Known;\n"),
            ("a/src/x.rs", "use crate::y::*;\npub struct X;\nfn f() { print!(\"{}\", helper(1)) }\n"),
            ("a/src/y.rs", "use super::z;\npub fn helper(n: u8) { z::look(n) }\n"),
            ("a/src/z.rs", "pub fn look(n: u8) { let _ = crate::Known; }\n"),
        ],
        &["a/src/x.rs:3: a circle of imports: a/src/x.rs:3 names `helper` of a/src/y.rs, \
            a/src/y.rs:2 names `z::look` of a/src/z.rs, a/src/z.rs:1 names `crate::Known` of a/src/x.rs"],
    );
}

#[test]
fn a_parent_and_a_part_of_it_that_use_each_other() {
    check(
        &[
            ("a/src/lib.rs", "mod x;\n"),
            ("a/src/x.rs", "mod part;\nuse part::{self, Part};\npub struct X { part: Part }\n"),
            ("a/src/x/part.rs", "use super::X;\npub struct Part;\nfn f(x: &X) {}\n"),
        ],
        &["a/src/x.rs:2: a circle of imports: a/src/x.rs:2 names `part::Part` of a/src/x/part.rs, \
            a/src/x/part.rs:1 names `super::X` of a/src/x.rs"],
    );
}

#[test]
fn what_is_no_circle() {
    check(
        &[
            ("a/src/lib.rs", "mod x;\nmod y;\npub use x::X;\npub use y::Y;\n"),
            // A parent that re-exports what its part defines; a field, a method and a binding with another item's
            // name.
            (
                "a/src/x.rs",
                "mod part;\npub use part::Part;\npub struct X { y: u8 }\nfn y(x: X) { x.y.f() }\n",
            ),
            ("a/src/x/part.rs", "use super::X;\npub struct Part(X);\n#[cfg(test)]\nmod tests;\n"),
            // A test module may use its parent.
            ("a/src/x/part/tests.rs", "use super::Part;\n"),
            ("a/src/y.rs", "use crate::X;\npub struct Y(X);\npub fn f() {}\n"),
        ],
        &[],
    );
}

#[test]
fn functions_that_are_too_long() {
    let function = |lines: usize| format!("fn long() {{\n{}}}\n", "    f();\n".repeat(lines - 2));
    check(&[("a/src/lib.rs", &function(70))], &[]);
    let found = "a/src/lib.rs:1: `long` has 71 lines, of at most 70";
    check(&[("a/src/lib.rs", &function(71))], &[found]);
    let nested = format!("impl X {{\n#[test]\n{}}}\nproptest! {{\n{}}}\n", function(71), function(71));
    check(
        &[("a/src/lib.rs", &nested)],
        &[&found.replace(":1:", ":3:"), "a/src/lib.rs:76: `long` has 71 lines, of at most 70"],
    );
}

#[test]
fn lines_that_are_too_wide() {
    let wide = |start: &str| format!("\n{start}{}\n", "x".repeat(120));
    check(
        &[("a/src/lib.rs", &wide("// ")), ("a.md", &wide("é"))],
        &[
            "a.md:2: a line of 121 columns, where 120 fit",
            "a/src/lib.rs:2: a line of 123 columns, where 120 fit",
        ],
    );
    check(&[("a/src/lib.rs", &wide("//! | ")), ("b.md", &wide("| ")), ("a.md", &wide("see https://"))], &[]);
    check(&[("a.md", &format!("```text{}```\n", wide("")))], &[]);
    let spliced = format!("<!-- balk report short -->{}<!-- end -->{}", wide("é"), wide("é"));
    check(&[("a.md", &spliced)], &["a.md:4: a line of 121 columns, where 120 fit"]);
    check(&[("a.md", &"字".repeat(61))], &["a.md:1: a line of 122 columns, where 120 fit"]);
}

#[test]
fn files_that_are_too_long() {
    check(&[("a/tests/a.rs", &"\n".repeat(450))], &[]);
    check(&[("a/tests/a.rs", &"\n".repeat(451))], &["a/tests/a.rs:1: 451 lines, of at most 450"]);
}

#[test]
fn wire_types_that_hide_their_fields() {
    check(
        &[(
            "a/src/lib.rs",
            "struct A {\n    #[serde(default, flatten)]\n    b: B,\n}\n#[serde(untagged)]\nenum B {}\n",
        )],
        &[
            "a/src/lib.rs:2: `#[serde(flatten)]` in a wire type",
            "a/src/lib.rs:5: `#[serde(untagged)]` in a wire type",
        ],
    );
}

#[test]
fn fields_with_two_names() {
    let code = "struct A<'a> {\n    /// It.\n    #[serde(borrow, alias = \"c\", alias = \"d\")]\n    #[expect(x)]\n\
        \x20   pub(crate) b: Option<&'a str>,\n    #[serde(rename = \"e\")]\n    f: u8,\n}\n\
        enum B {\n    #[serde(alias = \"h\")]\n    G,\n    I { #[serde(alias = \"k\")] j: u8 },\n}\n";
    let package = ("harness/Cargo.toml", "[package]\nname = \"harness\"\n");
    check(
        &[package, ("harness/src/lib.rs", code), ("a/src/lib.rs", code)],
        &[
            "harness/src/lib.rs:3: a field has \"c\" as a second name",
            "harness/src/lib.rs:3: a field has \"d\" as a second name",
            "harness/src/lib.rs:12: a field has \"k\" as a second name",
        ],
    );
}

#[test]
fn documents_that_are_cited() {
    let code = "//! As measured (`reactions.md`, 1; docs/known.md#two-words, docs/known.md#three).\n\
        // https://example.org/a.md and `known.md`\nconst TEXT: &str = \"// unknown.md\";\n";
    check(
        &[("a/src/lib.rs", code), ("docs/known.md", "# Two words\n\n```\nfile.md\n```\n")],
        &[
            "a/src/lib.rs:1: `docs/known.md#three` is cited, and is not in the repository",
            "a/src/lib.rs:1: `reactions.md` is cited, and is not in the repository",
        ],
    );
    check(
        &[("scenario.toml", "source = \"guards.md A3\"\ntext = \"a.md\"\n")],
        &["scenario.toml:1: `guards.md` is cited, and is not in the repository"],
    );
}

#[test]
fn rows_of_the_specification_that_are_cited() {
    check(
        &[
            ("a/src/lib.rs", "// Said twice (spec N8, E1 and E2).\nfn f() { g(\"spec H1 to H3: x\") }\n"),
            ("docs/specification.md", "### N8: no tools\n\n### E1\n\n### H1. Gaps\n"),
        ],
        &[
            "a/src/lib.rs:1: row E2 is cited, and is not a heading in docs/specification.md",
            "a/src/lib.rs:2: row H3 is cited, and is not a heading in docs/specification.md",
        ],
    );
}

#[test]
fn links_that_lead_nowhere() {
    let text = "# A `b`, c\n\n# A `b`, c\n\n[1](#a-b-c) [2](#a-b-c-1) [3](docs/) [4](docs/x.md#y)\n\
        [5](docs/z.md) [6](#z) [7](https://example.org/z.md)\n[8](docs/x.md#z)\n";
    check(
        &[("README.md", text), ("docs/x.md", "<a id=\"y\"></a>\n[1](../README.md#a-b-c)\n[2](README.md)\n")],
        &[
            "README.md:6: a link to `#z`, which does not exist",
            "README.md:6: a link to `docs/z.md`, which does not exist",
            "README.md:7: a link to `docs/x.md#z`, which does not exist",
            "docs/x.md:3: a link to `README.md`, which does not exist",
        ],
    );
}

#[test]
fn versions_that_differ() {
    let workspace = "[workspace.package]\nversion = \"0.2.0\"\n\n[workspace.dependencies]\n\
        a = { path = \"a\", version = \"0.1.0\" }\nserde = { version = \"1\" }\n";
    let package = "[package]\nname = \"b\"\nversion = \"0.1.9\"\n\n[dependencies]\n\
        a = { path = \"../a\", version = \"0.2.0\" }\n";
    let npm = "{\n\"version\": \"0.2.1\",\n\"optionalDependencies\": {\n\"@balk/cli\": \"0.1.0\"},\n\
        \"dependencies\": {\"zod\": \"4\"}}";
    check(
        &[
            ("Cargo.toml", workspace),
            ("b/Cargo.toml", package),
            ("b/package.json", npm),
            ("c/package.json", "{\"version\": \"0.2.0\"}"),
            ("pyproject.toml", "[project]\nname = \"a\"\nversion = \"1.0.0\"\n"),
        ],
        &[
            "Cargo.toml:5: `a` is 0.1.0, and the workspace is 0.2.0",
            "b/Cargo.toml:3: `version` is 0.1.9, and the workspace is 0.2.0",
            "b/package.json:2: `version` is 0.2.1, and the workspace is 0.2.0",
            "b/package.json:4: `@balk/cli` is 0.1.0, and the workspace is 0.2.0",
            "pyproject.toml:3: `version` is 1.0.0, and the workspace is 0.2.0",
        ],
    );
}

#[test]
fn files_that_are_opened_past_the_one_way_in() {
    let code = "use std::fs::read;\n\
        fn f() { std::fs::read_to_string(\"a\"); File::open(\"b\"); fs::read_dir(\"c\"); }\n\
        mod tests { fn g() { fs::read(\"d\"); } }\nmod part { fn h() { fs::read(\"e\"); } }\n";
    let package = ("harness/Cargo.toml", "[package]\nname = \"harness\"\n");
    check(
        &[package, ("harness/src/lib.rs", code), ("a/src/lib.rs", code)],
        &[
            "harness/src/lib.rs:1: `std::fs::read` reads past harness/src/input.rs",
            "harness/src/lib.rs:2: `File::open` reads past harness/src/input.rs",
            "harness/src/lib.rs:2: `std::fs::read_to_string` reads past harness/src/input.rs",
            "harness/src/lib.rs:4: `fs::read` reads past harness/src/input.rs",
        ],
    );
}
