//! The clock of a bench: its figures stand beside the record, and nothing else depends on them.

use std::time::Instant;

/// Measures from when it was started.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts one.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "wall-clock figures are kept apart from the record")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// What has passed, in nanoseconds.
    #[must_use]
    pub fn nanoseconds(self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
