//! The way of spans to the collector: how many are on it, and what was lost.
//!
//! A collector that is down is no reason to fail an agent or to make one wait. What does not reach it is counted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use tokio::runtime::Handle;

use super::counts::Counts;
use super::upstream::{Http, cause};

/// What is on its way.
#[derive(Debug)]
pub(super) struct Delivery {
    counts: Arc<Counts>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Spans that have ended, and of which the collector has not yet said anything.
    waiting: usize,
    /// What the last request came to, if it failed.
    failure: Option<String>,
    /// Why the first of the spans that were lost was lost.
    why: Option<String>,
    is_over: bool,
}

/// The most spans that wait. It is the default of OpenTelemetry's own queues.
pub(super) const QUEUE: usize = 2048;

impl Delivery {
    pub(super) fn new(counts: Arc<Counts>) -> Self {
        Self { counts, state: Mutex::default() }
    }

    /// Whether there is room for one more span. It is lost if not.
    pub(super) fn takes_one(&self) -> bool {
        let mut state = self.state();
        let has_room = state.waiting < QUEUE && !state.is_over;
        if has_room {
            state.waiting += 1;
        } else {
            self.lost(&mut state, 1, "too many wait");
        }
        has_room
    }

    /// A span for which there was room is not sent: its trace is not sampled.
    pub(super) fn gives_one_back(&self) {
        let mut state = self.state();
        state.waiting = state.waiting.saturating_sub(1);
    }

    /// The collector has these spans, or they are lost.
    fn done(&self, spans: usize, result: &OTelSdkResult) {
        let mut state = self.state();
        // What waited at the end was lost then.
        if state.is_over {
            return;
        }
        state.waiting = state.waiting.saturating_sub(spans);
        if let Err(error) = result {
            self.lost(&mut state, spans, &error.to_string());
        }
    }

    /// What waits still is lost.
    pub(super) fn ends(&self) {
        let mut state = self.state();
        state.is_over = true;
        let waiting = std::mem::take(&mut state.waiting);
        if waiting > 0 {
            self.lost(&mut state, waiting, "it did not answer in time");
        }
    }

    /// Why the first of the spans that were lost was lost.
    pub(super) fn why(&self) -> Option<String> {
        self.state().why.clone()
    }

    fn lost(&self, state: &mut State, spans: usize, why: &str) {
        let spans = u64::try_from(spans).unwrap_or(u64::MAX);
        self.counts.count(|it| it.unexported += spans);
        let why = state.failure.take().unwrap_or_else(|| why.to_owned());
        state.why.get_or_insert(why);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An exporter that keeps the account.
#[derive(Debug)]
pub(super) struct Accounted {
    pub(super) exporter: opentelemetry_otlp::SpanExporter,
    pub(super) delivery: Arc<Delivery>,
}

impl SpanExporter for Accounted {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let result = self.exporter.export(batch).await;
        self.delivery.done(spans, &result);
        result
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

/// Sends requests with the proxy's own client, on its runtime: the queue of the SDK has a thread without one.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) client: Http,
    pub(super) runtime: Handle,
    /// How long a request may take.
    pub(super) timeout: Duration,
    pub(super) delivery: Arc<Delivery>,
}

/// The longest answer that is read.
const ANSWER_BYTES: usize = 64 << 10;

#[async_trait]
impl HttpClient for Sender {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (client, timeout) = (self.client.clone(), self.timeout);
        let sending = self.runtime.spawn(async move {
            let sent = tokio::time::timeout(timeout, sent(&client, request)).await;
            sent.unwrap_or_else(|_| Err(format!("it did not answer within {timeout:?}")))
        });
        let result = sending.await.unwrap_or_else(|_| Err("the proxy ended".to_owned()));
        self.delivery.state().failure = match &result {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("it answered {}", response.status())),
            Err(why) => Some(why.clone()),
        };
        Ok(result?)
    }
}

async fn sent(client: &Http, request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    let response = client.request(request.map(Body::from)).await.map_err(|error| cause(&error))?;
    let (head, body) = response.into_parts();
    let body = to_bytes(Body::new(body), ANSWER_BYTES).await.map_err(|error| error.to_string())?;
    Ok(Response::from_parts(head, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_taken_while_there_is_room_and_counted_if_not() {
        let counts = Arc::<Counts>::default();
        let delivery = Delivery::new(counts.clone());
        assert_eq!((0..QUEUE + 3).filter(|_| delivery.takes_one()).count(), QUEUE);
        assert_eq!((counts.counted().unexported, delivery.why().as_deref()), (3, Some("too many wait")));
        delivery.gives_one_back();
        assert!(delivery.takes_one());
        delivery.done(QUEUE, &Ok(()));
        assert!(delivery.takes_one());
        delivery.ends();
        assert!(!delivery.takes_one());
        delivery.done(1, &Ok(()));
        delivery.ends();
        assert_eq!(counts.counted().unexported, 5);
    }
}
