//! Files of this process, for what is only read from a folder.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = env::temp_dir().join(format!("balk-fuzz-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

/// Writes the only file of the folder of this name, and returns that folder.
pub fn holds(folder: &str, file: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let folder = FOLDER.join(folder);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(file), contents).expect("a file");
    folder
}
