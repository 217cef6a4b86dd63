//! The folder of a place: new for each run, and removed with all that the run left in it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::files;

/// A new folder, which is removed with the value.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes one, in the folder for temporary files.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> io::Result<Self> {
        let path = tempfile::Builder::new().prefix("work-").tempdir()?.keep();
        // Mounts are known by paths without links.
        Ok(Self { path: fs::canonicalize(path)? })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes it.
    ///
    /// # Errors
    /// Something is mounted in it, or cannot be removed.
    pub fn remove(self) -> io::Result<()> {
        remove(&self.path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // `remove` says what is left.
        let _ = remove(&self.path);
    }
}

/// Removes a folder with all that is in it, and nothing that is elsewhere: no link is followed, and where something is
/// mounted in the folder, all of it stays. A tree of any depth goes, and so do folders that were made read-only.
/// Nothing may write to the folder any more. One that is gone is no error.
///
/// # Errors
/// Something is mounted in it, or cannot be removed.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    if let Some(at) = mounted_in(folder)? {
        let why =
            format!("something is mounted at {}: unmount it before you delete the folder", at.display());
        return Err(io::Error::other(why));
    }
    let about = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        about => about?,
    };
    if !about.is_dir() {
        return fs::remove_file(folder);
    }
    make_writable(folder)?;
    let system = file_system(&about);
    let mut moved = 0_u64;
    let mut is_empty = false;
    // What is in each folder is moved up, so no path is longer than two names, and no folder stays open below another.
    while !is_empty {
        is_empty = true;
        for entry in fs::read_dir(folder)? {
            let inner = entry?;
            if !is_own_folder(&inner, system)? {
                fs::remove_file(inner.path())?;
                continue;
            }
            is_empty = false;
            make_writable(&inner.path())?;
            for entry in fs::read_dir(inner.path())? {
                let entry = entry?;
                if is_own_folder(&entry, system)? {
                    make_writable(&entry.path())?;
                    files::rename(&entry.path(), &free(folder, &mut moved))?;
                } else {
                    fs::remove_file(entry.path())?;
                }
            }
            fs::remove_dir(inner.path())?;
        }
    }
    fs::remove_dir(folder)
}

/// A path in a folder at which nothing is.
fn free(folder: &Path, moved: &mut u64) -> PathBuf {
    loop {
        *moved += 1;
        let path = folder.join(moved.to_string());
        if fs::symlink_metadata(&path).is_err() {
            return path;
        }
    }
}

/// Whether this is a folder, and no link to one. One of another file system is an error.
fn is_own_folder(entry: &fs::DirEntry, system: u64) -> io::Result<bool> {
    let about = entry.metadata()?;
    if about.is_dir() && file_system(&about) != system {
        let why = format!("another file system is at {}", entry.path().display());
        return Err(io::Error::other(why));
    }
    Ok(about.is_dir())
}

#[cfg(unix)]
fn file_system(about: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(about)
}

#[cfg(not(unix))]
fn file_system(_: &fs::Metadata) -> u64 {
    0
}

/// Lets its owner change a folder.
#[cfg(unix)]
fn make_writable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn make_writable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Where something is mounted at or below a folder, also of the same file system.
#[cfg(target_os = "linux")]
fn mounted_in(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mounts = crate::input::own(Path::new("/proc/self/mountinfo")).map_err(io::Error::other)?;
    Ok(mounts.split(|it| *it == b'\n').filter_map(mount_point).find(|it| it.starts_with(folder)))
}

/// Elsewhere, a mount is another file system.
#[cfg(not(target_os = "linux"))]
fn mounted_in(_: &Path) -> io::Result<Option<PathBuf>> {
    Ok(None)
}

/// The fifth word of a line of `mountinfo`. Blanks and backslashes in it are octal numbers.
#[cfg(target_os = "linux")]
fn mount_point(line: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;

    let word = line.split(|it| *it == b' ').nth(4)?;
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let Some((first, after)) = rest.split_first() {
        let number = after.get(..3).and_then(|it| u8::from_str_radix(std::str::from_utf8(it).ok()?, 8).ok());
        let (byte, after) = match number {
            Some(byte) if *first == b'\\' => (byte, &after[3..]),
            Some(_) | None => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    Some(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::files::write_passing;

    #[test]
    fn a_tree_goes_however_deep_and_read_only_it_is_and_no_link_is_followed() {
        let elsewhere = tempfile::tempdir().expect("a folder");
        write_passing(&elsewhere.path().join("kept"), "kept").expect("a file");
        let folder = Folder::new().expect("a folder");
        let path = folder.path().to_owned();
        symlink(elsewhere.path(), path.join("link")).expect("a link");
        write_passing(&path.join("1"), "a name that is taken").expect("a file");
        fs::create_dir_all(path.join("closed/inner")).expect("folders");
        write_passing(&path.join("closed/inner/file"), "").expect("a file");
        symlink(elsewhere.path(), path.join("closed/inner/link")).expect("a link");
        for it in ["closed/inner", "closed"] {
            fs::set_permissions(path.join(it), fs::Permissions::from_mode(0o500)).expect("it is mine");
        }
        // No path leads to the bottom of such a tree, so it is built from there.
        let (top, other) = (path.join("top"), path.join("other"));
        fs::create_dir(&top).expect("a folder");
        for _ in 0..3_000 {
            fs::create_dir(&other).expect("a folder");
            files::rename(&top, &other.join("d")).expect("it can be moved");
            files::rename(&other, &top).expect("it can be moved");
        }
        folder.remove().expect("it can be removed");
        assert!(!path.exists());
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_folder_that_became_a_link_goes_and_not_what_it_leads_to() {
        let elsewhere = tempfile::tempdir().expect("a folder");
        let folder = Folder::new().expect("a folder");
        let path = folder.path().to_owned();
        fs::remove_dir(&path).expect("it is empty");
        symlink(elsewhere.path(), &path).expect("a link");
        folder.remove().expect("it can be removed");
        assert!(fs::symlink_metadata(&path).is_err() && elsewhere.path().exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_mount_point_is_the_fifth_word() {
        let line = br"36 35 98:0 /mnt1 /tmp/work-1/a\040b\134c rw,noatime master:1 - ext3 /dev/root rw";
        assert_eq!(mount_point(line), Some(PathBuf::from(r"/tmp/work-1/a b\c")));
        assert_eq!(mount_point(b""), None);
    }
}
