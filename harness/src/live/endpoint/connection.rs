//! One request and one reply over HTTP, bounded in time and size.

use std::io::{self, Read};
use std::time::Duration;

use balk_guards::wire::{Dialect, Form, Refusal, Remedy, Reply, StreamReader, retry_after};
use balk_guards::{AttemptCause, Offer};
use ureq::http::{HeaderValue, Response};
use ureq::{Agent, Body, Timeout};

use super::address::Address;
use super::key::Key;

/// The maximum size of an answer: far more than any model writes.
pub const BODY_BYTES: usize = 16 << 20;

/// The maximum size of what a server says in place of an answer.
const ERROR_BYTES: usize = 64 << 10;

/// The time limit for a connection, name and encryption included.
const CONNECT: Duration = Duration::from_secs(15);

/// A way to one server. It keeps connections open between requests.
#[derive(Debug)]
pub(super) struct Connection {
    agent: Agent,
    address: Address,
    headers: Vec<(&'static str, HeaderValue)>,
    key: Option<Key>,
    dialect: Dialect,
    timeout: Duration,
}

impl Connection {
    pub(super) fn new(address: Address, key: Option<Key>, dialect: Dialect, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_global(Some(timeout))
            .timeout_connect(Some(CONNECT.min(timeout)))
            .user_agent(concat!("balk/", env!("CARGO_PKG_VERSION")))
            .build();
        Self {
            agent: config.new_agent(),
            address,
            headers: headers(dialect, key.as_ref()),
            key,
            dialect,
            timeout,
        }
    }

    pub(super) fn address(&self) -> &Address {
        &self.address
    }

    /// Asks for a completion.
    ///
    /// # Errors
    /// No answer arrived, or not as a whole, or not in a format of the dialect.
    pub(super) fn post(&self, request: &str) -> Result<Reply, Refusal> {
        let post = self.agent.post(self.address.to_completions()).header("content-type", "application/json");
        let post = self.headers.iter().fold(post, |it, (name, value)| it.header(*name, value));
        let mut response = post.send(request).map_err(|it| self.failed(&it))?;
        let status = response.status().as_u16();
        let is_success = response.status().is_success();
        if response.status().is_redirection() {
            return Err(self.redirected(&response));
        }
        let form = Form::of(header(&response, "content-type").unwrap_or_default());
        let wait = retry_after(header(&response, "retry-after-ms"), header(&response, "retry-after"));
        let reply = |form, body: String| Reply { status, retry_after: wait, form, body: body.into() };
        if !is_success {
            // What arrived is enough: the status says what it is.
            let (bytes, end) = self.body(&mut response, ERROR_BYTES, None);
            let body = String::from_utf8_lossy(&bytes);
            let body = if end.is_ok() { self.hidden(&body) } else { self.hidden_cut(&body) };
            return Ok(reply(form.unwrap_or(Form::Whole), body));
        }
        let stream = matches!(form, Some(Form::Stream)).then(|| self.dialect.stream());
        let (bytes, end) = self.body(&mut response, BODY_BYTES, stream);
        let Some(form) = form else {
            let found = header(&response, "content-type").unwrap_or_default();
            let message = format!("expected JSON or an event stream, found `{found}`: ");
            let body = String::from_utf8_lossy(&bytes);
            return Err(Refusal::wrong(&self.hidden(&(message + &*body))));
        };
        if let Err(cut) = end {
            // What follows the end of a streamed answer is no part of it, so it need not arrive.
            let arrived = reply(form, self.hidden_cut(&String::from_utf8_lossy(&bytes)));
            let is_whole = form == Form::Stream && self.dialect.answer(&arrived, &Offer::default()).is_ok();
            return if is_whole { Ok(arrived) } else { Err(cut) };
        }
        let body = String::from_utf8(bytes).map_err(|wrong| {
            let at = wrong.utf8_error().valid_up_to();
            Refusal::wrong(&format!("expected UTF-8, found another byte after {at} bytes"))
        })?;
        // A stream was read to the end of its answer alone.
        let body = match form {
            Form::Whole => self.hidden(&body),
            Form::Stream => self.hidden_cut(&body),
        };
        Ok(reply(form, body))
    }

    /// How the server names itself, and the text at this path below the base; none where it has no such text.
    ///
    /// # Errors
    /// There is no connection.
    pub(super) fn get(&self, path: &str) -> Result<Option<(Option<String>, String)>, Refusal> {
        let get = self.agent.get(self.address.to(path));
        let get = self.headers.iter().fold(get, |it, (name, value)| it.header(*name, value));
        let mut response = match get.call().map_err(|it| self.failed(&it)) {
            Ok(response) if response.status().is_success() => response,
            Err(refusal) if refusal.cause == AttemptCause::Connect => return Err(refusal),
            Ok(_) | Err(_) => return Ok(None),
        };
        let (bytes, end) = self.body(&mut response, BODY_BYTES, None);
        let server = header(&response, "server").map(|it| self.hidden(it));
        let body = String::from_utf8(bytes).ok().filter(|_| end.is_ok());
        Ok(body.map(|body| (server, self.hidden(&body))))
    }

    /// Reads a body of at most `limit` bytes, a stream only until its answer ends, and says why the rest is missing.
    fn body(
        &self,
        response: &mut Response<Body>,
        limit: usize,
        mut stream: Option<StreamReader>,
    ) -> (Vec<u8>, Result<(), Refusal>) {
        let mut reader = response.body_mut().as_reader();
        let (mut body, mut piece) = (Vec::new(), vec![0; 16 << 10]);
        loop {
            let taken = match reader.read(&mut piece) {
                Ok(0) => return (body, Ok(())),
                Ok(taken) => taken,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return (body, Err(self.failed(&error.into()))),
            };
            body.extend_from_slice(&piece[..taken]);
            if body.len() > limit {
                body.truncate(limit);
                return (body, Err(Refusal::wrong(&format!("expected at most {limit} bytes, found more"))));
            }
            if let Some(stream) = &mut stream {
                stream.feed(&piece[..taken]);
                if stream.is_over() {
                    return (body, Ok(()));
                }
            }
        }
    }

    /// What an error of the network says about the attempt.
    fn failed(&self, error: &ureq::Error) -> Refusal {
        let seconds = |it: Duration| it.as_millis().div_ceil(1000);
        let connect = |message: String| Refusal { cause: AttemptCause::Connect, ..Refusal::lost(&message) };
        let address = &self.address;
        if let ureq::Error::Timeout(Timeout::Resolve | Timeout::Connect) = error {
            let limit = seconds(CONNECT.min(self.timeout));
            return connect(format!("no connection to {address} within {limit} s"));
        }
        if let ureq::Error::Timeout(_) = error {
            let message = format!("no complete answer within {} s", seconds(self.timeout));
            return Refusal { cause: AttemptCause::TimedOut, ..Refusal::lost(&message) };
        }
        if let ureq::Error::HostNotFound | ureq::Error::ConnectionFailed = error {
            return connect(format!("no connection to {address}: {error}"));
        }
        // A certificate or a greeting that is not accepted comes as invalid data.
        if let ureq::Error::Io(cause) = error
            && cause.kind() != io::ErrorKind::InvalidData
        {
            let message = format!("no connection to {address}: {cause}");
            return if is_of_connecting(cause.kind()) {
                connect(message)
            } else {
                Refusal::lost(&cause.to_string())
            };
        }
        if let ureq::Error::LargeResponseHeader(found, most) = error {
            return Refusal::wrong(&format!("expected a head of at most {most} bytes, found {found}"));
        }
        if let ureq::Error::Protocol(cause) = error {
            return Refusal::lost(&format!("not what HTTP allows: {cause}"));
        }
        Refusal { remedy: Remedy::Nothing, ..connect(format!("no connection to {address}: {error}")) }
    }

    /// The refusal for a redirect, which would take the request, and the key, to another place.
    fn redirected(&self, response: &Response<Body>) -> Refusal {
        let status = response.status().as_u16();
        let place = self.hidden(header(response, "location").unwrap_or("nowhere"));
        let message = format!("redirects are not followed; status {status} points to `{place}`");
        Refusal { cause: AttemptCause::Connect, ..Refusal::wrong(&message) }
    }

    /// A text without the key.
    pub(super) fn hidden(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide(text))
    }

    /// The same of a text that may have been cut.
    fn hidden_cut(&self, text: &str) -> String {
        self.key.as_ref().map_or_else(|| text.to_owned(), |key| key.hide_cut(text))
    }
}

/// Whether an error of this kind means that no connection was made.
fn is_of_connecting(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{
        AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable,
    };
    [AddrNotAvailable, ConnectionRefused, HostUnreachable, NetworkDown, NetworkUnreachable].contains(&kind)
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> Option<&'a str> {
    response.headers().get(name)?.to_str().ok()
}

/// How each provider takes the key, and what else it wants to be told.
fn headers(dialect: Dialect, key: Option<&Key>) -> Vec<(&'static str, HeaderValue)> {
    let key = key.map(|key| match dialect {
        Dialect::OpenAi | Dialect::Responses => ("authorization", secret(&format!("Bearer {}", key.text()))),
        Dialect::Anthropic => ("x-api-key", secret(key.text())),
        Dialect::Gemini => ("x-goog-api-key", secret(key.text())),
    });
    let version = match dialect {
        Dialect::OpenAi | Dialect::Responses | Dialect::Gemini => None,
        Dialect::Anthropic => Some(("anthropic-version", HeaderValue::from_static("2023-06-01"))),
    };
    key.into_iter().chain(version).collect()
}

/// A value that no log shows.
fn secret(text: &str) -> HeaderValue {
    let mut value = HeaderValue::from_str(text).expect("a key has visible characters only");
    value.set_sensitive(true);
    value
}
