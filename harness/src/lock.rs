//! The lock of a folder that a run writes to, and what killed runs left in it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process;

use crate::error::Error;
use crate::files::{self, clear_left_over, is_at, remove};
use crate::import::one_line;
use crate::input::open_own_if_there;
use crate::program;

/// The lock of a folder: as long as it is there, no other run writes to the folder.
///
/// The file says which command and which process have the folder. The system lets go of a lock when its process ends,
/// however that ends; the file of a killed run is taken over by the next one.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    file: File,
}

/// Its name begins like that of an unfinished file, so it is not taken for contents of the folder.
const NAME: &str = ".balk-lock";

/// The most of a command that is written for others to see, in characters.
const COMMAND_CHARS: usize = 200;

/// The most of another run's command and its process that is read, in bytes, and shown, in characters.
const HOLDER_BYTES: u64 = 4_096;
const HOLDER_CHARS: usize = COMMAND_CHARS + 40;

impl Lock {
    /// Locks a new or empty folder, and makes it if it is missing.
    ///
    /// # Errors
    /// It has other files, another run has it, or it cannot be written.
    pub(crate) fn of_new(folder: &Path) -> Result<Self, Error> {
        check_free(folder)?;
        files::check_empty(folder)?;
        let is_new = !folder.exists();
        files::make_folder(folder)
            .map_err(|error| Error::file(folder, "a folder that can be written to", error))?;
        let lock = Self::take(folder).inspect_err(|_| {
            if is_new {
                // One that is not empty stays.
                let _ = fs::remove_dir(folder);
            }
        })?;
        // Another run may have come and gone before the lock.
        files::check_empty(folder)?;
        Ok(lock)
    }

    /// Locks a folder that is there, and removes what killed runs left in it.
    ///
    /// # Errors
    /// Another run has the folder, or it cannot be written.
    pub(crate) fn take(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(NAME);
        let unusable = |error: io::Error| Error::file(folder, "a folder that can be written to", error);
        let file = loop {
            if fs::symlink_metadata(&path).is_ok_and(|about| !about.is_file()) {
                return Err(Error::file(&path, "a file of balk", "something else").hint("remove it"));
            }
            let mut file = files::open_for_lock(&path).map_err(unusable)?;
            match file.try_lock() {
                // A run that ends removes the file, perhaps between these two calls.
                Ok(()) if is_at(&file, &path) => break file,
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(held(folder, &mut file)),
                Err(TryLockError::Error(error)) => {
                    // Where there are no locks, nobody has this one.
                    let _ = remove(&path);
                    return Err(Error::file(folder, "a folder that can be locked", error)
                        .hint("name a folder on another file system"));
                }
            }
        };
        // Where the next step fails, the file goes as well.
        let lock = Self { path, file };
        let command = program::command_line();
        let holder = format!("{} (process {})\n", one_line(&command, COMMAND_CHARS), process::id());
        let file = &lock.file;
        file.set_len(0).and_then(|()| (&*file).write_all(holder.as_bytes())).map_err(unusable)?;
        clear_left_over(folder);
        Ok(lock)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that stays is taken over by the next run.
        let _ = remove(&self.path);
        // A child process that has just begun may have the file open as well, and would keep the lock.
        let _ = self.file.unlock();
    }
}

/// Checks that no run writes to a folder, if it is there.
///
/// # Errors
/// Another run has it.
pub(crate) fn check_free(folder: &Path) -> Result<(), Error> {
    match open_own_if_there(&folder.join(NAME)) {
        Ok(Some(mut file)) if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) => {
            Err(held(folder, &mut file))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Checks that [`write_folder`] would find nothing in the way, before work whose result goes there.
///
/// # Errors
/// The folder is a link or has no name, is not empty, another run writes it, or it cannot be written.
pub(crate) fn check_new_folder(folder: &Path) -> Result<(), Error> {
    let refused = |found| Error::file(folder, "a new or empty folder", found).hint("name another folder");
    if folder.file_name().is_none() {
        return Err(refused("one without a name of its own"));
    }
    // A slash or a dot at the end would lead through the link.
    if folder.components().as_path().is_symlink() {
        return Err(refused("a symbolic link"));
    }
    files::check_empty(folder)?;
    files::check_place(folder)
        .map_err(|error| Error::file(folder, "a folder that can be written to", error))?;
    let unfinished = files::unfinished(folder);
    check_free(&unfinished)?;
    check_unfinished(&unfinished)
}

/// Writes a new folder with these files in it, names and texts. It is there whole or not at all. What a killed run left
/// of it is removed. An empty folder that is there is replaced by one with its permissions.
///
/// # Errors
/// As for [`check_new_folder`].
pub(crate) fn write_folder(folder: &Path, files: &[(String, String)]) -> Result<(), Error> {
    let unusable = |error: io::Error| Error::file(folder, "a folder that can be written to", error);
    check_new_folder(folder)?;
    let unfinished = files::unfinished(folder);
    files::make_folder(&unfinished).map_err(unusable)?;
    if let Ok(there) = folder.metadata() {
        fs::set_permissions(&unfinished, there.permissions()).map_err(unusable)?;
    }
    let lock = Lock::take(&unfinished).inspect_err(|_| {
        // One that is not empty stays.
        let _ = fs::remove_dir(&unfinished);
    })?;
    let write = || {
        for entry in fs::read_dir(&unfinished)? {
            let entry = entry?;
            if entry.file_name() != NAME {
                remove(&entry.path())?;
            }
        }
        for (name, text) in files {
            files::write_new(&unfinished.join(name), |out| out.write_all(text.as_bytes()))?;
        }
        files::put_folder(&unfinished, folder)
    };
    let written = write();
    match written {
        // Its lock went with it.
        Ok(()) => remove(&folder.join(NAME)).map_err(unusable)?,
        // The next run removes what cannot be removed now.
        Err(_) => drop(files::remove_folder(&unfinished)),
    }
    drop(lock);
    written.map_err(unusable)
}

/// Checks that nothing is where a new folder is written, or what a killed run left: a folder with its lock, or an empty
/// one.
fn check_unfinished(folder: &Path) -> Result<(), Error> {
    let is_left = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(Error::file(folder, "a folder that can be written to", error)),
        Ok(about) => {
            let is_empty = || fs::read_dir(folder).is_ok_and(|mut it| it.next().is_none());
            let has_lock = || folder.join(NAME).symlink_metadata().is_ok_and(|it| it.is_file());
            about.is_dir() && (is_empty() || has_lock())
        }
    };
    if is_left {
        return Ok(());
    }
    Err(Error::file(folder, "nothing, or what a killed run of balk left", "something else")
        .hint("move it away"))
}

fn held(folder: &Path, file: &mut File) -> Error {
    let mut holder = String::new();
    // On some systems a locked file cannot be read.
    let _ = file.take(HOLDER_BYTES).read_to_string(&mut holder);
    let found = match holder.trim_end() {
        "" => "one that another run writes to".to_owned(),
        holder => format!("one that another run writes to: {}", one_line(holder, HOLDER_CHARS)),
    };
    Error::file(folder, "a folder that no other run writes to", found)
        .hint("wait for the other run, or name another folder")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_passing;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|it| it.expect("it can be read").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn there(path: &Path, text: &str) {
        write_passing(path, text).expect("it can be written");
    }

    #[test]
    fn a_folder_has_one_writer_and_the_next_clears_what_a_killed_one_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let lock = Lock::take(folder.path()).expect("it is free");
        there(&folder.path().join(".balk-unfinished-a1b2c3"), "half");
        let held = Lock::take(folder.path()).expect_err("it is held").to_string();
        assert!(held.contains("expected a folder that no other run writes to"), "{held}");
        assert!(held.contains(&format!("(process {})", process::id())), "{held}");
        assert_eq!(names(folder.path()), [".balk-lock", ".balk-unfinished-a1b2c3"]);
        // Who has it comes before what is in it.
        there(&folder.path().join("mine"), "half of it");
        let held = Lock::of_new(folder.path()).expect_err("it is held").to_string();
        assert!(held.contains(&format!("(process {})", process::id())), "{held}");
        drop(lock);
        there(&folder.path().join(".balk-lock"), "balk bench (process 1)\n");
        there(&folder.path().join("mine"), "all of it");
        drop(Lock::take(folder.path()).expect("a killed run holds nothing"));
        assert_eq!(names(folder.path()), ["mine"]);
    }

    #[cfg(unix)]
    #[test]
    fn an_empty_folder_keeps_its_permissions_and_what_is_left_of_one_is_taken_over() {
        use std::os::unix::fs::PermissionsExt as _;
        let work = tempfile::tempdir().expect("a folder");
        let folder = work.path().join("finds");
        for it in [&folder, &work.path().join(".balk-finds")] {
            fs::create_dir(it).expect("a folder");
        }
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is mine");
        write_folder(&folder, &[("a".to_owned(), "b".to_owned())]).expect("it can be written");
        assert_eq!(folder.metadata().expect("a folder").permissions().mode() & 0o777, 0o700);
        assert_eq!((names(work.path()), names(&folder)), (vec!["finds".to_owned()], vec!["a".to_owned()]));
    }

    #[test]
    fn a_folder_is_written_whole_and_what_a_killed_run_left_of_it_is_removed() {
        let work = tempfile::tempdir().expect("a folder");
        let (folder, unfinished) = (work.path().join("finds"), work.path().join(".balk-finds"));
        fs::create_dir(&unfinished).expect("a folder");
        for name in ["old.toml", ".balk-unfinished-a1b2c3", NAME] {
            there(&unfinished.join(name), "half");
        }
        let write = || write_folder(&folder, &[("a".to_owned(), "b".to_owned())]);
        let lock = Lock::take(&unfinished).expect("a killed run holds nothing");
        let held = write().expect_err("it is held").to_string();
        assert!(held.contains("expected a folder that no other run writes to"), "{held}");
        drop(lock);
        // The lock of a killed run stays.
        there(&unfinished.join(NAME), "balk hunt (process 1)\n");
        write().expect("it can be written");
        assert_eq!((names(work.path()), names(&folder)), (vec!["finds".to_owned()], vec!["a".to_owned()]));
        assert!(write().is_err(), "no folder with files is replaced");
        // What a person has there, and what a link leads to, is left alone.
        fs::create_dir(&unfinished).expect("a folder");
        there(&unfinished.join("thesis.txt"), "all of it");
        fs::remove_dir_all(&folder).expect("a folder");
        let refused = write().expect_err("it is not balk's").to_string();
        assert!(refused.contains("expected nothing, or what a killed run of balk left"), "{refused}");
        assert_eq!(
            (names(work.path()), names(&unfinished)),
            (vec![".balk-finds".to_owned()], vec!["thesis.txt".to_owned()])
        );
        #[cfg(unix)]
        {
            files::rename(&unfinished, &work.path().join("mine")).expect("a folder");
            std::os::unix::fs::symlink("mine", &unfinished).expect("a link");
            there(&unfinished.join(NAME), "");
            assert!(write().is_err());
            assert_eq!(names(&work.path().join("mine")), [NAME, "thesis.txt"]);
            fs::remove_file(&unfinished).expect("a link");
            fs::remove_dir_all(work.path().join("mine")).expect("a folder");
        }
        write().expect("it can be written");
        assert_eq!((names(work.path()), names(&folder)), (vec!["finds".to_owned()], vec!["a".to_owned()]));
    }
}
