//! Replays files of recorded runs as a stream: pieces of them are folded in parallel, and delivered in order.

use std::io::{self, Read};
use std::sync::Arc;

use balk_guards::{Entry, Stack};
use jiff::Timestamp;
use rayon::ThreadPool;

use crate::engine::TruthChannel;
use crate::guards::{BadStack, DEFAULT};
use crate::import::reading::{Ending, Input, Reading, Taken};
use crate::import::{BadLine, Format, Oddities, Outcome, Piece, Placed, Recording, Setting, join, one_line};

use super::blind::is_blind;
use super::fold::{Folded, fold};
use super::own::{self, Own, is_own};

/// How transcripts are replayed.
pub struct Replay<'a> {
    /// The format of the recordings; `None` recognises it, file by file.
    pub from: Option<Format>,
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

/// The result of one transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The number of its first line, from 1.
    pub line: u64,
    /// A replayed transcript, or why there is none.
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
    /// When a message was said, as [`Recording::times`] has it.
    pub times: Vec<(usize, Timestamp)>,
    /// What happened.
    pub entries: Vec<Placed>,
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
    /// Replays every transcript of these inputs and passes the results to `take`, in order, batch by batch.
    ///
    /// # Errors
    /// `take` fails.
    pub fn files<'i>(
        &self,
        inputs: &mut dyn Iterator<Item = Input<'i>>,
        take: &mut dyn FnMut(Vec<Taken<Item>>) -> io::Result<()>,
    ) -> io::Result<()> {
        Reading { from: self.from, pool: self.pool }.read(inputs, &|_, piece| self.piece(piece), take)
    }

    /// The same for one input.
    ///
    /// # Errors
    /// The input breaks off (everything before is passed on first), or `take` fails.
    pub fn file<'i>(
        &self,
        input: impl Read + 'i,
        take: &mut dyn FnMut(Vec<Item>) -> io::Result<()>,
    ) -> Result<(), Broken> {
        let mut inputs = std::iter::once(Input { content: Box::new(input), sought: false });
        let mut broken = Ok(());
        let taken = self.files(&mut inputs, &mut |batch| {
            let mut items = Vec::new();
            for taken in batch {
                match taken {
                    Taken::Found(_, found) => items.extend(found),
                    Taken::Ended(_, Ending::Broken { after_line, error }) => {
                        broken = Err(Broken::Read { after_line, error });
                    }
                    Taken::Ended(_, Ending::Read(_) | Ending::Unknown) => {}
                }
            }
            take(items)
        });
        taken.map_err(Broken::Taken).and(broken)
    }

    fn piece(&self, piece: &Piece) -> Vec<Item> {
        match piece.text() {
            Ok(text) if self.from.is_none() && is_own(text) => {
                vec![Item { line: piece.line(), found: self.own(text) }]
            }
            Ok(text) if self.from.is_none() && own::is_counts(text) => {
                vec![Item { line: piece.line(), found: Err(BadLine::shape("line".into(), COUNTS)) }]
            }
            Ok(_) | Err(_) => {
                let found = piece.recordings(self.from).into_iter();
                found
                    .map(|(line, found)| Item { line, found: found.and_then(|it| self.foreign(it)) })
                    .collect()
            }
        }
    }

    fn foreign(&self, recording: Recording) -> Result<Found, BadLine> {
        let recorded = join(recording, self.setting);
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
            times: recorded.times,
            folded,
            blind: is_blind(guard, &recorded.entries),
            entries: recorded.entries,
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
