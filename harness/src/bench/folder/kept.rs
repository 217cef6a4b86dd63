//! The kept transcripts in the folder of a bench: one folder for each scenario, one file for each block of seeds.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use balk_reports::records::{Bench, Cell, Drawn, Lapse, Plan, PlannedTranscripts, TrialRecord};
use serde::Deserialize;

use super::name::folder_name;
use super::{Folder, TRANSCRIPTS, unwritable};
use crate::bench::transcripts::{Damage, Transcripts};
use crate::error::Error;
use crate::files;
use crate::input::{self, Room};

impl Folder {
    /// Adds transcripts of one block of a scenario to those already kept.
    ///
    /// # Errors
    /// The file cannot be written, or the existing file has other contents.
    pub fn keep(&self, scenario: &str, transcripts: Transcripts) -> Result<(), Error> {
        if transcripts.is_empty() {
            return Ok(());
        }
        self.add(&Path::new(&folder_name(scenario)).join(transcripts.file_name()), transcripts)
    }

    /// Reads the kept records of the seeds of this plan.
    #[must_use]
    pub fn kept<'f>(&'f self, plan: &'f Plan) -> Kept<'f> {
        Kept { folder: self, plan, last: None, room: Room::default() }
    }

    /// Removes all kept transcripts, which will be made again.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn clear_transcripts(&self) -> Result<(), Error> {
        let path = self.path.join(TRANSCRIPTS);
        files::remove_folder(&path).map_err(|error| Error::file(&path, "a folder that can be removed", error))
    }

    /// Adds the transcripts of another folder.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn add_transcripts(&self, from: &Self) -> Result<(), Error> {
        from.each_transcripts(|name, transcripts| self.add(name, transcripts))
    }

    /// Compares all checksums of the kept transcripts of this record, and returns for how many seeds there are some.
    ///
    /// # Errors
    /// A file cannot be read, is not as it was written, is in the place of another one, or is missing.
    pub fn check_transcripts(&self, record: &Bench) -> Result<u64, Error> {
        let names = record.plan.scenarios.iter().map(|scenario| folder_name(&scenario.label()));
        let names: BTreeMap<String, usize> = names.zip(0..).collect();
        let is_known =
            |it: &Path| it.file_name().is_some_and(|name| names.contains_key(&*name.to_string_lossy()));
        if let Some(other) = self.scenarios()?.iter().find(|it| !is_known(it)) {
            let expected = "the transcripts of a scenario of the plan";
            return Err(Error::file(other, expected, "those of another one").hint(MISPLACED));
        }
        let (mut seeds, mut of_done, mut room) = (0, vec![0; record.done.len()], Room::default());
        self.each_transcripts(|name, transcripts| {
            let folder = name.iter().next().unwrap_or_default().to_string_lossy();
            let scenario = *names.get(&*folder).expect("it is of a scenario of the plan");
            // The checksums are those of the file, wherever it is. One seed of it says where it was.
            if let Some(first) = transcripts.seeds().next() {
                let path = self.path.join(TRANSCRIPTS).join(name);
                let origins: Vec<Origin> =
                    transcripts.read(first, &mut room).map_err(|error| unusable(&path, first, error))?;
                check_origins(&path, &record.plan, (scenario, first), origins)?;
            }
            let done = |seed: &u64| record.done[scenario].has(*seed);
            seeds += transcripts.seeds().count() as u64;
            of_done[scenario] += transcripts.seeds().filter(done).count() as u64;
            Ok(())
        })?;
        for (name, scenario) in names {
            let (found, least) = (of_done[scenario], least(record, scenario));
            if found < least {
                let expected = format!("the kept transcripts of {least} seeds");
                let folder = self.path.join(TRANSCRIPTS).join(name);
                return Err(Error::file(&folder, &expected, format!("those of {found}"))
                    .hint("some were removed: put them back, or measure this part again"));
            }
        }
        Ok(seeds)
    }

    /// The same for a folder that a person named, if it has a record beside or above its transcripts. What is left of
    /// them does not show what is missing.
    ///
    /// # Errors
    /// As for [`check_transcripts`](Self::check_transcripts).
    pub fn check_named(path: &Path) -> Result<(), Error> {
        let root = if path.ends_with(TRANSCRIPTS) { path.parent().unwrap_or(path) } else { path };
        match Self::open(root) {
            Ok((folder, record)) => folder.check_transcripts(&record).map(drop),
            // Nothing but the record says which there are.
            Err(_) => Ok(()),
        }
    }

    /// Calls `take` with every file of transcripts, and its name relative to their folder.
    fn each_transcripts(
        &self,
        mut take: impl FnMut(&Path, Transcripts) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let root = self.path.join(TRANSCRIPTS);
        for scenario in self.scenarios()? {
            for file in below(&scenario)?.iter().filter(|it| !files::is_left_over(it)) {
                let name = file.strip_prefix(&root).expect("it is below the folder");
                let Some(transcripts) = read(file)? else { continue };
                let is_elsewhere = |seed: &u64| !name.ends_with(Transcripts::file_of(*seed));
                if let Some(seed) = transcripts.seeds().find(is_elsewhere) {
                    let expected = format!("seed {seed} in the file {}", Transcripts::file_of(seed));
                    return Err(Error::file(file, &expected, "it in this file").hint(MISPLACED));
                }
                take(name, transcripts)?;
            }
        }
        Ok(())
    }

    /// The folders with transcripts, one for each scenario.
    pub(super) fn scenarios(&self) -> Result<Vec<PathBuf>, Error> {
        let root = self.path.join(TRANSCRIPTS);
        if root.exists() { check_own(&root).and_then(|()| below(&root)) } else { Ok(Vec::new()) }
    }

    /// Adds to the file of this name in the folder of transcripts.
    fn add(&self, name: &Path, more: Transcripts) -> Result<(), Error> {
        let path = self.path.join(TRANSCRIPTS).join(name);
        let mut transcripts = read(&path)?.unwrap_or_default();
        transcripts.add(more);
        files::write_own(&path, |out| transcripts.write(out)).map_err(|error| unwritable(&path, error))
    }
}

/// Reads kept records, one seed at a time: what all of them unpack to is more than memory takes.
pub struct Kept<'f> {
    folder: &'f Folder,
    plan: &'f Plan,
    /// The file that was read last, if it is there.
    last: Option<(PathBuf, Option<Transcripts>)>,
    room: Room,
}

impl Kept<'_> {
    /// The records of a seed of a scenario, in the order of the stacks; none if the seed was not kept.
    ///
    /// # Errors
    /// A file that cannot be read, has other contents, is of another scenario, or unpacks to too much, by itself or
    /// after others.
    pub fn of(&mut self, scenario: usize, seed: u64) -> Result<Vec<TrialRecord>, Error> {
        let folder = folder_name(&self.plan.scenarios[scenario].label());
        let path = self.folder.path.join(TRANSCRIPTS).join(folder).join(Transcripts::file_of(seed));
        if self.last.as_ref().is_none_or(|(last, _)| *last != path) {
            self.last = Some((path.clone(), read(&path)?));
        }
        let Some((_, Some(transcripts))) = &self.last else { return Ok(Vec::new()) };
        let records: Vec<TrialRecord> =
            transcripts.read(seed, &mut self.room).map_err(|error| unusable(&path, seed, error))?;
        let origins = records.iter().map(|it| Origin {
            scenario: it.scenario.clone(),
            seed: it.seed.clone(),
            set: it.set.clone(),
        });
        check_origins(&path, self.plan, (scenario, seed), origins)?;
        Ok(records)
    }
}

fn unusable(path: &Path, seed: u64, error: io::Error) -> Error {
    Error::file(path, &format!("the records of seed {seed}"), error)
        .hint("it was changed, or is of another version: measure this part again")
}

/// Which trial a record is of.
#[derive(Deserialize)]
struct Origin {
    scenario: String,
    seed: String,
    #[serde(default)]
    set: Vec<Drawn>,
}

/// Checks that records are of a seed of a scenario.
fn check_origins(
    path: &Path,
    plan: &Plan,
    (scenario, seed): (usize, u64),
    origins: impl IntoIterator<Item = Origin>,
) -> Result<(), Error> {
    let planned = &plan.scenarios[scenario];
    let set = || plan.set.iter().chain(&planned.set);
    let is_other =
        |it: &Origin| it.scenario != planned.name || it.seed != seed.to_string() || !it.set.iter().eq(set());
    match origins.into_iter().find(is_other) {
        None => Ok(()),
        Some(Origin { scenario, seed: of, set }) => {
            let set: Vec<String> = set.iter().map(|it| format!("{}={}", it.name, it.value)).collect();
            let with = if set.is_empty() { String::new() } else { format!(" with {}", set.join(" ")) };
            let expected = format!("the records of seed {seed} of {}", planned.label());
            let found = format!("one of seed {of} of {scenario}{with}");
            Err(Error::file(path, &expected, found).hint(MISPLACED))
        }
    }
}

/// The number of seeds of a scenario that have kept transcripts, or that have them at least: where an older build kept
/// failing ones and did not count them, as many as failed in one way under one stack.
fn least(record: &Bench, scenario: usize) -> u64 {
    match record.plan.transcripts {
        None => 0,
        Some(PlannedTranscripts::All) => record.done[scenario].count(),
        Some(PlannedTranscripts::Failing) => {
            if let Some(kept) = &record.kept {
                return kept[scenario];
            }
            let cells = record.of_scenario(scenario).iter();
            let failed = cells.flat_map(|cell| Lapse::ALL.map(|lapse| failed(lapse, cell)));
            failed.max().unwrap_or_default()
        }
    }
}

/// The trials of a cell that had this lapse, at least.
fn failed(lapse: Lapse, cell: &Cell) -> u64 {
    let count = lapse.count(&cell.counts);
    match lapse {
        Lapse::DoneTwice | Lapse::GuardFault | Lapse::NotTold => count,
        // These are counted by intervention, and a trial may have several.
        Lapse::FalseIntervention => count.min(1),
    }
}

/// What is in a folder of transcripts, in order.
pub(super) fn below(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error: io::Error| Error::file(folder, "a readable folder of transcripts", error);
    let entries = fs::read_dir(folder).map_err(unreadable)?;
    let mut found: Vec<PathBuf> =
        entries.map(|it| it.map(|it| it.path()).map_err(unreadable)).collect::<Result<_, _>>()?;
    found.iter().try_for_each(|it| check_own(it))?;
    found.sort();
    Ok(found)
}

/// Checks that a part of a record is no link: what is written to it would go elsewhere.
fn check_own(path: &Path) -> Result<(), Error> {
    if path.is_symlink() {
        return Err(
            Error::file(path, "a part of the record", "a symbolic link").hint("put the part in its place")
        );
    }
    Ok(())
}

const MISPLACED: &str = "it was renamed or put there: give it its old name, or measure this part again";

/// The transcripts of a file, if there is one.
fn read(path: &Path) -> Result<Option<Transcripts>, Error> {
    let expected = "kept transcripts: frames of zstd, each after its seed and its checksum";
    match input::kept(path)? {
        None => Ok(None),
        Some(bytes) if Transcripts::is_old(&bytes) => Err(Error::file(path, expected, "none of these").hint(
            "an older version of Balk wrote it: `balk migrate` with the folder of the bench makes it new",
        )),
        Some(bytes) => Transcripts::parse(&bytes).map(Some).map_err(|damage| damaged(path, damage)),
    }
}

/// Transcripts that are not as they were written.
pub(super) fn damaged(path: &Path, Damage { at, seed }: Damage) -> Error {
    let seed = seed.map_or_else(String::new, |it| format!(", seed {it}"));
    let place = format!("byte {at}{seed}").into();
    let error = Error::file(path, "kept transcripts as they were written", "other bytes");
    Error { place, ..error.hint("it is truncated or changed: measure this part again") }
}
