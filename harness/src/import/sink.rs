//! Where importers put what they find in a piece of a file.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Elements, Members};
use super::parse::{parse, value};
use super::recording::Recording;
use super::strict::Object;

/// How many parts of a piece are said to be bad one by one: to say why takes many times the memory of a part.
const BAD_MAX: usize = 10_000;

/// What came before the first transcript of a document and is the same for all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// The model's name; empty where the document does not say.
    pub(super) model: Arc<str>,
}

/// Transcripts, and parts that cannot be used, in order; each with the number of lines of the piece before it.
#[derive(Debug, Default)]
pub(super) struct Sink {
    pub(super) found: Vec<(u64, Result<Recording, BadLine>)>,
    /// How many of them cannot be used.
    bad: usize,
}

impl Sink {
    /// Takes a transcript.
    pub(super) fn recording(&mut self, recording: Recording) {
        self.found.push((0, Ok(recording)));
    }

    /// Takes a part that cannot be used.
    pub(super) fn bad(&mut self, lines_before: u64, bad: BadLine) {
        self.bad += 1;
        if self.bad < BAD_MAX {
            self.found.push((lines_before, Err(bad)));
        } else if self.bad == BAD_MAX {
            let why = format!("the bad part number {BAD_MAX}; those after it are not counted");
            self.found.push((lines_before, Err(BadLine::shape("line".into(), &why))));
        }
    }

    /// The elements of this list that can be read, each with the number of lines before it, which is not known. Those
    /// that cannot are reported.
    pub(super) fn elements<'a, T: Deserialize<'a>>(
        &mut self,
        list: &str,
        Elements(elements): Elements<&'a RawValue>,
    ) -> Vec<(u64, T)> {
        let mut read = Vec::new();
        for (at, element) in elements.into_iter().enumerate() {
            match parse(element.get()) {
                Ok(it) => read.push((0, it)),
                Err(bad) => self.bad(0, bad.below(&format!("{list}[{at}]"))),
            }
        }
        read
    }

    /// Takes a document with a run in each member: all at once, which takes half the time, or each alone if one of them
    /// cannot be read so. Those that cannot be used are reported, and the others are read.
    ///
    /// # Errors
    /// It is none.
    pub(super) fn members<'a, T: Deserialize<'a>, U: Deserialize<'a>>(
        &mut self,
        text: &'a str,
        of_all: impl Fn(&str, T) -> Result<Recording, BadLine>,
        alone: impl Fn(&str, U) -> Result<Recording, BadLine>,
    ) -> Result<(), BadLine> {
        let mut take = |task: &str, found: Result<Recording, BadLine>| match found {
            Ok(recording) => self.recording(recording),
            Err(bad) => self.bad(0, bad.below(task)),
        };
        match serde_json::from_str(text) {
            Ok(Members(runs)) => {
                runs.into_iter().for_each(|(task, Object(run))| take(&task, of_all(&task, run)))
            }
            Err(_) => {
                let Members(runs) = value::<Members<&RawValue>>(text)?;
                for (task, run) in runs {
                    take(&task, parse(run.get()).and_then(|run| alone(&task, run)));
                }
            }
        }
        Ok(())
    }

    /// Passes every line of a text on that is not blank. One that cannot be used is reported, and the rest goes on.
    pub(super) fn lines<'a>(&mut self, text: &'a str, mut take: impl FnMut(&'a str) -> Result<(), BadLine>) {
        for (number, line) in (0..).zip(text.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            if let Err(bad) = take(line) {
                self.bad(number, bad);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_bad_parts_has_a_bound() {
        let mut sink = Sink::default();
        for at in 0..BAD_MAX as u64 + 5 {
            sink.bad(at, BadLine::shape("x".into(), "bad"));
        }
        sink.recording(Recording::default());
        assert_eq!(sink.found.len(), BAD_MAX + 1);
        let (line, last) = &sink.found[BAD_MAX - 1];
        let said = last.as_ref().map(|_| ()).map_err(ToString::to_string);
        let why = "wrong-shape: line: the bad part number 10000; those after it are not counted";
        assert_eq!((*line, said), (BAD_MAX as u64 - 1, Err(why.to_owned())));
        assert!(sink.found[BAD_MAX].1.is_ok());
    }
}
