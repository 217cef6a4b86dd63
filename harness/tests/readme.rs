//! The README shows what its commands print: each block below a `run:` mark is run and compared.
//!
//! `INSTA_UPDATE=always cargo test -p balk --test readme` writes the blocks anew.

use std::path::Path;
use std::process::Command;

const MARK: &str = "<!-- run: ";
const OPEN: &str = "```console\n";
const CLOSE: &str = "```\n";

#[test]
fn the_readme_shows_what_its_commands_print() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).expect("the README is there");
    let mut expected = String::new();
    let mut rest = &readme[..];
    let mut blocks = 0;
    while let Some(at) = rest.find(MARK) {
        let body = at + rest[at..].find(OPEN).expect("a block follows each mark") + OPEN.len();
        let end = body + rest[body..].find(CLOSE).expect("every block ends");
        let arguments = rest[at + MARK.len()..].split(" -->").next().expect("every mark ends");
        expected.push_str(&rest[..body]);
        expected.push_str(&format!("$ balk {arguments}\n{}", run(arguments)));
        rest = &rest[end..];
        blocks += 1;
    }
    expected.push_str(rest);
    assert!(blocks >= 3, "the README has lost its marks");
    if readme != expected {
        if update() {
            std::fs::write(&path, expected).expect("the README can be written");
        } else {
            panic!(
                "the README is out of date; read what changed after INSTA_UPDATE=always cargo test --test readme"
            );
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "whether to write is asked for as with the snapshots")]
fn update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always")
}

fn run(arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_balk"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .args(arguments.split(' '))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "balk {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}
