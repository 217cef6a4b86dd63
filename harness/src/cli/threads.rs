//! The threads that a command works on.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;

/// The variable that says how many threads there are where `--jobs` does not.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// More threads than this exceed any machine: starting them would take longer than the work.
const THREADS_MAX: usize = 1_024;

/// So many threads; with 0, as many as `RAYON_NUM_THREADS` says, or as the machine has cores.
///
/// # Errors
/// They are too many, or cannot be started.
pub(super) fn threads(number: usize) -> Result<ThreadPool, Error> {
    let asked = if number == 0 { VARIABLE } else { "--jobs" };
    check(asked, number)?;
    ThreadPoolBuilder::new()
        .num_threads(number)
        .build()
        .map_err(|error| Error::usage(asked, "a number of threads that this machine can start", error))
}

/// Checks the variable, which every command without `--jobs` goes by.
///
/// # Errors
/// It asks for too many threads.
#[expect(clippy::disallowed_methods, reason = "the number of threads changes no byte of any output")]
pub(super) fn check_variable() -> Result<(), Error> {
    let asked = std::env::var(VARIABLE).ok().and_then(|it| it.parse().ok());
    check(VARIABLE, asked.unwrap_or(0))
}

fn check(asked: &str, number: usize) -> Result<(), Error> {
    if number > THREADS_MAX {
        return Err(Error::usage(asked, &format!("at most {THREADS_MAX} threads"), number));
    }
    Ok(())
}
