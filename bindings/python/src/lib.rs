//! The guards as an extension module of Python. The package `balk` wraps it; nothing here decides anything.

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host as host;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyAny, PyString};
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
    fn request(&self, dialect: &str, model: &str, system: Option<&str>) -> PyResult<String> {
        Ok(self.locked().run.request(read_dialect(dialect)?, model, system))
    }

    fn completed(&self, text: &str, calls: Vec<Call<'_>>, finish: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut driven = self.locked();
        driven.arguments.clear();
        let mut answer =
            host::Answer { text: text.into(), finish: read("finish", finish)?, ..host::Answer::default() };
        for (id, tool, arguments) in calls {
            let text: Arc<str> = arguments.to_str()?.into();
            driven.arguments.push((text.clone(), arguments.unbind()));
            answer.calls.push(host::Call {
                id: id.to_str()?.into(),
                tool: tool.to_str()?.into(),
                arguments: text,
            });
        }
        driven.run.completed(&answer);
        Ok(())
    }

    fn responded(&self, dialect: &str, response: &str) -> PyResult<()> {
        self.locked().run.responded(read_dialect(dialect)?, response).map_err(wrong)
    }

    fn failed(&self, failure: &Bound<'_, PyAny>) -> PyResult<()> {
        let failure: host::Failure = read("failure", failure)?;
        self.locked().run.failed(&failure).map_err(wrong)
    }

    fn executed(&self, results: Vec<(PyBackedStr, Bound<'_, PyAny>)>, finished: bool) -> PyResult<()> {
        let ran = |(text, status): (PyBackedStr, Bound<'_, PyAny>)| {
            Ok(host::Ran { text: (*text).into(), status: read("status", &status)? })
        };
        let ran: PyResult<Vec<host::Ran>> = results.into_iter().map(ran).collect();
        self.locked().run.executed(&ran?, finished).map_err(wrong)
    }

    fn answered(&self, text: &str) -> PyResult<()> {
        self.locked().run.answered(text).map_err(wrong)
    }

    fn unanswered(&self) {
        self.locked().run.unanswered();
    }

    fn waited(&self, ms: u64) {
        self.locked().run.waited(ms);
    }

    fn said(&self, text: &str, by_user: bool) {
        self.locked().run.said(text, by_user);
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
    depythonize(value).map_err(|why| wrong(format!("{what}: {why}")))
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
