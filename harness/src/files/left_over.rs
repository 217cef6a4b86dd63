//! Files that are not whole: how they are made, and how what a killed run left of them is removed.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use tempfile::NamedTempFile;

use super::step::{Step, before};
use crate::error::Error;
use crate::input::open_own;

/// How the names of files begin that are no contents of a folder, and of folders that are not whole.
pub(super) const UNFINISHED: &str = ".balk-";

/// How the name of a file begins until it is whole.
const TEMPORARY: &str = ".balk-unfinished-";

/// The number of drawn letters and digits after that.
const DRAWN: usize = 6;

/// Removes the unfinished files of killed runs in a folder, if there is one. Those of runs that go on are locked, and
/// what cannot be read or removed is somebody else's: it stays, and is no reason not to write.
pub(crate) fn clear_left_over(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // The lock is held until the file is gone, so no other run starts to use it.
        if is_temporary(&entry.file_name().to_string_lossy())
            && entry.file_type().is_ok_and(|it| it.is_file())
            && let Ok(file) = open_own(&path)
            && file.try_lock().is_ok()
        {
            let _ = remove(&path);
        }
    }
}

/// Whether a temporary file has such a name: a user may have other files that begin alike.
fn is_temporary(name: &str) -> bool {
    let drawn = name.strip_prefix(TEMPORARY);
    drawn.is_some_and(|it| it.len() == DRAWN && it.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Whether a killed run left this unfinished file.
pub(crate) fn is_left_over(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNFINISHED))
}

/// A temporary file that is locked as long as it is open.
pub(super) fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    before(Step::Create, folder)?;
    loop {
        let file = new_temporary(folder)?;
        // Where there are no locks, nothing is cleared.
        let _ = file.as_file().lock();
        // Another run may have cleared it before the lock.
        if is_at(file.as_file(), file.path()) {
            return Ok(file);
        }
    }
}

/// It has the usual permissions; the default would let only the owner read it.
#[cfg(unix)]
fn new_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    tempfile::Builder::new()
        .prefix(TEMPORARY)
        .rand_bytes(DRAWN)
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_temporary(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).rand_bytes(DRAWN).tempfile_in(folder)
}

/// Whether this path still leads to this file.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |about: fs::Metadata| (about.dev(), about.ino());
    let there = fs::symlink_metadata(path).map(id);
    matches!((file.metadata().map(id), there), (Ok(mine), Ok(there)) if mine == there)
}

/// On other systems a file that is open cannot be removed.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Checks that a folder is new, or empty but for what a killed run left.
///
/// # Errors
/// It has other files, or cannot be read.
pub(crate) fn check_empty(folder: &Path) -> Result<(), Error> {
    let unusable = |error: io::Error| Error::file(folder, "a folder that can be written to", error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
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

/// Removes a file; one that is not there is no error.
///
/// # Errors
/// It cannot be removed.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    before(Step::Remove, path)?;
    unless_missing(fs::remove_file(path))
}

/// Removes a folder with all that is in it; one that is not there is no error.
///
/// # Errors
/// It cannot be removed.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    before(Step::Remove, path)?;
    unless_missing(fs::remove_dir_all(path))
}

fn unless_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
