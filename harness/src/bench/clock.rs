//! The clock of a bench: its figures are kept beside the record, and nothing else depends on them.

use std::time::{Instant, SystemTime};

use jiff::{Timestamp, Unit};

/// The time of day in UTC, such as `2026-11-23T16:30:00Z`.
#[must_use]
pub fn now() -> String {
    let now = Timestamp::try_from(moment()).and_then(|now| now.round(Unit::Second));
    now.unwrap_or_default().to_string()
}

/// The time of day, for what is kept apart from every record.
#[expect(clippy::disallowed_methods, reason = "a date is kept apart from the record")]
pub(crate) fn moment() -> SystemTime {
    SystemTime::now()
}

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
