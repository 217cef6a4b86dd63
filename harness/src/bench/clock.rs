//! The clock of a bench: its figures are kept beside the record, and nothing else depends on them.

use std::time::Instant;

/// Measures the time since it was started.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts a stopwatch.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "wall-clock figures are kept apart from the record")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The elapsed time in nanoseconds.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
