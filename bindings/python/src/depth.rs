//! How deep the values are that Python gives. What reads them uses the stack for each level, and an end of the stack is
//! the end of the process.

use pyo3::prelude::*;
use pyo3::types::{PyAny, PyFloat, PyFrozenSet, PyInt, PyMapping, PySequence, PySet, PyString};

/// How many lists and mappings may be within each other: as many as in the JSON that Balk reads.
pub(crate) const DEPTH_MAX: usize = 128;

/// Whether there are more of them in this value, itself included.
pub(crate) fn is_too_deep(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_deeper(value, DEPTH_MAX)
}

fn is_deeper(value: &Bound<'_, PyAny>, than: usize) -> PyResult<bool> {
    let Some(inner) = inner(value)? else { return Ok(false) };
    let Some(than) = than.checked_sub(1) else { return Ok(true) };
    for it in inner.try_iter()? {
        if is_deeper(&it?, than)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The values in this one, if it has any: the same that are read.
fn inner<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_leaf = value.is_instance_of::<PyString>() || value.is_none();
    if is_leaf || value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return Ok(None);
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        return Ok(Some(mapping.values()?.into_any()));
    }
    let is_set = value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>();
    if is_set || value.cast::<PySequence>().is_ok() {
        return Ok(Some(value.clone()));
    }
    // A dataclass is read as a mapping.
    let Ok(fields) = value.getattr("__dataclass_fields__") else { return Ok(None) };
    let names = fields.try_iter()?.filter_map(Result::ok);
    let inner: Vec<_> = names.filter_map(|name| value.getattr(name.cast::<PyString>().ok()?).ok()).collect();
    Ok(Some(inner.into_pyobject(value.py())?))
}
