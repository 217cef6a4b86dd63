//! Reads files as a stream: pieces of several files at once, worked on in parallel, delivered in order.

use std::io::{self, Read};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::cut::Pieces;
use super::format::Format;
use super::piece::{FoundIn, Piece};

/// The maximum size of a batch, except for its last piece: large enough that threads rarely wait for each other.
const BATCH_BYTES: usize = 4 << 20;
const BATCH_PIECES: usize = 1024;

/// The same for a single thread: it has nothing to share, and a small batch stays in the caches until it is parsed.
const ALONE_BYTES: usize = 64 << 10;

/// One input.
pub struct Input<'a> {
    /// Its bytes, plain or packed.
    pub content: Box<dyn Read + 'a>,
    /// Whether it was only found in a folder: then it may be something else.
    pub sought: bool,
}

/// How an input ended.
#[derive(Debug)]
pub enum Ending {
    /// It was read. The format is that of the file, where the file says so as a whole.
    Read(Option<Format>),
    /// It was found in a folder, and is of no format that is known.
    Unknown,
    /// It cannot be read or unpacked further.
    Broken {
        /// The last line that was read; 0 before the first.
        after_line: u64,
        /// The reason.
        error: io::Error,
    },
}

/// What comes out of an input, by its number from 0.
#[derive(Debug)]
pub enum Taken<R> {
    /// The results of one piece.
    Found(usize, Vec<R>),
    /// The end of the input.
    Ended(usize, Ending),
}

/// How files are read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The format of all files; `None` recognises it.
    pub from: Option<Format>,
    /// The threads that do the work. The output does not depend on their number.
    pub pool: &'a ThreadPool,
}

/// A piece to work on, or an end to pass on.
enum Step {
    Piece(usize, Piece),
    Ended(usize, Ending),
}

impl Reading<'_> {
    /// Reads every input, has `work` done on its pieces (with the number of the input, from 0), and passes the results
    /// to `take`, in order, batch by batch. Pieces without anything in them are skipped.
    ///
    /// # Errors
    /// Those of `take`.
    pub fn read<'i, R: Send>(
        &self,
        inputs: &mut dyn Iterator<Item = Input<'i>>,
        work: &(dyn Fn(usize, &Piece) -> Vec<R> + Sync),
        take: &mut dyn FnMut(Vec<Taken<R>>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut steps = Steps { inputs, from: self.from, number: 0, open: None };
        let is_alone = self.pool.current_num_threads() == 1;
        loop {
            let batch = steps.batch(if is_alone { ALONE_BYTES } else { BATCH_BYTES });
            if batch.is_empty() {
                return Ok(());
            }
            // Handing work to another thread costs as much as reading a small file.
            take(if is_alone {
                batch.into_iter().map(|step| step.done(work)).collect()
            } else {
                self.pool.install(|| batch.into_par_iter().map(|step| step.done(work)).collect())
            })?;
        }
    }
}

impl Step {
    fn done<R>(self, work: &(dyn Fn(usize, &Piece) -> Vec<R> + Sync)) -> Taken<R> {
        match self {
            Self::Piece(input, piece) => Taken::Found(input, work(input, &piece)),
            Self::Ended(input, ending) => Taken::Ended(input, ending),
        }
    }
}

/// The pieces of all inputs, in order.
struct Steps<'s, 'i> {
    inputs: &'s mut dyn Iterator<Item = Input<'i>>,
    from: Option<Format>,
    /// How many inputs were begun.
    number: usize,
    open: Option<Pieces<'i>>,
}

impl Steps<'_, '_> {
    fn batch(&mut self, bytes: usize) -> Vec<Step> {
        let (mut batch, mut held) = (Vec::new(), 0);
        while held < bytes && batch.len() < BATCH_PIECES {
            let Some(step) = self.next() else { break };
            if let Step::Piece(_, piece) = &step {
                held += piece.bytes();
            }
            batch.push(step);
        }
        batch
    }

    fn next(&mut self) -> Option<Step> {
        loop {
            let Some(pieces) = &mut self.open else {
                let Input { content, sought } = self.inputs.next()?;
                self.number += 1;
                match Pieces::new(content, self.from) {
                    Ok(pieces) if sought && pieces.is_unknown() => {
                        return Some(Step::Ended(self.number - 1, Ending::Unknown));
                    }
                    Ok(pieces) => self.open = Some(pieces),
                    Err(error) => {
                        return Some(Step::Ended(self.number - 1, Ending::Broken { after_line: 0, error }));
                    }
                }
                continue;
            };
            let number = self.number - 1;
            let ending = match pieces.next() {
                Ok(Some(piece)) if piece.is_blank() => continue,
                Ok(Some(piece)) => return Some(Step::Piece(number, piece)),
                Ok(None) => Ending::Read(pieces.format()),
                Err(error) => Ending::Broken { after_line: pieces.last_line(), error },
            };
            self.open = None;
            return Some(Step::Ended(number, ending));
        }
    }
}

/// The format of one input, where it has one as a whole, and everything in it in order, read on this thread.
///
/// # Errors
/// The input cannot be read or unpacked further.
pub fn read<'i>(input: impl Read + 'i, from: Option<Format>) -> io::Result<(Option<Format>, Vec<FoundIn>)> {
    let mut pieces = Pieces::new(input, from)?;
    let mut all = Vec::new();
    while let Some(piece) = pieces.next()? {
        if !piece.is_blank() {
            all.extend(piece.recordings(from));
        }
    }
    Ok((pieces.format(), all))
}
