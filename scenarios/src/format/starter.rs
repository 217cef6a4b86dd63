//! The file from which an author starts.

/// The placeholder of the file's name in the starter.
const NAME: &str = "NAME";

const STARTER: &str = include_str!("starter.toml");

/// The text of a complete, commented scenario file with this name, which has both actors.
#[must_use]
pub fn template_of(name: &str) -> String {
    STARTER.replace(NAME, name)
}
