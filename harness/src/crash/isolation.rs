//! A run that sees no network but its own loopback, no processes but its own, and no name server.
//!
//! The program starts itself again inside `unshare`. Folders are where they were. When the outer process ends, or
//! `unshare` is killed, everything in the run is killed too.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::files::write_passing;

/// What the shell in the new namespaces does before it becomes the program: the path of a name server's file comes
/// first, then the program. A system without such a file needs none.
const ENTER: &str = r#"ip link set lo up || exit 126
if [ -e /etc/resolv.conf ]; then
    mount --bind "$1" "$(readlink -f /etc/resolv.conf)" || exit 126
fi
shift
exec "$@""#;

/// The name server of a run: nothing answers there, unless the run itself does.
const RESOLVER: &str = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";

/// A program that starts in namespaces of its own. `folder` is one of this run: the name server's file is written to
/// it. The arguments of the program are added by the caller.
///
/// # Errors
/// The file cannot be written.
pub fn wrapped(program: &OsStr, folder: &Path) -> io::Result<Command> {
    let resolver = folder.join("resolv.conf");
    write_passing(&resolver, RESOLVER)?;
    let mut command = unshare();
    command.arg(resolver).arg(program);
    Ok(command)
}

/// Whether runs can have namespaces of their own. The error says why not, in words for the user. It is found out once.
///
/// # Errors
/// They cannot: the system has none, a program is missing, or they are not permitted.
pub fn available() -> Result<(), &'static str> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND.get_or_init(find_out).as_ref().copied().map_err(String::as_str)
}

fn find_out() -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Err("only Linux has namespaces".to_owned());
    }
    for (program, package) in [("unshare", "util-linux"), ("ip", "iproute2"), ("mount", "mount")] {
        let started = Command::new(program).arg("--help").stdin(Stdio::null()).output();
        if started.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(format!("the program `{program}` is not installed (package {package})"));
        }
    }
    let tried = tempfile::tempdir().and_then(|folder| wrapped(OsStr::new("true"), folder.path())?.output());
    match tried {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(format!(
                "not permitted here ({})",
                said.lines().next().unwrap_or("no reason was given").trim()
            ))
        }
        Err(error) => Err(format!("`unshare` cannot be started ({error})")),
    }
}

/// The start of the command, up to the arguments of [`ENTER`].
fn unshare() -> Command {
    let mut command = Command::new("unshare");
    if !is_root() {
        command.args(["--user", "--map-root-user"]);
    }
    command.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"]);
    command.args(["sh", "-c", ENTER, "sh"]);
    command
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// What a script prints in namespaces of its own. `None` where they are not available, which is said.
    fn inside(script: &str) -> Option<String> {
        let folder = tempfile::tempdir().expect("a folder");
        if let Err(why) = available() {
            assert!(!why.is_empty());
            return None;
        }
        write_passing(&folder.path().join("given"), "given\n").expect("a file");
        let mut command = wrapped(OsStr::new("sh"), folder.path()).expect("the file can be written");
        let output = command.args(["-c", script]).current_dir(folder.path()).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(String::from_utf8(output.stdout).expect("it is text"))
    }

    #[track_caller]
    fn check(script: &str, expected: &str) {
        if let Some(printed) = inside(script) {
            assert_eq!(printed, expected, "{script}");
        }
    }

    #[test]
    fn a_run_is_alone_and_sees_its_folders() {
        check("echo $$; cat given; ls -d \"$PWD\" >/dev/null", "1\ngiven\n");
        check("grep -v '^options' /etc/resolv.conf", "nameserver 127.0.0.1\n");
        check("ls /sys/class/net >/dev/null; ip -o link | cut -d: -f2", " lo\n");
        check("ip -o -4 addr show lo | grep -o '127.0.0.1/8' | head -1", "127.0.0.1/8\n");
        check("ip route | wc -l", "0\n");
    }

    #[test]
    fn the_status_of_the_program_is_kept() {
        if available().is_ok() {
            let folder = tempfile::tempdir().expect("a folder");
            let mut command = wrapped(OsStr::new("sh"), folder.path()).expect("the file can be written");
            let status = command.args(["-c", "exit 7"]).status().expect("it runs");
            assert_eq!(status.code(), Some(7));
        }
    }

    /// Killing the outer process ends everything, also what left its group.
    #[test]
    fn everything_ends_with_the_outer_process() {
        if available().is_err() {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("ready");
        let mut command = wrapped(OsStr::new("sh"), folder.path()).expect("the file can be written");
        let script = "setsid sleep 1234567 & : > ready; sleep 1234568";
        let mut outer = command.args(["-c", script]).current_dir(folder.path()).spawn().expect("it runs");
        let wait = |what: &dyn Fn() -> bool| {
            for _ in 0..500 {
                if what() {
                    return true;
                }
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            false
        };
        let count = || {
            let all = std::fs::read_dir("/proc").expect("it is there").flatten();
            let lines = all.filter_map(|it| std::fs::read(it.path().join("cmdline")).ok());
            lines.filter(|it| it.starts_with(b"sleep\x00123456")).count()
        };
        assert!(wait(&|| fifo.exists() && count() == 2));
        outer.kill().expect("it can be killed");
        outer.wait().expect("it has ended");
        assert!(wait(&|| count() == 0), "{} processes are left", count());
    }
}
