//! Who may come in: everyone, or those who know the token.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request, Response, StatusCode, Uri};
use percent_encoding::percent_decode;

use super::plain;

/// The token that every request must have, if any: in the path, because every client can be given a base URL, or in a
/// header. The key of a client is no place for it: a proxy sends the key on.
#[derive(Clone, Default)]
pub(crate) struct Door {
    token: Option<Arc<str>>,
    /// Whether what is let in is sent on to somebody else.
    sends_on: bool,
}

/// What comes before the token in a path.
const PATH: &str = "/t/";
/// The header with the token.
const HEADER: &str = "x-balk-token";

impl Door {
    pub(crate) fn new(token: Option<Arc<str>>) -> Self {
        Self { token, sends_on: false }
    }

    /// The door of a server that sends requests on, which must not have the token.
    pub(crate) fn sending_on(self) -> Self {
        Self { sends_on: true, ..self }
    }

    /// Whether what is let in is sent on to somebody else.
    pub(super) fn sends_on(&self) -> bool {
        self.sends_on
    }

    /// What comes before the path of a request that has the token there.
    pub(crate) fn path(&self) -> String {
        self.token.as_ref().map_or_else(String::new, |token| format!("{PATH}{token}"))
    }

    /// The request without the token, or the answer to one that does not have it, or has it where it would be sent on.
    pub(crate) fn admit(&self, request: Request<Body>) -> Result<Request<Body>, Box<Response<Body>>> {
        let Some(token) = &self.token else { return Ok(request) };
        let refused = |status, why: &str| {
            let mut refusal = plain::text(status, "application/json", why.to_owned());
            // Who has no token keeps no connection: one that asks on and reads no answer would have it for good.
            refusal.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            Err(refusal.into())
        };
        let (mut head, body) = request.into_parts();
        let in_header = head.headers.remove(HEADER).is_some_and(|it| is_same(it.as_bytes(), token));
        if head.uri.path().starts_with(PATH) {
            let Some(uri) = behind(&head.uri, token) else {
                return refused(StatusCode::UNAUTHORIZED, REFUSED);
            };
            head.uri = uri;
        } else if !in_header {
            return refused(StatusCode::UNAUTHORIZED, REFUSED);
        }
        if self.sends_on {
            let uri = head.uri.to_string();
            let mut texts = head.headers.values().map(HeaderValue::as_bytes).chain([uri.as_bytes()]);
            // It can be spelled in other ways in an address.
            let has_token = |text| {
                let plain: Vec<u8> = percent_decode(text).collect();
                plain.windows(token.len().max(1)).any(|it| is_same(it, token))
            };
            if texts.any(has_token) {
                return refused(StatusCode::BAD_REQUEST, TWICE);
            }
        }
        Ok(Request::from_parts(head, body))
    }
}

const REFUSED: &str = "{\"error\":{\"type\":\"authentication_error\",\"message\":\"expected the token that Balk was \
                       started with, or printed when it started: as /t/TOKEN before the path, or in the header \
                       x-balk-token\"}}";

const TWICE: &str = "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"expected the token of Balk in one \
                     place, found it in another part of the path, the query or a header as well, which would be sent \
                     on\"}}";

/// The rest of a path that begins with the token.
fn behind(uri: &Uri, token: &str) -> Option<Uri> {
    let behind = uri.path_and_query()?.as_str().strip_prefix(PATH)?;
    let (said, rest) = behind.split_at(behind.find(['/', '?']).unwrap_or(behind.len()));
    if !is_same(said.as_bytes(), token) {
        return None;
    }
    let rest = if rest.starts_with('/') { rest.to_owned() } else { format!("/{rest}") };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest.parse().ok()?);
    Uri::from_parts(parts).ok()
}

/// Whether they are the same. The time does not show where they differ.
fn is_same(said: &[u8], token: &str) -> bool {
    let differs = |(one, other): (&u8, u8)| one ^ other;
    said.len() == token.len() && said.iter().zip(token.bytes()).map(differs).fold(0, |all, it| all | it) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The path and the query with which a request is let in.
    fn admitted(door: &Door, path: &str, header: Option<&str>) -> Option<String> {
        let request = Request::builder().uri(path);
        let request = match header {
            Some(token) => request.header(HEADER, token),
            None => request,
        };
        let admitted = door.admit(request.body(Body::empty()).expect("a request"));
        let admitted = admitted.map_err(|it| {
            let ends = it.headers().get(CONNECTION).is_some_and(|it| it == "close");
            assert_eq!((it.status(), ends), (StatusCode::UNAUTHORIZED, true));
        });
        let admitted = admitted.ok()?;
        assert!(!admitted.headers().contains_key(HEADER), "nothing sends the token on");
        Some(admitted.uri().to_string())
    }

    #[test]
    fn a_request_comes_in_with_the_token_and_goes_on_without_it() {
        let door = Door::new(Some("secret".into()));
        let in_path = |path| admitted(&door, path, None);
        assert_eq!(in_path("/t/secret/v1/messages?beta=1").as_deref(), Some("/v1/messages?beta=1"));
        assert_eq!(in_path("/t/secret").as_deref(), Some("/"));
        assert_eq!(in_path("/t/secret?a=b").as_deref(), Some("/?a=b"));
        assert_eq!(admitted(&door, "/v1/models", Some("secret")).as_deref(), Some("/v1/models"));
        for path in ["/", "/t/", "/t/secre/v1", "/t/secrets/v1", "/t/SECRET/", "/secret", "/v1/t/secret/"] {
            assert_eq!(in_path(path), None, "{path}");
        }
        assert_eq!(admitted(&door, "/v1/models", Some("secre")), None);
        assert_eq!(admitted(&door, "/t/secre/v1/models", Some("secret")), None, "one of them is wrong");
    }

    #[test]
    fn a_token_that_would_be_sent_on_is_refused() {
        let doors = [Door::new(Some("secret".into())), Door::new(Some("secret".into())).sending_on()];
        let status_at = |door: &Door, path: &str, header: [&str; 2]| {
            let request = Request::builder().uri(path).header(header[0], header[1]);
            match door.admit(request.body(Body::empty()).expect("a request")) {
                Ok(_) => StatusCode::OK,
                Err(refusal) => refusal.status(),
            }
        };
        let [stays, sends_on] = &doors;
        let check = |path: &str, header: [&str; 2], status: StatusCode| {
            assert_eq!(status_at(sends_on, path, header), status, "{path} {header:?}");
            assert_eq!(status_at(stays, path, header), StatusCode::OK, "{path} {header:?}");
        };
        let other = ["accept", "text/plain"];
        check("/t/secret/v1", other, StatusCode::OK);
        for path in
            ["/t/secret/t/secret/v1", "/t/secret/v1/secret", "/t/secret/?key=secret", "/t/secret/s%65cret"]
        {
            check(path, other, StatusCode::BAD_REQUEST);
        }
        for header in [["referer", "http://a/t/secret/b"], ["authorization", "Bearer secret"]] {
            check("/t/secret/v1", header, StatusCode::BAD_REQUEST);
        }
    }

    #[test]
    fn without_a_token_everyone_comes_in() {
        assert_eq!(admitted(&Door::default(), "/t/secret/v1", None).as_deref(), Some("/t/secret/v1"));
    }
}
