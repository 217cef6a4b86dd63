//! The arguments of a call, as far as they are kept and compared.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::similarity::common_prefix;

/// Bytes of the arguments that are kept and compared.
const ARGUMENT_BYTES: usize = 4_096;

/// As much of the arguments as is compared.
pub(crate) fn beginning(arguments: &str) -> &str {
    &arguments[..arguments.floor_char_boundary(ARGUMENT_BYTES)]
}

/// Saves as much of the arguments as is compared.
pub(crate) fn save_beginning<S: Serializer>(arguments: &str, serializer: S) -> Result<S::Ok, S::Error> {
    beginning(arguments).serialize(serializer)
}

/// The same where there may be none.
pub(crate) fn save_beginning_if_any<S: Serializer>(
    arguments: &Option<Arc<str>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    arguments.as_deref().map(beginning).serialize(serializer)
}

/// The inserted part, if `after` is `before` with an insertion at one place.
pub(crate) fn inserted<'t>(before: &[u8], after: &'t [u8]) -> Option<&'t [u8]> {
    if after.len() <= before.len() {
        return None;
    }
    let start = common_prefix(before, after);
    let rest = &before[start..];
    after[start..].ends_with(rest).then(|| &after[start..after.len() - rest.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_insertion_leaves_all_that_was_there_before() {
        let grown = |before: &str, after: &str| inserted(before.as_bytes(), after.as_bytes()).is_some();
        assert!(grown(r#"{"command":"cd x"}"#, r#"{"command":"cd x && cd x"}"#));
        assert!(grown(r#"{"command":"ls","t":3}"#, r#"{"command":"ls -a","t":3}"#));
        assert!(!grown(r#"{"command":"ls -a"}"#, r#"{"command":"ls"}"#));
        assert!(!grown(r#"{"command":"ls a"}"#, r#"{"command":"cat a b"}"#));
        assert!(!grown("ab", "ab"));
    }
}
