//! What a tool result says once its volatile parts are masked: two results of one call are the same when their keys
//! are equal.
//!
//! | masked | example | not masked |
//! |---|---|---|
//! | date with a year | `2024-05-01`, `2024/05/01`, `05/01/2024` | `2024-13-01`, `1.2024-05-01`, the year alone |
//! | date with a month's name | `Fri May  3 12:30:01 2024`, `May 3 12:30`, `03 May 2024` | `May 3` alone |
//! | time with seconds | `12:30:01`, `0:00:12.5`, and a zone after it (`Z`, `+02:00`, ` +0200`) | `12:30` (a line and column), `main.rs:12:30:01` |
//! | time in the name of a file | after a date: `2024-05-01T12_30_01_228Z-0.log`, `2024-05-01_12-30-01` | `12_30_01`, `2024-05-01_12` |
//! | time without seconds | after a date (`2024-05-01 12:30`), before am or pm | `12:30` |
//! | duration | `1.23s`, `12 ms`, `0.4 seconds`, `3 min`, `1h 2m 3s` | `3 m`, `3 files`, `1.2.3s`, `s3`, `5 days` |
//! | speed of a progress bar | `284.96it/s`, `5.2 MB/s`, `812 kB/s` | `1200 req/s`, `5.2 MB` |
//! | countdown | `7 steps left`, `2 attempts remaining`, `steps left: 7`; the number of a cell, `In [3]`, `Out[3]` | `x[3]`, `7 files left`, `step 3 of 10`, `3/10 steps` (progress) |
//! | address | `0x7ffe5a3b10` (9 to 16 digits), `at 0x804a010`, `@ 0x804a010` (from 5 digits on) | `0x80070005` (an error code) |
//! | UUID | `550e8400-e29b-41d4-a716-446655440000` | a shorter one |
//! | hexadecimal id | `3f2b8c1d`: 8 to 32 digits of one case, with both letters and digits | `12345678`, `deadbeef`, `a1b2c3d`, `1e10000000`, `#1f2e3d4c`, digests of 40 digits and more |
//! | id of mixed digits and letters | `msg_a8Kd93LmQz7XcVb2`: 16 to 64 of both cases, often changing | `parseHTTPResponse2xxOr3xx`, `a8Kd93Lm` |
//! | time since 1970, id that begins with one | `1767225600`, `1767225600123`, 16 to 20 digits | `1234567890`, 11 or 12 digits |
//! | number of a process | `pid 4711`, `PID: 4711` | `port 4711`, `process 4711` |
//! | id of a request | `req_26223360`, `"request_id": "004e2211"`, `traceId=4711` | `id=4711`, `required 5` |
//! | reference of an element in a snapshot | `[ref=e12]`, `"ref": "s1e12"` | `ref=12`, `href=e12`, `e12` |
//! | temporary name | after `/tmp/`: `tmpab12cd`, `.tmpXy12Za`, `tmp.Xy12Za90Qw`, `build-x7k2p9`, `go-build123456` | `/tmp/report2024.txt`, `/tmp/out.txt` |
//!
//! All other digits stay: counts, line numbers, exit codes, ids of records and versions say what changed. The rules
//! come from the kinds of noise in recorded tool results; a full digest (SHA-1 and longer) stays because it names
//! content. Masked parts of one kind are equal, whatever their length. With the last step of a countdown (`1 steps
//! left`) harnesses add a sentence; a short text in the lines after it does not count.
//!
//! One pass without allocation: only text around a digit or after `/tmp/` is examined closely.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::reading::{Errors, Findings, FoundErrors, Reading};
use goes_on::says_it_goes_on;
use known::Known;
pub use masked::identity;
pub use result_key::ResultKey;

mod digits;
pub(crate) mod goes_on;
mod known;
pub(crate) mod masked;
mod moment;
mod plain;
mod reader;
mod result_key;
mod state_member;
mod vocabulary;
mod volatile;

/// A tool's answer, with cached properties that guards ask for. Each is computed at the first request, so the text is
/// masked and read once, however many guards look at it.
#[derive(Clone, Default)]
pub struct ResultText {
    text: Arc<str>,
    known: Known,
}

impl ResultText {
    /// Its [`identity`].
    #[must_use]
    pub fn key(&self) -> ResultKey {
        self.known.key(|| identity(&self.text))
    }

    /// Whether it is a short text that says that something is still in progress.
    #[must_use]
    pub fn goes_on(&self) -> bool {
        self.known.goes_on(|| says_it_goes_on(&self.text))
    }

    /// What it says: whether it reads as a failure, and of which kind.
    #[must_use]
    pub fn reading(&self) -> Reading<'_> {
        self.known.findings(|| Findings::of(&self.text)).in_answer(&self.text)
    }

    /// Whether it reads as a failure: a part of its [`reading`](Self::reading).
    #[must_use]
    pub fn reads_as_failure(&self) -> bool {
        self.known.findings(|| Findings::of(&self.text)).failed
    }

    /// Whether it answers in the form of a failure: a part of its [`reading`](Self::reading).
    #[must_use]
    pub fn says_no(&self) -> bool {
        self.known.findings(|| Findings::of(&self.text)).says_no
    }

    /// All lines that begin like errors, if it is long.
    #[must_use]
    pub fn errors(&self) -> Errors<'_> {
        self.known.errors(|| FoundErrors::of(&self.text)).in_answer(&self.text)
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// Shows the text only, so the output does not depend on which properties are cached.
impl fmt::Debug for ResultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Deref for ResultText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl From<Arc<str>> for ResultText {
    fn from(text: Arc<str>) -> Self {
        Self { text, known: Known::default() }
    }
}

impl From<&str> for ResultText {
    fn from(text: &str) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl From<String> for ResultText {
    fn from(text: String) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl PartialEq for ResultText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ResultText {}

impl PartialEq<str> for ResultText {
    fn eq(&self, other: &str) -> bool {
        *self.text == *other
    }
}
