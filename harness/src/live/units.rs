//! Units on the threads of a pool, each taken as soon as it is ready: a real model may need minutes for one.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use rayon::ThreadPool;

/// Does the work of each unit on a thread of the pool, in order; the caller's thread takes what comes of it, whichever
/// is ready first. After `Break` or an error, no unit begins any more; those that have begun are dropped when they end.
///
/// # Errors
/// Those of `take`.
pub(super) fn each<T: Send, E>(
    pool: &ThreadPool,
    units: Vec<usize>,
    work: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> Result<ControlFlow<()>, E>,
) -> Result<ControlFlow<()>, E> {
    let is_over = AtomicBool::new(false);
    let (work, is_over) = (&work, &is_over);
    pool.in_place_scope_fifo(|scope| {
        // A thread waits until its unit is taken, so after the end it cannot be ahead by more than one.
        let (send, ready) = mpsc::sync_channel(0);
        for unit in units {
            let send = send.clone();
            scope.spawn_fifo(move |_| {
                if !is_over.load(Ordering::Relaxed) {
                    // After the end, the result is dropped.
                    let _ = send.send((unit, work(unit)));
                }
            });
        }
        drop(send);
        for (unit, done) in ready {
            let flow = take(unit, done);
            if !matches!(flow, Ok(ControlFlow::Continue(()))) {
                is_over.store(true, Ordering::Relaxed);
                return flow;
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;

    use rayon::ThreadPoolBuilder;

    use super::*;

    fn pool(threads: usize) -> ThreadPool {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start")
    }

    #[test]
    fn all_units_are_taken_and_on_one_thread_in_their_order() {
        for threads in [1, 3] {
            let mut taken = Vec::new();
            let take = |unit, done| {
                taken.push((unit, done));
                Ok::<_, ()>(ControlFlow::Continue(()))
            };
            let flow = each(&pool(threads), (0..20).collect(), |unit| unit * unit, take);
            assert_eq!(flow, Ok(ControlFlow::Continue(())));
            if threads > 1 {
                taken.sort_unstable();
            }
            assert_eq!(taken, (0..20).map(|unit| (unit, unit * unit)).collect::<Vec<_>>());
        }
    }

    /// The second unit waits until the first one has been taken.
    #[test]
    fn a_unit_is_taken_while_others_go_on() {
        let (first_taken, wait) = mpsc::channel();
        let wait = Mutex::new(wait);
        let work = |unit| {
            if unit == 1 {
                wait.lock().expect("one waits").recv().expect("the first one was taken");
            }
        };
        let take = |unit, ()| {
            if unit == 0 {
                first_taken.send(()).expect("the second one waits");
            }
            Ok::<_, ()>(ControlFlow::Continue(()))
        };
        assert_eq!(each(&pool(2), vec![0, 1], work, take), Ok(ControlFlow::Continue(())));
    }

    #[test]
    fn after_the_end_no_unit_begins() {
        for end in [Ok(ControlFlow::Break(())), Err("full")] {
            let begun = AtomicUsize::new(0);
            let work = |_| begun.fetch_add(1, Ordering::Relaxed);
            assert_eq!(each(&pool(1), (0..20).collect(), work, |_, _| end), end);
            assert!(begun.load(Ordering::Relaxed) <= 2, "{begun:?}");
        }
    }
}
