//! The provider behind the proxy: one base address, to which every request goes and nowhere else.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Request, Response, StatusCode, Uri, uri};
use balk_guards::AttemptCause;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// The provider.
#[derive(Clone, Debug)]
pub(super) struct Upstream {
    client: Http,
    base: Base,
    timeout: Duration,
    /// Why there was no connection the last time.
    unreached: Arc<Mutex<Option<String>>>,
}

/// What sends requests. TLS is by rustls, with the certificates of the system.
pub(super) type Http = Client<HttpsConnector<HttpConnector>, Body>;

/// Where every request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    scheme: uri::Scheme,
    authority: uri::Authority,
    /// Without a slash at its end.
    path: String,
}

/// Why there is no whole answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) cause: AttemptCause,
    pub(super) message: String,
}

/// The time limit for a connection, name and encryption included.
const CONNECT: Duration = Duration::from_secs(15);

/// The most headers of an answer: far more than a provider and what is before it send.
const HEADERS: usize = 512;

/// The headers that are about one connection, and no business of the next one (RFC 9110, section 7.6.1).
const OF_ONE_CONNECTION: [HeaderName; 7] = [
    CONNECTION,
    TRANSFER_ENCODING,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("te"),
    HeaderName::from_static("trailer"),
    HeaderName::from_static("upgrade"),
];

impl Base {
    /// Reads an address like `https://api.anthropic.com` or `http://localhost:11434/v1`. The error says what was
    /// expected.
    ///
    /// # Errors
    /// It is not one of a server.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (scheme, authority, path) = server(text)?;
        if authority.as_str().contains('@') {
            return Err("it has a name or a password in it; keys are for the client to send".to_owned());
        }
        if path.as_ref().is_some_and(|it| it.query().is_some()) {
            return Err("it has a query".to_owned());
        }
        let path = path.map_or_else(String::new, |it| it.path().trim_end_matches('/').to_owned());
        Ok(Self { scheme, authority, path })
    }

    /// The address for this path and query. A version that both have is written once: clients differ in whether their
    /// base URL ends with it.
    fn to(&self, rest: &str) -> Result<Uri, axum::http::Error> {
        let version = self.path.rsplit('/').next().filter(|it| is_version(it));
        let rest = version
            .and_then(|it| rest.strip_prefix('/')?.strip_prefix(it))
            .filter(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
            .unwrap_or(rest);
        Uri::builder()
            .scheme(self.scheme.clone())
            .authority(self.authority.clone())
            .path_and_query(format!("{}{rest}", self.path))
            .build()
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}{}", self.scheme, self.authority, self.path)
    }
}

/// The parts of the address of a server. The error says what was expected.
pub(super) fn server(text: &str) -> Result<(uri::Scheme, uri::Authority, Option<uri::PathAndQuery>), String> {
    let parts = text.parse::<Uri>().map_err(|error| error.to_string())?.into_parts();
    let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
        return Err("it lacks http:// or https:// at its beginning".to_owned());
    };
    if scheme != uri::Scheme::HTTP && scheme != uri::Scheme::HTTPS {
        return Err(format!("{scheme}:// is neither http:// nor https://"));
    }
    Ok((scheme, authority, parts.path_and_query))
}

fn is_version(segment: &str) -> bool {
    let digits = |it: &str| it.starts_with(|c: char| c.is_ascii_digit());
    segment.strip_prefix('v').is_some_and(digits)
}

impl Upstream {
    /// A way to this provider. `timeout` is how long it may send nothing.
    pub(super) fn new(base: Base, timeout: Duration) -> std::io::Result<Self> {
        Ok(Self { client: client()?, base, timeout, unreached: Arc::default() })
    }

    /// Sends a request on with this body, and returns the answer once its head is there.
    pub(super) async fn send(&self, head: Parts, rest: &str, body: Body) -> Result<Response<Incoming>, Lost> {
        let uri = self.base.to(rest).map_err(|error| Lost::connect(error.to_string()))?;
        let mut request = Request::from_parts(head, body);
        *request.uri_mut() = uri;
        without_own(request.headers_mut());
        request.headers_mut().remove(HOST);
        request.headers_mut().remove(CONTENT_LENGTH);
        match tokio::time::timeout(self.timeout, self.client.request(request)).await {
            // Nobody asked for another protocol: that would be a header of one connection.
            Ok(Ok(response)) if response.status() == StatusCode::SWITCHING_PROTOCOLS => Err(Lost {
                cause: AttemptCause::Disconnected,
                message: format!("{} went over to another protocol, which it was not asked for", self.base),
            }),
            Ok(Ok(mut response)) => {
                *self.unreached() = None;
                without_own(response.headers_mut());
                Ok(response)
            }
            Ok(Err(error)) if error.is_connect() => {
                let message = format!("no connection to {}: {}", self.base, cause(&error));
                *self.unreached() = Some(message.clone());
                Err(Lost::connect(message))
            }
            Ok(Err(error)) => Err(Lost {
                cause: AttemptCause::Disconnected,
                message: format!("{} broke off: {}", self.base, cause(&error)),
            }),
            Err(_) => Err(self.too_slow()),
        }
    }

    /// The next piece of an answer; `None` at its end.
    pub(super) async fn piece(&self, body: &mut Incoming) -> Result<Option<Bytes>, Lost> {
        loop {
            let next = std::future::poll_fn(|cx| std::pin::Pin::new(&mut *body).poll_frame(cx));
            match tokio::time::timeout(self.timeout, next).await {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Ok(Some(Err(error))) => {
                    return Err(Lost {
                        cause: AttemptCause::Disconnected,
                        message: format!("{} broke off within its answer: {error}", self.base),
                    });
                }
                Err(_) => return Err(self.too_slow()),
            }
        }
    }

    /// Why there was no connection the last time, if there was none.
    pub(super) fn unreached(&self) -> MutexGuard<'_, Option<String>> {
        self.unreached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn too_slow(&self) -> Lost {
        let message = format!("{} sent nothing for {} s", self.base, self.timeout.as_secs());
        Lost { cause: AttemptCause::TimedOut, message }
    }
}

impl Lost {
    fn connect(message: String) -> Self {
        Self { cause: AttemptCause::Connect, message }
    }
}

/// A client with connections of its own.
pub(super) fn client() -> std::io::Result<Http> {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_nodelay(true);
    connector.enforce_http(false);
    let connector = HttpsConnectorBuilder::new()
        .with_native_roots()?
        .https_or_http()
        .enable_http1()
        .wrap_connector(connector);
    let builder = &mut Client::builder(TokioExecutor::new());
    builder.pool_timer(TokioTimer::new()).http1_preserve_header_case(true).http1_max_headers(HEADERS);
    Ok(builder.build(connector))
}

/// The innermost cause says what went wrong.
pub(super) fn cause(error: &hyper_util::client::legacy::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// Takes away what is about one connection.
fn without_own(headers: &mut HeaderMap) {
    // Beside another coding, the length is wrong and no business of anybody (RFC 9112, section 6.3).
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|it| it.to_str().ok())
        .flat_map(|it| it.split(','))
        .filter_map(|it| it.trim().parse().ok())
        .collect();
    for name in OF_ONE_CONNECTION.iter().chain(&named) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(base: &str, rest: &str, whole: &str) {
        let base = Base::parse(base).expect("a base");
        assert_eq!(base.to(rest).expect("an address").to_string(), whole);
    }

    #[test]
    fn a_version_is_written_once() {
        check("https://api.x.com", "/v1/messages?beta=true", "https://api.x.com/v1/messages?beta=true");
        check("https://api.x.com/", "/v1/messages", "https://api.x.com/v1/messages");
        check("https://x.com/api/v1/", "/v1/chat/completions", "https://x.com/api/v1/chat/completions");
        check("https://x.com/api/v1", "/chat/completions", "https://x.com/api/v1/chat/completions");
        check("https://x.com/v1beta", "/v1beta/models/a:b", "https://x.com/v1beta/models/a:b");
        check("https://x.com/v1", "/v1beta/models/a", "https://x.com/v1/v1beta/models/a");
        check("https://x.com/v1", "/v1?x", "https://x.com/v1?x");
    }

    #[test]
    fn what_is_no_address_says_why() {
        let why = |text: &str| Base::parse(text).expect_err("it is none");
        assert_eq!(why("api.x.com"), "it lacks http:// or https:// at its beginning");
        assert_eq!(why("ftp://x.com"), "ftp:// is neither http:// nor https://");
        assert_eq!(
            why("https://me:secret@x.com"),
            "it has a name or a password in it; keys are for the client to send"
        );
        assert_eq!(why("https://x.com?a=b"), "it has a query");
    }

    #[test]
    fn headers_of_one_connection_stay_there() {
        let mut headers = HeaderMap::new();
        for (name, value) in
            [("connection", "close, x-mine"), ("x-mine", "1"), ("te", "x"), ("x-api-key", "k")]
        {
            headers.insert(name, value.parse().expect("a value"));
        }
        without_own(&mut headers);
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["x-api-key"]);
    }
}
