//! Generated files of the repository.

use std::fs;
use std::path::Path;

/// Compares a file with its expected text, or writes it if that is asked for.
#[track_caller]
pub(crate) fn same(path: &Path, expected: &str) {
    if fs::read_to_string(path).is_ok_and(|it| it == expected) {
        return;
    }
    assert!(
        update(),
        "{} is not what the record says; read what changed after INSTA_UPDATE=always cargo test",
        path.display()
    );
    fs::write(path, expected).expect("it can be written");
}

#[expect(clippy::disallowed_methods, reason = "whether to write is asked for as with the snapshots")]
fn update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|it| it == "always")
}
