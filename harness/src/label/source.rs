//! The logs that a sample was drawn from, so that a change of them is noticed.

use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// A file of logs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name as it was given or found. Another name for the same bytes is no change.
    pub file: String,
    /// A digest of the bytes that were read of it.
    pub digest: String,
}

/// A digest that grows while a reader is read.
#[derive(Clone, Default)]
pub struct Digested(Rc<RefCell<Xxh3>>);

impl Digested {
    /// The reader; what is read of it is in the digest.
    pub fn reading<R: Read>(&self, inner: R) -> impl Read + use<R> {
        Reading { inner, digest: self.clone() }
    }

    /// The digest of what was read so far.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("{:032x}", self.0.borrow().digest128())
    }
}

struct Reading<R> {
    inner: R,
    digest: Digested,
}

impl<R: Read> Read for Reading<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.digest.0.borrow_mut().update(&buffer[..read]);
        Ok(read)
    }
}
