//! How requests begin, by their bytes: an agent sends the same history again each time, with something new behind it.

use std::borrow::Cow;

use balk_guards::wire::Outline;
use memchr::memmem;
use xxhash_rust::xxh3::xxh3_128;

use crate::listen::path::Path;

/// The digest of how a request begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Beginning(u128);

impl Beginning {
    /// With this digest of an answer behind it.
    pub(super) fn and(self, answer: Path) -> Self {
        Self(xxh3_128([self.0.to_le_bytes(), answer.bytes()].as_flattened()))
    }
}

/// How much a request has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    /// Items of its history.
    pub(super) items: usize,
    pub(super) messages: usize,
}

/// How a request of the conversation with this root begins: with its first element, its first two, and so on up to all.
pub(super) fn beginnings(root: Path, outline: &Outline<'_>) -> Vec<Beginning> {
    let mut so_far = xxh3_128(&root.bytes());
    let then = |element| {
        let digests = [so_far, xxh3_128(without_marks(element).as_bytes())].map(u128::to_le_bytes);
        so_far = xxh3_128(digests.as_flattened());
        Beginning(so_far)
    };
    outline.elements().map(then).collect()
}

/// The name of the mark up to which a provider is to keep a request. Clients set it at the last messages, so it is at
/// other ones in the next request.
const MARK: &str = "\"cache_control\"";

/// JSON text without these marks. Within a string its quotes have backslashes, so a mark is the name of a member if a
/// colon follows, and has a flat object or no value.
fn without_marks(json: &str) -> Cow<'_, str> {
    let mut rest = json;
    let mut plain = String::new();
    while let Some(at) = memmem::find(rest.as_bytes(), MARK.as_bytes()) {
        let (before, after) = (&rest[..at], &rest[at + MARK.len()..]);
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        let behind = value.and_then(|it| match it.strip_prefix('{') {
            Some(members) => members.find(['{', '}']).and_then(|end| members[end..].strip_prefix('}')),
            None => it.strip_prefix("null"),
        });
        match (behind, before.trim_end().strip_suffix(',')) {
            (None, _) => {
                plain.push_str(&rest[..at + MARK.len()]);
                rest = after;
            }
            (Some(behind), Some(before)) => {
                plain.push_str(before);
                rest = behind;
            }
            (Some(behind), None) => {
                plain.push_str(before);
                let next = behind.trim_start();
                rest = next.strip_prefix(',').map_or(next, str::trim_start);
            }
        }
    }
    if plain.is_empty() {
        return rest.into();
    }
    (plain + rest).into()
}

#[cfg(test)]
mod tests {
    use balk_guards::wire::Dialect;

    use super::*;

    fn of(conversation: &str, elements: &str) -> Vec<Beginning> {
        let text = format!(r#"{{"messages":[{elements}]}}"#);
        beginnings(Path::of(conversation), &Dialect::OpenAi.outline(&text).expect("an object"))
    }

    #[test]
    fn what_begins_alike_has_the_same_beginnings() {
        let (one, two) = (of("c", r#"{"a":1},{"b":2}"#), of("c", r#" {"a":1} , {"b":2},3"#));
        assert_eq!((one.len(), &one[..]), (2, &two[..2]));
        assert_ne!(one[1], one[0]);
        assert_ne!(of("d", r#"{"a":1}"#)[0], one[0]);
        assert_ne!(
            of("c", r#"{"a":1}{"b":2}"#.replace("}{", "},{").trim_start_matches(r#"{"a":1},"#))[0],
            one[1]
        );
        assert!(of("c", "").is_empty());
    }

    #[test]
    fn marks_for_the_cache_are_no_difference() {
        let check = |marked: &str, plain: &str| assert_eq!(without_marks(marked), plain);
        check(r#"{"a":1,"cache_control":{"type":"ephemeral"}}"#, r#"{"a":1}"#);
        check(r#"{"a":1, "cache_control" : {"type": "ephemeral", "ttl": "5m"} }"#, r#"{"a":1 }"#);
        check(r#"{"cache_control":null, "a":1}"#, r#"{"a":1}"#);
        check(r#"[{"a":1,"cache_control":null},{"b":2,"cache_control":{}}]"#, r#"[{"a":1},{"b":2}]"#);
        for same in [
            r#"{"text":"\"cache_control\":{}"}"#,
            r#"["cache_control",{}]"#,
            r#"{"a":"cache_control","cache_control":{"a":{}}}"#,
            r#"{"cache_control":7}"#,
        ] {
            check(same, same);
        }
    }
}
