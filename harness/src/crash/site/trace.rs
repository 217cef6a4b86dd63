//! What the folder shows of a call.

use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::folder::{self, Stamp};

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Came {
    /// What the scenario says. A call that could only fail failed, also where the agent refused it.
    AsSaid,
    /// Something else, such as a file with another text.
    Otherwise(&'static str),
    /// It did not run.
    NotRun,
    /// The folder has no trace of it, for this reason.
    NotKnown(&'static str),
}

/// Where the folder shows what came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trace {
    /// A file that has this text if the call ran.
    Written { path: PathBuf, before: Option<Stamp>, text: String },
    /// Something that stays as it is, because the call cannot work.
    Blocked { path: PathBuf, there: Option<Stamp> },
    /// Nothing is there that could be read.
    Unreadable { path: PathBuf },
    /// These words are in the result, in this order, if the call ran; the note is there if it ran in a shell.
    Shown { words: Vec<String>, note: Option<PathBuf> },
    /// These names are in the result, in any order, if the call ran; the note is there if it ran in a shell.
    Listed { names: Vec<String>, note: Option<PathBuf> },
    /// The note that a stand-in leaves. It may come late if no shell waits for it.
    Noted { note: PathBuf, in_background: bool },
    /// No tool takes such a call.
    Impossible,
    /// Nothing, for this reason.
    Nothing(&'static str),
}

/// How many lines of a file must be in a result: agents cut long ones.
const LINES_MAX: usize = 20;

/// How many bytes of a line must be in a result: agents cut long ones.
const LINE_MAX: usize = 200;

const NO_RESULT: Came = Came::NotKnown("no result came");
const NOT_SHOWN: Came = Came::NotKnown("the result does not show it");
const NOTHING_TO_SHOW: Came = Came::NotKnown("there is nothing to show");

/// How often it is looked whether the note of a program in the background has come, and the time between two looks.
const LATE_LOOKS: u32 = 100;
const LATE_STEP: Duration = Duration::from_millis(10);

impl Trace {
    /// What came of the call, with its result if one came.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn came(&self, result: Option<&str>) -> io::Result<Came> {
        Ok(match self {
            Self::Written { path, before, text } => {
                let is_new = folder::stamp(path) != *before;
                let has = folder::text(path)?.is_some_and(|it| same(&it, text));
                match (has, is_new) {
                    (true, true) => Came::AsSaid,
                    (true, false) => Came::NotKnown("the file had this text before"),
                    (false, true) => Came::Otherwise("the file has another text"),
                    (false, false) => Came::NotRun,
                }
            }
            Self::Blocked { path, there } if folder::stamp(path) != *there => {
                Came::Otherwise("something else is where nothing could be written")
            }
            Self::Unreadable { path } if path.exists() => Came::Otherwise("something is there to be read"),
            Self::Blocked { .. } | Self::Unreadable { .. } | Self::Impossible => match result {
                Some(_) => Came::AsSaid,
                None => NO_RESULT,
            },
            Self::Shown { note: Some(note), .. } | Self::Listed { note: Some(note), .. } if note.exists() => {
                Came::AsSaid
            }
            Self::Shown { words, .. } => match result {
                Some(result) => shown(words, result),
                None => NO_RESULT,
            },
            Self::Listed { names, .. } => match result {
                Some(_) if names.is_empty() => NOTHING_TO_SHOW,
                Some(result) if names.iter().all(|it| result.contains(it)) => Came::AsSaid,
                Some(_) => NOT_SHOWN,
                None => NO_RESULT,
            },
            Self::Noted { note, in_background } => {
                let mut looks = if *in_background { LATE_LOOKS } else { 1 };
                while !note.exists() && looks > 1 {
                    thread::sleep(LATE_STEP);
                    looks -= 1;
                }
                if note.exists() { Came::AsSaid } else { Came::NotRun }
            }
            Self::Nothing(why) => Came::NotKnown(why),
        })
    }
}

/// Whether a file has this text. Tools end the last line, or write the ends of lines in another way.
fn same(file: &str, text: &str) -> bool {
    let plain = |it: &str| it.replace("\r\n", "\n").trim_end_matches('\n').to_owned();
    plain(file) == plain(text)
}

/// Whether a result has these words, whatever is around them. Agents number the lines of a file.
fn shown(words: &[String], result: &str) -> Came {
    let mut words = words.iter().map(|it| it.trim()).filter(|it| !it.is_empty()).take(LINES_MAX).peekable();
    if words.peek().is_none() {
        return NOTHING_TO_SHOW;
    }
    let mut rest = result;
    for word in words {
        let start = &word[..word.floor_char_boundary(LINE_MAX)];
        match rest.find(start) {
            Some(at) => rest = &rest[at + start.len()..],
            None => return NOT_SHOWN,
        }
    }
    Came::AsSaid
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_shows_what_was_read_also_with_words_around_it() {
        let words = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let check = |text: &str, result: &str| shown(&words(text), result) == Came::AsSaid;
        assert!(check("a b\n\n  c\n", "<file>\n   1\ta b\n   2\t\n   3\t  c\n</file>"));
        assert!(!check("a b\nc\n", "c\na b"), "the order counts");
        assert!(!check("a b\n", "Error: no such file"));
        assert!(!check("", "anything"), "an empty file shows nothing");
        let long = "x".repeat(5_000);
        assert!(check(&long, &format!("{}... [cut]", &long[..2_000])));
        let many: String = (0..3_000).map(|it| format!("line {it}.\n")).collect();
        assert!(check(&many, &many[..10_000]));
    }

    #[test]
    fn the_end_of_the_last_line_is_no_difference() {
        assert!(same("a\r\nb\n", "a\nb"));
        assert!(!same("a\nb c", "a\nb"));
    }
}
