//! Watches a text as it arrives.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::fenced::Fenced;
use super::period::{Run, Seeker, shortest};
use super::recent::{KEPT, Recent};
use super::unit::patience;

/// The longest periods that the seekers find, in bytes. A seeker is as late as its reach, so each reaches twice as far
/// as the one before: a period is found by its fourth copy, or within the first 300 bytes.
const REACHES: [usize; 5] = [256, 512, 1_024, 2_048, 4_096];
/// After how many bytes each seeker reads on: what reaches farther may be later, and a search costs more than its
/// bytes.
const STRIDES: [usize; REACHES.len()] = [BLOCK, 2 * BLOCK, 2 * BLOCK, 4 * BLOCK, 4 * BLOCK];
/// The text is read in blocks of this many bytes, however it arrives. So what is found never depends on the pieces.
const BLOCK: usize = 256;
/// Copies of a sentence that are all of a text. OpenRouter's rule counts from four on
/// (`docs/peers.md#openrouter`).
const ALONE: usize = 4;
/// Bytes of a run before its text is looked at: the least that any text needs.
const LOOKED_AT: usize = 300;

/// A text that repeats itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// Characters of what is repeated.
    pub chars: usize,
    /// How often it comes, back to back. While it goes on, the count grows.
    pub times: usize,
    /// Bytes of the text up to the end of the first copy: what follows is not new.
    pub first: usize,
    /// Bytes of the text up to the end of the last copy.
    pub last: usize,
    /// Whether the text ends with it.
    pub is_open: bool,
}

/// Watches a text as it arrives; see the [module](super#a-stream).
///
/// Reads each byte a few times, whatever the text, and remembers at most its last 36 KiB.
#[derive(Clone, Debug)]
pub struct Watch {
    asked: Asked,
    text: Recent,
    /// White space before the text.
    skipped: usize,
    /// Where the last whole block ends.
    done: usize,
    fenced: Fenced,
    seekers: [Seeker; REACHES.len()],
    /// What is known about the run of each seeker, once it is long enough.
    judged: [Option<Judged>; REACHES.len()],
    found: Option<(usize, Judged)>,
}

/// What a run needs to be a repetition.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// The run that was looked at.
    of: (usize, usize),
    /// The shortest period, in bytes and in characters.
    period: usize,
    chars: usize,
    /// Whether it is prose that the user did not ask for.
    is_sentence: bool,
    /// Where the first copy ends.
    first: usize,
    /// Bytes after which it cannot be meant.
    needed: usize,
    /// Bytes of it so far.
    bytes: usize,
    is_open: bool,
}

impl Judged {
    fn repeated(self, skipped: usize) -> Repeated {
        let Self { of: (second, whole), period, chars, first, bytes, is_open, .. } = self;
        Repeated {
            chars,
            times: times(bytes, period),
            first: skipped + first,
            last: skipped + second - whole + bytes,
            is_open,
        }
    }
}

impl Default for Watch {
    fn default() -> Self {
        Self::new()
    }
}

impl Watch {
    /// Watches a text of which no one knows what it answers.
    #[must_use]
    pub fn new() -> Self {
        Self {
            asked: Asked::default(),
            text: Recent::default(),
            skipped: 0,
            done: 0,
            fenced: Fenced::default(),
            seekers: REACHES.map(Seeker::new),
            judged: [None; REACHES.len()],
            found: None,
        }
    }

    /// Watches an answer to this request: a user may ask for a text a hundred times.
    #[must_use]
    pub fn answering(request: &str) -> Self {
        let mut watch = Self::new();
        watch.ask(Asked::new(&Arc::from(request)));
        watch
    }

    pub(super) fn ask(&mut self, asked: Asked) {
        self.asked = asked;
    }

    /// Begins another text.
    pub fn clear(&mut self) {
        self.text.clear();
        (self.skipped, self.done, self.fenced) = (0, 0, Fenced::default());
        self.seekers.iter_mut().for_each(Seeker::begin_anew);
        (self.judged, self.found) = ([None; REACHES.len()], None);
    }

    /// Takes the next piece. Returns a repetition once, when it has gone on for so long that it cannot be meant; at
    /// most 256 bytes later (1,024 if what is repeated is long).
    pub fn push(&mut self, piece: &str) -> Option<Repeated> {
        let was_open = self.is_open();
        let mut piece = piece.as_bytes();
        if self.text.end() == 0 {
            let text = piece.trim_ascii_start();
            self.skipped += piece.len() - text.len();
            piece = text;
        }
        for part in piece.chunks(REACHES[REACHES.len() - 1]) {
            self.text.push(part, self.done);
            while self.text.end() - self.done >= BLOCK {
                self.done += BLOCK;
                self.read(self.done, false);
            }
        }
        self.found().filter(|it| it.is_open && !was_open)
    }

    /// The text ends here. Returns its repetition, if it has one. A text that is nothing but one sentence needs fewer
    /// copies than one that goes on.
    pub fn end(&mut self) -> Option<Repeated> {
        // White space at the end is no difference.
        let end = self.done + self.text.span(self.done, self.text.end()).trim_ascii_end().len();
        self.read(end, true);
        if self.found.is_none() {
            self.found = (0..self.seekers.len()).find_map(|at| Some((at, self.whole(at, end)?)));
        }
        self.found()
    }

    /// The run of a seeker, if it is all of the text and has a sentence often enough for that.
    fn whole(&self, at: usize, end: usize) -> Option<Judged> {
        // A run whose beginning is no longer kept was long enough to be found before.
        let run =
            self.seekers[at].run().filter(|run| run.from == run.period && run.to == end && end <= KEPT)?;
        let judged = self.look(run);
        let is_enough = judged.is_sentence && times(run.bytes(), judged.period) >= ALONE;
        is_enough.then_some(Judged { bytes: run.bytes(), ..judged })
    }

    /// The last repetition that was found in the text.
    #[must_use]
    pub fn found(&self) -> Option<Repeated> {
        self.found.map(|(_, judged)| judged.repeated(self.skipped))
    }

    fn is_open(&self) -> bool {
        self.found.is_some_and(|(_, judged)| judged.is_open)
    }

    fn read(&mut self, end: usize, is_all: bool) {
        self.fenced.read(&self.text, end, is_all);
        for (at, stride) in STRIDES.into_iter().enumerate() {
            if is_all || end.is_multiple_of(stride) {
                self.seekers[at].read(&self.text, end);
                self.judge(at);
            }
        }
    }

    /// Looks at what one seeker has.
    fn judge(&mut self, at: usize) {
        let run = self.seekers[at].run();
        if let Some((by, found)) = &mut self.found
            && *by == at
            && found.is_open
        {
            match run.filter(|run| (run.from, run.period) == found.of) {
                Some(run) => found.bytes = run.bytes(),
                None => found.is_open = false,
            }
            return;
        }
        let Some(run) = run.filter(|run| run.bytes() >= LOOKED_AT) else { return };
        let known = self.judged[at].filter(|it| it.of == (run.from, run.period));
        let judged = known.unwrap_or_else(|| self.look(run));
        let judged = Judged { bytes: run.bytes(), ..judged };
        self.judged[at] = Some(judged);
        if judged.bytes >= judged.needed && !self.is_open() {
            self.found = Some((at, judged));
        }
    }

    /// What a run needs, by what it repeats.
    fn look(&self, run: Run) -> Judged {
        let is_start = |place: &usize| !is_continuation(self.text.span(*place, place + 1)[0]);
        // The newest copy, from the beginning of a character.
        let end = (run.to - run.period..run.to).rev().find(is_start).unwrap_or(run.to);
        let whole = self.text.span(end - run.period, end);
        let period = shortest(whole);
        let unit = std::str::from_utf8(&whole[..period]).unwrap_or_default();
        let chars = unit.chars().count().max(1);
        let patience = patience(unit, self.fenced.since(run.from - run.period));
        let patience = self.asked.patience(unit, patience);
        let is_sentence = patience.is_of_prose();
        let needed = (patience.times * period).max((patience.chars * period).div_ceil(chars));
        let needed = needed.saturating_sub(between(period));
        let copy = run.from - run.period + period;
        let from = copy.max(self.text.oldest());
        let first = (from..run.to).find(is_start).unwrap_or(run.to);
        let of = (run.from, run.period);
        Judged { of, period, chars, is_sentence, first, needed, bytes: 0, is_open: true }
    }
}

/// How often a text comes in so many bytes. The last copy may lack the white space between copies.
fn times(bytes: usize, period: usize) -> usize {
    (bytes + between(period)) / period
}

/// Bytes of white space between two copies that the last one may lack.
fn between(period: usize) -> usize {
    const MOST: usize = 2;
    if period > MOST { MOST } else { 0 }
}

/// A byte that continues a character of UTF-8.
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
