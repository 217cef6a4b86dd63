//! Stand-ins: small scripts of the system's shell in the place of programs.
//!
//! A stand-in answers only the arguments that it was made for, or leaves a note that the real program was started with
//! them. Started with others, it becomes the real program, so an agent's own use of `git` or `sh` is not disturbed.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::shell::Word;
use crate::files::write_passing;

/// What a stand-in does for some arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Case {
    /// The words after the program.
    pub(super) arguments: Vec<Word>,
    /// What it does, one for each time; the last one again from then on.
    pub(super) answers: Vec<Answer>,
}

/// What a stand-in does once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) does: Does,
    /// The file that it leaves.
    pub(super) note: PathBuf,
}

/// What a stand-in does beside its note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Does {
    /// It prints this text and ends with this status.
    Says(String, u8),
    /// It becomes the real program.
    Runs,
}

/// Writes the script in place of what is at `path`.
///
/// # Errors
/// It cannot be written.
pub(super) fn write(path: &Path, cases: &[Case], real: Option<&Path>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    write_passing(path, script(&name, cases, real))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// The script. It uses nothing but the shell itself: the programs that it could call may have stand-ins.
fn script(name: &str, cases: &[Case], real: Option<&Path>) -> String {
    let mut text = "#!/bin/sh\n".to_owned();
    let runs = match real {
        Some(real) => format!("exec {} \"$@\"", quoted(&real.to_string_lossy())),
        None => format!("echo {} >&2; exit 127", quoted(&format!("{name}: command not found"))),
    };
    for case in cases {
        writeln!(text, "if {}; then", condition(&case.arguments)).expect("it is a string");
        for (at, Answer { does, note }) in case.answers.iter().enumerate() {
            let note = quoted(&note.to_string_lossy());
            // A file can be made only once, also by two at the same time.
            let taken = format!("( set -C; : > {note} ) 2>/dev/null");
            let is_last = at + 1 == case.answers.len();
            let first = if is_last { format!("{taken};") } else { format!("{taken} &&") };
            let then = match does {
                Does::Says(says, status) => format!("printf %s {}; exit {status}", quoted(&printed(says))),
                Does::Runs => runs.clone(),
            };
            writeln!(text, "{first} {{ {then}; }}").expect("it is a string");
        }
        text.push_str("fi\n");
    }
    text.push_str(&runs);
    text.push('\n');
    text
}

/// Whether the script was started with these arguments. From the first one on that the shell replaces, any will do.
fn condition(arguments: &[Word]) -> String {
    let known = arguments.iter().take_while(|it| !it.expands).count();
    let count = if known == arguments.len() { "-eq" } else { "-ge" };
    let mut text = format!("[ \"$#\" {count} {known} ]");
    for (at, word) in arguments[..known].iter().enumerate() {
        write!(text, " && [ \"${{{}}}\" = {} ]", at + 1, quoted(&word.text)).expect("it is a string");
    }
    text
}

/// Programs end what they print with a new line.
fn printed(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// A word as a shell takes it. No text of a program has a zero byte, and no shell can hold one.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\0', "").replace('\'', r"'\''"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::process::Command;

    use super::*;

    fn word(text: &str) -> Word {
        Word { text: text.to_owned(), expands: false }
    }

    fn run(program: &Path, arguments: &[&str]) -> (String, Option<i32>) {
        let output = Command::new(program).args(arguments).output().expect("it runs");
        (String::from_utf8(output.stdout).expect("it is text"), output.status.code())
    }

    #[test]
    fn it_answers_what_it_was_made_for_and_is_the_real_program_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let real = at("real");
        write_passing(&real, "#!/bin/sh\necho \"real:$*\"\n").expect("a file");
        write(&real, &[], Some(Path::new("/bin/echo"))).expect("a file");
        let answer =
            |text: &str, status, note| Answer { does: Does::Says(text.to_owned(), status), note: at(note) };
        let any = Word { text: "$X".to_owned(), expands: true };
        let cases = [
            Case {
                arguments: vec![word("it's"), word("")],
                answers: vec![answer("one\n$HOME 'a' \\n %s", 0, "1"), answer("two", 3, "2")],
            },
            Case { arguments: vec![word("x"), any], answers: vec![answer("", 0, "3")] },
            Case { arguments: vec![word("y")], answers: vec![Answer { does: Does::Runs, note: at("4") }] },
        ];
        let program = at("program");
        write(&program, &cases, Some(&real)).expect("a file");
        let there = || ["1", "2", "3", "4"].map(|note| at(note).exists());

        assert_eq!(run(&program, &["other", "a b"]), ("other a b\n".into(), Some(0)));
        assert_eq!(there(), [false; 4]);
        assert_eq!(run(&program, &["it's", ""]), ("one\n$HOME 'a' \\n %s\n".into(), Some(0)));
        assert_eq!(there(), [true, false, false, false]);
        assert_eq!(run(&program, &["it's", ""]), ("two\n".into(), Some(3)));
        assert_eq!(run(&program, &["it's", ""]), ("two\n".into(), Some(3)), "the last answer comes again");
        assert_eq!(run(&program, &["x", "1", "2"]), (String::new(), Some(0)));
        assert_eq!(there(), [true, true, true, false]);
        assert_eq!(run(&program, &["y"]), ("y\n".into(), Some(0)), "the real program answers");
        assert_eq!(there(), [true; 4]);

        write(&program, &cases, None).expect("a file");
        assert_eq!(run(&program, &["other"]), (String::new(), Some(127)));
    }
}
