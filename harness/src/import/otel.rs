//! Spans of OpenTelemetry with the attributes of its GenAI conventions
//! (opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans), as JSON of OTLP: one document, or one a line as the
//! collector's file exporter writes it.
//!
//! A span, or an event of it, with `gen_ai.input.messages` is a request; `gen_ai.output.messages` is the answer to it.
//! Requests of one conversation (`gen_ai.conversation.id`, else the trace) that go on from each other are one
//! transcript. A span of a tool with the status of an error says that its call failed; else the status is unknown.
//! Spans of an agent or of a workflow repeat the messages of the requests within them: they count only where there is
//! no request within them. Where that is unknown, since spans are without an id or one between them is missing, all
//! requests of a trace are within. Spans of embeddings and of searches are no requests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use balk_guards::{Status, Usage};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Text, Word, arguments, lines_of, text_of};
use super::conversations::Conversations;
use super::offered::{Entry, tools};
use super::parse::{paired, parse, value};
use super::recording::{Joiner, Listed, Made, Of, Recording};
use super::sink::Sink;
use super::spent::moment;
use super::strict::Object;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    #[serde(borrow)]
    resource_spans: Vec<Object<Resource<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource<'a> {
    #[serde(borrow)]
    scope_spans: Option<Vec<Object<Scope<'a>>>>,
    /// The same in old versions of the protocol.
    #[serde(borrow)]
    instrumentation_library_spans: Option<Vec<Object<Scope<'a>>>>,
}

#[derive(Deserialize)]
struct Scope<'a> {
    #[serde(borrow)]
    spans: Vec<Object<Span<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Span<'a> {
    #[serde(borrow)]
    trace_id: Cow<'a, str>,
    #[serde(borrow)]
    span_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_span_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    start_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow)]
    end_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow)]
    attributes: Option<Vec<Object<Attribute<'a>>>>,
    #[serde(borrow)]
    events: Option<Vec<Object<Event<'a>>>>,
    #[serde(borrow)]
    status: Option<Object<SpanStatus<'a>>>,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    attributes: Option<Vec<Object<Attribute<'a>>>>,
}

#[derive(Deserialize)]
struct SpanStatus<'a> {
    #[serde(borrow)]
    code: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Attribute<'a> {
    #[serde(borrow)]
    key: Cow<'a, str>,
    #[serde(borrow)]
    value: Object<Any<'a>>,
}

/// A value of an attribute: one of its members is there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Any<'a> {
    #[serde(borrow)]
    string_value: Option<Cow<'a, str>>,
    /// A number in a string.
    #[serde(borrow)]
    int_value: Option<&'a RawValue>,
}

/// A message of the conventions.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    parts: Vec<Object<Part<'a>>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    id: Option<Text>,
    name: Option<Text>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
    /// The same in older versions of the conventions.
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

/// What a span is about (`gen_ai.operation.name`).
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    /// A request to a model, or unknown.
    #[default]
    Model,
    /// What has requests within it: an agent or a workflow, or a step of one, as Strands Agents names it.
    Agent,
    /// A call of a tool, or anything else that no model answers.
    Other,
}

impl Kind {
    fn of(operation: &str) -> Self {
        match operation {
            "create_agent" | "invoke_agent" | "invoke_workflow" | "execute_event_loop_cycle" => Self::Agent,
            "execute_tool" | "embeddings" | "retrieval" => Self::Other,
            _ => Self::Model,
        }
    }
}

/// What is read of a span.
#[derive(Default)]
struct Request<'a> {
    trace: Arc<str>,
    span: Arc<str>,
    kind: Kind,
    start: u128,
    end: Option<Timestamp>,
    usage: Usage,
    group: Arc<str>,
    model: Arc<str>,
    system: Option<Cow<'a, str>>,
    tools: Option<Cow<'a, str>>,
    input: Option<Cow<'a, str>>,
    output: Option<Cow<'a, str>>,
}

impl<'a> Request<'a> {
    /// Takes an attribute, or returns the id of a call if it is that.
    fn take(&mut self, Attribute { key, value: Object(value) }: Attribute<'a>) -> Option<Arc<str>> {
        let number = value.int_value.and_then(|it| it.get().trim_matches('"').parse().ok());
        let Some(text) = value.string_value else {
            match &*key {
                "gen_ai.usage.input_tokens" => self.usage.input_tokens = number.unwrap_or_default(),
                "gen_ai.usage.output_tokens" => self.usage.output_tokens = number.unwrap_or_default(),
                _ => {}
            }
            return None;
        };
        match &*key {
            "gen_ai.operation.name" => self.kind = Kind::of(&text),
            "gen_ai.conversation.id" => self.group = text.into(),
            "gen_ai.response.model" => self.model = text.into(),
            "gen_ai.request.model" if self.model.is_empty() => self.model = text.into(),
            "gen_ai.system_instructions" => self.system = Some(text),
            "gen_ai.tool.definitions" => self.tools = Some(text),
            "gen_ai.input.messages" => self.input = Some(text),
            "gen_ai.output.messages" => self.output = Some(text),
            "gen_ai.tool.call.id" => return Some(text.into()),
            _ => {}
        }
        None
    }
}

/// Reads spans.
///
/// # Errors
/// They are none, or no span has the messages of a model.
pub(super) fn spans(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut spans: Vec<Span> = Vec::new();
    if super::scan::is_whole(text.as_bytes()) {
        spans.extend(flat(parse(text)?));
    } else {
        sink.lines(text, |line| {
            spans.extend(flat(parse(line)?));
            Ok(())
        });
    }
    let mut failed: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut requests = Vec::new();
    let mut tree = Tree::default();
    for span in spans {
        let is_error = span
            .status
            .as_ref()
            .and_then(|Object(it)| it.code)
            .is_some_and(|code| matches!(code.get(), "2" | "\"STATUS_CODE_ERROR\""));
        let start = span.start_time_unix_nano.and_then(|it| it.get().trim_matches('"').parse().ok());
        let trace: Arc<str> = span.trace_id.into();
        let id: Arc<str> = span.span_id.unwrap_or_default().into();
        let parent = span.parent_span_id.unwrap_or_default().into();
        tree.parents.insert((trace.clone(), id.clone()), parent);
        let mut request = Request {
            trace: trace.clone(),
            span: id,
            group: trace,
            start: start.unwrap_or_default(),
            end: moment(span.end_time_unix_nano),
            ..Request::default()
        };
        let events = span.events.into_iter().flatten().filter_map(|Object(it)| it.attributes);
        for Object(attribute) in span.attributes.into_iter().chain(events).flatten() {
            if let Some(call) = request.take(attribute)
                && is_error
            {
                failed.insert(call);
            }
        }
        if request.kind != Kind::Other && (request.input.is_some() || request.output.is_some()) {
            requests.push(request);
        }
    }
    requests.iter().filter(|it| it.kind == Kind::Model).for_each(|it| tree.holds(&it.trace, &it.span));
    requests.retain(|it| it.kind == Kind::Model || !tree.has_request(&it.trace, &it.span));
    if requests.is_empty() {
        let why = "expected a span with `gen_ai.input.messages` as a string, found none: the content of messages is \
                   recorded only where the agent was told to";
        return Err(BadLine::shape("resourceSpans".into(), why));
    }
    requests.sort_by_key(|request| request.start);
    let mut all = Conversations::default();
    for request in requests {
        let group = request.group.clone();
        match recording(request, &failed) {
            Ok(recording) => all.take(group, recording),
            Err(bad) => sink.bad(0, bad),
        }
    }
    all.finish(sink);
    Ok(())
}

/// Which spans have requests within them.
#[derive(Default)]
struct Tree {
    /// The parent of each span, empty if it has none, by its trace and its own id.
    parents: BTreeMap<(Arc<str>, Arc<str>), Arc<str>>,
    /// The requests, and the spans around them.
    within: BTreeSet<(Arc<str>, Arc<str>)>,
    /// The traces with a request of which it is unknown what is around it.
    unknown: BTreeSet<Arc<str>>,
    /// The traces with a request.
    all: BTreeSet<Arc<str>>,
}

impl Tree {
    /// Takes a request.
    fn holds(&mut self, trace: &Arc<str>, span: &Arc<str>) {
        self.all.insert(trace.clone());
        let mut at = (trace.clone(), span.clone());
        loop {
            let Some(parent) = self.parents.get(&at).filter(|_| !at.1.is_empty()) else {
                self.unknown.insert(at.0);
                return;
            };
            let parent = (trace.clone(), parent.clone());
            if !self.within.insert(at) || parent.1.is_empty() {
                return;
            }
            at = parent;
        }
    }

    /// Whether a span has a request within it, as far as is known.
    fn has_request(&self, trace: &Arc<str>, span: &Arc<str>) -> bool {
        let is_known = !span.is_empty() && !self.unknown.contains(trace);
        if is_known { self.within.contains(&(trace.clone(), span.clone())) } else { self.all.contains(trace) }
    }
}

fn flat(export: Export<'_>) -> impl Iterator<Item = Span<'_>> {
    let scopes = export
        .resource_spans
        .into_iter()
        .filter_map(|Object(it)| it.scope_spans.or(it.instrumentation_library_spans));
    scopes.flatten().flat_map(|Object(it)| it.spans).map(|Object(span)| span)
}

fn recording(request: Request, failed: &BTreeSet<Arc<str>>) -> Result<Recording, BadLine> {
    let Request { end, usage, group, model, system, tools: listed, input, output, .. } = request;
    let mut joiner = Joiner::default();
    if let Some(system) = system {
        let system = paired(&system);
        let parts: Vec<Object<Part>> =
            value(&system).map_err(|bad| bad.below("gen_ai.system_instructions"))?;
        joiner.system(texts(&parts, "text").unwrap_or_default());
    }
    for (name, messages) in [("gen_ai.input.messages", input), ("gen_ai.output.messages", output)] {
        let Some(messages) = messages else { continue };
        let messages = paired(&messages);
        let messages: Vec<Object<Message>> = value(&messages).map_err(|bad| bad.below(name))?;
        let is_answer = name == "gen_ai.output.messages" && !messages.is_empty();
        if is_answer {
            joiner.at(end);
        }
        for (at, Object(message)) in messages.into_iter().enumerate() {
            take(&mut joiner, message, failed, &format!("{name}[{at}]"))?;
        }
        if is_answer {
            joiner.used(usage);
        }
    }
    let tools = listed_tools(listed.as_deref());
    Ok(joiner.into(Recording { id: group, model, tools, ..Recording::default() }))
}

/// The tools on offer; the conventions leave their form open, so what is none is passed over.
fn listed_tools(listed: Option<&str>) -> Vec<Listed> {
    tools(listed.and_then(|listed| serde_json::from_str::<Vec<Object<Entry>>>(&paired(listed)).ok()))
}

fn take(
    joiner: &mut Joiner,
    message: Message,
    failed: &BTreeSet<Arc<str>>,
    place: &str,
) -> Result<(), BadLine> {
    let Message { role, parts } = message;
    match &*role.0 {
        "system" => joiner.system(texts(&parts, "text").unwrap_or_default()),
        "assistant" => {
            let (thinking, text) = (texts(&parts, "reasoning"), texts(&parts, "text"));
            let calls = parts.into_iter().filter(|Object(part)| part.kind.0 == "tool_call");
            let calls = calls.map(|Object(part)| Made {
                id: part.id.map(|Text(id)| id),
                tool: part.name.map(|Text(name)| name).unwrap_or_default(),
                arguments: arguments(part.arguments),
            });
            joiner.assistant(thinking, text, calls.collect());
        }
        "user" | "tool" => {
            let text = texts(&parts, "text");
            let mut is_answer = false;
            for (at, Object(part)) in parts.into_iter().enumerate() {
                if part.kind.0 != "tool_call_response" {
                    continue;
                }
                is_answer = true;
                let of = part.id.map_or(Of::Next, |Text(id)| Of::Id(id));
                let status = match &of {
                    Of::Id(id) if failed.contains(id) => Status::Error,
                    Of::Id(_) | Of::Tool(..) | Of::Next => Status::Unknown,
                };
                let said = part.response.or(part.result).map(text_of).unwrap_or_default();
                joiner.result(of, status, said, || format!("{place}.parts[{at}].id"))?;
            }
            if !is_answer || text.is_some() {
                joiner.user(text.unwrap_or_default());
            }
        }
        _ => {
            let why = "expected `system`, `user`, `assistant` or `tool`, found something else";
            return Err(BadLine::shape(format!("{place}.role"), why));
        }
    }
    Ok(())
}

/// The texts of the parts of a kind.
fn texts(parts: &[Object<Part>], kind: &str) -> Option<Arc<str>> {
    let own = parts.iter().filter(|Object(part)| part.kind.0 == kind);
    let texts: Vec<Arc<str>> = own.filter_map(|Object(part)| part.content).map(text_of).collect();
    lines_of(texts.iter().map(|text| &**text))
}
