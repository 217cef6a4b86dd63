//! How long texts can become. A short file must not need a lot of memory: a long value of a pool can be named often,
//! and a long phrase can be said often.

use std::collections::BTreeMap;

use crate::scenario::Pool;
use crate::scenario::template::{Piece, TEXT_BYTES_MAX, Template};

/// The longest values of placeholders, in bytes.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    /// By pool and field.
    fields: Vec<Vec<Bytes>>,
    /// The most visits of a state.
    turns: usize,
}

/// The longest arguments of calls, by their canonical names.
pub(super) type Arguments = BTreeMap<&'static str, usize>;

/// How long a text is.
#[derive(Clone, Copy, Debug, Default)]
struct Bytes {
    /// As it is written.
    written: usize,
    /// At most, in what is sent to a tool: JSON, in which a command of a shell may have it in quotes.
    sent: usize,
}

impl Bytes {
    fn of(text: &str) -> Self {
        let sent = text.bytes().map(|byte| match byte {
            b'\'' => 5,
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
            0..0x20 => 6,
            _ => 1,
        });
        Self { written: text.len(), sent: sent.sum() }
    }

    fn times(self, times: usize) -> Self {
        Self { written: self.written.saturating_mul(times), sent: self.sent.saturating_mul(times) }
    }

    /// A text of so many bytes that needs no escapes, but for the ends of its lines.
    fn plain(bytes: usize) -> Self {
        Self { written: bytes, sent: bytes.saturating_mul(2) }
    }
}

/// How long the texts of a file become at most, as far as they were read.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    pub(super) texts: usize,
    /// What the user says.
    pub(super) heard: usize,
}

impl Lengths {
    pub(super) fn new(pools: &[Pool], turns: u32) -> Self {
        let fields = |pool: &Pool| {
            let mut longest = vec![Bytes::default(); pool.fields.len()];
            for item in &pool.items {
                for (longest, value) in longest.iter_mut().zip(&item.values) {
                    let value = Bytes::of(value);
                    longest.written = value.written.max(longest.written);
                    longest.sent = value.sent.max(longest.sent);
                }
            }
            longest
        };
        Self { fields: pools.iter().map(fields).collect(), turns: turns as usize }
    }

    /// The most bytes of a text. What a call says is not known here; [`World`](crate::World) cuts it at the bound.
    pub(super) fn of(&self, template: &Template) -> usize {
        template.pieces.iter().fold(0, |sum, it| sum.saturating_add(self.of_piece(it).written))
    }

    /// The most bytes of a text that may name the arguments of a call.
    pub(super) fn with(&self, template: &Template, arguments: &Arguments) -> usize {
        let of = |piece: &Piece| {
            if let Piece::Argument(name) = piece {
                arguments.get(name.as_str()).copied().unwrap_or(0)
            } else {
                self.of_piece(piece).written
            }
        };
        let most = template.pieces.iter().fold(0_usize, |sum, it| sum.saturating_add(of(it)));
        most.min(TEXT_BYTES_MAX)
    }

    /// The most bytes that a text becomes in what is sent to a tool.
    pub(super) fn sent(&self, template: &Template) -> usize {
        template.pieces.iter().fold(0, |sum, it| sum.saturating_add(self.of_piece(it).sent))
    }

    fn of_piece(&self, piece: &Piece) -> Bytes {
        match piece {
            Piece::Text(text) => Bytes::of(text),
            Piece::Field(pool, field) => self.fields[*pool][*field],
            Piece::EachVisit(pool, field) => self.fields[*pool][*field].times(self.turns),
            Piece::Code | Piece::Draft => Bytes::plain(crate::code::BYTES_MAX),
            Piece::Tool(_) | Piece::ToolArgument(..) => Bytes::plain(NAME_BYTES),
            Piece::Argument(_)
            | Piece::Number(_)
            | Piece::Clock
            | Piece::Hex
            | Piece::Visit
            | Piece::OwnStep
            | Piece::Step(_)
            | Piece::Applied
            | Piece::Seconds(_) => Bytes::plain(NUMBER_BYTES),
        }
    }
}

/// A number of 32 bits has at most as many digits.
const NUMBER_BYTES: usize = 10;
/// A legal name of a tool has at most as many bytes.
const NAME_BYTES: usize = 64;
