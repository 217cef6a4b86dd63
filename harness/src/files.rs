//! The one module that writes files.
//!
//! A file is there whole or not at all: a temporary file beside it is written, synced and renamed, and then the folder
//! is synced. A file that is replaced keeps its mode. A symbolic link stays one, and the file that it leads to is
//! written; a link that leads nowhere is refused. Devices and pipes are written through, and never replaced.
//!
//! A folder that a run writes to for a while has a [`Lock`](crate::lock::Lock).

mod left_over;
pub(crate) mod step;

use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};
use xxhash_rust::xxh3::xxh3_64;

use crate::input::open_own;

use left_over::{UNFINISHED, temporary};
pub(crate) use left_over::{check_empty, clear_left_over, is_at, is_left_over, remove, remove_folder};
use step::{Step, before, before_rename, leave, passes};

/// Writes a file, and the folder that it is in if that is missing. What was there is replaced.
///
/// # Errors
/// The folder or the file cannot be written, or the disk is full; the file is then unchanged.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    match Place::of(path)? {
        Place::Stream => {
            let file = open(File::options().write(true), path)?;
            fill(&file, path, write)
        }
        Place::New => put(path, written(path, None, write)?, |file, path| file.persist(path)),
        Place::File { path, permissions } => {
            put(&path, written(&path, Some(permissions), write)?, |file, path| file.persist(path))
        }
    }
}

/// Writes a file like [`write_whole`], and removes what killed runs left beside it: for commands that write few files.
///
/// # Errors
/// As for [`write_whole`].
pub(crate) fn write_one(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    clear_beside(path);
    write_whole(path, write)
}

/// Removes what killed runs left beside a file, unless it is a device or a pipe.
fn clear_beside(path: &Path) {
    if !is_stream(path) {
        clear_left_over(folder_of(path));
    }
}

/// Writes a file whose name is Balk's, such as one of a record. A link of this name is replaced and not followed: the
/// folder may come from a stranger.
///
/// # Errors
/// The folder or the file cannot be written, or the disk is full; the file is then unchanged.
pub(crate) fn write_own(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    let there = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file);
    let file = written(path, there.map(|it| it.permissions()), write)?;
    put(path, file, |file, path| file.persist(path))
}

/// Writes a new file in a folder that is there, and never replaces one. A device or a pipe is written through. What
/// killed runs left beside it is removed.
///
/// # Errors
/// The folder or the file cannot be written, or the file is already there.
pub(crate) fn write_new(path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    let folder = folder_of(path);
    if !folder.is_dir() {
        return Err(io::Error::new(ErrorKind::NotFound, "no such folder"));
    }
    clear_beside(path);
    match Place::of(path)? {
        Place::Stream => write_whole(path, write),
        Place::New => put(path, written(path, None, write)?, |file, path| file.persist_noclobber(path)),
        Place::File { .. } => Err(ErrorKind::AlreadyExists.into()),
    }
}

/// Checks that a file or a folder can be made at this path, before work whose result goes there, and removes what
/// killed runs left beside it. Where its folder is missing, the nearest one above counts.
///
/// # Errors
/// Nothing can be made there.
pub(crate) fn check_place(path: &Path) -> io::Result<()> {
    if is_stream(path) {
        return Ok(());
    }
    let is_there = |it: &&Path| it.as_os_str().is_empty() || it.symlink_metadata().is_ok();
    let there = folder_of(path).ancestors().find(is_there).filter(|it| !it.as_os_str().is_empty());
    let there = there.unwrap_or(Path::new("."));
    temporary(there)?;
    clear_left_over(there);
    Ok(())
}

/// Whether this path leads to a device, a pipe or a socket.
pub(crate) fn is_stream(path: &Path) -> bool {
    matches!(Place::of(path), Ok(Place::Stream))
}

/// Makes a folder and those that it is in, so that they last.
///
/// # Errors
/// A file is in the way, or the folder above cannot be written.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let above = folder_of(folder);
    make_folder(above)?;
    before(Step::MakeFolder, folder)?;
    match fs::create_dir(folder) {
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(()),
        made => made.and_then(|()| sync(above)),
    }
}

/// Opens a file to add to its end; makes it if it is missing. The caller syncs what is added, where that matters.
///
/// # Errors
/// The file cannot be opened.
pub(crate) fn append(path: &Path) -> io::Result<Growing> {
    before(Step::Create, path)?;
    let file = open(File::options().create(true).append(true), path)?;
    Ok(Growing { file, path: path.to_owned() })
}

/// Opens a file that is locked; makes it if it is missing. What is in it stays.
///
/// # Errors
/// The file cannot be opened.
pub(crate) fn open_for_lock(path: &Path) -> io::Result<File> {
    before(Step::Create, path)?;
    open(File::options().create(true).truncate(false).read(true).write(true), path)
}

/// Opens a new file that grows while a run goes on. A device or a pipe is written through.
///
/// # Errors
/// The file is already there, or cannot be made.
pub(crate) fn grow_new(path: &Path) -> io::Result<Growing> {
    let file = match Place::of(path)? {
        Place::Stream => open(File::options().write(true), path)?,
        Place::New | Place::File { .. } => {
            before(Step::Create, path)?;
            open(File::options().create_new(true).append(true), path)?
        }
    };
    Ok(Growing { file, path: path.to_owned() })
}

/// Opens a file in a folder that ends with its run, such as the home of an agent: nothing of it has to last.
///
/// # Errors
/// The file cannot be made.
pub(crate) fn passing(path: &Path) -> io::Result<File> {
    open(File::options().create(true).write(true).truncate(true), path)
}

/// Writes such a file.
///
/// # Errors
/// The file cannot be written.
pub(crate) fn write_passing(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    passing(path)?.write_all(bytes.as_ref())
}

/// Copies a file that is there whole.
///
/// # Errors
/// One cannot be read or is no regular file, or the other cannot be written.
pub(crate) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = open_own(from)?;
    write_whole(to, |out| io::copy(&mut from, out).map(|_| ()))
}

/// What a user can do where a file cannot be written.
pub(crate) fn way_out(error: &io::Error) -> &'static str {
    if matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge | ErrorKind::WriteZero
    ) {
        "once there is space"
    } else {
        "once it can be written"
    }
}

/// The writer of a file.
pub(crate) type Out<'a> = BufWriter<Bytes<'a>>;

/// Takes bytes to a file.
pub(crate) struct Bytes<'a> {
    file: &'a File,
    path: &'a Path,
}

impl Write for Bytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(&bytes[..passes(self.path, bytes.len())?])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that grows.
#[derive(Debug)]
pub(crate) struct Growing {
    file: File,
    path: PathBuf,
}

impl Growing {
    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until what was added is on the disk.
    ///
    /// # Errors
    /// The disk does not take it.
    pub(crate) fn sync(&self) -> io::Result<()> {
        before(Step::Sync, &self.path)?;
        self.file.sync_data()
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Bytes { file: &self.file, path: &self.path }.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a path leads to.
enum Place {
    /// Nothing yet.
    New,
    /// A file, behind links if there are any.
    File { path: PathBuf, permissions: fs::Permissions },
    /// A device, a pipe or a socket.
    Stream,
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(about) if about.is_file() => {
                Ok(Self::File { path: fs::canonicalize(path)?, permissions: about.permissions() })
            }
            Ok(about) if about.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(_) => Ok(Self::Stream),
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            Err(_) if fs::symlink_metadata(path).is_ok() => {
                Err(io::Error::new(ErrorKind::AlreadyExists, "a symbolic link that leads nowhere"))
            }
            Err(_) => Ok(Self::New),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "every file that is written is opened here, or is a temporary one"
)]
fn open(how: &fs::OpenOptions, path: &Path) -> io::Result<File> {
    how.open(path)
}

/// The whole file under another name, on the disk.
fn written(
    path: &Path,
    permissions: Option<fs::Permissions>,
    write: impl FnOnce(&mut Out<'_>) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let folder = folder_of(path);
    let file = match temporary(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_folder(folder)?;
            temporary(folder)?
        }
        made => made?,
    };
    // Before anything is written: the file may be private.
    let permitted = permissions.map_or(Ok(()), |it| file.as_file().set_permissions(it));
    let finished = permitted.and_then(|()| fill(file.as_file(), file.path(), write)).and_then(|()| {
        before(Step::Sync, file.path())?;
        file.as_file().sync_all()
    });
    match finished {
        Ok(()) => Ok(file),
        Err(error) => {
            leave(file);
            Err(error)
        }
    }
}

fn fill(file: &File, path: &Path, write: impl FnOnce(&mut Out<'_>) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(Bytes { file, path });
    write(&mut out)?;
    out.flush()
}

/// Gives a file its name.
fn put(
    path: &Path,
    file: NamedTempFile,
    name: impl FnOnce(NamedTempFile, &Path) -> Result<File, PersistError>,
) -> io::Result<()> {
    if let Err(error) = before_rename(file.path(), path) {
        leave(file);
        return Err(error);
    }
    name(file, path).map_err(|error| error.error)?;
    sync(folder_of(path))
}

/// Whether both paths lead to one place. Nothing need be there.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    real(one) == real(other)
}

/// Whether a path leads to this place or below it. Nothing need be there.
pub(crate) fn is_below(path: &Path, place: &Path) -> bool {
    real(path).starts_with(real(place))
}

/// A path from the root and without links. What is not there is taken for what would be made there: folders and a
/// file.
fn real(path: &Path) -> PathBuf {
    let mut real = fs::canonicalize(".").unwrap_or_default();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(real.pop()),
            Component::Prefix(_) | Component::RootDir => real.push(part),
            Component::Normal(_) => {
                real.push(part);
                real = fs::canonicalize(&real).unwrap_or(real);
            }
        }
    }
    real
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

/// Where a new folder is written until it is whole: beside the place that it gets.
pub(crate) fn unfinished(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    folder_of(folder).join(format!("{UNFINISHED}{name}"))
}

/// Gives a folder that is whole its name. An empty one may be there.
///
/// # Errors
/// Another one is there, or it cannot be renamed.
pub(crate) fn put_folder(whole: &Path, folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir(folder)?;
    }
    sync(whole)?;
    before_rename(whole, folder)?;
    rename(whole, folder)?;
    sync(folder_of(folder))
}

/// Renames a file or a folder. The caller syncs what has to last.
///
/// # Errors
/// The system does not allow it.
#[expect(clippy::disallowed_methods, reason = "all that is renamed is renamed here")]
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes the new name to the disk, where the folder may be read: one may write to others, too.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    before(Step::SyncFolder, folder)?;
    match File::open(folder) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        folder => folder?.sync_all(),
    }
}

/// On other systems a folder cannot be opened.
#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
