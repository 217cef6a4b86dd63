//! The place of one run: fresh folders, and an environment that is made from nothing.
//!
//! Agents print paths, and models read them. So no name in the place says what it is for.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::files::write_passing;

pub use folder::Folder;
pub(crate) use folder::remove;

mod folder;
mod repository;

/// Where every system has its programs.
const SYSTEM: [&str; 6] = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/// The files that login shells and interactive shells read. System-wide profiles reset `PATH` before them. A shell that
/// is neither keeps the `PATH` that it is given, so `BASH_ENV` is not needed.
const PROFILES: [&str; 6] = [".profile", ".bash_profile", ".bashrc", ".zshenv", ".zprofile", ".zshrc"];

/// The variables that say where a program keeps its files, and the folders below the home folder.
const KEPT: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// The folders of one run, and its environment.
#[derive(Clone, Debug)]
pub struct Place {
    /// The home folder.
    pub home: PathBuf,
    /// The folder of the task: a git repository, where git is installed.
    pub workspace: PathBuf,
    /// The folder of stand-ins, first in `PATH`.
    pub programs: PathBuf,
    /// What the stand-ins leave when they run.
    pub notes: PathBuf,
    /// The folders in `PATH` after that of the stand-ins.
    pub path: Vec<PathBuf>,
    /// The environment: nothing else is in it.
    pub variables: BTreeMap<OsString, OsString>,
}

impl Place {
    /// Makes the folders of a run in an empty one, with the files of the task. `tools` are the folders of programs
    /// that the agent needs, before those of the system.
    ///
    /// # Errors
    /// A folder or a file cannot be written, or git is there and fails.
    pub fn new(folder: &Path, files: &BTreeMap<String, String>, tools: &[PathBuf]) -> io::Result<Self> {
        // Tools may show a path without its links, such as `/private/tmp` for `/tmp`.
        let folder = fs::canonicalize(folder)?;
        let below = |name: &str| folder.join(name);
        let path = tools.iter().cloned().chain(SYSTEM.iter().map(PathBuf::from)).collect();
        let mut place = Self {
            home: below("home"),
            workspace: below("project"),
            programs: below("bin"),
            notes: below("var"),
            path,
            variables: BTreeMap::new(),
        };
        place.variables = place.environment(&below("tmp"), &below("run"))?;
        for folder in [&place.home, &place.workspace, &place.programs, &place.notes, &below("tmp")] {
            fs::create_dir_all(folder)?;
        }
        for (_, kept) in KEPT {
            fs::create_dir_all(place.home.join(kept))?;
        }
        private(&below("run"))?;
        let profile = format!("export PATH={}\n", quoted(&place.variables[OsStr::new("PATH")])?);
        for name in PROFILES {
            write_passing(&place.home.join(name), &profile)?;
        }
        for (path, text) in files {
            if let Some(path) = place.inside(path) {
                fs::create_dir_all(path.parent().unwrap_or(&place.workspace))?;
                write_passing(&path, text)?;
            }
        }
        if place.find("git").is_some() {
            repository::begin(&|| place.command("git"))?;
        }
        Ok(place)
    }

    fn environment(&self, temporary: &Path, runtime: &Path) -> io::Result<BTreeMap<OsString, OsString>> {
        let path = std::env::join_paths([&self.programs].into_iter().chain(&self.path))
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        let fixed = [
            ("PATH", path),
            ("HOME", self.home.clone().into()),
            ("TMPDIR", temporary.into()),
            ("XDG_RUNTIME_DIR", runtime.into()),
            ("LANG", "C.UTF-8".into()),
            ("TERM", "dumb".into()),
        ];
        let kept = KEPT.map(|(name, below)| (name, self.home.join(below).into()));
        Ok(fixed.into_iter().chain(kept).map(|(name, value)| (name.into(), value)).collect())
    }

    /// Adds a variable, or replaces one.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    /// A command in the workspace, with this environment and no input.
    #[must_use]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.variables).current_dir(&self.workspace).stdin(Stdio::null());
        command
    }

    /// A program of this name, which is no stand-in.
    #[must_use]
    pub fn find(&self, program: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(program)).find(|it| is_program(it))
    }

    /// The real path of a path of the task. `None` if it is not in the workspace, or is the workspace.
    #[must_use]
    pub fn inside(&self, path: &str) -> Option<PathBuf> {
        use std::path::Component;

        let path = Path::new(path);
        let path = path.strip_prefix(&self.workspace).unwrap_or(path);
        let mut real = self.workspace.clone();
        for component in path.components() {
            match component {
                Component::Normal(name) => real.push(name),
                Component::CurDir => {}
                Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        (real != self.workspace && !real.starts_with(self.workspace.join(".git"))).then_some(real)
    }
}

/// A word as a shell takes it.
fn quoted(word: &OsStr) -> io::Result<String> {
    let word = word.to_str().ok_or_else(|| {
        let found = format!("{} is not UTF-8", word.display());
        io::Error::new(io::ErrorKind::InvalidInput, found)
    })?;
    Ok(format!("'{}'", word.replace('\'', r"'\''")))
}

/// Makes a folder that only the user may read, as programs want it for their sockets.
fn private(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> BTreeMap<String, String> {
        [("README.md", "# a\n"), ("src/deep/a.py", "print(1)\n"), ("/etc/never", "x"), ("../never", "x")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into()
    }

    fn output(command: &mut Command) -> String {
        let output = command.output().expect("it can be started");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("it is text")
    }

    #[test]
    fn the_workspace_is_a_repository_with_one_commit_of_the_files() {
        let folder = Folder::new().expect("a folder");
        let place = Place::new(folder.path(), &files(), &[]).expect("it can be made");
        assert_eq!(fs::read_to_string(place.workspace.join("src/deep/a.py")).expect("a file"), "print(1)\n");
        assert!(!folder.path().join("never").exists(), "no file is outside of the workspace");
        if place.find("git").is_none() {
            return;
        }
        let git = |arguments: &[&str]| output(place.command("git").args(arguments));
        assert_eq!(git(&["ls-files"]), "README.md\nsrc/deep/a.py\n");
        assert_eq!(git(&["status", "--porcelain"]), "");
        assert_eq!(git(&["branch", "--show-current"]), "main\n");
        let other = Folder::new().expect("a folder");
        let again = Place::new(other.path(), &files(), &[]).expect("it can be made");
        let head = |place: &Place| output(place.command("git").args(["rev-parse", "HEAD"]));
        assert_eq!(head(&place), head(&again), "the commit does not depend on the time or the machine");
    }

    #[test]
    fn the_environment_has_nothing_of_the_users_own() {
        let folder = Folder::new().expect("a folder");
        let mut place = Place::new(folder.path(), &BTreeMap::new(), &["/opt/it's".into()]).expect("a place");
        place.set("OPENAI_API_KEY", "x");
        let printed = output(&mut place.command("env"));
        let names: Vec<&str> = printed.lines().filter_map(|it| Some(it.split_once('=')?.0)).collect();
        let expected: Vec<&str> = place.variables.keys().filter_map(|it| it.to_str()).collect();
        // Some shells and systems add these.
        let mut names: Vec<&str> =
            names.into_iter().filter(|it| !matches!(*it, "_" | "PWD" | "SHLVL" | "OLDPWD")).collect();
        names.sort_unstable();
        assert_eq!(names, expected);
        assert!(expected.contains(&"OPENAI_API_KEY"));
        for (_, kept) in KEPT {
            assert!(place.home.join(kept).is_dir(), "{kept}");
        }
    }

    #[test]
    fn login_shells_find_the_stand_ins_first() {
        let folder = Folder::new().expect("a folder");
        let place = Place::new(folder.path(), &BTreeMap::new(), &["/opt/it's".into()]).expect("a place");
        let expected = format!("{}:/opt/it's:/usr/local/sbin:", place.programs.display());
        for (shell, flags) in [("sh", "-lc"), ("bash", "-lc"), ("bash", "-ic"), ("sh", "-c"), ("zsh", "-lc")]
        {
            if place.find(shell).is_some() {
                let path = output(place.command(shell).args([flags, "echo \"$PATH\""]).stderr(Stdio::null()));
                assert!(path.starts_with(&expected), "{shell} {flags}: {path}");
            }
        }
    }

    #[test]
    fn no_path_says_what_it_is_for() {
        let folder = Folder::new().expect("a folder");
        let place = Place::new(folder.path(), &BTreeMap::new(), &[]).expect("it can be made");
        for path in [&place.home, &place.workspace, &place.programs, &place.notes] {
            let path = path.display().to_string();
            for word in ["balk", "test", "crash", "mock", "fake", "stub"] {
                assert!(!path.to_lowercase().contains(word), "{path} has the word {word}");
            }
        }
    }

    #[test]
    fn only_paths_of_the_workspace_are_inside() {
        let folder = Folder::new().expect("a folder");
        let place = Place::new(folder.path(), &BTreeMap::new(), &[]).expect("it can be made");
        let real = |path: &str| Some(place.workspace.join(path));
        let absolute = place.workspace.join("a/b.txt").display().to_string();
        assert_eq!(place.inside("./a/b.txt"), real("a/b.txt"));
        assert_eq!(place.inside(&absolute), real("a/b.txt"));
        for outside in ["", ".", "/etc/passwd", "../a", "a/../../b", ".git/config"] {
            assert_eq!(place.inside(outside), None, "{outside}");
        }
    }
}
