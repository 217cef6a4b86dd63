//! The folder in which the tools of a real agent meet what the scenario says.
//!
//! Before calls go out, a copy of the scenario's environment says what each will answer, and [`Site::arm`] makes the
//! real folder answer so: a directory is where a file cannot be written, a file has the words that a read returns, a
//! stand-in waits where a program is started. After the results came, [`Site::came_of`] says what the folder shows of
//! each call, and takes everything away again.
//!
//! | call | meets | what came of it is known from |
//! |---|---|---|
//! | a write or an edit that works | its folder | the text of the file, and whether it was written at all |
//! | a write or an edit that fails | a directory at the path | the directory: it is still there, so nothing was written |
//! | a read that works | a file with the words | the words, where the result has them; in a shell, the note that `cat` leaves |
//! | a read that fails | a directory, or nothing | that nothing there can be read |
//! | a list | its folder | the names, where the result has them; in a shell, the note that `ls` leaves |
//! | a command | stand-ins (`plan.rs`) | the note that a stand-in leaves when it runs |
//!
//! Anything outside of the folder of the task is left alone, and so are tools that do something else, such as asking.
//! What came of such a call is not known.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use balk_contract::{Status, ToolCall};
use balk_scenarios::scenario::Role;
use balk_scenarios::{Environment, Executed};

use super::place::Place;
use folder::Put;
use prepare::{Prepared, Preparer, Preparing, key};
use trace::Trace;

pub use trace::Came;

mod folder;
mod plan;
mod prepare;
mod shell;
mod standin;
mod trace;

#[cfg(test)]
mod tests;

/// The folder of the task in one run.
#[derive(Debug)]
pub struct Site {
    preparer: Preparer,
    /// The files of the scenario's environment, as the folder was last told. What differs from them is the agent's.
    known: BTreeMap<String, String>,
}

/// Calls whose answers are prepared.
#[derive(Debug)]
pub struct Armed {
    before: Environment,
    calls: Vec<Prepared>,
    puts: Vec<Put>,
    /// Folders that were made for a call, the innermost first.
    folders: Vec<PathBuf>,
    /// Everything that stand-ins can leave.
    notes: Vec<PathBuf>,
}

/// What came of calls.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One for each call.
    pub came: Vec<Came>,
    /// The world after those that ran, or may have.
    pub environment: Environment,
}

impl Armed {
    /// What the scenario answers to each call.
    pub fn answers(&self) -> impl ExactSizeIterator<Item = &Executed> {
        self.calls.iter().map(|it| &it.executed)
    }

    /// Why nothing could be prepared for a call, by its place.
    #[must_use]
    pub fn left_alone(&self, call: usize) -> Option<&'static str> {
        match self.calls[call].trace {
            Trace::Nothing(why) => Some(why),
            Trace::Written { .. }
            | Trace::Blocked { .. }
            | Trace::Unreadable { .. }
            | Trace::Shown { .. }
            | Trace::Listed { .. }
            | Trace::Noted { .. }
            | Trace::Impossible => None,
        }
    }
}

impl Site {
    /// A place whose workspace has the files of this environment.
    #[must_use]
    pub fn new(place: &Place, environment: &Environment) -> Self {
        Self { preparer: Preparer { place: place.clone(), named: 0 }, known: environment.files().clone() }
    }

    /// Makes the folder answer calls as the scenario does. The environment stays as it is.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn arm(&mut self, before: &Environment, calls: &[ToolCall]) -> io::Result<Armed> {
        self.follow(before.files())?;
        let mut world = before.clone();
        let mut preparing = Preparing::default();
        let mut prepared: Vec<Prepared> = Vec::with_capacity(calls.len());
        for call in calls {
            let asked = world.asked(call);
            let executed = world.call(call);
            let (target, trace) = match asked {
                None => (None, Trace::Impossible),
                Some((role, values)) => {
                    let target = matches!(role, Role::Write | Role::Edit).then(|| key(&values[0]).to_owned());
                    (
                        target,
                        self.preparer.prepare(role, &values, &executed, &world, &prepared, &mut preparing)?,
                    )
                }
            };
            prepared.push(Prepared { call: call.clone(), executed, target, trace });
        }
        for at in 0..prepared.len() {
            let target = &prepared[at].target;
            if target.is_some() && prepared[at + 1..].iter().any(|it| it.target == *target) {
                prepared[at].trace = Trace::Nothing("a later call of the same turn writes the same file");
            }
        }
        self.preparer.stand_in(&mut preparing)?;
        let Preparing { puts, folders, notes, .. } = preparing;
        Ok(Armed { before: before.clone(), calls: prepared, puts, folders, notes })
    }

    /// What came of calls, of which these are the results: `None` if no result came. Afterwards nothing that was
    /// prepared is there any more, and what the scenario does to files of its own is done.
    ///
    /// # Errors
    /// The folder cannot be read or written.
    pub fn came_of(&mut self, armed: Armed, results: &[Option<&str>]) -> io::Result<Outcome> {
        let Armed { before, calls, puts, folders, notes } = armed;
        let mut came = Vec::with_capacity(calls.len());
        for (at, it) in calls.iter().enumerate() {
            came.push(it.trace.came(results.get(at).copied().flatten())?);
        }
        // The last one may be where the first one was moved away from.
        for put in puts.into_iter().rev() {
            put.undo()?;
        }
        folder::remove_empty(&folders);
        notes.iter().try_for_each(|it| folder::remove(it))?;
        let mut world = before;
        for (it, came) in calls.iter().zip(&came) {
            if *came == Came::NotRun {
                continue;
            }
            let files = world.files().clone();
            let executed = world.call(&it.call);
            // What a tool itself wrote is the agent's, also where it is not what the scenario expected. A tool that
            // only says that it wrote changed nothing.
            let now = it.target.as_ref().and_then(|target| world.files().get(target));
            let only_says = executed.status == Status::Ok
                && matches!(&it.trace, Trace::Written { text, .. } if now != Some(text));
            let [own, always] =
                if only_says { [None, it.target.as_ref()] } else { [it.target.as_ref(), None] };
            self.apply(&files, world.files(), own, always)?;
        }
        self.known.clone_from(world.files());
        Ok(Outcome { came, environment: world })
    }

    /// Gives the environment the files that the folder really has, so that they decide whether the task is done. Files
    /// of the scenario that are outside of the folder stay. Returns whether some files were left out, because they
    /// were too many or too long, or cannot be read. Nothing may be armed.
    pub fn look(&self, environment: &mut Environment) -> bool {
        let folder::Contents { mut files, is_cut } = folder::contents(&self.preparer.place.workspace);
        let outside =
            environment.files().iter().filter(|(path, _)| self.preparer.place.inside(path).is_none());
        files.extend(outside.map(|(path, text)| (path.clone(), text.clone())));
        environment.set_files(files);
        is_cut
    }

    /// Does to the folder what was done to the files of the environment since the folder was last told.
    fn follow(&mut self, files: &BTreeMap<String, String>) -> io::Result<()> {
        self.apply(&self.known, files, None, None)?;
        self.known.clone_from(files);
        Ok(())
    }

    /// Makes the difference between two states of the environment's files, but for one file of the agent; and one
    /// that is as the environment has it in any case.
    fn apply(
        &self,
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
        but: Option<&String>,
        always: Option<&String>,
    ) -> io::Result<()> {
        for path in before.keys().chain(after.keys()).chain(always) {
            let text = after.get(path);
            if Some(path) == but || before.get(path) == text && Some(path) != always {
                continue;
            }
            match (self.preparer.place.inside(path), text) {
                (Some(real), Some(text)) if folder::text(&real)?.as_ref() != Some(text) => {
                    folder::write(&real, text)?;
                }
                (Some(real), None) => folder::remove(&real)?,
                (Some(_) | None, Some(_)) | (None, None) => {}
            }
        }
        Ok(())
    }
}
