//! A key that no text shows.

use std::fmt;
use std::sync::Arc;

use crate::error::Error;

/// The key of a provider. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Arc<str>);

/// What replaces a key in a text that the server sent.
const HIDDEN: &str = "[key]";

/// The length from which a key is a secret. Local servers take any word (`none`, `ollama`), and replacing such a word
/// would change what a model says.
const SECRET_BYTES: usize = 8;

impl Key {
    /// A key, without the white space around it.
    ///
    /// # Errors
    /// The text is empty, or has characters that no header can carry. The error does not show them.
    pub fn new(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let expected = "a key of visible ASCII characters";
        if text.is_empty() {
            return Err(Error::usage("key", expected, "nothing"));
        }
        if !text.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(Error::usage("key", expected, "other characters"));
        }
        Ok(Self(text.into()))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// A text that a server sent, without the key, also as JSON may write it.
    pub(super) fn hide(&self, text: &str) -> String {
        if self.0.len() < SECRET_BYTES {
            return text.to_owned();
        }
        text.replace(&*self.0, HIDDEN).replace(&self.0.replace('/', "\\/"), HIDDEN)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}
