//! The proxy's side of a request: what is for an answer of a model goes through the guards, all else passes.

use std::sync::Arc;
use std::time::SystemTime;

use axum::body::{Body, Bytes};
use axum::http::header::ACCEPT_ENCODING;
use axum::http::request::Parts;
use axum::http::{Request, Response, StatusCode};
use balk_guards::GuardFault;
use balk_guards::wire::{Asked, Dialect, Framing, Unreadable};
use tokio::sync::mpsc::{self, Sender};

use super::attempt::{Asking, Came, Failed, is_coded};
use super::counts::{Hidden, kept};
use super::ids;
use super::keys::Keys;
use super::log::Logged;
use super::passing::Passed;
use super::places::Places;
use super::reply::{self, Form};
use super::route::{Asks, Route};
use super::shared::Shared;
use super::state::{Happened, Outcome, State};
use super::stream::Stream;
use super::tee::Tee;
use super::turn::Turn;
use super::watched::at_work;
use crate::bench::moment;
use crate::listen::path::Path;
use crate::listen::{Held, bytes, json, not_text, text};

/// Answers a request.
pub(super) async fn handle(shared: Arc<Shared>, request: Request<Body>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let Route { rest, asks, conversation } = Route::of(&head.uri, &head.headers);
    let (dialect, streams) = match asks {
        Asks::Balk(what) => return about(&shared, &what),
        Asks::Answer { dialect, streams } => (dialect, streams),
        Asks::Other => return passes(&shared, head, &rest, body, Dialect::OpenAi, "other-path").await,
    };
    let keys = Keys::of(&head.headers, head.uri.query().unwrap_or_default());
    if let Some(why) = unguarded(&shared, dialect, &head, &keys) {
        return passes(&shared, head, &rest, body, dialect, why).await;
    }
    let held = Arc::new(Held::new(&shared.bodies, shared.limits.bodies));
    let body = match bytes(body, dialect, shared.limits, &held).await {
        Ok(body) => body,
        Err(failure) => return reply::refusal(dialect, &failure).map(Body::from),
    };
    let body = match String::from_utf8(body) {
        Ok(body) => body,
        Err(it) => {
            shared.notes_unread(dialect, &not_text(&it.utf8_error()));
            let body = Body::from(it.into_bytes());
            return passes(&shared, head, &rest, body, dialect, "unreadable").await;
        }
    };
    let conversation = conversation.as_deref().unwrap_or(DEFAULT);
    let root = keys.root(conversation);
    let conversation = kept(&keys.hide(conversation)).into_owned();
    let (asked, begun) = match at_work(|| begun(&shared, dialect, root, &body)) {
        Ok(it) => it,
        Err(why) => return passes(&shared, head, &rest, Body::from(body), dialect, why).await,
    };
    let framing = streams.or_else(|| asked.stream.then_some(Framing::Events));
    let form = Form { dialect, framing, own: ids::own(body.as_bytes()) };
    let request = Guarded {
        shared,
        head,
        rest,
        body: body.into(),
        held,
        asked,
        form,
        keys,
        conversation,
        began: moment(),
    };
    if request.shared.dry_run {
        return request.watched(begun).await;
    }
    if framing == Some(Framing::Events) {
        return request.streamed(begun).await;
    }
    request.played(begun, None).await.map(Body::from)
}

/// Why guards do not see a request, if its head says so already.
fn unguarded(shared: &Shared, dialect: Dialect, head: &Parts, keys: &Keys) -> Option<&'static str> {
    if shared.places.is_none() {
        Some("no-guards")
    } else if shared.api.is_some_and(|it| it != dialect) {
        Some("other-api")
    } else if is_coded(&head.headers) {
        // A body in a coding that is not read here is the provider's business.
        Some("compressed")
    } else {
        keys.are_too_many().then_some("many-keys")
    }
}

/// How many groups of events may wait for an agent that reads slowly.
const AT_ONCE: usize = 16;

/// The name of a conversation without one.
const DEFAULT: &str = "default";

/// How guards are about a request, before the model is asked.
type Begun = Result<State, GuardFault>;

/// The request, if it is of a task, or why it is none: a request without tools of the agent's own asks for a title, a
/// summary or a search, and nothing of it is an agent's loop. What cannot be read is the provider's to refuse.
fn begun(shared: &Shared, dialect: Dialect, root: Path, body: &str) -> Result<(Asked, Begun), &'static str> {
    let unreadable = |why: Unreadable| {
        shared.notes_unread(dialect, &why.to_string());
        "unreadable"
    };
    let outline = dialect.outline(body).map_err(unreadable)?;
    let offered = shared.offers.of(dialect, &outline).map_err(unreadable)?;
    if !offered.has_own {
        return Err("no-tools");
    }
    // Guards would see a part of the history, and a hidden request would add to what the provider keeps.
    if outline.has_conversation() {
        shared.notes_unread(dialect, "its provider keeps its history (`conversation`)");
        return Err("conversation");
    }
    if outline.has_references() {
        shared.notes_unread(dialect, "its provider keeps some of its history (`item_reference`)");
        return Err("item-reference");
    }
    shared.counts.count(|it| it.guesses(&offered.guessed));
    let places = shared.places.as_ref().expect("a request is guarded where there are guards");
    let (asked, going) = places.go_on(root, &outline, &offered).map_err(unreadable)?;
    Ok((asked, going.map(State::of)))
}

/// A request that goes through the guards.
struct Guarded {
    shared: Arc<Shared>,
    head: Parts,
    rest: String,
    body: Bytes,
    held: Arc<Held>,
    asked: Asked,
    form: Form,
    keys: Keys,
    conversation: String,
    began: SystemTime,
}

impl Guarded {
    fn places(&self) -> &Places {
        self.shared.places.as_ref().expect("a request is guarded where there are guards")
    }

    fn turn(&self) -> Turn<'_> {
        Turn {
            asking: Asking {
                upstream: &self.shared.upstream,
                head: &self.head,
                rest: &self.rest,
                dialect: self.form.dialect,
                offer: &self.asked.offer,
                keys: &self.keys,
                held: &self.held,
            },
            body: &self.body,
            asked: &self.asked,
            places: self.places(),
            bounds: self.shared.bounds,
            is_logged: self.shared.log.is_some(),
        }
    }

    /// The answer, or what is left of it once some was sent `to` the agent.
    async fn played(self, begun: Begun, to: Option<Sender<Passed>>) -> Response<Bytes> {
        let happened = self.turn().play(begun, to).await;
        let held = self.held.clone();
        self.response(happened).map(|bytes| Bytes::from_owner(Unwritten { bytes, _held: held }))
    }

    /// The answer as a stream. If it does not come soon, its connection is kept.
    async fn streamed(self, begun: Begun) -> Response<Body> {
        let (dialect, silence) = (self.form.dialect, self.shared.bounds.silence);
        let (to, passed) = mpsc::channel(AT_ONCE);
        Stream::new(dialect, Box::pin(self.played(begun, Some(to))), passed, silence).response().await
    }

    /// Guards only watch: the answer is passed on as it comes.
    async fn watched(mut self, begun: Begun) -> Response<Body> {
        let state = match begun {
            Ok(state) => state,
            Err(fault) => {
                self.shared.counts.count(|it| it.faults += 1);
                self.shared.say(&self.keys.hide(&fault.to_string()));
                let Self { shared, head, rest, body, form, .. } = self;
                return passes(&shared, head, &rest, body.into(), form.dialect, "guard-broke").await;
            }
        };
        self.head.headers.remove(ACCEPT_ENCODING);
        let sent =
            self.shared.upstream.send(self.head.clone(), &self.rest, Body::from(self.body.clone())).await;
        let (parts, body) = match sent {
            Ok(response) => response.into_parts(),
            Err(lost) => {
                let failed = Failed::lost(lost);
                return self.response(Happened::of(Outcome::Failed(failed))).map(Body::from);
            }
        };
        let (status, headers) = (parts.status, parts.headers.clone());
        let stream = self.turn().asking.stream(status, &headers);
        let tee = Tee::new(body, self.held.clone(), stream, move |body, stream| {
            let turn = self.turn();
            let came = Came { status, headers, body, passed: 0 };
            let happened = at_work(|| turn.watched(state, turn.asking.read(came, stream)));
            self.notes(&happened);
        });
        Response::from_parts(parts, Body::new(tee))
    }

    fn response(self, happened: Happened) -> Response<Bytes> {
        self.notes(&happened);
        self.form.response(happened.outcome, &self.asked, &happened.sent)
    }

    /// Counts what happened, writes it to the log, and sends spans of it to the collector.
    fn notes(&self, happened: &Happened) {
        let Happened { outcome, interventions, asked, fault, unseen, view, branch, hidden_usage, sent: _ } =
            happened;
        self.shared.counts.count(|it| {
            let hidden = Hidden { requests: u64::from(asked.saturating_sub(1)), usage: *hidden_usage };
            it.turn(&self.conversation, interventions, hidden);
            it.changed += u64::from(matches!(outcome, Outcome::Changed(..)));
            it.failed += u64::from(outcome.has_failed());
            it.faults += u64::from(fault.is_some());
            if let Some(why) = *unseen {
                it.passes(why);
            }
        });
        if let Some(fault) = fault {
            self.shared.say(&self.keys.hide(fault));
        }
        if !self.shared.dry_run {
            let told = interventions.iter().filter(|it| it.kind.is_for_user());
            self.shared.tells(told.map(|it| self.keys.hide(&it.note.text).into()));
        }
        let logged = Logged {
            conversation: &self.conversation,
            model: &self.asked.model,
            view: view.as_ref(),
            branch: *branch,
            interventions,
            keys: &self.keys,
            dry_run: self.shared.dry_run,
        };
        if let Some(log) = &self.shared.log {
            // A disk may be slow; other requests go on meanwhile.
            tokio::task::block_in_place(|| log.write(&logged));
        }
        if let Some(spans) = &self.shared.spans {
            spans.export(&logged, &self.head.headers, self.began);
        }
    }
}

/// What is left of an answer. Its room is held until it is written, however slowly its client reads.
struct Unwritten {
    bytes: Bytes,
    _held: Arc<Held>,
}

impl AsRef<[u8]> for Unwritten {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Sends a request on as it came, and its answer back as it comes.
async fn passes(
    shared: &Shared,
    head: Parts,
    rest: &str,
    body: Body,
    dialect: Dialect,
    why: &'static str,
) -> Response<Body> {
    shared.counts.count(|it| it.passes(why));
    match shared.upstream.send(head, rest, body).await {
        Ok(response) => response.map(Body::new),
        Err(lost) => {
            shared.counts.count(|it| it.failed += 1);
            reply::refusal(dialect, &reply::failure(dialect, &Failed::lost(lost))).map(Body::from)
        }
    }
}

/// What people and monitors ask about the proxy.
fn about(shared: &Shared, what: &str) -> Response<Body> {
    let counted = shared.counts.counted();
    match what {
        "" => json(serde_json::to_string_pretty(&counted).expect("counts have string keys")),
        "metrics" => text(StatusCode::OK, "text/plain; version=0.0.4", counted.prometheus()),
        _ => text(
            StatusCode::NOT_FOUND,
            "application/json",
            r#"{"error":"expected /_balk or /_balk/metrics"}"#.to_owned(),
        ),
    }
}
