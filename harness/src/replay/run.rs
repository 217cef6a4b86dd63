//! Replays one file of recorded trajectories as a stream: bounded batches of lines, folded in parallel, delivered in
//! order.

use std::io::{self, Read};
use std::sync::Arc;

use balk_guards::{Entry, Stack};
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::engine::TruthChannel;
use crate::guards::{BadStack, DEFAULT};

use super::bad::BadLine;
use super::blind::is_blind;
use super::fold::{Folded, fold};
use super::join::{Oddities, Placed};
use super::lines::{Line, Lines};
use super::neutral::{Outcome, Setting, read_text, text_of};
use super::one_line::one_line;
use super::own::{self, Own, is_own};

/// The maximum size of a batch, except for its last line: large enough that threads rarely wait for each other.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_LINES: usize = 1024;

/// How transcripts are replayed.
pub struct Replay<'a> {
    /// Facts that the recordings lack.
    pub setting: &'a Setting,
    /// The guards to ask, as on the command line. If `None`, our own records are asked about their own guards, and
    /// foreign transcripts about `default`.
    pub guard: Option<&'a str>,
    /// Makes a new stack of a spec, for each transcript.
    pub stack: &'a StackOf<'a>,
    /// The threads that do the work. The output does not depend on their number.
    pub pool: &'a ThreadPool,
}

/// Makes the stack of a spec; the truth channel is for the oracle.
pub type StackOf<'a> = dyn Fn(&str, &TruthChannel) -> Result<Stack, BadStack> + Sync + 'a;

/// The result of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, from 1.
    pub line: u64,
    /// A replayed transcript, or why the line cannot be used.
    pub found: Result<Found, BadLine>,
}

/// The contents of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A transcript of another agent.
    Foreign(Replayed),
    /// A record of one of our trials.
    Own(Own),
}

/// One transcript, replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Its id; empty where it has none.
    pub id: Arc<str>,
    /// The model's name; empty where it has none.
    pub model: Arc<str>,
    /// How it ended, as the source says.
    pub outcome: Outcome,
    /// The indices of the assistant's messages in `messages`, in order, including empty ones.
    pub replies: Vec<usize>,
    /// The defects of the recording.
    pub oddities: Oddities,
    /// What the guards would have done.
    pub folded: Folded,
    /// Whether the guard `abandonment` is in the stack and sees nothing, because no tool is known or seems to write.
    pub blind: bool,
}

/// Why a file was not replayed to its end.
#[derive(Debug)]
pub enum Broken {
    /// It cannot be read or unpacked further.
    Read {
        /// The last line that was read; 0 before the first.
        after_line: u64,
        /// The reason.
        error: io::Error,
    },
    /// The receiver of the items refused more.
    Taken(io::Error),
}

impl Replay<'_> {
    /// Replays every line of `input` and passes the results to `take`, in order, batch by batch. Blank lines are
    /// skipped.
    ///
    /// # Errors
    /// The input breaks off (everything before is passed on first), or `take` fails.
    pub fn file(
        &self,
        input: impl Read,
        take: &mut dyn FnMut(Vec<Item>) -> io::Result<()>,
    ) -> Result<(), Broken> {
        let mut lines = Lines::new(input).map_err(|error| Broken::Read { after_line: 0, error })?;
        loop {
            let (batch, end) = next_batch(&mut lines);
            let items = self.pool.install(|| batch.into_par_iter().map(|line| self.line(line)).collect());
            take(items).map_err(Broken::Taken)?;
            match end {
                End::Full => {}
                End::Eof => return Ok(()),
                End::Failed(error) => return Err(Broken::Read { after_line: lines.number(), error }),
            }
        }
    }

    fn line(&self, line: Line) -> Item {
        let found = line
            .bytes
            .map_err(|bytes| BadLine::TooLong { bytes })
            .and_then(|bytes| self.text(text_of(&bytes)?));
        Item { line: line.number, found }
    }

    fn text(&self, text: &str) -> Result<Found, BadLine> {
        if is_own(text) {
            return self.own(text);
        }
        if own::is_counts(text) {
            return Err(BadLine::shape("line".into(), COUNTS));
        }
        self.foreign(text)
    }

    fn foreign(&self, line: &str) -> Result<Found, BadLine> {
        let recorded = read_text(line, self.setting)?;
        let guard = self.guard.unwrap_or(DEFAULT);
        let mut stack = (self.stack)(guard, &TruthChannel::default()).map_err(|bad| not_there(&bad))?;
        let folded = fold(&recorded.entries, &mut stack);
        let is_reply = |it: &&Placed| matches!(it.entry, Entry::Completion(_) | Entry::Failed(_));
        let replies = recorded.entries.iter().filter(is_reply).map(|it| it.message).collect();
        Ok(Found::Foreign(Replayed {
            id: recorded.id,
            model: recorded.model,
            outcome: recorded.outcome,
            replies,
            oddities: recorded.oddities,
            folded,
            blind: is_blind(guard, &recorded.entries),
        }))
    }

    fn own(&self, line: &str) -> Result<Found, BadLine> {
        let recorded = own::read(line)?;
        let guard = self.guard.unwrap_or(&recorded.guard).to_owned();
        let channel = TruthChannel::default();
        let mut stack = (self.stack)(&guard, &channel).map_err(|bad| not_there(&bad))?;
        Ok(Found::Own(own::replay(recorded, &guard, &mut stack, &channel)))
    }
}

/// Why the output of `balk scenario --seeds` cannot be replayed.
const COUNTS: &str = "expected a transcript, found the counts of many trials; `scenario --seed N --format json` writes \
                      a transcript";

/// A record names guards or settings that this version does not have.
fn not_there(bad: &BadStack) -> BadLine {
    BadLine::shape("guard".into(), &one_line(&bad.to_string(), 300))
}

/// Why a batch ends.
enum End {
    Full,
    Eof,
    Failed(io::Error),
}

fn next_batch(lines: &mut Lines) -> (Vec<Line>, End) {
    let (mut batch, mut held) = (Vec::new(), 0);
    while held < BATCH_BYTES && batch.len() < BATCH_LINES {
        match lines.next_line() {
            Ok(None) => return (batch, End::Eof),
            Err(error) => return (batch, End::Failed(error)),
            Ok(Some(line)) => {
                if let Ok(bytes) = &line.bytes {
                    if bytes.trim_ascii().is_empty() {
                        continue;
                    }
                    held += bytes.len();
                }
                batch.push(line);
            }
        }
    }
    (batch, End::Full)
}
