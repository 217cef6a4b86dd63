//! The real folder: what is at a path, and putting something else there for a while.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files;
use crate::input;

/// The largest number of files that are read from a folder.
const FILES_MAX: usize = 2_000;

/// The most bytes that are read from one file.
const BYTES_MAX: u64 = 1 << 20;

/// How deep folders are looked into.
const DEPTH_MAX: usize = 32;

/// When the file at a path was written, as the system reports it. If two stamps are equal, the file did not change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    file: u64,
    size: u64,
    written: Option<SystemTime>,
    changed: (i64, i64),
}

/// The stamp of what is at a path. `None` if nothing is there.
pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::symlink_metadata(path).ok()?;
    #[cfg(unix)]
    let (file, changed) = {
        use std::os::unix::fs::MetadataExt as _;
        (about.ino(), (about.ctime(), about.ctime_nsec()))
    };
    #[cfg(not(unix))]
    let (file, changed) = (0, (0, 0));
    Some(Stamp { file, size: about.len(), written: about.modified().ok(), changed })
}

/// The text of a file. `None` if no file is there.
///
/// # Errors
/// It is there and cannot be read.
pub(super) fn text(path: &Path) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    // A pipe would never end.
    if !fs::metadata(path).is_ok_and(|it| it.is_file()) {
        return Ok(None);
    }
    match input::open_own(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file and the folders before it, if nothing else is in the way. Returns the folders that are new.
///
/// # Errors
/// The disk is full, or another program changes the folder.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent()
        && make_folders(parent).is_ok()
        && !path.is_dir()
    {
        files::write_passing(path, text)?;
    }
    Ok(())
}

/// Makes a folder and those before it, and returns those that are new, the innermost first.
///
/// # Errors
/// A file is in the way.
pub(super) fn make_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let new: Vec<PathBuf> =
        folder.ancestors().take_while(|it| fs::symlink_metadata(it).is_err()).map(Path::to_owned).collect();
    fs::create_dir_all(folder)?;
    Ok(new)
}

/// Removes a file. One that is not there is no error, nor is a folder.
///
/// # Errors
/// The system does not let it go.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(about) if !about.is_dir() => fs::remove_file(path),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Something that was put at a path for a while.
#[derive(Debug)]
pub(super) struct Put {
    path: PathBuf,
    /// What was there: a file, moved aside.
    aside: Option<PathBuf>,
    /// What is there now.
    now: Option<Stamp>,
    /// The folders that were made for it, the innermost first.
    folders: Vec<PathBuf>,
}

impl Put {
    /// Moves what is at the path aside, into a folder of ours under this name, and puts something else there. `None`
    /// if that cannot be done: a folder with files is there, or a file is where a folder belongs.
    ///
    /// # Errors
    /// The disk is full.
    pub(super) fn at(
        path: &Path,
        aside: PathBuf,
        make: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        let Some(Ok(folders)) = path.parent().map(make_folders) else { return Ok(None) };
        let there = fs::symlink_metadata(path);
        if there.as_ref().is_ok_and(fs::Metadata::is_dir) {
            remove_empty(&folders);
            return Ok(None);
        }
        let aside = match there {
            Ok(_) => {
                files::rename(path, &aside)?;
                Some(aside)
            }
            Err(_) => None,
        };
        make(path)?;
        Ok(Some(Self { path: path.to_owned(), aside, now: stamp(path), folders }))
    }

    /// Whether it is still there, as it was put.
    pub(super) fn is_there(&self) -> bool {
        stamp(&self.path) == self.now
    }

    /// Puts what was there back, unless something new is there meanwhile.
    ///
    /// # Errors
    /// The system does not let it.
    pub(super) fn undo(self) -> io::Result<()> {
        if self.is_there() {
            match fs::symlink_metadata(&self.path) {
                // It was made empty, and is as it was made.
                Ok(about) if about.is_dir() => fs::remove_dir(&self.path)?,
                Ok(_) => fs::remove_file(&self.path)?,
                Err(_) => {}
            }
            if let Some(aside) = &self.aside {
                files::rename(aside, &self.path)?;
            }
        }
        remove_empty(&self.folders);
        Ok(())
    }
}

/// Removes folders that have nothing in them, the innermost first.
pub(super) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders {
        // One that has something in it stays.
        let _ = fs::remove_dir(folder);
    }
}

/// What a folder has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    /// The files by their paths in it, without what git keeps.
    pub(super) files: BTreeMap<String, String>,
    /// Whether some were left out, because there were too many or they were too long or too deep.
    pub(super) is_cut: bool,
}

/// Reads a folder. Links are not followed. One that is gone has nothing.
pub(super) fn contents(folder: &Path) -> Contents {
    let mut contents = Contents::default();
    if let Err(error) = look(folder, "", 0, &mut contents) {
        contents.is_cut = error.kind() != ErrorKind::NotFound;
    }
    contents
}

fn look(folder: &Path, before: &str, depth: usize, contents: &mut Contents) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    // The first ones are the same in every run.
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            if name == ".git" {
                continue;
            }
            let is_too_deep = depth + 1 >= DEPTH_MAX;
            if is_too_deep || look(&entry.path(), &format!("{name}/"), depth + 1, contents).is_err() {
                contents.is_cut = true;
            }
        } else if kind.is_file() {
            if contents.files.len() >= FILES_MAX {
                contents.is_cut = true;
                return Ok(());
            }
            contents.is_cut |= entry.metadata().is_ok_and(|it| it.len() > BYTES_MAX);
            match text(&entry.path()) {
                Ok(text) => contents.files.extend(text.map(|text| (name, text))),
                Err(_) => contents.is_cut = true,
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_for_a_while_leaves_no_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        files::write_passing(&at("a"), "old").expect("a file");
        let put =
            Put::at(&at("a"), at("aside"), |it| fs::create_dir(it)).expect("it works").expect("it can be");
        assert!(at("a").is_dir() && put.is_there());
        put.undo().expect("it works");
        assert_eq!(text(&at("a")).expect("it can be read").as_deref(), Some("old"));

        let put = Put::at(&at("x/y/z"), at("aside"), |it| files::write_passing(it, "new")).expect("it works");
        put.expect("it can be").undo().expect("it works");
        assert!(!at("x").exists(), "the folders are gone, too");

        fs::create_dir_all(at("d/e")).expect("a folder");
        assert!(Put::at(&at("d"), at("aside"), |it| fs::create_dir(it)).expect("it works").is_none());
        assert!(Put::at(&at("a/b"), at("aside"), |it| fs::create_dir(it)).expect("it works").is_none());
    }

    #[test]
    fn what_came_in_its_place_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let put = Put::at(&path, folder.path().join("aside"), |it| fs::create_dir(it)).expect("it works");
        fs::remove_dir(&path).expect("it is there");
        files::write_passing(&path, "theirs").expect("a file");
        let put = put.expect("it can be");
        assert!(!put.is_there());
        put.undo().expect("it works");
        assert_eq!(text(&path).expect("it can be read").as_deref(), Some("theirs"));
    }

    #[test]
    fn a_file_that_was_written_again_has_another_stamp() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        assert_eq!(stamp(&path), None);
        files::write_passing(&path, "x").expect("a file");
        let first = stamp(&path);
        assert_eq!(stamp(&path), first);
        std::thread::sleep(std::time::Duration::from_millis(20));
        files::write_passing(&path, "x").expect("a file");
        assert_ne!(stamp(&path), first, "the contents are the same");
    }

    #[test]
    fn a_folder_is_read_within_bounds() {
        let folder = tempfile::tempdir().expect("a folder");
        let write_at = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder");
            files::write_passing(&path, bytes).expect("a file");
        };
        write_at("a/b.txt", b"one");
        write_at(".git/config", b"x");
        write_at("sub/.git/config", b"kept");
        write_at("bad", b"a\xffb");
        let read = contents(folder.path());
        let expected = [("a/b.txt", "one"), ("bad", "a\u{fffd}b"), ("sub/.git/config", "kept")];
        assert_eq!(read.files, expected.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        assert!(!read.is_cut);
        write_at("long", &vec![b'x'; (1 << 20) + 1]);
        assert!(contents(folder.path()).is_cut);
        for at in 0..FILES_MAX {
            write_at(&format!("many/{at}"), b"");
        }
        let read = contents(folder.path());
        assert!(read.is_cut && read.files.len() <= FILES_MAX);
        assert_eq!(contents(&folder.path().join("gone")), Contents::default());
        assert!(contents(&folder.path().join("bad")).is_cut, "no folder is there any more");
    }
}
