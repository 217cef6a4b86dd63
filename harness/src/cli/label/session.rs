//! A reader who judges places one by one.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use balk_reports::records::quoted;

use crate::cli::say::say;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::label::answer::{Answer, answer};
use crate::label::{Kept, guide};
use crate::program;
use crate::replay::labels::Label;

/// The places, and the reader who judges them.
pub(super) struct Session<'a, R, W> {
    /// What the reader types.
    pub(super) input: R,
    /// What the reader sees.
    pub(super) output: W,
    /// The judgements.
    pub(super) kept: Kept,
    /// What is shown of each place, in the order of the sample.
    pub(super) shown: Vec<String>,
    /// The file of the judgements.
    pub(super) file: &'a Path,
    /// The logs, as they were named.
    pub(super) inputs: &'a [PathBuf],
}

/// What is asked about each place.
const PROMPT: &str = "[s]tuck  [l]egit  [u]nsure  [b]ack  [q]uit  [?] guide: ";

impl<R: BufRead, W: Write> Session<'_, R, W> {
    /// Shows places until all are judged or the reader stops.
    ///
    /// # Errors
    /// There is no input, or the judgements cannot be kept.
    pub(super) fn run(mut self) -> Result<Exit, Error> {
        let mut shown_next = self.kept.next(0);
        let mut is_first = true;
        while let Some(at) = shown_next {
            self.show(at)?;
            let Some(answer) = self.answer(at)? else {
                if is_first {
                    let error = Error::usage("standard input", "a judgement a line", "none");
                    return Err(error.hint("run it at a terminal, or pipe judgements into it"));
                }
                break;
            };
            is_first = false;
            shown_next = match answer {
                Answer::Judged(judgement) => {
                    self.kept.judge(at, judgement)?;
                    self.kept.next(at)
                }
                Answer::Back => Some(at.saturating_sub(1)),
                Answer::Guide => {
                    writeln!(self.output, "\n{}", guide())?;
                    Some(at)
                }
                Answer::Quit => break,
            };
        }
        self.say_end();
        Ok(Exit::Fine)
    }

    fn show(&mut self, at: usize) -> Result<(), Error> {
        let (place, of, judged) = (at + 1, self.kept.len(), self.kept.judged());
        writeln!(self.output, "\n══ place {place} of {of}, {judged} judged")?;
        write!(self.output, "{}", self.shown[at])?;
        if let Some(label) = self.kept.label(at) {
            writeln!(self.output, "── judged so far: {}", label.word())?;
        }
        Ok(())
    }

    /// The next line that is an answer; none at the end of the input.
    fn answer(&mut self, at: usize) -> Result<Option<Answer>, Error> {
        let message = self.kept.places().nth(at).map_or(0, |place| place.message);
        loop {
            write!(self.output, "{PROMPT}")?;
            self.output.flush()?;
            let Some(line) = input::typed(&mut self.input)? else {
                writeln!(self.output)?;
                return Ok(None);
            };
            match answer(&line, message) {
                Ok(answer) => return Ok(Some(answer)),
                Err(wrong) => writeln!(self.output, "{wrong}")?,
            }
        }
    }

    /// Says how far the reader got, and what comes next.
    fn say_end(&self) {
        let (judged, of) = (self.kept.judged(), self.kept.len());
        let counts = Label::ALL.map(|label| format!("{} {}", self.kept.count(label), label.word()));
        say(format_args!("{judged} of {of} places are judged: {}", counts.join(", ")));
        if judged < of {
            say(format_args!("the same command goes on: {}", program::command_line()));
            return;
        }
        let inputs: Vec<String> = self.inputs.iter().map(|it| quoted(&it.to_string_lossy())).collect();
        let (inputs, file) = (inputs.join(" "), quoted(&self.file.to_string_lossy()));
        let next = program::command(&format!("replay {inputs} --labels {file}"));
        say(format_args!("compare guards with them: {next}"));
    }
}
