//! Files of this process, for what is only read from a folder.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fs, process};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = env::temp_dir().join(format!("balk-fuzz-{}", process::id()));
    // An earlier process may have had this number.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
});

/// The folder of this name.
pub fn folder(name: &str) -> PathBuf {
    let folder = FOLDER.join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Writes a file of the folder of this name, and returns that folder.
pub fn holds(name: &str, file: &str, contents: impl AsRef<[u8]>) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join(file), contents).expect("a file");
    folder
}
