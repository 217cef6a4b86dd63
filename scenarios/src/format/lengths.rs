//! How long texts can become. A short file must not need a lot of memory: a long value of a pool can be named often,
//! and a long phrase can be said often.

use std::ops::Range;

use super::names::Names;
use super::report::Report;
use super::wire::Text;
use crate::scenario::Pool;
use crate::scenario::template::{Piece, TEXT_BYTES_MAX, Template};

/// All texts of a file together, each once.
const FILE_BYTES_MAX: usize = 16 << 20;

/// The longest values of placeholders, in bytes.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// By pool and field.
    fields: Vec<Vec<usize>>,
    /// The most visits of a state.
    turns: usize,
}

/// How long the texts of a file become at most, as far as they were read.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    texts: usize,
    /// What the user says.
    heard: usize,
}

impl Lengths {
    pub(super) fn new(pools: &[Pool], turns: u32) -> Self {
        let fields = |pool: &Pool| {
            let mut longest = vec![0; pool.fields.len()];
            for item in &pool.items {
                for (longest, value) in longest.iter_mut().zip(&item.values) {
                    *longest = value.len().max(*longest);
                }
            }
            longest
        };
        Self { fields: pools.iter().map(fields).collect(), turns: turns as usize }
    }

    /// The most bytes of a text. What a call says is not known here; [`World`](crate::World) stops at the bound.
    pub(super) fn of(&self, template: &Template) -> usize {
        template.pieces.iter().fold(0, |sum, piece| sum.saturating_add(self.of_piece(piece)))
    }

    fn of_piece(&self, piece: &Piece) -> usize {
        match piece {
            Piece::Text(text) => text.len(),
            Piece::Field(pool, field) => self.fields[*pool][*field],
            Piece::EachVisit(pool, field) => self.fields[*pool][*field].saturating_mul(self.turns),
            Piece::Code | Piece::Draft => crate::code::BYTES_MAX,
            Piece::Tool(_) | Piece::ToolArgument(..) => NAME_BYTES,
            Piece::Argument(_)
            | Piece::Number(_)
            | Piece::Clock
            | Piece::Hex
            | Piece::Visit
            | Piece::OwnStep
            | Piece::Step(_)
            | Piece::Applied
            | Piece::Seconds(_) => NUMBER_BYTES,
        }
    }
}

/// A number of 32 bits has at most as many digits.
const NUMBER_BYTES: usize = 10;
/// A legal name of a tool has at most as many bytes.
const NAME_BYTES: usize = 64;

/// Reports a text that can become too long, or one with which all of the file do.
pub(super) fn check(text: &Text, template: &Template, names: &Names, report: &mut Report<'_>) {
    let most = names.lengths.of(template);
    if most > TEXT_BYTES_MAX {
        report
            .error(
                text.span(),
                format!("this text may become {most} bytes long"),
                format!("expected at most {TEXT_BYTES_MAX} (1 MiB)"),
            )
            .help(
                "name fewer values in it, or shorten the longest of them; `{visit:…}` has one for each of `turns` in \
                 `[limits]`",
            );
    }
    // A text that is too long is reported already.
    add(most.min(TEXT_BYTES_MAX), text.span(), report);
}

/// Counts the copies of a phrase that is the same in all of several languages; whether there is room for them.
pub(super) fn has_room(all: &[Template], languages: usize, at: &Text, report: &mut Report<'_>) -> bool {
    let pieces: usize = all.iter().map(|it| 1 + it.pieces.len()).sum();
    let bytes = pieces.saturating_mul(size_of::<Piece>());
    add(bytes.saturating_mul(languages.saturating_sub(1)), at.span(), report);
    report.sums.texts <= FILE_BYTES_MAX
}

fn add(bytes: usize, at: Range<usize>, report: &mut Report<'_>) {
    let before = report.sums.texts;
    report.sums.texts = before.saturating_add(bytes);
    if before <= FILE_BYTES_MAX && report.sums.texts > FILE_BYTES_MAX {
        report
            .error(
                at,
                "the texts of this file may become too long",
                format!(
                    "expected at most {FILE_BYTES_MAX} bytes (16 MiB) in all, and there are more from here on"
                ),
            )
            .help("name fewer values in the texts, shorten the values, or write fewer texts or languages");
    }
}

/// Counts what the user says, each time that they do.
pub(super) fn hear(phrase: usize, wanted: &Text, names: &Names, report: &mut Report<'_>) {
    let longest = names.phrases[phrase].longest;
    if longest > TEXT_BYTES_MAX {
        // It is reported where it is written.
        return;
    }
    let before = report.sums.heard;
    report.sums.heard = before.saturating_add(longest);
    if before <= TEXT_BYTES_MAX && report.sums.heard > TEXT_BYTES_MAX {
        report
            .error(
                wanted.span(),
                "the user may say too much",
                format!(
                    "expected at most {TEXT_BYTES_MAX} bytes (1 MiB) in all, and there are more from here on"
                ),
            )
            .help(
                "shorten what is said, or let the user say less: `[user]` and notifications count together",
            );
    }
}
