//! The steps in which files change. In tests of this crate a schedule lets one of them fail, tear, end the program or
//! cut the power.

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A folder is made.
    MakeFolder,
    /// A file is made.
    Create,
    /// Bytes are written.
    Write,
    /// A file is synced.
    Sync,
    /// A file gets this name.
    Rename,
    /// A folder is synced.
    SyncFolder,
    /// A file or a folder is removed.
    Remove,
}

#[cfg(not(test))]
mod outside {
    use std::io;
    use std::path::Path;

    use tempfile::NamedTempFile;

    use super::Step;

    /// Before a step with this file or folder.
    pub(crate) fn before(_: Step, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Before the first file or folder gets the name of the second.
    pub(crate) fn before_rename(_: &Path, to: &Path) -> io::Result<()> {
        before(Step::Rename, to)
    }

    /// How many of these bytes are written to this file.
    pub(crate) fn passes(path: &Path, bytes: usize) -> io::Result<usize> {
        before(Step::Write, path).map(|()| bytes)
    }

    /// After a file could not be finished.
    pub(crate) fn leave(file: NamedTempFile) {
        drop(file);
    }
}

#[cfg(not(test))]
pub(crate) use outside::{before, before_rename, leave, passes};
#[cfg(test)]
pub(crate) use schedule::{before, before_rename, leave, passes};

#[cfg(test)]
pub(crate) mod schedule {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::fs;
    use std::io::{self, ErrorKind};
    use std::path::{Path, PathBuf};

    use tempfile::NamedTempFile;
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    use super::Step;

    /// What goes wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Fault {
        /// The step fails, as on a full or broken disk.
        Fails,
        /// Half of the bytes are written, and the next step fails or the program ends.
        Tears,
        /// The program ends.
        Kills,
        /// The machine loses its power: names and bytes that were not synced may be lost.
        CutsPower,
        /// Another run comes.
        Meets,
    }

    /// The steps of this thread, one of which goes wrong.
    struct Schedule {
        seed: u64,
        at: u64,
        taken: u64,
        is_torn: bool,
        is_dead: bool,
        /// Names that are not on the disk yet, with what they named before.
        unsynced: Vec<(PathBuf, Option<Vec<u8>>)>,
        /// Files with bytes that are not on the disk yet, with how many of them are.
        on_disk: BTreeMap<PathBuf, u64>,
        /// The run that comes.
        other: Option<Box<dyn FnOnce()>>,
    }

    thread_local! {
        static SCHEDULE: RefCell<Option<Schedule>> = const { RefCell::new(None) };
    }

    /// Runs this with a fault at one of `steps` steps, both drawn by the seed; the result comes with the number of
    /// steps that were taken or tried. With `steps` 0, nothing goes wrong. `other` is what another run does that comes
    /// in the middle of this one.
    pub(crate) fn run<T>(
        seed: u64,
        steps: u64,
        other: impl FnOnce() + 'static,
        run: impl FnOnce() -> T,
    ) -> (T, u64) {
        let at = if steps == 0 { u64::MAX } else { draw(seed, 0) % steps };
        SCHEDULE.set(Some(Schedule {
            seed,
            at,
            taken: 0,
            is_torn: false,
            is_dead: false,
            unsynced: Vec::new(),
            on_disk: BTreeMap::new(),
            other: Some(Box::new(other)),
        }));
        let result = run();
        let taken = SCHEDULE.take().map_or(0, |it| it.taken);
        (result, taken)
    }

    fn draw(seed: u64, nth: u64) -> u64 {
        xxh3_64_with_seed(&nth.to_le_bytes(), seed)
    }

    fn ended() -> io::Error {
        io::Error::other("the program has ended")
    }

    impl Schedule {
        fn fault(&self) -> Fault {
            [Fault::Fails, Fault::Tears, Fault::Kills, Fault::CutsPower, Fault::Meets]
                [draw(self.seed, 1) as usize % 5]
        }

        fn failure(&self) -> io::Error {
            let kinds = [
                ErrorKind::StorageFull,
                ErrorKind::PermissionDenied,
                ErrorKind::Interrupted,
                ErrorKind::Other,
            ];
            kinds[draw(self.seed, 2) as usize % kinds.len()].into()
        }

        /// What another run does now, if one comes.
        fn before(&mut self, step: Step, path: &Path) -> io::Result<Option<Box<dyn FnOnce()>>> {
            if self.is_dead {
                return Err(ended());
            }
            if self.is_torn {
                self.is_torn = false;
                self.is_dead = draw(self.seed, 3).is_multiple_of(2);
                return Err(self.failure());
            }
            self.taken += 1;
            let mut other = None;
            if self.taken - 1 == self.at {
                match (self.fault(), step) {
                    (Fault::Meets, _) => other = self.other.take(),
                    (Fault::Tears, Step::Write) => self.is_torn = true,
                    (Fault::Fails | Fault::Tears, _) => return Err(self.failure()),
                    (fault @ (Fault::Kills | Fault::CutsPower), _) => {
                        if fault == Fault::CutsPower {
                            self.lose();
                        }
                        self.is_dead = true;
                        return Err(ended());
                    }
                }
            }
            match step {
                Step::Rename | Step::MakeFolder => self.unsynced.push((path.to_owned(), fs::read(path).ok())),
                Step::SyncFolder => self.unsynced.retain(|(name, _)| name.parent() != Some(path)),
                Step::Write => {
                    let length = || fs::metadata(path).map_or(0, |it| it.len());
                    self.on_disk.entry(path.to_owned()).or_insert_with(length);
                }
                Step::Sync => drop(self.on_disk.remove(path)),
                Step::Create | Step::Remove => {}
            }
            Ok(other)
        }

        /// Takes back what is not on the disk, or some of it.
        fn lose(&mut self) {
            for (nth, (path, on_disk)) in (1_000..).zip(std::mem::take(&mut self.on_disk)) {
                let Ok(mut bytes) = fs::read(&path) else { continue };
                let more = (bytes.len() as u64).saturating_sub(on_disk);
                bytes.truncate((on_disk + draw(self.seed, nth) % (more + 1)) as usize);
                put_back(&path, &bytes).expect("the test can write its folder");
            }
            for (nth, (path, before)) in (4..).zip(std::mem::take(&mut self.unsynced)) {
                let is_lost = draw(self.seed, nth).is_multiple_of(2);
                let undone = match before {
                    _ if !is_lost => Ok(()),
                    Some(bytes) => put_back(&path, &bytes),
                    None if path.is_dir() => fs::remove_dir_all(&path),
                    None => fs::remove_file(&path),
                };
                undone.expect("the test can write its folder");
            }
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the disk has what it had before, and no step is taken")]
    fn put_back(path: &Path, bytes: &[u8]) -> io::Result<()> {
        fs::write(path, bytes)
    }

    pub(crate) fn before(step: Step, path: &Path) -> io::Result<()> {
        let other =
            SCHEDULE.with_borrow_mut(|it| it.as_mut().map_or(Ok(None), |it| it.before(step, path)))?;
        if let Some(other) = other {
            // It has no faults of its own.
            let this = SCHEDULE.take();
            other();
            SCHEDULE.set(this);
        }
        Ok(())
    }

    pub(crate) fn before_rename(from: &Path, to: &Path) -> io::Result<()> {
        before(Step::Rename, to)?;
        SCHEDULE.with_borrow_mut(|it| {
            let Some(it) = it else { return };
            // What has another name now is on the disk as far as before.
            let of_from = it.on_disk.remove(from);
            it.on_disk.remove(to);
            it.on_disk.extend(of_from.map(|on_disk| (to.to_owned(), on_disk)));
        });
        Ok(())
    }

    pub(crate) fn passes(path: &Path, bytes: usize) -> io::Result<usize> {
        before(Step::Write, path)?;
        let is_torn = SCHEDULE.with_borrow(|it| it.as_ref().is_some_and(|it| it.is_torn));
        Ok(if is_torn { bytes.div_ceil(2) } else { bytes })
    }

    pub(crate) fn leave(file: NamedTempFile) {
        // A program that has ended removes nothing.
        if SCHEDULE.with_borrow(|it| it.as_ref().is_some_and(|it| it.is_dead)) {
            let _ = file.keep();
        }
    }
}
