//! Text with placeholders: `{pool.field}`, `{number}`, `{argument:path}`, `{code}`, `{draft}`, `{clock}`, `{hex}`, `{visit}`,
//! `{step:number}`, `{visit:pool.field}`.

use std::sync::Arc;

/// Text with placeholders, resolved against the names of one scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The pieces, in order.
    pub pieces: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands. `{{` and `}}` in the file are braces.
    Text(Arc<str>),
    /// A field of the drawn item of a pool: indices of pool and field.
    Field(usize, usize),
    /// A drawn number: its index.
    Number(usize),
    /// An argument of the call being answered, by its canonical name. Environment phrases only.
    Argument(String),
    /// Program text of some 20 lines, another one at every visit.
    Code,
    /// Program text of some 20 lines, the same at every use in one world.
    Draft,
    /// A clock time, another one at every use.
    Clock,
    /// Eight hexadecimal digits, others at every use.
    Hex,
    /// How often the state has been visited, from 1.
    Visit,
    /// The visits, counted up to a number and from 1 again: the index of the number, which is at least 1.
    Step(usize),
    /// A field of the drawn item of a pool, once for each visit of the state: indices of pool and field.
    EachVisit(usize, usize),
}
