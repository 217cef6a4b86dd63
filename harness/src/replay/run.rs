//! One file of recorded trajectories, streamed: bounded batches of lines, folded in parallel, given in order.

use std::io::{self, Read};
use std::sync::Arc;

use balk_guards::Stack;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::bad::BadLine;
use super::fold::{Folded, fold};
use super::join::Oddities;
use super::lines::{Line, Lines};
use super::neutral::{Outcome, Setting, read};

/// What a batch holds at most, its last line aside: enough that the threads seldom wait for each other.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_LINES: usize = 1024;

/// How transcripts are replayed.
pub struct Replay<'a> {
    /// What the recordings do not say.
    pub setting: &'a Setting,
    /// Makes the stack, anew for each transcript.
    pub stack: &'a (dyn Fn() -> Stack + Sync),
    /// Where the work is done. The output does not depend on its size.
    pub pool: &'a ThreadPool,
}

/// What became of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its number, from 1.
    pub line: u64,
    /// A replayed transcript, or why the line is of no use.
    pub found: Result<Replayed, BadLine>,
}

/// One transcript, replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// Its id; empty where it has none.
    pub id: Arc<str>,
    /// The model's name; empty where it has none.
    pub model: Arc<str>,
    /// How it ended, by the source's own verdict.
    pub outcome: Outcome,
    /// What is odd about the recording.
    pub oddities: Oddities,
    /// What the guards would have done.
    pub folded: Folded,
}

/// Why a file was not replayed to its end.
#[derive(Debug)]
pub enum Broken {
    /// It cannot be read or unpacked any further.
    Read {
        /// The last line that was read; 0 before the first.
        after_line: u64,
        /// Why.
        error: io::Error,
    },
    /// Whoever takes the items does not want more.
    Taken(io::Error),
}

impl Replay<'_> {
    /// Replays every line of `input` and hands on what became of them, in order, batch by batch. Blank lines
    /// are passed over.
    ///
    /// # Errors
    /// The input breaks off (what came before is handed on first), or `take` fails.
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
            .and_then(|bytes| read(&bytes, self.setting))
            .map(|recorded| {
                let folded = fold(&recorded.entries, &mut (self.stack)());
                Replayed {
                    id: recorded.id,
                    model: recorded.model,
                    outcome: recorded.outcome,
                    oddities: recorded.oddities,
                    folded,
                }
            });
        Item { line: line.number, found }
    }
}

/// Why a batch is no longer.
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
