//! A span for each intervention, for a collector of OpenTelemetry.
//!
//! A span says which guard did what, when, and to which model. It has no text of the conversation.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::HeaderMap;
use balk_guards::Intervention;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::{Span as _, SpanBuilder, SpanKind, Tracer as _, TracerProvider as _};
use opentelemetry::{Context, InstrumentationScope, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracer, SdkTracerProvider};
use tokio::runtime::Handle;

use super::collector::Collector;
use super::counts::Counts;
use super::delivery::{Accounted, Delivery, QUEUE, Sender};
use super::log::Logged;
use super::upstream;

/// What makes spans and sends them in the background.
pub(super) struct Spans {
    collector: Collector,
    provider: SdkTracerProvider,
    tracer: SdkTracer,
    delivery: Arc<Delivery>,
}

/// How long the last spans may take at the end.
const FLUSH: Duration = Duration::from_secs(2);

/// The name of this service in a trace, unless the environment has one.
const SERVICE: &str = "balk";

impl Spans {
    /// A way to this collector.
    ///
    /// # Errors
    /// The system's certificates cannot be read.
    pub(super) fn new(collector: Collector, counts: Arc<Counts>, runtime: Handle) -> io::Result<Self> {
        let delivery = Arc::new(Delivery::new(counts));
        let timeout = collector.timeout;
        let sender = Sender { client: upstream::client()?, runtime, timeout, delivery: delivery.clone() };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(&collector.endpoint)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(timeout)
            .with_http_client(sender)
            .build()
            .map_err(io::Error::other)?;
        let exporter = Accounted { exporter, delivery: delivery.clone() };
        let config = BatchConfigBuilder::default().with_max_queue_size(QUEUE).build();
        let queue = BatchSpanProcessor::builder(exporter).with_batch_config(config).build();
        let resource = resource(collector.service.as_deref());
        let provider =
            SdkTracerProvider::builder().with_span_processor(queue).with_resource(resource).build();
        let scope = InstrumentationScope::builder("balk").with_version(env!("CARGO_PKG_VERSION")).build();
        let tracer = provider.tracer_with_scope(scope);
        Ok(Self { collector, provider, tracer, delivery })
    }

    /// Sends a span for each intervention, in the trace that the headers of the agent's request name.
    pub(super) fn export(&self, logged: &Logged<'_>, headers: &HeaderMap, began: SystemTime) {
        if logged.interventions.is_empty() {
            return;
        }
        let parent =
            TraceContextPropagator::new().extract_with_context(&Context::new(), &HeaderExtractor(headers));
        for it in logged.interventions {
            if !self.delivery.takes_one() {
                continue;
            }
            let span = SpanBuilder::from_name("balk.intervention")
                .with_kind(SpanKind::Internal)
                .with_start_time(began)
                .with_attributes(attributes(logged, it));
            let mut span = self.tracer.build_with_context(span, &parent);
            if span.span_context().is_sampled() {
                span.end();
            } else {
                self.delivery.gives_one_back();
            }
        }
    }

    /// Sends what waits, and nothing after that.
    pub(super) fn flush(&self) {
        // How it went is in the account.
        let _ = self.provider.shutdown_with_timeout(FLUSH);
        self.delivery.ends();
    }

    /// Why the first of the spans that were lost did not reach the collector.
    pub(super) fn unexported(&self) -> Option<String> {
        self.delivery.why().map(|why| format!("{}: {why}", self.collector))
    }
}

/// The names that begin with `gen_ai` are those of OpenTelemetry's conventions for generative AI.
fn attributes(logged: &Logged<'_>, it: &Intervention) -> Vec<KeyValue> {
    let mut attributes = vec![
        KeyValue::new("balk.guard", it.note.guard.to_string()),
        KeyValue::new("balk.rule", it.note.rule.to_string()),
        KeyValue::new("balk.level", i64::from(it.note.level)),
        KeyValue::new("balk.kind", it.kind.name()),
        KeyValue::new("balk.dry_run", logged.dry_run),
        KeyValue::new("gen_ai.operation.name", "chat"),
        KeyValue::new("gen_ai.request.model", logged.model.to_owned()),
    ];
    attributes.extend(logged.place().map(|it| KeyValue::new("balk.conversation", it)));
    attributes
}

/// What the spans say about this program.
fn resource(service: Option<&str>) -> Resource {
    let resource = Resource::builder_empty()
        .with_service_name(SERVICE)
        .with_detectors(&[Box::new(TelemetryResourceDetector), Box::new(EnvResourceDetector::new())]);
    match service {
        Some(service) => resource.with_service_name(service.to_owned()),
        None => resource,
    }
    .build()
}
