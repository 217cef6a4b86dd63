//! Writes files that are there whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;

use crate::error::Error;

/// Writes a temporary file and renames it, so that a killed program leaves the old file or the new one. Creates the
/// folder if it is missing.
///
/// # Errors
/// The folder or the file cannot be written, or the disk is full; the file is then unchanged.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    written(path, write)?.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a new file in a folder that is there, and never replaces one.
///
/// # Errors
/// The folder or the file cannot be written, or the file is already there.
pub(crate) fn write_new(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
    }
    written(path, write)?.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file that also survives a power cut.
///
/// # Errors
/// As for [`write_whole`].
pub(crate) fn write_durably(
    path: &Path,
    write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let file = written(path, write)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync(folder_of(path))
}

/// The writer of a file.
pub(crate) type Out<'a> = BufWriter<&'a fs::File>;

fn written(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let file = match temporary(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder)?;
            temporary(folder)?
        }
        made => made?,
    };
    let mut out = BufWriter::new(file.as_file());
    write(&mut out)?;
    out.flush()?;
    drop(out);
    Ok(file)
}

/// Whether both paths lead to one file that is there.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    real(one).is_some_and(|it| Some(it) == real(other))
}

/// The name of a file for something whose own name may come from a client. A digest tells those apart that are the same
/// in plain characters.
pub(crate) fn plain_name(name: &str) -> String {
    let plain = |c: char| match c {
        ':' => '.',
        '-' => '-',
        c if c.is_ascii_alphanumeric() => c,
        _ => '_',
    };
    let plain: String = name.chars().map(plain).take(64).collect();
    if plain.replace('.', ":") == name {
        plain
    } else {
        format!("{plain}-{:08x}", xxh3_64(name.as_bytes()) >> 32)
    }
}

/// Checks that a folder is new, or empty but for what a killed run left.
///
/// # Errors
/// It has other files, or cannot be read.
pub(crate) fn check_empty(folder: &Path) -> Result<(), Error> {
    let unusable = |error: io::Error| Error::file(folder, "a folder that can be written to", error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        read => read.map_err(unusable)?,
    };
    for entry in entries {
        if !is_left_over(&entry.map_err(unusable)?.path()) {
            let error = Error::file(folder, "an empty or new folder", "other files");
            return Err(error.hint("name another folder"));
        }
    }
    Ok(())
}

/// Writes a new folder with these files in it, names and texts. It is there whole or not at all.
///
/// # Errors
/// The folder is not empty, or cannot be written.
pub(crate) fn write_folder(folder: &Path, files: &[(String, String)]) -> io::Result<()> {
    let parent = folder_of(folder);
    fs::create_dir_all(parent)?;
    let whole = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(parent)?;
    for (name, text) in files {
        write_new(&whole.path().join(name), |out| out.write_all(text.as_bytes()))?;
    }
    if folder.exists() {
        fs::remove_dir(folder)?;
    }
    usual_permissions(whole.path())?;
    fs::rename(whole.path(), folder)?;
    let _ = whole.keep();
    Ok(())
}

/// The default would let only the owner read a temporary folder.
#[cfg(unix)]
fn usual_permissions(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn usual_permissions(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The prefix of a file's name until it is whole.
const UNFINISHED: &str = ".balk-";

/// Whether a killed run left this unfinished file.
pub(crate) fn is_left_over(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A temporary file with the usual permissions; the default would let only the owner read it.
#[cfg(unix)]
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)
}

/// Writes the new name to the disk.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// On other systems a folder cannot be opened.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_halfway_leaves_the_file_as_it_was_and_nothing_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/er/a.txt");
        write_whole(&path, |out| out.write_all(b"first")).expect("it can be written");
        let failed = write_whole(&path, |out| {
            out.write_all(b"second")?;
            Err(io::Error::other("no space left"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read(&path).expect("it is there"), b"first");
        assert_eq!(fs::read_dir(path.parent().expect("it has one")).expect("a folder").count(), 1);
    }
}
