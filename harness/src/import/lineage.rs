//! Which lines of a log count, if each names the line before it: a user who goes back begins again after an earlier
//! one.
//!
//! The chain is what the last request or answer came after, and what that came after. Other lines count, too, if they
//! come after one that counts: results of calls that were made at once, or what a program adds. A request beside the
//! chain does not, with all that came after it, where the chain has a request in its place.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a line is in the chain.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A request of the user, which they may take back.
    Request,
    /// What the model answered.
    Answer,
    /// What a tool answered.
    Result,
    /// Anything else.
    Aside,
}

/// What a line says of the one before it.
pub(super) enum After<'a> {
    /// Its name.
    Line(Cow<'a, str>),
    /// There is none, if lines of this log have one.
    Start,
    /// Nothing: it is the one before it in the file.
    Unknown,
}

struct Line {
    kind: Kind,
    /// The index of the line before it, unless it is the first of a chain.
    before: Option<usize>,
}

/// The lines of a log so far.
#[derive(Default)]
pub(super) struct Lineage<'a> {
    lines: Vec<Line>,
    /// The index of each, by its name; of a name that no line has, that of the line before the first after it.
    names: BTreeMap<Cow<'a, str>, Option<usize>>,
    /// Whether a line named one that is there.
    is_chained: bool,
    /// Whether two lines had one name, or one was named before it came: then names say nothing.
    is_ambiguous: bool,
}

impl<'a> Lineage<'a> {
    /// Takes the next line of the file.
    pub(super) fn push(&mut self, name: Option<Cow<'a, str>>, after: After<'a>, kind: Kind) {
        let at = self.lines.len();
        let previous = at.checked_sub(1);
        let before = match after {
            After::Line(parent) => match self.names.get(&parent) {
                Some(&before) => {
                    self.is_chained = true;
                    before
                }
                None => *self.names.entry(parent).or_insert(previous),
            },
            After::Start if self.is_chained => None,
            After::Start | After::Unknown => previous,
        };
        if let Some(name) = name {
            self.is_ambiguous |= self.names.insert(name, Some(at)).is_some();
        }
        self.lines.push(Line { kind, before });
    }

    /// Whether each line counts, in order.
    pub(super) fn counting(&self) -> Vec<bool> {
        let Self { lines, is_ambiguous, .. } = self;
        if *is_ambiguous {
            return vec![true; lines.len()];
        }
        // Whether a line is in the chain, and whether the chain goes on after it with a request.
        let mut chain = vec![(false, false); lines.len()];
        let is_last = |line: &Line| matches!(line.kind, Kind::Request | Kind::Answer);
        let (mut next, mut asks) = (lines.iter().rposition(is_last), false);
        while let Some(at) = next {
            chain[at] = (true, asks);
            asks = match lines[at].kind {
                Kind::Aside => asks,
                Kind::Request => true,
                Kind::Answer | Kind::Result => false,
            };
            next = lines[at].before;
        }
        let mut counts = Vec::with_capacity(lines.len());
        for (at, Line { kind, before }) in lines.iter().enumerate() {
            let (counted, asked) = before.map_or((true, asks), |before| (counts[before], chain[before].1));
            if chain[at].0 {
                counts.push(true);
            } else {
                chain[at].1 = asked;
                counts.push(counted && !(asked && *kind == Kind::Request));
            }
        }
        counts
    }
}
