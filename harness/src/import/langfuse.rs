//! Exports of Langfuse: observations, as a list or one a line (langfuse.com/docs, "Blob storage export"), or a trace of
//! the API with its `observations`.
//!
//! Each observation of the type `GENERATION` is a request with the answer to it. Those of one trace that go on from
//! each other are one transcript. Langfuse logs what the agent's library gave it: messages of OpenAI chat, of
//! Anthropic, or of LangChain. Whether a tool failed is unknown, unless the messages say so.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Elements, Text, Word};
use super::conversations::Conversations;
use super::logged;
use super::parse::{parse, value};
use super::recording::{Joiner, Recording};
use super::sink::Sink;
use super::spent::{moment_of, usage};

#[derive(Deserialize)]
struct Traced<'a> {
    #[serde(borrow)]
    observations: Elements<&'a RawValue>,
}

/// An observation.
#[derive(Deserialize)]
struct Observation<'a> {
    #[serde(rename = "type", borrow, default)]
    kind: Word<'a>,
    #[serde(borrow)]
    trace_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    start_time: Option<Cow<'a, str>>,
    model: Option<Text>,
    provided_model_name: Option<Text>,
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(borrow)]
    output: Option<&'a RawValue>,
    #[serde(borrow)]
    end_time: Option<Cow<'a, str>>,
    #[serde(borrow)]
    usage_details: Option<&'a RawValue>,
    // The API writes names in another case than the export.
    #[serde(rename = "traceId", borrow)]
    api_trace_id: Option<Cow<'a, str>>,
    #[serde(rename = "startTime", borrow)]
    api_start_time: Option<Cow<'a, str>>,
    #[serde(rename = "providedModelName")]
    api_provided_model_name: Option<Text>,
    #[serde(rename = "endTime", borrow)]
    api_end_time: Option<Cow<'a, str>>,
    #[serde(rename = "usageDetails", borrow)]
    api_usage_details: Option<&'a RawValue>,
}

impl<'a> Observation<'a> {
    fn started(&self) -> Option<&Cow<'a, str>> {
        self.start_time.as_ref().or(self.api_start_time.as_ref())
    }
}

/// Reads a trace with its observations.
///
/// # Errors
/// It is none, or has no generation.
pub(super) fn traced(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Traced { observations } = parse(text)?;
    all(sink.elements("observations", observations), sink)
}

/// Reads observations.
///
/// # Errors
/// There are none, or no generation.
pub(super) fn observations(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut found: Vec<(u64, Observation)> = Vec::new();
    if text.trim_start().starts_with('[') {
        found = sink.elements("", value(text)?);
    } else {
        for (number, line) in (0..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match parse(line) {
                Ok(observation) => found.push((number, observation)),
                Err(bad) => sink.bad(number, bad),
            }
        }
    }
    all(found, sink)
}

fn all(mut found: Vec<(u64, Observation)>, sink: &mut Sink) -> Result<(), BadLine> {
    found.retain(|(_, it)| it.kind.0.eq_ignore_ascii_case("generation") && it.input.is_some());
    if found.is_empty() {
        let why = "expected an observation of the type `GENERATION` with an `input`, found none";
        return Err(BadLine::shape("observations".into(), why));
    }
    found.sort_by_cached_key(|(_, it)| (it.started().and_then(|it| moment_of(it)), it.started().cloned()));
    let mut conversations = Conversations::default();
    for (number, it) in found {
        let group: Arc<str> = it.trace_id.or(it.api_trace_id).unwrap_or_default().into();
        let mut joiner = Joiner::default();
        let tools = it.input.map_or(Ok(Vec::new()), |input| logged::input(&mut joiner, input, "input"));
        let answered = tools.and_then(|tools| {
            let Some(output) = it.output else { return Ok(tools) };
            joiner.at(it.end_time.or(it.api_end_time).as_deref().and_then(moment_of));
            logged::output(&mut joiner, output, "output")?;
            joiner.used(usage(it.usage_details.or(it.api_usage_details)));
            Ok(tools)
        });
        match answered {
            Ok(tools) => {
                let model = it.model.or(it.provided_model_name).or(it.api_provided_model_name);
                let model = model.map(|Text(model)| model).unwrap_or_default();
                let head = Recording { id: group.clone(), model, tools, ..Recording::default() };
                conversations.take(group, joiner.into(head));
            }
            Err(bad) => sink.bad(number, bad),
        }
    }
    conversations.finish(sink);
    Ok(())
}
