//! Text with placeholders: `{pool.field}`, `{number}`, `{argument:path}`, `{code}`, `{draft}`, `{clock}`, `{hex}`,
//! `{visit}`, `{step}`, `{step:number}`, `{visit:pool.field}`, `{nth}`, `{seconds:fact}`, `{tool:role}`,
//! `{tool:role.argument}`.

use std::sync::Arc;

use super::role::Role;

/// No text of a file becomes longer, whatever its placeholders stand for. What calls say in it may be as long again.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Text whose placeholders are resolved to the pools and numbers of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Plain text. `{{` and `}}` in the file are braces.
    Text(Arc<str>),
    /// A field of the drawn item of a pool: indices of pool and field.
    Field(usize, usize),
    /// A drawn number: its index.
    Number(usize),
    /// An argument of the call being answered, by its canonical name. Environment phrases only.
    Argument(String),
    /// About 20 lines of program text, different at each visit.
    Code,
    /// About 20 lines of program text, equal at every use in one world.
    Draft,
    /// A time of day, different at each use.
    Clock,
    /// Eight hexadecimal digits, different at each use.
    Hex,
    /// How often the state has been visited, from 1.
    Visit,
    /// The step that a state with steps does, from 1.
    OwnStep,
    /// The visits counted up to a number, then from 1 again: the index of the number, which is at least 1.
    Step(usize),
    /// A field of the drawn item of a pool, repeated once for each visit: indices of pool and field.
    EachVisit(usize, usize),
    /// How often the rule applied, this time included. Environment phrases only.
    Applied,
    /// How many seconds a fact has held; its name. Environment phrases only.
    Seconds(String),
    /// The drawn agent's name for the tool of a role.
    Tool(Role),
    /// The drawn agent's name for an argument of a role, by its place.
    ToolArgument(Role, usize),
}

/// How a text differs from use to use in one world, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Varies {
    Never,
    ByVisit,
    ByChance,
}

impl Template {
    /// How it differs from use to use in one world.
    pub(crate) fn varies(&self) -> Varies {
        self.pieces.iter().map(Piece::varies).max().unwrap_or(Varies::Never)
    }
}

impl Piece {
    /// How it differs from use to use in one world.
    pub(crate) fn varies(&self) -> Varies {
        match self {
            Self::Text(_)
            | Self::Field(..)
            | Self::Number(_)
            | Self::Draft
            | Self::Tool(_)
            | Self::ToolArgument(..) => Varies::Never,
            Self::Visit | Self::OwnStep | Self::Step(_) | Self::EachVisit(..) => Varies::ByVisit,
            Self::Argument(_) | Self::Code | Self::Clock | Self::Hex | Self::Applied | Self::Seconds(_) => {
                Varies::ByChance
            }
        }
    }
}
