//! What a page says that its record does not.

use crate::report::document::figure::Role;

/// What a page says that a record does not.
#[derive(Clone, Copy)]
pub struct Beside<'b> {
    /// What a stack is in the comparison, by its name.
    pub role: &'b dyn Fn(&str) -> Role,
    /// The page that shows a trial, if there is one: of this scenario, under this stack, with this seed.
    pub trial: &'b dyn Fn(usize, usize, u64) -> Option<String>,
}
