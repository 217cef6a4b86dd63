//! Exports of LangSmith: runs, as a list, one a line, or in a document as its API answers
//! (docs.langchain.com/langsmith/run-data-format).
//!
//! Each run of the type `llm` is a request with the answer to it. Those of one trace that go on from each other are one
//! transcript. A message of a tool with the status `error` says that it failed; else the status is unknown.

use std::borrow::Cow;
use std::sync::Arc;

use balk_guards::Usage;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Elements, Text, Word};
use super::conversations::Conversations;
use super::logged;
use super::offered::{self, Entry};
use super::parse::{parse, value};
use super::recording::{Joiner, Recording};
use super::sink::Sink;
use super::spent::moment;
use super::strict::Object;

#[derive(Deserialize)]
struct Run<'a> {
    #[serde(borrow, default)]
    run_type: Word<'a>,
    #[serde(borrow)]
    trace_id: Option<Cow<'a, str>>,
    /// A text or a number.
    #[serde(borrow)]
    start_time: Option<&'a RawValue>,
    #[serde(borrow)]
    inputs: Option<&'a RawValue>,
    #[serde(borrow)]
    outputs: Option<&'a RawValue>,
    #[serde(borrow)]
    end_time: Option<&'a RawValue>,
    #[serde(borrow)]
    prompt_tokens: Option<&'a RawValue>,
    #[serde(borrow)]
    completion_tokens: Option<&'a RawValue>,
    extra: Option<Object<Extra>>,
}

#[derive(Deserialize)]
struct Extra {
    metadata: Option<Object<Metadata>>,
    invocation_params: Option<Object<Parameters>>,
}

#[derive(Deserialize)]
struct Metadata {
    ls_model_name: Option<Text>,
}

/// What the model was called with. `ChatOpenAI` of LangChain names the model twice.
#[derive(Deserialize)]
struct Parameters {
    model: Option<Text>,
    model_name: Option<Text>,
    tools: Option<Vec<Object<Entry>>>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    runs: Elements<&'a RawValue>,
}

/// Reads what the API answers: a document with runs.
///
/// # Errors
/// There are none, or none of a model.
pub(super) fn answer(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let Answer { runs } = parse(text)?;
    all(sink.elements("runs", runs), sink)
}

/// Reads runs.
///
/// # Errors
/// There are none, or none of a model.
pub(super) fn runs(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    let mut found: Vec<(u64, Run)> = Vec::new();
    if text.trim_start().starts_with('[') {
        found = sink.elements("", value(text)?);
    } else {
        for (number, line) in (0..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            match parse(line) {
                Ok(run) => found.push((number, run)),
                Err(bad) => sink.bad(number, bad),
            }
        }
    }
    all(found, sink)
}

fn all(mut found: Vec<(u64, Run)>, sink: &mut Sink) -> Result<(), BadLine> {
    found.retain(|(_, run)| run.run_type.0 == "llm" && run.inputs.is_some());
    if found.is_empty() {
        let why = "expected a run of the type `llm` with `inputs`, found none";
        return Err(BadLine::shape("run_type".into(), why));
    }
    found.sort_by_cached_key(|(_, run)| (moment(run.start_time), run.start_time.map(RawValue::get)));
    let mut conversations = Conversations::default();
    for (number, run) in found {
        let group: Arc<str> = run.trace_id.as_deref().unwrap_or_default().into();
        match recording(run, group.clone()) {
            Ok(recording) => conversations.take(group, recording),
            Err(bad) => sink.bad(number, bad),
        }
    }
    conversations.finish(sink);
    Ok(())
}

fn recording(run: Run, id: Arc<str>) -> Result<Recording, BadLine> {
    let mut joiner = Joiner::default();
    let mut tools = match run.inputs {
        Some(inputs) => logged::input(&mut joiner, inputs, "inputs")?,
        None => Vec::new(),
    };
    if let Some(outputs) = run.outputs {
        joiner.at(moment(run.end_time));
        logged::output(&mut joiner, outputs, "outputs")?;
        let count = |it: Option<&RawValue>| it.and_then(|it| it.get().parse().ok()).unwrap_or_default();
        let (input_tokens, output_tokens) = (count(run.prompt_tokens), count(run.completion_tokens));
        joiner.used(Usage { input_tokens, output_tokens });
    }
    let (metadata, parameters) =
        run.extra.map_or((None, None), |Object(it)| (it.metadata, it.invocation_params));
    let named = metadata.and_then(|Object(it)| it.ls_model_name);
    let mut model = named.map(|Text(model)| model);
    if let Some(Object(parameters)) = parameters {
        model = model.or(parameters.model.or(parameters.model_name).map(|Text(model)| model));
        tools.extend(offered::tools(parameters.tools));
    }
    Ok(joiner.into(Recording { id, model: model.unwrap_or_default(), tools, ..Recording::default() }))
}
