//! Marks for what Anthropic's format alone cannot express: added when writing, removed when reading.
//!
//! Each pair obeys one law: reading undoes writing, for every text. A text that already looks marked is marked again,
//! so nothing that a model or a user says can be mistaken for a mark.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::completion::Part;

/// The prefix of an id that is written in hexadecimal digits.
const HEX: &str = "hex-";

/// True for an id that Anthropic accepts.
pub(super) fn is_legal_id(id: &str) -> bool {
    !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The id of a call in a form that Anthropic accepts. Other providers use dots and colons in theirs.
pub(super) fn id(id: &Arc<str>) -> Arc<str> {
    if is_legal_id(id) && unmark_id(id).is_none() {
        return id.clone();
    }
    let mut marked = String::from(HEX);
    for byte in id.bytes() {
        write!(marked, "{byte:02x}").expect("a string takes what is written to it");
    }
    marked.into()
}

/// The original id of a call.
pub(super) fn read_id(id: &str) -> Arc<str> {
    unmark_id(id).unwrap_or_else(|| id.into())
}

fn unmark_id(id: &str) -> Option<Arc<str>> {
    let digits = id.strip_prefix(HEX)?.as_bytes();
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    String::from_utf8(bytes?).ok().map(Into::into)
}

/// The prefix of the signature of thinking that the provider sent only in encrypted form.
const REDACTED: &str = "redacted_thinking:";

/// Encrypted thinking: no text, and the data as its signature.
pub(super) fn redacted(data: &str) -> Part {
    Part::Thinking { text: "".into(), signature: Some(format!("{REDACTED}{data}").into()) }
}

/// The data of encrypted thinking.
pub(super) fn unredact<'a>(text: &str, signature: &'a str) -> Option<&'a str> {
    signature.strip_prefix(REDACTED).filter(|_| text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_id(plain: &str, wire: &str) {
        let marked = id(&plain.into());
        assert_eq!(&*marked, wire);
        assert_eq!(&*read_id(&marked), plain);
    }

    #[test]
    fn an_id_with_other_characters_is_written_in_hexadecimal() {
        check_id("toolu_01A-b", "toolu_01A-b");
        check_id("hex-", "hex-6865782d");
        check_id("hex-zz", "hex-zz");
        check_id("f.a:0", "hex-662e613a30");
        check_id("é", "hex-c3a9");
    }
}
