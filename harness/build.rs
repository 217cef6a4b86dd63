//! Names the build: a digest of the sources that a trial depends on.
//!
//! Only a clone has them. What comes from a registry is named by its version, which never changes there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3Default;

/// The crates, from the root of the clone.
const CRATES: [&str; 6] = ["guards/contract", "guards", "guards/peers", "scenarios", "reports", "harness"];

/// What each has: code, and files that the code includes.
const SOURCES: [&str; 7] = ["src", "agents", "catalog", "drawn", "field", "texts", "words"];

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a package is in a folder");
    let mut files = vec![root.join("Cargo.lock")];
    for folder in CRATES.iter().flat_map(|it| SOURCES.map(|of| root.join(it).join(of))) {
        if folder.is_dir() {
            println!("cargo::rerun-if-changed={}", folder.display());
            add(&folder, &mut files)?;
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", files[0].display());
    if CRATES.iter().all(|it| root.join(it).is_dir()) {
        println!("cargo::rustc-env=BALK_BUILD={}", digest(root, files)?);
    }
    Ok(())
}

/// Adds all files below a folder.
fn add(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            add(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The 64-bit xxh3 of the names and the contents of these files, in hexadecimal.
fn digest(root: &Path, mut files: Vec<PathBuf>) -> io::Result<String> {
    files.sort();
    let mut digest = Xxh3Default::new();
    for file in files {
        let name =
            file.strip_prefix(root).expect("it is below the root").to_string_lossy().replace('\\', "/");
        let bytes = fs::read(&file)?;
        for part in [name.as_bytes(), &bytes] {
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
    }
    Ok(format!("{:016x}", digest.digest()))
}
