//! How long texts can become. A short file must not need a lot of memory: a long value of a pool can be named often,
//! and a long phrase can be said often.

use crate::scenario::Pool;
use crate::scenario::template::{Piece, Template};

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
    pub(super) texts: usize,
    /// What the user says.
    pub(super) heard: usize,
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
