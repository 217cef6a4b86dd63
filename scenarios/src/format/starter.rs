//! The two scenarios that an author starts from.

use crate::scenario::Kind;

/// What stands for the scenario's name in the starters. The twin's name is made from it.
const NAME: &str = "NAME";

const STUBBORN: &str = include_str!("starter_stubborn.toml");
const CONTROL: &str = include_str!("starter_control.toml");

/// The text of a complete, commented scenario of this name; the stubborn one's twin is `NAME-control`, and
/// with `kind` [`Kind::Control`] it is that twin's text that comes back, under that name.
#[must_use]
pub fn template_of(name: &str, kind: Kind) -> String {
    let text = match kind {
        Kind::Stubborn => STUBBORN,
        Kind::Control => CONTROL,
    };
    text.replace(NAME, name)
}
