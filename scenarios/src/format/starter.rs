//! The two scenarios from which an author starts.

use crate::scenario::Kind;

/// The placeholder of the scenario's name in the starters. The twin's name is made from it.
const NAME: &str = "NAME";

const STUBBORN: &str = include_str!("starter_stubborn.toml");
const CONTROL: &str = include_str!("starter_control.toml");

/// The text of a complete, commented scenario. For [`Kind::Stubborn`] it has this name, and its twin is
/// `NAME-control`. For [`Kind::Control`] it is the text of that twin.
#[must_use]
pub fn template_of(name: &str, kind: Kind) -> String {
    let text = match kind {
        Kind::Stubborn => STUBBORN,
        Kind::Control => CONTROL,
    };
    text.replace(NAME, name)
}
