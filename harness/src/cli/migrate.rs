//! `balk migrate`: rewrites scenario files of the first version of the format, and records of the second.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;
use balk_scenarios::migrate::{self, Old};
use balk_scenarios::{Kind, format, toolsets};
use clap::Args;

use super::load::Failure;
use super::say::say;
use crate::bench::Folder;
use crate::crash::record;
use crate::error::Error;
use crate::exit::Exit;
use crate::files;
use crate::input;
use crate::live::Store;
use crate::program;

/// Arguments of `balk migrate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Migrate {
    /// Scenario files of version 1. Two twins become one file. Or folders of `balk bench`, `balk live` or
    /// `balk crash` with records of version 2
    #[arg(required = true, value_name = "FILE|DIR")]
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
A file of version 1 has one scenario. A file of version 2 has one world and up to two actors in it, so nothing else can
differ between them. Comments are kept. A stubborn scenario and its healthy twin become one file in the place of the
stubborn one, and the twin's file is removed; both files must be named. If they do not share a world, nothing is
written, and the parts that differ are listed.

In a folder, the records, the kept transcripts and the completions of a real model get their checksums, and a plan loses
its paths. Their contents stay.

What version 1 did not say is filled in and marked for you to check: which ways out work where an actor can be
corrected. `mode` of [response] is dropped, and a line says so: what counts in a correction is chosen for a run.";

/// A file with what is in it.
struct Read<'a> {
    path: &'a Path,
    old: Old,
}

impl Migrate {
    /// Runs the command.
    ///
    /// # Errors
    /// An output that cannot be written. Files that cannot be rewritten are shown, and return their exit code.
    pub fn run(&self) -> Result<Exit, Error> {
        let mut exit = Exit::Fine;
        let mut read = Vec::new();
        // A file that is named twice, by whatever path, is one file.
        let mut known = BTreeSet::new();
        let is_new =
            |it: &&PathBuf| known.insert(std::fs::canonicalize(it).unwrap_or_else(|_| it.to_path_buf()));
        let files: Vec<&PathBuf> = self.files.iter().filter(is_new).collect();
        for path in files.iter().filter(|it| it.is_dir()) {
            match renew(path) {
                Ok(()) => say(format_args!("{}: rewritten, with checksums", path.display())),
                Err(error) => exit = Failure::from(error).shown(),
            }
        }
        for path in files.into_iter().filter(|it| !it.is_dir()) {
            match old(path) {
                Ok(old) => read.push(Read { path, old }),
                Err(failure) => exit = failure.shown(),
            }
        }
        let mut left: Vec<&Read<'_>> = read.iter().collect();
        for stubborn in read.iter().filter(|it| it.old.kind == Kind::Stubborn) {
            let is_twin = |it: &&Read<'_>| {
                it.old.kind == Kind::Control
                    && it.old.name == stubborn.old.twin
                    && it.old.twin == stubborn.old.name
            };
            let Some(at) = left.iter().position(is_twin) else { continue };
            let healthy = left.remove(at);
            left.retain(|it| it.path != stubborn.path);
            if let Err(failure) = join(stubborn, healthy) {
                exit = failure.shown();
            }
        }
        for it in left {
            if let Err(failure) = rewrite(it) {
                exit = failure.shown();
            }
        }
        Ok(exit)
    }
}

/// Makes what a folder has new. The record of a bench comes last: as long as it is old, this can be done again.
pub(super) fn renew(folder: &Path) -> Result<(), Error> {
    let renewed = [Store::renew(folder)?, record::renew(folder)?, Folder::renew(folder)?];
    if renewed.contains(&true) {
        return Ok(());
    }
    Err(Error::file(folder, "records of an older version", "none: what is there is as new as this program"))
}

fn old(path: &Path) -> Result<Old, Failure> {
    let text = input::text(path)?;
    let old = Old::read(&text).map_err(|not| {
        Error::file(path, "a scenario of version 1 of the format", not)
            .hint("only such a file needs this command; `check` shows what is wrong with others")
    })?;
    Ok(old)
}

/// Writes one file in the place of the stubborn scenario's, and removes that of its twin.
fn join(stubborn: &Read<'_>, healthy: &Read<'_>) -> Result<(), Failure> {
    let text = migrate::joined(&stubborn.old, &healthy.old).map_err(|conflicts| {
        let alone = |it: &Read<'_>| program::command(&format!("migrate {}", shown(it.path)));
        let found = format!("they differ in {conflicts}");
        Error::file(stubborn.path, &format!("the same world as in {}", healthy.path.display()), found).hint(
            &format!(
                "make these parts equal, or rewrite each file on its own: {}; {}. The stubborn one then needs a \
                 healthy actor for its own world",
                alone(stubborn),
                alone(healthy)
            ),
        )
    })?;
    // The twin's file is removed, so the new one must be good.
    format::parse(&stubborn.path.display().to_string(), &text, toolsets::catalogue())?;
    write(stubborn.path, &text)?;
    files::remove(healthy.path)
        .map_err(|error| Error::file(healthy.path, "a file that can be removed", error))?;
    say(format_args!(
        "{}: rewritten, with {} in it; removed {}",
        stubborn.path.display(),
        healthy.old.name,
        healthy.path.display()
    ));
    say_dropped(stubborn);
    say_dropped(healthy);
    Ok(())
}

/// Writes the file of one scenario.
fn rewrite(it: &Read<'_>) -> Result<(), Failure> {
    write(it.path, &it.old.alone())?;
    let lacks = match it.old.kind {
        Kind::Stubborn => "; it still needs a healthy actor, in a table [healthy]",
        Kind::Control => "",
    };
    say(format_args!("{}: rewritten{lacks}", it.path.display()));
    say_dropped(it);
    Ok(())
}

/// Says what a file no longer has.
fn say_dropped(it: &Read<'_>) {
    let Some(mode) = &it.old.mode else { return };
    say(format_args!(
        "{}: dropped response.mode = \"{mode}\"; what counts in a correction is chosen for a run: `{}` shows one \
         trial, and `{}` measures all modes",
        it.path.display(),
        program::command(&format!("scenario FILE --response {mode}")),
        program::command("bench"),
    ));
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    files::write_one(path, |out| out.write_all(text.as_bytes()))
        .map_err(|error| Error::file(path, "a writable file", error))
}

fn shown(path: &Path) -> String {
    quoted(&path.display().to_string())
}
