//! What a request asks for, by its method, path and headers.

use axum::http::{HeaderMap, Method, Uri};
use balk_guards::wire::{Dialect, Framing};
use percent_encoding::percent_decode_str;
use xxhash_rust::xxh3::xxh3_64;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asks {
    /// An answer of the model. The framing is of a stream; `None` leaves it to the body.
    Answer { dialect: Dialect, streams: Option<Framing>, model: Option<String> },
    /// The number of tokens of a request.
    Count(Dialect),
    /// Which models there are.
    Models(Dialect),
    /// What the model of this name is.
    Model(Dialect, String),
    /// Something about the server itself: what is at this path below `/_balk`.
    Balk(String),
    /// Whether somebody is there.
    Ping,
}

/// A request of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) asks: Asks,
    /// The name of the conversation, where the request has one.
    pub(crate) conversation: Option<String>,
}

/// Why there is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoute {
    /// Nothing is at this path.
    Path,
    /// Something is, for another method.
    Method,
}

impl Route {
    /// Finds what is asked for. The error comes with the dialect that the path and the headers suggest.
    pub(crate) fn of(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Self, (NoRoute, Dialect)> {
        let (named, path) = named(uri.path());
        let path: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
        let query = uri.query().unwrap_or_default();
        let suggested = suggested(&path, headers);
        let (wanted, asks) = asks(&path, query, suggested).ok_or((NoRoute::Path, suggested))?;
        if !wanted.contains(method) {
            return Err((NoRoute::Method, suggested));
        }
        let conversation = named.or_else(|| by_header(headers)).or_else(|| by_key(headers, query));
        Ok(Self { asks, conversation })
    }
}

fn asks(path: &[&str], query: &str, suggested: Dialect) -> Option<(&'static [Method], Asks)> {
    const GET: &[Method] = &[Method::GET, Method::HEAD];
    const POST: &[Method] = &[Method::POST];
    const ANY: &[Method] = &[Method::GET, Method::HEAD, Method::POST];
    let answer = |dialect| (POST, Asks::Answer { dialect, streams: None, model: None });
    // Clients differ in whether the base URL ends with the version.
    let rest = match path {
        [version, rest @ ..] if is_version(version) => rest,
        _ => path,
    };
    Some(match rest {
        [] => (GET, Asks::Ping),
        ["chat", "completions"] => answer(Dialect::OpenAi),
        ["responses"] => answer(Dialect::Responses),
        ["messages"] => answer(Dialect::Anthropic),
        ["messages", "count_tokens"] => (POST, Asks::Count(Dialect::Anthropic)),
        ["responses", "input_tokens"] => (POST, Asks::Count(Dialect::Responses)),
        ["models"] => (GET, Asks::Models(suggested)),
        // What is asked of a model is behind a colon.
        ["models", name] if !name.contains([':', '%']) => (GET, Asks::Model(suggested, (*name).to_owned())),
        ["models", asked] => return gemini(asked, query).map(|it| (POST, it)),
        ["_balk", rest @ ..] => (ANY, Asks::Balk(rest.join("/"))),
        _ => return None,
    })
}

/// `MODEL:generateContent` and its like.
fn gemini(asked: &str, query: &str) -> Option<Asks> {
    let (model, what) = asked.rsplit_once(':').or_else(|| asked.rsplit_once("%3A"))?;
    let framing = if has(query, "alt", "sse") { Framing::Events } else { Framing::Array };
    let streams = match what {
        "generateContent" => None,
        "streamGenerateContent" => Some(framing),
        "countTokens" => return Some(Asks::Count(Dialect::Gemini)),
        _ => return None,
    };
    Some(Asks::Answer { dialect: Dialect::Gemini, streams, model: Some(model.to_owned()) })
}

fn is_version(segment: &str) -> bool {
    ["v1", "v1beta", "v1alpha", "beta"].contains(&segment)
}

/// The dialect of a request about which only its path and its headers say something.
fn suggested(path: &[&str], headers: &HeaderMap) -> Dialect {
    if headers.contains_key("anthropic-version") || path.contains(&"messages") {
        Dialect::Anthropic
    } else if headers.contains_key("x-goog-api-key") || path.iter().any(|it| it.starts_with("v1beta")) {
        Dialect::Gemini
    } else if path.contains(&"responses") {
        Dialect::Responses
    } else {
        Dialect::OpenAi
    }
}

/// The name of a conversation that is in a path as `/c/NAME`, and the rest of the path.
pub(crate) fn named(path: &str) -> (Option<String>, &str) {
    let after = path.trim_start_matches('/').strip_prefix("c/").filter(|it| !it.starts_with('/'));
    let Some(after) = after.filter(|it| !it.is_empty()) else { return (None, path) };
    let (id, rest) = after.split_at(after.find('/').unwrap_or(after.len()));
    (Some(percent_decode_str(id).decode_utf8_lossy().into_owned()), rest)
}

fn has(query: &str, name: &str, value: &str) -> bool {
    query.split('&').any(|it| it.split_once('=') == Some((name, value)))
}

/// The name of a conversation that is in a header.
pub(crate) fn by_header(headers: &HeaderMap) -> Option<String> {
    let name = headers.get("x-balk-conversation")?.to_str().ok()?;
    Some(name.to_owned())
}

/// The scheme of a key, in any case.
const BEARER: &[u8] = b"Bearer ";

/// A key names a conversation. It is kept as a digest: keys are secrets.
pub(crate) fn by_key(headers: &HeaderMap, query: &str) -> Option<String> {
    let header = |name: &str| headers.get(name).map(|it| it.as_bytes());
    let bearer = header("authorization").and_then(|it| {
        let (scheme, key) = it.split_at_checked(BEARER.len())?;
        scheme.eq_ignore_ascii_case(BEARER).then_some(key)
    });
    let named = ["x-api-key", "x-goog-api-key", "api-key"].into_iter().find_map(header);
    let in_query = query.split('&').find_map(|it| it.strip_prefix("key=")).map(str::as_bytes);
    let key = bearer.or(named).or(in_query)?;
    Some(format!("key-{:08x}", xxh3_64(key) >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(
        method: &Method,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Route, (NoRoute, Dialect)> {
        let mut all = HeaderMap::new();
        for (name, value) in headers {
            all.insert(*name, value.parse().expect("a header"));
        }
        Route::of(method, &path.parse().expect("a path"), &all)
    }

    #[test]
    fn every_client_finds_its_answer() {
        let answer = |dialect, streams, model: Option<&str>| Asks::Answer {
            dialect,
            streams,
            model: model.map(str::to_owned),
        };
        let gemini = |streams| answer(Dialect::Gemini, streams, Some("gemini-2.5-flash"));
        for (path, asks) in [
            ("/v1/chat/completions", answer(Dialect::OpenAi, None, None)),
            ("/chat/completions", answer(Dialect::OpenAi, None, None)),
            ("/v1/responses", answer(Dialect::Responses, None, None)),
            ("/v1/messages?beta=true", answer(Dialect::Anthropic, None, None)),
            ("/v1/messages/count_tokens", Asks::Count(Dialect::Anthropic)),
            ("/v1beta/models/gemini-2.5-flash:generateContent", gemini(None)),
            ("/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", gemini(Some(Framing::Events))),
            ("/v1beta/models/gemini-2.5-flash:streamGenerateContent", gemini(Some(Framing::Array))),
        ] {
            for prefix in ["", "/c/abandonment:7"] {
                let found = route(&Method::POST, &format!("{prefix}{path}"), &[]).expect("a route");
                assert_eq!(found.asks, asks, "{prefix}{path}");
                assert_eq!(found.conversation.as_deref(), prefix.strip_prefix("/c/"));
            }
        }
    }

    #[test]
    fn a_model_is_asked_about_by_its_name() {
        let asks = |path: &str, headers: &[(&'static str, &str)]| {
            route(&Method::GET, path, headers).expect("a route").asks
        };
        let model = |dialect| Asks::Model(dialect, "m".to_owned());
        assert_eq!(asks("/v1/models/m", &[]), model(Dialect::OpenAi));
        assert_eq!(asks("/v1/models/m", &[("anthropic-version", "1")]), model(Dialect::Anthropic));
        assert_eq!(asks("/c/x/v1beta/models/m", &[]), model(Dialect::Gemini));
        assert_eq!(route(&Method::POST, "/v1/models/m", &[]), Err((NoRoute::Method, Dialect::OpenAi)));
    }

    #[test]
    fn a_conversation_has_the_name_that_is_nearest() {
        let name = |path: &str, headers: &[(&'static str, &str)]| {
            route(&Method::GET, path, headers).expect("a route").conversation
        };
        let (key, header) = (("authorization", "Bearer a secret"), ("x-balk-conversation", "mine"));
        assert_eq!(name("/c/one/v1/models", &[key, header]).as_deref(), Some("one"));
        assert_eq!(name("/c/drawn%2Fexplore:3/v1/models", &[]).as_deref(), Some("drawn/explore:3"));
        assert_eq!(name("/v1/models", &[key, header]).as_deref(), Some("mine"));
        let by_key = name("/v1/models", &[key]).expect("a name");
        assert!(by_key.starts_with("key-") && !by_key.contains("secret"), "{by_key}");
        assert_eq!(name("/v1/models", &[("authorization", "bearer a secret")]), Some(by_key.clone()));
        let azure = name("/v1/models", &[("api-key", "other")]);
        assert_eq!(azure, name("/v1/models", &[("x-api-key", "other")]));
        assert_ne!(azure, Some(by_key));
        assert_eq!(name("/v1/models", &[]), None);
    }

    #[test]
    fn what_is_not_there_says_so_in_the_words_of_its_provider() {
        assert_eq!(route(&Method::POST, "/v1/files", &[]), Err((NoRoute::Path, Dialect::OpenAi)));
        assert_eq!(route(&Method::GET, "/v1/messages", &[]), Err((NoRoute::Method, Dialect::Anthropic)));
        assert_eq!(
            route(&Method::POST, "/v1beta/models/x:embedContent", &[]),
            Err((NoRoute::Path, Dialect::Gemini))
        );
    }
}
