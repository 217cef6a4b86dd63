//! Logs of Inspect: a `.json` document with `samples`, or a `.eval` archive with a file for each sample.
//!
//! Messages are nearly those of OpenAI chat; calls name their tool in `function`. An `error` of a result says that the
//! tool failed; without one, the status is unknown, since a tool may report a failure in its text. Long texts are in
//! `attachments`. A run was solved or not if its one score is `C` or `I`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Blocks, Text, Word, arguments, lines_of, text_of};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Outcome, Recording};
use super::scan::{Scan, Step};
use super::sink::{Head, Sink};
use super::strict::Object;

#[derive(Deserialize)]
struct Log {
    eval: Option<Object<Eval>>,
}

#[derive(Deserialize)]
struct Eval {
    model: Option<Text>,
}

/// What a log says before its samples.
pub(super) fn head(text: &[u8]) -> Head {
    let log = str::from_utf8(text).ok().and_then(|text| match parse::<Log>(text) {
        Ok(log) => Some(log),
        Err(_) => parse(&with_quoted_numbers(text)).ok(),
    });
    let model = log.and_then(|it| it.eval).and_then(|Object(it)| it.model);
    Head { model: model.map(|Text(model)| model).unwrap_or_default() }
}

#[derive(Deserialize)]
struct Sample<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    epoch: Option<&'a RawValue>,
    #[serde(borrow)]
    messages: Vec<Object<Spoken<'a>>>,
    #[serde(borrow)]
    scores: Option<BTreeMap<Cow<'a, str>, Object<Score<'a>>>>,
    #[serde(borrow)]
    attachments: Option<BTreeMap<Cow<'a, str>, Cow<'a, str>>>,
}

#[derive(Deserialize)]
struct Score<'a> {
    #[serde(borrow)]
    value: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Spoken<'a> {
    #[serde(borrow)]
    role: Word<'a>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<Vec<Object<Call<'a>>>>,
    tool_call_id: Option<Text>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Call<'a> {
    id: Option<Text>,
    function: Text,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning: Option<Cow<'a, str>>,
}

/// Reads a sample.
///
/// # Errors
/// It is none, or a result is without a call.
pub(super) fn sample(text: &str, head: &Head, sink: &mut Sink) -> Result<(), BadLine> {
    match parse(text) {
        Err(BadLine::NotJson { .. }) => transcript(parse(&with_quoted_numbers(text))?, head, sink),
        sample => transcript(sample?, head, sink),
    }
}

/// The string for each number that JSON has not.
const QUOTED: [(&str, &str); 3] =
    [("NaN", "\"NaN\""), ("Infinity", "\"Infinity\""), ("-\"Infinity\"", "\"-Infinity\"")];

/// The text with strings for the numbers that JSON has not, since arguments with others are others. Python writes them,
/// and a score that is to be left out is one of them (`Score.unscored` of Inspect).
fn with_quoted_numbers(text: &str) -> String {
    let (mut all, mut rest) = (String::with_capacity(text.len()), text);
    while !rest.is_empty() {
        let (between, from_quote) = rest.split_at(rest.find('"').unwrap_or(rest.len()));
        let quoted = QUOTED.iter().fold(Cow::from(between), |between, (number, string)| {
            if between.contains(number) { between.replace(number, string).into() } else { between }
        });
        all.push_str(&quoted);
        let end = match Scan::default().take(from_quote.as_bytes()) {
            Step::End(end) => end,
            Step::More | Step::Torn(_) => from_quote.len(),
        };
        let (string, after) = from_quote.split_at(end);
        all.push_str(string);
        rest = after;
    }
    all
}

fn transcript(sample: Sample, head: &Head, sink: &mut Sink) -> Result<(), BadLine> {
    let Sample { id, epoch, messages, scores, attachments } = sample;
    let attached = attachments.unwrap_or_default();
    let mut joiner = Joiner::default();
    for (at, Object(message)) in messages.into_iter().enumerate() {
        take(&mut joiner, message, &attached, &format!("messages[{at}]"))?;
    }
    let numbers: Vec<Arc<str>> = [id, epoch].into_iter().flatten().map(text_of).collect();
    sink.recording(joiner.into(Recording {
        id: numbers.join("/").into(),
        model: head.model.clone(),
        outcome: outcome(scores.unwrap_or_default()),
        ..Recording::default()
    }));
    Ok(())
}

type Attached<'a> = BTreeMap<Cow<'a, str>, Cow<'a, str>>;

fn take(joiner: &mut Joiner, message: Spoken, attached: &Attached, place: &str) -> Result<(), BadLine> {
    let Spoken { role, content, tool_calls, tool_call_id, error } = message;
    let (thinking, text) = content
        .map_or(Ok((None, None)), |content| words(content, attached))
        .map_err(|bad| bad.below(&format!("{place}.content")))?;
    match &*role.0 {
        "system" => joiner.system(text.unwrap_or_default()),
        "user" => joiner.user(text.unwrap_or_default()),
        "assistant" => {
            let calls = tool_calls.into_iter().flatten().map(|Object(call)| Made {
                id: call.id.map(|Text(id)| id),
                tool: call.function.0,
                arguments: arguments(call.arguments),
            });
            joiner.assistant(thinking, text, calls.collect());
        }
        "tool" => {
            let status = if error.is_some() { Status::Error } else { Status::Unknown };
            let of = tool_call_id.map_or(Of::Next, |Text(id)| Of::Id(id));
            let place = || format!("{place}.tool_call_id");
            joiner.result(of, status, text.unwrap_or_default(), place)?;
        }
        _ => {
            let why = "expected `system`, `user`, `assistant` or `tool`, found something else";
            return Err(BadLine::shape(format!("{place}.role"), why));
        }
    }
    Ok(())
}

/// Thinking and text of a content.
type Said = (Option<Arc<str>>, Option<Arc<str>>);

fn words(content: &RawValue, attached: &Attached) -> Result<Said, BadLine> {
    let whole = |text: Arc<str>| match text.strip_prefix("attachment://").and_then(|name| attached.get(name))
    {
        Some(long) => Arc::from(&**long),
        None => text,
    };
    if content.get() == "null" {
        return Ok((None, None));
    }
    Ok(match value::<Blocks<Part>>(content.get())? {
        Blocks::Text(text) => (None, Some(whole(text))),
        Blocks::List(parts) => {
            let text = lines_of(parts.iter().filter_map(|part| part.text.as_deref()));
            let thinking = lines_of(parts.iter().filter_map(|part| part.reasoning.as_deref()));
            (thinking, text.map(whole))
        }
    })
}

fn outcome(scores: BTreeMap<Cow<str>, Object<Score>>) -> Outcome {
    let mut scores = scores.into_values();
    match (scores.next(), scores.next()) {
        (Some(Object(Score { value: Some(value) })), None) => match value.get() {
            "\"C\"" => Outcome::Resolved,
            "\"I\"" => Outcome::Failed,
            _ => Outcome::Unknown,
        },
        (Some(_) | None, _) => Outcome::Unknown,
    }
}
