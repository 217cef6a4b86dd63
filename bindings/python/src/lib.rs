//! The guards as an extension module of Python. The package `balk` wraps it; nothing here decides anything.

use std::sync::{Mutex, MutexGuard, PoisonError};

use balk_guards::record::EntryRecord;
use balk_guards::wire::Dialect;
use balk_host as host;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyAny;
use pythonize::{depythonize, pythonize};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The guards of Balk.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{Conversations, Exchange, Guards, Run};
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
struct Run(Mutex<host::Run>);

#[pymethods]
impl Run {
    #[new]
    fn new(guards: &Guards, begin: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Mutex::new(host::Run::new(&guards.0, read("run", begin)?))))
    }

    #[staticmethod]
    fn resume(guards: &Guards, transcript: &Bound<'_, PyAny>, limits: &Bound<'_, PyAny>) -> PyResult<Self> {
        let entries: Vec<EntryRecord> = read("transcript", transcript)?;
        let run = host::Run::resume(&guards.0, &entries, read("limits", limits)?);
        Ok(Self(Mutex::new(run.map_err(wrong)?)))
    }

    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &locked(&self.0).step())
    }

    #[pyo3(signature = (dialect, model, system=None))]
    fn request(&self, dialect: &str, model: &str, system: Option<&str>) -> PyResult<String> {
        Ok(locked(&self.0).request(read_dialect(dialect)?, model, system))
    }

    fn completed(&self, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        let answer: host::Answer = read("answer", answer)?;
        locked(&self.0).completed(&answer);
        Ok(())
    }

    fn responded(&self, dialect: &str, response: &str) -> PyResult<()> {
        locked(&self.0).responded(read_dialect(dialect)?, response).map_err(wrong)
    }

    fn failed(&self, failure: &Bound<'_, PyAny>) -> PyResult<()> {
        let failure: host::Failure = read("failure", failure)?;
        locked(&self.0).failed(&failure).map_err(wrong)
    }

    fn executed(&self, results: &Bound<'_, PyAny>, finished: bool) -> PyResult<()> {
        let results: Vec<host::Ran> = read("results", results)?;
        locked(&self.0).executed(&results, finished).map_err(wrong)
    }

    fn answered(&self, text: &str) -> PyResult<()> {
        locked(&self.0).answered(text).map_err(wrong)
    }

    fn unanswered(&self) {
        locked(&self.0).unanswered();
    }

    fn waited(&self, ms: u64) {
        locked(&self.0).waited(ms);
    }

    fn said(&self, text: &str, by_user: bool) {
        locked(&self.0).said(text, by_user);
    }

    fn end(&self) {
        locked(&self.0).end();
    }

    fn news<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &locked(&self.0).news())
    }

    fn transcript<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        write(py, &locked(&self.0).transcript())
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

fn read<T: DeserializeOwned>(what: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    depythonize(value).map_err(|why| PyValueError::new_err(format!("{what}: {why}")))
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
            Err(PyValueError::new_err(format!("dialect: expected {expected}, found `{other}`")))
        }
    }
}

fn wrong(error: host::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A panic leaves a run as it was before: what comes next says what is due.
fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}
