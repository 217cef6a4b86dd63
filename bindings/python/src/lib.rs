//! The guards as an extension module of Python. The package `balk` wraps it; nothing here decides anything.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host as host;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyList, PyMapping, PyString, PyTuple};
use pythonize::{depythonize, pythonize};
use serde::Serialize;
use serde::de::DeserializeOwned;

use depth::{DEPTH_MAX, is_too_deep};

mod depth;

/// The guards of Balk.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Conversations, Exchange, Guards, Run, visible};
}

/// Guards by name, with settings.
#[pyclass(frozen)]
struct Guards(host::Guards);

#[pymethods]
impl Guards {
    #[new]
    fn new(named: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(read("guards", named)?))
    }
}

/// A loop that Balk drives.
#[pyclass(frozen)]
struct Run(Mutex<Driven>);

/// A run, and the argument texts of the last answer as Python has them: large ones need not be copied back.
struct Driven {
    run: host::Run,
    arguments: Vec<(Arc<str>, Py<PyString>)>,
}

/// The id, the tool and the arguments of a call.
type Call<'py> = (Bound<'py, PyString>, Bound<'py, PyString>, Bound<'py, PyString>);

#[pymethods]
impl Run {
    #[new]
    fn new(guards: &Guards, begin: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(host::Run::new(&guards.0, read("run", begin)?)))
    }

    #[staticmethod]
    fn resume(guards: &Guards, transcript: &Bound<'_, PyAny>, limits: &Bound<'_, PyAny>) -> PyResult<Self> {
        let entries: Vec<EntryRecord> = read("transcript", transcript)?;
        Ok(Self::of(host::Run::resume(&guards.0, &entries, read("limits", limits)?).map_err(wrong)?))
    }

    /// The calls to run, and which try it is; none if something else is to be done.
    fn calls<'py>(&self, py: Python<'py>) -> Option<(Vec<Call<'py>>, u32)> {
        let driven = self.locked();
        let host::Step::Tools { calls, attempt } = driven.run.step() else { return None };
        let text = |it: &str| PyString::new(py, it);
        let arguments = |it: &Arc<str>| {
            let same = driven.arguments.iter().find(|(text, _)| Arc::ptr_eq(text, it));
            same.map_or_else(|| text(it), |(_, own)| own.bind(py).clone())
        };
        let call = |it: &host::Call| (text(&it.id), text(&it.tool), arguments(&it.arguments));
        Some((calls.iter().map(call).collect(), attempt))
    }

    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &self.locked().run.step())
    }

    #[pyo3(signature = (dialect, model, system=None))]
    fn request(&self, dialect: &str, model: &str, system: Option<&Bound<'_, PyString>>) -> PyResult<String> {
        let system = system.map(|it| it.to_string_lossy());
        Ok(self.locked().run.request(read_dialect(dialect)?, model, system.as_deref()))
    }

    fn completed(
        &self,
        text: &Bound<'_, PyString>,
        calls: Vec<Call<'_>>,
        finish: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let finish = read("finish", finish)?;
        let mut driven = self.locked();
        driven.arguments.clear();
        let mut answer = host::Answer { text: whole(text), finish, ..host::Answer::default() };
        for (id, tool, arguments) in calls {
            let text = whole(&arguments);
            driven.arguments.push((text.clone(), arguments.unbind()));
            answer.calls.push(host::Call { id: whole(&id), tool: whole(&tool), arguments: text });
        }
        driven.run.completed(&answer);
        Ok(())
    }

    fn responded(&self, dialect: &str, response: &Bound<'_, PyString>) -> PyResult<()> {
        let dialect = read_dialect(dialect)?;
        self.locked().run.responded(dialect, &response.to_string_lossy()).map_err(wrong)
    }

    fn failed(&self, failure: &Bound<'_, PyAny>) -> PyResult<()> {
        let failure: host::Failure = read("failure", failure)?;
        self.locked().run.failed(&failure).map_err(wrong)
    }

    fn executed(
        &self,
        results: Vec<(Bound<'_, PyString>, Bound<'_, PyAny>)>,
        finished: bool,
    ) -> PyResult<()> {
        let ran = |(text, status): (Bound<'_, PyString>, Bound<'_, PyAny>)| {
            Ok(host::Ran { text: whole(&text), status: read("status", &status)? })
        };
        let ran: PyResult<Vec<host::Ran>> = results.into_iter().map(ran).collect();
        self.locked().run.executed(&ran?, finished).map_err(wrong)
    }

    fn answered(&self, text: &Bound<'_, PyString>) -> PyResult<()> {
        self.locked().run.answered(&whole(text)).map_err(wrong)
    }

    fn unanswered(&self) {
        self.locked().run.unanswered();
    }

    fn waited(&self, ms: u64) {
        self.locked().run.waited(ms);
    }

    fn said(&self, text: &Bound<'_, PyString>, by_user: bool) {
        self.locked().run.said(&whole(text), by_user);
    }

    fn end(&self) {
        self.locked().run.end();
    }

    fn news<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &self.locked().run.news())
    }

    fn transcript<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &self.locked().run.transcript())
    }
}

impl Run {
    fn of(run: host::Run) -> Self {
        Self(Mutex::new(Driven { run, arguments: Vec::new() }))
    }

    fn locked(&self) -> MutexGuard<'_, Driven> {
        locked(&self.0)
    }
}

/// Conversations of a framework with its models.
#[pyclass(frozen)]
struct Conversations(host::Conversations);

#[pymethods]
impl Conversations {
    #[new]
    fn new(guards: &Guards) -> Self {
        Self(host::Conversations::new(guards.0.clone()))
    }

    /// A request: the exchange, and what to do first.
    fn asks<'py>(&self, request: &Bound<'py, PyAny>) -> PyResult<(Exchange, Bound<'py, PyAny>)> {
        let (exchange, turn) = self.0.asks(read("request", request)?).map_err(wrong)?;
        Ok((Exchange(Mutex::new(exchange)), write(request.py(), &turn)?))
    }
}

/// A request on its way to its answer.
#[pyclass(frozen)]
struct Exchange(Mutex<host::Exchange>);

#[pymethods]
impl Exchange {
    fn answered<'py>(&self, answer: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let turn = locked(&self.0).answered(&read("answer", answer)?);
        write(answer.py(), &turn.map_err(wrong)?)
    }

    fn failed<'py>(&self, failure: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let turn = locked(&self.0).failed(&read("failure", failure)?);
        write(failure.py(), &turn.map_err(wrong)?)
    }

    fn waited<'py>(&self, py: Python<'py>, ms: u64) -> PyResult<Bound<'py, PyAny>> {
        let turn = locked(&self.0).waited(ms);
        write(py, &turn.map_err(wrong)?)
    }
}

/// A text fit for a terminal or a log. Half of a surrogate pair becomes a visible sign as well.
#[pyfunction]
fn visible(text: &Bound<'_, PyString>) -> String {
    host::visible(&text.to_string_lossy())
}

fn read<T: DeserializeOwned>(what: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    if is_too_deep(value)? {
        let expected = format!("expected at most {DEPTH_MAX} lists and mappings within each other");
        return Err(wrong(format!("{what}: {expected}, found more")));
    }
    let read = depythonize(value).or_else(|_| depythonize(&with_whole_texts(value)?));
    read.map_err(|why| wrong(format!("{what}: {why}")))
}

/// A text with a sign in place of each half of a surrogate pair: Python has them in the names of files.
fn whole(text: &Bound<'_, PyString>) -> Arc<str> {
    text.to_string_lossy().into()
}

/// A copy of this value in which every text is whole.
fn with_whole_texts<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(PyString::new(py, &whole(text)).into_any());
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let copy = PyDict::new(py);
        for item in mapping.items()? {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            copy.set_item(with_whole_texts(&name)?, with_whole_texts(&value)?)?;
        }
        return Ok(copy.into_any());
    }
    if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Ok(value.clone());
    }
    let items: PyResult<Vec<_>> = value.try_iter()?.map(|it| with_whole_texts(&it?)).collect();
    Ok(PyList::new(py, items?)?.into_any())
}

fn write<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize(py, value)?)
}

fn read_dialect(name: &str) -> PyResult<Dialect> {
    match name {
        "openai" => Ok(Dialect::OpenAi),
        "responses" => Ok(Dialect::Responses),
        "anthropic" => Ok(Dialect::Anthropic),
        "gemini" => Ok(Dialect::Gemini),
        other => {
            let expected = "`openai`, `responses`, `anthropic` or `gemini`";
            Err(wrong(format!("dialect: expected {expected}, found `{other}`")))
        }
    }
}

/// An error may quote what came in.
fn wrong(error: impl Display) -> PyErr {
    PyValueError::new_err(host::visible(&error.to_string()))
}

/// A panic leaves a run as it was before: what comes next says what is due.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
