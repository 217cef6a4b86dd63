//! An answer as it goes over the wire: whole, as a stream, or broken off as the script says.

use axum::body::Body as AnyBody;
use axum::http::{HeaderValue, Response, StatusCode, header};
use balk_guards::wire::{Answering, Dialect, Event, Failure, FailureKind, Framing};
use balk_guards::{AttemptCause, Completion, Offer};
use balk_scenarios::{Broken, Delivery, Stage, Wire};

use crate::listen::{JSON, Shears, refuse, with_headers};

use super::body::{Body, Part};
use super::conversation::Arrival;

/// How one answer is sent.
pub(super) struct Sending<'a> {
    pub(super) dialect: Dialect,
    pub(super) framing: Option<Framing>,
    pub(super) answering: &'a Answering,
    pub(super) offer: &'a Offer,
    pub(super) shears: Shears,
}

impl Sending<'_> {
    /// Sends a completion as it is to arrive. `None` is an answer of which nothing ever comes.
    pub(super) fn send(&self, completion: &Completion, arrival: &Arrival) -> Option<Response<AnyBody>> {
        Some(match (arrival, self.framing) {
            (Arrival::Whole(_), None) => self.whole(self.dialect.response(completion, self.answering)),
            (Arrival::Whole(delivery), Some(framing)) => {
                self.stream(framing, &self.whole_events(completion, *delivery), None)
            }
            (Arrival::Broken(broken), _) if broken.at == Stage::Nothing => return self.nothing(broken),
            (Arrival::Broken(broken), None) => self.part_of_whole(completion, broken),
            (Arrival::Broken(broken), Some(framing)) => self.part_of_stream(framing, completion, broken),
        })
    }

    fn events(&self, completion: &Completion) -> Vec<Event> {
        self.dialect.events(completion, self.answering)
    }

    fn whole_events(&self, completion: &Completion, delivery: Delivery) -> Vec<Event> {
        let mut events = self.events(completion);
        let middle = events.len() / 2;
        if delivery.doubled_event {
            events.insert(middle, events[middle].clone());
        }
        events
    }

    /// Nothing of the answer comes.
    fn nothing(&self, broken: &Broken) -> Option<Response<AnyBody>> {
        match broken.wire {
            Wire::EmptyBody => {
                return Some(self.respond(StatusCode::OK, self.framing.map_or(JSON, kind), Some(0), []));
            }
            Wire::Html => return Some(page(broken)),
            Wire::Cause | Wire::CleanEnd | Wire::MalformedEvent => {}
        }
        match broken.cause {
            AttemptCause::Status { code, retry_after } => {
                Some(self.refuse(&refusal(code, retry_after, broken)))
            }
            AttemptCause::TimedOut => None,
            AttemptCause::Connect | AttemptCause::Disconnected | AttemptCause::Empty => {
                self.shears.cut();
                Some(self.respond(StatusCode::OK, JSON, None, [Part::Cut]))
            }
        }
    }

    /// An error of the provider, in its own shape.
    pub(super) fn refuse(&self, failure: &Failure) -> Response<AnyBody> {
        refuse(self.dialect, &self.answering.id, failure)
    }

    /// Half of an answer in one piece.
    fn part_of_whole(&self, completion: &Completion, broken: &Broken) -> Response<AnyBody> {
        if let AttemptCause::Status { code, retry_after } = broken.cause {
            return self.refuse(&refusal(code, retry_after, broken));
        }
        let text = self.dialect.response(completion, self.answering);
        let half = text.floor_char_boundary(text.len() / 2);
        match broken.wire {
            Wire::CleanEnd => return self.whole(text[..half].to_owned()),
            Wire::MalformedEvent => return self.whole(malformed(&text)),
            Wire::Cause | Wire::EmptyBody | Wire::Html => {}
        }
        let parts = [Part::from(text[..half].to_owned()), stop(broken.cause)];
        // The client must know that there is more.
        self.respond(StatusCode::OK, JSON, Some(text.len()), parts)
    }

    fn part_of_stream(
        &self,
        framing: Framing,
        completion: &Completion,
        broken: &Broken,
    ) -> Response<AnyBody> {
        let mut events = self.events(completion);
        let rest = events.split_off(self.reached(&events, broken.at));
        if let AttemptCause::Status { code, retry_after } = broken.cause {
            let failure = refusal(code, retry_after, broken);
            events.push(failure.in_stream(self.dialect, events.len()));
            return self.stream(framing, &events, None);
        }
        let stop = match broken.wire {
            Wire::Cause | Wire::EmptyBody | Wire::Html => Some(stop(broken.cause)),
            Wire::CleanEnd => None,
            Wire::MalformedEvent => {
                events.extend(
                    rest.into_iter().take(1).map(|it| Event { data: malformed(&it.data), name: it.name }),
                );
                None
            }
        };
        self.stream(framing, &events, stop)
    }

    /// How many of these events come if the answer gets so far: as many as a client can read without seeing more.
    fn reached(&self, events: &[Event], at: Stage) -> usize {
        let is_within = |count: &usize| {
            let mut reader = self.dialect.stream();
            events[..*count].iter().for_each(|it| {
                reader.feed(it.to_string().as_bytes());
            });
            let Err(broken) = reader.finish(self.offer) else { return false };
            let is_known = |fact: Option<bool>| fact == Some(true);
            let facts = broken.facts;
            match at {
                Stage::Nothing => *count == 0,
                Stage::Progress => !is_known(facts.visible_output) && !is_known(facts.tool_input_started),
                Stage::Output => !is_known(facts.tool_input_started),
                Stage::Input => !is_known(facts.tool_call_materialized),
                Stage::Call | Stage::Running | Stage::Ran => true,
            }
        };
        (0..events.len()).rev().find(is_within).unwrap_or(0)
    }

    fn stream(&self, framing: Framing, events: &[Event], stop: Option<Part>) -> Response<AnyBody> {
        if stop.is_none() {
            let mut text: String = events.iter().enumerate().map(|(at, it)| framing.frame(at, it)).collect();
            text.push_str(framing.end());
            if framing == Framing::Array && events.is_empty() {
                text.insert(0, '[');
            }
            return self.respond(StatusCode::OK, kind(framing), None, [Part::from(text)]);
        }
        let sent = events.iter().enumerate().map(|(at, it)| Part::from(framing.frame(at, it)));
        self.respond(StatusCode::OK, kind(framing), None, sent.chain(stop).collect::<Vec<_>>())
    }

    fn whole(&self, text: String) -> Response<AnyBody> {
        let length = text.len();
        self.respond(StatusCode::OK, JSON, Some(length), [Part::from(text)])
    }

    fn respond(
        &self,
        status: StatusCode,
        kind: &'static str,
        length: Option<usize>,
        parts: impl IntoIterator<Item = Part>,
    ) -> Response<AnyBody> {
        let body = AnyBody::new(Body::new(parts, self.shears.clone()));
        let mut response = with_headers(self.dialect, &self.answering.id, None, body);
        *response.status_mut() = status;
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        if let Some(length) = length {
            response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
        }
        response
    }
}

/// The page of a proxy before the provider.
fn page(broken: &Broken) -> Response<AnyBody> {
    let (code, retry_after) = match broken.cause {
        AttemptCause::Status { code, retry_after } => (code, retry_after),
        AttemptCause::Empty | AttemptCause::Connect | AttemptCause::TimedOut | AttemptCause::Disconnected => {
            (200, None)
        }
    };
    let says = refusal(code, retry_after, broken).message.replace('&', "&amp;").replace('<', "&lt;");
    let mut response = Response::new(AnyBody::from(format!(
        "<html>\r\n<head><title>{says}</title></head>\r\n<body><h1>{says}</h1></body>\r\n</html>\r\n"
    )));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    if let Some(milliseconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, milliseconds.div_ceil(1_000).into());
    }
    response
}

fn kind(framing: Framing) -> &'static str {
    match framing {
        Framing::Events => "text/event-stream; charset=utf-8",
        Framing::Array => JSON,
    }
}

/// JSON that no longer parses: it lacks its first colon. Text without one loses its first character.
fn malformed(json: &str) -> String {
    let mut text = json.to_owned();
    text.remove(json.find(':').unwrap_or(0));
    text
}

fn stop(cause: AttemptCause) -> Part {
    match cause {
        AttemptCause::TimedOut => Part::Stall,
        AttemptCause::Connect
        | AttemptCause::Disconnected
        | AttemptCause::Empty
        | AttemptCause::Status { .. } => Part::Cut,
    }
}

fn refusal(code: u16, retry_after: Option<u64>, broken: &Broken) -> Failure {
    let kind = match code {
        401 => FailureKind::Key,
        402 => FailureKind::Unpaid,
        403 => FailureKind::Forbidden,
        404 => FailureKind::Missing,
        408 | 504 => FailureKind::Timeout,
        413 => FailureKind::TooLarge,
        429 => FailureKind::RateLimit,
        503 | 529 => FailureKind::Overloaded,
        500.. => FailureKind::Failed,
        _ => FailureKind::Invalid,
    };
    let message =
        if broken.message.is_empty() { broken.cause.to_string().into() } else { broken.message.clone() };
    Failure { kind, status: code, message, retry_after, request_id: None }
}
