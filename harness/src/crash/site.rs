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
//! | a read that works | a file with the words | the words, where the result has them: a read leaves no trace |
//! | a read that fails | a directory, or nothing | that nothing there can be read |
//! | a list | its folder | the names, where the result has them |
//! | a command | stand-ins (`plan.rs`) | the note that a stand-in leaves when it runs |
//!
//! Anything outside of the folder of the task is left alone, and so are tools that do something else, such as asking.
//! What came of such a call is not known.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use balk_contract::{Status, ToolCall};
use balk_scenarios::scenario::Role;
use balk_scenarios::{Environment, Executed};

use super::place::Place;
use folder::Put;
use plan::Part;
use standin::{Answer, Case};
use trace::Trace;

pub use trace::Came;

mod folder;
mod plan;
mod shell;
mod standin;
mod trace;

#[cfg(test)]
mod tests;

/// The folder of the task in one run.
#[derive(Debug)]
pub struct Site {
    place: Place,
    /// The files of the scenario's environment, as the folder was last told. What differs from them is the agent's.
    known: BTreeMap<String, String>,
    /// The number of names that were given to notes and to files that were moved aside.
    named: u64,
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

#[derive(Debug)]
struct Prepared {
    call: ToolCall,
    executed: Executed,
    /// The file that the call itself writes, by its name in the environment.
    target: Option<String>,
    trace: Trace,
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
            | Trace::Shown(_)
            | Trace::Listed(_)
            | Trace::Noted(_)
            | Trace::Impossible => None,
        }
    }
}

/// What is prepared beside single calls.
#[derive(Default)]
struct Preparing {
    puts: Vec<Put>,
    folders: Vec<PathBuf>,
    notes: Vec<PathBuf>,
    /// The stand-ins by their paths, with the names of their programs.
    stand_ins: BTreeMap<PathBuf, (String, Vec<Case>)>,
}

impl Site {
    /// A place whose workspace has the files of this environment.
    #[must_use]
    pub fn new(place: &Place, environment: &Environment) -> Self {
        Self { place: place.clone(), known: environment.files().clone(), named: 0 }
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
                    (target, self.prepare(role, &values, &executed, &world, &prepared, &mut preparing)?)
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
        self.stand_in(&mut preparing)?;
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
            let only_says = matches!(&it.trace, Trace::Written { text, .. }
                if executed.status == Status::Ok && it.target.as_ref().and_then(|it| world.files().get(it)) != Some(text));
            let [own, always] = if only_says { [None, it.target.as_ref()] } else { [it.target.as_ref(), None] };
            self.apply(&files, world.files(), own, always)?;
        }
        self.known.clone_from(world.files());
        Ok(Outcome { came, environment: world })
    }

    /// Gives the environment the files that the folder really has, so that they decide whether the task is done. Files
    /// of the scenario that are outside of the folder stay. Returns whether some files were left out, because they
    /// were too many or too long. Nothing may be armed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn look(&self, environment: &mut Environment) -> io::Result<bool> {
        let folder::Contents { mut files, is_cut } = folder::contents(&self.place.workspace)?;
        let outside = environment.files().iter().filter(|(path, _)| self.place.inside(path).is_none());
        files.extend(outside.map(|(path, text)| (path.clone(), text.clone())));
        environment.set_files(files);
        Ok(is_cut)
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
            match (self.place.inside(path), text) {
                (Some(real), Some(text)) if folder::text(&real)?.as_ref() != Some(text) => {
                    folder::write(&real, text)?;
                }
                (Some(real), None) => folder::remove(&real)?,
                (Some(_) | None, Some(_)) | (None, None) => {}
            }
        }
        Ok(())
    }

    /// A name that no other note and no other file has.
    fn name(&mut self) -> PathBuf {
        self.named += 1;
        self.place.notes.join(self.named.to_string())
    }

    fn prepare(
        &mut self,
        role: Role,
        values: &[String],
        executed: &Executed,
        world: &Environment,
        earlier: &[Prepared],
        preparing: &mut Preparing,
    ) -> io::Result<Trace> {
        let first = values.first().map_or("", String::as_str);
        let path = || self.place.inside(first);
        match (role, executed.status) {
            (Role::Shell, _) if first == "ls" => self.list(".", world, preparing),
            (Role::Shell, _) => self.command(first, executed, preparing),
            (Role::List, Status::Ok) => self.list(first, world, preparing),
            (Role::List, _) => Ok(match path() {
                Some(path) if !path.exists() => Trace::Unreadable { path },
                Some(_) | None => Trace::Nothing("a list that must fail"),
            }),
            (Role::Read | Role::Write | Role::Edit, status) => {
                let Some(path) = path() else {
                    return Ok(Trace::Nothing("a path outside of the folder of the task"));
                };
                match (role, status) {
                    (Role::Read, Status::Ok) => {
                        let is_new = earlier.iter().any(|it| it.target.as_deref() == Some(key(first)));
                        self.read(path, first, executed, world, is_new, preparing)
                    }
                    (Role::Read, _) if !path.exists() => Ok(Trace::Unreadable { path }),
                    (Role::Edit, Status::Error) if !applies(&path, values)? => {
                        Ok(Trace::Blocked { there: folder::stamp(&path), path })
                    }
                    (_, Status::Ok) => written(path, role, values, world, preparing),
                    (_, _) => self.block(path, preparing),
                }
            }
            (
                Role::Delegate
                | Role::Wait
                | Role::Plan
                | Role::Ask
                | Role::Remote
                | Role::Finish
                | Role::Distractor,
                _,
            ) => Ok(Trace::Nothing("a tool that leaves no trace in the folder")),
        }
    }

    /// Puts a directory where a file must not be written or read.
    fn block(&mut self, path: PathBuf, preparing: &mut Preparing) -> io::Result<Trace> {
        let put = Put::at(&path, self.name(), |it| fs::create_dir(it))?;
        preparing.puts.extend(put);
        // Where nothing could be put, the path is a folder already, or is below a file.
        Ok(Trace::Blocked { there: folder::stamp(&path), path })
    }

    /// A read that works meets the words that the scenario has, also where they are not those of the file.
    fn read(
        &mut self,
        path: PathBuf,
        named: &str,
        executed: &Executed,
        world: &Environment,
        is_new: bool,
        preparing: &mut Preparing,
    ) -> io::Result<Trace> {
        let own = world.files().get(key(named));
        match own.filter(|text| executed.text.contains(*text)) {
            // A call before it writes the file.
            Some(text) if is_new => Ok(Trace::Shown(text.lines().map(str::to_owned).collect())),
            Some(_) if path.is_file() => {
                let text = folder::text(&path)?.unwrap_or_default();
                Ok(Trace::Shown(text.lines().map(str::to_owned).collect()))
            }
            Some(_) | None => {
                let text = &executed.text;
                let put = Put::at(&path, self.name(), |it| fs::write(it, text))?;
                let is_put = put.is_some();
                preparing.puts.extend(put);
                Ok(if is_put {
                    Trace::Shown(text.lines().map(str::to_owned).collect())
                } else {
                    Trace::Nothing("a folder is where the file should be")
                })
            }
        }
    }

    /// A list meets its folder.
    fn list(&self, named: &str, world: &Environment, preparing: &mut Preparing) -> io::Result<Trace> {
        let is_all = matches!(named, "" | "." | "./" | "/") || Path::new(named) == self.place.workspace;
        let before = match self.place.inside(named) {
            _ if is_all => String::new(),
            Some(folder) => {
                preparing.folders.extend(folder::make_folders(&folder).unwrap_or_default());
                format!("{}/", key(named).trim_end_matches('/'))
            }
            None => return Ok(Trace::Nothing("a path outside of the folder of the task")),
        };
        let inside = world.files().keys().filter_map(|it| it.strip_prefix(&before)?.split('/').next());
        let mut names: Vec<String> = inside.map(str::to_owned).collect();
        names.dedup();
        Ok(Trace::Listed(names))
    }

    /// A command meets stand-ins for its programs.
    fn command(&mut self, line: &str, executed: &Executed, preparing: &mut Preparing) -> io::Result<Trace> {
        let planned = plan::plan(line, &|program| self.place.find(program).is_some());
        let plan = match planned {
            Ok(plan) => plan,
            Err(why) => return Ok(Trace::Nothing(why)),
        };
        let mut noted = None;
        let mut wanted = Vec::with_capacity(plan.stand_ins.len());
        for it in plan.stand_ins {
            let Some(path) = self.stand_in_path(&it.program) else {
                if it.part == Part::Answers {
                    return Ok(Trace::Nothing("a program outside of the folder of the task"));
                }
                continue;
            };
            let note = self.name();
            preparing.notes.push(note.clone());
            let (text, status) = match it.part {
                Part::Answers => (printed(executed).to_owned(), status(executed)),
                Part::GoesOn => (String::new(), 0),
                Part::Replaces => (String::new(), status(executed)),
            };
            if it.part == Part::Answers {
                noted = Some(note.clone());
            }
            wanted.push((path, it.program, it.arguments, Answer { text, status, note }));
        }
        for folder in &plan.folders {
            match self.place.inside(folder) {
                Some(folder) => preparing.folders.extend(folder::make_folders(&folder).unwrap_or_default()),
                None if self.place.workspace.join(folder).is_dir() => {}
                None => return Ok(Trace::Nothing("a folder that this machine does not have")),
            }
        }
        for (path, program, arguments, answer) in wanted {
            let (_, cases) = preparing.stand_ins.entry(path).or_insert_with(|| (program, Vec::new()));
            match cases.iter_mut().find(|it| it.arguments == arguments) {
                Some(case) => case.answers.push(answer),
                None => cases.push(Case { arguments, answers: vec![answer] }),
            }
        }
        Ok(noted.map_or(Trace::Nothing("no program answers"), Trace::Noted))
    }

    /// Where the stand-in of a program is. `None` if that is not in this place, or no file can have that name.
    fn stand_in_path(&self, program: &str) -> Option<PathBuf> {
        let path = if program.contains('/') {
            self.place.inside(program)?
        } else {
            self.place.programs.join(program)
        };
        // Systems have at most 255 bytes for a name.
        (path.file_name()?.len() <= 255 && !program.contains('\0')).then_some(path)
    }

    fn stand_in(&mut self, preparing: &mut Preparing) -> io::Result<()> {
        for (path, (program, cases)) in std::mem::take(&mut preparing.stand_ins) {
            let real = self.place.find(&program).filter(|_| !program.contains('/'));
            let put = Put::at(&path, self.name(), |it| standin::write(it, &cases, real.as_deref()))?;
            preparing.puts.extend(put);
        }
        Ok(())
    }
}

/// A write that works meets its folder.
fn written(
    path: PathBuf,
    role: Role,
    values: &[String],
    world: &Environment,
    preparing: &mut Preparing,
) -> io::Result<Trace> {
    if let Some(parent) = path.parent() {
        preparing.folders.extend(folder::make_folders(parent).unwrap_or_default());
    }
    // A tool that only says that it wrote is told by what it was sent.
    let text = match role {
        Role::Write => values.get(1),
        _ => world.files().get(key(&values[0])),
    };
    Ok(Trace::Written { before: folder::stamp(&path), path, text: text.cloned().unwrap_or_default() })
}

/// Whether the place that an edit replaces is in the file, once.
fn applies(path: &Path, values: &[String]) -> io::Result<bool> {
    let [_, old, new] = values else { return Ok(false) };
    let text = folder::text(path)?.unwrap_or_default();
    Ok(old != new && !old.is_empty() && text.matches(old.as_str()).count() == 1)
}

/// The name of a file in the environment.
fn key(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// What a program prints where the scenario answers this.
fn printed(executed: &Executed) -> &str {
    if executed.text == Executed::NO_OUTPUT { "" } else { &executed.text }
}

/// The status that a program ends with: the one that its text names, else the usual one.
fn status(executed: &Executed) -> u8 {
    if executed.status == Status::Ok {
        return 0;
    }
    let text = executed.text.to_lowercase();
    for named in ["exit status ", "exit code "] {
        let number = text.split_once(named).map(|(_, rest)| rest.split(|it: char| !it.is_ascii_digit()).next());
        match number.flatten().and_then(|it| it.parse().ok()) {
            Some(number) if number != 0 => return number,
            Some(_) | None => {}
        }
    }
    // What shells say of a program that is not there.
    if text.trim_end().ends_with(": not found") || text.contains("command not found") { 127 } else { 1 }
}
