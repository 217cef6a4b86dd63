//! Jupyter notebooks that an agent of SUPER wrote: a cell for each thing that happened, below a heading for each step.
//!
//! | cell | is |
//! |---|---|
//! | `### System Prompt`, `### Prompt`; `### Query` | instructions; a message of the user |
//! | `### Step N` | the beginning of an answer |
//! | `**Thought**: …` | its text |
//! | `**Action (NAME)**:`, then a cell of code | a call of the tool (`execute` for `None`), and its outputs the result |
//!
//! A step without thought and code is an empty answer: the program could not read what the model wrote. An output of
//! the type `error` failed; the status of any other is unknown. Steps that the program ran itself (`[pre-executed by
//! user]`) are not the model's and are passed over. A notebook without steps is refused.

use std::fmt;
use std::sync::Arc;

use balk_guards::Status;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::bad::BadLine;
use super::content::{Members, Word};
use super::parse::{parse, value};
use super::recording::{Joiner, Made, Of, Recording};
use super::sink::Sink;
use super::strict::Object;
use super::swe_agent::command;

#[derive(Deserialize)]
struct Notebook<'a, D> {
    #[serde(borrow, bound(deserialize = "D: Deserialize<'de>"))]
    cells: Vec<Object<Cell<'a, D>>>,
}

#[derive(Deserialize)]
struct Cell<'a, D> {
    #[serde(borrow)]
    cell_type: Word<'a>,
    source: Joined,
    #[serde(borrow, bound(deserialize = "D: Deserialize<'de>"))]
    outputs: Option<Vec<Object<Output<'a, D>>>>,
}

#[derive(Deserialize)]
struct Output<'a, D> {
    #[serde(borrow)]
    output_type: Word<'a>,
    text: Option<Joined>,
    data: Option<D>,
    traceback: Option<Joined>,
}

/// Reads one notebook.
///
/// # Errors
/// It is none, or has no steps of an agent.
pub(super) fn notebook(text: &str, sink: &mut Sink) -> Result<(), BadLine> {
    // What is no text matters only where it would be shown.
    let reader = match serde_json::from_str(text) {
        Ok(Object(notebook)) => Reader::of(notebook, |Plain(text)| Ok(text)),
        Err(_) => Reader::of(parse(text)?, plain),
    };
    let mut reader = reader?;
    reader.end()?;
    if !reader.has_steps {
        let why = "expected a heading `### Step 1`, found none: this notebook is no run of an agent";
        return Err(BadLine::shape("cells".into(), why));
    }
    sink.recording(reader.joiner.into(Recording::default()));
    Ok(())
}

#[derive(Default)]
struct Reader {
    joiner: Joiner,
    has_steps: bool,
    step: Option<Step>,
}

/// What one step has so far.
#[derive(Default)]
struct Step {
    thought: Option<Arc<str>>,
    tool: Option<String>,
    call: Option<(Made, Status, String)>,
    is_own: bool,
}

impl Reader {
    /// Takes all cells; `plain` is the plain text in the data of an output.
    fn of<D>(
        Notebook { cells }: Notebook<D>,
        plain: impl Fn(D) -> Result<Option<Joined>, BadLine>,
    ) -> Result<Self, BadLine> {
        let mut reader = Self::default();
        for (at, Object(cell)) in cells.into_iter().enumerate() {
            reader.take(cell, &plain).map_err(|bad| bad.below(&format!("cells[{at}]")))?;
        }
        Ok(reader)
    }

    fn take<D>(
        &mut self,
        cell: Cell<D>,
        plain: impl Fn(D) -> Result<Option<Joined>, BadLine>,
    ) -> Result<(), BadLine> {
        let Joined(source) = cell.source;
        if cell.cell_type.0 == "code" {
            if let Some(step) = &mut self.step {
                let (status, text) = outputs(cell.outputs.unwrap_or_default(), plain)?;
                let tool = step.tool.take().unwrap_or_else(|| "execute".into());
                step.call = Some((command(&tool, &source), status, text));
            }
            return Ok(());
        }
        let (first, rest) = source.split_once('\n').unwrap_or((&source, ""));
        if first.starts_with("### Step") {
            self.end()?;
            self.has_steps = true;
            self.step = Some(Step::default());
        } else if first.starts_with("### System Prompt") || first.starts_with("### Prompt") {
            self.joiner.system(rest.trim().into());
        } else if first.starts_with("### Query") {
            self.joiner.user(rest.trim().into());
        }
        let Some(step) = &mut self.step else { return Ok(()) };
        step.is_own |= source.contains("[pre-executed by user]");
        if let Some(thought) = source.strip_prefix("**Thought**:") {
            step.thought = Some(thought.trim().into()).filter(|it: &Arc<str>| !it.is_empty());
        } else if let Some((name, _)) = source.strip_prefix("**Action (").and_then(|it| it.split_once(")**"))
        {
            step.tool = Some(name.to_owned()).filter(|name| name != "None");
        }
        Ok(())
    }

    /// Takes the step that ends here.
    fn end(&mut self) -> Result<(), BadLine> {
        let Some(Step { thought, call, is_own: false, .. }) = self.step.take() else { return Ok(()) };
        let (call, result) =
            call.map_or((None, None), |(call, status, text)| (Some(call), Some((status, text))));
        self.joiner.assistant(None, thought, call.into_iter().collect());
        match result {
            Some((status, text)) => self.joiner.result(Of::Next, status, text.into(), String::new),
            None => Ok(()),
        }
    }
}

/// What a cell put out, in order.
fn outputs<D>(
    outputs: Vec<Object<Output<D>>>,
    plain: impl Fn(D) -> Result<Option<Joined>, BadLine>,
) -> Result<(Status, String), BadLine> {
    let (mut status, mut all) = (Status::Unknown, String::new());
    for Object(Output { output_type, text, data, traceback }) in outputs {
        if output_type.0 == "error" {
            status = Status::Error;
        }
        let plain = data.map_or(Ok(None), &plain)?;
        for Joined(text) in [text, plain, traceback].into_iter().flatten() {
            if all.is_empty() {
                all = text;
            } else {
                all.push_str(&text);
            }
        }
    }
    Ok((status, all))
}

/// The name of the plain text in the data of an output.
const PLAIN: &str = "text/plain";

/// The plain text in the data of an output, which may be anything.
fn plain(Members(all): Members<&RawValue>) -> Result<Option<Joined>, BadLine> {
    let plain = all.into_iter().find(|(kind, _)| kind == PLAIN);
    plain.map(|(_, text)| value(text.get())).transpose()
}

/// The same, where it is a text.
struct Plain(Option<Joined>);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PlainVisitor)
    }
}

struct PlainVisitor;

impl<'de> Visitor<'de> for PlainVisitor {
    type Value = Plain;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Plain, A::Error> {
        let mut plain = None;
        while let Some(Word(kind)) = members.next_key()? {
            if kind == PLAIN && plain.is_none() {
                plain = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Plain(plain))
    }
}

/// A text that is one, or a list of its lines.
struct Joined(String);

impl<'de> Deserialize<'de> for Joined {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut joined = Self(String::new());
        deserializer.deserialize_any(&mut joined)?;
        Ok(joined)
    }
}

/// One line of it.
impl<'de> DeserializeSeed<'de> for &mut Joined {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for &mut Joined {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of strings")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.0.push_str(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<(), A::Error> {
        while lines.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }
}
