//! The threads that a command works on.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// So many threads; with 0, as many as `RAYON_NUM_THREADS` says, or as the machine has cores.
///
/// # Errors
/// They cannot be started.
pub(super) fn threads(number: usize) -> Result<ThreadPool, Error> {
    let asked = if number == 0 { "RAYON_NUM_THREADS" } else { "--jobs" };
    ThreadPoolBuilder::new()
        .num_threads(number)
        .build()
        .map_err(|error| Error::usage(asked, "a number of threads that this machine can start", error))
}
