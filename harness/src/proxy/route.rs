//! Which requests of a client are for an answer of a model, and where each goes.

use axum::http::{HeaderMap, Uri};
use balk_guards::wire::{Dialect, Framing};

use crate::listen::{by_header, by_key, named};

/// Where a request goes, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// The path and the query below the upstream, as the client wrote them, without the name of the conversation.
    pub(super) rest: String,
    pub(super) asks: Asks,
    /// The name of the conversation, where the request has one.
    pub(super) conversation: Option<String>,
}

/// What a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// An answer of a model. The framing is of a stream; `None` leaves it to the body.
    Answer { dialect: Dialect, streams: Option<Framing> },
    /// Something that is no business of guards: models, token counts, files.
    Other,
    /// Something about the proxy itself, at this path below `/_balk`.
    Balk(String),
}

impl Route {
    pub(super) fn of(uri: &Uri, headers: &HeaderMap) -> Self {
        let (name, path) = named(uri.path());
        let query = uri.query();
        let conversation =
            name.or_else(|| by_header(headers)).or_else(|| by_key(headers, query.unwrap_or_default()));
        let asks = match path.strip_prefix("/_balk") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                Asks::Balk(rest.trim_matches('/').to_owned())
            }
            Some(_) | None => asks(path, query.unwrap_or_default()),
        };
        let rest = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        Self { rest, asks, conversation }
    }
}

/// By the end of the path: what comes before it differs between servers (`/api/v1`, `/openai/deployments/NAME`).
fn asks(path: &str, query: &str) -> Asks {
    let path = path.trim_end_matches('/');
    let answer = |dialect, streams| Asks::Answer { dialect, streams };
    let framing = if query.split('&').any(|it| it == "alt=sse") { Framing::Events } else { Framing::Array };
    match path {
        _ if path.ends_with("/chat/completions") => answer(Dialect::OpenAi, None),
        _ if path.ends_with("/responses") => answer(Dialect::Responses, None),
        _ if path.ends_with("/messages") => answer(Dialect::Anthropic, None),
        _ if path.ends_with(":generateContent") => answer(Dialect::Gemini, None),
        _ if path.ends_with(":streamGenerateContent") => answer(Dialect::Gemini, Some(framing)),
        _ => Asks::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(uri: &str) -> Route {
        Route::of(&uri.parse().expect("a path"), &HeaderMap::new())
    }

    #[test]
    fn the_end_of_a_path_says_what_is_asked() {
        let of = |uri: &str| match route(uri).asks {
            Asks::Answer { dialect, streams } => Some((dialect, streams)),
            Asks::Other | Asks::Balk(_) => None,
        };
        assert_eq!(of("/v1/chat/completions"), Some((Dialect::OpenAi, None)));
        assert_eq!(of("/openai/deployments/x/chat/completions?api-version=1"), Some((Dialect::OpenAi, None)));
        assert_eq!(of("/v1/responses"), Some((Dialect::Responses, None)));
        assert_eq!(of("/v1/messages?beta=true"), Some((Dialect::Anthropic, None)));
        assert_eq!(of("/v1/messages/count_tokens"), None);
        let stream = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
        assert_eq!(of(stream), Some((Dialect::Gemini, Some(Framing::Array))));
        assert_eq!(of(&format!("{stream}?alt=sse")), Some((Dialect::Gemini, Some(Framing::Events))));
        assert_eq!(of("/v1/models"), None);
    }

    #[test]
    fn a_request_goes_on_as_it_came_without_the_name() {
        let Route { rest, conversation, .. } = route("/c/my%2Fname/v1//messages?beta=true&x=%20");
        assert_eq!((&*rest, conversation.as_deref()), ("/v1//messages?beta=true&x=%20", Some("my/name")));
        assert_eq!(route("/v1/models").rest, "/v1/models");
        assert_eq!(route("/c/x/_balk/metrics").asks, Asks::Balk("metrics".into()));
        assert_eq!(route("/_balkan").asks, Asks::Other);
    }
}
