//! What a client shows its provider to be let in.
//!
//! A provider tells clients apart by their keys, and so does the proxy: whatever ids and messages a client sends, it
//! stays out of conversations that were begun with another key. No log and no count shows a key, even if the provider
//! quotes it.

use axum::http::HeaderMap;
use xxhash_rust::xxh3::Xxh3Default;

use crate::listen::path::Path;
use crate::live::endpoint::Key;

/// The headers that providers take keys from.
const HEADERS: [&str; 4] = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// How many keys a request may have for the guards to see it. To look for each of them takes time, and no client needs
/// more than one or two.
const MOST: usize = 8;

/// All keys of a request.
pub(super) struct Keys {
    /// With the names that they have.
    all: Vec<(&'static str, Vec<u8>)>,
    /// What no text shows.
    secrets: Vec<Key>,
}

impl Keys {
    pub(super) fn of(headers: &HeaderMap, query: &str) -> Self {
        let in_headers = HEADERS.into_iter().flat_map(|name| {
            headers.get_all(name).into_iter().map(move |value| (name, value.as_bytes().to_owned()))
        });
        let in_query = query.split('&').filter_map(|it| it.strip_prefix("key="));
        let all: Vec<(&str, Vec<u8>)> =
            in_headers.chain(in_query.map(|it| ("key", it.as_bytes().to_owned()))).collect();
        let secret = |value: &Vec<u8>| {
            let value = std::str::from_utf8(value).ok()?;
            // A scheme comes before the key.
            Key::new(value.rsplit(' ').next()?).ok()
        };
        let secrets = all.iter().filter_map(|(_, value)| secret(value)).collect();
        Self { all, secrets }
    }

    /// Whether a request has more of them than guards see.
    pub(super) fn are_too_many(&self) -> bool {
        self.all.len() > MOST
    }

    /// A text without any of them, and without the beginning of one where the text is cut off.
    pub(super) fn hide(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, key| key.hide_shortened(&text))
    }

    /// Where the requests of this conversation begin that have these keys.
    pub(super) fn root(&self, conversation: &str) -> Path {
        let mut digest = Xxh3Default::new();
        for (name, value) in &self.all {
            digest.update(name.as_bytes());
            digest.update(&value.len().to_le_bytes());
            digest.update(value);
        }
        Path::of(conversation).with(&digest.digest128().to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(headers: &[(&'static str, &str)], query: &str, conversation: &str) -> Path {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.append(*name, value.parse().expect("a value"));
        }
        Keys::of(&all, query).root(conversation)
    }

    #[test]
    fn every_key_counts_wherever_it_is() {
        let own =
            root(&[("x-api-key", "a"), ("authorization", "Bearer b"), ("accept", "x")], "alt=sse&key=c", "n");
        assert_eq!(root(&[("authorization", "Bearer b"), ("x-api-key", "a")], "key=c&alt=json", "n"), own);
        for other in [
            root(&[("x-api-key", "a"), ("authorization", "Bearer c")], "key=c", "n"),
            root(&[("x-api-key", "b"), ("authorization", "Bearer b")], "key=c", "n"),
            root(&[("x-api-key", "a"), ("authorization", "Bearer b")], "key=d", "n"),
            root(&[("x-api-key", "a"), ("authorization", "Bearer b")], "key=c", "m"),
            root(&[("x-api-key", "a"), ("x-api-key", "a"), ("authorization", "Bearer b")], "key=c", "n"),
            root(&[], "", "n"),
        ] {
            assert_ne!(other, own);
        }
    }

    #[test]
    fn so_many_keys_are_seen() {
        for (count, expected) in [(0, false), (MOST, false), (MOST + 1, true)] {
            let query = vec!["key=it"; count].join("&");
            assert_eq!(Keys::of(&HeaderMap::new(), &query).are_too_many(), expected, "{count}");
        }
    }
}
