//! What a call meets: the folder is made so that the call does what the scenario says.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use balk_contract::{Status, ToolCall};
use balk_scenarios::scenario::Role;
use balk_scenarios::{Environment, Executed};

use super::folder::{self, Put};
use super::plan::{self, Part};
use super::shell::Word;
use super::standin::{self, Answer, Case, Does};
use super::trace::Trace;
use crate::crash::place::Place;
use crate::files::write_passing;

/// A call whose answer is prepared.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) call: ToolCall,
    pub(super) executed: Executed,
    /// The file that the call itself writes, by its name in the environment.
    pub(super) target: Option<String>,
    pub(super) trace: Trace,
}

/// What is prepared beside single calls.
#[derive(Default)]
pub(super) struct Preparing {
    pub(super) puts: Vec<Put>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) notes: Vec<PathBuf>,
    /// The stand-ins by their paths, with the names of their programs.
    stand_ins: BTreeMap<PathBuf, (String, Vec<Case>)>,
}

impl Preparing {
    /// The stand-in at this path does this, started with these arguments.
    fn answer(&mut self, path: PathBuf, program: &str, arguments: Vec<Word>, answer: Answer) {
        let (_, cases) = self.stand_ins.entry(path).or_insert_with(|| (program.to_owned(), Vec::new()));
        match cases.iter_mut().find(|it| it.arguments == arguments) {
            Some(case) => case.answers.push(answer),
            None => cases.push(Case { arguments, answers: vec![answer] }),
        }
    }
}

/// Prepares calls in a place.
#[derive(Debug)]
pub(super) struct Preparer {
    pub(super) place: Place,
    /// The number of names that were given to notes and to files that were moved aside.
    pub(super) named: u64,
}

impl Preparer {
    /// A name that no other note and no other file has.
    fn name(&mut self) -> PathBuf {
        self.named += 1;
        self.place.notes.join(self.named.to_string())
    }

    /// Makes the folder answer a call. `world` is what the scenario has after it, and `earlier` are the calls of the
    /// same turn before it.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub(super) fn prepare(
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
            (Role::Shell, _) if first == "ls" => {
                let note = self.watch("ls", &[], preparing);
                Ok(self.list(".", note, world, preparing))
            }
            (Role::Shell, _) => self.command(first, executed, preparing),
            (Role::List, Status::Ok) => {
                let note = self.watch("ls", &["-A", "--", first], preparing);
                Ok(self.list(first, note, world, preparing))
            }
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
        let note = self.watch("cat", &["--", named], preparing);
        let shown = |text: &str| Trace::Shown { words: text.lines().map(str::to_owned).collect(), note };
        let own = world.files().get(key(named));
        match own.filter(|text| executed.text.contains(*text)) {
            // A call before it writes the file.
            Some(text) if is_new => Ok(shown(text)),
            Some(_) if path.is_file() => Ok(shown(&folder::text(&path)?.unwrap_or_default())),
            Some(_) | None => {
                let text = &executed.text;
                let put = Put::at(&path, self.name(), |it| write_passing(it, text))?;
                let is_put = put.is_some();
                preparing.puts.extend(put);
                Ok(if is_put { shown(text) } else { Trace::Nothing("a folder is where the file should be") })
            }
        }
    }

    /// A list meets its folder.
    fn list(
        &self,
        named: &str,
        note: Option<PathBuf>,
        world: &Environment,
        preparing: &mut Preparing,
    ) -> Trace {
        let is_all = matches!(named, "" | "." | "./" | "/") || Path::new(named) == self.place.workspace;
        let before = match self.place.inside(named) {
            _ if is_all => String::new(),
            Some(folder) => {
                preparing.folders.extend(folder::make_folders(&folder).unwrap_or_default());
                format!("{}/", key(named).trim_end_matches('/'))
            }
            None => return Trace::Nothing("a path outside of the folder of the task"),
        };
        let inside = world.files().keys().filter_map(|it| it.strip_prefix(&before)?.split('/').next());
        let mut names: Vec<String> = inside.map(str::to_owned).collect();
        names.dedup();
        Trace::Listed { names, note }
    }

    /// Where an agent without a tool for it reads or lists in its shell, the real program leaves a note that it was
    /// started. The note's path; `None` where there is no such program.
    fn watch(&mut self, program: &str, arguments: &[&str], preparing: &mut Preparing) -> Option<PathBuf> {
        self.place.find(program)?;
        let path = self.stand_in_path(program)?;
        let note = self.name();
        preparing.notes.push(note.clone());
        let word = |it: &&str| Word { text: (*it).to_owned(), expands: false };
        let arguments = arguments.iter().map(word).collect();
        preparing.answer(path, program, arguments, Answer { does: Does::Runs, note: note.clone() });
        Some(note)
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
            wanted.push((path, it.program, it.arguments, Answer { does: Does::Says(text, status), note }));
        }
        for folder in &plan.folders {
            match self.place.inside(folder) {
                Some(folder) => preparing.folders.extend(folder::make_folders(&folder).unwrap_or_default()),
                None if self.place.workspace.join(folder).is_dir() => {}
                None => return Ok(Trace::Nothing("a folder that this machine does not have")),
            }
        }
        for (path, program, arguments, answer) in wanted {
            preparing.answer(path, &program, arguments, answer);
        }
        let in_background = plan.in_background;
        Ok(noted.map_or(Trace::Nothing("no program answers"), |note| Trace::Noted { note, in_background }))
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

    /// Puts the stand-ins of all calls where they are found.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn stand_in(&mut self, preparing: &mut Preparing) -> io::Result<()> {
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
    let text = if role == Role::Write { values.get(1) } else { world.files().get(key(&values[0])) };
    Ok(Trace::Written { before: folder::stamp(&path), path, text: text.cloned().unwrap_or_default() })
}

/// Whether the place that an edit replaces is in the file, once.
fn applies(path: &Path, values: &[String]) -> io::Result<bool> {
    let [_, old, new] = values else { return Ok(false) };
    let text = folder::text(path)?.unwrap_or_default();
    Ok(old != new && !old.is_empty() && text.matches(old.as_str()).count() == 1)
}

/// The name of a file in the environment.
pub(super) fn key(path: &str) -> &str {
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
        let number =
            text.split_once(named).map(|(_, rest)| rest.split(|it: char| !it.is_ascii_digit()).next());
        match number.flatten().and_then(|it| it.parse().ok()) {
            Some(number) if number != 0 => return number,
            Some(_) | None => {}
        }
    }
    // What shells say of a program that is not there.
    if text.trim_end().ends_with(": not found") || text.contains("command not found") { 127 } else { 1 }
}
