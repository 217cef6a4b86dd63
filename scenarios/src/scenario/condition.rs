//! Conditions on the world, and on a call.

use super::numbers::Bound;
use super::template::Template;

/// A condition on the world, or on a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The fact holds.
    Fact(Template),
    /// The fact has held for at least so many seconds.
    FactFor(Template, Bound),
    /// The fact does not hold.
    NoFact(Template),
    /// The file is there.
    File(Template),
    /// The file is not there.
    NoFile(Template),
    /// The file is there and contains the text.
    FileContains(Template, Template),
    /// The todo list contains the text.
    Plan(Template),
    /// The record was created.
    Record(Template),
    /// The record was created exactly once.
    Once(Template),
    /// The call's argument, by its canonical name, contains the text. Rules only; for replies of the person, `said` is
    /// the message.
    ArgumentContains(String, Template),
}
