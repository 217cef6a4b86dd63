//! The address of a server.

use std::fmt;

use balk_guards::wire::Dialect;
use ureq::http::Uri;

use crate::error::Error;

/// A base address with the version, without a slash at the end: `http://127.0.0.1:8091/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    base: String,
    /// Where completions are asked for, below the base.
    completions: &'static str,
}

impl Address {
    /// Reads what a user gave.
    pub(super) fn of(url: &str, dialect: Dialect) -> Result<Self, Error> {
        let completions = match dialect {
            Dialect::OpenAi => "chat/completions",
            Dialect::Responses => "responses",
            Dialect::Anthropic => "messages",
            Dialect::Gemini => return Err(wrong("one of Gemini's own API, which has the model in its path")),
        };
        let uri: Uri = url.parse().map_err(|_| {
            wrong("a text without `http://` or `https://`, or another one that is no address")
        })?;
        // A key may be part of these, so they are neither sent nor shown.
        if uri.authority().is_some_and(|it| it.as_str().contains('@')) {
            return Err(wrong("a user name in it; the key comes from an environment variable"));
        }
        if uri.query().is_some() || url.contains('#') {
            return Err(wrong("a `?` or a `#` in it"));
        }
        let scheme = uri.scheme_str().filter(|it| matches!(*it, "http" | "https"));
        let (Some(scheme), Some(host)) = (scheme, uri.authority()) else {
            return Err(wrong(&format!("`{url}`, which begins with neither `http://` nor `https://`")));
        };
        let path = uri.path().trim_end_matches('/');
        let whole = path.strip_suffix(completions).and_then(|it| it.strip_suffix('/'));
        let has_version = whole.is_some()
            || match dialect {
                Dialect::OpenAi | Dialect::Responses => !path.is_empty(),
                Dialect::Anthropic | Dialect::Gemini => path.ends_with("/v1"),
            };
        let (path, version) = (whole.unwrap_or(path), if has_version { "" } else { "/v1" });
        Ok(Self { base: format!("{scheme}://{host}{path}{version}"), completions })
    }

    /// The address of this path below the base.
    pub(super) fn to(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }

    /// Where completions are asked for.
    pub(super) fn to_completions(&self) -> String {
        self.to(self.completions)
    }
}

fn wrong(found: &str) -> Error {
    Error::usage("--endpoint", "an address like `http://127.0.0.1:8080/v1`", found)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}
