//! What a live run may spend.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::bench::Stopwatch;

/// What a live run may spend, over all its threads.
#[derive(Debug)]
pub struct Budget {
    tokens: Option<u64>,
    nanoseconds: Option<u64>,
    watch: Stopwatch,
    /// Whether the user has asked to stop.
    interrupted: Arc<AtomicBool>,
    /// Tokens that were taken, and tokens that requests under way may take.
    taken: Mutex<[u64; 2]>,
}

/// A budget that has run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// One more completion might take more tokens than are left.
    Tokens,
    /// The time is over.
    Time,
    /// The user has asked to stop.
    Patience,
}

impl Budget {
    /// A budget that counts from now; none of both is no bound. Nothing is asked for once `interrupted` is set.
    #[must_use]
    pub fn new(tokens: Option<u64>, minutes: Option<u64>, interrupted: Arc<AtomicBool>) -> Self {
        let nanoseconds = minutes.map(|it| it.saturating_mul(60_000_000_000));
        Self { tokens, nanoseconds, watch: Stopwatch::start(), interrupted, taken: Mutex::default() }
    }

    /// Tokens taken so far.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.locked()[0]
    }

    /// Sets aside what a request takes at most.
    ///
    /// # Errors
    /// There is not so much left, or no time, or the user has asked to stop.
    pub(super) fn set_aside(&self, most: u64) -> Result<(), Spent> {
        self.goes_on()?;
        let mut taken = self.locked();
        let [done, under_way] = *taken;
        if self.tokens.is_some_and(|bound| done.saturating_add(under_way).saturating_add(most) > bound) {
            return Err(Spent::Tokens);
        }
        taken[1] = under_way.saturating_add(most);
        Ok(())
    }

    /// Whether more may be asked for.
    ///
    /// # Errors
    /// There is no time left, or the user has asked to stop.
    pub(super) fn goes_on(&self) -> Result<(), Spent> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Spent::Patience);
        }
        if self.nanoseconds.is_some_and(|bound| self.watch.nanoseconds() >= bound) {
            return Err(Spent::Time);
        }
        Ok(())
    }

    /// Waits, and no longer than something may be asked for.
    ///
    /// # Errors
    /// There is no time left, or the user has asked to stop.
    pub(super) fn wait(&self, time: Duration) -> Result<(), Spent> {
        let watch = Stopwatch::start();
        loop {
            self.goes_on()?;
            match time.saturating_sub(Duration::from_nanos(watch.nanoseconds())) {
                Duration::ZERO => return Ok(()),
                left => thread::sleep(left.min(LOOKS)),
            }
        }
    }

    /// Takes what a request has taken in place of what was set aside for it.
    pub(super) fn take(&self, set_aside: u64, tokens: u64) {
        let mut taken = self.locked();
        taken[0] = taken[0].saturating_add(tokens);
        taken[1] = taken[1].saturating_sub(set_aside);
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, [u64; 2]> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How often a wait looks whether it goes on: a user does not notice so short a time.
const LOOKS: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_ends_with_the_time_and_at_the_users_word() {
        const LONG: Duration = Duration::from_secs(3600);
        let interrupted = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(None, None, interrupted.clone());
        assert_eq!([Duration::ZERO, LOOKS * 2].map(|it| budget.wait(it)), [Ok(()), Ok(())]);
        assert_eq!(Budget::new(None, Some(0), Arc::default()).wait(LONG), Err(Spent::Time));
        thread::scope(|scope| {
            let waits = scope.spawn(|| budget.wait(LONG));
            interrupted.store(true, Ordering::Relaxed);
            assert_eq!(waits.join().expect("it ends"), Err(Spent::Patience));
        });
    }

    #[test]
    fn requests_under_way_count_with_all_that_they_may_take() {
        let budget = Budget::new(Some(100), None, Arc::default());
        assert_eq!(budget.set_aside(60), Ok(()));
        assert_eq!(budget.set_aside(60), Err(Spent::Tokens));
        budget.take(60, 40);
        assert_eq!(budget.set_aside(60), Ok(()));
        assert_eq!((budget.set_aside(1), budget.taken()), (Err(Spent::Tokens), 40));
    }

    #[test]
    fn without_bounds_nothing_runs_out_and_after_the_time_or_the_users_word_nothing_begins() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let budget = Budget::new(None, None, interrupted.clone());
        assert_eq!(budget.set_aside(u64::MAX / 2), Ok(()));
        interrupted.store(true, Ordering::Relaxed);
        assert_eq!(budget.set_aside(1), Err(Spent::Patience));
        assert_eq!(Budget::new(None, Some(0), Arc::default()).set_aside(1), Err(Spent::Time));
    }
}
